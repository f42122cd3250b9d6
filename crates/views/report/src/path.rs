//! The critical path: what had to happen, one after the other, for the run to end when it did.
//!
//! It is followed backwards when the run is over, from the rank that ended last. What a rank did itself is on the path. Where a rank
//! waited for another rank, the path continues with the other rank:
//!
//! ```text
//! rank 0   ███████ compute ███████ send
//!                                     ╲ transfer
//! rank 1   ██ compute ██ ╌╌ recv ╌╌╌╌╌╌██ compute ██
//!          path of rank 1: compute of 0, transfer, compute of 1
//! ```
//!
//! A call that returns when a message is delivered continues with the sender at the time of the send; or with the receiver, if the bytes
//! could not move before the receive was posted. Inside a collective, this holds for every message that is delivered to a rank ([`walk`]).
//!
//! In runs whose logs do not fit into memory, the paths of all ranks are followed whenever a log is cleared. They are kept as a tree
//! ([`tree`]), and branches that do not lead to any rank's present are removed.
//!
//! Two things are approximate. A call that returns a little after its last message counts as waiting for that message. In runs whose logs
//! are cleared, a message that was sent before the last clearing continues where its sender was then; and if the tree grows too large,
//! neighbouring segments are joined.

mod cycle;
mod segment;
#[cfg(test)]
mod tests;
mod tree;
mod walk;

use std::ops::ControlFlow;

use rustc_hash::FxHashMap;

use crate::log::Period;
use crate::logs::Logs;
pub(crate) use segment::{Segment, SegmentKind, join_neighbours};
use tree::{Node, Tree};
use walk::{Step, Walk};

/// Consumes a path, backwards.
pub(crate) trait PathConsumer {
    /// The segment before all earlier ones.
    fn segment(&mut self, segment: Segment);

    /// The last segments occur `times` more times, each time a period earlier.
    fn repeat(&mut self, segments: &[Segment], times: u64, period: Period);
}

/// The paths that led all ranks to where they are.
#[derive(Clone)]
pub(crate) struct Paths {
    tree: Tree,
    /// The time up to which the path of each rank is in the tree, and its last node.
    since: Vec<u64>,
    heads: Vec<u32>,
}

impl Paths {
    pub fn new(ranks: usize) -> Paths {
        Paths { tree: Tree::new(ranks), since: vec![0; ranks], heads: vec![0; ranks] }
    }

    /// Adds the paths of all ranks, up to the times `at`, to the tree. Then the logs are no longer needed.
    pub fn follow(&mut self, logs: &Logs, at: Vec<u64>) {
        let mut walk = Walk::new(logs, &self.since);
        let (ranks, mut segments) = (self.heads.len(), Vec::new());
        // The nodes of transfers, by receiver and end: many paths meet there.
        let mut known: FxHashMap<(u32, u64), u32> = FxHashMap::default();
        // The old heads, then the new ones.
        let mut roots = self.heads.clone();
        roots.extend_from_slice(&self.heads);
        for (rank, &time) in at.iter().enumerate() {
            segments.clear();
            let mut met = None;
            let (origin, _) = walk.back(rank as u32, time, false, |step| {
                let Step::Segment(segment) = step else { return ControlFlow::Continue(()) };
                met = known.get(&(segment.rank, segment.end)).copied();
                met = met.filter(|_| segment.kind == SegmentKind::Transfer);
                if met.is_some() {
                    return ControlFlow::Break(());
                }
                self.tree.prepend(segment, &mut segments);
                ControlFlow::Continue(())
            });
            let mut parent = met.unwrap_or(roots[origin as usize]);
            for &segment in segments.iter().rev() {
                parent = self.tree.push(Node { parent, segment });
                if segment.kind == SegmentKind::Transfer {
                    known.insert((segment.rank, segment.end), parent);
                }
            }
            roots[ranks + rank] = parent;
            if self.tree.is_full() {
                self.tree.make_room(&mut roots, &mut known);
            }
        }
        self.heads.copy_from_slice(&roots[ranks..]);
        self.since = at;
    }

    /// Passes the path that led a rank to where it was at `time` to a consumer, backwards.
    pub fn back_from(&self, logs: &Logs, rank: u32, time: u64, consumer: &mut impl PathConsumer) {
        let (origin, since) = Walk::new(logs, &self.since).back(rank, time, true, |step| {
            match step {
                Step::Segment(segment) => consumer.segment(segment),
                Step::Repeat { segments, times, period } => consumer.repeat(segments, times, period),
            }
            ControlFlow::Continue(())
        });
        let earlier = self.tree.back_from(self.heads[origin as usize], since);
        earlier.for_each(|segment| consumer.segment(segment));
    }

    /// Whether segments were joined because there were too many.
    pub fn is_thinned(&self) -> bool {
        self.tree.is_thinned()
    }
}
