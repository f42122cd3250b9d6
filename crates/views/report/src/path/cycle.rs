//! Cycles of a path: where a program repeats itself to the picosecond, so does the path through it.

use super::segment::Segment;
use super::walk::Walk;
use crate::log::{Period, Position};

/// Steps of a cycle, at most. Longer cycles are not searched for.
const MAX_STEPS: usize = 1 << 15;

/// Finds out whether a path returns to where it was.
///
/// A point of the path is remembered and compared with those before it, and replaced by another after ever more steps (Brent's
/// algorithm).
#[derive(Default)]
pub(super) struct Cycle {
    /// The remembered point: its rank, time, and positions in the logs of the rank.
    rank: u32,
    time: u64,
    positions: Option<[Position; 3]>,
    /// The ranks on the path since that point, and their positions when the path came to them.
    visited: Vec<(u32, [Position; 3])>,
    /// The segments since that point.
    pub segments: Vec<Segment>,
    steps: usize,
    max_steps: usize,
    /// The number of the remembered point.
    number: u32,
}

impl Cycle {
    /// The path continues with `rank` at `time`. If it has returned to the remembered point and will do so again: how often, and how long
    /// each time takes.
    pub fn iterations(&mut self, walk: &mut Walk<'_>, rank: u32, time: u64) -> Option<(u64, Period)> {
        let readers = walk.readers(rank);
        let positions = readers.positions();
        let is_like = |known: &[Position; 3]| known.iter().zip(&positions).all(|(a, b)| a.is_like(b));
        if rank == self.rank && time < self.time && self.positions.as_ref().is_some_and(is_like) {
            let period = Period(self.time - time);
            let times = self.iterations_of_all(walk, time, period);
            if times > 0 {
                return Some((times, period));
            }
        } else if readers.visit != self.number {
            readers.visit = self.number;
            self.visited.push((rank, positions));
        }
        self.steps += 1;
        if self.steps > self.max_steps {
            self.remember(walk, rank, time);
        }
        None
    }

    /// Remembers this point of the path.
    fn remember(&mut self, walk: &mut Walk<'_>, rank: u32, time: u64) {
        let readers = walk.readers(rank);
        (self.number, self.steps) = (self.number + 1, 0);
        self.max_steps = (2 * self.max_steps + 1).min(MAX_STEPS);
        (self.rank, self.time, self.positions) = (rank, time, Some(readers.positions()));
        readers.visit = self.number;
        self.visited.clear();
        self.visited.push((rank, readers.positions()));
        self.segments.clear();
    }

    /// How often all ranks on the path repeat what they did.
    fn iterations_of_all(&self, walk: &mut Walk<'_>, time: u64, period: Period) -> u64 {
        let iterations = self.visited.iter().map(|(rank, positions)| {
            let most = time.saturating_sub(walk.since(*rank) + period.0) / period.0;
            walk.readers(*rank).iterations_since(positions, period, time).min(most)
        });
        iterations.min().unwrap_or(0)
    }

    /// Skips these iterations.
    pub fn skip(&mut self, walk: &mut Walk<'_>, times: u64, period: Period) {
        for (rank, positions) in &self.visited {
            walk.readers(*rank).skip(positions, times, period);
        }
        (self.positions, self.steps, self.max_steps) = (None, 0, 0);
        self.segments.clear();
    }
}
