//! Checks that the members of a collective agree, and describes how they disagree.

use mpirage_call::{
    BESIDE_ROOT, BLOCKING, Blocks, Collective, CollectiveCall, Completion, ContextId, Member, OnMismatch,
    Operator, RankId, Reduction, Stamp, function_name,
};
use mpirage_data::Op;

use super::instance::{Instance, Mismatch, Participant, Purpose};

/// How the call of a rank disagrees with those of others.
pub(crate) enum Disagreement {
    /// It calls something else, with another root or operator, or another size although an error would end the run.
    Fatal(String),
    /// Only its size differs, and all ranks so far get an error for that.
    Size(Mismatch),
}

/// A rank that is about to enter a collective.
#[derive(Clone, Copy)]
pub(crate) struct Entering {
    pub rank: RankId,
    /// Its rank in the group.
    pub member: u32,
}

/// How the call of a rank disagrees with what others called, if it does.
pub(crate) fn disagreement(
    instance: &Instance,
    entering: Entering,
    stamp: &Stamp,
    call: &CollectiveCall<'_>,
) -> Option<Disagreement> {
    let Entering { rank, .. } = entering;
    let first = instance.first()?;
    let (kind, root) = match instance.purpose {
        Purpose::Data { kind, root } if kind == call.kind => (kind, root),
        _ => return different_calls(instance, rank, stamp).map(Disagreement::Fatal),
    };
    // A non-blocking collective does not match a blocking one (MPI 5.0, section 6.12). Persistent ones have plans of their own.
    if call.request.is_some() != (instance.participants[first as usize].request != BLOCKING) {
        return different_calls(instance, rank, stamp).map(Disagreement::Fatal);
    }
    let differs = |mine: String, other: u32, others: String| {
        let (other, place) = (instance.rank_of(other), communicator_name(call.context));
        let text = format!("collective mismatch: rank {rank} {mine}, but rank {other} {others}, on {place}");
        Some(Disagreement::Fatal(text))
    };
    if kind.is_across() && kind.is_rooted() {
        if let Some((other, mine, others)) = other_root_across(instance, entering, call) {
            return differs(mine, other, others);
        }
    } else if kind.is_rooted() && root != call.root {
        return differs(format!("names root {}", call.root), first, format!("names root {root}"));
    }
    let theirs = &instance.participants[first as usize];
    if let (Some(mine), Some(others)) = (predefined(call.reduction), predefined(theirs.reduction))
        && mine != others
    {
        return differs(format!("reduces with {mine}"), first, format!("with {others}"));
    }
    let mine = agreed_bytes(call)?;
    let (other, theirs, others) = instance.first_with_agreed_bytes(kind)?;
    let sizes = instance.mismatch.unwrap_or(Mismatch { first: others, largest: others });
    if mine == others && instance.mismatch.is_none() {
        return None;
    }
    if [call.on_mismatch, theirs.on_mismatch] == [OnMismatch::ReturnError; 2] {
        return Some(Disagreement::Size(Mismatch { largest: sizes.largest.max(mine), ..sizes }));
    }
    differs(format!("gives {mine} bytes"), other, format!("gives {others}"))
}

/// Another member whose call contradicts the root that this rank names, and what they say. Ranks beside the root do not know it,
/// but they must be on its side.
fn other_root_across(
    instance: &Instance,
    Entering { member, .. }: Entering,
    call: &CollectiveCall<'_>,
) -> Option<(u32, String, String)> {
    let sides = call.peers.sides(Member { rank: member, size: instance.size() as u32 })?;
    let says = |member: u32, root: u32| match root {
        BESIDE_ROOT => "gives MPI_PROC_NULL as the root".to_owned(),
        root if root == member => "is the root".to_owned(),
        root => format!("names rank {} as the root", instance.rank_of(root)),
    };
    let contradicts = |other: u32, root: u32| match (call.root, root) {
        (BESIDE_ROOT, BESIDE_ROOT) => sides.other.contains(&other),
        (BESIDE_ROOT, root) => root == member || sides.other.contains(&root),
        (mine, BESIDE_ROOT) => mine == other || sides.own.contains(&other) != sides.own.contains(&mine),
        (mine, root) => mine != root,
    };
    // Once one rank has named the root, it is enough to compare with that rank.
    if let Purpose::Data { root, .. } = instance.purpose
        && root != BESIDE_ROOT
        && !contradicts(root, instance.participants[root as usize].entered_root().unwrap_or(root))
        && !contradicts(root, root)
    {
        return None;
    }
    let entered = instance.participants.iter().zip(0..).filter(|(participant, _)| participant.entered);
    let mut contradicting = entered.filter(|&(participant, other)| contradicts(other, participant.root));
    let (mut participant, mut other) = contradicting.next()?;
    if participant.root == BESIDE_ROOT {
        // One that knows the root says more.
        let knows = |&(participant, _): &(&Participant, u32)| participant.root != BESIDE_ROOT;
        (participant, other) = contradicting.find(knows).unwrap_or((participant, other));
    }
    Some((other, says(member, call.root), says(other, participant.root)))
}

