//! The types of the MPI 5 ABI: what C programs hand over and get back, bit for bit.

#![allow(non_camel_case_types, non_snake_case)]

use core::ffi::{c_int, c_void};

/// A difference of addresses.
pub type MPI_Aint = isize;
/// A number of elements that may exceed `int`.
pub type MPI_Count = i64;
/// A position in a file.
pub type MPI_Offset = i64;
/// Fortran's default INTEGER.
pub type MPI_Fint = c_int;
/// The permitted actions of a tool callback.
pub type MPI_T_cb_safety = c_int;
/// Whether a source of tool events keeps their order.
pub type MPI_T_source_order = c_int;

/// The status of a received message.
pub use mpirage_bodies::MPI_Status;

/// The status as Fortran 2008 sees it; the same layout.
pub type MPI_F08_status = MPI_Status;

/// Handles: opaque words, in C a pointer to an incomplete structure. The predefined ones are small numbers.
macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub usize);
    )*};
}

handles! {
    /// A communicator.
    MPI_Comm
    /// A datatype.
    MPI_Datatype
    /// An error handler.
    MPI_Errhandler
    /// An open file.
    MPI_File
    /// A group of processes.
    MPI_Group
    /// A list of keys and values.
    MPI_Info
    /// A message that was probed and matched.
    MPI_Message
    /// A reduction operation.
    MPI_Op
    /// An operation under way.
    MPI_Request
    /// A session.
    MPI_Session
    /// A window of memory.
    MPI_Win
    /// A control variable of the tool interface.
    MPI_T_cvar_handle
    /// An enumeration of the tool interface.
    MPI_T_enum
    /// A tool event that happened.
    MPI_T_event_instance
    /// An interest in tool events.
    MPI_T_event_registration
    /// A performance variable of the tool interface.
    MPI_T_pvar_handle
    /// A session of performance variables.
    MPI_T_pvar_session
}

/// A user's reduction operation.
pub type MPI_User_function =
    unsafe extern "C-unwind" fn(*mut c_void, *mut c_void, *mut c_int, *mut MPI_Datatype);
/// A user's reduction operation, large counts.
pub type MPI_User_function_c =
    unsafe extern "C-unwind" fn(*mut c_void, *mut c_void, *mut MPI_Count, *mut MPI_Datatype);

/// Copies an attribute of a communicator when that is duplicated.
pub type MPI_Comm_copy_attr_function = CopyAttribute<MPI_Comm>;
/// Deletes an attribute of a communicator.
pub type MPI_Comm_delete_attr_function = DeleteAttribute<MPI_Comm>;
/// Copies an attribute of a datatype when that is duplicated.
pub type MPI_Type_copy_attr_function = CopyAttribute<MPI_Datatype>;
/// Deletes an attribute of a datatype.
pub type MPI_Type_delete_attr_function = DeleteAttribute<MPI_Datatype>;
/// Copies an attribute of a window when that is duplicated.
pub type MPI_Win_copy_attr_function = CopyAttribute<MPI_Win>;
/// Deletes an attribute of a window.
pub type MPI_Win_delete_attr_function = DeleteAttribute<MPI_Win>;
/// MPI-1's name for [`MPI_Comm_copy_attr_function`].
pub type MPI_Copy_function = CopyAttribute<MPI_Comm>;
/// MPI-1's name for [`MPI_Comm_delete_attr_function`].
pub type MPI_Delete_function = DeleteAttribute<MPI_Comm>;

/// From (object, keyval, extra state, value) to (value, flag). The ABI also uses the addresses 0 (copies nothing) and 1
/// (duplicates the value): compare with `MPI_COMM_NULL_COPY_FN` and `MPI_COMM_DUP_FN` before calling.
pub type CopyAttribute<Object> =
    unsafe extern "C-unwind" fn(Object, c_int, *mut c_void, *mut c_void, *mut c_void, *mut c_int) -> c_int;
/// Of (object, keyval, value, extra state).
pub type DeleteAttribute<Object> =
    unsafe extern "C-unwind" fn(Object, c_int, *mut c_void, *mut c_void) -> c_int;

/// Handles an error on a communicator.
pub type MPI_Comm_errhandler_function = unsafe extern "C-unwind" fn(*mut MPI_Comm, *mut c_int, ...);
/// Handles an error on a file.
pub type MPI_File_errhandler_function = unsafe extern "C-unwind" fn(*mut MPI_File, *mut c_int, ...);
/// Handles an error in a session.
pub type MPI_Session_errhandler_function = unsafe extern "C-unwind" fn(*mut MPI_Session, *mut c_int, ...);
/// Handles an error on a window.
pub type MPI_Win_errhandler_function = unsafe extern "C-unwind" fn(*mut MPI_Win, *mut c_int, ...);
/// MPI-1's name for [`MPI_Comm_errhandler_function`].
pub type MPI_Handler_function = MPI_Comm_errhandler_function;

/// Fills the status of a generalized request.
pub type MPI_Grequest_query_function = unsafe extern "C-unwind" fn(*mut c_void, *mut MPI_Status) -> c_int;
/// Frees the state of a generalized request.
pub type MPI_Grequest_free_function = unsafe extern "C-unwind" fn(*mut c_void) -> c_int;
/// Cancels a generalized request.
pub type MPI_Grequest_cancel_function = unsafe extern "C-unwind" fn(*mut c_void, c_int) -> c_int;

/// Tells the extent of a datatype in a user's file format.
pub type MPI_Datarep_extent_function =
    unsafe extern "C-unwind" fn(MPI_Datatype, *mut MPI_Aint, *mut c_void) -> c_int;
/// Converts to or from a user's file format.
pub type MPI_Datarep_conversion_function = unsafe extern "C-unwind" fn(
    *mut c_void,
    MPI_Datatype,
    c_int,
    *mut c_void,
    MPI_Offset,
    *mut c_void,
) -> c_int;
/// Converts to or from a user's file format, large counts.
pub type MPI_Datarep_conversion_function_c = unsafe extern "C-unwind" fn(
    *mut c_void,
    MPI_Datatype,
    MPI_Count,
    *mut c_void,
    MPI_Offset,
    *mut c_void,
) -> c_int;

/// Receives a tool event.
pub type MPI_T_event_cb_function =
    unsafe extern "C-unwind" fn(MPI_T_event_instance, MPI_T_event_registration, MPI_T_cb_safety, *mut c_void);
/// Called when a registration is removed.
pub type MPI_T_event_free_cb_function =
    unsafe extern "C-unwind" fn(MPI_T_event_registration, MPI_T_cb_safety, *mut c_void);
/// Called when tool events were lost.
pub type MPI_T_event_dropped_cb_function =
    unsafe extern "C-unwind" fn(MPI_Count, MPI_T_event_registration, c_int, MPI_T_cb_safety, *mut c_void);
