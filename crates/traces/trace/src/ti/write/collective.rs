//! Collectives: a word of the format, or the messages they consist of.

use std::fmt::Write as _;

use mpirage_call::{
    Blocks, Collective, CollectiveCall, CommRequest, ContextId, Input, Member, Peers, RequestId, WORLD,
};
use mpirage_collectives::Step;
use mpirage_data::Group;
use mpirage_units::Duration;

use super::TiWriter;
use super::losses;
use crate::communicators::group_of;
use crate::expansion::expand;
use crate::writer::TraceWriter as _;

/// How a collective that does not block is named; SimGrid cannot replay them.
const COLLECTIVE_NAMED: i64 = -2;

/// Messages of collectives that a rank has under way at most.
const MOST_PARTS: u32 = 1 << 30;

impl TiWriter {
    pub(super) fn collective(&mut self, rank: u32, call: &CollectiveCall<'_>) {
        let ordered = call.reduction.is_some_and(|reduction| !reduction.commutative);
        self.lost.add_if(ordered, losses::OPERATORS);
        self.lost.add_if(call.input == Input::InPlace, losses::IN_PLACE);
        self.lost.add_if(call.plan > 0, losses::PLANS);
        if call.context == WORLD && call.peers == Peers::All {
            return self.world_collective(rank, call);
        }
        let members = self.communicators.members(rank, call.context);
        let under_way = self.expand(rank, call, &members);
        match call.request {
            // All its messages are under way: a wait for it is one for them.
            Some(request) if posts_all_at_once(call) => {
                self.ranks[rank as usize].parts.insert(request, under_way);
            }
            Some(request) => {
                // It is over; a wait for it finds nothing.
                self.waited(rank, &under_way);
                self.lost.add(losses::NON_BLOCKING);
                self.ranks[rank as usize].open.remove(&request);
            }
            None => self.waited(rank, &under_way),
        }
    }

    /// A collective of all ranks, for which the format has a word.
    fn world_collective(&mut self, rank: u32, call: &CollectiveCall<'_>) {
        use Collective as C;
        let bytes = call.shape_bytes(rank);
        let root = call.root;
        let (count, datatype) =
            call.reduction.map_or((0, 6), |reduction| counted(reduction.element, reduction.elements));
        let element = call.reduction.map_or(1, |reduction| reduction.element);
        // The choice of the algorithm may depend on the number of elements.
        let element =
            if datatype == 6 && element > 1 { format!(" element={element}") } else { String::new() };
        self.lost.add_if(!element.is_empty(), losses::ELEMENTS);
        let ordered =
            if call.reduction.is_some_and(|reduction| !reduction.commutative) { " ordered" } else { "" };
        let in_place = if call.input == Input::InPlace { " in-place" } else { "" };
        let prefix = if call.request.is_some() { "i" } else { "" };
        let ranks = self.ranks.len();
        let line = match call.kind {
            C::Barrier => "barrier".to_owned(),
            C::Bcast => format!("bcast {bytes} {root} 6"),
            C::Reduce => format!("reduce {count} 0 {root} {datatype}"),
            C::Allreduce => format!("allreduce {count} 0 {datatype}"),
            C::Scan => format!("scan {count} 0 {datatype}"),
            C::Exscan => format!("exscan {count} 0 {datatype}"),
            C::Gather => format!("gather {bytes} {bytes} {root} 6 6"),
            C::Scatter => format!("scatter {bytes} {bytes} {root} 6 6"),
            C::Allgather => format!("allgather {bytes} {bytes} 6 6"),
            C::Alltoall => format!("alltoall {bytes} {bytes} 6 6"),
            C::Gatherv => format!("gatherv {bytes} {} {root} 6 6", lengths(&call.recv.blocks, ranks, 1)),
            C::Scatterv => format!("scatterv {} {bytes} {root} 6 6", lengths(&call.send.blocks, ranks, 1)),
            C::Allgatherv => {
                let own = call.recv.blocks.of(rank as usize).1;
                // SimGrid interprets arguments by their number: an extra word is possible after displacements only.
                let displacements = if in_place.is_empty() { String::new() } else { " 0".repeat(ranks) };
                format!("allgatherv {own} {} 6 6{displacements}", lengths(&call.recv.blocks, ranks, 1))
            }
            C::Alltoallv | C::Alltoallw => {
                let (send, recv) = (&call.send.blocks, &call.recv.blocks);
                let (gives, gets) = (lengths(send, ranks, 1), lengths(recv, ranks, 1));
                format!("alltoallv {} {gives} {} {gets} 6 6", send.total(ranks), recv.total(ranks))
            }
            C::ReduceScatter | C::ReduceScatterBlock => {
                let element = call.reduction.map_or(1, |reduction| u64::from(reduction.element.max(1)));
                let unit = if datatype == 6 { 1 } else { element };
                format!("reducescatter {} 0 {datatype}", lengths(&call.recv.blocks, ranks, unit))
            }
            // They have other peers than all ranks, so they are expanded.
            _ => return,
        };
        self.line(rank, format_args!("{prefix}{line}{element}{ordered}{in_place}"));
        if let Some(request) = call.request {
            self.lost.add(losses::NON_BLOCKING);
            let state = &mut self.ranks[rank as usize];
            let name = (COLLECTIVE_NAMED, i64::from(rank), state.collectives);
            state.collectives += 1;
            self.open(rank, request, name);
        }
    }

