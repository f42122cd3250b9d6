//! Who owns which bytes of a vector.
//!
//! ```text
//!   equal    |####|####|####|####|      blocks of one size: allgather
//!   counted  |##|#######||####|         one count per rank: allgatherv
//!   cut      |####|####|###|###|        one vector cut between elements: Rabenseifner
//! ```
//!
//! Blocks lie on a ring, so that a span may run over the end.

#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks<'a> {
    count: u32,
    layout: Layout<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Layout<'a> {
    Equal { bytes: u64 },
    Counted(&'a [u64]),
    Cut { bytes: u64, element: u64 },
}

impl<'a> Blocks<'a> {
    /// `count` blocks of `bytes` each.
    pub fn equal(count: u32, bytes: u64) -> Self {
        Blocks { count, layout: Layout::Equal { bytes } }
    }

    /// One block per count.
    pub fn counted(counts: &'a [u64]) -> Self {
        Blocks { count: counts.len() as u32, layout: Layout::Counted(counts) }
    }

    /// A vector of `bytes` cut into `count` blocks whose sizes differ by one element at most.
    pub(crate) fn cut(count: u32, bytes: u64, element: u64) -> Self {
        Blocks { count, layout: Layout::Cut { bytes, element: element.max(1) } }
    }

    pub fn total(&self) -> u64 {
        self.span(0, self.count)
    }

    /// Bytes of one block.
    pub fn block(&self, index: u32) -> u64 {
        self.span(index, 1)
    }

    /// Bytes of `count` blocks from `first` on, around the ring.
    pub(crate) fn span(&self, first: u32, count: u32) -> u64 {
        debug_assert!(first < self.count && count <= self.count);
        match self.layout {
            Layout::Equal { bytes } => u64::from(count) * bytes,
            Layout::Counted(counts) => {
                let (first, end) = (first as usize, (first + count) as usize);
                let to_the_end = &counts[first..end.min(counts.len())];
                let from_the_start = &counts[..end.saturating_sub(counts.len())];
                to_the_end.iter().chain(from_the_start).sum()
            }
            Layout::Cut { .. } => match first + count {
                end if end <= self.count => self.offset(end) - self.offset(first),
                end => self.offset(self.count) - self.offset(first) + self.offset(end - self.count),
            },
        }
    }

    /// Where a block of a cut vector begins. The first blocks take the elements that do not
    /// divide evenly, the last one the bytes that are no whole element.
    fn offset(&self, index: u32) -> u64 {
        let Layout::Cut { bytes, element } = self.layout else {
            unreachable!("only a cut vector has offsets")
        };
        if index == self.count {
            return bytes;
        }
        let (count, index) = (u64::from(self.count), u64::from(index));
        let elements = bytes / element;
        (elements / count * index + index.min(elements % count)) * element
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_vector_is_cut_between_elements() {
        let blocks = Blocks::cut(4, 14 * 8, 8);
        let sizes: Vec<_> = (0..4).map(|i| blocks.block(i) / 8).collect();
        assert_eq!(sizes, [4, 4, 3, 3]);
        assert_eq!(blocks.total(), 14 * 8);
    }

    #[test]
    fn bytes_beyond_the_last_element_go_to_the_last_block() {
        let blocks = Blocks::cut(2, 19, 8);
        assert_eq!((blocks.block(0), blocks.block(1)), (8, 11));
    }

    #[test]
    fn spans_run_around_the_ring() {
        assert_eq!(Blocks::counted(&[1, 10, 100]).span(2, 2), 101);
        assert_eq!(Blocks::equal(3, 7).span(2, 2), 14);
        assert_eq!(Blocks::cut(3, 5, 1).span(2, 2), 1 + 2);
    }

    #[test]
    fn more_blocks_than_elements_leaves_some_empty() {
        let blocks = Blocks::cut(4, 16, 8);
        assert_eq!([0, 1, 2, 3].map(|i| blocks.block(i)), [8, 8, 0, 0]);
    }
}
