//! The segments in flight: which have arrived, which are lost, which were sent again.
//!
//! Losses are found as RACK does (RFC 8985): a segment is lost if one that was sent later has arrived, and a round trip plus a
//! reordering window has passed since. Segments that were sent once are in the order of time and of bytes; those that were
//! sent again are in a second queue in the order of time. Both are walked once, so that the cost per segment is constant.

use std::collections::VecDeque;

use mpirage_units::{Duration, Time};

/// A segment that is not acknowledged yet.
#[derive(Clone, Copy, Debug)]
struct Sent {
    start: u64,
    length: u32,
    /// It has arrived, out of order.
    arrived: bool,
    /// It counts as lost.
    lost: bool,
    /// It was sent again, and that one is in flight.
    again: bool,
    /// It was sent again at some time.
    ever_again: bool,
    sent_at: Time,
    /// The number of transmissions before its last one. Many have the same instant.
    order: u64,
}

/// A part of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) start: u64,
    pub(super) length: u32,
}

/// A range of bytes, without the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u64,
    pub(super) end: u64,
}

/// An acknowledgement: when it came, the timestamp that it answers, and the least round trip so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    pub(super) now: Time,
    pub(super) echo: Time,
    pub(super) least: Duration,
}

/// The changes that one acknowledgement has made.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arrivals {
    /// The first unacknowledged byte has moved.
    pub(super) advanced: bool,
    /// Segments that have newly arrived, in order or not.
    pub(super) segments: u32,
    /// Segments that have newly arrived out of order.
    pub(super) selective: u32,
    /// When the first and the last of the segments were sent that were sent once and are now acknowledged in order.
    pub(super) in_order: Option<(Time, Time)>,
    /// The same for those out of order.
    pub(super) out_of_order: Option<(Time, Time)>,
    /// A segment that was sent again is acknowledged.
    pub(super) sent_again: bool,
    /// The end of a segment that was sent once and has arrived now; the least of them.
    pub(super) original: Option<u64>,
    /// How many bytes further the stream had arrived already when a segment did that was sent once; the most of them.
    pub(super) reordered: u64,
}

/// The last-sent segment that has arrived.
#[derive(Clone, Copy, Debug, Default)]
struct Newest {
    sent_at: Time,
    /// One more than its number of transmissions before it; zero if nothing has arrived.
    order: u64,
    round_trip: Duration,
}

/// The segments in flight.
#[derive(Clone, Debug, Default)]
pub(super) struct Scoreboard {
    segments: VecDeque<Sent>,
    transmissions: u64,
    /// The number of segments that have left `segments`.
    removed: u64,
    arrived: u32,
    lost: u32,
    again: u32,
    /// Segments that are lost and have not been sent again.
    waiting: u32,
    /// No segment before this number is lost and waits to be sent again.
    resend_from: u64,
    /// No segment before this number can become lost as one that was sent once.
    check_from: u64,
    /// First bytes of segments that were sent again, and the orders of their transmissions.
    resent: VecDeque<(u64, u64)>,
    newest: Newest,
    /// The first byte of the last segment that has arrived out of order.
    highest: u64,
    /// The blocks of the last acknowledgement.
    known: [Span; 3],
}

impl Scoreboard {
    /// Loads the ends of its list into the cache, and where the next segment will be.
    pub(super) fn prefetch(&self) {
        let (first, second) = self.segments.as_slices();
        mpirage_prefetch::fetch_slice(first, 2);
        let last = if second.is_empty() { first } else { second };
        mpirage_prefetch::fetch_address(last.as_ptr_range().end.addr());
    }

    /// Segments sent and not acknowledged in order.
    pub(super) fn packets_out(&self) -> u32 {
        self.segments.len() as u32
    }

    /// Segments that are probably in the network.
    pub(super) fn in_flight(&self) -> u32 {
        self.packets_out() + self.again - self.arrived - self.lost
    }

    /// Segments that have arrived out of order.
    pub(super) fn arrived(&self) -> u32 {
        self.arrived
    }

    /// Segments that count as lost.
    pub(super) fn lost(&self) -> u32 {
        self.lost
    }

    /// Segments that were sent again and are in flight.
    pub(super) fn again(&self) -> u32 {
        self.again
    }

    /// When the first unacknowledged segment was last sent.
    pub(super) fn first_sent_at(&self) -> Option<Time> {
        self.segments.front().map(|segment| segment.sent_at)
    }

    /// The last segment.
    pub(super) fn last(&self) -> Option<Piece> {
        self.segments.back().map(Sent::piece)
    }

    /// A new segment was sent.
    pub(super) fn push(&mut self, piece: Piece, now: Time) {
        self.segments.push_back(Sent {
            start: piece.start,
            length: piece.length,
            arrived: false,
            lost: false,
            again: false,
            ever_again: false,
            sent_at: now,
            order: self.transmissions,
        });
        self.transmissions += 1;
    }

