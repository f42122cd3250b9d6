//! The data plane of collectives: which bytes a rank gets when it leaves.
//!
//! Where no rank can leave before the last has entered, every buffer is stable at the first leave: everything is exchanged
//! then, directly. In rooted operations, scans, among neighbours and between the sides of an inter-communicator a rank may
//! leave early: its contribution is copied first if others still need it.

use std::ops::Range;

use mpirage_call::{Blocks, Collective, Member, Operator, RankId, Reduction};
use mpirage_data::{Basic, Op, apply};

use super::edges::share;
use super::instance::{Instance, Participant};
use crate::data_plane::{DataPlane, Held};
use crate::memory::{Memory, RankAddress, UserReduction};

/// Alltoall reads each contribution as a whole while they fit in this many bytes together, else block by block.
const WHOLE_ALLTOALL_BYTES: u64 = 512 << 20;

/// The exchange of bytes between the members of a collective.
pub(super) struct Exchange<'a, M> {
    data: &'a mut DataPlane<M>,
    instance: &'a mut Instance,
}

/// An offset in the buffer of a member.
#[derive(Clone, Copy)]
struct At {
    member: u32,
    offset: u64,
}

impl<'a, M: Memory> Exchange<'a, M> {
    pub(super) fn new(data: &'a mut DataPlane<M>, instance: &'a mut Instance) -> Exchange<'a, M> {
        Exchange { data, instance }
    }

    /// Gives a member, whose schedule is over, its results.
    pub(super) fn exchange(&mut self, kind: Collective, root: u32, member: u32) {
        use Collective as C;
        match kind {
            C::Barrier => {}
            C::Bcast => self.bcast(root, member),
            C::Scatter | C::Scatterv => self.scatter(root, member),
            C::Gather | C::Gatherv => self.gather(root, member),
            C::Allgather | C::Allgatherv => self.allgather(member),
            C::Alltoall => self.alltoall(),
            C::Alltoallv | C::Alltoallw => self.alltoallv(member),
            C::Reduce => self.reduce(root, member),
            C::Allreduce => self.allreduce(member),
            C::ReduceScatter | C::ReduceScatterBlock => self.reduce_scatter(member),
            C::Scan | C::Exscan => self.scan(member, kind == C::Exscan),
            C::InterReduce | C::InterAllreduce | C::InterReduceScatter | C::InterReduceScatterBlock => {
                self.reduce_across(kind, root, member);
            }
            C::NeighborAllgather
            | C::NeighborAllgatherv
            | C::NeighborAlltoall
            | C::NeighborAlltoallv
            | C::NeighborAlltoallw
            | C::InterBarrier
            | C::InterBcast
            | C::InterGather
            | C::InterGatherv
            | C::InterScatter
            | C::InterScatterv
            | C::InterAllgather
            | C::InterAllgatherv
            | C::InterAlltoall
            | C::InterAlltoallv
            | C::InterAlltoallw => self.take_blocks(kind, root, member),
        }
    }

    fn bcast(&mut self, root: u32, member: u32) {
        if self.instance.results.common.is_none() {
            self.instance.results.common = Some(self.contribution(root));
        }
        if member != root {
            let result = self.instance.results.common.take().unwrap_or_default();
            self.store(At { member, offset: 0 }, &result);
            self.instance.results.common = Some(result);
        }
    }

    fn scatter(&mut self, root: u32, member: u32) {
        let (offset, length) = self.sends(root).of(member as usize);
        self.hand_over(At { member: root, offset }, At { member, offset: 0 }, length);
        if member == root {
            self.keep_for_others(root);
        }
    }

    fn gather(&mut self, root: u32, member: u32) {
        if member != root {
            return self.keep_for_others(member);
        }
        for from in 0..self.size() {
            let length = self.sends(from).total(self.instance.size());
            let (offset, _) = self.receives(root).of(from as usize);
            self.hand_over(At { member: from, offset: 0 }, At { member: root, offset }, length);
        }
    }

    fn allgather(&mut self, member: u32) {
        if self.instance.results.blocks.is_empty() {
            self.instance.results.blocks = (0..self.size()).map(|from| self.contribution(from)).collect();
        }
        for from in 0..self.instance.size() {
            let (offset, _) = self.receives(member).of(from);
            let block = std::mem::take(&mut self.instance.results.blocks[from]);
            self.store(At { member, offset }, &block);
            self.instance.results.blocks[from] = block;
        }
    }

    /// All have entered, so every buffer is stable: all blocks are exchanged at once.
    fn alltoall(&mut self) {
        if std::mem::replace(&mut self.instance.results.exchanged, true) {
            return;
        }
        let size = self.instance.size();
        let all = &self.instance.participants;
        let nothing_sent = all.iter().all(|participant| participant.send.held == Held::Nothing);
        if nothing_sent || all.iter().all(|participant| participant.recv.held == Held::Nothing) {
            return;
        }
        let total: u64 = all.iter().map(|participant| participant.send.layout.blocks().total(size)).sum();
        if total <= WHOLE_ALLTOALL_BYTES && !self.data.memory().is_one() {
            (0..self.size()).for_each(|from| self.snapshot(from));
        }
        for to in 0..self.size() {
            for from in 0..self.size() {
                let (offset, length) = self.sends(from).of(to as usize);
                let (target, _) = self.receives(to).of(from as usize);
                self.hand_over(At { member: from, offset }, At { member: to, offset: target }, length);
            }
        }
        for participant in &mut self.instance.participants {
            self.data.release(&mut participant.send.held);
        }
    }

    /// Ranks with nothing for each other do not wait for each other: each takes its blocks when it leaves.
    fn alltoallv(&mut self, member: u32) {
        for from in 0..self.size() {
            let (target, expected) = self.receives(member).of(from as usize);
            if expected == 0 || !self.participant(from).entered {
                continue;
            }
            let (offset, length) = self.sends(from).of(member as usize);
            let to = At { member, offset: target };
            self.hand_over(At { member: from, offset }, to, length.min(expected));
        }
        self.keep_for_others(member);
    }

    /// A member takes the blocks of its neighbours, or of the other side, when it leaves.
    fn take_blocks(&mut self, kind: Collective, root: u32, member: u32) {
        for edge in self.instance.edges(kind, root, member) {
            let from = At { member: edge.from, offset: edge.offset };
            self.hand_over(from, At { member, offset: edge.target }, edge.length.min(edge.room));
        }
        if self.instance.is_needed(member) {
            self.keep_for_others(member);
        }
    }

    /// A member gets what the contributions of the other side combine to, or its share of that.
    fn reduce_across(&mut self, kind: Collective, root: u32, member: u32) {
        use Collective as C;
        let peers = self.participant(member).peers.peers();
        let Some(sides) = peers.sides(Member { rank: member, size: self.size() }) else { return };
        if kind != C::InterReduce || member == root {
            let side = usize::from(sides.is_first());
            let result = match self.instance.results.of_sides[side].take() {
                Some(result) => result,
                None => self.reduce_over(sides.other.clone(), member),
            };
            let (offset, length) = match kind {
                C::InterReduceScatter | C::InterReduceScatterBlock => {
                    share(&self.receives(member), sides.place(member))
                }
                _ => (0, result.len() as u64),
            };
            let end = ((offset + length) as usize).min(result.len());
            self.store(At { member, offset: 0 }, &result[(offset as usize).min(end)..end]);
            self.instance.results.of_sides[side] = Some(result);
        }
        self.keep_for_others(member);
    }

    fn reduce(&mut self, root: u32, member: u32) {
        if member != root {
            return self.keep_for_others(member);
        }
        let result = self.reduce_all(root);
        self.store(At { member: root, offset: 0 }, &result);
    }

    fn allreduce(&mut self, member: u32) {
        let result = self.common_result(member);
        self.store(At { member, offset: 0 }, &result);
        self.instance.results.common = Some(result);
    }

    fn reduce_scatter(&mut self, member: u32) {
        let result = self.common_result(member);
        let (offset, length) = share(&self.receives(member), member);
        let end = ((offset + length) as usize).min(result.len());
        self.store(At { member, offset: 0 }, &result[(offset as usize).min(end)..end]);
        self.instance.results.common = Some(result);
    }

    /// Prefixes are reduced as far as the rank that leaves; its own contribution is in one then and not needed again.
    fn scan(&mut self, member: u32, exclusive: bool) {
        let (rank, reduction) = (self.instance.rank_of(member), self.participant(member).reduction);
        for next in self.instance.results.blocks.len() as u32..=member {
            let mut own = self.contribution(next);
            if let Some(before) = self.instance.results.blocks.last() {
                fill_absent(&mut own, before);
                combine(self.data, rank, reduction, before, &mut own);
            }
            self.instance.results.blocks.push(own);
        }
        let wanted = if exclusive { member.checked_sub(1) } else { Some(member) };
        if let Some(wanted) = wanted {
            let prefix = std::mem::take(&mut self.instance.results.blocks[wanted as usize]);
            self.store(At { member, offset: 0 }, &prefix);
            self.instance.results.blocks[wanted as usize] = prefix;
        }
    }

    fn common_result(&mut self, member: u32) -> Vec<u8> {
        match self.instance.results.common.take() {
            Some(result) => result,
            None => self.reduce_all(member),
        }
    }

    /// The contributions of all members, combined by `member`.
    fn reduce_all(&mut self, member: u32) -> Vec<u8> {
        self.reduce_over(0..self.size(), member)
    }

    /// `c0 op c1 op … op cn` of some members, from the left. `member` calls the program's function, if the operator is one.
    fn reduce_over(&mut self, mut members: Range<u32>, member: u32) -> Vec<u8> {
        let (rank, reduction) = (self.instance.rank_of(member), self.participant(member).reduction);
        let Some(first) = members.next() else { return Vec::new() };
        let mut result = self.contribution(first);
        for next in members {
            let mut own = self.contribution(next);
            fill_absent(&mut own, &result);
            combine(self.data, rank, reduction, &result, &mut own);
            self.data.give_back(std::mem::replace(&mut result, own));
        }
        result
    }

    /// All that a member contributes.
    fn contribution(&mut self, member: u32) -> Vec<u8> {
        let length = self.sends(member).total(self.instance.send_blocks(member));
        self.part(At { member, offset: 0 }, length)
    }

    fn part(&mut self, from: At, length: u64) -> Vec<u8> {
        let held = self.participant(from.member).send.held;
        self.data.part(held, self.instance.rank_of(from.member), from.offset, length)
    }

    /// Bytes that one member contributes go to another.
    fn hand_over(&mut self, from: At, to: At, length: u64) {
        let held = (self.participant(from.member).send.held, self.participant(to.member).recv.held);
        if let (Held::Memory(source), Held::Memory(target)) = held {
            if length > 0 {
                let source = self.place(from, source);
                let target = self.place(to, target);
                self.data.copy(source, target, length);
            }
            return;
        }
        let block = self.part(from, length);
        self.store(to, &block);
        self.data.give_back(block);
    }

    /// A rank leaves before others have what they need of it, unless all get it now.
    fn keep_for_others(&mut self, member: u32) {
        if !self.instance.settled {
            self.snapshot(member);
        }
    }

    /// Copies what a member contributed, because its memory may change once it has left.
    fn snapshot(&mut self, member: u32) {
        let length = extent(&self.sends(member), self.instance.send_blocks(member));
        let rank = self.instance.rank_of(member);
        self.data.take_over(&mut self.instance.participants[member as usize].send.held, rank, length);
    }

    fn store(&mut self, to: At, bytes: &[u8]) {
        if let (Held::Memory(address), false) = (self.participant(to.member).recv.held, bytes.is_empty()) {
            let place = self.place(to, address);
            self.data.write(place, bytes);
        }
    }

    fn place(&self, at: At, address: u64) -> RankAddress {
        RankAddress { rank: self.instance.rank_of(at.member), address: address + at.offset }
    }

    fn participant(&self, member: u32) -> &Participant {
        &self.instance.participants[member as usize]
    }

    fn sends(&self, member: u32) -> Blocks<'_> {
        self.participant(member).send.layout.blocks()
    }

    fn receives(&self, member: u32) -> Blocks<'_> {
        self.participant(member).recv.layout.blocks()
    }

    fn size(&self) -> u32 {
        self.instance.size() as u32
    }
}

