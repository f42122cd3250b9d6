//! Lanes for background computation, which may overlap.

use std::collections::BTreeSet;

use mpirage_units::Time;
use rustc_hash::FxHashMap;

/// The lanes of each rank that has any. Intervals in a lane do not overlap.
#[derive(Default)]
pub(crate) struct Lanes(FxHashMap<u32, RankLanes>);

#[derive(Default)]
struct RankLanes {
    lanes: u32,
    /// The time since which each lane is free.
    free: BTreeSet<(Time, u32)>,
}

impl Lanes {
    /// A lane, numbered from 0, for an interval from `start` to `end`. Intervals must come in order of their ends.
    pub fn put(&mut self, rank: u32, start: Time, end: Time) -> u32 {
        let rank = self.0.entry(rank).or_default();
        let free = rank.free.range(..=(start, u32::MAX)).next_back().copied();
        let lane = match free {
            Some(entry) => {
                rank.free.remove(&entry);
                entry.1
            }
            None => {
                rank.lanes += 1;
                rank.lanes - 1
            }
        };
        rank.free.insert((end, lane));
        lane
    }

    /// The number of lanes of a rank.
    pub fn count(&self, rank: u32) -> u32 {
        self.0.get(&rank).map_or(0, |rank| rank.lanes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_overlaps_is_in_different_lanes() {
        let mut lanes = Lanes::default();
        let mut put = |start, end| lanes.put(7, Time::from_picos(start), Time::from_picos(end));
        assert_eq!([put(0, 4), put(0, 5), put(4, 6), put(5, 7), put(5, 7)], [0, 1, 0, 1, 2]);
        assert_eq!((lanes.count(7), lanes.count(8)), (3, 0));
    }
}
