//! Interrupts folded ranks that do not return to the simulator, with which they share a thread.
//!
//! Signals that end a run interrupt the rank that runs. A thread wakes up now and then: it asks a rank that has run for a while to pass
//! its turn, and interrupts one that has run for longer than allowed.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use mpirage_channel::{YIELD_SIGNAL, Yielding};
use mpirage_system::stop_signal;
use nix::sys::signal::{Signal, raise};

use crate::spinning::SLOW;

/// The signal by which the thread interrupts a rank.
pub(crate) const BITE: Signal = Signal::SIGVTALRM;
/// How often the thread looks if ranks may not run for long, and how often otherwise.
const LOOK: Duration = Duration::from_millis(50);
const SELDOM: Duration = Duration::from_secs(1);

/// Interrupts ranks that do not stop.
pub(crate) struct Watchdog {
    shared: Arc<Shared>,
    yielding: Option<Yielding>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    /// How often a rank has stopped.
    turns: AtomicU64,
    /// Nanoseconds after which a rank is interrupted.
    limit: AtomicU64,
    /// Nanoseconds after which a rank that shares memory is asked to pass its turn.
    slice: AtomicU64,
    stop: AtomicBool,
}

impl Watchdog {
    /// Interrupts a rank that runs for longer than `limit`, if there is one.
    pub(crate) fn start(
        limit: Option<Duration>,
        yielding: Option<Yielding>,
        first_slice: Duration,
    ) -> io::Result<Watchdog> {
        mpirage_fold::interrupt_only_on(BITE as i32)?;
        if let Some(yielding) = yielding {
            mpirage_fold::yield_on(YIELD_SIGNAL, yielding.pass)?;
        }
        let shared = Arc::new(Shared {
            turns: AtomicU64::new(0),
            limit: AtomicU64::new(limit.map_or(u64::MAX, |limit| limit.as_nanos() as u64)),
            slice: AtomicU64::new(first_slice.as_nanos() as u64),
            stop: AtomicBool::new(false),
        });
        let watching = Arc::clone(&shared);
        let watch = move || watching.watch(yielding);
        let thread = thread::Builder::new().name("watchdog".into()).spawn(watch)?;
        Ok(Watchdog { shared, yielding, thread: Some(thread) })
    }

    /// Another process goes on with the ranks.
    pub(crate) fn end(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }

    /// After a fork, in the new process: the thread is the other process', and this one gets one of its own.
    pub(crate) fn start_again(&mut self) -> io::Result<()> {
        let [limit, slice] = [&self.shared.limit, &self.shared.slice]
            .map(|nanos| Duration::from_nanos(nanos.load(Ordering::Relaxed)));
        let fresh = Watchdog::start(Some(limit), self.yielding, slice)?;
        // There is no thread to wait for.
        std::mem::forget(std::mem::replace(self, fresh));
        Ok(())
    }

    /// A rank that runs for longer than that from now on is interrupted.
    pub(crate) fn set_limit(&self, limit: Duration) {
        self.shared.limit.store(limit.as_nanos() as u64, Ordering::Relaxed);
    }

    /// Do ranks share memory?
    pub(crate) fn ranks_share_memory(&self) -> bool {
        share_memory(self.yielding)
    }

    /// The rank that runs next is asked to pass its turn after this time, if ranks share memory.
    pub(crate) fn set_slice(&self, slice: Duration) {
        self.shared.slice.store(slice.as_nanos() as u64, Ordering::Relaxed);
    }

    /// Signals that ask for the end of the run interrupt the rank that runs, too.
    pub(crate) fn listen(&self) -> io::Result<()> {
        mpirage_system::stop_signals().try_for_each(mpirage_fold::interrupt_on)
    }

    /// A rank has stopped.
    pub(crate) fn feed(&self) {
        // Only this thread writes it, so the increment need not be atomic.
        self.shared.turns.store(self.shared.turns.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }
}

fn share_memory(yielding: Option<Yielding>) -> bool {
    yielding.is_some_and(|yielding| yielding.shares_memory.load(Ordering::Relaxed))
}

impl Shared {
    fn watch(&self, yielding: Option<Yielding>) {
        let (mut seen, mut since) = (0, Instant::now());
        while !self.stop.load(Ordering::Relaxed) {
            let slice = Duration::from_nanos(self.slice.load(Ordering::Relaxed));
            let limit = Duration::from_nanos(self.limit.load(Ordering::Relaxed));
            // Without shared memory a rank is only asked where it is.
            let (look, slice) = match share_memory(yielding) {
                true => (slice.min(LOOK), slice),
                false if limit < SLOW => (LOOK, SLOW),
                false => (SELDOM, SLOW),
            };
            thread::park_timeout(look);
            let turns = self.turns.load(Ordering::Relaxed);
            if turns != seen {
                (seen, since) = (turns, Instant::now());
            } else if since.elapsed() > limit || stop_signal().is_some() {
                // A signal that asks for the end may have come just before the rank went on. The signal reaches the thread that runs ranks, and does nothing if no rank runs.
                let _ = raise(BITE);
                since = Instant::now();
            } else if since.elapsed() >= slice {
                mpirage_fold::ask_to_yield(YIELD_SIGNAL);
            }
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.end();
    }
}
