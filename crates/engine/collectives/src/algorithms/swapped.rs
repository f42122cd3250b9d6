//! Trees in which the root and rank 0 change places, instead of all ranks being counted from the root on.
//!
//! ```text
//!   root 2 of 5      member  0 1 2 3 4
//!                    rank    2 1 0 3 4
//! ```
//!
//! LibNBC numbers ranks so, which performs the non-blocking collectives of Open MPI.
//! Hoefler, Lumsdaine, Rehm: *Implementation and performance analysis of non-blocking collective operations for MPI* (2007).

use super::{pipeline, reduce};
use crate::data::Data;
use crate::shape::Shape;
use crate::step::Schedule;

/// A binomial tree with strided subtrees.
pub(crate) fn bcast(shape: &Shape, out: &mut Schedule) {
    with_root_at_zero(shape, out, pipeline::bcast::strided_binomial);
}

/// A binomial tree with contiguous subtrees, nearest child first.
pub(crate) fn reduce_binomial(shape: &Shape, out: &mut Schedule) {
    with_root_at_zero(shape, out, reduce::binomial);
}

/// A chain with the vector in segments of one size; the last one takes the elements that do not divide evenly.
pub(crate) fn reduce_chain(shape: &Shape, out: &mut Schedule) {
    with_root_at_zero(shape, out, |shape, out| {
        for segment in even_segments(shape) {
            if shape.rank + 1 < shape.size {
                out.recv(shape.rank + 1, segment.bytes);
                out.reduce(segment.bytes);
            }
            if shape.rank > 0 {
                out.send(shape.rank - 1, segment);
            }
        }
    });
}

fn even_segments(shape: &Shape) -> Vec<Data> {
    let (element, elements) = (shape.element.max(1), shape.elements());
    let count = match shape.parameters.segment {
        0 => 1,
        segment => shape.bytes.div_ceil(segment).clamp(1, elements.max(1)),
    };
    let size = elements / count * element;
    (0..count)
        .map(|index| {
            let offset = index * size;
            Data::range(offset, if index + 1 == count { shape.bytes - offset } else { size })
        })
        .collect()
}

/// Runs an algorithm for root 0 with the root as rank 0 and rank 0 in the place of the root.
fn with_root_at_zero(shape: &Shape, out: &mut Schedule, build: impl FnOnce(&Shape, &mut Schedule)) {
    let swapped = |rank: u32| match rank {
        0 => shape.root,
        rank if rank == shape.root => 0,
        rank => rank,
    };
    let inner = Shape { rank: swapped(shape.rank), root: 0, ..*shape };
    if shape.root == 0 {
        return build(&inner, out);
    }
    let ranks: Vec<u32> = (0..shape.size).map(swapped).collect();
    out.among(&ranks, |out| build(&inner, out));
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpirage_call::Parameters;

    #[test]
    fn the_last_segment_takes_the_rest() {
        let parameters = Parameters { segment: 100, ..Parameters::default() };
        let sizes = |bytes, element| {
            let shape = Shape::new(2).bytes(bytes).element(element).parameters(parameters);
            even_segments(&shape).iter().map(|segment| segment.bytes).collect::<Vec<_>>()
        };
        assert_eq!(sizes(0, 1), [0]);
        assert_eq!(sizes(200, 1), [100, 100]);
        assert_eq!(sizes(205, 1), [68, 68, 69]);
        assert_eq!(sizes(400, 200), [200, 200]);
    }
}
