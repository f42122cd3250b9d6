//! Collectives: who has entered, with what, and who may leave.
//!
//! The n-th collective a rank enters on a communicator is the n-th of everybody: an [`Instance`]. Each
//! rank that enters takes its seat, starts its schedule, and leaves when the schedule ends; bytes are
//! exchanged as ranks leave ([`crate::exchange`]). Making a communicator is a collective too.

use std::sync::Arc;

use mpirage_call::{
    BLOCKING, Blocks, CollectiveCall, CommRequest, Completion, ContextId, Operator, Part, Reduction,
    RequestId, Stamp, function_name,
};
use mpirage_collectives::{Collective, Shape};
use mpirage_data::{Group, Op};
use mpirage_record::Record;
use mpirage_units::Time;

use crate::comm::{Made, Turn, Wish, new_groups};
use crate::diagnosis::Origin;
use crate::engine::Engine;
use crate::memory::Memory;
use crate::message::Held;
use crate::rank::Phase;
use crate::request::Operation;

/// How a buffer is cut, kept beyond the call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cut {
    Whole(u64),
    Equal(u64),
    Each(Vec<u64>),
}

impl Cut {
    fn of(blocks: &Blocks<'_>) -> Cut {
        match *blocks {
            Blocks::Whole(bytes) => Cut::Whole(bytes),
            Blocks::Equal(bytes) => Cut::Equal(bytes),
            Blocks::Each(list) => Cut::Each(list.to_vec()),
        }
    }

    pub(crate) fn blocks(&self) -> Blocks<'_> {
        match self {
            Cut::Whole(bytes) => Blocks::Whole(*bytes),
            Cut::Equal(bytes) => Blocks::Equal(*bytes),
            Cut::Each(list) => Blocks::Each(list),
        }
    }
}

/// One side of a rank's data.
#[derive(Debug)]
pub(crate) struct Side {
    pub held: Held,
    pub cut: Cut,
}

impl Default for Side {
    fn default() -> Self {
        Side { held: Held::Nothing, cut: Cut::Whole(0) }
    }
}

/// One rank's place in a collective.
#[derive(Debug, Default)]
pub(crate) struct Seat {
    pub entered: bool,
    pub left: bool,
    pub send: Side,
    pub recv: Side,
    pub reduction: Option<Reduction>,
    pub stamp: Stamp,
    /// The request that completes with it; `BLOCKING` if the rank waits in the call.
    pub request: RequestId,
}

/// What a collective is for.
#[derive(Debug)]
pub(crate) enum Purpose {
    /// To move data.
    Data { kind: Collective, root: u32 },
    /// To make a communicator.
    Comm { wishes: Vec<Wish>, made: Vec<Made> },
}

/// One collective operation.
#[derive(Debug)]
pub(crate) struct Instance {
    pub context: ContextId,
    /// Tells it apart from every other collective of the run.
    pub number: u64,
    group: Arc<Group>,
    pub purpose: Purpose,
    pub seats: Vec<Seat>,
    /// The lowest seat that is taken.
    first: Option<u32>,
    entered: usize,
    left: usize,
    /// Everybody has entered and has, or has had, what is its; only time has yet to pass.
    pub settled: bool,
    /// What the data plane keeps between the first rank that leaves and the last.
    pub kept: Kept,
}

/// Results that several ranks share.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// The common result, once it is known.
    pub result: Option<Vec<u8>>,
    /// Has everything been exchanged already?
    pub exchanged: bool,
    /// Results of scans up to each rank, as far as they are known.
    pub prefixes: Vec<Vec<u8>>,
}

impl Instance {
    /// The rank of the world in a seat.
    pub(crate) fn world_of(&self, seat: u32) -> u32 {
        self.group.world_of(seat).expect("seats are ranks of the group")
    }

    pub(crate) fn size(&self) -> usize {
        self.seats.len()
    }

    /// Has nobody but one entered?
    pub(crate) fn is_first(&self) -> bool {
        self.entered == 1
    }

