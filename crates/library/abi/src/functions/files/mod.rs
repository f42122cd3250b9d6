//! Input and output (chapter 14 of the standard).

pub(crate) mod access;
pub(crate) mod datarep;
pub(crate) mod open;
pub(crate) mod query;
pub(crate) mod size;
pub(crate) mod split;
pub(crate) mod views;

use core::ffi::c_int;

use mpirage_call::Call;

use crate::constants::{MPI_ERR_INTERN, MPI_INT64_T, MPI_SUCCESS};
use crate::functions::collective::gather::{MPI_Allgather, MPI_Barrier, MPI_Bcast};
use crate::ground::error::{Result, ensure};
use crate::objects::file::File;
use crate::rank;
use crate::types::{MPI_Comm, MPI_File};

/// Applies a function to a file.
fn about<T>(file: MPI_File, what: impl FnOnce(&mut File) -> Result<T>) -> Result<T> {
    rank::with(|objects| what(objects.files.get_mut(file)?))
}

/// The rank of this process among those that have a file open, and their number.
fn seat(comm: MPI_Comm) -> Result<(usize, usize)> {
    rank::try_with(|objects| {
        let comm = objects.comms.get(comm)?;
        Ok((comm.rank as usize, comm.group.size() as usize))
    })
}

/// Waits for all processes of a file.
fn barrier(comm: MPI_Comm) -> Result<()> {
    // SAFETY: the function takes no addresses.
    succeeds(unsafe { MPI_Barrier(comm) })
}

/// A number of each process, in the order of their ranks.
fn gather(comm: MPI_Comm, own: i64) -> Result<Vec<i64>> {
    let mut all = vec![0; seat(comm)?.1];
    // SAFETY: one number is sent, one of each rank is received.
    succeeds(unsafe {
        MPI_Allgather((&raw const own).cast(), 1, MPI_INT64_T, all.as_mut_ptr().cast(), 1, MPI_INT64_T, comm)
    })?;
    Ok(all)
}

/// The number of the first process.
fn broadcast(comm: MPI_Comm, mut number: i64) -> Result<i64> {
    // SAFETY: the number is a variable of ours.
    succeeds(unsafe { MPI_Bcast((&raw mut number).cast(), 1, MPI_INT64_T, 0, comm) })?;
    Ok(number)
}

fn succeeds(code: c_int) -> Result<()> {
    ensure(code == MPI_SUCCESS, MPI_ERR_INTERN, || "a collective of the file failed".to_owned())
}

/// An operation of the file system other than a read or a write.
fn metadata(file: MPI_File) -> Result<()> {
    let file = about(file, |file| Ok(file.context))?;
    rank::ask(&Call::FileMetadata { file, operations: 1 });
    Ok(())
}

/// Moves the shared file pointer, in etypes; gives where it was.
fn move_pointer(file: MPI_File, by: u64, set: bool) -> Result<u64> {
    let file = about(file, |file| Ok(file.context))?;
    Ok(rank::ask(&Call::FilePointer { file, by, set }).number.unwrap_or(0))
}
