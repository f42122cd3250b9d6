//! A stream of words from one process to another: a ring in shared memory, with futexes for a side that has nothing to do.
//!
//! One process writes and one reads. Each publishes how many words it has written or read, so neither takes a lock, and
//! words belong to one side at a time. The writer decides when to wake the reader: several messages may share one system call.

use std::io;
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use rustix::thread::futex::{self, Timespec};

/// Words of a ring. Longer messages go in portions.
const WORDS: usize = 1 << 17;
const HEAD: usize = 4096;
const BYTES: usize = HEAD + WORDS * 8;

/// The words that both sides use, each side's on a cache line of its own.
#[repr(C)]
struct Head {
    written: Padded<AtomicU64>,
    read: Padded<AtomicU64>,
    /// The reader sleeps on `bell`.
    reader_sleeps: Padded<AtomicU32>,
    bell: Padded<AtomicU32>,
    /// The writer sleeps on `room`.
    writer_sleeps: Padded<AtomicU32>,
    room: Padded<AtomicU32>,
}

const _: () = assert!(size_of::<Head>() <= HEAD);

#[repr(C, align(64))]
struct Padded<T>(T);

/// The ring. Both sides have it, and use only the methods of theirs.
pub(crate) struct Ring {
    base: *mut u8,
}

// SAFETY: the memory is shared between processes anyway; `&mut self` keeps threads apart.
unsafe impl Send for Ring {}

impl Ring {
    /// An empty ring, which processes that are forked from now on share.
    pub(crate) fn new() -> io::Result<Ring> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a fresh mapping wherever the kernel likes touches nothing that exists.
        let base = unsafe { mmap_anonymous(ptr::null_mut(), BYTES, access, MapFlags::SHARED)? };
        Ok(Ring { base: base.cast() })
    }

    fn head(&self) -> &Head {
        // SAFETY: the mapping begins with a head, which is zeros at first and only has atomics.
        unsafe { &*self.base.cast::<Head>() }
    }

    fn at(&self, position: u64) -> *mut u64 {
        // SAFETY: inside the mapping.
        unsafe { self.base.add(HEAD).cast::<u64>().add(position as usize % WORDS) }
    }

    /// The writer's: as many words as there is room for. Returns how many they were.
    pub(crate) fn put(&mut self, words: &[u64]) -> usize {
        let written = self.head().written.0.load(Ordering::Relaxed);
        let used = (written - self.head().read.0.load(Ordering::Acquire)) as usize;
        let count = words.len().min(WORDS - used);
        let first = count.min(WORDS - written as usize % WORDS);
        // SAFETY: the reader has read what was in these places, and looks there only after `written` says so.
        unsafe {
            ptr::copy_nonoverlapping(words.as_ptr(), self.at(written), first);
            ptr::copy_nonoverlapping(words[first..].as_ptr(), self.at(written + first as u64), count - first);
        }
        self.head().written.0.store(written + count as u64, Ordering::SeqCst);
        count
    }

    /// The reader's: all words that are there.
    pub(crate) fn take(&mut self, into: &mut Vec<u64>) {
        let read = self.head().read.0.load(Ordering::Relaxed);
        let count = (self.head().written.0.load(Ordering::Acquire) - read) as usize;
        if count == 0 {
            return;
        }
        let first = count.min(WORDS - read as usize % WORDS);
        // SAFETY: the writer has written these words and leaves them until `read` says that they were read.
        unsafe {
            into.extend_from_slice(std::slice::from_raw_parts(self.at(read), first));
            into.extend_from_slice(std::slice::from_raw_parts(self.at(read + first as u64), count - first));
        }
        self.head().read.0.store(read + count as u64, Ordering::SeqCst);
        wake(&self.head().writer_sleeps.0, &self.head().room.0);
    }

    /// The writer's: wakes the reader if it sleeps.
    pub(crate) fn wake_reader(&self) {
        wake(&self.head().reader_sleeps.0, &self.head().bell.0);
    }

    /// The reader's: sleeps until it is woken, unless there are words already.
    pub(crate) fn wait_for_words(&self, patience: Duration) {
        let head = self.head();
        let is_empty = || head.written.0.load(Ordering::SeqCst) == head.read.0.load(Ordering::Relaxed);
        sleep(&head.reader_sleeps.0, &head.bell.0, is_empty, patience);
    }

    /// The writer's: sleeps until there is room. A reader that sleeps is woken before.
    pub(crate) fn wait_for_room(&self, patience: Duration) {
        let head = self.head();
        self.wake_reader();
        let is_full = || {
            let used = head.written.0.load(Ordering::Relaxed) - head.read.0.load(Ordering::SeqCst);
            used as usize == WORDS
        };
        sleep(&head.writer_sleeps.0, &head.room.0, is_full, patience);
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: the mapping was made in `new` with this length, and no reference to it outlives `self`.
        let unmapped = unsafe { munmap(self.base.cast(), BYTES) };
        debug_assert!(unmapped.is_ok());
    }
}

