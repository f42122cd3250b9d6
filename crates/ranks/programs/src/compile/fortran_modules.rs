//! The modules `mpi` and `mpi_f08`, compiled once for each Fortran compiler and kept in the user's cache.
//!
//! The format of `.mod` files differs between compilers and their versions, so a module cannot be installed ready-made. The sources are in
//! this executable.

use std::collections::hash_map::DefaultHasher;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// A file that `build.rs` makes.
macro_rules! made {
    ($name:literal) => {
        ($name, include_str!(concat!(env!("OUT_DIR"), "/", $name)))
    };
}

/// For programs without modules; the modules include all but the last.
const HEADERS: [(&str, &str); 3] =
    [made!("mpif-constants.h"), made!("mpif-needs-integers-of-4-bytes.h"), made!("mpif.h")];
/// The modules, in the order of compilation.
const SOURCES: [(&str, &str); 2] = [made!("mpi.f90"), made!("mpi_f08.f90")];

/// Flags for a compiler: where headers and modules are, which it compiles now if it has not before.
pub fn flags(compiler: &OsStr) -> Result<Vec<OsString>> {
    let version = version(compiler)?;
    let mut folder_flag = OsString::from("-I");
    folder_flag.push(folder(compiler, &version)?);
    let mut flags = vec![folder_flag];
    if checks_arguments(&version) {
        // Without interfaces, as with mpif.h, one procedure may get buffers of different types. MPICH's wrapper has both flags.
        flags.extend(["-fallow-invalid-boz", "-fallow-argument-mismatch"].map(OsString::from));
    }
    Ok(flags)
}

/// Does the compiler take it for an error if calls of an external procedure differ? gfortran does, from 10 on.
fn checks_arguments(version: &str) -> bool {
    let first = version.lines().next().unwrap_or_default();
    let major = first.rsplit(' ').next().and_then(|number| number.split('.').next()?.parse::<u32>().ok());
    first.starts_with("GNU Fortran") && major.is_some_and(|major| major >= 10)
}

/// The folder with headers and modules for a compiler.
fn folder(compiler: &OsStr, version: &str) -> Result<PathBuf> {
    let cache = cache_folder().join(name(compiler, version));
    if cache.exists() {
        return Ok(cache);
    }
    let parent = cache.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(parent).with_context(|| format!("cannot write to {}", parent.display()))?;
    let made = parent.join(format!("new-{}", std::process::id()));
    let compiled = fs::create_dir_all(&made).map_err(Into::into).and_then(|()| compile_all(compiler, &made));
    // Another mpirage may have made the same modules meanwhile: then those stay.
    let _ = compiled.as_ref().is_ok_and(|()| fs::rename(&made, &cache).is_ok());
    let _ = fs::remove_dir_all(&made);
    compiled.map(|()| cache)
}

fn compile_all(compiler: &OsStr, folder: &Path) -> Result<()> {
    for (name, text) in HEADERS.iter().chain(&SOURCES) {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    for (source, _) in SOURCES {
        // A compiler writes modules into the folder in which it runs.
        let done = Command::new(compiler).current_dir(folder).args(["-c", source, "-o", "module.o"]).output();
        let done = done.with_context(|| format!("cannot start the compiler {}", compiler.display()))?;
        if !done.status.success() {
            let messages = String::from_utf8_lossy(&done.stderr);
            bail!("{} cannot compile the module {source}:\n{messages}", compiler.display());
        }
        let _ = fs::remove_file(folder.join(source));
    }
    let _ = fs::remove_file(folder.join("module.o"));
    Ok(())
}

fn version(compiler: &OsStr) -> Result<String> {
    let asked = Command::new(compiler).arg("--version").output();
    let asked = asked.with_context(|| {
        let name = compiler.display();
        format!("cannot start the Fortran compiler {name}; install gfortran, or name another in MPIRAGE_FC")
    })?;
    Ok(String::from_utf8_lossy(&asked.stdout).into_owned())
}

/// Different for each compiler, version of it, and text of the modules.
fn name(compiler: &OsStr, version: &str) -> String {
    let mut hasher = DefaultHasher::new();
    (compiler, version, HEADERS, SOURCES).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

fn cache_folder() -> PathBuf {
    let home = || std::env::var_os("HOME").filter(|home| !home.is_empty());
    let cache =
        std::env::var_os("XDG_CACHE_HOME").filter(|path| Path::new(path).is_absolute()).map(PathBuf::from);
    let cache = cache.or_else(|| home().map(|home: OsString| Path::new(&home).join(".cache")));
    cache.unwrap_or_else(std::env::temp_dir).join("mpirage/fortran")
}
