//! Traces of our own: the calls of a run, so that replay is exact.
//!
//! ```text
//! header   MPIRAGE\n, version, ranks
//! blocks   each of one rank: rank, sizes, checksum, then entries, compressed
//! footer   speed of the machine, functions and sites, communicators, where the blocks of each rank are
//! trailer  where the footer is
//! ```
//!
//! An entry is a call with the burst and the delay before it, in numbers of variable length ([`entry`]). A call is
//! written as its outcome: a test that failed is a call that takes as long, a wait for any of several requests is a wait for the
//! one that completed. Threads of a rank have blocks of their own, and entries that say which thread wakes which. Receives from any source remain that. docs/reference/traces.md describes every byte.

mod entry;
mod layout;
mod read;
mod requests;
mod threads;
mod write;

pub use read::BinaryTrace;
pub use write::BinaryWriter;
