//! One-sided communication (chapter 12 of the standard).

pub(crate) mod access;
pub(crate) mod create;
pub(crate) mod dynamic;
pub(crate) mod groups;
pub(crate) mod locks;
pub(crate) mod query;
pub(crate) mod shared;

use core::ffi::c_int;

use mpirage_call::Call;
use mpirage_call::Completion;

use crate::checked::inspect;
use crate::constants::{MPI_ERR_INTERN, MPI_SUCCESS};
use crate::functions::collective::gather::MPI_Barrier;
use crate::ground::error::{Result, ensure};
use crate::objects::window::Window;
use crate::rank;
use crate::types::{MPI_Comm, MPI_Win};

/// Applies a function to a window.
fn about<T>(win: MPI_Win, what: impl FnOnce(&mut Window) -> Result<T>) -> Result<T> {
    rank::with(|objects| what(objects.windows.get_mut(win)?))
}

/// The rank of a window that an argument names.
fn member(win: MPI_Win, what: &str, named: c_int) -> Result<u32> {
    rank::try_with(|objects| {
        let comm = objects.windows.get(win)?.comm;
        objects.comms.get(comm)?.member(what, named)
    })
}

/// Waits for all ranks of a window.
fn barrier(comm: MPI_Comm) -> Result<()> {
    // SAFETY: the function takes no addresses.
    succeeds(unsafe { MPI_Barrier(comm) })
}

/// A body of ours that was called with arguments of ours.
fn succeeds(code: c_int) -> Result<()> {
    ensure(code == MPI_SUCCESS, MPI_ERR_INTERN, || "a collective of the window failed".to_owned())
}

/// Waits until accesses to a target are complete, or to all, and puts what they got where it belongs.
fn finish_accesses(win: MPI_Win, target: Option<u32>) -> Result<()> {
    let window = about(win, |window| Ok(window.context))?;
    rank::ask(&Call::AwaitAccesses { window, target });
    let complete = about(win, |window| Ok(window.take_pending(target)))?;
    complete.into_iter().try_for_each(|buffers| {
        inspect::ended(&buffers, &Completion::empty(0));
        buffers.finish(&Completion::empty(0))
    })
}
