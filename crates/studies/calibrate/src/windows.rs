//! The time that processors need for the messages of a window, one call after the other, until the network is full.

use crate::measurement::{Measurements, Point, SampleKind};
use crate::protocol::time_at;

/// Messages of a window of the OSU micro-benchmarks.
const WINDOW: f64 = 64.0;
/// Bytes take at most this part of a message's time where its sender, or its receiver, is the limit.
const SENDER: f64 = 0.85;
const RECEIVER: f64 = 0.5;
/// Seconds of the shortest call.
const LEAST: f64 = 2e-8;

/// The times of non-blocking sends, and the size from which on the network hides them.
pub(crate) fn sends(all: &Measurements, messages: &[Point]) -> (Vec<Point>, Option<u64>) {
    let windows = one_way(all);
    let first = messages.first().map_or(0.0, |point| point.seconds);
    let cost = |point: &Point| {
        // The last message of a window takes its whole way, and its answer that of the shortest message.
        let ends = (time_at(messages, point.bytes) + first) / WINDOW;
        scaled(point, (point.seconds - ends).max(LEAST) / point.seconds)
    };
    until_full(&windows, SENDER, cost)
}

/// The times of receives, and the size from which on the network hides them: a processor that sends and receives takes so much longer than one
/// that only sends.
pub(crate) fn receives(all: &Measurements) -> (Vec<Point>, Option<u64>) {
    let (windows, both_ways) = (one_way(all), all.points(SampleKind::BothWays));
    let share = |point: &Point| {
        let both = both_ways.iter().find(|both| both.bytes == point.bytes)?;
        // A receive that takes longer than a send would be the limit of a window in one direction: something else is slow there.
        Some(both.seconds / point.seconds - 1.0).filter(|share| *share <= 1.0)
    };
    let known: Vec<Point> = windows.iter().filter(|point| share(point).is_some()).copied().collect();
    until_full(&known, RECEIVER, |point| scaled(point, share(point).unwrap_or(0.0).max(0.0)))
}

/// Windows of one pair in one direction.
fn one_way(all: &Measurements) -> Vec<Point> {
    let windows = all.points(SampleKind::Window);
    if windows.is_empty() { all.points(SampleKind::Rate(1)) } else { windows }
}

impl Measurements {
    /// Do windows of one pair show what messages cost processors?
    pub fn has_windows(&self) -> bool {
        !one_way(self).is_empty()
    }
}

fn until_full(windows: &[Point], share: f64, cost: impl Fn(&Point) -> Point) -> (Vec<Point>, Option<u64>) {
    let fill = windows.iter().map(|point| point.bytes as f64 / point.seconds).fold(0.0, f64::max);
    let is_full = |point: &Point| point.bytes as f64 / fill > share * point.seconds;
    let full = windows.iter().position(is_full).unwrap_or(windows.len());
    (windows[..full].iter().map(cost).collect(), windows.get(full).map(|point| point.bytes))
}

fn scaled(point: &Point, factor: f64) -> Point {
    let (low, high) = point.quartiles;
    Point { seconds: factor * point.seconds, quartiles: (factor * low, factor * high), ..*point }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_show_what_calls_cost() {
        let mut all = Measurements::default();
        for bytes in [8, 64, 512, 1 << 20] {
            let seconds = f64::max(200e-9, bytes as f64 / 10e9);
            all.add(SampleKind::PingPong, bytes, 3.2e-6 + bytes as f64 / 10e9);
            all.add(SampleKind::Window, bytes, seconds + 0.1e-6);
            all.add(SampleKind::BothWays, bytes, 1.5 * (seconds + 0.1e-6));
        }
        let (sends, full) = sends(&all, &all.points(SampleKind::PingPong));
        assert_eq!((sends.len(), full), (3, Some(1 << 20)));
        assert!((sends[0].seconds - 200e-9).abs() < 1e-10, "{sends:?}");
        let (receives, full) = receives(&all);
        assert_eq!((receives.len(), full), (3, Some(1 << 20)));
        assert!((receives[0].seconds - 150e-9).abs() < 1e-10, "{receives:?}");
    }
}
