//! Reduce-scatters of SimGrid.
//!
//! ```text
//!   default         blocks of equal size: all send to rank 0, which sends each rank its block; otherwise as its MPICH selector
//!   mpich_noncomm   recursive halving, nearest partner first: in round k a rank gives away the blocks whose ranks differ from
//!                   its own in bit k, so that operands stay in order
//! ```
//!
//! SimGrid 3.32, `src/smpi/colls/smpi_default_selector.cpp` and `reduce_scatter/reduce_scatter-mpich.cpp`.

use super::parts::Member;
use crate::algorithms::{reduce_scatter, subtrees};
use crate::data::{Data, Piece};
use crate::shape::Shape;
use crate::step::Schedule;

pub(crate) fn default(shape: &Shape, out: &mut Schedule) {
    if equal_blocks(shape) {
        return through_zero(shape, out);
    }
    let elements = shape.blocks().all().bytes / shape.element.max(1);
    if shape.commutative && elements > 524_288 {
        reduce_scatter::pairwise(shape, out);
    } else {
        subtrees::reduce_scatter(shape, out);
    }
}

fn equal_blocks(shape: &Shape) -> bool {
    shape.recv_counts.windows(2).all(|pair| pair[0] == pair[1])
}

fn through_zero(shape: &Shape, out: &mut Schedule) {
    let blocks = shape.blocks();
    Member { me: shape.rank, size: shape.size }.reduce_at_once(blocks.span(0, shape.size), out);
    out.next_slot();
    if shape.rank > 0 {
        return out.recv(0, blocks.block(shape.rank).bytes);
    }
    (1..shape.size).for_each(|to| out.isend(to, blocks.block(to)));
    out.wait_all();
}

/// It wants a power of two of ranks and blocks of equal size.
pub(crate) fn halves_in_order(shape: &Shape) -> bool {
    shape.size.is_power_of_two() && equal_blocks(shape)
}

pub(crate) fn in_order(shape: &Shape, out: &mut Schedule) {
    let block = shape.blocks().block(0).bytes;
    for bit in 0..shape.size.ilog2() {
        let with = shape.rank ^ (1 << bit);
        let bytes = u64::from(shape.size >> (bit + 1)) * block;
        // The blocks that this rank still has are those whose lower bits are its own.
        let given = (0..shape.size).filter(|owner| (owner ^ with) & ((2 << bit) - 1) == 0);
        out.irecv(with, bytes);
        out.isend(with, Data::range(0, bytes));
        out.carries(given.map(Piece::Block));
        out.wait_all();
        out.reduce(bytes);
    }
}
