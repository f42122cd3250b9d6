//! Opening, closing and deleting files.

use core::ffi::{c_char, c_int};
use std::path::{Path, PathBuf};

use mpirage_call::{Call, ContextId, FileHints, TwoPhase};

use super::{about, barrier, broadcast, gather, move_pointer, seat};
use crate::constants::*;
use crate::files::descriptor::{Descriptor, Opening, path_of, refused};
use crate::files::representation::Representation;
use crate::files::view::View;
use crate::frame;
use crate::functions::{communicators, windows};
use crate::ground::arguments::{not_null, put, string};
use crate::ground::error::{MpiError, Result, ensure, fail};
use crate::objects::file::File;
use crate::objects::info::Info;
use crate::rank;
use crate::types::*;

pub(crate) unsafe extern "C-unwind" fn MPI_File_open(
    comm: MPI_Comm,
    filename: *const c_char,
    amode: c_int,
    info: MPI_Info,
    fh: *mut MPI_File,
) -> c_int {
    frame::outcome_of_file(MPI_FILE_NULL, || {
        not_null("fh", fh)?;
        // SAFETY: the program hands over a string.
        let path = path_of(unsafe { string("filename", filename) }?);
        check_amode(amode)?;
        let hints = rank::try_with(|objects| objects.infos.hints(info))?;
        let opened = open(comm, path, amode, hints)?;
        // SAFETY: not null, and the program hands over a place for a file.
        unsafe { put("fh", fh, opened) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_File_close(fh: *mut MPI_File) -> c_int {
    // SAFETY: the program hands over a file.
    let handle = unsafe { fh.as_ref() }.copied().unwrap_or(MPI_FILE_NULL);
    frame::outcome_of_file(handle, || {
        not_null("fh", fh)?;
        close(handle)?;
        // SAFETY: not null, and the program hands over a place for a file.
        unsafe { put("fh", fh, MPI_FILE_NULL) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_File_delete(filename: *const c_char, info: MPI_Info) -> c_int {
    frame::outcome_of_file(MPI_FILE_NULL, || {
        rank::try_with(|objects| objects.infos.hints(info).map(drop))?;
        // SAFETY: the program hands over a string.
        delete(&path_of(unsafe { string("filename", filename) }?))
    })
}

/// Deletes the file that is at a path when the file system gets to it.
fn delete(path: &Path) -> Result<()> {
    rank::ask(&Call::FileDelete { path: &path.to_string_lossy() });
    std::fs::remove_file(path).map_err(|error| refused("cannot delete", path, &error))
}

fn check_amode(amode: c_int) -> Result<()> {
    let has = |mode| amode & mode != 0;
    let ways = [MPI_MODE_RDONLY, MPI_MODE_WRONLY, MPI_MODE_RDWR].iter().filter(|&&mode| has(mode)).count();
    if ways != 1 {
        fail!(MPI_ERR_AMODE, "amode has {ways} of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR");
    }
    if has(MPI_MODE_RDONLY) && has(MPI_MODE_CREATE | MPI_MODE_EXCL) {
        fail!(MPI_ERR_AMODE, "amode has MPI_MODE_RDONLY and MPI_MODE_CREATE or MPI_MODE_EXCL");
    }
    if has(MPI_MODE_RDWR) && has(MPI_MODE_SEQUENTIAL) {
        fail!(MPI_ERR_AMODE, "amode has MPI_MODE_RDWR and MPI_MODE_SEQUENTIAL");
    }
    let known = MPI_MODE_APPEND
        | MPI_MODE_CREATE
        | MPI_MODE_DELETE_ON_CLOSE
        | MPI_MODE_EXCL
        | MPI_MODE_RDONLY
        | MPI_MODE_RDWR
        | MPI_MODE_SEQUENTIAL
        | MPI_MODE_UNIQUE_OPEN
        | MPI_MODE_WRONLY;
    ensure(amode & !known == 0, MPI_ERR_AMODE, || format!("amode has unknown bits: {amode:#x}"))
}

/// Opens a file. All processes of `comm` do.
fn open(comm: MPI_Comm, path: PathBuf, amode: c_int, hints: Info) -> Result<MPI_File> {
    let made = windows::create::make_comm(comm)?;
    let context = rank::try_with(|objects| {
        let comm = objects.comms.get_mut(made)?;
        comm.errhandler = MPI_ERRORS_RETURN;
        Ok(comm.context)
    })?;
    match open_together(made, context, &path, amode, &hints) {
        Ok(descriptor) => finish(made, context, descriptor, path, amode, hints),
        Err(error) => {
            communicators::free(made)?;
            Err(error)
        }
    }
}

/// The first process creates the file if need be; then the others open it. All succeed or none.
fn open_together(
    comm: MPI_Comm,
    file: ContextId,
    path: &Path,
    amode: c_int,
    hints: &Info,
) -> Result<Descriptor> {
    if gather(comm, amode.into())?.iter().any(|other| *other != amode.into()) {
        fail!(MPI_ERR_NOT_SAME, "processes open the file with different amodes");
    }
    let has = |mode| amode & mode != 0;
    let first = seat(comm)?.0 == 0;
    let how = Opening {
        read: !has(MPI_MODE_WRONLY),
        write: !has(MPI_MODE_RDONLY),
        create: first && has(MPI_MODE_CREATE),
        exclusive: first && has(MPI_MODE_EXCL) && has(MPI_MODE_CREATE),
    };
    let attempt = || {
        rank::ask(&Call::FileOpen { file, path: &path.to_string_lossy(), hints: hints_of(hints) });
        Descriptor::open(path, how).map_err(|error| refused("cannot open", path, &error))
    };
    let mut opened = if first { attempt() } else { Err(MpiError::new(MPI_ERR_OTHER, "not tried")) };
    let class = |result: &Result<Descriptor>| result.as_ref().err().map_or(0, |error| error.class);
    let of_first = broadcast(comm, class(&opened).into())?;
    if of_first != 0 {
        return match first {
            true => opened,
            false => fail!(of_first as c_int, "cannot open {} at rank 0 of its processes", path.display()),
        };
    }
    if !first {
        opened = attempt();
    }
    match gather(comm, class(&opened).into())?.into_iter().max() {
        Some(0) | None => opened,
        Some(_) if opened.is_err() => opened,
        Some(worst) => fail!(worst as c_int, "another process cannot open {}", path.display()),
    }
}

fn finish(
    comm: MPI_Comm,
    context: ContextId,
    descriptor: Descriptor,
    path: PathBuf,
    amode: c_int,
    hints: Info,
) -> Result<MPI_File> {
    let end = if amode & MPI_MODE_APPEND == 0 {
        0
    } else {
        descriptor.size().map_err(|error| refused("cannot find the end of", &path, &error))?
    };
    let file = rank::with(|objects| {
        let errhandler = objects.files.errhandler;
        objects.files.insert(File {
            comm,
            context,
            descriptor,
            path,
            amode,
            view: View::of_bytes(),
            etype: MPI_BYTE,
            filetype: MPI_BYTE,
            representation: Representation::Native,
            representation_name: "native".to_owned(),
            position: end,
            atomic: false,
            errhandler,
            hints,
            split: None,
        })
    });
    if end > 0 && seat(comm)?.0 == 0 {
        move_pointer(file, end, true)?;
    }
    barrier(comm)?;
    Ok(file)
}

/// The hints of an info that concern the simulator.
fn hints_of(info: &Info) -> FileHints {
    let text = |key: &[u8]| info.get(key).and_then(|value| std::str::from_utf8(value).ok());
    let number = |key: &[u8]| text(key).and_then(|value| value.trim().parse::<u64>().ok()).unwrap_or(0);
    let two_phase = |key: &[u8]| match text(key) {
        Some("enable") => TwoPhase::Enabled,
        Some("disable") => TwoPhase::Disabled,
        _ => TwoPhase::Automatic,
    };
    let small = |key: &[u8]| u32::try_from(number(key)).unwrap_or(u32::MAX);
    FileHints {
        aggregators: small(b"cb_nodes"),
        buffer: number(b"cb_buffer_size"),
        stripe_count: small(b"striping_factor"),
        stripe_size: number(b"striping_unit"),
        collective_read: two_phase(b"romio_cb_read"),
        collective_write: two_phase(b"romio_cb_write"),
        sieve_read: text(b"romio_ds_read") != Some("disable"),
        sieve_write: text(b"romio_ds_write") != Some("disable"),
    }
}

fn close(handle: MPI_File) -> Result<()> {
    let comm = about(handle, |file| {
        ensure(file.split.is_none(), MPI_ERR_IO, || {
            "a split collective access has begun and not ended".to_owned()
        })?;
        Ok(file.comm)
    })?;
    barrier(comm)?;
    super::metadata(handle)?;
    let file = rank::with(|objects| objects.files.remove(handle))?;
    let deleted = match file.amode & MPI_MODE_DELETE_ON_CLOSE != 0 && seat(comm)?.0 == 0 {
        true => delete(&file.path),
        false => Ok(()),
    };
    drop(file);
    barrier(comm)?;
    communicators::free(comm)?;
    deleted
}
