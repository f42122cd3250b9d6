//! Follows a path from where a rank was at a time back to the beginning.

use std::ops::ControlFlow;

use super::cycle::Cycle;
use super::segment::{Segment, SegmentKind};
use crate::activity::{Activity, NO_CALL};
use crate::calls::NO_FUNCTION;
use crate::category::Category;
use crate::log::{Event, Period, Position, ReverseReader};
use crate::logs::Logs;
use crate::ranks::RankAmong;
use crate::receipt::MessageReceipt;

/// Follows paths through the logs.
pub(super) struct Walk<'a> {
    logs: &'a Logs,
    /// The time at which the path of each rank stops.
    since: &'a [u64],
    readers: Vec<Option<Box<RankReaders<'a>>>>,
}

/// Readers that read a rank's activities and received messages backwards.
pub(super) struct RankReaders<'a> {
    activities: ReverseReader<'a, Activity>,
    messages: [ReverseReader<'a, MessageReceipt>; 2],
    /// The number of the point since which the path is known to have been here ([`Cycle`]).
    pub visit: u32,
}

/// A step of a path, backwards.
pub(super) enum Step<'a> {
    /// The segment before all earlier ones.
    Segment(Segment),
    /// The last segments occur `times` more times, each time a period earlier.
    Repeat { segments: &'a [Segment], times: u64, period: Period },
}

/// The part of the path before a point: segments, the last first, and the point before them.
struct Preceding {
    segments: [Option<Segment>; 2],
    rank: u32,
    time: u64,
}

/// A transfer that a rank waited for: its start, and the rank that made it start.
struct AwaitedTransfer {
    start: u64,
    starter: u32,
    peer: u32,
}

/// A message and the time of its delivery.
type Delivery<'a> = (&'a MessageReceipt, u64);

impl<'a> Walk<'a> {
    pub fn new(logs: &'a Logs, since: &'a [u64]) -> Walk<'a> {
        let readers = std::iter::repeat_with(|| None).take(logs.ranks() as usize).collect();
        Walk { logs, since, readers }
    }

    /// The time at which the path of a rank stops.
    #[inline]
    pub fn since(&self, rank: u32) -> u64 {
        self.since[rank as usize]
    }

    /// Visits the path that led a rank to where it was at `time`, backwards, until `visit` breaks or the path stops. Returns where. With
    /// `skip_cycles`, cycles are visited once.
    pub fn back(
        &mut self,
        mut rank: u32,
        mut time: u64,
        skip_cycles: bool,
        mut visit: impl FnMut(Step<'_>) -> ControlFlow<()>,
    ) -> (u32, u64) {
        let mut cycle = skip_cycles.then(Cycle::default);
        // Messages that take no time could lead back and forth for ever.
        let mut steps_without_time = 0;
        while time > self.since(rank) {
            if let Some(cycle) = &mut cycle
                && let Some((times, period)) = cycle.iterations(self, rank, time)
            {
                if visit(Step::Repeat { segments: &cycle.segments, times, period }).is_break() {
                    break;
                }
                cycle.skip(self, times, period);
                time -= times * period.0;
                continue;
            }
            let before = self.preceding(rank, time, steps_without_time < self.logs.ranks());
            if (before.rank, before.time) == (rank, time) {
                break;
            }
            steps_without_time = if before.time < time { 0 } else { steps_without_time + 1 };
            (rank, time) = (before.rank, before.time);
            for segment in before.segments.into_iter().flatten() {
                if let Some(cycle) = &mut cycle {
                    cycle.segments.push(segment);
                }
                if visit(Step::Segment(segment)).is_break() {
                    return (rank, time);
                }
            }
        }
        (rank, time)
    }

    /// The part of the path before a point: the rank's last activity or, if it `may_wait`, a message that it waited for.
    #[inline]
    fn preceding(&mut self, rank: u32, time: u64, may_wait: bool) -> Preceding {
        let logs = self.logs;
        let begin = logs.activities.begin(rank as usize);
        let readers = self.readers(rank);
        let nothing = Activity::default();
        let (activity, end) = readers.activities.seek(time).unwrap_or((&nothing, begin.min(time)));
        let (kind, function) = (kind_of(activity), logs.calls.function(activity.call));
        let own = |start, end| Segment { rank, peer: rank, start, end, kind, function };
        if end < time || activity.duration == 0 {
            let gap = Segment { kind: SegmentKind::Other, function: NO_FUNCTION, ..own(end, time) };
            return Preceding { segments: [Some(gap), None], rank, time: end };
        }
        let entered = end - activity.duration;
        let awaited = match activity.category {
            _ if !may_wait => None,
            Category::Collective => readers.awaited_in_collective(entered, time),
            _ if activity.call != NO_CALL && time == end => readers.awaited_at_end(entered, end),
            _ => None,
        };
        let Some((receipt, delivered)) = awaited else {
            return Preceding { segments: [Some(own(entered, time)), None], rank, time: entered };
        };
        let AwaitedTransfer { start, starter, peer } =
            AwaitedTransfer::new(receipt, delivered, RankAmong { rank, ranks: logs.ranks() });
        let after = (delivered < time).then(|| own(delivered, time));
        let transfer = Segment { peer, kind: SegmentKind::Transfer, ..own(start, delivered) };
        Preceding { segments: [after, Some(transfer)], rank: starter, time: start }
    }

    #[inline]
    pub fn readers(&mut self, rank: u32) -> &mut RankReaders<'a> {
        let (logs, at) = (self.logs, rank as usize);
        self.readers[at].get_or_insert_with(|| {
            Box::new(RankReaders {
                activities: ReverseReader::new(&logs.activities, at),
                messages: [&logs.messages, &logs.inner_messages].map(|log| ReverseReader::new(log, at)),
                visit: 0,
            })
        })
    }
}

