//! Tool events, of which there are none, and their one source: simulated time.

use core::ffi::{c_char, c_int, c_void};

use super::{entry, outcome, store, store_index, store_text};
use crate::c_library::clock;
use crate::constants::*;
use crate::rank::with;
use crate::types::*;

/// The sources of events: name and description.
const SOURCES: [(&str, &str); 1] = [("simulated_time", "Simulated time, in nanoseconds.")];
const TICKS_PER_SECOND: MPI_Count = 1_000_000_000;

pub(crate) unsafe extern "C-unwind" fn MPI_T_source_get_num(num_sources: *mut c_int) -> c_int {
    // SAFETY: the program hands over a place for an int.
    outcome(|_| unsafe {
        store(num_sources, SOURCES.len() as c_int);
        Ok(())
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_source_get_info(
    source_index: c_int,
    name: *mut c_char,
    name_len: *mut c_int,
    desc: *mut c_char,
    desc_len: *mut c_int,
    ordering: *mut MPI_T_source_order,
    ticks_per_second: *mut MPI_Count,
    max_ticks: *mut MPI_Count,
    info: *mut MPI_Info,
) -> c_int {
    let code = outcome(|_| {
        let (source, text) = entry(&SOURCES, source_index)?;
        // SAFETY: the program hands over places for these, or null.
        unsafe {
            store_text(name, name_len, source);
            store_text(desc, desc_len, text);
            store(ordering, MPI_T_SOURCE_ORDERED);
            store(ticks_per_second, TICKS_PER_SECOND);
            store(max_ticks, MPI_Count::MAX);
        }
        Ok(())
    });
    if code == MPI_SUCCESS && !info.is_null() {
        let empty = with(|objects| objects.infos.insert(Default::default()));
        // SAFETY: not null, and the program hands over a place for an info.
        unsafe { info.write(empty) };
    }
    code
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_source_get_timestamp(
    source_index: c_int,
    timestamp: *mut MPI_Count,
) -> c_int {
    let code = outcome(|_| entry(&SOURCES, source_index).map(drop));
    if code == MPI_SUCCESS {
        // SAFETY: the program hands over a place for a number.
        unsafe { store(timestamp, (clock::seconds() * TICKS_PER_SECOND as f64) as MPI_Count) };
    }
    code
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_event_get_num(num_events: *mut c_int) -> c_int {
    // SAFETY: the program hands over a place for an int.
    outcome(|_| unsafe {
        store(num_events, 0);
        Ok(())
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_event_get_index(
    name: *const c_char,
    event_index: *mut c_int,
) -> c_int {
    // SAFETY: the program hands over a string and a place for an int.
    outcome(|_| unsafe { store_index(core::iter::empty(), name, event_index) })
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_event_get_info(
    _event_index: c_int,
    _name: *mut c_char,
    _name_len: *mut c_int,
    _verbosity: *mut c_int,
    _array_of_datatypes: *mut MPI_Datatype,
    _array_of_displacements: *mut MPI_Aint,
    _num_elements: *mut c_int,
    _enumtype: *mut MPI_T_enum,
    _info: *mut MPI_Info,
    _desc: *mut c_char,
    _desc_len: *mut c_int,
    _bind: *mut c_int,
) -> c_int {
    outcome(|_| Err(MPI_T_ERR_INVALID_INDEX))
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_event_handle_alloc(
    _event_index: c_int,
    _obj_handle: *mut c_void,
    _info: MPI_Info,
    _event_registration: *mut MPI_T_event_registration,
) -> c_int {
    outcome(|_| Err(MPI_T_ERR_INVALID_INDEX))
}

/// Functions that get a registration or an event, of which no valid one exists.
macro_rules! without_events {
    ($(($($type:ty),*): $function:ident;)*) => {$(
        pub(crate) unsafe extern "C-unwind" fn $function($(_: $type),*) -> c_int {
            outcome(|_| Err(MPI_T_ERR_INVALID_HANDLE))
        }
    )*};
}

without_events! {
    (MPI_T_event_registration, *mut c_void, MPI_T_event_free_cb_function):
        MPI_T_event_handle_free;
    (MPI_T_event_registration, *mut MPI_Info):
        MPI_T_event_handle_get_info;
    (MPI_T_event_registration, MPI_Info):
        MPI_T_event_handle_set_info;
    (MPI_T_event_registration, MPI_T_cb_safety, MPI_Info, *mut c_void, MPI_T_event_cb_function):
        MPI_T_event_register_callback;
    (MPI_T_event_registration, MPI_T_cb_safety, *mut MPI_Info):
        MPI_T_event_callback_get_info;
    (MPI_T_event_registration, MPI_T_cb_safety, MPI_Info):
        MPI_T_event_callback_set_info;
    (MPI_T_event_registration, MPI_T_event_dropped_cb_function):
        MPI_T_event_set_dropped_handler;
    (MPI_T_event_instance, c_int, *mut c_void):
        MPI_T_event_read;
    (MPI_T_event_instance, *mut c_void):
        MPI_T_event_copy;
    (MPI_T_event_instance, *mut MPI_Count):
        MPI_T_event_get_timestamp;
    (MPI_T_event_instance, *mut c_int):
        MPI_T_event_get_source;
}
