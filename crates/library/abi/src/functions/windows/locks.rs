//! Passive targets: locks and flushes.

use core::ffi::c_int;

use mpirage_call::Call;

use super::{about, finish_accesses, member};
use crate::constants::*;
use crate::frame;
use crate::ground::error::{Result, fail};
use crate::rank;
use crate::types::*;

pub(crate) unsafe extern "C-unwind" fn MPI_Win_lock(
    lock_type: c_int,
    rank: c_int,
    _assert: c_int,
    win: MPI_Win,
) -> c_int {
    frame::outcome_on(win, || {
        about(win, |_| Ok(()))?;
        let exclusive = match lock_type {
            MPI_LOCK_EXCLUSIVE => true,
            MPI_LOCK_SHARED => false,
            other => fail!(MPI_ERR_LOCKTYPE, "lock_type is {other}, which is none of MPI_LOCK_*"),
        };
        match rank {
            MPI_PROC_NULL => Ok(()),
            rank => lock(win, Some(member(win, "rank", rank)?), exclusive),
        }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Win_lock_all(_assert: c_int, win: MPI_Win) -> c_int {
    frame::outcome_on(win, || lock(win, None, false))
}

pub(crate) unsafe extern "C-unwind" fn MPI_Win_unlock(rank: c_int, win: MPI_Win) -> c_int {
    frame::outcome_on(win, || match rank {
        MPI_PROC_NULL => about(win, |_| Ok(())),
        rank => unlock(win, Some(member(win, "rank", rank)?)),
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Win_unlock_all(win: MPI_Win) -> c_int {
    frame::outcome_on(win, || unlock(win, None))
}

pub(crate) unsafe extern "C-unwind" fn MPI_Win_flush(rank: c_int, win: MPI_Win) -> c_int {
    frame::outcome_on(win, || match rank {
        MPI_PROC_NULL => about(win, |_| Ok(())),
        rank => flush(win, Some(member(win, "rank", rank)?)),
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Win_flush_all(win: MPI_Win) -> c_int {
    frame::outcome_on(win, || flush(win, None))
}

/// Completes accesses at the target too, which is more than the standard asks for.
pub(crate) unsafe extern "C-unwind" fn MPI_Win_flush_local(rank: c_int, win: MPI_Win) -> c_int {
    // SAFETY: both take the same arguments.
    unsafe { MPI_Win_flush(rank, win) }
}

/// As [`MPI_Win_flush_local`].
pub(crate) unsafe extern "C-unwind" fn MPI_Win_flush_local_all(win: MPI_Win) -> c_int {
    // SAFETY: both take the same argument.
    unsafe { MPI_Win_flush_all(win) }
}

/// Lets others run, so that a rank that polls its own memory sees what they do.
pub(crate) unsafe extern "C-unwind" fn MPI_Win_sync(win: MPI_Win) -> c_int {
    frame::outcome_on(win, || {
        about(win, |_| Ok(()))?;
        rank::ask(&Call::Wait { how: mpirage_call::Completing::All, poll: true, requests: &[] });
        Ok(())
    })
}

fn lock(win: MPI_Win, target: Option<u32>, exclusive: bool) -> Result<()> {
    let window = about(win, |window| {
        window.epoch.lock(target)?;
        Ok(window.context)
    })?;
    rank::ask(&Call::Lock { window, target, exclusive });
    Ok(())
}

fn unlock(win: MPI_Win, target: Option<u32>) -> Result<()> {
    about(win, |window| window.epoch.check_unlock(target))?;
    finish_accesses(win, target)?;
    let window = about(win, |window| {
        window.epoch.unlock(target);
        Ok(window.context)
    })?;
    rank::post(&Call::Unlock { window, target });
    Ok(())
}

fn flush(win: MPI_Win, target: Option<u32>) -> Result<()> {
    about(win, |window| window.epoch.check_locked(target))?;
    finish_accesses(win, target)
}
