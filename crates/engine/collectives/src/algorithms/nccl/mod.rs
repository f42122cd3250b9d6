//! The collectives of NCCL: kernels on accelerators that pass chunks on through channels.
//!
//! ```text
//!   ring      allreduce, reduce-scatter, allgather, bcast, reduce     a ring of all ranks for each rail of the nodes
//!   tree      allreduce                                               a chain in each node, a double binary tree of nodes
//!   grouped   all-to-all                                              sends and receives of one group, all at once
//!   tuned     any of them: algorithm, protocol and channels with the smallest time that NCCL's own model predicts
//! ```
//!
//! A kernel serves all its channels in one rhythm here: in each round a rank receives the next chunk of each channel and sends one on.
//! Channels whose rings are the same share a message. What a kernel costs stands in `rhythm`: the time of its start and of its hops, bytes
//! that a protocol adds, and the rate at which a device can pass data on. The rest is the network's business.
//!
//! Facts of NCCL 2.20.5 (`src/device`, `src/graph`, `src/enqueue.cc`); Jeaugey: *Massively scale your deep learning training with NCCL 2.4*
//! (2019), of the double tree; Hu et al.: *Demystifying NCCL* (2025), of protocols, channels and chunks.

mod grouped;
mod model;
mod rhythm;
mod ring;
mod tree;

use std::ops::Range;

use mpirage_call::{Algorithm, Collective, Method, Settings, WireProtocol};

use crate::entry::{Entry, Table, entry};
use crate::performed::Appended;
use crate::shape::Shape;
use crate::shaped::Shaped;
use crate::step::Schedule;
use model::{Model, Way};

const ALLREDUCE: Table = &[
    nccl(Algorithm::NcclRing, ring::allreduce).any_order(),
    nccl(Algorithm::NcclTree, tree::allreduce).any_order(),
    entry(Algorithm::NcclTuned, |shape, out| tuned(Collective::Allreduce, shape, out)).any_order(),
];
const REDUCE_SCATTER: Table = &[
    nccl(Algorithm::NcclRing, ring::reduce_scatter).any_order(),
    entry(Algorithm::NcclTuned, tuned_reduce_scatter).any_order(),
];
const ALLGATHER: Table =
    &[nccl(Algorithm::NcclRing, ring::allgather), entry(Algorithm::NcclTuned, tuned_allgather)];
const BCAST: Table = &[
    nccl(Algorithm::NcclRing, ring::bcast),
    entry(Algorithm::NcclTuned, |shape, out| tuned(Collective::Bcast, shape, out)),
];
const REDUCE: Table = &[
    nccl(Algorithm::NcclRing, ring::reduce).any_order(),
    entry(Algorithm::NcclTuned, |shape, out| tuned(Collective::Reduce, shape, out)).any_order(),
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
        "pat" => Some("NCCL 2.20 does not have it; it came with 2.23"),
        _ => None,
    }
}

/// The method that NCCL's choice stands for; any other method as it is.
pub(crate) fn resolved(method: Method, collective: Collective, shape: &Shape) -> Method {
    match method.algorithm {
        Algorithm::NcclTuned => choose(collective, &collective.normalized(shape)),
        _ => method,
    }
}

const fn nccl(algorithm: Algorithm, build: fn(&Shape, &mut Schedule)) -> Entry {
    entry(algorithm, build).segment(0).channels()
}

fn tuned(collective: Collective, shape: &Shape, out: &mut Schedule) {
    collective.append(choose(collective, shape), shape, out);
}

fn tuned_reduce_scatter(shape: &Shape, out: &mut Schedule) {
    let block = shape.recv_counts.is_empty();
    tuned(if block { Collective::ReduceScatterBlock } else { Collective::ReduceScatter }, shape, out);
}

fn tuned_allgather(shape: &Shape, out: &mut Schedule) {
    let block = shape.recv_counts.is_empty();
    tuned(if block { Collective::Allgather } else { Collective::Allgatherv }, shape, out);
}

/// NCCL tries trees first, and takes the first of equals.
fn choose(collective: Collective, shape: &Shape) -> Method {
    let model = Model::of(collective, shape);
    let ways = if collective == Collective::Allreduce { &[Way::Tree, Way::Ring][..] } else { &[Way::Ring] };
    let mut best = (Way::Ring, WireProtocol::Simple, f64::INFINITY);
    for (&way, protocol) in ways.iter().flat_map(|way| WireProtocol::ALL.map(|protocol| (way, protocol))) {
        let time = if shape.size > 1 { model.time(way, protocol) } else { 0.0 };
        if time < best.2 {
            best = (way, protocol, time);
        }
    }
    let (way, protocol, _) = best;
    let algorithm = if way == Way::Tree { Algorithm::NcclTree } else { Algorithm::NcclRing };
    let channels = Some(model.channels_for(way, protocol));
    Method { algorithm, settings: Settings { protocol: Some(protocol), channels, ..Settings::NONE } }
}

/// One of some parts of a range, cut between elements; sizes differ by one element at most, the last part has what is no whole element.
fn cut(whole: &Range<u64>, parts: u64, index: u64, element: u64) -> Range<u64> {
    let element = element.max(1);
    let elements = (whole.end - whole.start) / element;
    let begin = |index: u64| match index == parts {
        true => whole.end,
        false => whole.start + (elements / parts * index + index.min(elements % parts)) * element,
    };
    begin(index)..begin(index + 1)
}

fn length(range: &Range<u64>) -> u64 {
    range.end - range.start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_follow_each_other() {
        let parts: Vec<_> = (0..3).map(|index| cut(&(8..52), 3, index, 8)).collect();
        assert_eq!(parts, [8..24, 24..40, 40..52]);
    }
}
