//! What happens when a program calls a function that has no body yet: the run ends and says which.

use crate::library;
use crate::trampoline::name_of;

/// The exit code of a program that needed a function which is not there.
pub const EXIT_CODE: i32 = 81;

/// Where the trampoline of every function without a body ends.
pub(crate) extern "C" fn not_there_yet(index: u32) -> ! {
    library::misuse(&format!("{} is not there yet", name_of(index)))
}
