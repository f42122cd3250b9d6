//! Errors of MPI: a class, and a sentence for the reader of the message.

use core::ffi::c_int;
use core::fmt;
use core::ops::Deref;

use crate::constants::*;
use mpirage_call::FindingClass;
use mpirage_data::{DatatypeError, OpError};

/// Why a call failed. The function's name is not part of the text; the code that reports the error adds it.
///
/// One word, so that results that may be errors are passed about in registers: errors are rare, results are not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MpiError(Box<Failure>);

/// The code and text of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The code the call returns: a class of the standard, or the code that a user's callback returned.
    pub class: c_int,
    /// The mistake, such as `count is -3`.
    pub text: String,
}

pub(crate) type Result<T> = core::result::Result<T, MpiError>;

impl MpiError {
    #[cold]
    pub(crate) fn new(class: c_int, text: impl Into<String>) -> MpiError {
        MpiError(Box::new(Failure { class, text: text.into() }))
    }

    /// The class under which a checked run reports it.
    pub(crate) fn finding_class(&self) -> FindingClass {
        match self.class {
            MPI_ERR_TRUNCATE => FindingClass::Truncation,
            MPI_ERR_RMA_SYNC | MPI_ERR_RMA_CONFLICT => FindingClass::RmaSync,
            MPI_ERR_RMA_RANGE | MPI_ERR_RMA_ATTACH => FindingClass::RmaRange,
            MPI_ERR_TYPE | MPI_ERR_COMM | MPI_ERR_GROUP | MPI_ERR_OP | MPI_ERR_REQUEST | MPI_ERR_WIN
            | MPI_ERR_INFO | MPI_ERR_KEYVAL | MPI_ERR_ERRHANDLER | MPI_ERR_FILE | MPI_ERR_SESSION => {
                FindingClass::InvalidHandle
            }
            MPI_ERR_BUFFER | MPI_ERR_COUNT | MPI_ERR_TAG | MPI_ERR_RANK | MPI_ERR_ROOT | MPI_ERR_TOPOLOGY
            | MPI_ERR_DIMS | MPI_ERR_ARG | MPI_ERR_ASSERT | MPI_ERR_DISP | MPI_ERR_SIZE
            | MPI_ERR_LOCKTYPE | MPI_ERR_INFO_KEY | MPI_ERR_INFO_VALUE | MPI_ERR_INFO_NOKEY
            | MPI_ERR_RMA_FLAVOR | MPI_ERR_AMODE | MPI_ERR_NAME => FindingClass::InvalidArgument,
            _ => FindingClass::Misuse,
        }
    }

    /// The same of a text that is still to be put together; there are many of these inside functions that seldom fail.
    #[cold]
    #[inline(never)]
    pub(crate) fn of(class: c_int, text: fmt::Arguments<'_>) -> MpiError {
        MpiError::new(class, text.to_string())
    }
}

impl Deref for MpiError {
    type Target = Failure;

    fn deref(&self) -> &Failure {
        &self.0
    }
}

/// Leaves the function with an error of a class: `fail!(MPI_ERR_RANK, "dest is {dest}, but …")`.
macro_rules! fail {
    ($class:expr, $($text:tt)*) => {
        return Err($crate::ground::error::MpiError::of($class, format_args!($($text)*)))
    };
}
pub(crate) use fail;

/// The error, unless `condition` holds.
pub(crate) fn ensure(condition: bool, class: c_int, text: impl FnOnce() -> String) -> Result<()> {
    if condition { Ok(()) } else { Err(MpiError::new(class, text())) }
}

impl From<DatatypeError> for MpiError {
    fn from(error: DatatypeError) -> MpiError {
        match error {
            DatatypeError::Negative { what, value } => {
                MpiError::new(MPI_ERR_COUNT, format!("{what} is {value}"))
            }
            other => MpiError::new(MPI_ERR_ARG, other.to_string()),
        }
    }
}

