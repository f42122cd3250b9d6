//! The binomial tree over the members of a team, rooted at member 0, whose messages grow or shrink; segments of a vector.
//!
//! ```text
//!          0
//!      ┌───┼─┐
//!      4   2 1
//!     ┌┴┐  │
//!     6 5  3
//!     │
//!     7
//! ```
//!
//! A member's parent is the member with the lowest set bit cleared, and a
//! subtree is a contiguous range of members. So blocks travel in one piece, and a reduction
//! keeps the order of its operands. Trees that pass whole vectors on are in `spanning`.

use std::ops::Range;

use crate::data::{Data, Piece};
use crate::shape::Shape;
use crate::team::{Team, doubling_distances};

/// A subtree of the binomial tree: `size` members from `top` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Subtree {
    pub top: u32,
    pub size: u32,
}

/// The binomial tree as one member sees it.
pub(crate) struct Binomial {
    me: u32,
    size: u32,
}

impl Binomial {
    pub fn of(team: &Team) -> Self {
        Binomial { me: team.me, size: team.size }
    }

    /// The member above; none for member 0.
    pub fn parent(&self) -> Option<u32> {
        (self.me > 0).then(|| self.me & (self.me - 1))
    }

    /// The subtrees below, smallest first: the order of gathering. Reverse it to scatter, so that
    /// the subtree with most work to do starts first.
    pub fn children(&self) -> impl DoubleEndedIterator<Item = Subtree> + use<> {
        let (me, size) = (self.me, self.size);
        let lowest_bit = if me == 0 { size } else { 1 << me.trailing_zeros() };
        let tops = doubling_distances(lowest_bit).map(move |distance| me + distance);
        tops.filter(move |&top| top < size).map(move |top| subtree(top, size))
    }

    /// This member and everything below it.
    pub fn own(&self) -> Subtree {
        subtree(self.me, self.size)
    }
}

fn subtree(top: u32, size: u32) -> Subtree {
    let reach = if top == 0 { size } else { 1 << top.trailing_zeros() };
    Subtree { top, size: reach.min(size - top) }
}

/// Long enough to use the bandwidth, short enough to fill a pipeline soon.
pub(crate) const SEGMENT: u64 = 64 * 1024;

/// A vector cut into segments that follow each other through a tree.
pub(crate) struct Segments {
    /// Where the vector, or the part of it that is cut, begins.
    offset: u64,
    bytes: u64,
    segment: u64,
}

impl Segments {
    /// The vector of `shape` in whole elements.
    pub fn of(shape: &Shape) -> Self {
        Self::of_part(shape, 0..shape.bytes)
    }

    /// A part of the vector of `shape` in whole elements.
    pub fn of_part(shape: &Shape, part: Range<u64>) -> Self {
        let element = shape.element.max(1);
        let segment = match shape.parameters.segment {
            0 => u64::MAX,
            wanted => (wanted / element).max(1) * element,
        };
        Segments { offset: part.start, bytes: part.end - part.start, segment }
    }

    /// A range of bytes in whole elements of `shape`.
    pub fn of_data(shape: &Shape, data: Data) -> Self {
        let Some(Piece::Bytes(range)) = data.pieces().into_iter().next() else {
            return Self::of_part(shape, 0..0);
        };
        Self::of_part(shape, range.start..range.start + data.bytes)
    }

    /// How many: at least one, since an empty vector still is a message.
    pub fn count(&self) -> u64 {
        self.bytes.div_ceil(self.segment).max(1)
    }

    /// A segment, if there is one of that number.
    pub fn get(&self, index: u64) -> Option<Data> {
        let begin = || index * self.segment;
        (index < self.count())
            .then(|| Data::range(self.offset + begin(), self.segment.min(self.bytes - begin())))
    }

    /// Where a segment begins.
    pub fn offset(&self, index: u64) -> u64 {
        self.offset + index * self.segment.min(self.bytes)
    }

    pub fn all(&self) -> impl Iterator<Item = Data> {
        (0..self.count()).filter_map(|index| self.get(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpirage_call::Parameters;

    fn binomial(me: u32, size: u32) -> Binomial {
        Binomial { me, size }
    }

    #[test]
    fn a_binomial_tree_of_eight() {
        let tops = |me| binomial(me, 8).children().map(|s| (s.top, s.size)).collect::<Vec<_>>();
        assert_eq!(tops(0), [(1, 1), (2, 2), (4, 4)]);
        assert_eq!(tops(4), [(5, 1), (6, 2)]);
        assert_eq!(tops(7), []);
        assert_eq!(binomial(6, 8).parent(), Some(4));
        assert_eq!(binomial(0, 8).parent(), None);
    }

    #[test]
    fn subtrees_end_where_the_team_ends() {
        assert_eq!(binomial(0, 6).children().last(), Some(Subtree { top: 4, size: 2 }));
        assert_eq!(binomial(4, 6).own(), Subtree { top: 4, size: 2 });
        assert_eq!(binomial(4, 6).children().count(), 1);
        assert_eq!(binomial(0, 1).children().count(), 0);
    }

    #[test]
    fn parents_and_children_agree() {
        for size in 1..40 {
            for me in 0..size {
                for child in binomial(me, size).children() {
                    assert_eq!(binomial(child.top, size).parent(), Some(me));
                    assert_eq!(binomial(child.top, size).own(), child);
                }
            }
        }
    }

    #[test]
    fn segments_are_whole_elements() {
        let parameters = Parameters { segment: 100, ..Parameters::default() };
        let shape = Shape::new(2).parameters(parameters);
        let sizes = |bytes, element| {
            let segments = Segments::of(&shape.bytes(bytes).element(element));
            segments.all().map(|segment| segment.bytes).collect::<Vec<_>>()
        };
        assert_eq!(sizes(0, 8), [0]);
        assert_eq!(sizes(10, 8), [10]);
        assert_eq!(sizes(104, 8), [96, 8]);
        assert_eq!(sizes(200, 100), [100, 100]);
        assert_eq!(sizes(400, 200), [200, 200]);
    }
}
