//! The activities of the ranks of the fine grid, as far as aggregation needs them.

use std::collections::HashMap;

use mpirage_call::{
    Blocks, Call, Collective, CollectiveCall, ContextId, Input, Part, Payload, Peers, Reduction, Reply,
    RequestId, Stamp, WORLD, Work,
};
use mpirage_units::Duration;

use crate::{TraceError, TraceWriter};

/// Computation that is added up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Load {
    pub nanos: u64,
    pub flops: f64,
    /// Of a roofline: operations and bytes.
    pub roofline: (f64, f64),
}

/// Sender, receiver, communicator and tag of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Channel {
    pub from: u32,
    pub to: u32,
    pub context: ContextId,
    pub tag: i32,
}

/// A collective of all ranks whose blocks do not depend on their number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct WholeCollective {
    pub kind: Collective,
    pub root: u32,
    pub sent: u64,
    pub received: u64,
    pub reduction: Option<Reduction>,
    pub input: Input,
    pub stamp: u16,
}

/// An event of a fine rank.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Event {
    Compute(Load),
    /// Time passes: clocks are read, or the rank sleeps.
    Pause(Duration),
    Send {
        channel: Channel,
        bytes: u64,
        request: Option<RequestId>,
    },
    Receive {
        channel: Channel,
        request: Option<RequestId>,
    },
    Wait(Box<[RequestId]>),
    Collective(WholeCollective),
    Migrate {
        state_bytes: u64,
    },
}

/// Collects the events of all ranks.
pub(super) struct Collector {
    ranks: Vec<Vec<Event>>,
    members: HashMap<ContextId, Vec<u32>>,
    refused: Option<TraceError>,
}

impl WholeCollective {
    /// The call of a coarse rank.
    pub fn call(&self, root: u32) -> CollectiveCall<'static> {
        let part = |bytes| Part { payload: Payload::Absent, blocks: Blocks::Whole(bytes) };
        CollectiveCall {
            kind: self.kind,
            root,
            send: part(self.sent),
            recv: part(self.received),
            reduction: self.reduction,
            input: self.input,
            ..CollectiveCall::barrier()
        }
    }
}

impl Load {
    /// The load of a piece of computation. Threads count with the time of all of them.
    pub fn of(work: Work) -> Load {
        match work {
            Work::Nanos(nanos) => Load { nanos, ..Load::default() },
            Work::Threads(burst) => Load { nanos: burst.nanos(), ..Load::default() },
            Work::Flops(flops) => Load { flops, ..Load::default() },
            Work::Roofline { flops, bytes } => Load { roofline: (flops, bytes), ..Load::default() },
        }
    }

    /// This part of `own` as a part of `wanted`, kind by kind.
    pub fn scaled(self, wanted: Load, own: Load) -> Load {
        let share = |part: f64, own: f64, wanted: f64| if own > 0.0 { part / own * wanted } else { 0.0 };
        Load {
            nanos: share(self.nanos as f64, own.nanos as f64, wanted.nanos as f64).round() as u64,
            flops: share(self.flops, own.flops, wanted.flops),
            roofline: (
                share(self.roofline.0, own.roofline.0, wanted.roofline.0),
                share(self.roofline.1, own.roofline.1, wanted.roofline.1),
            ),
        }
    }

    /// This load without the kinds of computation that the other has too.
    pub fn without_kinds_of(self, other: Load) -> Load {
        let unless = |there: bool, load: f64| if there { 0.0 } else { load };
        Load {
            nanos: if other.nanos > 0 { 0 } else { self.nanos },
            flops: unless(other.flops > 0.0, self.flops),
            roofline: (
                unless(other.roofline.0 > 0.0, self.roofline.0),
                unless(other.roofline.1 > 0.0, self.roofline.1),
            ),
        }
    }

    pub fn add(&mut self, other: Load) {
        self.nanos += other.nanos;
        self.flops += other.flops;
        self.roofline.0 += other.roofline.0;
        self.roofline.1 += other.roofline.1;
    }

    /// The work that a rank with this load declares.
    pub fn works(self) -> impl Iterator<Item = Work> {
        let (flops, bytes) = self.roofline;
        let nanos = (self.nanos > 0).then_some(Work::Nanos(self.nanos));
        let declared = (self.flops > 0.0).then_some(Work::Flops(self.flops));
        let roofline = (flops > 0.0 || bytes > 0.0).then_some(Work::Roofline { flops, bytes });
        [nanos, declared, roofline].into_iter().flatten()
    }
}

