//! Handles as integers and as Fortran has them, statuses as Fortran has them (section 19.3 of the standard).
//!
//! Handles are small numbers already, so every conversion keeps the number. A C status is eight ints, and so is Fortran's.

use crate::arguments::not_null;
use crate::constants::MPI_F_STATUS_SIZE;
use crate::frame::outcome_at_any_time as outcome;
use crate::types::*;
use core::ffi::c_int;

const _: () = assert!(size_of::<MPI_Status>() == MPI_F_STATUS_SIZE as usize * size_of::<MPI_Fint>());

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_c2f(comm: MPI_Comm) -> MPI_Fint {
    comm.0 as MPI_Fint
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_f2c(comm: MPI_Fint) -> MPI_Comm {
    MPI_Comm(comm as usize)
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_toint(comm: MPI_Comm) -> c_int {
    comm.0 as c_int
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_fromint(comm: c_int) -> MPI_Comm {
    MPI_Comm(comm as usize)
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_c2f(datatype: MPI_Datatype) -> MPI_Fint {
    datatype.0 as MPI_Fint
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_f2c(datatype: MPI_Fint) -> MPI_Datatype {
    MPI_Datatype(datatype as usize)
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_toint(datatype: MPI_Datatype) -> c_int {
    datatype.0 as c_int
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_fromint(datatype: c_int) -> MPI_Datatype {
    MPI_Datatype(datatype as usize)
}

pub(crate) unsafe extern "C-unwind" fn MPI_Errhandler_c2f(errhandler: MPI_Errhandler) -> MPI_Fint {
    errhandler.0 as MPI_Fint
}

pub(crate) unsafe extern "C-unwind" fn MPI_Errhandler_f2c(errhandler: MPI_Fint) -> MPI_Errhandler {
    MPI_Errhandler(errhandler as usize)
}

pub(crate) unsafe extern "C-unwind" fn MPI_Errhandler_toint(errhandler: MPI_Errhandler) -> c_int {
    errhandler.0 as c_int
}

pub(crate) unsafe extern "C-unwind" fn MPI_Errhandler_fromint(errhandler: c_int) -> MPI_Errhandler {
    MPI_Errhandler(errhandler as usize)
}

pub(crate) unsafe extern "C-unwind" fn MPI_File_c2f(file: MPI_File) -> MPI_Fint {
    file.0 as MPI_Fint
}

pub(crate) unsafe extern "C-unwind" fn MPI_File_f2c(file: MPI_Fint) -> MPI_File {
    MPI_File(file as usize)
}

pub(crate) unsafe extern "C-unwind" fn MPI_File_toint(file: MPI_File) -> c_int {
    file.0 as c_int
}

pub(crate) unsafe extern "C-unwind" fn MPI_File_fromint(file: c_int) -> MPI_File {
    MPI_File(file as usize)
}

pub(crate) unsafe extern "C-unwind" fn MPI_Group_c2f(group: MPI_Group) -> MPI_Fint {
    group.0 as MPI_Fint
}

pub(crate) unsafe extern "C-unwind" fn MPI_Group_f2c(group: MPI_Fint) -> MPI_Group {
    MPI_Group(group as usize)
}

pub(crate) unsafe extern "C-unwind" fn MPI_Group_toint(group: MPI_Group) -> c_int {
    group.0 as c_int
}

pub(crate) unsafe extern "C-unwind" fn MPI_Group_fromint(group: c_int) -> MPI_Group {
    MPI_Group(group as usize)
}

pub(crate) unsafe extern "C-unwind" fn MPI_Info_c2f(info: MPI_Info) -> MPI_Fint {
    info.0 as MPI_Fint
}

pub(crate) unsafe extern "C-unwind" fn MPI_Info_f2c(info: MPI_Fint) -> MPI_Info {
    MPI_Info(info as usize)
}

pub(crate) unsafe extern "C-unwind" fn MPI_Info_toint(info: MPI_Info) -> c_int {
    info.0 as c_int
}

pub(crate) unsafe extern "C-unwind" fn MPI_Info_fromint(info: c_int) -> MPI_Info {
    MPI_Info(info as usize)
}

pub(crate) unsafe extern "C-unwind" fn MPI_Message_c2f(message: MPI_Message) -> MPI_Fint {
    message.0 as MPI_Fint
}

pub(crate) unsafe extern "C-unwind" fn MPI_Message_f2c(message: MPI_Fint) -> MPI_Message {
    MPI_Message(message as usize)
}

pub(crate) unsafe extern "C-unwind" fn MPI_Message_toint(message: MPI_Message) -> c_int {
    message.0 as c_int
}

pub(crate) unsafe extern "C-unwind" fn MPI_Message_fromint(message: c_int) -> MPI_Message {
    MPI_Message(message as usize)
}

pub(crate) unsafe extern "C-unwind" fn MPI_Op_c2f(op: MPI_Op) -> MPI_Fint {
    op.0 as MPI_Fint
}

pub(crate) unsafe extern "C-unwind" fn MPI_Op_f2c(op: MPI_Fint) -> MPI_Op {
    MPI_Op(op as usize)
}

pub(crate) unsafe extern "C-unwind" fn MPI_Op_toint(op: MPI_Op) -> c_int {
    op.0 as c_int
}

pub(crate) unsafe extern "C-unwind" fn MPI_Op_fromint(op: c_int) -> MPI_Op {
    MPI_Op(op as usize)
}

pub(crate) unsafe extern "C-unwind" fn MPI_Request_c2f(request: MPI_Request) -> MPI_Fint {
    request.0 as MPI_Fint
}

pub(crate) unsafe extern "C-unwind" fn MPI_Request_f2c(request: MPI_Fint) -> MPI_Request {
    MPI_Request(request as usize)
}

pub(crate) unsafe extern "C-unwind" fn MPI_Request_toint(request: MPI_Request) -> c_int {
    request.0 as c_int
}

pub(crate) unsafe extern "C-unwind" fn MPI_Request_fromint(request: c_int) -> MPI_Request {
    MPI_Request(request as usize)
}

pub(crate) unsafe extern "C-unwind" fn MPI_Session_c2f(session: MPI_Session) -> MPI_Fint {
    session.0 as MPI_Fint
}

pub(crate) unsafe extern "C-unwind" fn MPI_Session_f2c(session: MPI_Fint) -> MPI_Session {
    MPI_Session(session as usize)
}

pub(crate) unsafe extern "C-unwind" fn MPI_Session_toint(session: MPI_Session) -> c_int {
    session.0 as c_int
}

pub(crate) unsafe extern "C-unwind" fn MPI_Session_fromint(session: c_int) -> MPI_Session {
    MPI_Session(session as usize)
}

pub(crate) unsafe extern "C-unwind" fn MPI_Win_c2f(win: MPI_Win) -> MPI_Fint {
    win.0 as MPI_Fint
}

pub(crate) unsafe extern "C-unwind" fn MPI_Win_f2c(win: MPI_Fint) -> MPI_Win {
    MPI_Win(win as usize)
}

pub(crate) unsafe extern "C-unwind" fn MPI_Win_toint(win: MPI_Win) -> c_int {
    win.0 as c_int
}

pub(crate) unsafe extern "C-unwind" fn MPI_Win_fromint(win: c_int) -> MPI_Win {
    MPI_Win(win as usize)
}

pub(crate) unsafe extern "C-unwind" fn MPI_Status_c2f(
    c_status: *const MPI_Status,
    f_status: *mut MPI_Fint,
) -> c_int {
    // SAFETY: the program hands over two statuses.
    unsafe { copy(c_status.cast(), f_status.cast()) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Status_f2c(
    f_status: *const MPI_Fint,
    c_status: *mut MPI_Status,
) -> c_int {
    // SAFETY: the program hands over two statuses.
    unsafe { copy(f_status.cast(), c_status.cast()) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Status_c2f08(
    c_status: *const MPI_Status,
    f08_status: *mut MPI_F08_status,
) -> c_int {
    // SAFETY: the program hands over two statuses.
    unsafe { copy(c_status.cast(), f08_status.cast()) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Status_f082c(
    f08_status: *const MPI_F08_status,
    c_status: *mut MPI_Status,
) -> c_int {
    // SAFETY: the program hands over two statuses.
    unsafe { copy(f08_status.cast(), c_status.cast()) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Status_f2f08(
    f_status: *const MPI_Fint,
    f08_status: *mut MPI_F08_status,
) -> c_int {
    // SAFETY: the program hands over two statuses.
    unsafe { copy(f_status.cast(), f08_status.cast()) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Status_f082f(
    f08_status: *const MPI_F08_status,
    f_status: *mut MPI_Fint,
) -> c_int {
    // SAFETY: the program hands over two statuses.
    unsafe { copy(f08_status.cast(), f_status.cast()) }
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
