//! Reading and writing: with explicit offsets, at the individual and at the shared file pointer; blocking and not, alone and
//! together.

use core::ffi::{c_int, c_void};

use mpirage_call::Completion;

use super::{about, broadcast, gather, move_pointer, seat};
use crate::constants::*;
use crate::files::access::FileAccess;
use crate::files::representation::Elements;
use crate::frame;
use crate::functions::forms::{argument, both_forms, form};
use crate::ground::arguments::{Number, not_null, put};
use crate::ground::error::{MpiError, Result, ensure};
use crate::ground::status;
use crate::operations::operation::{Operation, Step};
use crate::operations::perform;
use crate::operations::region::Region;
use crate::rank;
use crate::types::*;

/// Where an access begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// At this etype of the view.
    Offset(MPI_Offset),
    /// At the individual file pointer.
    Individual,
    /// At the shared file pointer.
    Shared,
    /// At the shared file pointer, one process after the other.
    Ordered,
}

/// The direction of an access, and whether it is collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mode {
    pub write: bool,
    pub collective: bool,
}

const READ: Mode = Mode { write: false, collective: false };
const WRITE: Mode = Mode { write: true, collective: false };
pub(super) const READ_ALL: Mode = Mode { write: false, collective: true };
pub(super) const WRITE_ALL: Mode = Mode { write: true, collective: true };

