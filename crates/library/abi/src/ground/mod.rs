//! The lowest layer, which all others use: errors, handles, locks, memory, output, the process.

pub(crate) mod allocator;
pub(crate) mod arguments;
pub(crate) mod callbacks;
pub(crate) mod crash;
pub(crate) mod error;
pub(crate) mod exceptions;
pub(crate) mod handles;
pub(crate) mod heap;
mod imports;
pub(crate) mod lock;
pub(crate) mod output;
pub(crate) mod process;
pub(crate) mod status;
pub(crate) mod system;
