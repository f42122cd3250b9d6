//! Error handlers: what happens to an error on a communicator, a window, a file or in a session.
//!
//! They are never removed, because objects keep using a handler after the program has freed its handle.

use crate::constants::*;
use crate::ground::error::{MpiError, Result, ensure};
use crate::ground::handles::Handles;
use crate::types::*;

/// The treatment of an error.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Errhandler {
    /// `MPI_ERRORS_ARE_FATAL`: the run ends.
    Fatal,
    /// `MPI_ERRORS_ABORT`: the run ends.
    Abort,
    /// `MPI_ERRORS_RETURN`: the program looks at the code.
    Return,
    /// Calls a function of the program.
    Comm(MPI_Comm_errhandler_function),
    /// Calls a function of the program.
    Win(MPI_Win_errhandler_function),
    /// Calls a function of the program.
    File(MPI_File_errhandler_function),
    /// Calls a function of the program.
    Session(MPI_Session_errhandler_function),
}

/// All error handlers that the program made.
pub(crate) type Errhandlers = Handles<Errhandler>;

/// The handler of a new world.
pub(crate) const DEFAULT: MPI_Errhandler = MPI_ERRORS_ARE_FATAL;

fn predefined(errhandler: MPI_Errhandler) -> Option<Errhandler> {
    match errhandler {
        MPI_ERRORS_ARE_FATAL => Some(Errhandler::Fatal),
        MPI_ERRORS_ABORT => Some(Errhandler::Abort),
        MPI_ERRORS_RETURN => Some(Errhandler::Return),
        _ => None,
    }
}

/// The handler behind a handle, if there is one.
pub(crate) fn find(handlers: &Errhandlers, errhandler: MPI_Errhandler) -> Result<Errhandler> {
    let none = || match errhandler {
        MPI_ERRHANDLER_NULL => "the error handler is MPI_ERRHANDLER_NULL".to_owned(),
        MPI_Errhandler(handle) => format!("{handle:#x} is not an error handler"),
    };
    let found = predefined(errhandler).or_else(|| handlers.get(errhandler.0).copied());
    found.ok_or_else(|| MpiError::new(MPI_ERR_ERRHANDLER, none()))
}

impl Errhandler {
    /// May it be set on a communicator?
    pub(crate) fn is_for_comm(self) -> bool {
        matches!(self, Errhandler::Fatal | Errhandler::Abort | Errhandler::Return | Errhandler::Comm(_))
    }

    pub(crate) fn check_for_comm(self) -> Result<()> {
        ensure(self.is_for_comm(), MPI_ERR_ERRHANDLER, || {
            "the error handler is for another kind of object than a communicator".to_owned()
        })
    }

    /// May it be set on a window?
    pub(crate) fn check_for_window(self) -> Result<()> {
        let fits =
            matches!(self, Errhandler::Fatal | Errhandler::Abort | Errhandler::Return | Errhandler::Win(_));
        ensure(fits, MPI_ERR_ERRHANDLER, || {
            "the error handler is for another kind of object than a window".to_owned()
        })
    }

    /// May it be set on a session?
    pub(crate) fn check_for_session(self) -> Result<()> {
        let fits = matches!(
            self,
            Errhandler::Fatal | Errhandler::Abort | Errhandler::Return | Errhandler::Session(_)
        );
        ensure(fits, MPI_ERR_ERRHANDLER, || {
            "the error handler is for another kind of object than a session".to_owned()
        })
    }

    /// May it be set on a file?
    pub(crate) fn check_for_file(self) -> Result<()> {
        let fits =
            matches!(self, Errhandler::Fatal | Errhandler::Abort | Errhandler::Return | Errhandler::File(_));
        ensure(fits, MPI_ERR_ERRHANDLER, || {
            "the error handler is for another kind of object than a file".to_owned()
        })
    }
}
