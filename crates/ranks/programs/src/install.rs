//! Finds the files of mpirage: installed under a prefix, or in the build tree.
//!
//! ```text
//! PREFIX/bin/mpirage   PREFIX/lib/mpirage/{libmpi_abi.so.1,libmpi_fortran.so.1,mpich/,openmpi/}   PREFIX/include/mpirage/{mpi.h,smpi/smpi.h}   PREFIX/share/mpirage/
//! target/release/mpirage   target/release/libmpi_abi.so     crates/library/abi/include/mpi.h       the checkout
//! ```

use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::fronts::FRONTS;

/// The file name of the library at link time.
const LIBRARY: &str = "libmpi_abi.so";
/// The file name of the library at run time.
pub const LOADED: &str = "libmpi_abi.so.1";

/// The library of Fortran programs, at link time and at run time.
const FORTRAN: [&str; 2] = ["libmpi_fortran.so", "libmpi_fortran.so.1"];

/// The preloaded library that replaces `malloc`.
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
    /// Finds the files from the location of this executable.
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
        let root =
            target.ancestors().find(|folder| folder.join("crates/library/abi/include/mpi.h").exists())?;
        let library = target.join("lib");
        link_library(&built, &library, &[LIBRARY, LOADED]).ok()?;
        // A build may lack these; only --share-malloc and Fortran need them.
        let _ = link_library(&target.join(MALLOC), &library, &[MALLOC]);
        for front in &FRONTS {
            let folder = library.join(front.name);
            // A build may lack them; only programs for other MPIs need them, and then they look for our library beside the front.
            let _ = link_library(&target.join(front.file), &folder, front.links)
                .and_then(|()| link_library(&built, &folder, &[LOADED]));
        }
        let _ = link_library(&target.join(FORTRAN[0]), &library, &FORTRAN);
        Some(Install { library, include: root.join("crates/library/abi/include"), share: root.to_owned() })
    }
}

/// Links the names that programs look for to the file that Cargo builds, in a folder of their own.
fn link_library(built: &Path, folder: &Path, names: &[&str]) -> io::Result<()> {
    if !built.exists() {
        return Err(io::ErrorKind::NotFound.into());
    }
    std::fs::create_dir_all(folder)?;
    for name in names {
        let link = folder.join(name);
        if std::fs::read_link(&link).ok().as_deref() != Some(built) {
            // Another mpirage may make the same link at this moment.
            let _ = std::fs::remove_file(&link);
            match symlink(built, &link) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
        }
    }
    Ok(())
}
