//! cli: not written yet.
