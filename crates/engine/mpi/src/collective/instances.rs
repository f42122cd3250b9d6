//! All collectives of a run: their communicators, instances, plans and schedules under way.

use std::sync::Arc;

use mpirage_call::{
    BLOCKING, Blocks, Collective, CollectiveCall, CommRequest, Completion, ContextId, Input, LineId, Member,
    Method, RankId, Reply, RequestId, Stamp,
};
use mpirage_collectives::{Choice, Operation, Shape, Step};
use mpirage_data::Group;
use mpirage_platform::{Accelerators, HostId};
use mpirage_record::Record;
use mpirage_units::{Duration, Time};
use rustc_hash::FxHashMap;

use super::agreement::{Disagreement, Entering, calls_function, different_calls, disagreement};
use super::comm::{CommId, Comms, NewComm, Sequence, Wish, new_groups};
use super::edges::KeptPeers;
use super::exchange::Exchange;
use super::formula::{CollectiveTimes, Gathering};
use super::instance::{Buffer, CommonPlan, Instance, Layout, Participant, Purpose};
use super::plans::Plans;
use super::run::{OwedCosts, Run, Stop};
use crate::data_plane::DataPlane;
use crate::ids::{InstanceId, PlanId, RunId, Table};
use crate::memory::Memory;
use crate::observe::Observers;
use crate::origin::Origin;
use crate::protocol::Overhead;
use crate::ranks::Ranks;
use crate::transport::message::{Awaited, COLLECTIVE_CONTEXTS};
use crate::working_set::WorkingSet;

/// The other parts that collectives work with when ranks get their results.
pub(crate) struct Env<'a, M> {
    pub data: &'a mut DataPlane<M>,
    pub observers: &'a mut Observers,
    pub ranks: &'a mut Ranks,
}

/// A rank that enters a collective: its line and the stamp of its call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caller {
    pub rank: RankId,
    pub line: LineId,
    pub stamp: Stamp,
}

/// The next action of a schedule.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NextStep {
    /// It waits for what it has stopped for.
    Waits,
    /// It goes on after its stop.
    AfterStop,
    /// This step, while so many sends and receives are under way.
    Step { step: Step, under_way: u32 },
    /// Nothing: that was the last step.
    Over,
}

/// A rank has entered a collective.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entered {
    pub instance: InstanceId,
    /// Its rank in the group.
    pub member: u32,
}

/// A rank has left a collective.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Left {
    pub rank: RankId,
    pub line: LineId,
    /// The request that completes with it; `BLOCKING` if the line waits in the call.
    pub request: RequestId,
    /// Could the collective call a function of the rank's program?
    pub called_back: bool,
    /// How it ends if ranks gave different sizes.
    pub error: Option<Completion>,
}

/// All collectives of a run.
pub(crate) struct Collectives {
    choice: Choice,
    accelerators: Option<Accelerators>,
    times: Option<Box<dyn CollectiveTimes>>,
    /// Memory for the hosts of the members of one of these collectives.
    hosts: Vec<HostId>,
    comms: Comms,
    instances: Table<InstanceId, Instance>,
    plans: Plans,
    runs: Table<RunId, Run>,
    owed: OwedCosts,
    /// Runs that wait for the next call of their rank.
    held_up: FxHashMap<RankId, Vec<RunId>>,
    /// Participants of collectives that are over, to be used again.
    spare: Vec<Vec<Participant>>,
    /// Numbers collectives, so that no two ever share a context.
    started: u64,
}

impl Collectives {
    pub(crate) fn new(
        choice: Choice,
        times: Option<Box<dyn CollectiveTimes>>,
        sizes: &[u32],
        overhead: Overhead,
    ) -> Collectives {
        Collectives {
            choice,
            accelerators: None,
            times,
            hosts: Vec::new(),
            comms: Comms::new(sizes),
            instances: Table::new(),
            plans: Plans::new(),
            runs: Table::new(),
            owed: OwedCosts::new(overhead),
            held_up: FxHashMap::default(),
            spare: Vec::new(),
            started: 0,
        }
    }

