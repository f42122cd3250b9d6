//! Output files and folders that appear under their names only when they are complete.
//!
//! ```text
//! OutputFile::create("run.mpirage")     a file without a name in the same folder: errors show before the run
//!       │ write
//!       ▼ seal                          all bytes have reached the file system
//! SealedFile
//!       │ publish                       rename over the old file, which was intact until now
//!       ▼
//! run.mpirage
//! ```
//!
//! A simulator that is killed leaves the old file as it was. [`OutputFolder`] does the same for a folder of files.
//!
//! Two further rules hold for every output. A symbolic link is followed, so that it stays a link. A device or a pipe
//! (`/dev/null`, `/dev/stdout`) is written to directly: it must not be replaced by a file.

mod file;
mod folder;
mod place;

pub use file::{OutputFile, SealedFile};
pub use folder::OutputFolder;
pub use place::{folder_of, is_special, resolve};
