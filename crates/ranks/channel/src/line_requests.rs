//! How threads of a rank get lines of their own.
//!
//! A thread that calls MPI for the first time puts its number into a slot of the mailbox of its rank's first line, and sleeps. The simulator opens lines
//! when all threads of the rank sleep, in the order of their numbers, so that lines do not depend on the order in which the threads ran.

use std::sync::atomic::{AtomicU32, Ordering};

use mpirage_call::LineId;
use rustix::thread::futex::{self, Timespec};

/// Threads that can ask at the same time; more wait for a slot.
const SLOTS: usize = 64;
/// How often a waiting thread looks again.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// No thread has the slot.
const FREE: u32 = 0;
/// The thread of the slot has its line, and is about to give the slot back.
const ANSWERED: u32 = u32::MAX;

/// The place of the requests.
#[repr(C)]
pub(crate) struct LineRequests {
    slots: [Slot; SLOTS],
}

/// One request.
#[repr(C)]
struct Slot {
    /// One more than the number of the thread that asks, [`FREE`] or [`ANSWERED`].
    thread: AtomicU32,
    /// One more than the number of the line that the simulator gives; zero before.
    line: AtomicU32,
}

/// A request that the simulator has not answered yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineRequest {
    /// The number of the thread: first, because lines are opened in this order.
    thread: u32,
    slot: usize,
}

impl LineRequests {
    /// A thread asks for a line and waits for it.
    pub(crate) fn ask(&self, thread: u32) -> LineId {
        let slot = self.claim(thread.min(ANSWERED - 2) + 1);
        loop {
            match slot.line.load(Ordering::Acquire) {
                // An early return is harmless: the loop looks again.
                0 => drop(futex::wait(&slot.line, futex::Flags::empty(), 0, Some(&LOOK))),
                line => {
                    slot.thread.store(ANSWERED, Ordering::Release);
                    slot.line.store(0, Ordering::Release);
                    slot.thread.store(FREE, Ordering::Release);
                    return LineId::new(line - 1);
                }
            }
        }
    }

    fn claim(&self, thread: u32) -> &Slot {
        loop {
            let free = |slot: &&Slot| {
                slot.thread.compare_exchange(FREE, thread, Ordering::AcqRel, Ordering::Relaxed).is_ok()
            };
            if let Some(slot) = self.slots.iter().find(free) {
                return slot;
            }
            // Any slot becomes free when its thread has its line.
            let _ = futex::wait(&self.slots[0].line, futex::Flags::empty(), 0, Some(&LOOK));
        }
    }

    /// The requests that wait, in the order in which lines are to be opened.
    pub(crate) fn waiting(&self) -> Vec<LineRequest> {
        let waits = |slot: &Slot| slot.line.load(Ordering::Acquire) == 0;
        let request = |(slot, state): (usize, &Slot)| {
            let thread = state.thread.load(Ordering::Acquire);
            let asks = thread != FREE && thread != ANSWERED && waits(state);
            // The thread may have taken its line between the two looks.
            let still = state.thread.load(Ordering::Acquire) == thread;
            (asks && still).then(|| LineRequest { thread: thread - 1, slot })
        };
        let mut requests: Vec<LineRequest> = self.slots.iter().enumerate().filter_map(request).collect();
        requests.sort_unstable();
        requests
    }

    /// Gives a thread its line.
    pub(crate) fn give(&self, request: LineRequest, line: LineId) {
        let slot = &self.slots[request.slot];
        slot.line.store(line.get() + 1, Ordering::Release);
        let _ = futex::wake(&slot.line, futex::Flags::empty(), u32::MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requests() -> LineRequests {
        let slot = || Slot { thread: AtomicU32::new(0), line: AtomicU32::new(0) };
        LineRequests { slots: std::array::from_fn(|_| slot()) }
    }

    #[test]
    fn more_threads_than_slots_get_lines_in_the_order_of_their_numbers() {
        let (requests, threads) = (requests(), SLOTS as u32 + 9);
        std::thread::scope(|scope| {
            let handles: Vec<_> = (0..threads)
                .rev()
                .map(|thread| {
                    scope.spawn({
                        let r = &requests;
                        move || r.ask(thread)
                    })
                })
                .collect();
            let mut given = 0;
            while given < threads {
                let waiting = requests.waiting();
                assert!(waiting.is_sorted());
                for request in waiting {
                    requests.give(request, LineId::new(100 + given));
                    given += 1;
                }
            }
            let mut lines: Vec<u32> =
                handles.into_iter().map(|handle| handle.join().unwrap().get()).collect();
            lines.sort_unstable();
            assert_eq!(lines, (100..100 + threads).collect::<Vec<_>>());
        });
        assert!(requests.waiting().is_empty());
    }
}