impl From<OpError> for MpiError {
    fn from(error: OpError) -> MpiError {
        MpiError::new(MPI_ERR_OP, error.to_string())
    }
}

/// The text of `MPI_Error_string` for a class of the standard.
pub(crate) fn class_text(class: c_int) -> Option<&'static str> {
    let classes = TEXTS.iter().chain(&TOOL_TEXTS);
    classes.clone().find(|&&(known, _)| known == class).map(|&(_, text)| text)
}

/// The texts are MPICH's where it has the class, so that programs that print them print the same.
const TEXTS: [(c_int, &str); 63] = [
    (MPI_SUCCESS, "No MPI error"),
    (MPI_ERR_BUFFER, "Invalid buffer pointer"),
    (MPI_ERR_COUNT, "Invalid count"),
    (MPI_ERR_TYPE, "Invalid datatype"),
    (MPI_ERR_TAG, "Invalid tag"),
    (MPI_ERR_COMM, "Invalid communicator"),
    (MPI_ERR_RANK, "Invalid rank"),
    (MPI_ERR_REQUEST, "Invalid request"),
    (MPI_ERR_ROOT, "Invalid root"),
    (MPI_ERR_GROUP, "Invalid group"),
    (MPI_ERR_OP, "Invalid MPI_Op"),
    (MPI_ERR_TOPOLOGY, "Invalid topology"),
    (MPI_ERR_DIMS, "Invalid dimension argument"),
    (MPI_ERR_ARG, "Invalid argument"),
    (MPI_ERR_UNKNOWN, "Unknown error"),
    (MPI_ERR_TRUNCATE, "Message truncated"),
    (MPI_ERR_OTHER, "Other MPI error"),
    (MPI_ERR_INTERN, "Internal MPI error!"),
    (MPI_ERR_PENDING, "Pending request (no error)"),
    (MPI_ERR_IN_STATUS, "See the MPI_ERROR field in MPI_Status for the error code"),
    (MPI_ERR_ACCESS, "Access denied to file"),
    (MPI_ERR_AMODE, "Invalid amode value in MPI_File_open "),
    (MPI_ERR_ASSERT, "Invalid assert argument"),
    (MPI_ERR_BAD_FILE, "Invalid file name"),
    (MPI_ERR_BASE, "Invalid base address"),
    (MPI_ERR_CONVERSION, "An error occurred in a user-defined data conversion function"),
    (MPI_ERR_DISP, "Invalid displacement argument in RMA call "),
    (MPI_ERR_DUP_DATAREP, "The requested datarep name has already been specified to MPI_REGISTER_DATAREP"),
    (MPI_ERR_FILE_EXISTS, "File exists"),
    (MPI_ERR_FILE_IN_USE, "File in use by some process"),
    (MPI_ERR_FILE, "Invalid MPI_File"),
    (MPI_ERR_INFO_KEY, "Invalid key for MPI_Info "),
    (MPI_ERR_INFO_NOKEY, "MPI_Info key is not defined "),
    (MPI_ERR_INFO_VALUE, "Invalid MPI_Info value "),
    (MPI_ERR_INFO, "Invalid MPI_Info"),
    (MPI_ERR_IO, "Other I/O error "),
    (MPI_ERR_KEYVAL, "Invalid keyval"),
    (MPI_ERR_LOCKTYPE, "Invalid locktype argument"),
    (MPI_ERR_NAME, "Invalid service name (see MPI_Publish_name)"),
    (MPI_ERR_NO_MEM, "Unable to allocate memory for MPI_Alloc_mem"),
    (MPI_ERR_NOT_SAME, "Inconsistent arguments to collective routine "),
    (MPI_ERR_NO_SPACE, "Not enough space for file "),
    (MPI_ERR_NO_SUCH_FILE, "File does not exist"),
    (MPI_ERR_PORT, "Invalid port"),
    (MPI_ERR_QUOTA, "Quota exceeded for files"),
    (MPI_ERR_READ_ONLY, "Read-only file or filesystem name"),
    (MPI_ERR_RMA_ATTACH, "Memory cannot be attached"),
    (MPI_ERR_RMA_CONFLICT, "Conflicting accesses to window "),
    (MPI_ERR_RMA_RANGE, "Target memory is not contained within the window"),
    (MPI_ERR_RMA_SHARED, "Memory cannot be shared"),
    (MPI_ERR_RMA_SYNC, "Wrong synchronization of RMA calls "),
    (MPI_ERR_SERVICE, "Attempt to lookup an unknown service name "),
    (MPI_ERR_SIZE, "Invalid size argument in RMA call"),
    (MPI_ERR_SPAWN, "Error in spawn call"),
    (MPI_ERR_UNSUPPORTED_DATAREP, "Unsupported datarep passed to MPI_File_set_view "),
    (MPI_ERR_UNSUPPORTED_OPERATION, "Unsupported file operation "),
    (MPI_ERR_WIN, "Invalid MPI_Win"),
    (MPI_ERR_RMA_FLAVOR, "Incorrect window flavor"),
    (MPI_ERR_PROC_ABORTED, "A process has aborted"),
    (MPI_ERR_VALUE_TOO_LARGE, "Value is too large to store"),
    (MPI_ERR_SESSION, "Invalid MPI_Session"),
    (MPI_ERR_ERRHANDLER, "Invalid error handler"),
    (MPI_ERR_ABI, "Not available with this binary interface"),
];

