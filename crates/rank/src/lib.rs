//! rank: not written yet.
