//! record: not written yet.
