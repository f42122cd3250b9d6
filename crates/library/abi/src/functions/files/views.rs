//! Views and file pointers.

use core::ffi::{c_char, c_int};

use super::{about, barrier, broadcast, metadata, move_pointer, seat};
use crate::constants::*;
use crate::files::descriptor::refused;
use crate::files::view::View;
use crate::frame;
use crate::functions::forms::{argument, both_forms, form};
use crate::ground::arguments::{put, put_string, string};
use crate::ground::error::{MpiError, Result, ensure, fail};
use crate::objects::datatype::{DatatypeKind, Datatypes};
use crate::objects::file::File;
use crate::rank;
use crate::types::*;

pub(crate) unsafe extern "C-unwind" fn MPI_File_set_view(
    fh: MPI_File,
    disp: MPI_Offset,
    etype: MPI_Datatype,
    filetype: MPI_Datatype,
    datarep: *const c_char,
    info: MPI_Info,
) -> c_int {
    frame::outcome_of_file(fh, || {
        // SAFETY: the program hands over a string.
        let name = unsafe { string("datarep", datarep) }?.to_string_lossy().into_owned();
        let displacement = displacement(fh, disp)?;
        let representation = rank::try_with(|objects| {
            objects.infos.hints(info)?;
            objects.files.representation(&name)
        })?;
        let (elementary, whole) = rank::try_with(|objects| {
            let types = &objects.datatypes;
            for (what, handle) in [("etype", etype), ("filetype", filetype)] {
                ensure(handle != MPI_DATATYPE_NULL, MPI_ERR_ARG, || format!("{what} is MPI_DATATYPE_NULL"))?;
            }
            Ok((types.committed(etype)?.clone(), types.committed(filetype)?.clone()))
        })?;
        let in_file =
            (representation.in_file(&elementary, etype)?, representation.in_file(&whole, filetype)?);
        let view = View::new(displacement, &in_file.0, &in_file.1)?;
        if view.overlaps() {
            about(fh, |file| {
                ensure(file.amode & MPI_MODE_RDONLY != 0, MPI_ERR_IO, || {
                    "filetype has bytes of the file twice, but the file is open for writing".to_owned()
                })
            })?;
        }
        let comm = rank::try_with(|objects| {
            let (etype, filetype) =
                (kept(&mut objects.datatypes, etype)?, kept(&mut objects.datatypes, filetype)?);
            let file = objects.files.get_mut(fh)?;
            (file.view, file.etype, file.filetype, file.position) = (view, etype, filetype, 0);
            (file.representation, file.representation_name) = (representation, name);
            Ok(file.comm)
        })?;
        if seat(comm)?.0 == 0 {
            move_pointer(fh, 0, true)?;
        }
        barrier(comm)
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_File_get_view(
    fh: MPI_File,
    disp: *mut MPI_Offset,
    etype: *mut MPI_Datatype,
    filetype: *mut MPI_Datatype,
    datarep: *mut c_char,
) -> c_int {
    frame::outcome_of_file(fh, || {
        let (displacement, types, name) = rank::try_with(|objects| {
            let file = objects.files.get(fh)?;
            let (etype, filetype) = (file.etype, file.filetype);
            let (displacement, name) = (file.view.displacement, file.representation_name.clone());
            let types = &mut objects.datatypes;
            Ok((displacement, (kept(types, etype)?, kept(types, filetype)?), name))
        })?;
        // SAFETY: the program hands over places for all of them, and MPI_MAX_DATAREP_STRING characters.
        unsafe {
            put("disp", disp, displacement as MPI_Offset)?;
            put("etype", etype, types.0)?;
            put("filetype", filetype, types.1)?;
            put_string("datarep", datarep, MPI_MAX_DATAREP_STRING as usize, name.as_bytes()).map(drop)
        }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_File_seek(
    fh: MPI_File,
    offset: MPI_Offset,
    whence: c_int,
) -> c_int {
    frame::outcome_of_file(fh, || {
        about(fh, |file| {
            file.check_random_access()?;
            file.position = target(file, file.position, offset, whence)?;
            Ok(())
        })
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_File_seek_shared(
    fh: MPI_File,
    offset: MPI_Offset,
    whence: c_int,
) -> c_int {
    frame::outcome_of_file(fh, || {
        let comm = about(fh, |file| {
            check_whence(whence)?;
            Ok(file.comm)
        })?;
        // All are there before the pointer moves, and it has moved before any goes on.
        let all = super::gather(comm, offset)?;
        ensure(all.iter().all(|other| *other == offset), MPI_ERR_ARG, || {
            "processes give different offsets".to_owned()
        })?;
        let moved = if seat(comm)?.0 == 0 { seek_shared(fh, offset, whence) } else { Ok(()) };
        let class = super::broadcast(comm, moved.as_ref().err().map_or(0, |error| error.class).into())?;
        moved?;
        ensure(class == 0, class as c_int, || "the shared file pointer cannot go there".to_owned())
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_File_get_position(fh: MPI_File, offset: *mut MPI_Offset) -> c_int {
    frame::outcome_of_file(fh, || {
        let position = about(fh, |file| {
            file.check_random_access()?;
            Ok(file.position)
        })?;
        // SAFETY: the program hands over a place for an offset.
        unsafe { put("offset", offset, position as MPI_Offset) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_File_get_position_shared(
    fh: MPI_File,
    offset: *mut MPI_Offset,
) -> c_int {
    frame::outcome_of_file(fh, || {
        let position = move_pointer(fh, 0, false)?;
        // SAFETY: the program hands over a place for an offset.
        unsafe { put("offset", offset, position as MPI_Offset) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_File_get_byte_offset(
    fh: MPI_File,
    offset: MPI_Offset,
    disp: *mut MPI_Offset,
) -> c_int {
    frame::outcome_of_file(fh, || {
        let position =
            u64::try_from(offset).map_err(|_| MpiError::new(MPI_ERR_ARG, format!("offset is {offset}")))?;
        let place = about(fh, |file| {
            file.check_random_access()?;
            Ok(file.view.offset_of(position.saturating_mul(file.view.unit())))
        })?;
        // SAFETY: the program hands over a place for an offset.
        unsafe { put("disp", disp, place as MPI_Offset) }
    })
}

both_forms! {
    (fh: MPI_File, datatype: MPI_Datatype, extent: AintPlace) {
        frame::outcome_of_file(fh, || {
            let (representation, known) = rank::try_with(|objects| {
                let known = objects.datatypes.get(datatype)?.datatype.clone();
                Ok((objects.files.get(fh)?.representation.clone(), known))
            })?;
            let bytes = representation.in_file(&known, datatype)?.extent();
            put("extent", extent, bytes as _)
        })
    }:
        MPI_File_get_type_extent MPI_File_get_type_extent_c;
}

/// Where a view begins. Only sequential files can keep the place where the shared file pointer is.
fn displacement(fh: MPI_File, disp: MPI_Offset) -> Result<u64> {
    let sequential = about(fh, |file| Ok(file.amode & MPI_MODE_SEQUENTIAL != 0))?;
    match u64::try_from(disp) {
        Ok(_) if sequential => fail!(
            MPI_ERR_UNSUPPORTED_OPERATION,
            "the file is open with MPI_MODE_SEQUENTIAL, so disp must be MPI_DISPLACEMENT_CURRENT"
        ),
        Ok(disp) => Ok(disp),
        Err(_) if disp == MPI_DISPLACEMENT_CURRENT && sequential => {
            let position = shared_position(fh)?;
            about(fh, |file| Ok(file.view.offset_of(position * file.view.unit())))
        }
        Err(_) => fail!(MPI_ERR_ARG, "disp is {disp}"),
    }
}

/// Where the shared file pointer is. The first process asks for all, since it moves the pointer as soon as it has the new view.
fn shared_position(fh: MPI_File) -> Result<u64> {
    let comm = about(fh, |file| Ok(file.comm))?;
    let position = if seat(comm)?.0 == 0 { move_pointer(fh, 0, false)? } else { 0 };
    Ok(broadcast(comm, position as i64)? as u64)
}

/// A datatype that stays although the program frees its handle: another one of the same, unless it is predefined.
fn kept(types: &mut Datatypes, handle: MPI_Datatype) -> Result<MPI_Datatype> {
    let object = types.get(handle)?.clone();
    Ok(if object.kind == DatatypeKind::Derived { types.keep(object) } else { handle })
}

/// Where a file pointer goes, in etypes.
fn target(file: &File, position: u64, offset: MPI_Offset, whence: c_int) -> Result<u64> {
    check_whence(whence)?;
    let from = match whence {
        MPI_SEEK_CUR => position,
        MPI_SEEK_END => end_of(file)?,
        _ => 0,
    };
    match (from as i64).checked_add(offset) {
        Some(place) if place >= 0 => Ok(place as u64),
        _ => fail!(MPI_ERR_ARG, "offset is {offset}, in front of the beginning of the view"),
    }
}

fn check_whence(whence: c_int) -> Result<()> {
    ensure([MPI_SEEK_SET, MPI_SEEK_CUR, MPI_SEEK_END].contains(&whence), MPI_ERR_ARG, || {
        format!("whence is {whence}")
    })
}

/// The first etype behind the end of the file.
fn end_of(file: &File) -> Result<u64> {
    let size =
        file.descriptor.size().map_err(|error| refused("cannot find the end of", &file.path, &error))?;
    Ok(file.view.stream_before(size).div_ceil(file.view.unit()))
}

fn seek_shared(fh: MPI_File, offset: MPI_Offset, whence: c_int) -> Result<()> {
    let now = if whence == MPI_SEEK_CUR { move_pointer(fh, 0, false)? } else { 0 };
    if whence == MPI_SEEK_END {
        metadata(fh)?;
    }
    let place = about(fh, |file| target(file, now, offset, whence))?;
    move_pointer(fh, place, true).map(drop)
}
