//! One access: what it does with the bytes.

use mpirage_call::{AccessKind, ContextId, RankId};
use mpirage_data::{Basic, Op};
use mpirage_units::Time;

use super::exposure::Stretch;
use crate::data_plane::{DataPlane, Held};
use crate::memory::{Memory, RankAddress};
use crate::transport::message::Owner;

/// Two ranks and a window: accesses on one way are applied in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Way {
    pub window: ContextId,
    pub origin: RankId,
    pub target: RankId,
}

/// Where an access is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessState {
    /// On its way to the target.
    Going,
    /// At the target, which may have to wait for earlier ones.
    Arrived,
    /// The target carries it out.
    Served,
    /// Its answer is on its way to the origin.
    Returning,
}

/// An access under way.
#[derive(Debug)]
pub(crate) struct Access {
    pub kind: AccessKind,
    pub way: Way,
    pub operator: Option<(Op, Basic)>,
    pub bytes: u64,
    /// The bytes of the origin.
    pub held: Held,
    /// The parts of the target's memory.
    pub parts: Vec<Stretch>,
    /// The address in the origin's memory for the bytes that it fetches.
    pub result: u64,
    /// The bytes that it fetches.
    pub fetched: Vec<u8>,
    /// The operation that completes with it, besides the count of its way.
    pub owner: Owner,
    pub state: AccessState,
    pub issued: Time,
    /// When its bytes started to move.
    pub departed: Time,
    pub ideal: Time,
}

impl Access {
    /// Carries out the access in the target's memory.
    pub(crate) fn apply<M: Memory>(&mut self, data: &mut DataPlane<M>) {
        if !self.parts.is_empty() {
            self.touch(data);
        }
        data.release(&mut self.held);
    }

    /// Reads and changes the parts of the target's memory.
    fn touch<M: Memory>(&mut self, data: &mut DataPlane<M>) {
        match self.kind {
            AccessKind::Put => {
                let incoming = data.part(self.held, self.way.origin, 0, self.bytes);
                self.store(data, &incoming);
                data.give_back(incoming);
            }
            AccessKind::Get => self.fetched = self.load(data),
            AccessKind::Accumulate => {
                let loaded = self.load(data);
                self.combine(data, loaded);
            }
            AccessKind::GetAccumulate => {
                self.fetched = self.load(data);
                self.combine(data, self.fetched.clone());
            }
            AccessKind::CompareAndSwap => self.fetched = self.swap(data),
        }
    }

    /// Gives the origin what it gets.
    pub(crate) fn deliver<M: Memory>(&mut self, data: &mut DataPlane<M>) {
        if self.result != 0 && !self.fetched.is_empty() {
            data.write(RankAddress { rank: self.way.origin, address: self.result }, &self.fetched);
        }
    }

    fn load<M: Memory>(&self, data: &mut DataPlane<M>) -> Vec<u8> {
        let mut loaded = vec![0; self.bytes as usize];
        let mut rest = &mut loaded[..];
        for &Stretch { address, bytes } in &self.parts {
            let (now, later) = rest.split_at_mut((bytes as usize).min(rest.len()));
            data.memory_mut().read(RankAddress { rank: self.way.target, address }, now);
            rest = later;
        }
        loaded
    }

    fn store<M: Memory>(&self, data: &mut DataPlane<M>, stored: &[u8]) {
        let mut rest = stored;
        for &Stretch { address, bytes } in &self.parts {
            let (now, later) = rest.split_at((bytes as usize).min(rest.len()));
            data.memory_mut().write_at_once(RankAddress { rank: self.way.target, address }, now);
            rest = later;
        }
    }

    /// Combines the origin's elements into the target's, which were `loaded`.
    fn combine<M: Memory>(&self, data: &mut DataPlane<M>, mut loaded: Vec<u8>) {
        let Some((op, basic)) = self.operator.filter(|&(op, _)| op != Op::NoOp) else { return };
        let incoming = data.part(self.held, self.way.origin, 0, self.bytes);
        // The library has checked that the operator is defined on the elements.
        if mpirage_data::op::apply(op, basic, &mut loaded, &incoming).is_ok() {
            self.store(data, &loaded);
        }
        data.give_back(incoming);
    }

    fn swap<M: Memory>(&self, data: &mut DataPlane<M>) -> Vec<u8> {
        let before = self.load(data);
        let values = data.part(self.held, self.way.origin, 0, 2 * self.bytes);
        if let Some((new, expected)) = values.split_at_checked(self.bytes as usize)
            && expected == before
        {
            self.store(data, new);
        }
        data.give_back(values);
        before
    }
}
