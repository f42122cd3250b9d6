//! The cost of receiving for a rank: it takes the messages that it waits for one after the other, each as soon as it is there.

use mpirage_units::{Duration, Time};

/// Until when a rank takes messages that have arrived.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Receiving {
    until: Time,
}

impl Receiving {
    /// A rank begins to wait. The messages that have arrived before cost `cost`.
    pub(crate) fn begin(now: Time, cost: Duration) -> Receiving {
        Receiving { until: now + cost }
    }

    /// A message arrives that the rank waits for.
    pub(crate) fn arrive(&mut self, now: Time, cost: Duration) {
        self.until = self.until.max(now) + cost;
    }

    /// How long the rank is still busy with messages that have arrived.
    pub(crate) fn left(&self, now: Time) -> Duration {
        self.until.since(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(nanos: u64) -> Time {
        Time::ZERO + Duration::from_nanos(nanos)
    }

    #[test]
    fn messages_are_taken_as_they_arrive() {
        let cost = Duration::from_nanos(10);
        let mut receiving = Receiving::begin(at(100), cost);
        receiving.arrive(at(105), cost);
        assert_eq!(receiving.left(at(105)), Duration::from_nanos(15));
        receiving.arrive(at(200), cost);
        assert_eq!(receiving.left(at(200)), cost);
        assert_eq!(receiving.left(at(300)), Duration::ZERO);
    }
}
