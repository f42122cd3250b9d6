//! call: not written yet.
