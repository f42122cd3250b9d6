//! Signals that ask a command to stop, so that it can remove its temporary files first.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use anyhow::{Context, anyhow};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag::{register, register_conditional_shutdown, register_usize};

use crate::exit::Failure;

/// Remembers signals, which then do not end the process.
#[derive(Clone)]
pub struct Interrupt(Arc<AtomicUsize>);

impl Interrupt {
    /// Starts to remember signals. A second signal ends the command at once.
    pub fn watch() -> Result<Interrupt, Failure> {
        let (last, asked) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            register_conditional_shutdown(signal, 128 + signal, Arc::clone(&asked))
                .and_then(|_| register(signal, Arc::clone(&asked)))
                .and_then(|_| register_usize(signal, Arc::clone(&last), signal as usize))
                .context("cannot watch for signals")?;
        }
        Ok(Interrupt(last))
    }

    /// True if a signal has come.
    pub fn came(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    /// An error with the shell's exit code for the signal, if one has come.
    pub fn check(&self) -> Result<(), Failure> {
        match self.0.load(Ordering::Relaxed) {
            0 => Ok(()),
            signal => {
                Err(Failure { code: 128 + signal as u8, error: anyhow!("interrupted by signal {signal}") })
            }
        }
    }
}
