//! Making and freeing windows, and fences.

use core::ffi::{c_int, c_void};

use mpirage_call::{Call, CommRequest, FindingClass};

use super::{about, barrier, finish_accesses};
use crate::checked::inspect;
use crate::constants::*;
use crate::frame;
use crate::functions::communicators;
use crate::functions::forms::{argument, both_forms, form};
use crate::ground::arguments::{Number, not_null, put};
use crate::ground::error::{MpiError, Result, fail};
use crate::objects::window::{Allocation, Facts, Window};
use crate::objects::window_hints;
use crate::rank;
use crate::types::*;

both_forms! {
    (base: Buffer, size: MPI_Aint, disp_unit: Unit, info: MPI_Info, comm: MPI_Comm, win: WinPlace) {
        frame::outcome(comm, || {
            let facts = facts(base.addr(), size, disp_unit, MPI_WIN_FLAVOR_CREATE)?;
            if base.is_null() && size > 0 {
                fail!(MPI_ERR_BASE, "base is a null pointer, but size is {size}");
            }
            put("win", win, make(comm, info, facts, Allocation::None)?)
        })
    }:
        MPI_Win_create MPI_Win_create_c;
    (size: MPI_Aint, disp_unit: Unit, info: MPI_Info, comm: MPI_Comm, baseptr: Buffer, win: WinPlace) {
        frame::outcome(comm, || {
            not_null("baseptr", baseptr)?;
            let mut facts = facts(0, size, disp_unit, MPI_WIN_FLAVOR_ALLOCATE)?;
            facts.base = allocate(size)?;
            put("baseptr", baseptr.cast::<usize>(), facts.base)?;
            let memory = Allocation::Own(facts.base);
            put("win", win, make(comm, info, facts, memory)?)
        })
    }:
        MPI_Win_allocate MPI_Win_allocate_c;
}

pub(crate) unsafe extern "C-unwind" fn MPI_Win_free(win: *mut MPI_Win) -> c_int {
    // SAFETY: the program hands over a window.
    let handle = unsafe { win.as_ref() }.copied().unwrap_or(MPI_WIN_NULL);
    frame::outcome_on(handle, || {
        not_null("win", win)?;
        free(handle)?;
        // SAFETY: not null, and the program hands over a place for a window.
        unsafe { put("win", win, MPI_WIN_NULL) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Win_fence(assert: c_int, win: MPI_Win) -> c_int {
    frame::outcome_on(win, || {
        let comm = about(win, |window| {
            window.epoch.fence(assert & MPI_MODE_NOSUCCEED == 0)?;
            Ok(window.comm)
        })?;
        finish_accesses(win, None)?;
        barrier(comm)
    })
}

/// The facts about a window, with arguments checked.
pub(super) fn facts(base: usize, size: MPI_Aint, unit: impl Number, flavor: c_int) -> Result<Facts> {
    if size < 0 {
        fail!(MPI_ERR_SIZE, "size is {size}");
    }
    match c_int::try_from(unit.wide()) {
        Ok(unit) if unit > 0 => Ok(Facts { base, size, unit, flavor, model: MPI_WIN_UNIFIED }),
        _ => fail!(MPI_ERR_DISP, "disp_unit is {}", unit.wide()),
    }
}

/// The communicator of a new window. All ranks of `comm` make it.
pub(crate) fn make_comm(comm: MPI_Comm) -> Result<MPI_Comm> {
    let inter = rank::try_with(|objects| Ok(objects.comms.get(comm)?.bridge.is_some()))?;
    if inter {
        fail!(MPI_ERR_COMM, "the communicator is an inter-communicator");
    }
    communicators::make(comm, CommRequest::Dup)
}

/// Makes a window. All ranks of `comm` do.
fn make(comm: MPI_Comm, info: MPI_Info, facts: Facts, memory: Allocation) -> Result<MPI_Win> {
    let made = make_comm(comm)?;
    finish(made, info, facts, memory)
}

/// Makes a window of the communicator that was made for it.
pub(super) fn finish(comm: MPI_Comm, info: MPI_Info, facts: Facts, memory: Allocation) -> Result<MPI_Win> {
    let (context, hints) =
        rank::try_with(|objects| Ok((objects.comms.get(comm)?.context, objects.infos.hints(info)?)))?;
    let (base, unit, bytes) = (facts.base as u64, facts.unit as u64, facts.size as u64);
    rank::post(&Call::Expose { window: context, origin: base, unit, base, bytes });
    if rank::this().connection().is_checked() {
        let is_dynamic = facts.flavor == MPI_WIN_FLAVOR_DYNAMIC;
        let (base, bytes) = if is_dynamic { (0, u64::MAX) } else { (base, bytes) };
        rank::post(&Call::DeclareWindow { window: context, unit, base, bytes });
        // Memory that ranks share is theirs to order.
        if matches!(facts.flavor, MPI_WIN_FLAVOR_CREATE | MPI_WIN_FLAVOR_ALLOCATE) {
            rank::this().connection().watch_memory(context, facts.base..facts.base + facts.size as usize);
        }
    }
    let mut window = Window::new((comm, context), facts, memory);
    window_hints::update(&mut window.hints, &hints);
    let win = rank::with(|objects| objects.windows.insert(window));
    barrier(comm)?;
    Ok(win)
}

/// Memory for a window, filled with zeros.
fn allocate(size: MPI_Aint) -> Result<usize> {
    // SAFETY: calloc takes any size.
    let memory = unsafe { libc::calloc(1, (size as usize).max(1)) };
    if memory.is_null() {
        fail!(MPI_ERR_NO_MEM, "there are no {size} bytes left");
    }
    Ok(memory.expose_provenance())
}

/// Frees a window when no rank accesses it any more, after its attributes have been deleted.
fn free(win: MPI_Win) -> Result<()> {
    let (comm, deletions) = rank::try_with(|objects| {
        let window = objects.windows.get(win)?;
        window.epoch.check_fence()?;
        if window.epoch.awaits_fence() {
            let text = "the window has accesses since its last fence: MPI_Win_fence is missing";
            inspect::report(FindingClass::RmaSync, text.to_owned());
        }
        Ok((window.comm, window.attributes.deletions(&objects.keyvals)))
    })?;
    finish_accesses(win, None)?;
    barrier(comm)?;
    // SAFETY: the program registered these functions to delete attributes; nothing is locked.
    unsafe { deletions.run(win.0) }?;
    let window = rank::with(|objects| objects.windows.remove(win))?;
    rank::this().connection().forget_memory(window.context);
    release(&window.memory)?;
    communicators::free(comm)
}

fn release(memory: &Allocation) -> Result<()> {
    match *memory {
        Allocation::None => {}
        // SAFETY: it was allocated for the window, which the program must not use any more.
        Allocation::Own(address) => unsafe { libc::free(address as *mut c_void) },
        Allocation::Shared { address, length, mapped: true, .. } => {
            // SAFETY: it was mapped for the window, which the program must not use any more.
            if unsafe { libc::munmap(address as *mut c_void, length) } != 0 {
                return Err(MpiError::new(MPI_ERR_INTERN, "shared memory cannot be unmapped"));
            }
        }
        Allocation::Shared { .. } => {}
    }
    Ok(())
}
