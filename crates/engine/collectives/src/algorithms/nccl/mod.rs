//! The collectives of NCCL: kernels on accelerators that pass chunks on through channels.
//!
//! ```text
//!   ring      allreduce, reduce-scatter, allgather, bcast, reduce     a ring of all ranks for each rail of the nodes
//!   tree      allreduce                                               a chain in each node, a double binary tree of nodes
//!   pat       reduce-scatter, allgather                               binomial trees of all ranks, one rank on each node
//!   grouped   all-to-all                                              sends and receives of one group, all at once
//!   tuned     any of them: algorithm, protocol and channels with the smallest time that NCCL's own model predicts
//! ```
//!
//! A kernel serves all its channels in one rhythm here: in each round a rank receives the next chunk of each channel and sends one on.
//! Channels whose rings are the same share a message. What a kernel costs stands in `rhythm`: the time of its start and of its hops, bytes
//! that a protocol adds, and the rate at which a device can pass data on. The rest is the network's business.
//!
//! Two releases choose: 2.20, and 2.23, which has parallel aggregated trees (PAT) and predicts some times otherwise.
//!
//! Facts of NCCL 2.20.5 (`src/device`, `src/graph`, `src/enqueue.cc`); Jeaugey: *Massively scale your deep learning training with NCCL 2.4*
//! (2019), of the double tree; Hu et al.: *Demystifying NCCL* (2025), of protocols, channels and chunks.

mod grouped;
mod model;
mod parts;
mod pat;
mod rhythm;
mod ring;
mod tree;

use mpirage_call::{Algorithm, Collective, Method, Settings, WireProtocol};

use crate::entry::{Entry, Table, entry};
use crate::performed::Appended;
use crate::shape::Shape;
use crate::shaped::Shaped;
use crate::step::Schedule;
use model::{Model, Release, Way};

const ALLREDUCE: Table = &[
    nccl(Algorithm::NcclRing, ring::allreduce).any_order(),
    nccl(Algorithm::NcclTree, tree::allreduce).any_order(),
    by_2_20(|shape, out| tuned(Release::V2_20, Collective::Allreduce, shape, out)).any_order(),
    by_2_23(|shape, out| tuned(Release::V2_23, Collective::Allreduce, shape, out)).any_order(),
];
const REDUCE_SCATTER: Table = &[
    nccl(Algorithm::NcclRing, ring::reduce_scatter).any_order(),
    aggregated(pat::reduce_scatter).only_if(|shape| pat::fits(shape) && shape.commutative),
    by_2_20(|shape, out| tuned_reduce_scatter(Release::V2_20, shape, out)).any_order(),
    by_2_23(|shape, out| tuned_reduce_scatter(Release::V2_23, shape, out)).any_order(),
];
const ALLGATHER: Table = &[
    nccl(Algorithm::NcclRing, ring::allgather),
    aggregated(pat::allgather).only_if(pat::fits),
    by_2_20(|shape, out| tuned_allgather(Release::V2_20, shape, out)),
    by_2_23(|shape, out| tuned_allgather(Release::V2_23, shape, out)),
];
const BCAST: Table = &[
    nccl(Algorithm::NcclRing, ring::bcast),
    by_2_20(|shape, out| tuned(Release::V2_20, Collective::Bcast, shape, out)),
    by_2_23(|shape, out| tuned(Release::V2_23, Collective::Bcast, shape, out)),
];
const REDUCE: Table = &[
    nccl(Algorithm::NcclRing, ring::reduce).any_order(),
    by_2_20(|shape, out| tuned(Release::V2_20, Collective::Reduce, shape, out)).any_order(),
    by_2_23(|shape, out| tuned(Release::V2_23, Collective::Reduce, shape, out)).any_order(),
];
const ALLTOALL: Table = &[entry(Algorithm::NcclGrouped, grouped::alltoall)];

/// The algorithms of NCCL for a collective.
pub(crate) fn table(collective: Collective) -> Table {
    match collective {
        Collective::Allreduce => ALLREDUCE,
        Collective::ReduceScatter | Collective::ReduceScatterBlock => REDUCE_SCATTER,
        Collective::Allgather | Collective::Allgatherv => ALLGATHER,
        Collective::Bcast => BCAST,
        Collective::Reduce => REDUCE,
        Collective::Alltoall | Collective::Alltoallv | Collective::Alltoallw => ALLTOALL,
        _ => &[],
    }
}

