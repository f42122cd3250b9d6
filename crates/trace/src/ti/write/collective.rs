//! Collectives: a word of the format, or the messages they consist of.

use std::fmt::Write as _;

use mpirage_call::{Blocks, CollectiveCall, CommRequest, ContextId, RequestId, SELF, WORLD};
use mpirage_collectives::{Choice, Collective, Shape, Step, schedule};
use mpirage_units::Duration;

use super::TiWriter;
use super::losses::Loss;
use crate::writer::TraceWriter as _;

/// How a collective that does not block is named; SimGrid cannot replay them.
const COLLECTIVE_NAMED: i64 = -2;

impl TiWriter {
    pub(super) fn collective(&mut self, rank: u32, call: &CollectiveCall<'_>) {
        if call.reduction.is_some_and(|reduction| !reduction.commutative) {
            self.lost.add(Loss::Operators);
        }
        if call.plan > 0 {
            self.lost.add(Loss::Plans);
        }
        if call.context == WORLD {
            return self.world_collective(rank, call);
        }
        let members = self.members(rank, call.context);
        self.expand(rank, call, &members);
        if let Some(request) = call.request {
            // It is over; a wait for it finds nothing.
            self.lost.add(Loss::NonBlocking);
            self.ranks[rank as usize].open.remove(&request);
        }
    }

    fn members(&self, rank: u32, context: ContextId) -> Vec<u32> {
        match context {
            WORLD => (0..self.ranks.len() as u32).collect(),
            SELF => vec![rank],
            other => self.communicators.get(&other).cloned().unwrap_or_default(),
        }
    }

    /// A collective of all ranks, for which the format has a word.
    fn world_collective(&mut self, rank: u32, call: &CollectiveCall<'_>) {
        use Collective as C;
        let bytes = call.shape_bytes(rank);
        let root = call.root;
        let (count, datatype) =
            call.reduction.map_or((0, 6), |reduction| counted(reduction.element, reduction.elements));
        let ordered =
            if call.reduction.is_some_and(|reduction| !reduction.commutative) { " ordered" } else { "" };
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
                format!("allgatherv {own} {} 6 6", lengths(&call.recv.blocks, ranks, 1))
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
        };
        self.line(rank, format_args!("{prefix}{line}{ordered}"));
        if let Some(request) = call.request {
            self.lost.add(Loss::NonBlocking);
            let state = &mut self.ranks[rank as usize];
            let name = (COLLECTIVE_NAMED, i64::from(rank), state.collectives);
            state.collectives += 1;
            self.open(rank, request, name);
        }
    }

    /// A collective as the messages it consists of.
    fn expand(&mut self, rank: u32, call: &CollectiveCall<'_>, members: &[u32]) {
        let Some(seat) = members.iter().position(|&member| member == rank) else { return };
        if members.len() > 1 {
            self.lost.add(Loss::Expanded);
        }
        let (sends, recvs) = (counts(&call.send.blocks), counts(&call.recv.blocks));
        let mut shape = Shape::new(members.len() as u32).rank(seat as u32).root(call.root);
        shape = shape.bytes(call.shape_bytes(seat as u32)).counts(&sends, &recvs);
        if let Some(reduction) = call.reduction {
            shape = shape.element(u64::from(reduction.element.max(1))).commutative(reduction.commutative);
        }
        let known = self.ranks[rank as usize].method.filter(|method| call.kind.knows(method.algorithm));
        let method = known.unwrap_or_else(|| Choice::default().method(call.kind, &shape));
        let mut steps = std::mem::take(&mut self.schedule);
        schedule(call.kind, method, &shape, &mut steps);
        self.write_steps(rank, call.context, members, &steps.steps);
        self.schedule = steps;
    }

    fn write_steps(&mut self, rank: u32, context: ContextId, members: &[u32], steps: &[Step]) {
        let us = i64::from(rank);
        // Requests of schedules have numbers that no program uses.
        let (first, mut next) = (u32::MAX / 2, u32::MAX / 2);
        for step in steps {
            match *step {
                // The format has no synchronous sends, nor waits for some requests: such a wait becomes one for all.
                Step::Send { to, bytes, slot } | Step::Ssend { to, bytes, slot } => {
                    let (to, tag) = (members[to as usize], self.step_tag(context, slot));
                    self.line(rank, format_args!("send {to} {tag} {bytes} 6"));
                }
                Step::Isend { to, bytes, slot, .. } | Step::Issend { to, bytes, slot, .. } => {
                    let (to, tag) = (members[to as usize], self.step_tag(context, slot));
                    self.line(rank, format_args!("isend {to} {tag} {bytes} 6"));
                    self.open(rank, RequestId::new(next), (us, i64::from(to), tag));
                    next += 1;
                }
                Step::Recv { from, bytes, slot } => {
                    let (from, tag) = (members[from as usize], self.step_tag(context, slot));
                    self.line(rank, format_args!("recv {from} {tag} {bytes} 6"));
                }
                Step::Irecv { from, bytes, slot, .. } => {
                    let (from, tag) = (members[from as usize], self.step_tag(context, slot));
                    self.line(rank, format_args!("irecv {from} {tag} {bytes} 6"));
                    self.open(rank, RequestId::new(next), (i64::from(from), us, tag));
                    next += 1;
                }
                Step::WaitAll | Step::Wait { .. } => {
                    let requests: Vec<RequestId> = (first..next).map(RequestId::new).collect();
                    self.waited(rank, &requests);
                    next = first;
                }
                Step::Reduce { bytes } => self.work(rank, bytes, self.local_work[0]),
                Step::Copy { bytes } => self.work(rank, bytes, self.local_work[1]),
            }
        }
        let requests: Vec<RequestId> = (first..next).map(RequestId::new).collect();
        self.waited(rank, &requests);
    }

    fn work(&mut self, rank: u32, bytes: u64, seconds_per_byte: f64) {
        self.paused(rank, Duration::from_secs_f64(bytes as f64 * seconds_per_byte));
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
                let members: Vec<u32> =
                    members.iter().map(|&member| self.world(rank, parent, member)).collect();
                self.expand(rank, &call, &members);
            }
            CommRequest::DupLater { .. } => {
                self.lost.add(Loss::NonBlocking);
                self.collective(rank, &call);
            }
            _ => self.collective(rank, &call),
        }
    }
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

fn counts(blocks: &Blocks<'_>) -> Vec<u64> {
    match blocks {
        Blocks::Each(list) => list.iter().skip(1).step_by(2).copied().collect(),
        _ => Vec::new(),
    }
}
