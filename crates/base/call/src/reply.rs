//! Replies to calls, and services that the simulator asks of a waiting rank.

use mpirage_units::Time;

use crate::ContextId;

/// The index of a completion that belongs to no entry of an array.
pub const NO_INDEX: u32 = u32::MAX;

/// A bit in the index of a completion that answers `TakeCompleted`: the request has started. Another completion says that it
/// is complete.
pub const STARTED: u32 = 1 << 31;

/// One completed operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Position of the request in the call's list; in the answer to `TakeCompleted`, the number of the request.
    pub index: u32,
    /// Rank of the sender in the communicator; −1 if there is none.
    pub source: i32,
    /// Tag of the message; −1 if there is none.
    pub tag: i32,
    /// Packed bytes received.
    pub bytes: u64,
    /// Was the operation cancelled?
    pub cancelled: bool,
    /// Was the message too long for the receive? Then `bytes` is the length of the message.
    pub truncated: bool,
    /// Did the ranks of a collective give different sizes? Then `truncated` says whether this rank was to get too much.
    pub mismatched: bool,
}

impl Completion {
    /// Is it that of a receive?
    #[inline]
    pub fn is_receive(&self) -> bool {
        self.source >= 0
    }

    /// The completion of an operation that is not a receive.
    pub fn empty(index: u32) -> Completion {
        Completion {
            index,
            source: -1,
            tag: -1,
            bytes: 0,
            cancelled: false,
            truncated: false,
            mismatched: false,
        }
    }
}

/// The answer to a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The simulated time at which the call returns. A rank that is a graph gets its reply as soon as the end of an operation
    /// is certain: then this is the date of that end.
    pub now: Time,
    /// The rank goes on before the call returns in simulated time: `now` is not known yet.
    pub early: bool,
    /// The operations that are complete. Empty if a poll found none.
    pub completions: Vec<Completion>,
    /// The message that a matched probe took.
    pub message: Option<u32>,
    /// The communicator that was made; none if the rank is not a member.
    pub context: Option<ContextId>,
    /// The members of that communicator as ranks of the world, in order. Empty if they are those of the parent. Or a text
    /// ([`pack_text`]), or what is known of a poll that failed ([`Quiet`](crate::Quiet)).
    pub members: Vec<u32>,
    /// The picoseconds of this machine that a skipped sample counts for, or the number of a shared memory.
    pub number: Option<u64>,
}

/// A text as words of a reply.
pub fn pack_text(text: &str) -> Vec<u32> {
    let word = |chunk: &[u8]| chunk.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
    text.as_bytes().chunks(4).map(word).collect()
}

/// The bytes of a text of this length.
pub fn unpack_text(words: &[u32], length: usize) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).take(length).collect()
}

impl Reply {
    /// An empty reply.
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

    /// Makes the reply empty, and keeps its memory.
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

/// A request of the simulator to a rank that waits for its reply.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Service<'a> {
    /// Give bytes of the rank's memory.
    Peek {
        /// Address of the first byte.
        address: u64,
        /// Number of bytes.
        bytes: u64,
    },
    /// Store bytes in the rank's memory.
    Poke {
        /// Address of the first byte.
        address: u64,
        /// The bytes.
        bytes: &'a [u8],
    },
    /// Combine packed elements with a function of the program: give back `incoming op inout`.
    Reduce {
        /// The operator's handle.
        op: u64,
        /// The datatype's handle.
        datatype: u64,
        /// Number of elements.
        elements: u64,
        /// The left operand.
        incoming: &'a [u8],
        /// The right operand.
        inout: &'a [u8],
    },
    /// Keep bytes in a buffer: part of operands that are too large for one service.
    Stage {
        /// Offset in the buffer; zero begins a new buffer.
        offset: u64,
        /// The bytes.
        bytes: &'a [u8],
    },
    /// Combine two operands in the buffer. The result replaces the right one.
    ReduceStaged {
        /// The operator's handle.
        op: u64,
        /// The datatype's handle.
        datatype: u64,
        /// Number of elements.
        elements: u64,
        /// Bytes of each operand.
        bytes: u64,
    },
    /// Give bytes of the buffer.
    Fetch {
        /// Offset in the buffer.
        offset: u64,
        /// Number of bytes.
        bytes: u64,
    },
}