impl Collector {
    pub fn new(ranks: u32, communicators: Vec<(ContextId, Vec<u32>)>) -> Collector {
        let mut members: HashMap<_, _> = communicators.into_iter().collect();
        members.insert(WORLD, (0..ranks).collect());
        Collector { ranks: vec![Vec::new(); ranks as usize], members, refused: None }
    }

    /// The events of each rank, or why they cannot be aggregated.
    pub fn finished(self) -> Result<Vec<Vec<Event>>, TraceError> {
        self.refused.map_or(Ok(self.ranks), Err)
    }

    fn refuse(&mut self, rank: u32, what: impl std::fmt::Display) {
        let text =
            format!("cannot be aggregated: rank {rank} {what}; trace the program with fewer ranks instead");
        self.refused.get_or_insert(TraceError::Spec(text));
    }

    /// The rank in the world of a rank of a communicator.
    fn world(&mut self, rank: u32, context: ContextId, peer: u32) -> Option<u32> {
        let found = self.members.get(&context).and_then(|members| members.get(peer as usize)).copied();
        if found.is_none() {
            self.refuse(rank, "uses a communicator that the trace does not describe");
        }
        found
    }

    fn event(&mut self, rank: u32, call: &Call<'_>, function: u16) -> Option<Event> {
        Some(match *call {
            Call::Send { context, to, tag, bytes, request, .. } => {
                let channel = Channel { from: rank, to: self.world(rank, context, to)?, context, tag };
                Event::Send { channel, bytes, request }
            }
            Call::Recv { context, from: Some(from), tag: Some(tag), request, matched: None, .. } => {
                let channel = Channel { from: self.world(rank, context, from)?, to: rank, context, tag };
                Event::Receive { channel, request }
            }
            Call::Wait { requests, .. } => Event::Wait(requests.into()),
            Call::Collective(ref call) => Event::Collective(self.collective(rank, call, function)?),
            Call::Migrate { state_bytes } => Event::Migrate { state_bytes },
            // A communicator needs no time of its own in the coarse trace, and its messages go through the world.
            Call::Init
            | Call::Finalize
            | Call::MakeComm { .. }
            | Call::FreeComm { .. }
            | Call::Free { .. }
            | Call::Control { .. } => return None,
            Call::Recv { .. } | Call::Probe { .. } | Call::Cancel { .. } => {
                self.refuse(rank, "receives from any source or with any tag, or probes");
                return None;
            }
            Call::FailedPoll { .. } => {
                self.refuse(rank, "asks again and again whether a message has come");
                return None;
            }
            _ => {
                self.refuse(rank, format_args!("makes a call that has no aggregate ({call:?})"));
                return None;
            }
        })
    }

    fn collective(&mut self, rank: u32, call: &CollectiveCall<'_>, stamp: u16) -> Option<WholeCollective> {
        use Collective::{Allreduce, Barrier, Bcast, Exscan, Reduce, Scan};
        let whole = matches!(call.kind, Barrier | Bcast | Reduce | Allreduce | Scan | Exscan);
        let all = self.members.get(&call.context).is_some_and(|members| members.len() == self.ranks.len());
        if !whole || !all || call.request.is_some() || call.peers != Peers::All {
            let name = call.kind.name();
            self.refuse(
                rank,
                format_args!(
                    "calls {name} of a part of the ranks, with blocks for each rank, or without waiting"
                ),
            );
            return None;
        }
        let root = self.world(rank, call.context, call.root)?;
        let (sent, received) = (call.send.blocks.total(1), call.recv.blocks.total(1));
        let (reduction, input) = (call.reduction, call.input);
        Some(WholeCollective { kind: call.kind, root, sent, received, reduction, input, stamp })
    }
}

impl TraceWriter for Collector {
    fn computed(&mut self, rank: u32, work: Work) {
        if let Work::Threads(_) = work {
            return self.refuse(rank, "computes with several threads");
        }
        let load = Load::of(work);
        match self.ranks[rank as usize].last_mut() {
            Some(Event::Compute(last)) => last.add(load),
            _ => self.ranks[rank as usize].push(Event::Compute(load)),
        }
    }

    fn paused(&mut self, rank: u32, span: Duration) {
        match self.ranks[rank as usize].last_mut() {
            _ if span.is_zero() => {}
            Some(Event::Pause(last)) => *last += span,
            _ => self.ranks[rank as usize].push(Event::Pause(span)),
        }
    }

    fn called(&mut self, rank: u32, stamp: &Stamp, call: &Call<'_>, _: &Reply, _: Duration) {
        if let Some(event) = self.event(rank, call, stamp.function) {
            self.ranks[rank as usize].push(event);
        }
    }

    fn stores_accesses(&self) -> bool {
        true
    }

    fn finish(&mut self) -> Result<(), TraceError> {
        Ok(())
    }
}
