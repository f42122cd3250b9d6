//! The memory that ranks share: one anonymous file, mostly holes.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;

use mpirage_channel::SHARED_FILE_BYTES;
use nix::sys::memfd::{MFdFlags, memfd_create};

/// The file behind memory that exists once for all ranks.
#[derive(Debug)]
pub struct SharedFile(File);

impl SharedFile {
    /// An empty file, which processes started from now on inherit.
    pub fn new() -> io::Result<SharedFile> {
        let file = File::from(memfd_create("mpirage-shared", MFdFlags::empty())?);
        file.set_len(SHARED_FILE_BYTES)?;
        Ok(SharedFile(file))
    }

    /// Its descriptor, here and in the ranks.
    pub fn descriptor(&self) -> i32 {
        self.0.as_raw_fd()
    }

    /// Bytes that exist. Nothing is freed before the run ends, so this is the peak.
    pub fn resident_bytes(&self) -> u64 {
        self.0.metadata().map_or(0, |status| status.blocks() * 512)
    }
}
