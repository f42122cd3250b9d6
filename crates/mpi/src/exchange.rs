//! The data plane of collectives: who gets which bytes, when a rank leaves.
//!
//! Where nobody can leave before the last has entered, every buffer is stable at the first leave:
//! everything is exchanged then, directly. In rooted operations and scans a rank may leave early: what
//! such a rank contributed is copied first if somebody still needs it.

use mpirage_call::{Operator, Reduction};
use mpirage_collectives::Collective;
use mpirage_data::{Basic, Op, apply};

use crate::collective::{Instance, Seat};
use crate::engine::Engine;
use crate::memory::Memory;
use crate::message::Held;

/// Alltoall reads each contribution as a whole while they fit in this many bytes together, else block by block.
const WHOLE_ALLTOALL_BYTES: u64 = 512 << 20;

impl<M: Memory> Engine<M> {
    /// Gives the rank in `seat`, whose schedule is over, what is its.
    pub(crate) fn exchange(&mut self, instance: &mut Instance, kind: Collective, root: u32, seat: u32) {
        use Collective as C;
        match kind {
            C::Barrier => {}
            C::Bcast => self.bcast(instance, root, seat),
            C::Scatter | C::Scatterv => self.scatter(instance, root, seat),
            C::Gather | C::Gatherv => self.gather(instance, root, seat),
            C::Allgather | C::Allgatherv => self.allgather(instance, seat),
            C::Alltoall => self.alltoall(instance),
            C::Alltoallv | C::Alltoallw => self.alltoallv(instance, seat),
            C::Reduce => self.reduce(instance, root, seat),
            C::Allreduce => self.allreduce(instance, seat),
            C::ReduceScatter | C::ReduceScatterBlock => self.reduce_scatter(instance, seat),
            C::Scan | C::Exscan => self.scan(instance, seat, kind == C::Exscan),
        }
    }

    fn bcast(&mut self, instance: &mut Instance, root: u32, seat: u32) {
        if instance.kept.result.is_none() {
            instance.kept.result = Some(self.contribution(instance, root));
        }
        if seat != root {
            let result = instance.kept.result.take().unwrap_or_default();
            self.store(instance, seat, 0, &result);
            instance.kept.result = Some(result);
        }
    }

    fn scatter(&mut self, instance: &mut Instance, root: u32, seat: u32) {
        let (offset, length) = instance.seats[root as usize].send.cut.blocks().of(seat as usize);
        self.hand_over(instance, (root, offset), (seat, 0), length);
        if seat == root {
            self.keep_for_others(instance, root);
        }
    }

    fn gather(&mut self, instance: &mut Instance, root: u32, seat: u32) {
        if seat != root {
            return self.keep_for_others(instance, seat);
        }
        for from in 0..instance.size() as u32 {
            let length = instance.seats[from as usize].send.cut.blocks().total(instance.size());
            let (offset, _) = instance.seats[root as usize].recv.cut.blocks().of(from as usize);
            self.hand_over(instance, (from, 0), (root, offset), length);
        }
    }

    fn allgather(&mut self, instance: &mut Instance, seat: u32) {
        if instance.kept.prefixes.is_empty() {
            instance.kept.prefixes =
                (0..instance.size() as u32).map(|from| self.contribution(instance, from)).collect();
        }
        for from in 0..instance.size() {
            let (offset, _) = instance.seats[seat as usize].recv.cut.blocks().of(from);
            let block = std::mem::take(&mut instance.kept.prefixes[from]);
            self.store(instance, seat, offset, &block);
            instance.kept.prefixes[from] = block;
        }
    }

