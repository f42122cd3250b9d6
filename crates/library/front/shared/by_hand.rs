//! Handles and statuses as Fortran has them: functions about their representation, which need no library.

use core::ffi::c_int;

use crate::conversions::{abi, class_from_abi};
use crate::dialect::*;

/// Handles between C and Fortran.
macro_rules! conversions {
    ($($handle:ident: $c2f:ident $f2c:ident;)*) => {$(
        pub(crate) unsafe extern "C-unwind" fn $c2f(handle: $handle) -> c_int {
            handle.to_fortran()
        }

        pub(crate) unsafe extern "C-unwind" fn $f2c(handle: c_int) -> $handle {
            $handle::from_fortran(handle)
        }
    )*};
}

conversions! {
    Comm: MPI_Comm_c2f MPI_Comm_f2c;
    Datatype: MPI_Type_c2f MPI_Type_f2c;
    Errhandler: MPI_Errhandler_c2f MPI_Errhandler_f2c;
    File: MPI_File_c2f MPI_File_f2c;
    Group: MPI_Group_c2f MPI_Group_f2c;
    Info: MPI_Info_c2f MPI_Info_f2c;
    Message: MPI_Message_c2f MPI_Message_f2c;
    Op: MPI_Op_c2f MPI_Op_f2c;
    Request: MPI_Request_c2f MPI_Request_f2c;
    Session: MPI_Session_c2f MPI_Session_f2c;
    Win: MPI_Win_c2f MPI_Win_f2c;
}

/// Statuses, which C, Fortran and Fortran 2008 have in one layout.
macro_rules! status_conversions {
    ($($function:ident)*) => {$(
        pub(crate) unsafe extern "C-unwind" fn $function(from: *const Status, to: *mut Status) -> c_int {
            if from.is_null() || from.addr() == <Status as mpirage_front::Status>::IGNORE || to.is_null() {
                return class_from_abi(abi::MPI_ERR_ARG);
            }
            // SAFETY: the program hands over two statuses.
            unsafe { to.write_unaligned(from.read_unaligned()) };
            0
        }
    )*};
}

status_conversions! {
    MPI_Status_c2f
    MPI_Status_f2c
    MPI_Status_c2f08
    MPI_Status_f082c
    MPI_Status_f2f08
    MPI_Status_f082f
}
