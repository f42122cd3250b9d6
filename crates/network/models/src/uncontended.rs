//! A network without contention: latency + bytes / bandwidth, within a host and across.

use mpirage_kernel::{Agenda, Departure, Event, Model, NetworkModel, Token, Transfer};
use mpirage_units::{Duration, Time};

/// The latency and bandwidth of messages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wire {
    /// Seconds.
    pub latency: f64,
    /// Bytes per second; infinite if bytes take no time.
    pub bandwidth: f64,
}

/// Every message has the network to itself.
pub struct Uncontended {
    within: Wire,
    across: Wire,
    under_way: Agenda<Token>,
}

impl Uncontended {
    /// Messages within a host take as long as `within` says, all others as long as `across` does.
    pub fn new(within: Wire, across: Wire) -> Uncontended {
        Uncontended { within, across, under_way: Agenda::new() }
    }
}

impl NetworkModel for Uncontended {
    fn start(&mut self, now: Time, transfer: Transfer, token: Token) -> Departure {
        let Wire { latency, bandwidth } =
            if transfer.from == transfer.to { self.within } else { self.across };
        let span = Duration::from_secs_f64(latency + transfer.bytes as f64 / bandwidth);
        self.under_way.push(now + span, token);
        Departure::Now
    }
}

impl Model for Uncontended {
    fn next(&mut self, _: Time) -> Option<Time> {
        self.under_way.next()
    }

    fn collect(&mut self, now: Time, events: &mut Vec<Event>) {
        while let Some(token) = self.under_way.pop_at(now) {
            events.push(Event::ended(token));
        }
    }
}

#[cfg(test)]
mod tests {
    use mpirage_platform::HostId;

    use super::*;

    #[test]
    fn messages_take_latency_and_bytes_and_nothing_else() {
        let mut network = Uncontended::new(
            Wire { latency: 1e-6, bandwidth: 1e9 },
            Wire { latency: 2e-6, bandwidth: f64::INFINITY },
        );
        for (to, token) in [(0, 1), (0, 2), (1, 3)] {
            let transfer = Transfer::data(HostId(0), HostId(to), 3000);
            assert_eq!(network.start(Time::ZERO, transfer, Token(token)), Departure::Now);
        }
        let mut ended = Vec::new();
        for (nanos, tokens) in [(2000, &[Token(3)][..]), (4000, &[Token(1), Token(2)])] {
            let now = network.next(Time::ZERO).unwrap();
            network.collect(now, &mut ended);
            let ended_now: Vec<Token> = ended.iter().map(|event| event.token).collect();
            assert_eq!((now.as_picos() / 1000, &ended_now[..]), (nanos, tokens));
            ended.clear();
        }
    }
}
