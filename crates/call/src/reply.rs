//! Answers to calls, and services the simulator may ask of a waiting rank.

use mpirage_units::Time;

use crate::ContextId;

/// The index of a completion that belongs to no entry of an array.
pub const NO_INDEX: u32 = u32::MAX;

/// In the index of a completion that a harvest gives: the request has started. That it is complete is told besides.
pub const STARTED: u32 = 1 << 31;

/// One completed operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Position of the request in the call's list; of a harvest, the number of the request.
    pub index: u32,
    /// Rank of the sender in the communicator; −1 if there is none.
    pub source: i32,
    /// Tag of the message; −1 if there is none.
    pub tag: i32,
    /// Packed bytes received.
    pub bytes: u64,
    /// Was it taken back by a cancel?
    pub cancelled: bool,
    /// Did the message not fit? Then `bytes` is what was sent.
    pub truncated: bool,
}

impl Completion {
    /// Completion of an operation that received nothing.
    pub fn empty(index: u32) -> Completion {
        Completion { index, source: -1, tag: -1, bytes: 0, cancelled: false, truncated: false }
    }
}

/// The answer to a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The simulated time at which the call returns. Ranks that are graphs are told of what is complete when its end is
    /// certain: then this is the date of the end.
    pub now: Time,
    /// The rank goes on before simulated time is there: `now` is not known yet.
    pub early: bool,
    /// What completed; of a poll, nothing if nothing did.
    pub completions: Vec<Completion>,
    /// The message taken by a matched probe.
    pub message: Option<u32>,
    /// The communicator that was made; none if the rank is not in it.
    pub context: Option<ContextId>,
    /// Its members as ranks of the world, in order. Empty after `Dup`: the same as the parent's.
    pub members: Vec<u32>,
    /// What a skipped sample counts for, in picoseconds of this machine, or the number of shared memory.
    pub number: Option<u64>,
}

impl Reply {
    /// Nothing.
    pub const fn new() -> Reply {
        Reply {
            now: Time::ZERO,
            early: false,
            completions: Vec::new(),
            message: None,
            context: None,
            members: Vec::new(),
            number: None,
        }
    }

    /// Forget everything, keep the memory.
    pub fn clear(&mut self) {
        self.now = Time::ZERO;
        self.early = false;
        self.completions.clear();
        self.message = None;
        self.context = None;
        self.members.clear();
        self.number = None;
    }
}

/// Something the simulator asks of a rank that waits for its answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Service<'a> {
    /// Give me bytes of your memory.
    Peek {
        /// From where.
        address: u64,
        /// How many.
        bytes: u64,
    },
    /// Store these bytes.
    Poke {
        /// Where.
        address: u64,
        /// What.
        bytes: &'a [u8],
    },
    /// Combine packed elements with a function of the program: give back `incoming op inout`.
    Reduce {
        /// The operator's handle.
        op: u64,
        /// The datatype's handle.
        datatype: u64,
        /// How many elements.
        elements: u64,
        /// The left operand.
        incoming: &'a [u8],
        /// The right operand.
        inout: &'a [u8],
    },
    /// Keep these bytes at this offset of a buffer: part of operands that are too large for one service.
    Stage {
        /// Where in the buffer; zero begins a new buffer.
        offset: u64,
        /// What.
        bytes: &'a [u8],
    },
    /// Combine what is in the buffer: two operands of `bytes` bytes each. The result replaces the right one.
    ReduceStaged {
        /// The operator's handle.
        op: u64,
        /// The datatype's handle.
        datatype: u64,
        /// How many elements.
        elements: u64,
        /// How many bytes each operand has.
        bytes: u64,
    },
    /// Give me bytes of the buffer.
    Fetch {
        /// From where in the buffer.
        offset: u64,
        /// How many.
        bytes: u64,
    },
}
