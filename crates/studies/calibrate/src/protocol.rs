//! Where a library changes its protocol: from which size on sends wait, and messages leave only when they are received.

use crate::measurement::Point;
use crate::segments::Piece;

/// The part of a message's time from which on a call is taken to wait for the other side.
const WAITS: f64 = 0.5;
/// How far a limit may be from a border of pieces to be taken for the same.
const NEAR: f64 = 1.2;
/// A rendezvous adds a request and a grant; one of them is at least this part of the shortest message's time.
const STEP: f64 = 0.7;
/// Sizes between which libraries change to the rendezvous.
const LIKELY: std::ops::RangeInclusive<u64> = 1 << 10..=4 << 20;

/// The limits of a protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Sends of at least so many bytes wait for the receiver.
    pub eager: Option<u64>,
    /// Messages of at least so many bytes leave when they are received.
    pub push: Option<u64>,
}

/// The time of a message of any size, between measured ones.
pub(crate) fn time_at(points: &[Point], bytes: u64) -> f64 {
    let after = points.partition_point(|point| point.bytes < bytes);
    let (Some(next), Some(before)) = (points.get(after), after.checked_sub(1).map(|at| points[at])) else {
        return points.get(after).or(points.last()).map_or(f64::NAN, |point| point.seconds);
    };
    let share = (bytes - before.bytes) as f64 / (next.bytes - before.bytes) as f64;
    before.seconds * (1.0 - share) + next.seconds * share
}

/// The size from which on a call takes a large part of its message's time; none if it never does. The cut that puts the
/// fewest sizes on the wrong side, so that single outliers do not count.
pub(crate) fn waits_from(calls: &[Point], messages: &[Point]) -> Option<u64> {
    let waits: Vec<bool> =
        calls.iter().map(|call| call.seconds > WAITS * time_at(messages, call.bytes)).collect();
    let mut wrong = waits.iter().filter(|waits| !**waits).count();
    let mut best = (wrong, 0);
    for (at, waits) in waits.iter().enumerate() {
        wrong = if *waits { wrong + 1 } else { wrong - 1 };
        if wrong < best.0 {
            best = (wrong, at + 1);
        }
    }
    calls.get(best.1).map(|call| call.bytes)
}

/// A limit as the border that it is near to, if there is one.
pub(crate) fn at_border(limit: u64, borders: impl Iterator<Item = u64>) -> u64 {
    let distance = |border: &u64| (*border as f64 / limit as f64).ln().abs();
    let near = borders.filter(|border| *border > 0 && distance(border) <= NEAR.ln());
    near.min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(limit)
}

/// The border at which times rise most, if they rise as much as a rendezvous makes them.
pub(crate) fn step(pieces: &[Piece]) -> Option<u64> {
    let shortest = pieces.first()?.line.at(0);
    let rises = pieces.windows(2).map(|pair| {
        let from = pair[1].from;
        (from, pair[1].line.at(from) - pair[0].line.at(from))
    });
    let likely = rises.filter(|(from, rise)| LIKELY.contains(from) && *rise >= STEP * shortest);
    likely.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(from, _)| from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(times: &[(u64, f64)]) -> Vec<Point> {
        let point = |&(bytes, seconds): &(u64, f64)| Point {
            bytes,
            seconds,
            quartiles: (seconds, seconds),
            samples: 1,
        };
        times.iter().map(point).collect()
    }

    #[test]
    fn sends_wait_from_the_size_at_which_they_take_long() {
        let messages = points(&[(1, 10.0), (1000, 20.0), (100_000, 100.0)]);
        let calls = points(&[(1, 1.0), (10, 9.0), (100, 1.0), (1000, 2.0), (50_000, 45.0), (100_000, 90.0)]);
        assert_eq!(waits_from(&calls, &messages), Some(50_000), "the outlier at 10 bytes does not count");
        assert_eq!(waits_from(&calls[..4], &messages), None);
        assert_eq!(at_border(50_000, [0, 900, 49_152].into_iter()), 49_152);
        assert_eq!(at_border(50_000, [0, 900].into_iter()), 50_000);
    }

    #[test]
    fn times_between_sizes_are_interpolated() {
        let messages = points(&[(10, 1.0), (20, 3.0)]);
        assert_eq!([5, 10, 15, 30].map(|bytes| time_at(&messages, bytes)), [1.0, 1.0, 2.0, 3.0]);
    }
}