    /// Has everybody entered?
    pub(crate) fn is_complete(&self) -> bool {
        self.entered == self.seats.len()
    }

    /// Ranks of the world that have not entered.
    pub(crate) fn missing(&self) -> Vec<u32> {
        let absent = |seat: &u32| !self.seats[*seat as usize].entered;
        (0..self.seats.len() as u32).filter(absent).map(|seat| self.world_of(seat)).collect()
    }
}

impl<M: Memory> Engine<M> {
    /// A rank enters a collective.
    pub(crate) fn enter_collective(&mut self, rank: u32, call: &CollectiveCall<'_>) {
        let Some(group) = self.comms.group(call.context, rank) else {
            return self.misuse(rank, "a collective on a communicator that does not exist".to_owned());
        };
        let seat = group.rank_of(rank).expect("members only");
        let purpose = Purpose::Data { kind: call.kind, root: call.root };
        let turn = self.comms.next_collective(call.context, rank, seat, call.plan);
        let id = self.join_instance(turn, call.context, &group, purpose);
        if let Some(text) = self.mismatch(id, rank, call) {
            return self.misuse(rank, text);
        }
        let request = call.request.unwrap_or(BLOCKING);
        self.sit(id, seat, rank, request);
        let (send, recv) = (self.keep(&call.send), self.keep(&call.recv));
        let place = &mut self.instances[id as usize].seats[seat as usize];
        (place.send, place.recv, place.reduction) = (send, recv, call.reduction);
        if request != BLOCKING && calls_function(call.reduction) {
            self.ranks[rank as usize].on_call += 1;
        }
        self.start_schedule(id, seat, rank, call);
        self.settle_if_complete(id);
    }

    /// A rank takes part in making a communicator.
    pub(crate) fn enter_comm_creation(&mut self, rank: u32, parent: ContextId, how: CommRequest<'_>) {
        let Some(mut group) = self.comms.group(parent, rank) else {
            return self.misuse(rank, "a communicator made from one that does not exist".to_owned());
        };
        let wish = Wish::of(how, self.hosts[rank as usize].0);
        let id = match how {
            CommRequest::CreateGroup { members, tag } => {
                let worlds: Vec<u32> = members.iter().filter_map(|&member| group.world_of(member)).collect();
                group = Arc::new(Group::of(worlds.iter().copied()).expect("members of a group are distinct"));
                self.join_group_creation(parent, tag, &group, rank)
            }
            _ => {
                let seat = group.rank_of(rank).expect("members only");
                let purpose = Purpose::Comm { wishes: Vec::new(), made: Vec::new() };
                let turn = self.comms.next_collective(parent, rank, seat, 0);
                self.join_instance(turn, parent, &group, purpose)
            }
        };
        let seat = group.rank_of(rank).expect("members only");
        let Purpose::Comm { wishes, .. } = &mut self.instances[id as usize].purpose else {
            let text = self.different_calls(id, rank).unwrap_or_default();
            return self.misuse(rank, text);
        };
        wishes.resize(group.size() as usize, Wish::Dup);
        // Ranks of a group that is made by its members only are numbered within it.
        wishes[seat as usize] = match how {
            CommRequest::CreateGroup { .. } => Wish::Members((0..group.size()).collect()),
            _ => wish,
        };
        if let CommRequest::DupLater { request } = how {
            self.sit(id, seat, rank, request);
            self.hand_out_early(id, seat, rank);
        } else {
            self.sit(id, seat, rank, BLOCKING);
        }
        let call = CollectiveCall::agreement(parent);
        self.start_schedule(id, seat, rank, &call);
        self.settle_if_complete(id);
    }

