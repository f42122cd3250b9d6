//! What can go wrong in a call, as MPI tells it.

use core::ffi::c_int;

/// An error of a call, before an error handler has seen it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MpiError {
    /// The error class, also returned as the code.
    pub class: c_int,
    /// What is wrong, with the argument and its value. The function's name is put in front where it is told.
    pub text: String,
}

/// What the inside of a call gives.
pub(crate) type Result<T> = core::result::Result<T, MpiError>;

impl MpiError {
    /// An error of this class.
    pub(crate) fn new(class: c_int, text: impl Into<String>) -> MpiError {
        MpiError { class, text: text.into() }
    }
}

/// Leaves the function with an error of a class: `fail!(MPI_ERR_RANK, "dest is {dest}, but …")`.
macro_rules! fail {
    ($class:expr, $($text:tt)*) => {
        return Err($crate::error::MpiError::new($class, format!($($text)*)))
    };
}
pub(crate) use fail;
