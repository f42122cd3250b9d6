//! Where an output goes: links followed, existing folders found.

use std::io;
use std::path::{Path, PathBuf};

/// Links that are followed before the path counts as a circle; as many as the kernel follows.
const LINKS: usize = 40;

/// The absolute path that a write to `path` reaches. The file need not exist; a link need not lead to one.
pub fn resolve(path: &Path) -> io::Result<PathBuf> {
    // The working directory may change while a program runs inside the simulator.
    let mut path = std::path::absolute(path)?;
    for _ in 0..LINKS {
        match std::fs::read_link(&path) {
            Ok(target) => path = folder_of(&path).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(rustix::io::Errno::LOOP.into())
}

/// The folder a file is in.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// The folder itself if it exists, else the innermost folder around it that does.
pub(crate) fn existing_folder(folder: &Path) -> &Path {
    folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("."))
}

/// Names of descriptors that are open already. A file behind one is in use: it must not be replaced.
const DESCRIPTORS: [&str; 4] = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"];

/// Does something exist there that must not be replaced by a file, such as a device, a pipe, or an open descriptor?
pub fn is_special(path: &Path) -> bool {
    let descriptor = DESCRIPTORS.iter().any(|name| path.starts_with(name));
    std::fs::metadata(path).is_ok_and(|found| !found.is_dir() && (descriptor || !found.is_file()))
}
