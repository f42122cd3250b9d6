//! The data plane: bytes in the memory of ranks, and copies of them that the engine keeps meanwhile.

use mpirage_call::{Payload, RankId};

use crate::ids::{BufferId, Id};
use crate::memory::{Memory, RankAddress, UserReduction};

/// Where the bytes of a message or of a contribution are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Held {
    /// Nowhere: only the size counts.
    #[default]
    Nothing,
    /// In the memory of the rank that gave them, at this address.
    Memory(u64),
    /// In a buffer of the engine.
    Buffer(BufferId),
}

/// The memory of ranks, and the engine's buffers.
#[derive(Debug)]
pub(crate) struct DataPlane<M> {
    memory: M,
    buffers: Vec<Vec<u8>>,
    vacant: Vec<BufferId>,
    /// Vectors that were given back, to be filled again.
    spare: Vec<Vec<u8>>,
    scratch: Vec<u8>,
}

impl<M: Memory> DataPlane<M> {
    pub(crate) fn new(memory: M) -> DataPlane<M> {
        DataPlane { memory, buffers: Vec::new(), vacant: Vec::new(), spare: Vec::new(), scratch: Vec::new() }
    }

    /// The memory of ranks.
    #[inline]
    pub(crate) fn memory(&self) -> &M {
        &self.memory
    }

    /// The same, to change it.
    #[inline]
    pub(crate) fn memory_mut(&mut self) -> &mut M {
        &mut self.memory
    }

    /// Takes the bytes of a payload.
    #[inline]
    pub(crate) fn hold(&mut self, payload: Payload<'_>) -> Held {
        match payload {
            Payload::Absent => Held::Nothing,
            Payload::At(address) => Held::Memory(address),
            Payload::Inline(bytes) => {
                let id = self.take_buffer();
                let buffer = &mut self.buffers[id.index()];
                buffer.clear();
                buffer.extend_from_slice(bytes);
                Held::Buffer(id)
            }
        }
    }

    /// Copies bytes that are in the memory of `rank` into a buffer, because that memory may change.
    pub(crate) fn take_over(&mut self, held: &mut Held, rank: RankId, bytes: u64) {
        if let Held::Memory(address) = *held {
            let id = self.take_buffer();
            let buffer = &mut self.buffers[id.index()];
            buffer.resize(bytes as usize, 0);
            self.memory.read(RankAddress { rank, address }, buffer);
            *held = Held::Buffer(id);
        }
    }

    /// Gives up what is held.
    #[inline]
    pub(crate) fn release(&mut self, held: &mut Held) {
        if let Held::Buffer(id) = std::mem::take(held) {
            self.vacant.push(id);
        }
    }

    /// Delivers held bytes of rank `from` to a place; to none at address zero.
    #[inline(always)]
    pub(crate) fn deliver(&mut self, held: Held, from: RankId, to: RankAddress, bytes: u64) {
        if to.address != 0 && bytes != 0 {
            self.deliver_some(held, from, to, bytes);
        }
    }

    #[inline(never)]
    fn deliver_some(&mut self, held: Held, from: RankId, to: RankAddress, bytes: u64) {
        match held {
            Held::Nothing => {}
            Held::Buffer(id) => self.memory.write(to, &self.buffers[id.index()]),
            Held::Memory(address) => self.copy(RankAddress { rank: from, address }, to, bytes),
        }
    }

    /// Copies bytes between the memories of two ranks.
    pub(crate) fn copy(&mut self, from: RankAddress, to: RankAddress, bytes: u64) {
        self.memory.copy(from, to, bytes as usize, &mut self.scratch);
    }

    /// Stores bytes in the memory of a rank.
    pub(crate) fn write(&mut self, to: RankAddress, bytes: &[u8]) {
        self.memory.write(to, bytes);
    }

    /// Lets a rank combine packed elements with a function of its program.
    pub(crate) fn reduce(&mut self, rank: RankId, reduction: UserReduction, left: &[u8], right: &mut [u8]) {
        self.memory.reduce(rank, reduction, left, right);
    }

    /// Part of the held bytes of a rank, in a vector that [`DataPlane::give_back`] takes.
    pub(crate) fn part(&mut self, held: Held, rank: RankId, offset: u64, length: u64) -> Vec<u8> {
        let mut part = self.spare.pop().unwrap_or_default();
        part.clear();
        match held {
            Held::Nothing => {}
            Held::Buffer(id) => {
                let buffer = &self.buffers[id.index()];
                let end = ((offset + length) as usize).min(buffer.len());
                part.extend_from_slice(&buffer[(offset as usize).min(end)..end]);
            }
            Held::Memory(address) => {
                part.resize(length as usize, 0);
                if length > 0 {
                    self.memory.read(RankAddress { rank, address: address + offset }, &mut part);
                }
            }
        }
        part
    }

    /// A vector that is no longer needed.
    pub(crate) fn give_back(&mut self, part: Vec<u8>) {
        self.spare.push(part);
    }

    #[inline]
    fn take_buffer(&mut self) -> BufferId {
        self.vacant.pop().unwrap_or_else(|| {
            self.buffers.push(Vec::new());
            BufferId::new(self.buffers.len() - 1)
        })
    }
}
