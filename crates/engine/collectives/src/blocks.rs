//! Divides the bytes of a vector among ranks.
//!
//! ```text
//!   equal    |####|####|####|####|      blocks of one size: allgather
//!   counted  |##|#######||####|         one count per rank: allgatherv
//!   cut      |####|####|###|###|        one vector cut between elements: Rabenseifner
//!   chunks   |####|####|####|##|        the same, but only the last blocks are shorter
//!   longlast |###|###|###|#####|        the same, but the last one takes the rest
//! ```
//!
//! Blocks lie on a ring, so that a span may run over the end.

use crate::data::Data;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks<'a> {
    count: u32,
    /// The rank whose block is the first.
    first_owner: u32,
    layout: Layout<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Layout<'a> {
    Equal { bytes: u64 },
    Counted(&'a [u64]),
    Cut { bytes: u64, element: u64 },
    Chunks { bytes: u64, chunk: u64 },
    LongLast { bytes: u64, block: u64 },
}

impl<'a> Blocks<'a> {
    /// `count` blocks of `bytes` each.
    pub fn equal(count: u32, bytes: u64) -> Self {
        Blocks { count, first_owner: 0, layout: Layout::Equal { bytes } }
    }

    /// One block per count.
    pub fn counted(counts: &'a [u64]) -> Self {
        Blocks { count: counts.len() as u32, first_owner: 0, layout: Layout::Counted(counts) }
    }

    /// A vector of `bytes` cut into `count` blocks whose sizes differ by one element at most.
    pub(crate) fn cut(count: u32, bytes: u64, element: u64) -> Self {
        Blocks { count, first_owner: 0, layout: Layout::Cut { bytes, element: element.max(1) } }
    }

    /// A vector of `bytes` cut into `count` blocks of one size, as many elements as the first of them needs so that they suffice: the last
    /// ones may be shorter or empty.
    pub(crate) fn chunks(count: u32, bytes: u64, element: u64) -> Self {
        let chunk = (bytes / element.max(1)).div_ceil(u64::from(count)) * element.max(1);
        Blocks { count, first_owner: 0, layout: Layout::Chunks { bytes, chunk } }
    }

    /// A vector of `bytes` cut into `count` blocks of one size; the last one takes the elements that do not divide evenly too.
    pub(crate) fn with_long_last(count: u32, bytes: u64, element: u64) -> Self {
        let block = bytes / element.max(1) / u64::from(count) * element.max(1);
        Blocks { count, first_owner: 0, layout: Layout::LongLast { bytes, block } }
    }

    /// The same blocks, of which the first is that of `rank`, and so on around the ring.
    pub fn owned_from(self, rank: u32) -> Self {
        Blocks { first_owner: rank, ..self }
    }

    /// All blocks.
    pub fn all(&self) -> Data {
        self.span(0, self.count)
    }

    /// One block.
    pub fn block(&self, index: u32) -> Data {
        self.span(index, 1)
    }

    /// `count` blocks from `first` on, around the ring.
    pub(crate) fn span(&self, first: u32, count: u32) -> Data {
        debug_assert!(first < self.count && count <= self.count);
        match self.layout {
            Layout::Equal { bytes } => self.of_ranks(first, count, u64::from(count) * bytes),
            Layout::Counted(counts) => {
                let (begin, end) = (first as usize, (first + count) as usize);
                let to_the_end = &counts[begin..end.min(counts.len())];
                let from_the_start = &counts[..end.saturating_sub(counts.len())];
                self.of_ranks(first, count, to_the_end.iter().chain(from_the_start).sum())
            }
            Layout::Cut { .. } | Layout::Chunks { .. } | Layout::LongLast { .. } => {
                let (offset, length) = (self.offset(first), self.offset(self.count));
                let bytes = match first + count {
                    end if end <= self.count => self.offset(end) - offset,
                    end => length - offset + self.offset(end - self.count),
                };
                Data::around(offset, bytes, length)
            }
        }
    }

    fn of_ranks(&self, first: u32, count: u32, bytes: u64) -> Data {
        Data::blocks((self.first_owner + first) % self.count, count, self.count, bytes)
    }

    /// Where a block of a cut vector begins. The first blocks take the elements that do not
    /// divide evenly, the last one the bytes that are no whole element.
    fn offset(&self, index: u32) -> u64 {
        let (count, index) = (u64::from(self.count), u64::from(index));
        match self.layout {
            Layout::Cut { bytes, .. } | Layout::Chunks { bytes, .. } | Layout::LongLast { bytes, .. }
                if index == count =>
            {
                bytes
            }
            Layout::Cut { bytes, element } => {
                let elements = bytes / element;
                (elements / count * index + index.min(elements % count)) * element
            }
            Layout::Chunks { bytes, chunk } => (chunk * index).min(bytes),
            Layout::LongLast { block, .. } => block * index,
            Layout::Equal { .. } | Layout::Counted(_) => unreachable!("only a cut vector has offsets"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_vector_is_cut_between_elements() {
        let blocks = Blocks::cut(4, 14 * 8, 8);
        let sizes: Vec<_> = (0..4).map(|i| blocks.block(i).bytes / 8).collect();
        assert_eq!(sizes, [4, 4, 3, 3]);
        assert_eq!(blocks.all().bytes, 14 * 8);
    }

    #[test]
    fn bytes_beyond_the_last_element_go_to_the_last_block() {
        let blocks = Blocks::cut(2, 19, 8);
        assert_eq!((blocks.block(0).bytes, blocks.block(1).bytes), (8, 11));
    }

    #[test]
    fn chunks_are_of_one_size_until_the_vector_ends() {
        let sizes = |bytes, element| [0, 1, 2, 3].map(|i| Blocks::chunks(4, bytes, element).block(i).bytes);
        assert_eq!(sizes(10, 1), [3, 3, 3, 1]);
        assert_eq!(sizes(5, 1), [2, 2, 1, 0]);
        assert_eq!(sizes(9 * 8, 8), [24, 24, 24, 0]);
    }

    #[test]
    fn spans_run_around_the_ring() {
        assert_eq!(Blocks::counted(&[1, 10, 100]).span(2, 2).bytes, 101);
        assert_eq!(Blocks::equal(3, 7).span(2, 2).bytes, 14);
        assert_eq!(Blocks::cut(3, 5, 1).span(2, 2).bytes, 1 + 2);
    }

    #[test]
    fn more_blocks_than_elements_leaves_some_empty() {
        let blocks = Blocks::cut(4, 16, 8);
        assert_eq!([0, 1, 2, 3].map(|i| blocks.block(i).bytes), [8, 8, 0, 0]);
    }
}