    /// A collective as the messages it consists of. Gives the requests under way after its last step.
    fn expand(&mut self, rank: u32, call: &CollectiveCall<'_>, members: &Group) -> Vec<RequestId> {
        let Some(seat) = members.rank_of(rank) else { return Vec::new() };
        let size = members.size();
        if size > 1 {
            self.lost.add(losses::EXPANDED);
        }
        let mut steps = std::mem::take(&mut self.schedule);
        expand(call, Member { rank: seat, size }, self.ranks[rank as usize].method, &mut steps);
        let last =
            if posts_all_at_once(call) { steps.steps.len().saturating_sub(1) } else { steps.steps.len() };
        let under_way = self.write_steps(rank, call.context, members, &steps.steps[..last]);
        self.schedule = steps;
        under_way
    }

    /// Writes steps, and gives the requests that are under way after them.
    fn write_steps(
        &mut self,
        rank: u32,
        context: ContextId,
        members: &Group,
        steps: &[Step],
    ) -> Vec<RequestId> {
        // Steps name members of the group only.
        let world = |member: u32| members.world_of(member).unwrap_or(member);
        let us = i64::from(rank);
        // Requests of schedules have numbers that no program uses.
        let first = u32::MAX / 2 + self.ranks[rank as usize].posted % MOST_PARTS;
        let mut next = first;
        for step in steps {
            match *step {
                // The format has no synchronous sends, nor waits for some requests: such a wait becomes one for all.
                Step::Send { to, bytes, slot } | Step::Ssend { to, bytes, slot } => {
                    let (to, tag) = (world(to), self.step_tag(context, slot));
                    self.line(rank, format_args!("send {to} {tag} {bytes} 6"));
                }
                Step::Isend { to, bytes, slot, .. } | Step::Issend { to, bytes, slot, .. } => {
                    let (to, tag) = (world(to), self.step_tag(context, slot));
                    self.line(rank, format_args!("isend {to} {tag} {bytes} 6"));
                    self.open(rank, RequestId::new(next), (us, i64::from(to), tag));
                    next += 1;
                }
                Step::Recv { from, bytes, slot } => {
                    let (from, tag) = (world(from), self.step_tag(context, slot));
                    self.line(rank, format_args!("recv {from} {tag} {bytes} 6"));
                }
                Step::Irecv { from, bytes, slot, .. } => {
                    let (from, tag) = (world(from), self.step_tag(context, slot));
                    self.line(rank, format_args!("irecv {from} {tag} {bytes} 6"));
                    self.open(rank, RequestId::new(next), (i64::from(from), us, tag));
                    next += 1;
                }
                Step::WaitAll | Step::Wait { .. } => {
                    let requests: Vec<RequestId> = (first..next).map(RequestId::new).collect();
                    self.waited(rank, &requests);
                    next = first;
                }
                Step::Reduce { bytes } => self.work(rank, bytes as f64 * self.local_work[0]),
                Step::Combine { .. } => {}
                Step::Delay { span } => self.paused(rank, span),
                Step::Copy { bytes, blocks } => {
                    let [_, copy, block] = self.local_work;
                    self.work(rank, bytes as f64 * copy + f64::from(blocks) * block);
                }
            }
        }
        let posted = &mut self.ranks[rank as usize].posted;
        *posted = posted.wrapping_add(next - first);
        (first..next).map(RequestId::new).collect()
    }

    fn work(&mut self, rank: u32, seconds: f64) {
        self.paused(rank, Duration::from_secs_f64(seconds));
    }

    /// Tags of schedules lie beside those of the library.
    fn step_tag(&mut self, context: ContextId, slot: u16) -> i64 {
        self.tag(context, i32::MIN + i32::from(slot))
    }

    /// To make a communicator its ranks have to agree, which is a collective among them.
    pub(super) fn agree(&mut self, rank: u32, parent: ContextId, how: &CommRequest<'_>) {
        let call = CollectiveCall::agreement(parent);
        match how {
            CommRequest::CreateGroup { members, .. } => {
                let world = |&member| self.communicators.world_rank(rank, parent, member);
                let members: Vec<u32> = members.iter().map(world).collect();
                let under_way = self.expand(rank, &call, &group_of(&members));
                self.waited(rank, &under_way);
            }
            CommRequest::DupLater { .. } => {
                self.lost.add(losses::NON_BLOCKING);
                self.collective(rank, &call);
            }
            _ => self.collective(rank, &call),
        }
    }
}

/// Is it a non-blocking collective whose messages are all posted at its beginning?
fn posts_all_at_once(call: &CollectiveCall<'_>) -> bool {
    call.request.is_some() && call.kind.is_neighborhood()
}

/// A number of elements and the datatype that has their size; bytes if none has.
fn counted(element: u32, elements: u64) -> (u64, u32) {
    match element {
        8 => (elements, 0),
        4 => (elements, 1),
        2 => (elements, 3),
        16 => (elements, 14),
        other => (elements * u64::from(other), 6),
    }
}

/// The length of the block of each rank, in units.
fn lengths(blocks: &Blocks<'_>, ranks: usize, unit: u64) -> String {
    let length = |rank| match blocks {
        // Of a side that there is not.
        Blocks::Whole(0) => 0,
        blocks => blocks.of(rank).1 / unit,
    };
    let mut text = String::new();
    for rank in 0..ranks {
        let _ = write!(text, "{}{}", if rank > 0 { " " } else { "" }, length(rank));
    }
    text
}
