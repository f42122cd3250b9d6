//! Finds the file of a program.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Error, Result, anyhow, bail};

/// Checks that the folder of `--wdir` exists.
pub fn check_folder(folder: &Path) -> Result<()> {
    match std::fs::metadata(folder) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => bail!("--wdir {}: that is a file, not a folder", folder.display()),
        Err(error) => bail!("--wdir {}: {}", folder.display(), why(&error)),
    }
}

/// Finds a program. A name with a slash is a path; a bare name is looked for in the working folder first, then as the shell does.
/// Both mean the folder of `--wdir` if there is one.
pub fn find(name: &Path, folder: Option<&Path>, search_path: Option<&OsStr>) -> Result<PathBuf> {
    let here = folder.map_or_else(|| name.to_owned(), |folder| folder.join(name));
    if name.components().count() > 1 {
        return existing(&here).map_err(|error| missing(name, folder, &error));
    }
    if let Ok(path) = existing(&here)
        && path.is_file()
    {
        return Ok(path);
    }
    let environment = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(search_path.unwrap_or(&environment));
    let found: Vec<PathBuf> = folders.map(|folder| folder.join(name)).filter(|path| path.is_file()).collect();
    // Like a shell, prefer a file that can be executed.
    let executable = found.iter().find(|path| is_executable(path));
    executable.or(found.first()).cloned().ok_or_else(|| {
        if here.is_dir() {
            return anyhow!("{} is a folder, not a program; name the program in it", name.display());
        }
        missing(name, folder, &std::io::ErrorKind::NotFound.into())
    })
}

/// The absolute path of a file that exists. Links stay: some programs, such as Python in a virtual environment, find their files by
/// the name that they were started with.
fn existing(path: &Path) -> std::io::Result<PathBuf> {
    std::fs::metadata(path)?;
    std::path::absolute(path)
}

fn missing(name: &Path, folder: Option<&Path>, error: &std::io::Error) -> Error {
    if error.kind() != std::io::ErrorKind::NotFound {
        return anyhow!("cannot find the program {}: {}", name.display(), why(error));
    }
    let Some(folder) = folder else {
        let places = if name.components().count() > 1 { "" } else { " here or on PATH" };
        return anyhow!("there is no program {}{places}", name.display());
    };
    let hint = match name.is_relative() && name.exists() {
        true => "; a relative name means a file in the folder of --wdir, so give the whole path",
        false => "",
    };
    anyhow!("there is no program {} in {} (--wdir){hint}", name.display(), folder.display())
}

fn why(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such folder".to_owned(),
        _ => error.to_string(),
    }
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|found| found.permissions().mode() & 0o111 != 0)
}
