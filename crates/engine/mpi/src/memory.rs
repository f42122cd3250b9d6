//! The data plane's reach: bytes in the memory of ranks.

use mpirage_call::{LineId, RankId};

/// The farthest that [`Memory::expect`] looks ahead, in turns.
pub const FARTHEST: usize = 2;

/// An address in the memory of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankAddress {
    /// The rank.
    pub rank: RankId,
    /// The address in its memory.
    pub address: u64,
}

/// A reduction by an operator of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserReduction {
    /// The operator's handle in the rank that computes.
    pub op: u64,
    /// The datatype's handle there.
    pub datatype: u64,
    /// The number of elements.
    pub elements: u64,
}

/// Moves bytes in and out of ranks, and lets ranks call functions of their program.
pub trait Memory {
    /// Fills `into` from the memory of a rank.
    fn read(&mut self, from: RankAddress, into: &mut [u8]);
    /// Stores bytes in the memory of a rank; the rank sees them when its call returns.
    fn write(&mut self, to: RankAddress, bytes: &[u8]);
    /// Stores bytes in the memory of a rank, also while it runs: who reads that memory from now on, finds them there.
    fn write_at_once(&mut self, to: RankAddress, bytes: &[u8]) {
        self.write(to, bytes);
    }
    /// Do all ranks share one memory, so that a copy costs no more than its bytes?
    fn is_one(&self) -> bool {
        false
    }
    /// The line will be resumed after `ahead` others, [`FARTHEST`] at most: what it needs first may be prefetched.
    fn expect(&self, _line: LineId, _ahead: usize) {}
    /// Copies bytes from one rank's memory to another's, by way of `buffer` if the implementation needs one.
    fn copy(&mut self, from: RankAddress, to: RankAddress, bytes: usize, buffer: &mut Vec<u8>) {
        buffer.resize(bytes, 0);
        self.read(from, buffer);
        self.write(to, buffer);
    }
    /// Lets `rank` combine packed elements with a function of its program: `inout = incoming op inout`.
    fn reduce(&mut self, rank: RankId, reduction: UserReduction, incoming: &[u8], inout: &mut [u8]);
}

/// No memory at all: ranks that only have sizes, as in replay.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoMemory;

impl Memory for NoMemory {
    fn read(&mut self, _: RankAddress, into: &mut [u8]) {
        into.fill(0);
    }
    fn write(&mut self, _: RankAddress, _: &[u8]) {}
    fn reduce(&mut self, _: RankId, _: UserReduction, _: &[u8], _: &mut [u8]) {}
}
