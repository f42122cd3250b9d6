//! Which MPI function the program has called last, and from where.
//!
//! The entry points ([`crate::trampoline`]) write it, diagnostics read it ("MPI_Send at solver.c:120"). There is one pair of
//! words per process. With several threads inside MPI the last caller's stays, so a function that wants it reads it first.

use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// The return address of the last call into MPI.
pub(crate) static CALL_SITE: AtomicUsize = AtomicUsize::new(0);
/// The index of the MPI function that was called last.
pub(crate) static CALL_FUNCTION: AtomicU32 = AtomicU32::new(0);

/// A call into MPI, as its entry point saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The position of the function in the table of functions.
    pub function: u32,
    /// The address after the call instruction in the caller.
    pub call_site: usize,
}

impl Caller {
    /// The last call into MPI.
    #[inline]
    pub fn last() -> Caller {
        Caller {
            function: CALL_FUNCTION.load(Ordering::Relaxed),
            call_site: CALL_SITE.load(Ordering::Relaxed),
        }
    }

    /// The name of the function, `MPI_Send` also when the program called `PMPI_Send`.
    pub fn name(self) -> &'static str {
        name_of(self.function)
    }

    /// Makes this the last call again, after other ranks of the process have made calls.
    #[inline]
    pub(crate) fn restore(self) {
        CALL_FUNCTION.store(self.function, Ordering::Relaxed);
        CALL_SITE.store(self.call_site, Ordering::Relaxed);
    }
}

/// Does work during which other ranks of this process may run and make calls.
pub(crate) fn keeping_caller<T>(work: impl FnOnce() -> T) -> T {
    let caller = Caller::last();
    let result = work();
    caller.restore();
    result
}

/// The name of the MPI function with this index.
pub(crate) fn name_of(function: u32) -> &'static str {
    NAMES.get(function as usize).copied().unwrap_or("MPI_Migrate")
}

include!(concat!(env!("OUT_DIR"), "/names.rs"));
