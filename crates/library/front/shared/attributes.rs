//! Attributes whose values differ between the interfaces. The program gets the address of an integer, so there is one for each value.

use core::ffi::{c_int, c_void};

use crate::conversions::{LAST_CODE, abi, keyval_to_abi, rank_from_abi, window_kind_from_abi};

static NO_PROCESS: c_int = rank_from_abi(abi::MPI_PROC_NULL);
static ANY_PROCESS: c_int = rank_from_abi(abi::MPI_ANY_SOURCE);

/// Last used error codes: as many as programs add.
static LAST_CODES: [c_int; 4096] = {
    let mut codes = [0; 4096];
    let mut at = 0;
    while at < codes.len() {
        codes[at] = LAST_CODE + at as c_int;
        at += 1;
    }
    codes
};

/// Kinds of windows and of their memory, in the order of the MPI 5 ABI.
static FLAVORS: [c_int; 4] = [
    window_kind_from_abi(abi::MPI_WIN_FLAVOR_CREATE),
    window_kind_from_abi(abi::MPI_WIN_FLAVOR_ALLOCATE),
    window_kind_from_abi(abi::MPI_WIN_FLAVOR_DYNAMIC),
    window_kind_from_abi(abi::MPI_WIN_FLAVOR_SHARED),
];
static MODELS: [c_int; 2] =
    [window_kind_from_abi(abi::MPI_WIN_UNIFIED), window_kind_from_abi(abi::MPI_WIN_SEPARATE)];

/// Replaces the address of an attribute's value, if the value differs in the interfaces.
///
/// # Safety
/// The place holds the value of the attribute with this key.
pub(crate) unsafe fn attribute_from_abi(key: c_int, place: *mut *mut c_void) {
    let key = keyval_to_abi(key);
    if !DIFFERENT.contains(&key) {
        return;
    }
    // SAFETY: attributes of the standard with these keys are addresses of integers.
    unsafe {
        if let Some(value) = replacement(key, *(*place).cast::<c_int>()) {
            *place = core::ptr::from_ref(value).cast_mut().cast();
        }
    }
}

const DIFFERENT: [c_int; 5] =
    [abi::MPI_HOST, abi::MPI_IO, abi::MPI_LASTUSEDCODE, abi::MPI_WIN_CREATE_FLAVOR, abi::MPI_WIN_MODEL];

fn replacement(key: c_int, value: c_int) -> Option<&'static c_int> {
    let from = |first: c_int| usize::try_from(value.wrapping_sub(first)).ok();
    match key {
        abi::MPI_LASTUSEDCODE => LAST_CODES.get(from(abi::MPI_ERR_LASTCODE)?),
        abi::MPI_WIN_CREATE_FLAVOR => FLAVORS.get(from(abi::MPI_WIN_FLAVOR_CREATE)?),
        abi::MPI_WIN_MODEL => MODELS.get(from(abi::MPI_WIN_UNIFIED)?),
        _ if value == abi::MPI_PROC_NULL => Some(&NO_PROCESS),
        _ if value == abi::MPI_ANY_SOURCE => Some(&ANY_PROCESS),
        _ => None,
    }
}
