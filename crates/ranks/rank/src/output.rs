//! The standard output of ranks that are processes, shown in simulated order.
//!
//! The standard output of each rank is a file in memory. It never fills up, so a rank never blocks on it. The simulator collects
//! what a rank has written whenever the rank stops, and shows it when the engine says so.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;

use nix::fcntl::{FallocateFlags, FcntlArg, OFlag, fallocate, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};

/// The standard output of one rank.
#[derive(Debug)]
pub struct Output {
    file: File,
    read: u64,
    unshown: Vec<u8>,
}

impl Output {
    /// An empty output, and the file for the rank to write to.
    pub(crate) fn new() -> io::Result<(Output, File)> {
        let file = File::from(memfd_create("stdout", MFdFlags::MFD_CLOEXEC)?);
        fcntl(&file, FcntlArg::F_SETFL(OFlag::O_APPEND))?;
        let writer = file.try_clone()?;
        Ok((Output { file, read: 0, unshown: Vec::new() }, writer))
    }

    /// Collects what is new. True if there is something to show.
    pub(crate) fn collect(&mut self) -> io::Result<bool> {
        let (start, end) = (self.read, self.file.metadata()?.len());
        if end > start {
            let known = self.unshown.len();
            self.unshown.resize(known + (end - start) as usize, 0);
            self.file.read_exact_at(&mut self.unshown[known..], start)?;
            self.read = end;
            self.give_back_memory(start);
        }
        Ok(!self.unshown.is_empty())
    }

    /// Shows what was collected.
    pub(crate) fn show(&mut self, to: &mut dyn Write) -> io::Result<()> {
        to.write_all(&self.unshown)?;
        self.unshown.clear();
        to.flush()
    }

    /// Frees the memory of what has been read. A failure only costs memory.
    fn give_back_memory(&self, start: u64) {
        let flags = FallocateFlags::FALLOC_FL_PUNCH_HOLE | FallocateFlags::FALLOC_FL_KEEP_SIZE;
        let _ = fallocate(&self.file, flags, start as i64, (self.read - start) as i64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_collected_once_and_shown_once() {
        let (mut output, mut writer) = Output::new().unwrap();
        assert!(!output.collect().unwrap());
        writer.write_all(b"hello ").unwrap();
        assert!(output.collect().unwrap());
        writer.write_all(&[b'x'; 20_000]).unwrap();
        output.collect().unwrap();
        let mut shown = Vec::new();
        output.show(&mut shown).unwrap();
        assert_eq!((shown.len(), &shown[..6]), (20_006, &b"hello "[..]));
        assert!(!output.collect().unwrap());
    }
}
