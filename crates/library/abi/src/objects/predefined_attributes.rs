//! The attributes that the standard puts on communicators. A program gets the address of an int, so they live here.

use crate::constants::*;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicI32, Ordering};

/// No value yet: to the program there is no such attribute.
const ABSENT: c_int = c_int::MIN;

/// How many there are.
const COUNT: usize = (MPI_UNIVERSE_SIZE - MPI_TAG_UB + 1) as usize;

/// Their values in one rank, in the order of their keys, from `MPI_TAG_UB` on.
pub(crate) struct PredefinedAttributes([AtomicI32; COUNT]);

/// Is it one of these keys?
pub(crate) fn is_predefined(key: c_int) -> bool {
    position(key).is_some()
}

impl PredefinedAttributes {
    pub(crate) const fn new() -> PredefinedAttributes {
        PredefinedAttributes([
            AtomicI32::new(c_int::MAX),       // MPI_TAG_UB
            AtomicI32::new(MPI_ANY_SOURCE),   // MPI_IO: all ranks
            AtomicI32::new(MPI_PROC_NULL),    // MPI_HOST: none
            AtomicI32::new(1),                // MPI_WTIME_IS_GLOBAL: there is one simulated clock
            AtomicI32::new(ABSENT),           // MPI_APPNUM
            AtomicI32::new(MPI_ERR_LASTCODE), // MPI_LASTUSEDCODE
            AtomicI32::new(ABSENT),           // MPI_UNIVERSE_SIZE
        ])
    }

    /// Gives one of them its value; `MPI_Init` does, for those that depend on the run.
    pub(crate) fn set(&self, key: c_int, value: c_int) {
        self.0[position(key).expect("a key of the standard")].store(value, Ordering::Relaxed);
    }

    /// The address of its value, if it has one.
    pub(crate) fn address(&self, key: c_int) -> Option<*mut c_void> {
        let slot = &self.0[position(key)?];
        (slot.load(Ordering::Relaxed) != ABSENT).then(|| slot.as_ptr().cast())
    }
}

fn position(key: c_int) -> Option<usize> {
    let position = usize::try_from(key.checked_sub(MPI_TAG_UB)?).ok()?;
    (position < COUNT).then_some(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_of_values_is_that_of_the_keys() {
        let attributes = PredefinedAttributes::new();
        let host = attributes.address(MPI_HOST).unwrap().cast::<c_int>();
        // SAFETY: the address of one of the values above.
        assert_eq!(unsafe { *host }, MPI_PROC_NULL);
        assert!(!is_predefined(MPI_WIN_BASE) && !is_predefined(MPI_KEYVAL_INVALID));
    }
}