both_forms! {
    (fh: MPI_File, offset: MPI_Offset, buf: Buffer, count: Count, datatype: MPI_Datatype, status: StatusPlace) {
        run(fh, At::Offset(offset), READ, (buf, count, datatype), status)
    }:
        MPI_File_read_at MPI_File_read_at_c;
    (fh: MPI_File, offset: MPI_Offset, buf: Buffer, count: Count, datatype: MPI_Datatype, status: StatusPlace) {
        run(fh, At::Offset(offset), READ_ALL, (buf, count, datatype), status)
    }:
        MPI_File_read_at_all MPI_File_read_at_all_c;
    (fh: MPI_File, offset: MPI_Offset, buf: ConstBuffer, count: Count, datatype: MPI_Datatype, status: StatusPlace) {
        run(fh, At::Offset(offset), WRITE, (buf, count, datatype), status)
    }:
        MPI_File_write_at MPI_File_write_at_c;
    (fh: MPI_File, offset: MPI_Offset, buf: ConstBuffer, count: Count, datatype: MPI_Datatype, status: StatusPlace) {
        run(fh, At::Offset(offset), WRITE_ALL, (buf, count, datatype), status)
    }:
        MPI_File_write_at_all MPI_File_write_at_all_c;
    (fh: MPI_File, buf: Buffer, count: Count, datatype: MPI_Datatype, status: StatusPlace) {
        run(fh, At::Individual, READ, (buf, count, datatype), status)
    }:
        MPI_File_read MPI_File_read_c;
    (fh: MPI_File, buf: Buffer, count: Count, datatype: MPI_Datatype, status: StatusPlace) {
        run(fh, At::Individual, READ_ALL, (buf, count, datatype), status)
    }:
        MPI_File_read_all MPI_File_read_all_c;
    (fh: MPI_File, buf: ConstBuffer, count: Count, datatype: MPI_Datatype, status: StatusPlace) {
        run(fh, At::Individual, WRITE, (buf, count, datatype), status)
    }:
        MPI_File_write MPI_File_write_c;
    (fh: MPI_File, buf: ConstBuffer, count: Count, datatype: MPI_Datatype, status: StatusPlace) {
        run(fh, At::Individual, WRITE_ALL, (buf, count, datatype), status)
    }:
        MPI_File_write_all MPI_File_write_all_c;
    (fh: MPI_File, buf: Buffer, count: Count, datatype: MPI_Datatype, status: StatusPlace) {
        run(fh, At::Shared, READ, (buf, count, datatype), status)
    }:
        MPI_File_read_shared MPI_File_read_shared_c;
    (fh: MPI_File, buf: ConstBuffer, count: Count, datatype: MPI_Datatype, status: StatusPlace) {
        run(fh, At::Shared, WRITE, (buf, count, datatype), status)
    }:
        MPI_File_write_shared MPI_File_write_shared_c;
    (fh: MPI_File, buf: Buffer, count: Count, datatype: MPI_Datatype, status: StatusPlace) {
        run(fh, At::Ordered, READ_ALL, (buf, count, datatype), status)
    }:
        MPI_File_read_ordered MPI_File_read_ordered_c;
    (fh: MPI_File, buf: ConstBuffer, count: Count, datatype: MPI_Datatype, status: StatusPlace) {
        run(fh, At::Ordered, WRITE_ALL, (buf, count, datatype), status)
    }:
        MPI_File_write_ordered MPI_File_write_ordered_c;
    (fh: MPI_File, offset: MPI_Offset, buf: Buffer, count: Count, datatype: MPI_Datatype, request: RequestPlace) {
        begin(fh, At::Offset(offset), READ, (buf, count, datatype), request)
    }:
        MPI_File_iread_at MPI_File_iread_at_c;
    (fh: MPI_File, offset: MPI_Offset, buf: Buffer, count: Count, datatype: MPI_Datatype, request: RequestPlace) {
        begin(fh, At::Offset(offset), READ_ALL, (buf, count, datatype), request)
    }:
        MPI_File_iread_at_all MPI_File_iread_at_all_c;
    (fh: MPI_File, offset: MPI_Offset, buf: ConstBuffer, count: Count, datatype: MPI_Datatype, request: RequestPlace) {
        begin(fh, At::Offset(offset), WRITE, (buf, count, datatype), request)
    }:
        MPI_File_iwrite_at MPI_File_iwrite_at_c;
    (fh: MPI_File, offset: MPI_Offset, buf: ConstBuffer, count: Count, datatype: MPI_Datatype, request: RequestPlace) {
        begin(fh, At::Offset(offset), WRITE_ALL, (buf, count, datatype), request)
    }:
        MPI_File_iwrite_at_all MPI_File_iwrite_at_all_c;
    (fh: MPI_File, buf: Buffer, count: Count, datatype: MPI_Datatype, request: RequestPlace) {
        begin(fh, At::Individual, READ, (buf, count, datatype), request)
    }:
        MPI_File_iread MPI_File_iread_c;
    (fh: MPI_File, buf: Buffer, count: Count, datatype: MPI_Datatype, request: RequestPlace) {
        begin(fh, At::Individual, READ_ALL, (buf, count, datatype), request)
    }:
        MPI_File_iread_all MPI_File_iread_all_c;
    (fh: MPI_File, buf: ConstBuffer, count: Count, datatype: MPI_Datatype, request: RequestPlace) {
        begin(fh, At::Individual, WRITE, (buf, count, datatype), request)
    }:
        MPI_File_iwrite MPI_File_iwrite_c;
    (fh: MPI_File, buf: ConstBuffer, count: Count, datatype: MPI_Datatype, request: RequestPlace) {
        begin(fh, At::Individual, WRITE_ALL, (buf, count, datatype), request)
    }:
        MPI_File_iwrite_all MPI_File_iwrite_all_c;
    (fh: MPI_File, buf: Buffer, count: Count, datatype: MPI_Datatype, request: RequestPlace) {
        begin(fh, At::Shared, READ, (buf, count, datatype), request)
    }:
        MPI_File_iread_shared MPI_File_iread_shared_c;
    (fh: MPI_File, buf: ConstBuffer, count: Count, datatype: MPI_Datatype, request: RequestPlace) {
        begin(fh, At::Shared, WRITE, (buf, count, datatype), request)
    }:
        MPI_File_iwrite_shared MPI_File_iwrite_shared_c;
}

/// Buffer, count and datatype, as the program gives them.
pub(super) type Data<N> = (*const c_void, N, MPI_Datatype);

/// A blocking access.
///
/// # Safety
/// `status` is null or a place for a status.
unsafe fn run<N: Number>(
    fh: MPI_File,
    at: At,
    mode: Mode,
    (buf, count, datatype): (impl Address, N, MPI_Datatype),
    status: *mut MPI_Status,
) -> c_int {
    frame::outcome_of_file(fh, || {
        let access = prepare(fh, at, mode, (buf.address(), count, datatype))?;
        rank::ask(&access.call(None));
        let bytes = access.carry_out()?;
        if at == At::Individual && !mode.write {
            move_behind(fh, &access, bytes)?;
        }
        // SAFETY: the caller vouches for it.
        unsafe { status::store(status, &Completion { bytes, ..Completion::empty(0) }) };
        Ok(())
    })
}

