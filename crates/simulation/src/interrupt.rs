//! Signals that ask a command to stop, so that it can remove its temporary files first.

use anyhow::{Context, anyhow};

use crate::failure::Failure;

/// Remembers signals, which then do not end the process.
#[derive(Clone, Copy, Debug)]
pub struct Interrupt {
    signals: bool,
}

impl Interrupt {
    /// Starts to remember signals. A second signal ends the command at once.
    pub fn watch() -> Result<Interrupt, Failure> {
        mpirage_system::remember_stop_signals().context("cannot watch for signals")?;
        Ok(Interrupt { signals: true })
    }

    /// Nothing interrupts.
    pub fn never() -> Interrupt {
        Interrupt { signals: false }
    }

    /// The signal that has come.
    pub fn signal(self) -> Option<i32> {
        mpirage_system::stop_signal().filter(|_| self.signals)
    }

    /// True if a signal has come.
    pub fn came(self) -> bool {
        self.signal().is_some()
    }

    /// An error with the shell's exit code for the signal, if one has come.
    pub fn check(self) -> Result<(), Failure> {
        match self.signal() {
            None => Ok(()),
            Some(signal) => {
                Err(Failure { code: 128 + signal as u8, error: anyhow!("interrupted by signal {signal}") })
            }
        }
    }
}
