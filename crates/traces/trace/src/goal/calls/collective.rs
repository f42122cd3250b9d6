//! Collectives: the messages they consist of.

use mpirage_call::{CollectiveCall, CommRequest, ContextId, Member};
use mpirage_collectives::{SETS, Step};
use mpirage_data::Group;

use super::super::chain::Chain;
use super::super::graph::{Op, OpKind};
use super::{GoalRank, GoalWriter, Open, calc, losses, message};
use crate::communicators::group_of;
use crate::expansion::expand;

/// So many non-blocking collectives of a communicator have tags of their own.
const BESIDE_EACH_OTHER: u32 = 1 << 8;

impl GoalWriter {
    pub(super) fn collective(&mut self, rank: u32, call: &CollectiveCall<'_>) {
        let members = self.communicators.members(rank, call.context);
        self.collective_of(rank, call, &members);
    }

    fn collective_of(&mut self, rank: u32, call: &CollectiveCall<'_>, members: &Group) {
        let Some(seat) = members.rank_of(rank) else { return };
        let state = &mut self.ranks[rank as usize];
        state.write_computation();
        let (mut chain, number) = match call.request {
            None => (std::mem::take(&mut state.chain), 0),
            Some(_) => (state.chain.clone(), state.next_beside(call)),
        };
        let mut steps = std::mem::take(&mut self.steps);
        let member = Member { rank: seat, size: members.size() };
        expand(call, member, self.ranks[rank as usize].method, &mut steps);
        self.write_steps(rank, &mut chain, (call.context, number), members, &steps.steps);
        self.steps = steps;
        let state = &mut self.ranks[rank as usize];
        match call.request {
            None => state.chain = chain,
            Some(request) => {
                let ops = chain.ends().collect();
                state.open.insert(request, Open { ops, context: call.context, is_cancelled: false });
            }
        }
    }

    /// Appends the steps of a collective; `number` tells it apart from those that may overlap with it.
    fn write_steps(
        &mut self,
        rank: u32,
        chain: &mut Chain,
        (context, number): (ContextId, u32),
        members: &Group,
        steps: &[Step],
    ) {
        // Steps name members of the group only.
        let world = |member: u32| members.world_of(member).unwrap_or(member);
        let mut sets: [Vec<u32>; SETS] = Default::default();
        for step in steps {
            match *step {
                Step::Send { to, bytes, slot } | Step::Ssend { to, bytes, slot } => {
                    let op = self.step_op(OpKind::Send, world(to), (context, number, slot), bytes);
                    chain.block(&mut self.ranks[rank as usize].schedule, op);
                }
                Step::Recv { from, bytes, slot } => {
                    let op = self.step_op(OpKind::Recv, world(from), (context, number, slot), bytes);
                    chain.block(&mut self.ranks[rank as usize].schedule, op);
                }
                Step::Isend { to, bytes, slot, set } | Step::Issend { to, bytes, slot, set } => {
                    let op = self.step_op(OpKind::Send, world(to), (context, number, slot), bytes);
                    sets[usize::from(set)].push(chain.start(&mut self.ranks[rank as usize].schedule, op));
                }
                Step::Irecv { from, bytes, slot, set } => {
                    let op = self.step_op(OpKind::Recv, world(from), (context, number, slot), bytes);
                    sets[usize::from(set)].push(chain.start(&mut self.ranks[rank as usize].schedule, op));
                }
                Step::WaitAll => sets.iter_mut().for_each(|set| wait_for(chain, set, 0)),
                Step::Wait { set, left } => {
                    self.losses.add_if(left > 0, losses::SOME_OF_A_SET);
                    wait_for(chain, &mut sets[usize::from(set)], left as usize);
                }
                Step::Reduce { bytes } => self.local(rank, chain, bytes as f64 * self.local_work[0]),
                Step::Combine { .. } => {}
                Step::Delay { span } => self.local(rank, chain, span.as_secs_f64()),
                Step::Copy { bytes, blocks } => {
                    let [_, copy, block] = self.local_work;
                    self.local(rank, chain, bytes as f64 * copy + f64::from(blocks) * block);
                }
            }
        }
        sets.iter_mut().for_each(|set| wait_for(chain, set, 0));
    }

    fn step_op(
        &mut self,
        kind: OpKind,
        peer: u32,
        (context, number, slot): (ContextId, u32, u16),
        bytes: u64,
    ) -> Op {
        message(kind, peer, self.tag((context, i32::MIN + i32::from(slot), number)), bytes)
    }

    /// Local work of a collective.
    fn local(&mut self, rank: u32, chain: &mut Chain, seconds: f64) {
        let nanos = (seconds * 1e9) as u64;
        if nanos > 0 {
            chain.block(&mut self.ranks[rank as usize].schedule, calc(nanos));
        }
    }

    /// To make a communicator its ranks have to agree, which is a collective among them.
    pub(super) fn agree(&mut self, rank: u32, parent: ContextId, how: &CommRequest<'_>) {
        let call = CollectiveCall { request: how.request(), ..CollectiveCall::agreement(parent) };
        match how {
            CommRequest::CreateGroup { members, .. } => {
                let world = |&member| self.communicators.world_rank(rank, parent, member);
                let members: Vec<u32> = members.iter().map(world).collect();
                self.collective_of(rank, &call, &group_of(&members));
            }
            _ => self.collective(rank, &call),
        }
    }
}

impl GoalRank {
    /// Tells a collective that does not block apart from others of its communicator.
    fn next_beside(&mut self, call: &CollectiveCall<'_>) -> u32 {
        if call.plan > 0 {
            return BESIDE_EACH_OTHER + call.plan;
        }
        let started = self.started.entry(call.context).or_default();
        *started = *started % BESIDE_EACH_OTHER + 1;
        *started
    }
}

/// The next operation waits for the first operations of a set, until so many are left.
fn wait_for(chain: &mut Chain, set: &mut Vec<u32>, left: usize) {
    let over = set.len().saturating_sub(left);
    set.drain(..over).for_each(|op| chain.wait_for(op));
}