    /// All bytes before `end` have arrived.
    pub(super) fn acknowledge(&mut self, end: u64, answer: Answer, arrivals: &mut Arrivals) {
        while let Some(segment) = self.segments.front().copied() {
            if segment.end() > end {
                self.trim(end);
                break;
            }
            self.segments.pop_front();
            self.removed += 1;
            self.forget(&segment);
            self.note_arrival(&segment, answer, arrivals);
        }
        self.resend_from = self.resend_from.max(self.removed);
        self.check_from = self.check_from.max(self.removed);
        self.forget_resent(end);
    }

    /// A part of the first segment is acknowledged.
    fn trim(&mut self, end: u64) {
        if let Some(first) = self.segments.front_mut()
            && end > first.start
        {
            first.length = (first.end() - end) as u32;
            first.start = end;
        }
    }

    fn forget(&mut self, segment: &Sent) {
        self.arrived -= u32::from(segment.arrived);
        self.lost -= u32::from(segment.lost);
        self.again -= u32::from(segment.again);
        self.waiting -= u32::from(segment.is_waiting());
    }

    fn forget_resent(&mut self, end: u64) {
        while self.resent.front().is_some_and(|(start, _)| *start < end) {
            self.resent.pop_front();
        }
    }

    fn note_arrival(&mut self, segment: &Sent, answer: Answer, arrivals: &mut Arrivals) {
        if segment.arrived {
            arrivals.sent_again |= segment.ever_again;
            return;
        }
        arrivals.segments += 1;
        self.advance_newest(segment, answer);
        if segment.ever_again {
            arrivals.sent_again = true;
            return;
        }
        arrivals.in_order = Some(
            arrivals
                .in_order
                .map_or((segment.sent_at, segment.sent_at), |(first, _)| (first, segment.sent_at)),
        );
        self.note_original(segment, arrivals);
    }

    fn note_original(&self, segment: &Sent, arrivals: &mut Arrivals) {
        arrivals.original = Some(arrivals.original.map_or(segment.end(), |end| end.min(segment.end())));
        if self.arrived > 0 && segment.start < self.highest {
            arrivals.reordered = arrivals.reordered.max(self.highest - segment.start);
        }
    }

    /// Remembers the last-sent segment that has arrived. An answer that is faster than any round trip, or to an older
    /// timestamp, belongs to the first of two transmissions and says nothing.
    fn advance_newest(&mut self, segment: &Sent, answer: Answer) {
        let round_trip = answer.now.since(segment.sent_at);
        let to_first =
            round_trip < answer.least || (answer.echo > Time::ZERO && answer.echo < segment.sent_at);
        if segment.ever_again && to_first {
            return;
        }
        self.newest.round_trip = round_trip;
        if segment.order >= self.newest.order {
            self.newest.sent_at = segment.sent_at;
            self.newest.order = segment.order + 1;
        }
    }

    /// The bytes of `blocks` have arrived out of order. Blocks of the acknowledgement before are not walked again.
    pub(super) fn acknowledge_blocks(&mut self, blocks: &[Span; 3], answer: Answer, arrivals: &mut Arrivals) {
        for block in blocks.iter().filter(|block| block.end > block.start) {
            match self
                .known
                .iter()
                .find(|known| block.start <= known.start && known.end <= block.end && known.end > known.start)
            {
                Some(known) => {
                    let (before, after) = (
                        Span { start: block.start, end: known.start },
                        Span { start: known.end, end: block.end },
                    );
                    self.acknowledge_block(before, answer, arrivals);
                    self.acknowledge_block(after, answer, arrivals);
                }
                None => self.acknowledge_block(*block, answer, arrivals),
            }
        }
        self.known = *blocks;
    }

    fn acknowledge_block(&mut self, block: Span, answer: Answer, arrivals: &mut Arrivals) {
        if block.start >= block.end {
            return;
        }
        let first = self.segments.partition_point(|segment| segment.start < block.start);
        for index in first..self.segments.len() {
            let segment = self.segments[index];
            if segment.end() > block.end {
                break;
            }
            if !segment.arrived {
                self.arrive(index, answer, arrivals);
            }
        }
    }

    fn arrive(&mut self, index: usize, answer: Answer, arrivals: &mut Arrivals) {
        let segment = self.segments[index];
        arrivals.segments += 1;
        arrivals.selective += 1;
        // The echo of a segment beyond a gap is an older one.
        self.advance_newest(&segment, Answer { echo: Time::ZERO, ..answer });
        if !segment.ever_again {
            let sent = segment.sent_at;
            arrivals.out_of_order =
                Some(arrivals.out_of_order.map_or((sent, sent), |(first, _)| (first, sent)));
            self.note_original(&segment, arrivals);
        }
        self.forget(&segment);
        self.highest = if self.arrived == 0 { segment.start } else { self.highest.max(segment.start) };
        self.arrived += 1;
        let segment = &mut self.segments[index];
        (segment.arrived, segment.lost, segment.again) = (true, false, false);
    }

