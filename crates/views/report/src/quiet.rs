//! A network without other traffic: how long a message takes if it is alone.

use mpirage_kernel::{Milestone, NetworkModel, Token, Transfer};
use mpirage_platform::HostId;
use mpirage_units::Time;
use rustc_hash::FxHashMap;

/// Times that are remembered, at most.
const REMEMBERED: usize = 1 << 16;

/// A network that carries one message at a time.
pub(crate) struct QuietNetwork {
    model: Box<dyn NetworkModel>,
    now: Time,
    /// Picoseconds of messages, by route and bytes.
    known: FxHashMap<(HostId, HostId, u64), u64>,
}

impl QuietNetwork {
    pub fn new(model: Box<dyn NetworkModel>) -> QuietNetwork {
        QuietNetwork { model, now: Time::ZERO, known: FxHashMap::default() }
    }

    /// Picoseconds from the departure to the arrival of a message; none if the network does not say.
    pub fn picos(&mut self, from: HostId, to: HostId, bytes: u64) -> Option<u64> {
        if let Some(&known) = self.known.get(&(from, to, bytes)) {
            return Some(known);
        }
        let picos = self.carry(Transfer::data(from, to, bytes))?;
        if self.known.len() == REMEMBERED {
            self.known.clear();
        }
        self.known.insert((from, to, bytes), picos);
        Some(picos)
    }

    fn carry(&mut self, transfer: Transfer) -> Option<u64> {
        let (mut departed, mut events) = (self.now, Vec::new());
        self.model.start(self.now, transfer, Token(0));
        loop {
            self.now = self.model.next(self.now).filter(|next| *next < Time::MAX)?;
            self.model.collect(self.now, &mut events);
            for event in events.drain(..) {
                match event.milestone {
                    Milestone::Departed => departed = self.now,
                    Milestone::Ended => return Some(self.now.since(departed).as_picos()),
                    Milestone::BufferFree | Milestone::Failed => {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use mpirage_kernel::{Departure, Event, Model};
    use mpirage_units::Duration;

    use super::*;

    /// Carries a byte in a picosecond, after a pause of 100 before it departs; never ends messages of 7 bytes.
    #[derive(Default)]
    struct Slow {
        departs: Option<Time>,
        arrives: Option<Time>,
        started: u64,
    }

    impl Model for Slow {
        fn next(&mut self, _: Time) -> Option<Time> {
            self.departs.or(self.arrives)
        }

        fn collect(&mut self, now: Time, events: &mut Vec<Event>) {
            if self.departs.take_if(|departs| *departs <= now).is_some() {
                events.push(Event::departed(Token(0)));
            } else if self.arrives.take_if(|arrives| *arrives <= now).is_some() {
                events.push(Event::ended(Token(0)));
            }
        }
    }

    impl NetworkModel for Slow {
        fn start(&mut self, now: Time, transfer: Transfer, _: Token) -> Departure {
            let departs = now + Duration::from_picos(100);
            self.started += 1;
            self.departs = Some(departs);
            self.arrives =
                (transfer.bytes != 7).then(|| departs + Duration::from_picos(transfer.bytes * self.started));
            Departure::Later
        }
    }

    #[test]
    fn a_message_is_carried_once() {
        let mut quiet = QuietNetwork::new(Box::new(Slow::default()));
        let picos = [1_000, 2_000, 1_000].map(|bytes| quiet.picos(HostId(0), HostId(1), bytes));
        assert_eq!(picos, [Some(1_000), Some(4_000), Some(1_000)]);
        assert_eq!(quiet.picos(HostId(0), HostId(1), 7), None);
    }
}
