//! The data plane's reach: bytes in the memory of ranks.

/// How many turns ahead ranks are expected at most.
pub const FARTHEST: usize = 2;

/// Moves bytes in and out of ranks, and lets ranks call functions of their program.
pub trait Memory {
    /// Fills `into` from `address` in the memory of `rank`.
    fn read(&mut self, rank: u32, address: u64, into: &mut [u8]);
    /// Stores bytes at `address` in the memory of `rank`; the rank sees them when its call returns.
    fn write(&mut self, rank: u32, address: u64, bytes: &[u8]);
    /// Is the memory of all ranks one, so that copies cost no more than the bytes?
    fn is_one(&self) -> bool {
        false
    }
    /// This rank will be resumed after `ahead` others, [`FARTHEST`] at most: what it needs first may be brought near.
    fn expect(&self, _rank: u32, _ahead: usize) {}
    /// Copies bytes from one rank's memory to another's; `by_way_of` is memory of ours, if that is needed.
    fn copy(&mut self, from: (u32, u64), to: (u32, u64), bytes: usize, by_way_of: &mut Vec<u8>) {
        by_way_of.resize(bytes, 0);
        self.read(from.0, from.1, by_way_of);
        self.write(to.0, to.1, by_way_of);
    }
    /// Lets `rank` combine packed elements with a function of its program: `inout = incoming op inout`.
    fn reduce(&mut self, rank: u32, op: u64, datatype: u64, elements: u64, incoming: &[u8], inout: &mut [u8]);
}

/// No memory at all: ranks that only have sizes, as in replay.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoMemory;

impl Memory for NoMemory {
    fn read(&mut self, _: u32, _: u64, into: &mut [u8]) {
        into.fill(0);
    }
    fn write(&mut self, _: u32, _: u64, _: &[u8]) {}
    fn reduce(&mut self, _: u32, _: u64, _: u64, _: u64, _: &[u8], _: &mut [u8]) {}
}
