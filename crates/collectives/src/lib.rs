//! collectives: not written yet.