/// The kind of an activity's own segments.
#[inline]
fn kind_of(activity: &Activity) -> SegmentKind {
    match activity.category {
        Category::Compute => SegmentKind::Compute,
        Category::PointToPoint => SegmentKind::PointToPoint,
        Category::Collective => SegmentKind::Collective,
        _ => SegmentKind::Other,
    }
}

impl AwaitedTransfer {
    #[inline]
    fn new(receipt: &MessageReceipt, delivered: u64, own: RankAmong) -> AwaitedTransfer {
        let peer = receipt.other(own);
        let (sender, receiver) = if receipt.is_send { (own.rank, peer) } else { (peer, own.rank) };
        let sent = delivered.wrapping_sub(receipt.duration);
        match receipt.waited_for_receiver {
            true => {
                let start = sent.wrapping_add(receipt.until_departure);
                AwaitedTransfer { start, starter: receiver, peer }
            }
            false => AwaitedTransfer { start: sent, starter: sender, peer },
        }
    }
}

impl<'a> RankReaders<'a> {
    #[inline]
    pub fn positions(&self) -> [Position; 3] {
        let [messages, inner] = &self.messages;
        [self.activities.position(), messages.position(), inner.position()]
    }

    /// How often what lies after the current positions, which took `period` up to `time`, occurs again before them.
    pub fn iterations_since(&self, earlier: &[Position; 3], period: Period, time: u64) -> u64 {
        let ([activities, messages, inner], [own, others]) = (earlier, &self.messages);
        let messages = own.iterations_since(messages, period, time);
        let inner = others.iterations_since(inner, period, time);
        self.activities.iterations_since(activities, period, time).min(messages).min(inner)
    }

    /// Skips these iterations.
    pub fn skip(&mut self, earlier: &[Position; 3], times: u64, period: Period) {
        let ([activities, messages, inner], [own, others]) = (earlier, &mut self.messages);
        self.activities.skip(activities, times, period);
        own.skip(messages, times, period);
        others.skip(inner, times, period);
    }

    /// In a collective that was entered at `entered`: the last message up to `time` that the rank waited for.
    fn awaited_in_collective(&mut self, entered: u64, time: u64) -> Option<Delivery<'a>> {
        let mut last: Option<Delivery<'a>> = None;
        for reader in &mut self.messages {
            while let Some((receipt, delivered)) =
                reader.seek(time + 1).filter(|&(_, delivered)| delivered > entered)
            {
                let before = entered.max(delivered.wrapping_sub(receipt.span()));
                let awaited = delivered.wrapping_sub(receipt.after_arrival) > before && receipt.in_collective;
                if awaited && (!receipt.is_send || receipt.waited_for_receiver) {
                    last = last.filter(|&(_, other)| other > delivered).or(Some((receipt, delivered)));
                    break;
                }
                reader.back();
            }
        }
        last
    }

    /// In another call: the message that was delivered when the call returned; or the last that was delivered to the rank during it.
    fn awaited_at_end(&mut self, entered: u64, end: u64) -> Option<Delivery<'a>> {
        let mut last: Option<Delivery<'a>> = None;
        for reader in &mut self.messages {
            let mut found: Option<Delivery<'a>> = None;
            while let Some((receipt, delivered)) =
                reader.seek(end + 1).filter(|&(_, delivered)| delivered > entered)
            {
                let here = Some((receipt, delivered));
                if !receipt.is_send {
                    found = if delivered == end { here } else { found.or(here) };
                    break;
                }
                if delivered == end {
                    found = found.or(here);
                }
                reader.back();
            }
            let found = found.filter(|&(it, delivered)| delivered.wrapping_sub(it.after_arrival) > entered);
            last = match (last, found) {
                (Some(last), Some(found)) if last.1 >= found.1 => Some(last),
                (last, found) => found.or(last),
            };
        }
        last
    }
}
