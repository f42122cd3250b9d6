//! Collectives of two levels with the vector in segments behind each other: while one segment is between the nodes, the next one is inside.
//!
//! ```text
//!   bcast       between k │ inside k-1
//!   reduce      inside k  │ between k-1
//!   allreduce   reduce inside k │ reduce between k-1 │ bcast between k-2 │ bcast inside k-3
//! ```
//!
//! This is Open MPI's component `han`. Its leaders have the root's position in their nodes, and it wants nodes with the same number of ranks.
//! A leader does both levels itself: it starts the collective between nodes without waiting for it; here it takes them in turn.
//! Luo et al.: *HAN: a hierarchical autotuned collective communication framework* (2020).

use mpirage_call::Collective::{self, Allreduce, Barrier, Bcast, Reduce};

use super::two_level::Levels;
use crate::operation::Operation;
use crate::shape::Shape;
use crate::step::Schedule;
use crate::tree::Segments;

/// Are there several ranks on each of several nodes, and on each the same number?
pub(crate) fn fits(shape: &Shape) -> bool {
    let balanced = |ranks: u32, nodes: u32| nodes > 1 && ranks > 1 && ranks * nodes == shape.size;
    shape.nodes.is_some_and(|nodes| balanced(nodes.most_ranks(), nodes.count()))
}

/// The same for operations in which the order of ranks does not matter.
pub(crate) fn any_order(shape: &Shape) -> bool {
    shape.commutative && fits(shape)
}

/// Both levels one after the other, and then the lower one again.
pub(crate) fn barrier(shape: &Shape, out: &mut Schedule) {
    let levels = Levels::of(shape);
    let leader = levels.leader_of(shape.rank);
    levels.inside(Barrier, leader, out);
    levels.between(Barrier, leader, out);
    levels.inside(Barrier, leader, out);
}

pub(crate) fn bcast(shape: &Shape, out: &mut Schedule) {
    // The first segment goes by a blocking broadcast.
    pipeline(shape, &[Stage::between(Bcast), Stage::inside(Bcast)], out);
}

pub(crate) fn reduce(shape: &Shape, out: &mut Schedule) {
    pipeline(shape, &[Stage::inside(Reduce), Stage::between(Reduce)], out);
}

pub(crate) fn allreduce(shape: &Shape, out: &mut Schedule) {
    debug_assert_eq!(shape.root, 0, "{Allreduce} has no root");
    let stages = [Stage::inside(Reduce), Stage::between(Reduce), Stage::between(Bcast), Stage::inside(Bcast)];
    pipeline(shape, &stages, out);
}

/// One stage of the work on a segment.
struct Stage {
    collective: Collective,
    between: bool,
}

impl Stage {
    fn inside(collective: Collective) -> Stage {
        Stage { collective, between: false }
    }

    fn between(collective: Collective) -> Stage {
        Stage { collective, between: true }
    }
}

/// In each turn every stage has the segment that the stage before had in the turn before.
fn pipeline(shape: &Shape, stages: &[Stage], out: &mut Schedule) {
    let segments = Segments::of(shape);
    let position = shape.nodes.map_or(0, |nodes| nodes.position(shape.root));
    for turn in 0..segments.count() + stages.len() as u64 - 1 {
        for (place, stage) in stages.iter().enumerate() {
            let Some(index) = turn.checked_sub(place as u64).filter(|&index| index < segments.count()) else {
                continue;
            };
            let part = Shape { bytes: segments.get(index).map_or(0, |data| data.bytes), ..*shape };
            let levels = Levels::led_from(&part, position);
            out.part(segments.offset(index), |out| {
                (0..place).for_each(|_| out.skip_phase());
                if stage.between {
                    // LibNBC performs all but the first segment of a broadcast.
                    let nonblocking = stage.collective == Reduce || index > 0 || stages.len() > 2;
                    levels.between(Operation { collective: stage.collective, nonblocking }, shape.root, out);
                } else {
                    levels.inside(stage.collective, levels.leader_of(shape.rank), out);
                }
            });
        }
    }
}