/// Sleeps on `bell` while `idle` holds. The side that makes `idle` false then calls [`wake`], which looks at `sleeps`.
fn sleep(sleeps: &AtomicU32, bell: &AtomicU32, idle: impl Fn() -> bool, patience: Duration) {
    let seen = bell.load(Ordering::SeqCst);
    sleeps.store(1, Ordering::SeqCst);
    if idle() {
        let patience =
            Timespec { tv_sec: patience.as_secs() as i64, tv_nsec: patience.subsec_nanos().into() };
        // Woken, out of time, interrupted, or too late to sleep: the caller looks again in each case.
        let _ = futex::wait(bell, futex::Flags::empty(), seen, Some(&patience));
    }
    sleeps.store(0, Ordering::SeqCst);
}

fn wake(sleeps: &AtomicU32, bell: &AtomicU32) {
    if sleeps.load(Ordering::SeqCst) != 0 {
        bell.fetch_add(1, Ordering::SeqCst);
        let _ = futex::wake(bell, futex::Flags::empty(), 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_in_order_also_across_the_end() {
        let mut ring = Ring::new().unwrap();
        let (mut sent, mut got) = (0u64, Vec::new());
        for round in 0..50 {
            let words: Vec<u64> = (sent..sent + 7919 + round).collect();
            assert_eq!(ring.put(&words), words.len());
            sent += words.len() as u64;
            ring.take(&mut got);
        }
        assert!(sent as usize > 2 * WORDS && got.iter().copied().eq(0..sent));
    }

    #[test]
    fn a_full_ring_takes_a_part() {
        let mut ring = Ring::new().unwrap();
        let words = vec![7; WORDS + 5];
        assert_eq!((ring.put(&words), ring.put(&words)), (WORDS, 0));
        ring.take(&mut Vec::new());
        assert_eq!(ring.put(&words[..5]), 5);
    }

    #[test]
    fn a_reader_that_sleeps_is_woken() {
        let (mut writer, mut got) = (Ring::new().unwrap(), Vec::new());
        let mut reader = Ring { base: writer.base };
        std::thread::scope(|scope| {
            scope.spawn(move || {
                while got.len() < 3 * WORDS {
                    reader.wait_for_words(Duration::from_secs(60));
                    reader.take(&mut got);
                }
                assert!(got.iter().copied().eq(0..3 * WORDS as u64));
                std::mem::forget(reader);
            });
            let words: Vec<u64> = (0..3 * WORDS as u64).collect();
            let mut rest = words.as_slice();
            while !rest.is_empty() {
                let count = writer.put(rest);
                rest = &rest[count..];
                writer.wake_reader();
                if !rest.is_empty() {
                    writer.wait_for_room(Duration::from_secs(60));
                }
            }
        });
    }
}
