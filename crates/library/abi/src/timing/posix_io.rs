//! The program's reads and writes without MPI, charged to the storage of the simulated machine (`--io posix`).
//!
//! The kernel counts the bytes that a process reads and writes by system calls, whatever library makes them. The rank looks at the counters
//! when the program calls MPI or reads `MPI_Wtime`, and the simulator lets the time of the accesses since the last look pass. Standard
//! output, and the reads and writes of MPI functions themselves, are left out.

use std::env;
use std::fs::{self, File};
use std::io::Read;

use mpirage_call::Call;

use crate::ground::lock::Lock;
use crate::rank::Rank;

/// The kernel's counters: bytes and system calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counters {
    read: u64,
    written: u64,
    reads: u64,
    writes: u64,
}

impl Counters {
    /// The counters of this process, and what they are after this look, which reads too.
    fn now() -> Option<(Counters, Counters)> {
        // Standard output of a rank is a file.
        let printed = fs::metadata("/proc/self/fd/1").map_or(0, |file| file.len());
        Counters::without_output(printed)
    }

    /// The same without what was written to standard output.
    fn without_output(printed: u64) -> Option<(Counters, Counters)> {
        let mut text = [0; 512];
        let length = File::open("/proc/self/io").and_then(|mut file| file.read(&mut text)).ok()?;
        let counters = Counters::parse(str::from_utf8(&text[..length]).ok()?)?;
        let now = Counters { written: counters.written.saturating_sub(printed), ..counters };
        Some((now, now.after_look(length)))
    }

    fn parse(text: &str) -> Option<Counters> {
        let value = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            line?.trim().parse().ok()
        };
        let (read, written) = (value("rchar")?, value("wchar")?);
        Some(Counters { read, written, reads: value("syscr")?, writes: value("syscw")? })
    }

    /// The kernel counts a read when it is over.
    fn after_look(self, length: usize) -> Counters {
        Counters { read: self.read + length as u64, reads: self.reads + 1, ..self }
    }

    fn since(self, before: Counters) -> Counters {
        Counters {
            read: self.read.saturating_sub(before.read),
            written: self.written.saturating_sub(before.written),
            reads: self.reads.saturating_sub(before.reads),
            writes: self.writes.saturating_sub(before.writes),
        }
    }
}

/// The accesses of a rank without MPI.
pub(crate) struct PosixIo {
    /// The counters at the last look; none before the first.
    last: Lock<Option<Counters>>,
}

impl PosixIo {
    pub(crate) const fn new() -> PosixIo {
        PosixIo { last: Lock::new(None) }
    }

    /// Lets the time of all accesses since the last look pass. Inside an operator or another function of the program that MPI has called, they wait for the next
    /// look: such a function makes no calls.
    #[cold]
    pub(crate) fn charge(&self, rank: &Rank) {
        if !rank.connection().may_call() {
            return;
        }
        let Some((now, after_look)) = Counters::now() else { return };
        let last = self.last.lock().replace(after_look);
        let new = last.map_or(Counters::default(), |last| now.since(last));
        // Without bytes nothing has moved: a system call that found nothing.
        if new.read + new.written > 0 {
            let folder = env::current_dir().unwrap_or_default();
            let operations =
                |bytes: u64, calls: u64| if bytes > 0 { calls.clamp(1, u32::MAX.into()) as u32 } else { 0 };
            rank.connection().ask(&Call::PosixIo {
                folder: &folder.to_string_lossy(),
                read: new.read,
                reads: operations(new.read, new.reads),
                written: new.written,
                writes: operations(new.written, new.writes),
            });
        }
    }

    /// Forgets reads and writes since the last look, which are not the program's.
    #[cold]
    pub(crate) fn forget(&self) {
        *self.last.lock() = Counters::now().map(|(_, after_look)| after_look);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_look_counts_what_was_written_since_the_last_one_and_not_itself() {
        // Standard output of the tests is not that of a rank.
        let look = || Counters::without_output(0).unwrap();
        let (_, before) = look();
        let (now, after) = look();
        // Other tests of this process may read and write meanwhile.
        assert!(now.since(before).written < 100_000);
        assert_eq!((after.reads, after.written), (now.reads + 1, now.written));
        tempfile().write_all(&[0; 100_000]).unwrap();
        let written = look().0.since(after).written;
        assert!((100_000..200_000).contains(&written), "{written}");
    }

    fn tempfile() -> File {
        let path = env::temp_dir().join(format!("mpirage-posix-io-{}", std::process::id()));
        let file = File::create(&path).unwrap();
        fs::remove_file(path).unwrap();
        file
    }

    #[test]
    fn counters_are_read_by_name() {
        let text = "rchar: 11\nwchar: 22\nsyscr: 3\nsyscw: 4\nread_bytes: 0\n";
        assert_eq!(Counters::parse(text), Some(Counters { read: 11, written: 22, reads: 3, writes: 4 }));
        assert_eq!(Counters::parse("rchar: x"), None);
    }
}