/// `right = left op right`.
fn combine<M: Memory>(
    data: &mut DataPlane<M>,
    caller: RankId,
    reduction: Option<Reduction>,
    left: &[u8],
    right: &mut [u8],
) {
    let Some(reduction) = reduction else { return };
    if left.is_empty() {
        return;
    }
    match reduction.operator {
        Operator::User { op, datatype } => {
            let reduction = UserReduction { op, datatype, elements: reduction.elements };
            data.reduce(caller, reduction, left, right);
        }
        Operator::Predefined { op, basic } => {
            // The library lets only pairs of operator and type pass that go together.
            if let (Some(op), Some(basic)) = (Op::from_code(op), Basic::from_code(basic)) {
                let _ = apply(op, basic, right, left);
            }
        }
    }
}

/// A contribution that has a size only, because it lies in shared memory, is taken to be what the others have so far.
fn fill_absent(own: &mut Vec<u8>, others: &[u8]) {
    if own.is_empty() {
        own.extend_from_slice(others);
    }
}

/// How far a buffer of blocks reaches.
fn extent(blocks: &Blocks<'_>, number: usize) -> u64 {
    match blocks {
        Blocks::Each(list) => list.chunks_exact(2).map(|block| block[0] + block[1]).max().unwrap_or(0),
        other => other.total(number),
    }
}