    /// With hosts that are accelerators.
    pub(crate) fn on(self, accelerators: Option<Accelerators>) -> Collectives {
        Collectives { accelerators, ..self }
    }

    #[inline]
    pub(crate) fn comms(&self) -> &Comms {
        &self.comms
    }

    pub(crate) fn free_comm(&mut self, context: ContextId) {
        self.comms.free(context);
    }

    /// A communicator of all ranks, also of those that are not started yet.
    pub(crate) fn add_universe(&mut self, ranks: u32) {
        self.comms.add_universe(ranks);
    }

    /// The world of a job that a rank has started.
    pub(crate) fn add_world(&mut self, first: u32, size: u32) {
        self.comms.add_world(first, size);
    }

    pub(crate) fn add_comm(&mut self, group: Group, origin: Origin) -> ContextId {
        self.comms.add(group, origin)
    }

    pub(crate) fn instance(&self, id: InstanceId) -> Option<&Instance> {
        self.instances.get(id)
    }

    /// Collectives that some of their ranks have not entered, in the order in which they began.
    pub(crate) fn incomplete(&self) -> Vec<&Instance> {
        let mut all: Vec<&Instance> = self.instances.iter().filter(|one| !one.is_complete()).collect();
        all.sort_by_key(|instance| instance.number);
        all
    }

    /// Ranks have moved to other hosts.
    pub(crate) fn forget_nodes(&mut self) {
        self.comms.forget_nodes();
        self.plans.forget_nodes();
    }

    /// Does a formula give the duration of collectives?
    pub(crate) fn have_formula(&self) -> bool {
        self.times.is_some()
    }

    #[inline]
    pub(crate) fn run(&self, id: RunId) -> &Run {
        &self.runs[id]
    }

    #[inline]
    pub(crate) fn run_mut(&mut self, id: RunId) -> &mut Run {
        &mut self.runs[id]
    }

    /// A run goes on: looks at its next step, if it need not wait for what it has stopped for.
    #[inline(always)]
    pub(crate) fn look_at_step(&mut self, id: RunId) -> NextStep {
        let run = &mut self.runs[id];
        run.go_on();
        if run.stop() != Stop::None {
            return if run.must_wait() { NextStep::Waits } else { NextStep::AfterStop };
        }
        match self.plans.step(run.plan, run.next(), run.member) {
            Some(step) => NextStep::Step { step, under_way: run.under_way() },
            None => NextStep::Over,
        }
    }

    /// The memory that the collective of a run walks through.
    #[inline]
    pub(crate) fn working_set(&self, id: RunId) -> WorkingSet {
        self.plans.working_set(self.runs[id].plan)
    }

    /// A later step of a run.
    #[inline]
    pub(crate) fn step_ahead(&self, id: RunId, ahead: u32) -> Option<Step> {
        let run = &self.runs[id];
        self.plans.step(run.plan, run.next() + ahead, run.member)
    }

    /// The rank that a run calls `member`.
    #[inline]
    pub(crate) fn peer(&self, id: RunId, member: u32) -> RankId {
        self.instances[self.runs[id].instance].rank_of(member)
    }

