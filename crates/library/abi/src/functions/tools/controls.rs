//! Control variables: how the run is simulated.

use core::ffi::{c_char, c_int, c_void};

use super::{Outcome, entry, handle_of, outcome, pcontrol, store, store_index, store_text};
use crate::constants::*;
use crate::ground::lock::is_folded;
use crate::objects::tools::{CONTROLS, Control, TEXT_LENGTH};
use crate::rank::{this, with};
use crate::types::*;

pub(crate) unsafe extern "C-unwind" fn MPI_T_cvar_get_num(num_cvar: *mut c_int) -> c_int {
    // SAFETY: the program hands over a place for an int.
    outcome(|_| unsafe {
        store(num_cvar, CONTROLS.len() as c_int);
        Ok(())
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_cvar_get_info(
    cvar_index: c_int,
    name: *mut c_char,
    name_len: *mut c_int,
    verbosity: *mut c_int,
    datatype: *mut MPI_Datatype,
    enumtype: *mut MPI_T_enum,
    desc: *mut c_char,
    desc_len: *mut c_int,
    bind: *mut c_int,
    scope: *mut c_int,
) -> c_int {
    outcome(|_| {
        let variable = entry(&CONTROLS, cvar_index)?;
        // SAFETY: the program hands over places for these, or null.
        unsafe {
            store_text(name, name_len, variable.name);
            store_text(desc, desc_len, variable.text);
            store(verbosity, MPI_T_VERBOSITY_USER_BASIC);
            store(datatype, variable.datatype);
            store(enumtype, handle_of(variable.enumeration));
            store(bind, MPI_T_BIND_NO_OBJECT);
            store(scope, variable.scope);
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_cvar_get_index(
    name: *const c_char,
    cvar_index: *mut c_int,
) -> c_int {
    // SAFETY: the program hands over a string and a place for an int.
    outcome(|_| unsafe { store_index(CONTROLS.iter().map(|variable| variable.name), name, cvar_index) })
}

/// No variable belongs to an object of MPI.
pub(crate) unsafe extern "C-unwind" fn MPI_T_cvar_handle_alloc(
    cvar_index: c_int,
    _obj_handle: *mut c_void,
    handle: *mut MPI_T_cvar_handle,
    count: *mut c_int,
) -> c_int {
    outcome(|tools| {
        let variable = entry(&CONTROLS, cvar_index)?;
        let elements = if variable.datatype == MPI_CHAR { TEXT_LENGTH } else { 1 };
        // SAFETY: the program hands over places for these.
        unsafe {
            store(handle, MPI_T_cvar_handle(tools.controls.insert(cvar_index as usize)));
            store(count, elements as c_int);
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_cvar_handle_free(handle: *mut MPI_T_cvar_handle) -> c_int {
    outcome(|tools| {
        // SAFETY: the program hands over a handle.
        let handle = unsafe { handle.as_mut() }.ok_or(MPI_T_ERR_INVALID)?;
        tools.controls.remove(handle.0).ok_or(MPI_T_ERR_INVALID_HANDLE)?;
        *handle = MPI_T_CVAR_HANDLE_NULL;
        Ok(())
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_cvar_read(handle: MPI_T_cvar_handle, buf: *mut c_void) -> c_int {
    let mut what = None;
    let code = outcome(|tools| {
        let index = *tools.controls.get(handle.0).ok_or(MPI_T_ERR_INVALID_HANDLE)?;
        what = Some((CONTROLS[index].what, tools.pcontrol_level));
        if buf.is_null() { Err(MPI_T_ERR_INVALID) } else { Ok(()) }
    });
    if let (MPI_SUCCESS, Some((what, level))) = (code, what) {
        // SAFETY: the program hands over room for the variable.
        unsafe { read(what, level, buf) };
    }
    code
}

/// Only the level of `MPI_Pcontrol` can be changed: the others are decided before the run.
pub(crate) unsafe extern "C-unwind" fn MPI_T_cvar_write(
    handle: MPI_T_cvar_handle,
    buf: *const c_void,
) -> c_int {
    let level = with(|objects| writable(objects.tools.uses, objects.tools.controls.get(handle.0).copied()));
    // SAFETY: the program hands over the value of the variable, an int.
    match level.and_then(|()| unsafe { buf.cast::<c_int>().as_ref() }.ok_or(MPI_T_ERR_INVALID)) {
        Ok(&level) => {
            pcontrol(level);
            MPI_SUCCESS
        }
        Err(code) => code,
    }
}

fn writable(uses: u32, index: Option<usize>) -> Outcome<()> {
    if uses == 0 {
        return Err(MPI_T_ERR_NOT_INITIALIZED);
    }
    let variable = &CONTROLS[index.ok_or(MPI_T_ERR_INVALID_HANDLE)?];
    if variable.scope == MPI_T_SCOPE_LOCAL { Ok(()) } else { Err(MPI_T_ERR_CVAR_SET_NEVER) }
}

/// # Safety
/// There is room for the variable.
unsafe fn read(what: Control, level: c_int, buf: *mut c_void) {
    let briefing = this().connection().briefing();
    // SAFETY: the caller vouches for the room.
    unsafe {
        match what {
            Control::Model => read_text(&briefing.model, buf),
            Control::Collectives => read_text(&briefing.collectives, buf),
            Control::EagerLimit => buf.cast::<u64>().write(briefing.eager_limit),
            Control::Compute => {
                let real_time = c_int::from(briefing.real_time);
                buf.cast::<c_int>().write(c_int::from(briefing.measure) * (1 + real_time));
            }
            Control::SpeedRatio => buf.cast::<f64>().write(briefing.speed_ratio),
            Control::ClockCost => buf.cast::<u64>().write(briefing.clock_cost),
            Control::RankMode => buf.cast::<c_int>().write(is_folded().into()),
            Control::PcontrolLevel => buf.cast::<c_int>().write(level),
        }
    }
}

/// # Safety
/// There is room for as many characters as texts have.
unsafe fn read_text(text: &[u8], buf: *mut c_void) {
    let mut characters = [0_u8; TEXT_LENGTH];
    let length = text.len().min(TEXT_LENGTH - 1);
    characters[..length].copy_from_slice(&text[..length]);
    // SAFETY: the caller vouches for the room.
    unsafe { buf.cast::<[u8; TEXT_LENGTH]>().write(characters) };
}
