//! Error handlers.

use crate::constants::{MPI_ERRORS_ABORT, MPI_ERRORS_ARE_FATAL, MPI_ERRORS_RETURN};
use crate::handles::Handles;
use crate::types::{MPI_Comm_errhandler_function, MPI_Errhandler};

/// What happens to an error.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Errhandler {
    /// `MPI_ERRORS_ARE_FATAL`: the run ends.
    Fatal,
    /// `MPI_ERRORS_ABORT`: the run ends.
    Abort,
    /// `MPI_ERRORS_RETURN`: the program looks at the code.
    Return,
    /// A function of the program is told.
    Comm(MPI_Comm_errhandler_function),
}

/// All error handlers.
pub(crate) type Errhandlers = Handles<Errhandler>;

/// The predefined ones.
pub(crate) fn predefined() -> Errhandlers {
    let mut handlers = Handles::new();
    handlers.predefine(MPI_ERRORS_ARE_FATAL.0, Errhandler::Fatal);
    handlers.predefine(MPI_ERRORS_ABORT.0, Errhandler::Abort);
    handlers.predefine(MPI_ERRORS_RETURN.0, Errhandler::Return);
    handlers
}

/// The handler of a new world.
pub(crate) const DEFAULT: MPI_Errhandler = MPI_ERRORS_ARE_FATAL;
