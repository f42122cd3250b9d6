//! Interrupts folded ranks that do not return to the simulator, with which they share a thread.
//!
//! Signals that end a run interrupt the rank that runs. So does a thread that wakes up now and then, if a rank has run
//! for longer than allowed.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, raise};

/// The signal by which the thread interrupts a rank.
const BITE: Signal = Signal::SIGVTALRM;
/// How often the thread looks.
const LOOK: Duration = Duration::from_millis(50);

/// Interrupts ranks that do not stop.
pub(crate) struct Watchdog {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    /// How often a rank has stopped.
    turns: AtomicU64,
    stop: AtomicBool,
}

impl Watchdog {
    /// Interrupts a rank that runs for longer than `limit`, if there is one.
    pub(crate) fn start(limit: Option<Duration>) -> io::Result<Watchdog> {
        let shared = Arc::new(Shared::default());
        let thread = match limit {
            None => None,
            Some(limit) => {
                mpirage_fold::interrupt_on(BITE as i32)?;
                let shared = Arc::clone(&shared);
                Some(thread::Builder::new().name("watchdog".into()).spawn(move || shared.watch(limit))?)
            }
        };
        Ok(Watchdog { shared, thread })
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

impl Shared {
    fn watch(&self, limit: Duration) {
        let (mut seen, mut since) = (0, Instant::now());
        while !self.stop.load(Ordering::Relaxed) {
            thread::park_timeout(LOOK);
            let turns = self.turns.load(Ordering::Relaxed);
            if turns != seen {
                (seen, since) = (turns, Instant::now());
            } else if since.elapsed() > limit {
                // The signal reaches the thread that runs ranks, and does nothing if no rank runs.
                let _ = raise(BITE);
                since = Instant::now();
            }
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}
