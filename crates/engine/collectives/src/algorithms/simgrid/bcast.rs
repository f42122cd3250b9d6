//! Broadcasts that SimGrid has from MPICH and MVAPICH2: through trees of nodes, and a 4-nomial tree.
//!
//! SimGrid 3.32, `src/smpi/colls/bcast/bcast-SMP-binomial.cpp`, `bcast-mvapich-smp.cpp` and `smpi_mpich_selector.cpp`.

use super::Groups;
use crate::algorithms::{bcast, subtrees};
use crate::data::Data;
use crate::shape::Shape;
use crate::step::Schedule;
use crate::team::Team;

/// SimGrid's choice of MPICH's broadcast within a communicator of one level.
pub(crate) fn mpich(shape: &Shape, out: &mut Schedule) {
    match shape.bytes {
        ..12288 => bcast::binomial(shape, out),
        _ if shape.size <= 8 => bcast::binomial(shape, out),
        ..524_288 if shape.size.is_multiple_of(2) => subtrees::bcast(shape, out),
        _ => subtrees::bcast_ring(shape, out),
    }
}

/// A binomial tree of the first ranks of the nodes, then one on each node. Another root than rank 0 first sends it the vector.
pub(crate) fn trees_of_nodes(shape: &Shape, out: &mut Schedule) {
    let Some(groups) = Groups::uniform(shape) else { return mpich(shape, out) };
    let vector = Data::range(0, shape.bytes);
    super::relay::to_rank_zero(shape, vector, out);
    if groups.position == 0 {
        out.among(&groups.leaders(), |out| groups.between().bcast(vector, out));
    }
    out.among(&groups.members(), |out| groups.inside().bcast(vector, out));
}

/// A tree in which a rank has up to three children for each power of four. It serves the farthest three at once, then the next.
pub(crate) fn four_nomial(shape: &Shape, out: &mut Schedule) {
    const RADIX: u32 = 4;
    let (team, vector) = (Team::from_root(shape), Data::range(0, shape.bytes));
    let mut distance = 1;
    while distance < team.size && team.me.is_multiple_of(RADIX * distance) {
        distance *= RADIX;
    }
    if team.me > 0 {
        out.recv(team.rank(team.me / (RADIX * distance) * (RADIX * distance)), vector.bytes);
    }
    while distance > 1 {
        distance /= RADIX;
        let children = (1..RADIX).map(|k| team.me + k * distance).filter(|&child| child < team.size);
        children.for_each(|child| out.isend(team.rank(child), vector));
        out.wait_all();
    }
}