/// Says that this rank and the first one called different functions.
pub(crate) fn different_calls(instance: &Instance, rank: RankId, stamp: &Stamp) -> Option<String> {
    let first = instance.first()?;
    let mine = function_name(stamp.function);
    let theirs = function_name(instance.participants[first as usize].stamp.function);
    let (other, place) = (instance.rank_of(first), communicator_name(instance.context()));
    Some(format!(
        "collective mismatch: rank {rank} calls {mine}, but rank {other} calls {theirs}, on {place}"
    ))
}

/// Does a reduction call a function of the program?
pub(crate) fn calls_function(reduction: Option<Reduction>) -> bool {
    reduction.is_some_and(|reduction| matches!(reduction.operator, Operator::User { .. }))
}

impl Instance {
    /// How the part of a member ends if sizes differ: with an error if it gets more than it has room for, or less than it
    /// waits for.
    pub(crate) fn size_error(&self, member: u32) -> Option<Completion> {
        let (Some(mismatch), Purpose::Data { kind, root }) = (self.mismatch, &self.purpose) else {
            return self.truncation(member);
        };
        let mine = self.participants[member as usize].agreed_bytes(*kind)?;
        let theirs = match kind {
            Collective::Bcast | Collective::InterBcast => {
                self.participants.get(*root as usize)?.agreed_bytes(*kind)?
            }
            Collective::Reduce | Collective::InterReduce if member != *root => mine,
            _ => mismatch.largest.max(mine),
        };
        let error =
            Completion { mismatched: true, truncated: theirs > mine, bytes: theirs, ..Completion::empty(0) };
        (theirs != mine).then_some(error)
    }

    /// The lowest member that has entered and gives the size that all must give, and that size.
    fn first_with_agreed_bytes(&self, kind: Collective) -> Option<(u32, &Participant, u64)> {
        let members = self.first()?..self.size() as u32;
        let entered = members.map(|member| (member, &self.participants[member as usize]));
        // Only ranks beside a root give none, so the first is usually the one.
        let mut entered = entered.filter(|(_, participant)| participant.entered);
        entered.find_map(|(member, participant)| Some((member, participant, participant.agreed_bytes(kind)?)))
    }
}

impl Participant {
    /// The root that it names, if it has entered.
    fn entered_root(&self) -> Option<u32> {
        self.entered.then_some(self.root)
    }

    fn agreed_bytes(&self, kind: Collective) -> Option<u64> {
        if self.root == BESIDE_ROOT {
            return None;
        }
        let (send, recv) = (self.send.layout.blocks(), self.recv.layout.blocks());
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

fn agreed_bytes(call: &CollectiveCall<'_>) -> Option<u64> {
    call.known_root()?;
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
        C::Bcast | C::InterBcast => Some(send.total(1).max(recv.total(1))),
        C::Allreduce
        | C::Reduce
        | C::Scan
        | C::Exscan
        | C::ReduceScatterBlock
        | C::InterReduce
        | C::InterAllreduce
        | C::InterReduceScatter
        | C::InterReduceScatterBlock => reduction.map(|r| r.elements * u64::from(r.element)),
        C::Allgather | C::Alltoall => Some(recv.of(0).1),
        _ => None,
    }
}
