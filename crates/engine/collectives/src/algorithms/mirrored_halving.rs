//! Reduce-scatter of a power of two by halves, nearest partner first, so that operands stay in order.
//!
//! ```text
//!   8 ranks    round k   swap with rank ^ 2^k the blocks whose numbers end with the partner's last k + 1 bits
//!
//!   rank 5     round 0   gives 0 2 4 6, keeps 1 3 5 7
//!              round 1   gives 3 7, keeps 1 5
//!              round 2   gives 1, keeps 5
//! ```
//!
//! In a buffer of blocks with mirrored bits, each half is contiguous. MPICH has it for operations that do not commute; Bernaschi, Iannello,
//! Lauria: *Efficient implementation of reduce-scatter in MPI* (2002).

use crate::data::{Data, Piece};
use crate::shape::Shape;
use crate::step::Schedule;
use crate::team::doubling_distances;

pub(crate) fn reduce_scatter(shape: &Shape, out: &mut Schedule) {
    let blocks = shape.blocks();
    for distance in doubling_distances(shape.size) {
        let (with, modulus) = (shape.rank ^ distance, 2 * distance);
        let of = |rank: u32| (rank % modulus..shape.size).step_by(modulus as usize);
        let bytes = |rank| of(rank).map(|block| blocks.block(block).bytes).sum();
        let kept = bytes(shape.rank);
        out.irecv(with, kept);
        out.isend(with, Data::range(0, bytes(with)));
        out.carries(of(with).map(Piece::Block));
        out.wait_all();
        out.reduce(kept);
    }
}
