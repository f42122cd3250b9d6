//! The tool information interface, `MPI_T_…` (chapter 15 of the standard). What there is to see is in [`crate::objects::tools`].
//!
//! These functions return error codes and call no error handler. They may be called before `MPI_Init` and after `MPI_Finalize`.

pub(crate) mod categories;
pub(crate) mod controls;
pub(crate) mod events;
pub(crate) mod measured;

use core::ffi::{CStr, c_char, c_int};

use crate::constants::*;
use crate::functions::environment::best_thread_level;
use crate::objects::tools::{ENUMERATIONS, Enumeration, Tools};
use crate::rank::{post, this, with};
use crate::types::MPI_T_enum;
use mpirage_call::Call;

/// The result of such a function, or an error code of the standard.
pub(super) type Outcome<T> = Result<T, c_int>;

pub(crate) unsafe extern "C-unwind" fn MPI_T_init_thread(required: c_int, provided: *mut c_int) -> c_int {
    with(|objects| objects.tools.uses += 1);
    // SAFETY: the program hands over a place for an int.
    unsafe { store(provided, required.clamp(MPI_THREAD_SINGLE, best_thread_level())) };
    MPI_SUCCESS
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_finalize() -> c_int {
    outcome(|tools| {
        tools.uses -= 1;
        Ok(())
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_enum_get_info(
    enumtype: MPI_T_enum,
    num: *mut c_int,
    name: *mut c_char,
    name_len: *mut c_int,
) -> c_int {
    outcome(|_| {
        let enumeration = enumeration(enumtype)?;
        // SAFETY: the program hands over places for these, or null.
        unsafe {
            store(num, enumeration.items.len() as c_int);
            store_text(name, name_len, enumeration.name);
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_enum_get_item(
    enumtype: MPI_T_enum,
    index: c_int,
    value: *mut c_int,
    name: *mut c_char,
    name_len: *mut c_int,
) -> c_int {
    outcome(|_| {
        let enumeration = enumeration(enumtype)?;
        let item = entry(enumeration.items, index).map_err(|_| MPI_T_ERR_INVALID_ITEM)?;
        // SAFETY: the program hands over places for these, or null.
        unsafe {
            store(value, index);
            store_text(name, name_len, item);
        }
        Ok(())
    })
}

/// The body of a function that needs the interface to be initialized. Nothing in it asks the simulator.
fn outcome(body: impl FnOnce(&mut Tools) -> Outcome<()>) -> c_int {
    with(|objects| match objects.tools.uses {
        0 => Err(MPI_T_ERR_NOT_INITIALIZED),
        _ => body(&mut objects.tools),
    })
    .err()
    .unwrap_or(MPI_SUCCESS)
}

/// `MPI_Pcontrol`, also by way of its variable.
pub(crate) fn pcontrol(level: c_int) {
    let name = with(|objects| {
        if objects.tools.regions.take(level) {
            return None;
        }
        objects.tools.pcontrol_level = level;
        Some(String::from(objects.tools.regions.name(level)))
    });
    if let Some(name) = name
        && this().is_in_use()
    {
        post(&Call::Control { level, name: &name });
    }
}

/// The handle of an enumeration; `MPI_T_ENUM_NULL` if there is none.
fn handle_of(enumeration: Option<usize>) -> MPI_T_enum {
    enumeration.map_or(MPI_T_ENUM_NULL, |index| MPI_T_enum(index + 1))
}

fn enumeration(handle: MPI_T_enum) -> Outcome<&'static Enumeration> {
    handle.0.checked_sub(1).and_then(|index| ENUMERATIONS.get(index)).ok_or(MPI_T_ERR_INVALID_HANDLE)
}

/// An entry of a table, by the index that the program gives.
fn entry<T>(table: &[T], index: c_int) -> Outcome<&T> {
    usize::try_from(index).ok().and_then(|index| table.get(index)).ok_or(MPI_T_ERR_INVALID_INDEX)
}

/// The index of the entry with a name of the program's.
///
/// # Safety
/// The name is null or a string; the place is null or can be written.
unsafe fn store_index<'a>(
    mut names: impl Iterator<Item = &'a str>,
    name: *const c_char,
    place: *mut c_int,
) -> Outcome<()> {
    if name.is_null() || place.is_null() {
        return Err(MPI_T_ERR_INVALID);
    }
    // SAFETY: not null, and the caller vouches for it.
    let wanted = unsafe { CStr::from_ptr(name) }.to_bytes();
    let index = names.position(|name| name.as_bytes() == wanted).ok_or(MPI_T_ERR_INVALID_NAME)?;
    // SAFETY: as above.
    unsafe { store(place, index as c_int) };
    Ok(())
}

/// Stores a result if the program wants it.
///
/// # Safety
/// The place is null or can be written.
unsafe fn store<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: not null, and the caller vouches for it.
        unsafe { place.write(value) };
    }
}

/// Stores as much of a text as fits, and the length of all of it with the zero at its end.
///
/// # Safety
/// The length is null or an int; the text is null or has that many characters.
unsafe fn store_text(text: *mut c_char, length: *mut c_int, value: &str) {
    // SAFETY: the caller vouches for it.
    let Some(length) = (unsafe { length.as_mut() }) else { return };
    let room = usize::try_from(*length).unwrap_or(0);
    if !text.is_null() && room > 0 {
        let stored = value.len().min(room - 1);
        // SAFETY: no more than there is room for.
        unsafe {
            core::ptr::copy_nonoverlapping(value.as_ptr(), text.cast::<u8>(), stored);
            text.add(stored).write(0);
        }
    }
    *length = value.len() as c_int + 1;
}

/// Stores indices, as many as there is room for.
///
/// # Safety
/// There is room for `length` numbers.
unsafe fn store_indices(indices: *mut c_int, length: c_int, values: &[i32]) -> Outcome<()> {
    if indices.is_null() && length > 0 {
        return Err(MPI_T_ERR_INVALID);
    }
    for (at, &value) in values.iter().take(usize::try_from(length).unwrap_or(0)).enumerate() {
        // SAFETY: within the room that the caller vouches for.
        unsafe { indices.add(at).write(value) };
    }
    Ok(())
}
