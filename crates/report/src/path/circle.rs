//! Paths that go in circles: where a program repeats itself to the picosecond, so does the path that leads through it.

use crate::chronicle::Mark;

use super::Segment;
use super::walk::Walk;

/// Steps of a circle, at most: longer ones are not looked for.
const LONGEST: usize = 1 << 15;

/// A path since some point of it.
#[derive(Default)]
pub(super) struct Circle {
    /// Where that was, and where its rank was in what is written of it.
    rank: u32,
    time: u64,
    marks: Option<[Mark; 3]>,
    /// The ranks that the path has been at since then, and where they were when it came to them.
    visited: Vec<(u32, [Mark; 3])>,
    /// Its parts since then.
    pub parts: Vec<Segment>,
    steps: usize,
    /// So many steps until another point is looked at: ever more, so that circles of any length are found (Brent's way).
    patience: usize,
    /// The number of the point.
    number: u32,
}

impl Circle {
    /// The path is about to go on from here. If it has come round, and will go round again: how often, and how long that takes each time.
    pub fn closes(&mut self, walk: &mut Walk<'_>, rank: u32, time: u64) -> Option<(u64, u64)> {
        let ways = walk.ways(rank);
        let marks = ways.marks();
        let known = self.marks.as_ref();
        let round = rank == self.rank
            && time < self.time
            && known.is_some_and(|known| known.iter().zip(&marks).all(|(one, other)| one.is_like(other)));
        if round {
            let lap = self.time - time;
            let times = self.laps(walk, time, lap);
            if times > 0 {
                return Some((times, lap));
            }
        } else if ways.visit != self.number {
            ways.visit = self.number;
            self.visited.push((rank, marks));
        }
        self.steps += 1;
        if self.steps > self.patience {
            self.begin(walk, rank, time);
        }
        None
    }

    /// Looks from here on whether the path comes round.
    fn begin(&mut self, walk: &mut Walk<'_>, rank: u32, time: u64) {
        let ways = walk.ways(rank);
        (self.number, self.steps) = (self.number + 1, 0);
        self.patience = (2 * self.patience + 1).min(LONGEST);
        (self.rank, self.time, self.marks) = (rank, time, Some(ways.marks()));
        ways.visit = self.number;
        self.visited.clear();
        self.visited.push((rank, ways.marks()));
        self.parts.clear();
    }

    /// How often it will go round again: as often as all whom it has visited repeat themselves.
    fn laps(&self, walk: &mut Walk<'_>, time: u64, lap: u64) -> u64 {
        let repeated = self.visited.iter().map(|(rank, marks)| {
            let most = time.saturating_sub(walk.since(*rank) + lap) / lap;
            walk.ways(*rank).laps_since(marks, lap, time).min(most)
        });
        repeated.min().unwrap_or(0)
    }

    /// It goes round so often.
    pub fn go_round(&mut self, walk: &mut Walk<'_>, times: u64, lap: u64) {
        for (rank, marks) in &self.visited {
            walk.ways(*rank).repeat(marks, times, lap);
        }
        (self.marks, self.steps, self.patience) = (None, 0, 0);
        self.parts.clear();
    }
}
