//! Libraries with the binary interfaces of other MPIs, put in front of ours for programs that were built for those.
//!
//! A front has the name of the other MPI's library. It is preloaded together with `libmpi_abi.so.1`: the program's MPI functions are
//! then the front's, wherever the other library is installed, and clocks and sleeps of the C library are those of
//! `libmpi_abi.so.1`. The folder with the front's names is also the first in which libraries are looked for. Scripts and other
//! programs that link no MPI get only that: what they start may need any of the fronts. Programs that link our own library find that
//! of this mpirage first, though another build's `mpirage cc` may have made them: the library and the simulator belong together. Python is different: it loads
//! its MPI module later, but its clocks and sleeps are to be simulated from the beginning.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Error, Result, anyhow, bail};
use mpirage_rank::{Interface, Program};

use crate::install::{Install, LOADED};
use crate::mpi4py;

const PRELOAD: &str = "LD_PRELOAD";
const SEARCHED: &str = "LD_LIBRARY_PATH";
/// By this variable mpi4py knows for which MPI its module is to be.
const MPI4PY: &str = "MPI4PY_MPIABI";

/// A front: its interface, the file that Cargo builds, its folder, and its names there. The first name is that of the library itself.
pub struct Front {
    interface: Interface,
    /// The name in `--mpi-abi` and of the folder.
    pub name: &'static str,
    /// The file that Cargo builds.
    pub file: &'static str,
    /// The names by which programs look for it.
    pub links: &'static [&'static str],
}

/// All fronts.
pub const FRONTS: [Front; 2] = [
    Front {
        interface: Interface::Mpich,
        name: "mpich",
        file: "libmpirage_mpich.so",
        links: &["libmpi.so.12", "libmpich.so.12", "libmpi.so", "libmpifort.so.12", "libmpichfort.so.12"],
    },
    Front {
        interface: Interface::OpenMpi,
        name: "openmpi",
        file: "libmpirage_openmpi.so",
        links: &["libmpi.so.40", "libmpi_mpifh.so.40"],
    },
];

/// Chooses the front for a program and adds it to the program's environment. `option` is the value of `--mpi-abi`; `found` is what the
/// program's libraries say.
pub fn add(program: &mut Program, option: &str, found: Option<Interface>) -> Result<()> {
    let python = is_python(&program.path);
    let chosen = match option {
        "auto" if found.is_none() && python => of_mpi4py(program),
        "auto" => found,
        "mpi5" => forced(program, Interface::Mpi5, found)?,
        name => forced(program, named(name)?.interface, found)?,
    };
    let linked_to_ours = option == "mpi5";
    let Some(interface) = chosen else {
        if !linked_to_ours {
            add_search_path(program);
        }
        if let Ok(install) = Install::locate() {
            prepend(program, SEARCHED, install.library.as_os_str());
            if linked_to_ours || python {
                // It may load our library later than the C library, whose clocks would be real.
                prepend(program, PRELOAD, install.library.join(LOADED).as_os_str());
            }
        }
        return Ok(());
    };
    let front =
        FRONTS.iter().find(|front| front.interface == interface).expect("every other interface has one");
    let install = Install::locate()?;
    let folder = install.library.join(front.name);
    let library = folder.join(front.links[0]);
    if !library.exists() {
        bail!("{} is missing; `make` builds it", library.display());
    }
    prepend(program, PRELOAD, install.library.join(LOADED).as_os_str());
    prepend(program, PRELOAD, library.as_os_str());
    prepend(program, SEARCHED, folder.as_os_str());
    if python && value(program, MPI4PY).is_none() {
        program.environment.push((MPI4PY.into(), front.name.into()));
    }
    program.interface = Some(interface);
    Ok(())
}

/// The interface that `--mpi-abi` names.
fn forced(program: &Program, wanted: Interface, found: Option<Interface>) -> Result<Option<Interface>> {
    program.check_interface(wanted, found).map_err(Error::msg)?;
    Ok(Some(wanted).filter(|interface| *interface != Interface::Mpi5))
}

