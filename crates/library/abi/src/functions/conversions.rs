//! Handles as integers and as Fortran has them, statuses as Fortran has them (section 19.3 of the standard).
//!
//! Handles are small numbers already, so every conversion keeps the number. A C status is eight ints, and so is Fortran's.

use crate::constants::MPI_F_STATUS_SIZE;
use crate::frame::outcome_at_any_time as outcome;
use crate::ground::arguments::not_null;
use crate::types::*;
use core::ffi::c_int;

const _: () = assert!(size_of::<MPI_Status>() == MPI_F_STATUS_SIZE as usize * size_of::<MPI_Fint>());

/// The conversions of one kind of handle.
macro_rules! conversions {
    ($($handle:ident: $c2f:ident $f2c:ident $toint:ident $fromint:ident;)*) => {$(
        pub(crate) unsafe extern "C-unwind" fn $c2f(handle: $handle) -> MPI_Fint {
            handle.0 as MPI_Fint
        }

        pub(crate) unsafe extern "C-unwind" fn $f2c(handle: MPI_Fint) -> $handle {
            $handle(handle as usize)
        }

        pub(crate) unsafe extern "C-unwind" fn $toint(handle: $handle) -> c_int {
            handle.0 as c_int
        }

        pub(crate) unsafe extern "C-unwind" fn $fromint(handle: c_int) -> $handle {
            $handle(handle as usize)
        }
    )*};
}

conversions! {
    MPI_Comm:
        MPI_Comm_c2f MPI_Comm_f2c MPI_Comm_toint MPI_Comm_fromint;
    MPI_Datatype:
        MPI_Type_c2f MPI_Type_f2c MPI_Type_toint MPI_Type_fromint;
    MPI_Errhandler:
        MPI_Errhandler_c2f MPI_Errhandler_f2c MPI_Errhandler_toint MPI_Errhandler_fromint;
    MPI_File:
        MPI_File_c2f MPI_File_f2c MPI_File_toint MPI_File_fromint;
    MPI_Group:
        MPI_Group_c2f MPI_Group_f2c MPI_Group_toint MPI_Group_fromint;
    MPI_Info:
        MPI_Info_c2f MPI_Info_f2c MPI_Info_toint MPI_Info_fromint;
    MPI_Message:
        MPI_Message_c2f MPI_Message_f2c MPI_Message_toint MPI_Message_fromint;
    MPI_Op:
        MPI_Op_c2f MPI_Op_f2c MPI_Op_toint MPI_Op_fromint;
    MPI_Request:
        MPI_Request_c2f MPI_Request_f2c MPI_Request_toint MPI_Request_fromint;
    MPI_Session:
        MPI_Session_c2f MPI_Session_f2c MPI_Session_toint MPI_Session_fromint;
    MPI_Win:
        MPI_Win_c2f MPI_Win_f2c MPI_Win_toint MPI_Win_fromint;
}

/// The conversions of statuses.
macro_rules! status_conversions {
    ($($from:ident $to:ident: $function:ident;)*) => {$(
        pub(crate) unsafe extern "C-unwind" fn $function(from: *const $from, to: *mut $to) -> c_int {
            // SAFETY: the program hands over two statuses.
            unsafe { copy(from.cast(), to.cast()) }
        }
    )*};
}

status_conversions! {
    MPI_Status MPI_Fint:
        MPI_Status_c2f;
    MPI_Fint MPI_Status:
        MPI_Status_f2c;
    MPI_Status MPI_F08_status:
        MPI_Status_c2f08;
    MPI_F08_status MPI_Status:
        MPI_Status_f082c;
    MPI_Fint MPI_F08_status:
        MPI_Status_f2f08;
    MPI_F08_status MPI_Fint:
        MPI_Status_f082f;
}

/// # Safety
/// Unless null, both are statuses.
unsafe fn copy(from: *const MPI_Status, to: *mut MPI_Status) -> c_int {
    outcome(|| {
        not_null("the status to convert (MPI_STATUS_IGNORE cannot be)", from)?;
        not_null("the converted status", to)?;
        // SAFETY: not null, and the caller vouches for the rest.
        unsafe { to.write_unaligned(from.read_unaligned()) };
        Ok(())
    })
}
