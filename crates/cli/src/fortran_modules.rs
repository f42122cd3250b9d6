//! The modules `mpi` and `mpi_f08`, compiled once for each Fortran compiler and kept in the user's cache.
//!
//! The format of `.mod` files differs between compilers and their versions, so a module cannot be installed ready-made.

use std::collections::hash_map::DefaultHasher;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::install::Install;

/// In the order of compilation.
const SOURCES: [&str; 2] = ["mpi.f90", "mpi_f08.f90"];

/// Flags for a compiler: where the modules are, which it compiles now if it has not before.
pub fn flags(compiler: &OsStr, install: &Install) -> Result<Vec<OsString>> {
    let version = version(compiler)?;
    let folder = folder(compiler, &version, install)?;
    let mut flags = vec!["-I".into(), folder.into_os_string()];
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

fn folder(compiler: &OsStr, version: &str, install: &Install) -> Result<PathBuf> {
    let cache = cache_folder().join(name(compiler, version, install)?);
    if SOURCES.iter().all(|source| cache.join(module_of(source)).exists()) {
        return Ok(cache);
    }
    let parent = cache.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(parent).with_context(|| format!("cannot write to {}", parent.display()))?;
    let made = parent.join(format!("new-{}", std::process::id()));
    let compiled =
        fs::create_dir_all(&made).map_err(Into::into).and_then(|()| compile_all(compiler, install, &made));
    // Another mpirage may have made the same modules meanwhile: then those stay.
    let _ = compiled.as_ref().is_ok_and(|()| fs::rename(&made, &cache).is_ok());
    let _ = fs::remove_dir_all(&made);
    compiled.map(|()| cache)
}

fn compile_all(compiler: &OsStr, install: &Install, folder: &Path) -> Result<()> {
    for source in SOURCES {
        let path = install.fortran.join(source);
        let mut command = Command::new(compiler);
        // A compiler writes modules into the folder in which it runs.
        command
            .current_dir(folder)
            .arg("-c")
            .arg(&path)
            .arg("-I")
            .arg(&install.fortran)
            .args(["-o", "module.o"]);
        let done =
            command.output().with_context(|| format!("cannot start the compiler {}", compiler.display()))?;
        if !done.status.success() {
            let messages = String::from_utf8_lossy(&done.stderr);
            bail!("{} cannot compile {}:\n{messages}", compiler.display(), path.display());
        }
    }
    let _ = fs::remove_file(folder.join("module.o"));
    Ok(())
}

fn module_of(source: &str) -> String {
    source.replace(".f90", ".mod")
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
fn name(compiler: &OsStr, version: &str, install: &Install) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    (compiler, version).hash(&mut hasher);
    for source in SOURCES {
        let path = install.fortran.join(source);
        fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?.hash(&mut hasher);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

fn cache_folder() -> PathBuf {
    let home = || std::env::var_os("HOME").filter(|home| !home.is_empty());
    let cache =
        std::env::var_os("XDG_CACHE_HOME").filter(|path| Path::new(path).is_absolute()).map(PathBuf::from);
    let cache = cache.or_else(|| home().map(|home: OsString| Path::new(&home).join(".cache")));
    cache.unwrap_or_else(std::env::temp_dir).join("mpirage/fortran")
}
