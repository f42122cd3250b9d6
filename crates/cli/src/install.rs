//! Where our own files are: installed under a prefix, or in the build tree.
//!
//! ```text
//! PREFIX/bin/mpirage   PREFIX/lib/mpirage/libmpi_abi.so.1   PREFIX/include/mpirage/{mpi.h,smpi/smpi.h}   PREFIX/share/mpirage/
//! target/release/mpirage   target/release/libmpi_abi.so     crates/abi/include/mpi.h       the checkout
//! ```

use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// The library as it is linked to.
pub const LIBRARY: &str = "libmpi_abi.so";
/// The library as it is loaded.
const LOADED: &str = "libmpi_abi.so.1";

/// The library that is put in front of the C library's `malloc`.
pub const MALLOC: &str = "libmpirage_malloc.so";

/// Folders of an installation.
#[derive(Clone, Debug)]
pub struct Install {
    /// With `libmpi_abi.so` and `libmpi_abi.so.1`.
    pub library: PathBuf,
    /// With `mpi.h`.
    pub include: PathBuf,
    /// With `examples/`.
    pub share: PathBuf,
}

impl Install {
    /// Finds our files from where this executable is.
    pub fn locate() -> Result<Install> {
        let executable = std::env::current_exe().context("cannot find out where mpirage is")?;
        let folder = executable.parent().unwrap_or(Path::new("/"));
        match Install::under_prefix(folder).or_else(|| Install::in_build_tree(folder)) {
            Some(install) => Ok(install),
            None => bail!(
                "cannot find {LIBRARY} and mpi.h near {}; build with `make`, or install with `make install`",
                executable.display()
            ),
        }
    }

    fn under_prefix(bin: &Path) -> Option<Install> {
        let prefix = bin.parent()?;
        let install = Install {
            library: prefix.join("lib/mpirage"),
            include: prefix.join("include/mpirage"),
            share: prefix.join("share/mpirage"),
        };
        (install.library.join(LOADED).exists() && install.include.join("mpi.h").exists()).then_some(install)
    }

    fn in_build_tree(target: &Path) -> Option<Install> {
        let built = target.join(LIBRARY);
        let root = target.ancestors().find(|folder| folder.join("crates/abi/include/mpi.h").exists())?;
        let library = target.join("lib");
        link_library(&built, &library, &[LIBRARY, LOADED]).ok()?;
        // Not everybody builds it, and few need it.
        let _ = link_library(&target.join(MALLOC), &library, &[MALLOC]);
        Some(Install { library, include: root.join("crates/abi/include"), share: root.to_owned() })
    }
}

/// Cargo builds only `libmpi_abi.so`; programs look for other names, in a folder of their own.
fn link_library(built: &Path, folder: &Path, names: &[&str]) -> io::Result<()> {
    if !built.exists() {
        return Err(io::ErrorKind::NotFound.into());
    }
    std::fs::create_dir_all(folder)?;
    for name in names {
        let link = folder.join(name);
        if std::fs::read_link(&link).ok().as_deref() != Some(built) {
            // Another mpirage may be doing the same right now: whoever is second finds it done.
            let _ = std::fs::remove_file(&link);
            match symlink(built, &link) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
        }
    }
    Ok(())
}
