//! Moving data between typed memory and contiguous bytes.
//!
//! Memory is a slice and the index in it of the buffer address, since displacements may be
//! negative. [`Datatype::span`] tells a caller with a raw pointer which slice that is:
//!
//! ```text
//!   memory  [..............................]
//!            ^ span.0        ^ origin      ^ span.1      (both relative to the origin)
//! ```

use crate::datatype::Datatype;
use crate::kernels::Places;
use crate::pieces::{Piece, Shape};

/// Where a buffer's address lies in the memory that holds it: bytes may lie before it, since bounds may be negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin(pub usize);

impl Datatype {
    /// Appends the data of `count` elements to `out`.
    ///
    /// # Panics
    /// If `memory` does not hold [`Datatype::span`] of `count` around `origin`.
    pub fn pack(&self, count: usize, memory: &[u8], origin: Origin, out: &mut Vec<u8>) {
        out.reserve(self.size() * count);
        self.for_pieces(count, origin.0 as i64, |piece| match piece.shape {
            Shape::Run { first } => out.extend_from_slice(&memory[first as usize..][..piece.bytes]),
            _ => {
                // Zeroed piece by piece: each is still in the nearest cache when it is filled.
                let filled = out.len();
                out.resize(filled + piece.bytes, 0);
                piece.gather(memory, &mut out[filled..]);
            }
        });
    }

    /// The same into memory that is there already.
    ///
    /// # Panics
    /// As [`Datatype::pack`], and if `out` is shorter than the packed bytes.
    pub fn pack_into(&self, count: usize, memory: &[u8], origin: Origin, out: &mut [u8]) {
        self.for_pieces(count, origin.0 as i64, |piece| {
            piece.gather(memory, &mut out[piece.packed..][..piece.bytes]);
        });
    }

    /// Fills up to `count` elements from `packed`, and returns the bytes used: fewer than the
    /// elements need if `packed` is shorter, and then the whole basics it holds. Where elements
    /// overlap, which MPI forbids, either may win.
    ///
    /// # Panics
    /// If `memory` does not hold [`Datatype::span`] of `count` around `origin`.
    pub fn unpack(&self, count: usize, packed: &[u8], memory: &mut [u8], origin: Origin) -> usize {
        let used = self.usable(count, packed.len());
        let packed = &packed[..used];
        let reached = if used == 0 { 0 } else { used.div_ceil(self.size()) };
        self.for_pieces(reached, origin.0 as i64, |piece| match packed.get(piece.packed..) {
            Some(rest) if rest.len() >= piece.bytes => piece.scatter(&rest[..piece.bytes], memory),
            Some(rest) => piece.scatter_some(rest, memory),
            None => {}
        });
        used
    }

    /// The stretches of memory of `count` elements in the order in which they are packed: displacement and length of each.
    pub fn stretches(&self, count: usize) -> Vec<(i64, usize)> {
        let mut joined: Vec<(i64, usize)> = Vec::new();
        self.for_pieces(count, 0, |piece| {
            piece.for_runs(|offset, length| match joined.last_mut() {
                Some((first, so_far)) if *first + *so_far as i64 == offset => *so_far += length,
                _ => joined.push((offset, length)),
            });
        });
        joined
    }

    /// Visits the pieces of `count` elements, in packing order.
    fn for_pieces(&self, count: usize, origin: i64, mut visit: impl FnMut(Piece<'_>)) {
        let places = Places { first: origin, stride: self.extent() };
        self.body().layout.walk_copies(count, places, 0, &mut visit);
    }

    /// Bytes of whole basics, of at most `count` elements, in `available` bytes.
    fn usable(&self, count: usize, available: usize) -> usize {
        let wanted = self.size().saturating_mul(count);
        if available >= wanted { wanted } else { self.body().prefix(available).size as usize }
    }
}

#[cfg(test)]
mod tests {
    use super::Origin;
    use crate::{Basic, Datatype};

    fn bytes(n: u8) -> Vec<u8> {
        (0..n).collect()
    }

    #[test]
    fn a_column_of_a_matrix() {
        let column = Datatype::basic(Basic::Short).vector(3, 1, 4).unwrap();
        let mut packed = Vec::new();
        column.pack(1, &bytes(24), Origin(2), &mut packed);
        assert_eq!(packed, [2, 3, 10, 11, 18, 19]);
    }

    #[test]
    fn displacements_may_be_negative() {
        let backwards = Datatype::basic(Basic::Short).vector(3, 1, -2).unwrap();
        let (first, end) = backwards.span(1).unwrap();
        assert_eq!((first, end), (-8, 2));
        let mut packed = Vec::new();
        backwards.pack(1, &bytes(10), Origin(8), &mut packed);
        assert_eq!(packed, [8, 9, 4, 5, 0, 1]);
    }

    #[test]
    fn a_short_message_fills_whole_basics_only() {
        let pairs = Datatype::basic(Basic::Int).vector(2, 1, 2).unwrap();
        let mut memory = vec![0xff; 24];
        let used = pairs.unpack(2, &bytes(11), &mut memory, Origin(0));
        assert_eq!(used, 8);
        assert_eq!(&memory[..4], [0, 1, 2, 3]);
        assert_eq!(&memory[8..12], [4, 5, 6, 7]);
        assert!(memory[12..].iter().all(|&byte| byte == 0xff));
    }

    #[test]
    fn a_short_message_may_end_within_a_run() {
        let two = Datatype::structure(&[1, 1], &[0, 4], &[Basic::Int.into(), Basic::Float.into()]).unwrap();
        let mut memory = vec![0xff; 8];
        assert_eq!(two.unpack(1, &bytes(7), &mut memory, Origin(0)), 4);
        assert_eq!(memory, [0, 1, 2, 3, 0xff, 0xff, 0xff, 0xff]);
    }

    #[test]
    fn irregular_blocks_and_arrays_of_them() {
        let lengths: Vec<i64> = (0..40).map(|nth| 1 + nth % 3).collect();
        let places: Vec<i64> = (0..40).map(|nth| 5 * nth + nth * nth % 2).collect();
        let blocks = Datatype::basic(Basic::Short).indexed(&lengths, &places).unwrap();
        let (extent, memory): (i64, Vec<u8>) = (blocks.extent(), (0..=255).cycle().take(2000).collect());
        let shorts = lengths.iter().zip(&places).flat_map(|(&length, &at)| at..at + length);
        let one: Vec<i64> = shorts.flat_map(|short| [2 * short, 2 * short + 1]).collect();
        let all = (0..3).flat_map(|nth| one.iter().map(move |at| (at + nth * extent) as usize));
        let expected: Vec<u8> = all.clone().map(|at| memory[at]).collect();
        let (mut packed, mut into) = (Vec::new(), vec![0; expected.len()]);
        blocks.pack(3, &memory, Origin(0), &mut packed);
        blocks.pack_into(3, &memory, Origin(0), &mut into);
        assert_eq!((&packed, &into), (&expected, &expected));
        // The last bytes are missing, in the middle of the last list.
        let mut back = vec![0; 2000];
        let used = blocks.unpack(3, &packed[..packed.len() - 31], &mut back, Origin(0));
        assert_eq!(used, packed.len() - 32);
        all.clone().take(used).for_each(|at| assert_eq!(back[at], memory[at]));
        assert!(all.skip(used).all(|at| back[at] == 0));
    }

    #[test]
    #[should_panic]
    fn memory_before_the_slice_is_refused() {
        Datatype::basic(Basic::Short).vector(3, 1, -2).unwrap().pack(
            1,
            &bytes(10),
            Origin(4),
            &mut Vec::new(),
        );
    }
}
