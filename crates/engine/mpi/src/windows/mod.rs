//! Windows: memory of ranks that others access by themselves.
//!
//! ```text
//! put, accumulate      origin ── bytes ──► target: applied ── acknowledgement ──► origin: complete
//! get                  origin ── request ─► target: read ──── bytes ────────────► origin: complete
//! fetching operations  origin ── bytes ──► target: applied ── bytes ────────────► origin: complete
//! lock                 origin ── request ─► target: queued, granted ─────────────► origin: goes on
//! unlock               origin ── notice ──► target: the next ones are granted
//! ```
//!
//! The target's program has no part in it. What a rank does to one target in one window is applied in the order of its calls, at
//! the instant at which it has arrived: so all accesses of a run have a total order, and accumulations are atomic.

pub(crate) mod access;
pub(crate) mod exposure;
pub(crate) mod lock;
pub(crate) mod state;

pub(crate) use state::Windows;
