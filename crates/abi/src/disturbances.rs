//! Bursts that took far longer than others before the same call.
//!
//! Processor time is what it is only on a quiet machine: a neighbour on the same core, a hypervisor that takes the processor away,
//! caches that another process has filled, all make a burst longer without the program having done more. A burst that is several
//! times as long as usual at its place is counted, and the simulator warns of it. It still counts as measured: the program
//! may have had more to do.

use std::collections::HashMap;

/// Shorter bursts are not looked at; they cannot change a result much.
pub(crate) const LEAST_NANOS: u64 = 100_000;
/// Bursts at a place before one of them can be unusual.
const KNOWN: usize = 8;
/// Bursts that are remembered for a place.
const REMEMBERED: usize = 32;
/// A burst is unusual if it is so many times as long as the median,
const TIMES: u64 = 4;
/// and longer by so much.
const LONGER_NANOS: u64 = 1_000_000;

/// What is known of the bursts of a rank, by the place of the call after them.
#[derive(Default)]
pub(crate) struct Disturbances {
    places: HashMap<usize, Vec<u64>>,
}

impl Disturbances {
    /// A burst before the call at `place`. Gives by how much it is longer than usual, if it is unusual.
    pub(crate) fn note(&mut self, place: usize, nanos: u64) -> Option<u64> {
        let bursts = self.places.entry(place).or_default();
        let median = bursts.get(bursts.len() / 2).copied().filter(|_| bursts.len() >= KNOWN);
        let at = bursts.partition_point(|&burst| burst < nanos);
        bursts.insert(at, nanos);
        if bursts.len() > REMEMBERED {
            // The median stays.
            bursts.pop();
            bursts.remove(0);
        }
        let longer = nanos.saturating_sub(median?);
        (nanos > TIMES * median? && longer > LONGER_NANOS).then_some(longer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_unusual_among_others_of_its_place() {
        let mut bursts = Disturbances::default();
        for nanos in 0..100 {
            assert_eq!(bursts.note(1, 1_000_000 + nanos), None);
        }
        assert_eq!(bursts.note(2, 90_000_000), None);
        assert_eq!(bursts.note(1, 3_900_000), None);
        let longer = bursts.note(1, 90_000_000).unwrap();
        assert!((88_900_000..89_100_000).contains(&longer), "{longer}");
        assert!(bursts.places[&1].len() <= REMEMBERED);
    }

    #[test]
    fn short_bursts_are_never_unusual() {
        let mut bursts = Disturbances::default();
        (0..20).for_each(|_| assert_eq!(bursts.note(1, 100_000), None));
        assert_eq!(bursts.note(1, 1_000_000), None);
    }
}