/// An access that a request completes.
///
/// # Safety
/// `request` is null or a place for a request.
unsafe fn begin<N: Number>(
    fh: MPI_File,
    at: At,
    mode: Mode,
    (buf, count, datatype): (impl Address, N, MPI_Datatype),
    request: *mut MPI_Request,
) -> c_int {
    frame::outcome_of_file(fh, || {
        not_null("request", request)?;
        let begun = start(fh, at, mode, (buf.address(), count, datatype))?;
        // SAFETY: not null, and the caller vouches for the rest.
        unsafe { put("request", request, begun) }
    })
}

/// Starts an access.
pub(super) fn start<N: Number>(fh: MPI_File, at: At, mode: Mode, data: Data<N>) -> Result<MPI_Request> {
    let access = prepare(fh, at, mode, data)?;
    let comm = about(fh, |file| Ok(file.comm))?;
    Ok(perform::begin(Operation::one(comm, Step::File(Box::new(access)))))
}

/// An address, which C calls constant or not.
trait Address {
    fn address(self) -> *const c_void;
}

impl Address for *mut c_void {
    fn address(self) -> *const c_void {
        self.cast_const()
    }
}

impl Address for *const c_void {
    fn address(self) -> *const c_void {
        self
    }
}

/// An access with its arguments checked; file pointers move.
fn prepare<N: Number>(
    fh: MPI_File,
    at: At,
    mode: Mode,
    (buf, count, datatype): Data<N>,
) -> Result<FileAccess> {
    let mut access = rank::try_with(|objects| {
        let file = objects.files.get(fh)?;
        if mode.write { file.check_writable() } else { file.check_readable() }?;
        if !matches!(at, At::Shared | At::Ordered) {
            file.check_random_access()?;
        }
        let region = Region::of_arguments(&objects.datatypes, "buf", buf, count, datatype)?;
        Ok(FileAccess {
            file: file.context,
            path: file.path.clone(),
            descriptor: file.descriptor.clone(),
            view: file.view.clone(),
            representation: file.representation.clone(),
            position: 0,
            write: mode.write,
            collective: mode.collective,
            elements: Elements { region, handle: datatype },
            bytes: 0,
        })
    })?;
    access.bytes = access.representation.bytes_of(&access.elements)?;
    let (bytes, unit) = (access.bytes, access.view.unit());
    ensure(bytes.is_multiple_of(unit), MPI_ERR_IO, || {
        format!("{bytes} bytes of the file are no whole number of etypes of {unit} bytes")
    })?;
    let etype = place(fh, at, bytes / unit)?;
    access.position = etype.checked_mul(unit).ok_or_else(|| too_far(etype))?;
    Ok(access)
}

fn too_far(etype: u64) -> MpiError {
    MpiError::new(MPI_ERR_ARG, format!("the access begins at etype {etype}, beyond the end of any file"))
}

/// The etype of the view at which an access of so many begins. File pointers move behind it.
fn place(fh: MPI_File, at: At, etypes: u64) -> Result<u64> {
    match at {
        At::Offset(offset) => {
            u64::try_from(offset).map_err(|_| MpiError::new(MPI_ERR_ARG, format!("offset is {offset}")))
        }
        At::Individual => about(fh, |file| {
            let position = file.position;
            file.position += etypes;
            Ok(position)
        }),
        At::Shared => move_pointer(fh, etypes, false),
        At::Ordered => {
            let comm = about(fh, |file| Ok(file.comm))?;
            let (me, all) = (seat(comm)?.0, gather(comm, etypes as i64)?);
            let mine = if me == 0 { move_pointer(fh, all.iter().sum::<i64>() as u64, false)? } else { 0 };
            let before: i64 = all[..me].iter().sum();
            Ok((broadcast(comm, mine as i64)? + before) as u64)
        }
    }
}

/// The individual file pointer stands behind what was read, which is less at the end of a file.
fn move_behind(fh: MPI_File, access: &FileAccess, bytes: u64) -> Result<()> {
    if bytes == access.elements.region.bytes() as u64 {
        return Ok(());
    }
    let unit = access.view.unit();
    let wanted = access.elements.region.bytes().max(1) as u64;
    let in_file = access.bytes * bytes / wanted;
    about(fh, |file| {
        file.position = (access.position + in_file).div_ceil(unit);
        Ok(())
    })
}