    /// Everybody has entered, so every buffer is stable: all blocks are exchanged at once.
    fn alltoall(&mut self, instance: &mut Instance) {
        if std::mem::replace(&mut instance.kept.exchanged, true) {
            return;
        }
        let size = instance.size();
        let absent = |held: &Held| matches!(held, Held::Nothing);
        let nothing_given = instance.seats.iter().all(|seat| absent(&seat.send.held));
        if nothing_given || instance.seats.iter().all(|seat| absent(&seat.recv.held)) {
            return;
        }
        let total: u64 = instance.seats.iter().map(|seat| seat.send.cut.blocks().total(size)).sum();
        if total <= WHOLE_ALLTOALL_BYTES && !self.memory.is_one() {
            for from in 0..size as u32 {
                self.snapshot(instance, from);
            }
        }
        for to in 0..size as u32 {
            for from in 0..size as u32 {
                let (offset, length) = instance.seats[from as usize].send.cut.blocks().of(to as usize);
                let (target, _) = instance.seats[to as usize].recv.cut.blocks().of(from as usize);
                self.hand_over(instance, (from, offset), (to, target), length);
            }
        }
        instance.seats.iter_mut().for_each(|seat| seat.send.held = Held::Nothing);
    }

    /// Ranks with nothing for each other do not wait for each other: each takes what is its when it leaves.
    fn alltoallv(&mut self, instance: &mut Instance, seat: u32) {
        for from in 0..instance.size() as u32 {
            let (target, expected) = instance.seats[seat as usize].recv.cut.blocks().of(from as usize);
            if expected == 0 || !instance.seats[from as usize].entered {
                continue;
            }
            let (offset, length) = instance.seats[from as usize].send.cut.blocks().of(seat as usize);
            self.hand_over(instance, (from, offset), (seat, target), length.min(expected));
        }
        self.keep_for_others(instance, seat);
    }

    fn reduce(&mut self, instance: &mut Instance, root: u32, seat: u32) {
        if seat != root {
            return self.keep_for_others(instance, seat);
        }
        let result = self.fold_all(instance, root);
        self.store(instance, root, 0, &result);
    }

    fn allreduce(&mut self, instance: &mut Instance, seat: u32) {
        let result = self.common_result(instance, seat);
        self.store(instance, seat, 0, &result);
        instance.kept.result = Some(result);
    }

    fn reduce_scatter(&mut self, instance: &mut Instance, seat: u32) {
        let result = self.common_result(instance, seat);
        let (offset, length) = match instance.seats[seat as usize].recv.cut.blocks() {
            mpirage_call::Blocks::Whole(bytes) => (bytes * u64::from(seat), bytes),
            blocks => blocks.of(seat as usize),
        };
        let end = ((offset + length) as usize).min(result.len());
        self.store(instance, seat, 0, &result[(offset as usize).min(end)..end]);
        instance.kept.result = Some(result);
    }

    /// Prefixes are folded as far as the rank that leaves; by then its own contribution is in one and not needed again.
    fn scan(&mut self, instance: &mut Instance, seat: u32, exclusive: bool) {
        for next in instance.kept.prefixes.len() as u32..=seat {
            let mut own = self.contribution(instance, next);
            if let Some(before) = instance.kept.prefixes.last() {
                let reduction = instance.seats[seat as usize].reduction;
                fill_absent(&mut own, before);
                self.combine(instance.world_of(seat), reduction, before, &mut own);
            }
            instance.kept.prefixes.push(own);
        }
        let wanted = if exclusive { seat.checked_sub(1) } else { Some(seat) };
        if let Some(wanted) = wanted {
            let prefix = std::mem::take(&mut instance.kept.prefixes[wanted as usize]);
            self.store(instance, seat, 0, &prefix);
            instance.kept.prefixes[wanted as usize] = prefix;
        }
    }

    fn common_result(&mut self, instance: &mut Instance, seat: u32) -> Vec<u8> {
        match instance.kept.result.take() {
            Some(result) => result,
            None => self.fold_all(instance, seat),
        }
    }

    /// `c0 op c1 op … op cn`, from the left. `seat` calls the program's function, if it is one.
    fn fold_all(&mut self, instance: &mut Instance, seat: u32) -> Vec<u8> {
        let reduction = instance.seats[seat as usize].reduction;
        let caller = instance.world_of(seat);
        let mut folded = self.contribution(instance, 0);
        for next in 1..instance.size() as u32 {
            let mut own = self.contribution(instance, next);
            fill_absent(&mut own, &folded);
            self.combine(caller, reduction, &folded, &mut own);
            self.buffers.push(std::mem::replace(&mut folded, own));
        }
        folded
    }

