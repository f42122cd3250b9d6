//! Ends the run when a program calls a function that has no body yet, with a message that names the function.

use crate::caller::name_of;
use crate::frame;

/// The target of the entry points of all functions without a body.
pub(crate) extern "C" fn not_implemented(function: u32) -> ! {
    frame::misuse(&format!("{} is not there yet", name_of(function)))
}