fn named(name: &str) -> Result<&'static Front> {
    let found = FRONTS.iter().find(|front| front.name == name);
    found.ok_or_else(|| anyhow!("--mpi-abi {name}: expected auto, mpi5, mpich or openmpi"))
}

/// The interface that `MPI4PY_MPIABI` names, or the one that mpi4py was built for; otherwise the one that its wheels use by themselves. None
/// for an mpi4py that was built with mpirage.
fn of_mpi4py(program: &Program) -> Option<Interface> {
    match value(program, MPI4PY) {
        Some(value) if value.eq_ignore_ascii_case("openmpi") => Some(Interface::OpenMpi),
        Some(_) => Some(Interface::Mpich),
        None => match mpi4py::built_for(program, &interpreter(&program.path)) {
            Some(Interface::Mpi5) => None,
            built => built.or(Some(Interface::Mpich)),
        },
    }
}

/// The command of a program's Python: itself, or what the first line of the script names.
fn interpreter(path: &Path) -> Vec<OsString> {
    match first_line(path) {
        Some(line) => line.split_ascii_whitespace().map(OsString::from).collect(),
        None => vec![path.into()],
    }
}

/// Programs that this one starts find the fronts that are there.
fn add_search_path(program: &mut Program) {
    let Ok(install) = Install::locate() else { return };
    for front in FRONTS.iter().rev() {
        let folder = install.library.join(front.name);
        if folder.join(front.links[0]).exists() {
            prepend(program, SEARCHED, folder.as_os_str());
        }
    }
}

/// Puts a path before the others in a variable of the program's environment.
fn prepend(program: &mut Program, variable: &str, path: &OsStr) {
    let mut paths = OsString::from(path);
    if let Some(others) = value(program, variable).filter(|others| !others.is_empty()) {
        paths.push(":");
        paths.push(others);
    }
    program.environment.retain(|(name, _)| name != variable);
    program.environment.push((variable.into(), paths));
}

/// A variable of the program's environment.
fn value(program: &Program, variable: &str) -> Option<OsString> {
    let set = program.environment.iter().rev().find(|(name, _)| name == variable);
    set.map(|(_, value)| value.clone()).or_else(|| std::env::var_os(variable))
}

/// Is it a Python interpreter, or a script for one?
fn is_python(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("python")
        || name.starts_with("pypy")
        || first_line(path).is_some_and(|line| line.contains("python"))
}

/// The first line of a script that names its interpreter.
fn first_line(path: &Path) -> Option<String> {
    let mut beginning = Vec::new();
    File::open(path).ok()?.take(256).read_to_end(&mut beginning).ok()?;
    let line = beginning.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    Some(String::from_utf8_lossy(line).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(environment: &[(&str, &str)]) -> Program {
        let environment = environment.iter().map(|&(name, value)| (name.into(), value.into())).collect();
        Program { path: "/bin/true".into(), arguments: vec![], environment, folder: None, interface: None }
    }

    #[test]
    fn a_path_comes_before_the_programs_own() {
        let mut program = program(&[(SEARCHED, "/a:/b")]);
        prepend(&mut program, SEARCHED, OsStr::new("/front"));
        assert_eq!(value(&program, SEARCHED).unwrap(), "/front:/a:/b");
        assert_eq!(program.environment.len(), 1);
    }

    #[test]
    fn mpi4py_may_have_been_told() {
        assert_eq!(of_mpi4py(&program(&[(MPI4PY, "openmpi")])), Some(Interface::OpenMpi));
        assert_eq!(of_mpi4py(&program(&[(MPI4PY, "mpich")])), Some(Interface::Mpich));
    }

    #[test]
    fn interpreters_are_known_by_name() {
        assert!(is_python(Path::new("/usr/bin/python3.11")));
        assert!(!is_python(Path::new("/bin/true")));
    }
}
