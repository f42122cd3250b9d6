//! The latest activities of ranks: enough to say why a rank was late.
//!
//! Each rank has a ring of *spans*, the intervals of its latest activities, and a ring of its latest calls. Their sizes depend on the number of ranks,
//! so that the memory is bounded.

/// Spans, and calls, of all ranks together.
const ROOM: usize = 1 << 19;
/// Spans, and calls, of a rank.
const MOST: usize = 64;
const LEAST: usize = 4;

/// A call that is not known yet: the next one of the rank.
pub(super) const NEXT_CALL: u32 = u32::MAX;
/// No rank.
pub(crate) const NO_RANK: u32 = u32::MAX;

/// The activity of a rank in a span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Doing {
    /// It computed, slept or did anything else outside MPI, before a call.
    #[default]
    Computing,
    /// It was in a call and did not wait for another rank.
    InCall,
    /// It waited for another rank.
    Waiting,
}

/// An interval of a rank's time, in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Span {
    pub start: u64,
    pub end: u64,
    /// The kind of the call, or of the call that followed.
    pub call: u32,
    /// The rank that it waited for.
    pub cause: u32,
    pub doing: Doing,
}

/// A call of a rank: its kind, and when it began and ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RecentCall {
    pub entered: u64,
    pub left: u64,
    pub call: u32,
}

/// The latest items of each rank.
#[derive(Clone)]
struct Rings<T> {
    items: Vec<T>,
    /// Items per rank, a power of two.
    length: usize,
    /// Items that each rank has had.
    counts: Vec<u32>,
}

impl<T: Copy + Default> Rings<T> {
    fn new(ranks: usize) -> Rings<T> {
        let length = (ROOM / ranks.max(1)).clamp(LEAST, MOST);
        let length = 1 << length.ilog2();
        Rings { items: vec![T::default(); ranks * length], length, counts: vec![0; ranks] }
    }

    #[inline]
    fn push(&mut self, rank: u32, item: T) {
        let count = &mut self.counts[rank as usize];
        self.items[rank as usize * self.length + (*count as usize & (self.length - 1))] = item;
        // Beyond the length only the lowest bits matter.
        *count = if *count == u32::MAX { self.length as u32 } else { *count + 1 };
    }

    /// The positions of a rank's items, the latest first.
    fn latest(&self, rank: u32) -> impl Iterator<Item = usize> + use<T> {
        let (count, length) = (self.counts[rank as usize] as usize, self.length);
        let kept = count.min(length);
        (1..=kept).map(move |back| rank as usize * length + ((count - back) & (length - 1)))
    }
}

/// The latest activities of all ranks.
#[derive(Clone)]
pub(super) struct History {
    spans: Rings<Span>,
    calls: Rings<RecentCall>,
}

impl History {
    pub fn new(ranks: usize) -> History {
        History { spans: Rings::new(ranks), calls: Rings::new(ranks) }
    }

    #[inline]
    pub fn push(&mut self, rank: u32, span: Span) {
        self.spans.push(rank, span);
    }

    /// A rank has returned from a call. What it did since the call before, it did before this call.
    #[inline]
    pub fn returned(&mut self, rank: u32, call: RecentCall) {
        self.calls.push(rank, call);
        for at in self.spans.latest(rank) {
            let span = &mut self.spans.items[at];
            if span.call != NEXT_CALL {
                break;
            }
            span.call = call.call;
        }
    }

    /// The spans of a rank, the latest first.
    pub fn spans(&self, rank: u32) -> impl Iterator<Item = &Span> {
        self.spans.latest(rank).map(|at| &self.spans.items[at])
    }

    /// The calls of a rank, the latest first.
    pub fn calls(&self, rank: u32) -> impl Iterator<Item = &RecentCall> {
        self.calls.latest(rank).map(|at| &self.calls.items[at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn computing(start: u64) -> Span {
        Span { start, end: start + 5, call: NEXT_CALL, cause: NO_RANK, doing: Doing::Computing }
    }

    #[test]
    fn the_latest_spans_are_kept() {
        let mut history = History::new(2);
        (0..200).for_each(|at| history.push(1, computing(10 * at)));
        let starts: Vec<u64> = history.spans(1).map(|span| span.start).collect();
        assert_eq!(starts, (0..200).rev().map(|at| 10 * at).take(MOST).collect::<Vec<_>>());
        assert_eq!(history.spans(0).count(), 0);
        assert_eq!(History::new(1 << 20).spans.length, LEAST);
    }

    #[test]
    fn a_call_names_what_was_done_before_it() {
        let mut history = History::new(1);
        for (call, start) in [(7, 0), (8, 100)] {
            history.push(0, computing(start));
            history.push(0, computing(start + 10));
            history.returned(0, RecentCall { entered: start + 20, left: start + 30, call });
        }
        history.push(0, computing(200));
        let calls: Vec<u32> = history.spans(0).map(|span| span.call).collect();
        assert_eq!(calls, [NEXT_CALL, 8, 8, 7, 7]);
    }
}
