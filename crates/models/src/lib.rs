//! models: not written yet.
