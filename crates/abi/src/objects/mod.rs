//! What handles stand for.

pub(crate) mod comm;
pub(crate) mod errhandler;