    /// Marks what is lost: what was sent before the last-sent segment that has arrived, more than a round trip and `window`
    /// ago. Gives their number, and the instant at which all others that were sent before it will be lost unless they arrive.
    pub(super) fn detect_losses(&mut self, now: Time, window: Duration) -> (u32, Option<Time>) {
        if self.newest.order == 0 {
            return (0, None);
        }
        let patience = self.newest.round_trip + window;
        let (first, first_due) = self.detect_among_originals(now, patience);
        let (second, second_due) = self.detect_among_resent(now, patience);
        (first + second, first_due.max(second_due))
    }

    fn detect_among_originals(&mut self, now: Time, patience: Duration) -> (u32, Option<Time>) {
        let mut found = 0;
        for index in (self.check_from - self.removed) as usize..self.segments.len() {
            let segment = self.segments[index];
            let open = !segment.arrived && !segment.lost && !segment.ever_again;
            if open {
                if segment.order >= self.newest.order {
                    break;
                }
                if segment.sent_at + patience > now {
                    return (found, Some(self.newest.sent_at + patience));
                }
                self.mark_lost(index);
                found += 1;
            }
            self.check_from = self.removed + index as u64 + 1;
        }
        (found, None)
    }

    fn detect_among_resent(&mut self, now: Time, patience: Duration) -> (u32, Option<Time>) {
        let mut found = 0;
        while let Some((start, order)) = self.resent.front().copied() {
            let index = self.index_of(start).filter(|index| self.is_open_again(*index, order));
            if let Some(index) = index {
                if order >= self.newest.order {
                    break;
                }
                if self.segments[index].sent_at + patience > now {
                    return (found, Some(self.newest.sent_at + patience));
                }
                self.mark_lost(index);
                found += 1;
            }
            self.resent.pop_front();
        }
        (found, None)
    }

    fn is_open_again(&self, index: usize, order: u64) -> bool {
        let segment = &self.segments[index];
        segment.again && segment.order == order
    }

    fn index_of(&self, start: u64) -> Option<usize> {
        self.segments.binary_search_by_key(&start, |segment| segment.start).ok()
    }

    fn mark_lost(&mut self, index: usize) {
        let segment = &mut self.segments[index];
        self.waiting += u32::from(!segment.is_waiting());
        self.lost += u32::from(!segment.lost);
        self.again -= u32::from(segment.again);
        (segment.lost, segment.again) = (true, false);
        self.resend_from = self.resend_from.min(self.removed + index as u64);
    }

    /// A retransmission timeout: all that has not arrived is lost, but for segments that were sent less than a round trip
    /// ago. If the first segment counts as arrived though it is not acknowledged, the receiver has dropped what it had
    /// reported.
    pub(super) fn time_out(&mut self, now: Time) {
        let dropped = self.segments.front().is_some_and(|segment| segment.arrived);
        if dropped {
            self.arrived = 0;
            self.known = Default::default();
        }
        for index in 0..self.segments.len() {
            let segment = &mut self.segments[index];
            segment.arrived &= !dropped;
            let recent = index > 0 && !dropped && segment.sent_at + self.newest.round_trip > now;
            if !segment.arrived && !recent {
                self.mark_lost(index);
            }
        }
    }

    /// Nothing was lost after all.
    pub(super) fn forget_losses(&mut self) {
        for segment in &mut self.segments {
            segment.lost = false;
        }
        self.lost = 0;
        self.waiting = 0;
        self.check_from = self.removed;
    }

    /// The first lost segment that has not been sent again.
    pub(super) fn next_lost(&mut self) -> Option<Piece> {
        if self.waiting == 0 {
            return None;
        }
        let from = (self.resend_from - self.removed) as usize;
        let found = (from..self.segments.len()).find(|index| self.segments[*index].is_waiting())?;
        self.resend_from = self.removed + found as u64;
        Some(self.segments[found].piece())
    }

    /// A segment was sent again.
    pub(super) fn sent_again(&mut self, piece: Piece, now: Time) {
        let Some(index) = self.index_of(piece.start) else { return };
        let segment = &mut self.segments[index];
        self.waiting -= u32::from(segment.is_waiting());
        self.again += u32::from(!segment.again);
        (segment.again, segment.ever_again) = (true, true);
        (segment.sent_at, segment.order) = (now, self.transmissions);
        self.resent.push_back((piece.start, self.transmissions));
        self.transmissions += 1;
    }
}

impl Sent {
    fn is_waiting(&self) -> bool {
        self.lost && !self.again
    }

    fn end(&self) -> u64 {
        self.start + u64::from(self.length)
    }

    fn piece(&self) -> Piece {
        Piece { start: self.start, length: self.length }
    }
}
