//! Signals that ask the simulator to stop.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::session::SessionError;

/// The last signal that asked for the end of the run.
pub(crate) struct Signals(Arc<AtomicUsize>);

impl Signals {
    /// Installs the handlers.
    pub(crate) fn install() -> io::Result<Signals> {
        let last = Arc::new(AtomicUsize::new(0));
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP]
        {
            // The first signal asks. A second one that comes before the run has ended kills the simulator, and with it the ranks.
            signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&asked))?;
            signal_hook::flag::register(signal, Arc::clone(&asked))?;
            signal_hook::flag::register_usize(signal, Arc::clone(&last), signal as usize)?;
        }
        Ok(Signals(last))
    }

    /// An error if a signal has come.
    pub(crate) fn check(&self) -> Result<(), SessionError> {
        match self.0.load(Ordering::Relaxed) {
            0 => Ok(()),
            signal => Err(SessionError::Interrupted(signal as i32)),
        }
    }
}