    /// A rank enters a collective; the text says why it must not.
    pub(crate) fn enter<M: Memory>(
        &mut self,
        data: &mut DataPlane<M>,
        caller: Caller,
        call: &CollectiveCall<'_>,
    ) -> Result<Entered, String> {
        let Caller { rank, line, stamp } = caller;
        let Some(group) = self.comms.group(call.context, rank) else {
            return Err("a collective on a communicator that does not exist".to_owned());
        };
        let member = group.rank_of(rank.get()).expect("members only");
        let purpose = Purpose::Data { kind: call.kind, root: call.root };
        let comm = self.comms.id(call.context, rank);
        let sequence = self.comms.next_collective(comm, rank, member, call.plan);
        let id = self.join(sequence, comm, &group, purpose);
        let instance = &mut self.instances[id];
        match disagreement(instance, Entering { rank, member }, &stamp, call) {
            Some(Disagreement::Fatal(text)) => return Err(text),
            Some(Disagreement::Size(mismatch)) => instance.mismatch = Some(mismatch),
            None => {}
        }
        instance.enter(member, line, stamp, call.request.unwrap_or(BLOCKING));
        instance.learn_root(call.root);
        let mut keep = |part: &mpirage_call::Part<'_>| Buffer {
            held: data.hold(part.payload),
            layout: Layout::of(&part.blocks),
        };
        let participant = &mut instance.participants[member as usize];
        (participant.send, participant.recv) = (keep(&call.send), keep(&call.recv));
        (participant.reduction, participant.on_mismatch) = (call.reduction, call.on_mismatch);
        (participant.peers, participant.root) = (KeptPeers::of(call.peers), call.root);
        Ok(Entered { instance: id, member })
    }

    /// A rank on host number `host` takes part in making a communicator; the text says why it must not.
    pub(crate) fn enter_creation(
        &mut self,
        caller: Caller,
        host: u32,
        parent: ContextId,
        how: CommRequest<'_>,
    ) -> Result<Entered, String> {
        let Caller { rank, line, stamp } = caller;
        let Some(mut group) = self.comms.group(parent, rank) else {
            return Err("a communicator made from one that does not exist".to_owned());
        };
        let comm = self.comms.id(parent, rank);
        let id = match how {
            CommRequest::CreateGroup { members, tag } => {
                let worlds: Vec<u32> = members.iter().filter_map(|&member| group.world_of(member)).collect();
                group = Arc::new(Group::of(worlds.iter().copied()).expect("members of a group are distinct"));
                self.join_group_creation(comm, tag, &group, rank)
            }
            _ => {
                let member = group.rank_of(rank.get()).expect("members only");
                let purpose = Purpose::Comm { wishes: Vec::new(), made: Vec::new() };
                let sequence = self.comms.next_collective(comm, rank, member, 0);
                self.join(sequence, comm, &group, purpose)
            }
        };
        let member = group.rank_of(rank.get()).expect("members only");
        let instance = &mut self.instances[id];
        let Purpose::Comm { wishes, .. } = &mut instance.purpose else {
            return Err(different_calls(instance, rank, &stamp).unwrap_or_default());
        };
        wishes.resize(group.size() as usize, Wish::Dup);
        // Ranks of a group that is made by its members only are numbered within it.
        wishes[member as usize] = match how {
            CommRequest::CreateGroup { .. } => Wish::Members((0..group.size()).collect()),
            _ => Wish::of(how, host),
        };
        let request = if let CommRequest::DupLater { request } = how { request } else { BLOCKING };
        instance.enter(member, line, stamp, request);
        Ok(Entered { instance: id, member })
    }

    /// Chooses the schedule of a rank that has entered; the first one chooses the method for all. `host_of` gives the host of a
    /// rank.
    pub(crate) fn choose_plan(
        &mut self,
        entered: Entered,
        call: &CollectiveCall<'_>,
        host_of: impl Fn(RankId) -> HostId,
    ) -> (PlanId, Method) {
        let instance = &mut self.instances[entered.instance];
        if let (Some(common), None) = (instance.common_plan, instance.mismatch)
            && common.input == call.input
        {
            return (common.plan, common.method);
        }
        let (member, comm) = (entered.member, instance.comm);
        let nodes =
            if self.choice.reads_nodes() { self.comms.nodes(comm, host_of, self.accelerators) } else { None };
        // Ranks that disagree follow the same schedule all the same.
        let bytes = instance.mismatch.map_or_else(|| call.shape_bytes(member), |mismatch| mismatch.first);
        let size = instance.size() as u32;
        let (send_counts, recv_counts) = (
            call.send_counts(Member { rank: member, size }),
            call.recv_counts(Member { rank: member, size }),
        );
        let mut shape =
            Shape::new(size).rank(member).root(call.root).bytes(bytes).in_place(call.input == Input::InPlace);
        shape = shape.peers(call.peers).counts(&send_counts, &recv_counts).nodes(nodes.as_deref());
        if let Some(reduction) = call.reduction {
            shape = shape.element(u64::from(reduction.element.max(1))).commutative(reduction.commutative);
            shape = shape.built_in(!calls_function(call.reduction));
        }
        let operation = Operation { collective: call.kind, nonblocking: call.request.is_some() };
        let choose = || self.choice.method(operation, &shape);
        let method = match call.known_root() {
            Some(_) => *instance.method.get_or_insert_with(choose),
            // A rank beside the root does not know sizes, and has nothing to do.
            None => instance.method.unwrap_or_else(choose),
        };
        let plan = self.plans.choose(comm, call.kind, method, &shape);
        let common = CommonPlan { plan, method, input: call.input };
        instance.common_plan = self.plans.is_common(plan).then_some(common);
        (plan, method)
    }

    /// A rank that has entered starts its schedule.
    pub(crate) fn start_run(&mut self, entered: Entered, plan: PlanId) -> RunId {
        let Entered { instance: id, member } = entered;
        let instance = &self.instances[id];
        let (rank, context) = (instance.rank_of(member), COLLECTIVE_CONTEXTS + instance.number);
        self.runs.insert(Run::new(id, member, rank, plan, context))
    }

    /// A rank's schedule is over.
    pub(crate) fn end_run(&mut self, id: RunId) -> Entered {
        let Run { instance, member, plan, owes, .. } = self.runs.remove(id);
        if owes {
            self.owed.forget(id);
        }
        self.plans.release(plan);
        Entered { instance, member }
    }

    /// Do receives cost the ranks something?
    #[inline]
    pub(crate) fn receives_cost(&self) -> bool {
        self.owed.has_costs()
    }

    /// A message of a run arrives, at `at` if its rank can take it at once.
    pub(crate) fn receive(&mut self, id: RunId, awaited: Awaited, at: Option<Time>, bytes: u64) {
        let run = &mut self.runs[id];
        run.owes = true;
        self.owed.receive(id, awaited, at.filter(|_| run.waits_for(awaited)), bytes);
    }

    /// A run begins to wait: its rank takes what has arrived.
    pub(crate) fn begin_receiving(&mut self, id: RunId, now: Time) {
        if self.owed.has_costs() {
            let run = &mut self.runs[id];
            run.owes = true;
            self.owed.begin(id, run.stop(), now);
        }
    }

    /// A run goes on after its stop; gives what it pays for the receives that are complete.
    #[inline]
    pub(crate) fn pass_stop(&mut self, id: RunId, now: Time) -> Duration {
        let run = &mut self.runs[id];
        let stop = run.pass_stop();
        if !run.owes {
            return Duration::ZERO;
        }
        let (paid, owes) = self.owed.pay(id, stop, now);
        run.owes = owes;
        paid
    }

    /// Does no run wait for a call of its rank?
    pub(crate) fn none_is_held_up(&self) -> bool {
        self.held_up.is_empty()
    }

    /// A run waits for the next call of its rank.
    pub(crate) fn hold_up(&mut self, id: RunId) {
        self.held_up.entry(self.runs[id].rank).or_default().push(id);
    }

    /// The runs of a rank that wait for its next call, in the order in which they could have gone on.
    pub(crate) fn take_held_up(&mut self, rank: RankId) -> Vec<RunId> {
        self.held_up.remove(&rank).unwrap_or_default()
    }

    /// How long a collective takes that the last rank has just entered, by the formula.
    pub(crate) fn duration(
        &mut self,
        entered: Entered,
        call: &CollectiveCall<'_>,
        host: impl Fn(RankId) -> HostId,
    ) -> Duration {
        let Collectives { instances, times, hosts, .. } = self;
        let (Entered { instance, member }, Some(times)) = (entered, times) else { return Duration::ZERO };
        let instance = &instances[instance];
        hosts.clear();
        hosts.extend((0..instance.size() as u32).map(|member| host(instance.rank_of(member))));
        times.duration(&Gathering::of(instance, hosts, member, call))
    }

    /// All have entered: everyone who is still inside gets its results. Gives the line and request of each. Nothing if not all
    /// have entered.
    pub(crate) fn settle<M: Memory>(
        &mut self,
        env: &mut Env<'_, M>,
        id: InstanceId,
    ) -> Vec<(LineId, RequestId)> {
        // Ranks get their errors when they leave.
        let instance = &self.instances[id];
        if !instance.is_complete() || instance.mismatch.is_some() || instance.truncates() {
            return Vec::new();
        }
        self.instances[id].settled = true;
        let members = 0..self.instances[id].size() as u32;
        let is_inside = |member: &u32| !self.instances[id].participants[*member as usize].left;
        let inside: Vec<u32> = members.filter(is_inside).collect();
        for &member in &inside {
            self.give(env, Entered { instance: id, member });
        }
        let participant = |member: u32| &self.instances[id].participants[member as usize];
        inside.into_iter().map(|member| (participant(member).line, participant(member).request)).collect()
    }

    /// A rank's part is over: it gets its results, unless it has them, and leaves.
    pub(crate) fn leave<M: Memory>(&mut self, env: &mut Env<'_, M>, entered: Entered) -> Left {
        let Entered { instance: id, member } = entered;
        if !self.instances[id].settled {
            self.give(env, entered);
        }
        let instance = &mut self.instances[id];
        let last = instance.leave(member);
        let Participant { line, request, reduction, .. } = instance.participants[member as usize];
        let left = Left {
            rank: instance.rank_of(member),
            line,
            request,
            called_back: request != BLOCKING && calls_function(reduction),
            error: instance.size_error(member),
        };
        if last {
            let instance = self.instances.remove(id);
            self.comms.active(instance.comm).retain(|&(_, active)| active != id);
            self.recycle(env.data, instance.participants);
        }
        left
    }

    /// A rank asks for a duplicate that it gets before all have asked: its members are known.
    pub(crate) fn hand_out_early<M>(&mut self, env: &mut Env<'_, M>, entered: Entered) {
        self.make_comms(env.observers, entered.instance);
        let instance = &self.instances[entered.instance];
        let line = instance.participants[entered.member as usize].line;
        instance.fill_reply(entered.member, &mut env.ranks.line_mut(line).reply);
    }

    /// Gives a member its results.
    fn give<M: Memory>(&mut self, env: &mut Env<'_, M>, entered: Entered) {
        let Entered { instance: id, member } = entered;
        if let Purpose::Data { kind, root } = self.instances[id].purpose {
            let instance = &self.instances[id];
            // Of ranks that disagree, those of a broadcast with the root's size get its bytes.
            let bcast = matches!(kind, Collective::Bcast | Collective::InterBcast);
            let whole = bcast && instance.size_error(member).is_none();
            if instance.mismatch.is_some() && !whole {
                return;
            }
            return Exchange::new(env.data, &mut self.instances[id]).exchange(kind, root, member);
        }
        self.make_comms(env.observers, id);
        let instance = &self.instances[id];
        let Participant { line, request, .. } = instance.participants[member as usize];
        if request == BLOCKING {
            instance.fill_reply(member, &mut env.ranks.line_mut(line).reply);
        }
    }

    /// All have left: the participants are for the next collective.
    fn recycle<M: Memory>(&mut self, data: &mut DataPlane<M>, mut participants: Vec<Participant>) {
        for participant in &mut participants {
            (participant.entered, participant.left, participant.reduction) = (false, false, None);
            participant.peers = KeptPeers::All;
            data.release(&mut participant.send.held);
        }
        self.spare.push(participants);
    }

    fn join(&mut self, sequence: Sequence, comm: CommId, group: &Arc<Group>, purpose: Purpose) -> InstanceId {
        // A rank's collectives with itself alone never go with those of others.
        let own = comm == CommId::Made(mpirage_call::SELF);
        let active = self.comms.active(comm);
        let known = active.iter().find(|&&(n, _)| n == sequence && !own).map(|&(_, id)| id);
        known.unwrap_or_else(|| self.add(sequence, comm, group, purpose))
    }

    /// Parent, tag and members identify a creation in which only members of the group take part.
    fn join_group_creation(
        &mut self,
        parent: CommId,
        tag: i32,
        group: &Arc<Group>,
        rank: RankId,
    ) -> InstanceId {
        let tagged = Sequence::Tagged(tag);
        let member = group.rank_of(rank.get()).expect("members only") as usize;
        let Collectives { comms, instances, .. } = self;
        let same = |id: &InstanceId| {
            let instance = &instances[*id];
            instance.group.iter().eq(group.iter()) && !instance.participants[member].entered
        };
        let mut candidates = comms.active(parent).iter().filter(|&&(n, _)| n == tagged).map(|&(_, id)| id);
        let known = candidates.find(same);
        known.unwrap_or_else(|| {
            self.add(tagged, parent, group, Purpose::Comm { wishes: Vec::new(), made: Vec::new() })
        })
    }

    fn add(&mut self, sequence: Sequence, comm: CommId, group: &Arc<Group>, purpose: Purpose) -> InstanceId {
        self.started += 1;
        let participants = self.spare.pop().unwrap_or_default();
        let instance = Instance::new(comm, self.started, Arc::clone(group), purpose, participants);
        let id = self.instances.insert(instance);
        self.comms.active(comm).push((sequence, id));
        id
    }

    /// The groups are known once all have entered, which is when the first rank leaves.
    fn make_comms(&mut self, observers: &mut Observers, id: InstanceId) {
        let instance = &mut self.instances[id];
        let Purpose::Comm { wishes, made } = &mut instance.purpose else { return };
        if !made.is_empty() {
            return;
        }
        made.resize(instance.participants.len(), NewComm::default());
        let dup = wishes.first() == Some(&Wish::Dup);
        let origin = instance.participants.first().map_or(Origin::UNKNOWN, |first| Origin::of(&first.stamp));
        for members in new_groups(wishes) {
            let ranks: Vec<u32> =
                members.iter().filter_map(|&member| instance.group.world_of(member)).collect();
            let group = Group::of(ranks.iter().copied()).expect("members are distinct");
            let context = self.comms.add(group, origin);
            observers.record(&Record::Comm { context, members: &ranks });
            let context = Some(context);
            let ranks = Arc::new(if dup { Vec::new() } else { ranks });
            for member in members {
                made[member as usize] = NewComm { context, members: Arc::clone(&ranks) };
            }
        }
    }
}

impl Instance {
    /// Puts the communicator that a member gets into its reply.
    fn fill_reply(&self, member: u32, reply: &mut Reply) {
        if let Purpose::Comm { made, .. } = &self.purpose {
            let made = &made[member as usize];
            reply.context = made.context;
            reply.members.extend_from_slice(&made.members);
        }
    }
}

/// Traces know what a rank gets of a reduce-scatter, not what the others do: then all get the same.
pub(crate) fn scheduled_kind(call: &CollectiveCall<'_>) -> Collective {
    match (call.kind, call.recv.blocks) {
        (Collective::ReduceScatter, Blocks::Whole(_)) => Collective::ReduceScatterBlock,
        (kind, _) => kind,
    }
}
