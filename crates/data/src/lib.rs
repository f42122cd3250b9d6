//! data: not written yet.
