//! channel: not written yet.