const TOOL_TEXTS: [(c_int, &str); 18] = [
    (MPI_T_ERR_CANNOT_INIT, "The tool interface cannot be initialized"),
    (MPI_T_ERR_NOT_ACCESSIBLE, "The tool interface's feature is not accessible"),
    (MPI_T_ERR_NOT_INITIALIZED, "The tool interface is not initialized"),
    (MPI_T_ERR_NOT_SUPPORTED, "Not supported by the tool interface"),
    (MPI_T_ERR_MEMORY, "The tool interface is out of memory"),
    (MPI_T_ERR_INVALID, "Invalid use of the tool interface"),
    (MPI_T_ERR_INVALID_INDEX, "Invalid index of a tool variable or category"),
    (MPI_T_ERR_INVALID_ITEM, "Invalid item of a tool enumeration"),
    (MPI_T_ERR_INVALID_SESSION, "Invalid tool session"),
    (MPI_T_ERR_INVALID_HANDLE, "Invalid tool handle"),
    (MPI_T_ERR_INVALID_NAME, "Invalid name of a tool variable or category"),
    (MPI_T_ERR_OUT_OF_HANDLES, "No more tool handles"),
    (MPI_T_ERR_OUT_OF_SESSIONS, "No more tool sessions"),
    (MPI_T_ERR_CVAR_SET_NOT_NOW, "The control variable cannot be set at this moment"),
    (MPI_T_ERR_CVAR_SET_NEVER, "The control variable cannot be set"),
    (MPI_T_ERR_PVAR_NO_WRITE, "The performance variable cannot be written"),
    (MPI_T_ERR_PVAR_NO_STARTSTOP, "The performance variable cannot be started or stopped"),
    (MPI_T_ERR_PVAR_NO_ATOMIC, "The performance variable cannot be read and reset at once"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::unnecessary_cast)]
    fn every_class_has_a_text() {
        let constants: &[(&str, i64)] = &include!(concat!(env!("OUT_DIR"), "/constant_values.rs"));
        for (name, value) in constants {
            if name.contains("_ERR_") && *name != "MPI_ERR_LASTCODE" {
                assert!(class_text(*value as c_int).is_some(), "{name}");
            }
        }
        assert_eq!(class_text(MPI_ERR_LASTCODE), None);
    }

    #[test]
    fn a_negative_number_is_a_count_error() {
        let error = MpiError::from(DatatypeError::Negative { what: "count", value: -3 });
        assert_eq!(error, MpiError::new(MPI_ERR_COUNT, "count is -3"));
    }
}
