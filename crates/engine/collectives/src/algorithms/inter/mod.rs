//! Collectives between the two sides of an inter-communicator: what one side gives, the other gets.
//!
//! Ranks of the root's side that are not the root (`MPI_PROC_NULL`) do nothing. The first rank of a side is its leader.
//! `direct` has the algorithms in which ranks of the two sides exchange everything themselves, `leaders` those in which the
//! leaders do it, after or before a collective within their sides. That follows the default table, whichever is chosen.
//!
//! | | MPICH 4.0 to 4.3 | Open MPI 4.1, 5.0: `inter`, `basic` (blocking) | `libnbc` (not) |
//! |---|---|---|---|
//! | barrier | local-barrier-remote-bcast | reduce-exchange-bcast of an int | linear, see below |
//! | bcast | remote-send-local-bcast | remote-send-local-bcast | linear |
//! | gather | local-gather-remote-send below 2 KiB in total, else linear | local-gather-remote-send | linear |
//! | gatherv, scatterv | linear | leaders forward blocks whose sizes they ask for; linear here | linear |
//! | scatter | remote-send-local-scatter below 2 KiB in total, else linear | remote-send-local-scatter | linear |
//! | allgather | local-gather-remote-bcast | gather-exchange-bcast | linear |
//! | allgatherv | remote-gather-local-bcast | as gatherv; remote-gather-local-bcast here | linear |
//! | alltoall, alltoallv, alltoallw | pairwise | linear | linear |
//! | reduce | local-reduce-remote-send | local-reduce-remote-send | linear |
//! | allreduce | reduce-exchange-bcast; `Iallreduce` sends the same messages | reduce-exchange-bcast | linear |
//! | reduce-scatter | remote-reduce-local-scatter | linear | linear |
//!
//! In libnbc's barrier a rank may leave before the other side has entered: the leaders do not wait for each other before they
//! let ranks go. Here they do.

use mpirage_call::{Algorithm as A, Sides};

mod direct;
mod leaders;

use crate::entry::{Table, entry};
use crate::shape::Shape;

pub(crate) const BARRIER: Table = &[
    entry(A::LocalBarrierRemoteBcast, leaders::barrier),
    entry(A::ReduceExchangeBcast, leaders::barrier_by_allreduce),
    entry(A::Linear, direct::allreduce),
];
pub(crate) const BCAST: Table =
    &[entry(A::RemoteSendLocalBcast, leaders::bcast), entry(A::Linear, direct::bcast)];
pub(crate) const GATHER: Table =
    &[entry(A::LocalGatherRemoteSend, leaders::gather), entry(A::Linear, direct::gather)];
pub(crate) const GATHERV: Table = &[entry(A::Linear, direct::gather)];
pub(crate) const SCATTER: Table =
    &[entry(A::RemoteSendLocalScatter, leaders::scatter), entry(A::Linear, direct::scatter)];
pub(crate) const SCATTERV: Table = &[entry(A::Linear, direct::scatter)];
pub(crate) const ALLGATHER: Table = &[
    entry(A::LocalGatherRemoteBcast, leaders::allgather),
    entry(A::GatherExchangeBcast, leaders::allgather_by_exchange),
    entry(A::Linear, direct::allgather),
];
pub(crate) const ALLGATHERV: Table =
    &[entry(A::RemoteGatherLocalBcast, leaders::allgatherv), entry(A::Linear, direct::allgather)];
pub(crate) const ALLTOALL: Table =
    &[entry(A::Pairwise, direct::pairwise), entry(A::Linear, direct::alltoall)];
pub(crate) const REDUCE: Table =
    &[entry(A::LocalReduceRemoteSend, leaders::reduce), entry(A::Linear, direct::reduce)];
pub(crate) const ALLREDUCE: Table =
    &[entry(A::ReduceExchangeBcast, leaders::allreduce), entry(A::Linear, direct::allreduce)];
pub(crate) const REDUCE_SCATTER: Table =
    &[entry(A::RemoteReduceLocalScatter, leaders::reduce_scatter), entry(A::Linear, direct::reduce_scatter)];

/// A rank's part in a rooted collective.
enum Part {
    Root,
    /// On the root's side.
    Beside,
    /// On the other side.
    Across,
}

fn part(shape: &Shape, sides: &Sides) -> Part {
    match shape.root {
        root if root == shape.rank => Part::Root,
        root if sides.other.contains(&root) => Part::Across,
        _ => Part::Beside,
    }
}
