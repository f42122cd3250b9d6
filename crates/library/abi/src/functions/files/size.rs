//! Sizes, atomicity, and data that is on its way to the disk.

use core::ffi::c_int;

use super::{about, barrier, broadcast, gather, metadata, seat};
use crate::constants::*;
use crate::files::descriptor::refused;
use crate::frame;
use crate::ground::arguments::put;
use crate::ground::error::{MpiError, Result, ensure};
use crate::types::*;

pub(crate) unsafe extern "C-unwind" fn MPI_File_set_size(fh: MPI_File, size: MPI_Offset) -> c_int {
    frame::outcome_of_file(fh, || resize(fh, size, |_, wanted| wanted))
}

/// The file grows if it is shorter. Its blocks are not reserved on this machine.
pub(crate) unsafe extern "C-unwind" fn MPI_File_preallocate(fh: MPI_File, size: MPI_Offset) -> c_int {
    frame::outcome_of_file(fh, || resize(fh, size, u64::max))
}

pub(crate) unsafe extern "C-unwind" fn MPI_File_get_size(fh: MPI_File, size: *mut MPI_Offset) -> c_int {
    frame::outcome_of_file(fh, || {
        metadata(fh)?;
        let bytes = about(fh, |file| {
            file.descriptor.size().map_err(|error| refused("cannot find the size of", &file.path, &error))
        })?;
        // SAFETY: the program hands over a place for an offset.
        unsafe { put("size", size, bytes as MPI_Offset) }
    })
}

/// Written data is in the file already: there is no cache to flush.
pub(crate) unsafe extern "C-unwind" fn MPI_File_sync(fh: MPI_File) -> c_int {
    frame::outcome_of_file(fh, || {
        let comm = about(fh, |file| {
            file.check_writable()?;
            Ok(file.comm)
        })?;
        metadata(fh)?;
        barrier(comm)
    })
}

/// Accesses happen one after the other in the order of simulated time, so all of them are atomic.
pub(crate) unsafe extern "C-unwind" fn MPI_File_set_atomicity(fh: MPI_File, flag: c_int) -> c_int {
    frame::outcome_of_file(fh, || {
        let comm = about(fh, |file| Ok(file.comm))?;
        let wanted = flag != 0;
        let same = gather(comm, wanted.into())?.iter().all(|other| *other == i64::from(wanted));
        ensure(same, MPI_ERR_ARG, || "processes give different flags".to_owned())?;
        about(fh, |file| {
            file.atomic = wanted;
            Ok(())
        })
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_File_get_atomicity(fh: MPI_File, flag: *mut c_int) -> c_int {
    frame::outcome_of_file(fh, || {
        let atomic = about(fh, |file| Ok(file.atomic))?;
        // SAFETY: the program hands over a place for an int.
        unsafe { put("flag", flag, atomic.into()) }
    })
}

/// Changes the size of a file, from its size and the size that all processes give.
fn resize(fh: MPI_File, size: MPI_Offset, new_size: fn(u64, u64) -> u64) -> Result<()> {
    let wanted = u64::try_from(size).map_err(|_| MpiError::new(MPI_ERR_ARG, format!("size is {size}")))?;
    let comm = about(fh, |file| {
        file.check_writable()?;
        Ok(file.comm)
    })?;
    let same = gather(comm, size)?.iter().all(|other| *other == size);
    ensure(same, MPI_ERR_ARG, || "processes give different sizes".to_owned())?;
    let mut changed = Ok(());
    if seat(comm)?.0 == 0 {
        metadata(fh)?;
        changed = about(fh, |file| {
            let refuse = |error| refused("cannot change the size of", &file.path, &error);
            let size = new_size(file.descriptor.size().map_err(refuse)?, wanted);
            file.descriptor.set_size(size).map_err(refuse)
        });
    }
    let class = broadcast(comm, changed.as_ref().err().map_or(0, |error| error.class).into())?;
    changed?;
    ensure(class == 0, class as c_int, || "the size cannot be changed".to_owned())
}
