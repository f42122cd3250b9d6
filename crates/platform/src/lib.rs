//! platform: not written yet.
