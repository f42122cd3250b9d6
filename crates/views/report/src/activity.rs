//! Activities of ranks: MPI calls, computation, and anything else that takes time.

use mpirage_call::varint;

use crate::category::Category;
use crate::columns::Numbers;
use crate::container::Container;
use crate::log::{Clock, Encode, EncodedLog, Event, EventLog, Part, Period, nanos};

/// The kind of an activity that is no call.
pub(crate) const NO_CALL: u32 = 0;

/// Something that a rank did. Times are in picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Activity {
    /// From the end of the previous activity to the start of this one; a two's complement number.
    pub gap: u64,
    pub duration: u64,
    /// How long, from its start on, the rank waited for another rank.
    pub waited: u64,
    /// Bytes of a call.
    pub bytes: u64,
    /// The kind of call, or `NO_CALL`.
    pub call: u32,
    /// The category of its time, apart from waiting.
    pub category: Category,
}

impl Default for Activity {
    fn default() -> Activity {
        Activity { gap: 0, duration: 0, waited: 0, bytes: 0, call: NO_CALL, category: Category::Other }
    }
}

impl Event for Activity {
    #[inline]
    fn span(&self) -> u64 {
        self.gap.wrapping_add(self.duration)
    }

    #[inline]
    fn duration(&self) -> u64 {
        self.duration
    }
}

/// The activities of all ranks.
pub(crate) type ActivityLog = EventLog<Activity>;

/// Consumes the activities of a rank in order of time.
pub(crate) trait ActivityConsumer {
    /// The rank spent the time from `from` to `until`. In loops, it did so in `times` successive iterations.
    fn spend(&mut self, category: Category, from: u64, until: u64, times: u32);

    /// How many iterations, from `now` on, can be consumed at once.
    fn iterations_at_once(&self, now: u64, period: Period) -> u64;

    /// The rank did this `times` times.
    fn count(&mut self, _: &Activity, _times: u32) {}
}

impl ActivityLog {
    /// Passes what a rank did to a consumer, and the rank's time, from `now` on.
    pub fn consume(&self, rank: usize, now: &mut u64, consumer: &mut impl ActivityConsumer) {
        self.for_each_part(rank, |part| match part {
            Part::Once(activity, end) => {
                consumer.count(activity, 1);
                spend(activity, end, 1, now, consumer);
            }
            Part::Loop { events, times, begin, period } => {
                events.iter().for_each(|activity| consumer.count(activity, times));
                let (mut end, mut left, mut at_once) = (begin, u64::from(times), 1);
                while left > 0 {
                    for activity in events {
                        end = end.wrapping_add(activity.span());
                        spend(activity, end, at_once as u32, now, consumer);
                    }
                    end += (at_once - 1) * period.0;
                    *now += (at_once - 1) * period.0;
                    left -= at_once;
                    at_once = consumer.iterations_at_once(*now, period).clamp(1, left.max(1));
                }
            }
        });
    }

    /// Adds the activities of all ranks to the data of the page.
    pub fn write(&self, out: &mut Container) {
        let encoded = EncodedLog::new(self);
        let picos = |of: fn(&Activity) -> u64| encoded.column(self, |it| of(it) as i64 as f64, |_| 0.0);
        out.section("activity_symbols_gap", picos(|it| it.gap));
        out.section("activity_symbols_duration", picos(|it| it.duration));
        out.section("activity_symbols_waited", picos(|it| it.waited));
        let bytes = encoded.column(self, |it| it.bytes as f64, |shape| shape.bytes as f64);
        out.section("activity_symbols_bytes", bytes);
        out.section("activity_symbols_call", encoded.column(self, |it| it.call, |shape| shape.call));
        out.section("activity_symbols_flags", encoded.column(self, |_| 0, |shape| shape.flags));
        encoded.write("events", "activity_symbols", out);
    }
}

/// Passes the time of an activity that ends at `end`, and of the gap before it, to a consumer.
#[inline]
fn spend(activity: &Activity, end: u64, times: u32, now: &mut u64, consumer: &mut impl ActivityConsumer) {
    if activity.duration == 0 {
        return;
    }
    let start = end.wrapping_sub(activity.duration);
    let parts =
        [(Category::Other, start), (Category::Wait, start + activity.waited), (activity.category, end)];
    for (category, until) in parts {
        if until > *now {
            consumer.spend(category, *now, until, times);
            *now = until;
        }
    }
}