    /// A rank's schedule is over: it gets what is its, and goes on.
    pub(crate) fn leave(&mut self, id: u32, seat: u32) {
        let mut instance = self.instances.remove(id as usize);
        if !instance.settled {
            self.give(&mut instance, seat);
        }
        let place = &mut instance.seats[seat as usize];
        place.left = true;
        let (request, reduction) = (place.request, place.reduction);
        instance.left += 1;
        let rank = instance.world_of(seat);
        if request != BLOCKING && calls_function(reduction) {
            self.ranks[rank as usize].on_call -= 1;
        }
        if instance.left == instance.seats.len() {
            let context = instance.context;
            self.comms.active(context).retain(|&(_, active)| active != id);
            self.clear_seats(instance.seats);
        } else {
            self.put_back(id, instance);
        }
        if request == BLOCKING {
            self.make_ready(rank);
        } else {
            self.request_done(rank, request, Completion::empty(0), Time::ZERO);
        }
    }

    /// Gives the rank in `seat` what is its.
    pub(crate) fn give(&mut self, instance: &mut Instance, seat: u32) {
        if let Purpose::Data { kind, root } = instance.purpose {
            return self.exchange(instance, kind, root, seat);
        }
        self.make_comms(instance);
        if instance.seats[seat as usize].request == BLOCKING {
            self.hand_out_comm(instance, seat, instance.world_of(seat));
        }
    }

