//! Files: what ranks ask of the storage of the simulated machine.
//!
//! The bytes are in files of this machine, which ranks read and write themselves. Calls carry sizes only.

use crate::{ContextId, RequestId};

/// When ranks combine their parts of a collective access at a few of them (two-phase I/O).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TwoPhase {
    /// If their parts are interleaved.
    #[default]
    Automatic,
    /// Always.
    Enabled,
    /// Never: each rank accesses its own part.
    Disabled,
}

/// A program's hints for the library and the file system, from the info of a file. Zeros leave the choice to them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileHints {
    /// `cb_nodes`: the number of ranks that access the file for all.
    pub aggregators: u32,
    /// `cb_buffer_size`: the bytes that such a rank collects at a time.
    pub buffer: u64,
    /// `striping_factor`: the number of servers that hold parts of the file.
    pub stripe_count: u32,
    /// `striping_unit`: the bytes of a part.
    pub stripe_size: u64,
    /// `romio_cb_read`.
    pub collective_read: TwoPhase,
    /// `romio_cb_write`.
    pub collective_write: TwoPhase,
    /// `romio_ds_read` is not disabled: parts with gaps are read with the gaps.
    pub sieve_read: bool,
    /// `romio_ds_write` is not disabled: parts with gaps are read with the gaps, changed and written back.
    pub sieve_write: bool,
}

/// An access of a rank to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileAccessCall {
    /// The file: the communicator that was made for it.
    pub file: ContextId,
    /// Does it write?
    pub write: bool,
    /// Do all ranks of the file take part?
    pub collective: bool,
    /// The first byte of the file.
    pub offset: u64,
    /// The bytes from there to the last one, with gaps.
    pub span: u64,
    /// The bytes without gaps.
    pub bytes: u64,
    /// The number of pieces between gaps.
    pub pieces: u32,
    /// The request that completes with it; none if the rank waits.
    pub request: Option<RequestId>,
}
