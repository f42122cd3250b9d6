//! Point-to-point communication (chapter 3 of the standard).

pub(crate) mod buffer;
pub(crate) mod complete;
pub(crate) mod exchange;
pub(crate) mod general;
pub(crate) mod partitioned;
pub(crate) mod probe;
pub(crate) mod receive;
pub(crate) mod requests;
pub(crate) mod send;
pub(crate) mod status;
