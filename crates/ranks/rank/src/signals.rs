//! Signals that ask the simulator to stop.

use std::io;

use crate::session::SessionError;

/// The last signal that asked for the end of the run.
pub(crate) struct Signals;

impl Signals {
    /// Installs the handlers.
    pub(crate) fn install() -> io::Result<Signals> {
        mpirage_system::remember_stop_signals()?;
        Ok(Signals)
    }

    /// An error if a signal has come.
    pub(crate) fn check(&self) -> Result<(), SessionError> {
        mpirage_system::stop_signal().map_or(Ok(()), |signal| Err(SessionError::Interrupted(signal)))
    }
}