    /// `right = left op right`.
    fn combine(&mut self, caller: u32, reduction: Option<Reduction>, left: &[u8], right: &mut [u8]) {
        let Some(reduction) = reduction else { return };
        if left.is_empty() {
            return;
        }
        match reduction.operator {
            Operator::User { op, datatype } => {
                self.memory.reduce(caller, op, datatype, reduction.elements, left, right);
            }
            Operator::Predefined { op, basic } => {
                // The library lets only pairs of operator and type pass that go together.
                if let (Some(op), Some(basic)) = (Op::from_code(op), Basic::from_code(basic)) {
                    let _ = apply(op, basic, right, left);
                }
            }
        }
    }

    /// All that a rank contributes.
    fn contribution(&mut self, instance: &Instance, seat: u32) -> Vec<u8> {
        let length = instance.seats[seat as usize].send.cut.blocks().total(instance.size());
        self.part_of(instance, seat, 0, length)
    }

    /// Bytes of what a rank contributes, from wherever they are.
    fn part_of(&mut self, instance: &Instance, seat: u32, offset: u64, length: u64) -> Vec<u8> {
        let mut block = self.buffers.pop().unwrap_or_default();
        block.clear();
        match &instance.seats[seat as usize].send.held {
            Held::Nothing => {}
            Held::Buffer(buffer) => {
                let end = ((offset + length) as usize).min(buffer.len());
                block.extend_from_slice(&buffer[(offset as usize).min(end)..end]);
            }
            Held::Memory(address) => {
                block.resize(length as usize, 0);
                if length > 0 {
                    self.memory.read(instance.world_of(seat), address + offset, &mut block);
                }
            }
        }
        block
    }

    /// Bytes of what one rank contributes go to another, each at an offset of its buffer.
    fn hand_over(&mut self, instance: &Instance, from: (u32, u64), to: (u32, u64), length: u64) {
        let held = (&instance.seats[from.0 as usize].send.held, &instance.seats[to.0 as usize].recv.held);
        if let (Held::Memory(source), Held::Memory(target)) = held {
            if length > 0 {
                let source = (instance.world_of(from.0), source + from.1);
                let target = (instance.world_of(to.0), target + to.1);
                self.memory.copy(source, target, length as usize, &mut self.scratch);
            }
            return;
        }
        let block = self.part_of(instance, from.0, from.1, length);
        self.store(instance, to.0, to.1, &block);
        self.buffers.push(block);
    }

    /// A rank leaves before others have what they need of it, unless all get it now.
    fn keep_for_others(&mut self, instance: &mut Instance, seat: u32) {
        if !instance.settled {
            self.snapshot(instance, seat);
        }
    }

    /// Copies what a rank contributed, because its memory may change once it has left.
    fn snapshot(&mut self, instance: &mut Instance, seat: u32) {
        let Seat { send, .. } = &instance.seats[seat as usize];
        if let Held::Memory(address) = send.held {
            let length = extent(&send.cut.blocks(), instance.size());
            let mut copy = vec![0; length as usize];
            self.memory.read(instance.world_of(seat), address, &mut copy);
            instance.seats[seat as usize].send.held = Held::Buffer(copy);
        }
    }

    fn store(&mut self, instance: &Instance, seat: u32, offset: u64, bytes: &[u8]) {
        if let (Held::Memory(address), false) = (&instance.seats[seat as usize].recv.held, bytes.is_empty()) {
            self.memory.write(instance.world_of(seat), address + offset, bytes);
        }
    }
}

/// A contribution that has a size only, because it lies in shared memory, is taken to be what the others have so far.
fn fill_absent(own: &mut Vec<u8>, others: &[u8]) {
    if own.is_empty() {
        own.extend_from_slice(others);
    }
}

/// How far a cut buffer reaches.
fn extent(blocks: &mpirage_call::Blocks<'_>, size: usize) -> u64 {
    match blocks {
        mpirage_call::Blocks::Each(list) => {
            list.chunks_exact(2).map(|block| block[0] + block[1]).max().unwrap_or(0)
        }
        other => other.total(size),
    }
}
