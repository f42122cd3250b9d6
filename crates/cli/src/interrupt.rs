//! Signals that ask a command to stop, so that it can remove its temporary files first.

use anyhow::{Context, anyhow};

use crate::exit::Failure;

/// Remembers signals, which then do not end the process.
#[derive(Clone)]
pub struct Interrupt(());

impl Interrupt {
    /// Starts to remember signals. A second signal ends the command at once.
    pub fn watch() -> Result<Interrupt, Failure> {
        mpirage_system::remember_stop_signals().context("cannot watch for signals")?;
        Ok(Interrupt(()))
    }

    /// True if a signal has come.
    pub fn came(&self) -> bool {
        mpirage_system::stop_signal().is_some()
    }

    /// An error with the shell's exit code for the signal, if one has come.
    pub fn check(&self) -> Result<(), Failure> {
        match mpirage_system::stop_signal() {
            None => Ok(()),
            Some(signal) => {
                Err(Failure { code: 128 + signal as u8, error: anyhow!("interrupted by signal {signal}") })
            }
        }
    }
}
