//! fair: not written yet.
