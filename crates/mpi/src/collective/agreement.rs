//! What the members of a collective must agree on, and how they disagree.

use mpirage_call::{
    Blocks, CollectiveCall, Completion, ContextId, OnMismatch, Operator, RankId, Reduction, Stamp,
    function_name,
};
use mpirage_collectives::Collective;
use mpirage_data::Op;

use super::instance::{Instance, Mismatch, Participant, Purpose};

/// How the call of a rank disagrees with those of others.
pub(crate) enum Disagreement {
    /// It calls something else, with another root or operator, or another size although an error would end the run.
    Fatal(String),
    /// Only its size differs, and all ranks so far get an error for that.
    Size(Mismatch),
}

/// How the call of a rank disagrees with what the first rank called, if it does.
pub(crate) fn disagreement(
    instance: &Instance,
    rank: RankId,
    stamp: &Stamp,
    call: &CollectiveCall<'_>,
) -> Option<Disagreement> {
    let first = instance.first()?;
    let (other, theirs) = (instance.rank_of(first), &instance.participants[first as usize]);
    let (kind, root) = match instance.purpose {
        Purpose::Data { kind, root } if kind == call.kind => (kind, root),
        _ => return different_calls(instance, rank, stamp).map(Disagreement::Fatal),
    };
    let differs = |mine: String, others: String| {
        Some(Disagreement::Fatal(format!(
            "collective mismatch: rank {rank} {mine}, but rank {other} {others}, on {}",
            communicator_name(call.context)
        )))
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
    let sizes = instance.mismatch.unwrap_or(Mismatch { first: others, largest: others });
    if mine == others && instance.mismatch.is_none() {
        return None;
    }
    if [call.on_mismatch, theirs.on_mismatch] == [OnMismatch::ReturnError; 2] {
        return Some(Disagreement::Size(Mismatch { largest: sizes.largest.max(mine), ..sizes }));
    }
    differs(format!("gives {mine} bytes"), format!("gives {others}"))
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
        let (mismatch, Purpose::Data { kind, root }) = (self.mismatch?, &self.purpose) else { return None };
        let mine = self.participants[member as usize].agreed_bytes(*kind)?;
        let theirs = match kind {
            Collective::Bcast => self.participants[*root as usize].agreed_bytes(*kind)?,
            Collective::Reduce if member != *root => mine,
            _ => mismatch.largest.max(mine),
        };
        let error =
            Completion { mismatched: true, truncated: theirs > mine, bytes: theirs, ..Completion::empty(0) };
        (theirs != mine).then_some(error)
    }
}

impl Participant {
    fn agreed_bytes(&self, kind: Collective) -> Option<u64> {
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
