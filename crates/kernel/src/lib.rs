//! kernel: not written yet.
