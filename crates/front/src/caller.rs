//! Where an entry point stores which function the program has called, and from where: in words of `libmpi_abi.so.1`.

use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize};

/// The address of the word for the return address.
pub static CALL_SITE: AtomicPtr<usize> = AtomicPtr::new(NOWHERE.as_ptr());
/// The address of the word for the function's position in the table.
pub static CALL_FUNCTION: AtomicPtr<u32> = AtomicPtr::new(NO_FUNCTION.as_ptr());

/// Until the library is found.
static NOWHERE: AtomicUsize = AtomicUsize::new(0);
static NO_FUNCTION: AtomicU32 = AtomicU32::new(0);
