//! Broadcasts of SimGrid that relay segments of 8 KiB from rank 0 on, whatever the root.
//!
//! ```text
//!   NTSL         0 > 1 > 2 > 3 …                          a chain; NTSL_Isend is the same in 3.32
//!   NTSB         0 > 1 2, 1 > 3 4, 2 > 5 6                a binary tree
//!   SMP_linear   0 > 4 > 8 …  and  0 > 1 > 2 > 3          a chain of the first ranks of all nodes, one inside each node
//!   SMP_binary   0 > 4 8      and  0 > 1 2, 1 > 3         the same with binary trees
//! ```
//!
//! Another root than rank 0 first sends the whole vector to rank 0, and receives it again in its turn. Receives of all segments
//! are posted first. What remains behind the last whole segment follows as a broadcast of its own, from the root again.
//!
//! Algorithms of the STAR-MPI project: Faraj, Yuan, Lowenthal: *STAR-MPI: self tuned adaptive routines for MPI collective
//! operations* (2006), as SimGrid 3.32 has them in `src/smpi/colls/bcast`.

use mpirage_call::{Collective, SendStyle};

use super::Groups;
use super::bcast::mpich;
use super::parts::has_table;
use crate::algorithms::bcast;
use crate::data::Data;
use crate::performed::Appended;
use crate::shape::Shape;
use crate::step::Schedule;

/// A rank's neighbours in a tree below rank 0.
struct Relay {
    parent: Option<u32>,
    /// In the order in which they are served.
    children: Vec<u32>,
}

/// The request sets of receives and sends.
const RECEIVES: u8 = 0;
const SENDS: u8 = 1;

pub(crate) fn chain(shape: &Shape, out: &mut Schedule) {
    let next = shape.rank + 1;
    let relay = Relay {
        parent: shape.rank.checked_sub(1),
        children: (next < shape.size).then_some(next).into_iter().collect(),
    };
    broadcast(shape, &relay, SendStyle::AtOnce, out);
}

pub(crate) fn binary_tree(shape: &Shape, out: &mut Schedule) {
    broadcast(shape, &binary(shape.rank, shape.size), SendStyle::AtOnce, out);
}

/// The binary tree of the ranks below `size`, level by level.
fn binary(rank: u32, size: u32) -> Relay {
    let children = [2 * rank + 1, 2 * rank + 2].into_iter().filter(|&child| child < size).collect();
    Relay { parent: rank.checked_sub(1).map(|below| below / 2), children }
}

/// SimGrid does not use it within a single node.
pub(crate) fn chain_of_nodes(shape: &Shape, out: &mut Schedule) {
    let Some(groups) = Groups::uniform(shape) else { return mpich(shape, out) };
    if groups.count == 1 {
        return bcast::binomial(shape, out);
    }
    let next_node = groups.first() + groups.size;
    let to_node = (groups.position == 0 && next_node < shape.size).then_some(next_node);
    let to_rank = (groups.position + 1 < groups.size).then_some(shape.rank + 1);
    let parent = match groups.position {
        0 => shape.rank.checked_sub(groups.size),
        _ => Some(shape.rank - 1),
    };
    let relay = Relay { parent, children: to_node.into_iter().chain(to_rank).collect() };
    broadcast(shape, &relay, SendStyle::InOrder, out);
}

pub(crate) fn tree_of_nodes(shape: &Shape, out: &mut Schedule) {
    let Some(groups) = Groups::uniform(shape) else { return mpich(shape, out) };
    let inside = binary(groups.position, groups.size);
    let inside_children = inside.children.iter().map(|child| groups.first() + child);
    let relay = match inside.parent {
        Some(parent) => Relay { parent: Some(groups.first() + parent), children: inside_children.collect() },
        None => {
            let between = binary(groups.index, groups.count);
            let leaders = between.children.iter().map(|node| node * groups.size);
            Relay {
                parent: between.parent.map(|node| node * groups.size),
                children: leaders.chain(inside_children).collect(),
            }
        }
    };
    broadcast(shape, &relay, SendStyle::InOrder, out);
}

/// Relays the whole segments, then what remains.
fn broadcast(shape: &Shape, relay: &Relay, sends: SendStyle, out: &mut Schedule) {
    let segment = shape.segment();
    let whole = shape.bytes / segment * segment;
    if shape.bytes <= segment {
        return relay_short(shape, relay, Data::range(0, shape.bytes), out);
    }
    to_rank_zero(shape, Data::range(0, shape.bytes), out);
    relay_segments(relay, whole / segment, segment, sends, out);
    let rest = shape.bytes - whole;
    if rest > 0 && has_table(shape) {
        out.part(whole, |out| Collective::Bcast.append_part(&Shape { bytes: rest, ..*shape }, out));
    } else if rest > 0 {
        relay_short(shape, relay, Data::range(whole, rest), out);
    }
}

/// The vector of another root than rank 0.
pub(super) fn to_rank_zero(shape: &Shape, data: Data, out: &mut Schedule) {
    match shape.root {
        0 => {}
        root if root == shape.rank => out.send(0, data),
        root if shape.rank == 0 => out.recv(root, data.bytes),
        _ => {}
    }
}

/// Relays data that fits into one segment.
fn relay_short(shape: &Shape, relay: &Relay, data: Data, out: &mut Schedule) {
    to_rank_zero(shape, data, out);
    if let Some(parent) = relay.parent {
        out.recv(parent, data.bytes);
    }
    for &child in &relay.children {
        out.send(child, data);
    }
}

fn relay_segments(relay: &Relay, count: u64, segment: u64, sends: SendStyle, out: &mut Schedule) {
    out.set(RECEIVES);
    if let Some(parent) = relay.parent {
        (0..count).for_each(|_| out.irecv(parent, segment));
    }
    out.set(SENDS);
    for index in 0..count {
        out.wait(RECEIVES, (count - 1 - index) as u32);
        for &child in &relay.children {
            let data = Data::range(index * segment, segment);
            match sends {
                SendStyle::InOrder => out.send(child, data),
                SendStyle::AtOnce => out.isend(child, data),
            }
        }
    }
    out.wait(SENDS, 0);
    out.set(RECEIVES);
}

/// The root sends each rank all segments, one rank after the other. SimGrid does not send what remains behind the last whole
/// segment; here it is a shorter segment.
pub(crate) fn from_the_root(shape: &Shape, out: &mut Schedule) {
    let segment = shape.segment();
    if shape.bytes < segment {
        return bcast::linear(&Shape { parameters: at_once(shape), ..*shape }, out);
    }
    let segments = (0..shape.bytes.div_ceil(segment)).map(|index| {
        let offset = index * segment;
        Data::range(offset, segment.min(shape.bytes - offset))
    });
    if !shape.is_root() {
        segments.for_each(|data| out.irecv(shape.root, data.bytes));
        return out.wait_all();
    }
    for rank in shape.non_roots() {
        segments.clone().for_each(|data| out.send(rank, data));
    }
}

fn at_once(shape: &Shape) -> mpirage_call::Parameters {
    mpirage_call::Parameters { sends: SendStyle::AtOnce, ..shape.parameters }
}
