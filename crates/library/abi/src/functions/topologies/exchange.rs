//! Exchange of data between processes while a topology is made.

use crate::constants::{MPI_INT, MPI_SUCCESS};
use crate::functions::collective::gather::{MPI_Allgather, MPI_Allgatherv};
use crate::ground::error::{MpiError, Result};
use crate::types::MPI_Comm;
use core::ffi::c_int;

/// The words of all processes, in the order of their ranks.
pub(super) fn all_words(comm: MPI_Comm, own: &[c_int]) -> Result<Vec<c_int>> {
    let length = own.len() as c_int;
    let mut lengths = vec![0; super::size_of(comm)? as usize];
    // SAFETY: one int is sent, one of each rank is received.
    succeeded(unsafe {
        MPI_Allgather((&raw const length).cast(), 1, MPI_INT, lengths.as_mut_ptr().cast(), 1, MPI_INT, comm)
    })?;
    let starts: Vec<c_int> =
        lengths.iter().scan(0, |end, length| Some(core::mem::replace(end, *end + length))).collect();
    let mut all = vec![0; lengths.iter().sum::<c_int>() as usize];
    // SAFETY: the lengths are those that the ranks sent, and there is room for all.
    succeeded(unsafe {
        MPI_Allgatherv(
            own.as_ptr().cast(),
            length,
            MPI_INT,
            all.as_mut_ptr().cast(),
            lengths.as_ptr(),
            starts.as_ptr(),
            MPI_INT,
            comm,
        )
    })?;
    Ok(all)
}

fn succeeded(code: c_int) -> Result<()> {
    if code == MPI_SUCCESS {
        Ok(())
    } else {
        Err(MpiError::new(code, "the processes could not exchange their edges"))
    }
}
