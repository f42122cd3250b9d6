//! Split collective accesses: a beginning and an end.

use core::ffi::{c_int, c_void};

use super::about;
use super::access::{At, Mode, READ_ALL, WRITE_ALL, start};
use crate::constants::*;
use crate::frame;
use crate::functions::forms::{argument, both_forms, form};
use crate::ground::arguments::Number;
use crate::ground::error::{Result, ensure, fail};
use crate::ground::status;
use crate::objects::file::{Split, SplitKind};
use crate::operations::completion;
use crate::types::*;

both_forms! {
    (fh: MPI_File, buf: Buffer, count: Count, datatype: MPI_Datatype) {
        begin(fh, SplitKind::ReadAll, At::Individual, READ_ALL, (buf.cast_const(), count, datatype))
    }:
        MPI_File_read_all_begin MPI_File_read_all_begin_c;
    (fh: MPI_File, offset: MPI_Offset, buf: Buffer, count: Count, datatype: MPI_Datatype) {
        begin(fh, SplitKind::ReadAtAll, At::Offset(offset), READ_ALL, (buf.cast_const(), count, datatype))
    }:
        MPI_File_read_at_all_begin MPI_File_read_at_all_begin_c;
    (fh: MPI_File, buf: Buffer, count: Count, datatype: MPI_Datatype) {
        begin(fh, SplitKind::ReadOrdered, At::Ordered, READ_ALL, (buf.cast_const(), count, datatype))
    }:
        MPI_File_read_ordered_begin MPI_File_read_ordered_begin_c;
    (fh: MPI_File, buf: ConstBuffer, count: Count, datatype: MPI_Datatype) {
        begin(fh, SplitKind::WriteAll, At::Individual, WRITE_ALL, (buf, count, datatype))
    }:
        MPI_File_write_all_begin MPI_File_write_all_begin_c;
    (fh: MPI_File, offset: MPI_Offset, buf: ConstBuffer, count: Count, datatype: MPI_Datatype) {
        begin(fh, SplitKind::WriteAtAll, At::Offset(offset), WRITE_ALL, (buf, count, datatype))
    }:
        MPI_File_write_at_all_begin MPI_File_write_at_all_begin_c;
    (fh: MPI_File, buf: ConstBuffer, count: Count, datatype: MPI_Datatype) {
        begin(fh, SplitKind::WriteOrdered, At::Ordered, WRITE_ALL, (buf, count, datatype))
    }:
        MPI_File_write_ordered_begin MPI_File_write_ordered_begin_c;
}

pub(crate) unsafe extern "C-unwind" fn MPI_File_read_all_end(
    fh: MPI_File,
    _buf: *mut c_void,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: the program hands over a place for a status if it wants one.
    unsafe { end(fh, SplitKind::ReadAll, status) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_File_read_at_all_end(
    fh: MPI_File,
    _buf: *mut c_void,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: as above.
    unsafe { end(fh, SplitKind::ReadAtAll, status) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_File_read_ordered_end(
    fh: MPI_File,
    _buf: *mut c_void,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: as above.
    unsafe { end(fh, SplitKind::ReadOrdered, status) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_File_write_all_end(
    fh: MPI_File,
    _buf: *const c_void,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: as above.
    unsafe { end(fh, SplitKind::WriteAll, status) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_File_write_at_all_end(
    fh: MPI_File,
    _buf: *const c_void,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: as above.
    unsafe { end(fh, SplitKind::WriteAtAll, status) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_File_write_ordered_end(
    fh: MPI_File,
    _buf: *const c_void,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: as above.
    unsafe { end(fh, SplitKind::WriteOrdered, status) }
}

fn begin<N: Number>(
    fh: MPI_File,
    kind: SplitKind,
    at: At,
    mode: Mode,
    data: (*const c_void, N, MPI_Datatype),
) -> c_int {
    frame::outcome_of_file(fh, || {
        about(fh, |file| {
            ensure(file.split.is_none(), MPI_ERR_IO, || {
                "another split collective access has begun and not ended".to_owned()
            })
        })?;
        let request = start(fh, at, mode, data)?;
        about(fh, |file| {
            file.split = Some(Split { kind, request });
            Ok(())
        })
    })
}

/// # Safety
/// `status` is null or a place for a status.
unsafe fn end(fh: MPI_File, kind: SplitKind, status: *mut MPI_Status) -> c_int {
    frame::outcome_of_file(fh, || {
        let request = about(fh, |file| take(&mut file.split, kind))?;
        let completion = completion::wait_for(request)?;
        // SAFETY: the caller vouches for it.
        unsafe { status::store(status, &completion) };
        Ok(())
    })
}

fn take(split: &mut Option<Split>, kind: SplitKind) -> Result<MPI_Request> {
    match *split {
        None => fail!(MPI_ERR_IO, "no split collective access has begun"),
        Some(begun) if begun.kind != kind => {
            fail!(MPI_ERR_IO, "the split collective access that has begun is {:?}, not {kind:?}", begun.kind)
        }
        Some(begun) => {
            *split = None;
            Ok(begun.request)
        }
    }
}
