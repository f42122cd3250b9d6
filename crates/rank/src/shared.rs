//! The memory that ranks share: one anonymous file, mostly holes.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use mpirage_channel::SHARED_FILE_BYTES;
use rustix::fs::{MemfdFlags, fstat, ftruncate, memfd_create};

/// The file behind memory that exists once for all ranks.
#[derive(Debug)]
pub struct SharedFile(OwnedFd);

impl SharedFile {
    /// An empty one, for processes started from now on to inherit.
    pub fn new() -> io::Result<SharedFile> {
        let file = memfd_create("mpirage-shared", MemfdFlags::empty())?;
        ftruncate(&file, SHARED_FILE_BYTES)?;
        Ok(SharedFile(file))
    }

    /// Its number, here and in the ranks.
    pub fn descriptor(&self) -> i32 {
        self.0.as_raw_fd()
    }

    /// Bytes that really exist. Nothing that was used is given back before the run ends, so it is the peak.
    pub fn resident_bytes(&self) -> u64 {
        fstat(&self.0).map_or(0, |status| status.st_blocks as u64 * 512)
    }
}
