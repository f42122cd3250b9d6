//! A network whose messages take longer at random: a network model that holds another.
//!
//! Each transfer starts later than it could, by an exponentially distributed time. Transfers of one connection start in the order in
//! which they were given.

use mpirage_kernel::{Agenda, Departure, Event, Milestone, Model, NetworkModel, Token, Transfer};
use mpirage_units::{Consumer, Duration, Random, Time};
use rustc_hash::FxHashMap;

const DELAYS: Consumer = Consumer(4);

/// A network with delays.
pub struct NoisyNetwork {
    inner: Box<dyn NetworkModel>,
    /// Seconds.
    mean: f64,
    random: Random,
    waiting: Agenda<(Transfer, Token)>,
    /// When the last transfer between two end points starts.
    starts: FxHashMap<(u32, u32), Time>,
}

impl NoisyNetwork {
    /// Transfers start late by `mean` seconds on average.
    pub fn new(inner: Box<dyn NetworkModel>, mean: f64, seed: u64) -> NoisyNetwork {
        let random = Random::new(seed, DELAYS);
        NoisyNetwork { inner, mean, random, waiting: Agenda::new(), starts: FxHashMap::default() }
    }
}

impl NetworkModel for NoisyNetwork {
    fn start(&mut self, now: Time, transfer: Transfer, token: Token) -> Departure {
        let delay = -self.mean * (1.0 - self.random.unit()).ln();
        let pair = (transfer.connection.source, transfer.connection.target);
        let before = self.starts.get(&pair).copied().unwrap_or(Time::ZERO);
        let start = before.max(now + Duration::from_secs_f64(delay));
        self.starts.insert(pair, start);
        self.waiting.push(start, (transfer, token));
        Departure::Now
    }

    fn inner(&self) -> Option<&dyn NetworkModel> {
        Some(&*self.inner)
    }

    fn inner_mut(&mut self) -> Option<&mut dyn NetworkModel> {
        Some(&mut *self.inner)
    }
}

impl Model for NoisyNetwork {
    fn next(&mut self, now: Time) -> Option<Time> {
        [self.waiting.next(), self.inner.next(now)].into_iter().flatten().min()
    }

    fn collect(&mut self, now: Time, events: &mut Vec<Event>) {
        let had = events.len();
        if self.inner.next(now) == Some(now) {
            self.inner.collect(now, events);
        }
        while let Some((transfer, token)) = self.waiting.pop_at(now) {
            self.inner.start(now, transfer, token);
        }
        // `start` said of all transfers that they depart at once, so the inner network must not report it again.
        let mut place = 0;
        events.retain(|event| {
            place += 1;
            place <= had || event.milestone != Milestone::Departed
        });
    }
}

#[cfg(test)]
mod tests {
    use mpirage_platform::HostId;

    use super::*;
    use crate::uncontended::{Uncontended, Wire};

    /// When transfers end that start at once, in nanoseconds.
    fn ends(mean: f64, seed: u64, transfers: &[Transfer]) -> Vec<(u64, u64)> {
        let wire = Wire { latency: 1e-6, bandwidth: f64::INFINITY };
        let mut network = NoisyNetwork::new(Box::new(Uncontended::new(wire, wire)), mean, seed);
        for (number, &transfer) in transfers.iter().enumerate() {
            network.start(Time::ZERO, transfer, Token(number as u64));
        }
        let (mut now, mut events, mut ends) = (Time::ZERO, Vec::new(), Vec::new());
        while let Some(next) = network.next(now) {
            now = next;
            network.collect(now, &mut events);
            ends.extend(events.drain(..).map(|event| (now.as_picos() / 1000, event.token.0)));
        }
        ends
    }

    fn between(source: u32, target: u32) -> Transfer {
        let mut transfer = Transfer::data(HostId(source), HostId(target), 1);
        (transfer.connection.source, transfer.connection.target) = (source, target);
        transfer
    }

    #[test]
    fn delays_have_the_mean_that_is_asked_for_and_follow_the_seed() {
        let many: Vec<Transfer> = (1..=4000).map(|target| between(0, target)).collect();
        let late: f64 = ends(2e-6, 1, &many).iter().map(|(end, _)| *end as f64 - 1000.0).sum();
        assert!((late / 4000.0 - 2000.0).abs() < 100.0, "{}", late / 4000.0);
        assert_eq!(ends(2e-6, 1, &many), ends(2e-6, 1, &many));
        assert_ne!(ends(2e-6, 1, &many), ends(2e-6, 2, &many));
    }

    #[test]
    fn transfers_of_a_connection_do_not_overtake_each_other() {
        let order: Vec<u64> = ends(5e-6, 3, &[between(0, 1); 50]).iter().map(|(_, token)| *token).collect();
        assert_eq!(order, (0..50).collect::<Vec<_>>());
    }
}