    /// The function that the first rank called, for messages.
    pub(crate) fn called(&self, id: u32) -> &'static str {
        let first = self.instances[id as usize].seats.iter().find(|seat| seat.entered);
        first.map_or("a collective", |seat| function_name(seat.stamp.function))
    }

    /// Everybody has left: the seats are for the next collective.
    fn clear_seats(&mut self, mut seats: Vec<Seat>) {
        for seat in &mut seats {
            (seat.entered, seat.left, seat.reduction) = (false, false, None);
            if let Held::Buffer(buffer) = std::mem::take(&mut seat.send.held) {
                self.buffers.push(buffer);
            }
        }
        self.spare_seats.push(seats);
    }

    /// `Slab` hands out the number just freed again, so the instance keeps its own.
    pub(crate) fn put_back(&mut self, id: u32, instance: Instance) {
        let again = self.instances.insert(instance);
        debug_assert_eq!(again as u32, id);
    }

    fn join_instance(&mut self, turn: Turn, context: ContextId, group: &Arc<Group>, purpose: Purpose) -> u32 {
        // A rank's collectives with itself alone are never anybody else's.
        let own = context == mpirage_call::SELF;
        let known = self.comms.active(context).iter().find(|&&(n, _)| n == turn && !own).map(|&(_, id)| id);
        known.unwrap_or_else(|| {
            let id = self.add_instance(context, group, purpose);
            self.comms.active(context).push((turn, id));
            id
        })
    }

    /// Creations by group members only are told apart by parent, tag and members.
    fn join_group_creation(&mut self, parent: ContextId, tag: i32, group: &Arc<Group>, rank: u32) -> u32 {
        let tagged = Turn::Tagged(tag);
        let seat = group.rank_of(rank).expect("members only") as usize;
        let same = |id: &u32, instances: &slab::Slab<Instance>| {
            let instance = &instances[*id as usize];
            instance.group.iter().eq(group.iter()) && !instance.seats[seat].entered
        };
        let candidates = self.comms.active(parent).iter().filter(|&&(n, _)| n == tagged).map(|&(_, id)| id);
        let known = candidates.into_iter().find(|id| same(id, &self.instances));
        known.unwrap_or_else(|| {
            let purpose = Purpose::Comm { wishes: Vec::new(), made: Vec::new() };
            let id = self.add_instance(parent, group, purpose);
            self.comms.active(parent).push((tagged, id));
            id
        })
    }

    fn add_instance(&mut self, context: ContextId, group: &Arc<Group>, purpose: Purpose) -> u32 {
        let mut seats = self.spare_seats.pop().unwrap_or_default();
        seats.resize_with(group.size() as usize, Seat::default);
        self.collectives_started += 1;
        let (number, group) = (self.collectives_started, Arc::clone(group));
        let kept = Kept::default();
        self.instances.insert(Instance {
            context,
            number,
            group,
            purpose,
            seats,
            first: None,
            entered: 0,
            left: 0,
            settled: false,
            kept,
        }) as u32
    }

    fn sit(&mut self, id: u32, seat: u32, rank: u32, request: RequestId) {
        let stamp = self.ranks[rank as usize].stamp;
        let instance = &mut self.instances[id as usize];
        instance.entered += 1;
        instance.first = Some(instance.first.map_or(seat, |first| first.min(seat)));
        let place = &mut instance.seats[seat as usize];
        (place.entered, place.stamp, place.request) = (true, stamp, request);
        if request == BLOCKING {
            self.ranks[rank as usize].phase = Phase::InCollective(id);
        } else {
            self.open_request(rank, request, Operation::Collective { instance: id });
        }
    }

    fn keep(&mut self, part: &Part<'_>) -> Side {
        Side { held: self.hold(part.payload), cut: Cut::of(&part.blocks) }
    }

    fn start_schedule(&mut self, id: u32, seat: u32, rank: u32, call: &CollectiveCall<'_>) {
        if self.collective_times.is_some() {
            return self.await_everybody(id, seat, rank, call);
        }
        let size = self.instances[id as usize].seats.len() as u32;
        let kind = match (call.kind, call.recv.blocks) {
            // Traces know what a rank gets, not what the others do: the same, then.
            (Collective::ReduceScatter, Blocks::Whole(_)) => Collective::ReduceScatterBlock,
            (kind, _) => kind,
        };
        let call = &CollectiveCall { kind, ..*call };
        let (send_counts, recv_counts) = (counts(&call.send.blocks), counts(&call.recv.blocks));
        let mut shape = Shape::new(seat, size).root(call.root).bytes(call.shape_bytes(seat));
        shape = shape.counts(&send_counts, &recv_counts);
        if let Some(reduction) = call.reduction {
            shape = shape.element(u64::from(reduction.element.max(1))).commutative(reduction.commutative);
        }
        let plan = self.plans.choose(&self.collectives, call.kind, &shape);
        if self.detailed {
            self.recorder.record(&Record::Schedule {
                rank,
                number: self.instances[id as usize].number,
                context: call.context,
                kind: call.kind,
                algorithm: Some(self.plans.algorithm(plan)),
                entered: self.kernel.now(),
                call,
            });
        }
        self.start_run(id, seat, rank, plan);
    }

    /// Does what this rank calls disagree with what the first one called?
    fn mismatch(&self, id: u32, rank: u32, call: &CollectiveCall<'_>) -> Option<String> {
        let instance = &self.instances[id as usize];
        let first = instance.first?;
        let (other, theirs) = (instance.world_of(first), &instance.seats[first as usize]);
        let (kind, root) = match instance.purpose {
            Purpose::Data { kind, root } if kind == call.kind => (kind, root),
            _ => return self.different_calls(id, rank),
        };
        let differs = |mine: String, others: String| {
            Some(format!(
                "collective mismatch: rank {rank} {mine}, but rank {other} {others}, on {}",
                communicator_name(call.context)
            ))
        };
        if kind.is_rooted() && root != call.root {
            return differs(format!("names root {}", call.root), format!("names root {root}"));
        }
        if let (Some(mine), Some(others)) = (predefined(call.reduction), predefined(theirs.reduction))
            && mine != others
        {
            return differs(format!("reduces with {mine}"), format!("with {others}"));
        }
        let (mine, others) = (agreed_bytes(call)?, theirs.agreed_bytes(kind)?);
        if mine == others {
            return None;
        }
        differs(format!("gives {mine} bytes"), format!("gives {others}"))
    }

    /// Says that this rank and the first one called different functions.
    fn different_calls(&self, id: u32, rank: u32) -> Option<String> {
        let instance = &self.instances[id as usize];
        let first = instance.first?;
        let mine = function_name(self.ranks[rank as usize].stamp.function);
        let theirs = function_name(instance.seats[first as usize].stamp.function);
        let (other, place) = (instance.world_of(first), communicator_name(instance.context));
        Some(format!(
            "collective mismatch: rank {rank} calls {mine}, but rank {other} calls {theirs}, on {place}"
        ))
    }

    /// The groups are known once everybody has entered, which is when the first rank leaves.
    fn make_comms(&mut self, instance: &mut Instance) {
        let Purpose::Comm { wishes, made } = &mut instance.purpose else { return };
        if !made.is_empty() {
            return;
        }
        made.resize(instance.seats.len(), Made::default());
        let dup = wishes.first() == Some(&Wish::Dup);
        let origin = instance.seats.first().map_or(Origin::default(), |seat| Origin::of(&seat.stamp));
        for seats in new_groups(wishes) {
            let worlds: Vec<u32> = seats.iter().filter_map(|&seat| instance.group.world_of(seat)).collect();
            let group = Group::of(worlds.iter().copied()).expect("seats are distinct");
            let context = self.comms.add(group, origin);
            self.recorder.record(&Record::Comm { context, members: &worlds });
            let context = Some(context);
            let members = Arc::new(if dup { Vec::new() } else { worlds });
            for seat in seats {
                made[seat as usize] = Made { context, members: Arc::clone(&members) };
            }
        }
    }

    /// Who is in a duplicate is known before everybody has asked for it.
    fn hand_out_early(&mut self, id: u32, seat: u32, rank: u32) {
        let mut instance = self.instances.remove(id as usize);
        self.make_comms(&mut instance);
        self.hand_out_comm(&instance, seat, rank);
        self.put_back(id, instance);
    }

    fn hand_out_comm(&mut self, instance: &Instance, seat: u32, rank: u32) {
        if let Purpose::Comm { made, .. } = &instance.purpose {
            let made = &made[seat as usize];
            let reply = &mut self.ranks[rank as usize].reply;
            reply.context = made.context;
            reply.members.extend_from_slice(&made.members);
        }
    }
}

