//! The data that has arrived: bytes in order, ranges beyond a gap, and the SACK blocks that report those ranges.

use super::header::SACK_BLOCKS;
use super::scoreboard::Span;

/// Linux remembers one block more than it has room for.
const REMEMBERED: usize = SACK_BLOCKS + 1;

/// How a segment fits to what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// It continues the bytes in order; `filled` if it closed the last gap.
    InOrder { filled: bool },
    /// It lies beyond a gap.
    Beyond,
    /// All of it was there.
    Duplicate,
}

/// The bytes that have arrived.
#[derive(Clone, Debug)]
pub(super) struct Reassembly {
    next: u64,
    /// Ranges beyond the first gap, in order, with gaps between them.
    ranges: Vec<Span>,
    beyond: u64,
    /// Blocks to report, the latest first.
    recent: [Span; REMEMBERED],
    /// The last segment that arrived twice, until it is reported.
    duplicate: Option<Span>,
}

impl Reassembly {
    pub(super) fn new(next: u64) -> Self {
        Reassembly { next, ranges: Vec::new(), beyond: 0, recent: Default::default(), duplicate: None }
    }

    /// The first byte that is missing.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// Is nothing there beyond the first gap?
    pub(super) fn is_gapless(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Bytes beyond the first gap.
    pub(super) fn beyond(&self) -> u64 {
        self.beyond
    }

    /// Adds a segment.
    pub(super) fn insert(&mut self, segment: Span) -> Fit {
        if segment.end <= self.next {
            self.duplicate = Some(segment);
            return Fit::Duplicate;
        }
        if segment.start > self.next {
            return self.insert_beyond(segment);
        }
        self.next = segment.end;
        if self.ranges.is_empty() {
            return Fit::InOrder { filled: false };
        }
        self.take_reached();
        Fit::InOrder { filled: self.ranges.is_empty() }
    }

    fn insert_beyond(&mut self, segment: Span) -> Fit {
        let first = self.ranges.partition_point(|range| range.end < segment.start);
        let last = self.ranges.partition_point(|range| range.start <= segment.end);
        let covered = &self.ranges[first..last];
        if covered.iter().any(|range| range.start <= segment.start && segment.end <= range.end) {
            self.report(segment);
            self.duplicate = Some(segment);
            return Fit::Duplicate;
        }
        let merged = Span {
            start: covered.first().map_or(segment.start, |range| range.start.min(segment.start)),
            end: covered.last().map_or(segment.end, |range| range.end.max(segment.end)),
        };
        let before: u64 = covered.iter().map(Span::length).sum();
        self.beyond += merged.length() - before;
        self.ranges.splice(first..last, [merged]);
        self.report(merged);
        Fit::Beyond
    }

    /// Moves the ranges that `next` has reached into the bytes in order.
    fn take_reached(&mut self) {
        let reached = self.ranges.partition_point(|range| range.start <= self.next);
        for range in self.ranges.drain(..reached) {
            self.beyond -= range.length();
            self.next = self.next.max(range.end);
        }
        let next = self.next;
        self.keep_blocks(|block| block.start > next);
    }

    /// Puts the block that contains `range` first.
    fn report(&mut self, range: Span) {
        let touches = |block: &Span| block.start <= range.end && range.start <= block.end;
        let mut block = range;
        for known in self.recent.iter().filter(|known| known.end > 0 && touches(known)) {
            block = Span { start: block.start.min(known.start), end: block.end.max(known.end) };
        }
        self.keep_blocks(|known| !touches(known));
        self.recent.rotate_right(1);
        self.recent[0] = block;
    }

    fn keep_blocks(&mut self, keep: impl Fn(&Span) -> bool) {
        let mut kept = [Span::default(); REMEMBERED];
        let wanted = self.recent.iter().filter(|block| block.end > 0 && keep(block));
        for (to, from) in kept.iter_mut().zip(wanted) {
            *to = *from;
        }
        self.recent = kept;
    }

    /// Is there no block to report?
    pub(super) fn has_no_blocks(&self) -> bool {
        self.ranges.is_empty() && self.duplicate.is_none()
    }

    /// The blocks to report: what arrived twice, then the ranges beyond gaps, the latest first. Those left over have length 0.
    pub(super) fn blocks(&self) -> [(u32, u32); SACK_BLOCKS] {
        let mut blocks = [(0, 0); SACK_BLOCKS];
        if self.has_no_blocks() {
            return blocks;
        }
        let ranges = self.recent.iter().filter(|block| block.end > 0);
        for (to, from) in blocks.iter_mut().zip(self.duplicate.iter().chain(ranges)) {
            *to = (from.start.wrapping_sub(self.next) as u32, from.length() as u32);
        }
        blocks
    }

    /// The blocks have been reported.
    pub(super) fn reported(&mut self) {
        self.duplicate = None;
    }
}

impl Span {
    fn length(&self) -> u64 {
        self.end - self.start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: u64, end: u64) -> Span {
        Span { start, end }
    }

    #[test]
    fn the_latest_block_is_reported_first_and_neighbours_merge() {
        let mut bytes = Reassembly::new(1);
        assert_eq!(bytes.insert(span(11, 21)), Fit::Beyond);
        assert_eq!(bytes.insert(span(31, 41)), Fit::Beyond);
        assert_eq!(bytes.blocks(), [(30, 10), (10, 10), (0, 0)]);
        assert_eq!(bytes.insert(span(21, 31)), Fit::Beyond);
        assert_eq!(bytes.blocks(), [(10, 30), (0, 0), (0, 0)]);
        assert_eq!(bytes.beyond(), 30);
        assert_eq!(bytes.insert(span(15, 20)), Fit::Duplicate);
        assert_eq!(bytes.blocks(), [(14, 5), (10, 30), (0, 0)]);
        bytes.reported();
        assert_eq!(bytes.blocks(), [(10, 30), (0, 0), (0, 0)]);
        assert_eq!(bytes.insert(span(1, 11)), Fit::InOrder { filled: true });
        assert_eq!((bytes.next(), bytes.beyond(), bytes.is_gapless()), (41, 0, true));
        assert_eq!(bytes.insert(span(31, 41)), Fit::Duplicate);
        assert_eq!(bytes.blocks()[0], (10u32.wrapping_neg(), 10));
    }

    #[test]
    fn a_segment_that_overlaps_several_ranges_counts_its_bytes_once() {
        let mut bytes = Reassembly::new(0);
        for start in [10, 30, 50] {
            bytes.insert(span(start, start + 10));
        }
        assert_eq!(bytes.insert(span(15, 55)), Fit::Beyond);
        assert_eq!((bytes.beyond(), bytes.blocks()[0]), (50, (10, 50)));
        assert_eq!(bytes.insert(span(0, 5)), Fit::InOrder { filled: false });
        assert_eq!(bytes.blocks(), [(5, 50), (0, 0), (0, 0)]);
    }
}