/// Flags of a literal: its times follow, and of these the ones that are not zero; its bytes follow.
const LITERAL: u8 = 1;
const GAP: u8 = 2;
const DURATION: u8 = 4;
const WAITED: u8 = 8;
const BYTES: u8 = 16;

/// Everything of an activity but its times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    bytes: u64,
    call: u32,
    flags: u8,
}

impl Encode for Activity {
    type Shape = Shape;

    #[inline]
    fn shape(&self) -> Shape {
        let flag = |time, flag| if time != 0 { flag } else { 0 };
        let flags = flag(self.gap, GAP) | flag(self.duration, DURATION) | flag(self.waited, WAITED);
        Shape { bytes: self.bytes, call: self.call, flags: LITERAL | flags }
    }

    fn shape_without_size(&self) -> Shape {
        let shape = self.shape();
        Shape { bytes: 0, flags: shape.flags | BYTES, ..shape }
    }

    #[inline]
    fn write_times(&self, shape: &Shape, clock: &mut Clock, out: &mut Numbers) {
        let start = clock.end.wrapping_add(self.gap);
        clock.end = start + self.duration;
        if self.gap != 0 {
            out.put(varint::zigzag(clock.advance_to(start)));
        }
        if self.duration != 0 {
            let duration = clock.advance_to(clock.end).max(0) as u64;
            out.put(duration);
            if self.waited != 0 {
                out.put(nanos(self.waited).min(duration));
            }
        }
        if shape.flags & BYTES != 0 {
            out.put(self.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Remembers the time that was spent, and consumes as many iterations at once as it says.
    struct Spent(u64, Vec<(Category, u64, u64)>);

    impl ActivityConsumer for Spent {
        fn spend(&mut self, category: Category, from: u64, until: u64, times: u32) {
            self.1.extend((0..times).map(|_| (category, from, until)));
        }

        fn iterations_at_once(&self, _: u64, _: Period) -> u64 {
            self.0
        }
    }

    fn compute(gap: u64, duration: u64) -> Activity {
        Activity { gap, duration, category: Category::Compute, ..Activity::default() }
    }

    fn call(call: u32, duration: u64, waited: u64) -> Activity {
        Activity { call, duration, waited, category: Category::PointToPoint, ..Activity::default() }
    }

    #[test]
    fn iterations_can_be_consumed_at_once() {
        let mut log = ActivityLog::new(1);
        for _ in 0..100 {
            [compute(3, 20), call(8, 50, 15), call(9, 0, 0)].into_iter().for_each(|it| log.push_event(0, it));
        }
        log.settle();
        let sums = [1, 7, u64::MAX].map(|at_once| {
            let (mut now, mut spent) = (0, Spent(at_once, Vec::new()));
            log.consume(0, &mut now, &mut spent);
            let of = |wanted| {
                let parts = spent.1.iter().filter(|(category, ..)| *category == wanted);
                parts.map(|(_, from, until)| until - from).sum::<u64>()
            };
            (now, [Category::Compute, Category::PointToPoint, Category::Wait, Category::Other].map(of))
        });
        assert_eq!(sums, [(7_300, [2_000, 3_500, 1_500, 300]); 3]);
    }

    #[test]
    fn all_time_is_accounted_for() {
        let mut log = ActivityLog::new(1);
        [compute(10, 20), call(7, 0, 0), call(8, 50, 15)].into_iter().for_each(|it| log.push_event(0, it));
        log.settle();
        let (mut now, mut spent) = (0, Spent(1, Vec::new()));
        log.consume(0, &mut now, &mut spent);
        let expected = [
            (Category::Other, 0, 10),
            (Category::Compute, 10, 30),
            (Category::Wait, 30, 45),
            (Category::PointToPoint, 45, 80),
        ];
        assert_eq!((spent.1.as_slice(), now), (expected.as_slice(), 80));
        assert_eq!(ActivityLog::ROW_BYTES, size_of::<Activity>());
    }
}
