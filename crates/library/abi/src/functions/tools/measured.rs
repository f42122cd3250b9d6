//! Performance variables: what the simulator knows of the rank.

use core::ffi::{c_char, c_int, c_void};

use mpirage_call::{Call, Figure};

use super::{Outcome, entry, outcome, store, store_index, store_text};
use crate::c_library::clock;
use crate::constants::*;
use crate::objects::tools::{MEASURED, Measured, PvarHandle, Tools};
use crate::rank::{ask, with};
use crate::types::*;

/// `MPI_T_PVAR_ALL_HANDLES` of the MPI 5 ABI, and of Open MPI.
const ALL_HANDLES: [usize; 2] = [MPI_T_PVAR_ALL_HANDLES.0, usize::MAX];

pub(crate) unsafe extern "C-unwind" fn MPI_T_pvar_get_num(num_pvar: *mut c_int) -> c_int {
    // SAFETY: the program hands over a place for an int.
    outcome(|_| unsafe {
        store(num_pvar, MEASURED.len() as c_int);
        Ok(())
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_pvar_get_info(
    pvar_index: c_int,
    name: *mut c_char,
    name_len: *mut c_int,
    verbosity: *mut c_int,
    var_class: *mut c_int,
    datatype: *mut MPI_Datatype,
    enumtype: *mut MPI_T_enum,
    desc: *mut c_char,
    desc_len: *mut c_int,
    bind: *mut c_int,
    readonly: *mut c_int,
    continuous: *mut c_int,
    atomic: *mut c_int,
) -> c_int {
    outcome(|_| {
        let variable = entry(&MEASURED, pvar_index)?;
        let always = variable.what.is_continuous();
        // SAFETY: the program hands over places for these, or null.
        unsafe {
            store_text(name, name_len, variable.name);
            store_text(desc, desc_len, variable.text);
            store(verbosity, MPI_T_VERBOSITY_USER_BASIC);
            store(var_class, variable.class);
            store(datatype, variable.datatype);
            store(enumtype, MPI_T_ENUM_NULL);
            store(bind, MPI_T_BIND_NO_OBJECT);
            store(readonly, always.into());
            store(continuous, always.into());
            store(atomic, (!always).into());
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_pvar_get_index(
    name: *const c_char,
    var_class: c_int,
    pvar_index: *mut c_int,
) -> c_int {
    // A name of another class is no name.
    let name_of = |at: usize| if MEASURED[at].class == var_class { MEASURED[at].name } else { "" };
    // SAFETY: the program hands over a string and a place for an int.
    outcome(|_| unsafe { store_index((0..MEASURED.len()).map(name_of), name, pvar_index) })
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_pvar_session_create(
    pe_session: *mut MPI_T_pvar_session,
) -> c_int {
    outcome(|tools| {
        // SAFETY: the program hands over a place for a session.
        unsafe { store(pe_session, MPI_T_pvar_session(tools.sessions.insert(()))) };
        Ok(())
    })
}

/// The handles of the session go with it.
pub(crate) unsafe extern "C-unwind" fn MPI_T_pvar_session_free(pe_session: *mut MPI_T_pvar_session) -> c_int {
    outcome(|tools| {
        // SAFETY: the program hands over a session.
        let session = unsafe { pe_session.as_mut() }.ok_or(MPI_T_ERR_INVALID)?;
        tools.sessions.remove(session.0).ok_or(MPI_T_ERR_INVALID_SESSION)?;
        for handle in handles_of(tools, *session) {
            tools.measured.remove(handle.0);
        }
        *session = MPI_T_PVAR_SESSION_NULL;
        Ok(())
    })
}

/// No variable belongs to an object of MPI. A variable that counts stands still until it is started.
pub(crate) unsafe extern "C-unwind" fn MPI_T_pvar_handle_alloc(
    pe_session: MPI_T_pvar_session,
    pvar_index: c_int,
    _obj_handle: *mut c_void,
    handle: *mut MPI_T_pvar_handle,
    count: *mut c_int,
) -> c_int {
    outcome(|tools| {
        tools.sessions.get(pe_session.0).ok_or(MPI_T_ERR_INVALID_SESSION)?;
        entry(&MEASURED, pvar_index)?;
        let variable =
            PvarHandle { session: pe_session, index: pvar_index as usize, started: None, counted: 0 };
        // SAFETY: the program hands over places for these.
        unsafe {
            store(handle, MPI_T_pvar_handle(tools.measured.insert(variable)));
            store(count, 1);
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_pvar_handle_free(
    pe_session: MPI_T_pvar_session,
    handle: *mut MPI_T_pvar_handle,
) -> c_int {
    outcome(|tools| {
        // SAFETY: the program hands over a handle.
        let handle = unsafe { handle.as_mut() }.ok_or(MPI_T_ERR_INVALID)?;
        find(tools, pe_session, *handle)?;
        tools.measured.remove(handle.0);
        *handle = MPI_T_PVAR_HANDLE_NULL;
        Ok(())
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_pvar_start(
    pe_session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
) -> c_int {
    change(pe_session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP, |variable, raw| variable.start(raw))
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_pvar_stop(
    pe_session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
) -> c_int {
    change(pe_session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP, |variable, raw| variable.stop(raw))
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_pvar_reset(
    pe_session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
) -> c_int {
    change(pe_session, handle, MPI_T_ERR_PVAR_NO_WRITE, |variable, raw| variable.set(0, raw))
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_pvar_read(
    pe_session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
    buf: *mut c_void,
) -> c_int {
    // SAFETY: the program hands over room for the variable.
    code(unsafe { read(pe_session, handle, buf) })
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_pvar_readreset(
    pe_session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
    buf: *mut c_void,
) -> c_int {
    let all = ALL_HANDLES.contains(&handle.0);
    // SAFETY: the program hands over room for the variable.
    let read = if all { Err(MPI_T_ERR_INVALID_HANDLE) } else { unsafe { read(pe_session, handle, buf) } };
    match read {
        Ok(()) => change(pe_session, handle, MPI_T_ERR_PVAR_NO_ATOMIC, |variable, raw| variable.set(0, raw)),
        Err(code) => code,
    }
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_pvar_write(
    pe_session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
    buf: *const c_void,
) -> c_int {
    if ALL_HANDLES.contains(&handle.0) {
        return MPI_T_ERR_INVALID_HANDLE;
    }
    if buf.is_null() {
        return MPI_T_ERR_INVALID;
    }
    change(pe_session, handle, MPI_T_ERR_PVAR_NO_WRITE, |variable, raw| {
        // SAFETY: the program hands over the value of the variable, which has this type.
        let value = unsafe {
            match MEASURED[variable.index].what {
                Measured::Timer(_) => (buf.cast::<f64>().read() * 1e12) as u64,
                _ => buf.cast::<u64>().read(),
            }
        };
        variable.set(value, raw);
    })
}

fn code(result: Outcome<()>) -> c_int {
    result.err().unwrap_or(MPI_SUCCESS)
}

/// A variable of a session.
fn find(tools: &Tools, session: MPI_T_pvar_session, handle: MPI_T_pvar_handle) -> Outcome<PvarHandle> {
    tools.sessions.get(session.0).ok_or(MPI_T_ERR_INVALID_SESSION)?;
    let variable = tools.measured.get(handle.0).copied();
    variable.filter(|variable| variable.session == session).ok_or(MPI_T_ERR_INVALID_HANDLE)
}

/// All variables of a session.
fn handles_of(tools: &Tools, session: MPI_T_pvar_session) -> Vec<MPI_T_pvar_handle> {
    let of_session = tools.measured.iter().filter(|(_, variable)| variable.session == session);
    of_session.map(|(handle, _)| MPI_T_pvar_handle(handle)).collect()
}

/// Changes a variable that counts, or all of a session. `refusal` is for one that always has a value.
fn change(
    session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
    refusal: c_int,
    change: impl Fn(&mut PvarHandle, u64),
) -> c_int {
    let all = ALL_HANDLES.contains(&handle.0);
    let mut handles = Vec::new();
    let code = outcome(|tools| {
        tools.sessions.get(session.0).ok_or(MPI_T_ERR_INVALID_SESSION)?;
        let wanted = if all { handles_of(tools, session) } else { vec![handle] };
        for handle in wanted {
            match MEASURED[find(tools, session, handle)?.index].what {
                Measured::Counter(figure) | Measured::Timer(figure) => handles.push((handle, figure)),
                _ if all => {}
                _ => return Err(refusal),
            }
        }
        Ok(())
    });
    for (handle, figure) in handles {
        let raw = observe(figure);
        with(|objects| objects.tools.measured.get_mut(handle.0).map(|variable| change(variable, raw)));
    }
    code
}

/// # Safety
/// There is room for the variable.
unsafe fn read(session: MPI_T_pvar_session, handle: MPI_T_pvar_handle, buf: *mut c_void) -> Outcome<()> {
    let variable = with(|objects| match objects.tools.uses {
        0 => Err(MPI_T_ERR_NOT_INITIALIZED),
        _ => find(&objects.tools, session, handle),
    })?;
    if buf.is_null() {
        return Err(MPI_T_ERR_INVALID);
    }
    // SAFETY: the caller vouches for the room.
    unsafe {
        match MEASURED[variable.index].what {
            Measured::Time => buf.cast::<f64>().write(clock::seconds()),
            Measured::Level(figure) => buf.cast::<u64>().write(observe(figure)),
            Measured::Counter(figure) => buf.cast::<u64>().write(variable.value(observe(figure))),
            Measured::Timer(figure) => {
                buf.cast::<f64>().write(variable.value(observe(figure)) as f64 * 1e-12);
            }
        }
    }
    Ok(())
}

/// Asks the simulator for a figure.
fn observe(figure: Figure) -> u64 {
    ask(&Call::ReadFigure { figure: figure.code() }).number.unwrap_or(0)
}
