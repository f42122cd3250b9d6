//! Windows to which memory is attached later.

use core::ffi::{c_int, c_void};

use mpirage_call::Call;

use super::about;
use super::create::{facts, finish, make_comm};
use crate::constants::*;
use crate::frame;
use crate::ground::arguments::put;
use crate::ground::error::{Result, fail};
use crate::objects::window::Allocation;
use crate::rank;
use crate::types::*;

pub(crate) unsafe extern "C-unwind" fn MPI_Win_create_dynamic(
    info: MPI_Info,
    comm: MPI_Comm,
    win: *mut MPI_Win,
) -> c_int {
    frame::outcome(comm, || {
        let facts = facts(0, 0, 1, MPI_WIN_FLAVOR_DYNAMIC)?;
        let made = make_comm(comm)?;
        // SAFETY: the program hands over a place for a window.
        unsafe { put("win", win, finish(made, info, facts, Allocation::None)?) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Win_attach(
    win: MPI_Win,
    base: *mut c_void,
    size: MPI_Aint,
) -> c_int {
    frame::outcome_on(win, || {
        let window = dynamic(win)?;
        if size < 0 {
            fail!(MPI_ERR_SIZE, "size is {size}");
        }
        if size > 0 {
            let (base, bytes) = (base.addr(), size as usize);
            rank::this().connection().watch_memory(window, base..base.saturating_add(bytes));
            let (base, bytes) = (base as u64, bytes as u64);
            rank::post(&Call::Expose { window, origin: 0, unit: 1, base, bytes });
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Win_detach(win: MPI_Win, base: *const c_void) -> c_int {
    frame::outcome_on(win, || {
        let window = dynamic(win)?;
        rank::this().connection().forget_memory_at(window, base.addr());
        rank::post(&Call::Withdraw { window, base: base.addr() as u64 });
        Ok(())
    })
}

/// The number of a window to which memory can be attached.
fn dynamic(win: MPI_Win) -> Result<mpirage_call::ContextId> {
    about(win, |window| {
        if window.facts.flavor != MPI_WIN_FLAVOR_DYNAMIC {
            fail!(MPI_ERR_RMA_FLAVOR, "the window was not made by MPI_Win_create_dynamic");
        }
        Ok(window.context)
    })
}
