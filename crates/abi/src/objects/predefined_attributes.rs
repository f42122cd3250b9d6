//! The attributes that the standard puts on communicators. A program gets the address of an int, so they live here.

use crate::constants::*;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicI32, Ordering};

/// No value yet: the program is told that there is no such attribute.
const ABSENT: c_int = c_int::MIN;

/// In the order of their keys, from `MPI_TAG_UB` on.
static VALUES: [AtomicI32; 7] = [
    AtomicI32::new(c_int::MAX),       // MPI_TAG_UB
    AtomicI32::new(MPI_ANY_SOURCE),   // MPI_IO: everybody
    AtomicI32::new(MPI_PROC_NULL),    // MPI_HOST: nobody
    AtomicI32::new(1),                // MPI_WTIME_IS_GLOBAL: there is one simulated clock
    AtomicI32::new(ABSENT),           // MPI_APPNUM
    AtomicI32::new(MPI_ERR_LASTCODE), // MPI_LASTUSEDCODE
    AtomicI32::new(ABSENT),           // MPI_UNIVERSE_SIZE
];

/// Is it one of these keys?
pub(crate) fn is_predefined(key: c_int) -> bool {
    slot(key).is_some()
}

/// Gives one of them its value; `MPI_Init` does, for those that depend on the run.
pub(crate) fn set(key: c_int, value: c_int) {
    slot(key).expect("a key of the standard").store(value, Ordering::Relaxed);
}

/// The address of its value, if it has one.
pub(crate) fn address(key: c_int) -> Option<*mut c_void> {
    let slot = slot(key).filter(|slot| slot.load(Ordering::Relaxed) != ABSENT)?;
    Some(slot.as_ptr().cast())
}

fn slot(key: c_int) -> Option<&'static AtomicI32> {
    VALUES.get(usize::try_from(key.checked_sub(MPI_TAG_UB)?).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_of_values_is_that_of_the_keys() {
        assert_eq!(VALUES.len() as c_int, MPI_UNIVERSE_SIZE - MPI_TAG_UB + 1);
        let host = address(MPI_HOST).unwrap().cast::<c_int>();
        // SAFETY: the address of one of the values above.
        assert_eq!(unsafe { *host }, MPI_PROC_NULL);
        assert!(!is_predefined(MPI_WIN_BASE) && !is_predefined(MPI_KEYVAL_INVALID));
    }
}
