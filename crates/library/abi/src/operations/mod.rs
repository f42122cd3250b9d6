//! Operations that calls start, with checked arguments.

pub(crate) mod access;
pub(crate) mod buffered;
pub(crate) mod collection;
pub(crate) mod completion;
pub(crate) mod external32;
pub(crate) mod message;
pub(crate) mod operation;
pub(crate) mod perform;
pub(crate) mod region;
pub(crate) mod transfer;