/// Why an algorithm of NCCL's is not here, if it is one.
pub(crate) fn missing(name: &str) -> Option<&'static str> {
    match name.strip_prefix("nccl/").unwrap_or(name) {
        "nvls" | "nvls-tree" | "nvlstree" => {
            Some("a switch reduces and multiplies the data, which messages between ranks do not say")
        }
        "collnet" | "collnet-direct" | "collnet-chain" => Some("the network's switches reduce the data"),
        _ => None,
    }
}

/// The method that NCCL's choice stands for; any other method as it is.
pub(crate) fn resolved(method: Method, collective: Collective, shape: &Shape) -> Method {
    match method.algorithm {
        Algorithm::NcclTuned => choose(Release::V2_20, collective, &collective.normalized(shape)),
        Algorithm::NcclTuned23 => choose(Release::V2_23, collective, &collective.normalized(shape)),
        _ => method,
    }
}

const fn nccl(algorithm: Algorithm, build: fn(&Shape, &mut Schedule)) -> Entry {
    entry(algorithm, build).segment(0).channels()
}

/// Its messages are always those of the protocol Simple.
const fn aggregated(build: fn(&Shape, &mut Schedule)) -> Entry {
    let mut entry = nccl(Algorithm::NcclPat, build);
    entry.defaults.protocol = None;
    entry
}

const fn by_2_20(build: fn(&Shape, &mut Schedule)) -> Entry {
    entry(Algorithm::NcclTuned, build)
}

const fn by_2_23(build: fn(&Shape, &mut Schedule)) -> Entry {
    entry(Algorithm::NcclTuned23, build)
}

fn tuned(release: Release, collective: Collective, shape: &Shape, out: &mut Schedule) {
    collective.append(choose(release, collective, shape), shape, out);
}

fn tuned_reduce_scatter(release: Release, shape: &Shape, out: &mut Schedule) {
    let block = shape.recv_counts.is_empty();
    let collective = if block { Collective::ReduceScatterBlock } else { Collective::ReduceScatter };
    tuned(release, collective, shape, out);
}

fn tuned_allgather(release: Release, shape: &Shape, out: &mut Schedule) {
    let block = shape.recv_counts.is_empty();
    tuned(release, if block { Collective::Allgather } else { Collective::Allgatherv }, shape, out);
}

/// NCCL tries trees first and aggregated trees last, and takes the first of equals.
fn choose(release: Release, collective: Collective, shape: &Shape) -> Method {
    let model = Model::of(collective, shape).by(release);
    let mut best = (Way::Ring, WireProtocol::Simple, f64::INFINITY);
    for (way, protocol) in candidates(release, collective, shape) {
        let time = if shape.size > 1 { model.time(way, protocol) } else { 0.0 };
        if time < best.2 {
            best = (way, protocol, time);
        }
    }
    let (way, protocol, _) = best;
    let (algorithm, protocol) = match way {
        Way::Tree => (Algorithm::NcclTree, Some(protocol)),
        Way::Ring => (Algorithm::NcclRing, Some(protocol)),
        Way::Pat => (Algorithm::NcclPat, None),
    };
    let channels = Some(model.channels_for(way, best.1));
    Method { algorithm, settings: Settings { protocol, channels, ..Settings::NONE } }
}

/// The ways that a release has for a call, in its order.
fn candidates(
    release: Release,
    collective: Collective,
    shape: &Shape,
) -> impl Iterator<Item = (Way, WireProtocol)> {
    let scattered = !matches!(collective, Collective::Allreduce | Collective::Bcast | Collective::Reduce);
    let aggregated = scattered && release == Release::V2_23 && shape.size > 1 && pat::fits(shape);
    let all = |way: Way| WireProtocol::ALL.map(|protocol| (way, protocol));
    let trees = (collective == Collective::Allreduce).then_some(all(Way::Tree));
    let last = aggregated.then_some((Way::Pat, WireProtocol::Simple));
    trees.into_iter().flatten().chain(all(Way::Ring)).chain(last)
}