impl Seat {
    fn agreed_bytes(&self, kind: Collective) -> Option<u64> {
        let (send, recv) = (self.send.cut.blocks(), self.recv.cut.blocks());
        agreed(kind, &send, &recv, self.reduction.as_ref())
    }
}

fn communicator_name(context: ContextId) -> String {
    match context {
        mpirage_call::WORLD => "MPI_COMM_WORLD".to_owned(),
        mpirage_call::SELF => "MPI_COMM_SELF".to_owned(),
        other => format!("communicator {other}"),
    }
}

/// The predefined operator of a reduction. Handles of the program's own operators differ from rank to rank.
fn predefined(reduction: Option<Reduction>) -> Option<Op> {
    match reduction?.operator {
        Operator::Predefined { op, .. } => Op::from_code(op),
        Operator::User { .. } => None,
    }
}

/// Does a reduction call a function of the program?
fn calls_function(reduction: Option<Reduction>) -> bool {
    reduction.is_some_and(|reduction| matches!(reduction.operator, Operator::User { .. }))
}

fn agreed_bytes(call: &CollectiveCall<'_>) -> Option<u64> {
    agreed(call.kind, &call.send.blocks, &call.recv.blocks, call.reduction.as_ref())
}

/// The size that must be the same in every rank, where there is one.
fn agreed(
    kind: Collective,
    send: &Blocks<'_>,
    recv: &Blocks<'_>,
    reduction: Option<&Reduction>,
) -> Option<u64> {
    use Collective as C;
    match kind {
        C::Bcast => Some(send.total(1).max(recv.total(1))),
        C::Allreduce | C::Reduce | C::Scan | C::Exscan | C::ReduceScatterBlock => {
            reduction.map(|r| r.elements * u64::from(r.element))
        }
        C::Allgather | C::Alltoall => Some(recv.of(0).1),
        _ => None,
    }
}

fn counts(blocks: &Blocks<'_>) -> Vec<u64> {
    match blocks {
        Blocks::Each(list) => list.iter().skip(1).step_by(2).copied().collect(),
        _ => Vec::new(),
    }
}
