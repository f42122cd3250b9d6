//! For which MPI the mpi4py that a Python program imports was built.
//!
//! A wheel of mpi4py has a module for each MPI and chooses one when it is imported. An mpi4py that was built on a machine, such as Debian's, has
//! one module, which links one MPI.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use mpirage_rank::{Interface, Program, interface_of_library};

/// Prints the folder of mpi4py. The package itself is not imported.
const WHERE: &str = "import importlib.util as u; s = u.find_spec('mpi4py'); print(*(s.submodule_search_locations or [] if s else []))";

/// The interface that the only module of the program's mpi4py needs; none if there is no mpi4py, or if it has several modules.
pub fn built_for(program: &Program, interpreter: &[OsString]) -> Option<Interface> {
    let modules = modules(&folder(program, interpreter)?);
    match modules.as_slice() {
        [only] => interface_of_library(only),
        _ => None,
    }
}

/// The folder of mpi4py, as the program's interpreter finds it.
fn folder(program: &Program, interpreter: &[OsString]) -> Option<PathBuf> {
    let (path, options) = interpreter.split_first()?;
    let mut command = Command::new(path);
    command.args(options).arg("-c").arg(WHERE);
    command.envs(program.environment.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null()).stderr(Stdio::null());
    if let Some(folder) = &program.folder {
        command.current_dir(folder);
    }
    let printed = command.output().ok()?.stdout;
    let printed = String::from_utf8(printed).ok()?;
    // The last line counts: a site may print something before it when its Python starts.
    Some(PathBuf::from(printed.lines().next_back()?)).filter(|folder| folder.is_absolute())
}

/// The libraries `MPI.….so` in a folder.
fn modules(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_module = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("MPI.") && name.ends_with(".so")
    };
    entries.map(|entry| entry.path()).filter(is_module).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_found_by_name() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["MPI.cpython-311-x86_64-linux-gnu.so", "MPI.pxd", "dl.so", "MPI.txt"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let found = modules(folder.path());
        assert_eq!(found, [folder.path().join("MPI.cpython-311-x86_64-linux-gnu.so")]);
        assert_eq!(interface_of_library(&found[0]), None);
    }
}
