//! A network that cuts large messages into stripes, one for each interface of a host: a network model that holds another.
//!
//! Stripes are as large as each other and start together, each on a connection of its own. The message has arrived when all of them have.

use mpirage_kernel::{Cargo, Departure, Event, Milestone, Model, NetworkModel, Token, Transfer};
use mpirage_platform::HostInterfaces;
use mpirage_units::Time;
use rustc_hash::FxHashMap;

/// A network whose large messages use all interfaces of a host.
pub struct StripedNetwork {
    inner: Box<dyn NetworkModel>,
    interfaces: HostInterfaces,
    /// Messages that were cut.
    cut: FxHashMap<Token, Stripes>,
}

/// How far the stripes of a message are.
#[derive(Clone, Copy, Debug)]
struct Stripes {
    /// Stripes that have not arrived.
    under_way: u8,
    /// Stripes that the network does not hold yet.
    unheld: u8,
    has_departed: bool,
    has_failed: bool,
}

impl StripedNetwork {
    /// Cuts the messages that are to be striped.
    pub fn new(inner: Box<dyn NetworkModel>, interfaces: HostInterfaces) -> StripedNetwork {
        StripedNetwork { inner, interfaces, cut: FxHashMap::default() }
    }

    /// True if an event of a stripe is an event of its message: the first or the last of its stripes, depending on the milestone.
    fn of_message(&mut self, event: Event) -> bool {
        let Some(stripes) = self.cut.get_mut(&event.token) else { return true };
        let first = |seen: &mut bool| !std::mem::replace(seen, true);
        let last = |left: &mut u8| {
            *left -= 1;
            *left == 0
        };
        match event.milestone {
            Milestone::Departed => first(&mut stripes.has_departed),
            Milestone::BufferFree => last(&mut stripes.unheld),
            Milestone::Failed => first(&mut stripes.has_failed),
            Milestone::Ended => {
                let is_last = last(&mut stripes.under_way);
                if is_last {
                    self.cut.remove(&event.token);
                }
                is_last
            }
        }
    }
}

impl NetworkModel for StripedNetwork {
    fn start(&mut self, now: Time, transfer: Transfer, token: Token) -> Departure {
        let is_cut = transfer.cargo == Cargo::Data && transfer.from != transfer.to;
        let Some(stripes) = self.interfaces.stripes(transfer.bytes).filter(|_| is_cut) else {
            return self.inner.start(now, transfer, token);
        };
        let mut has_departed = false;
        for (nth, bytes) in stripes.enumerate() {
            let stripe = Transfer { bytes, interfaces: [nth as u8; 2], ..transfer };
            has_departed |= self.inner.start(now, stripe, token) == Departure::Now;
        }
        let count = self.interfaces.per_host;
        let stripes = Stripes { under_way: count, unheld: count, has_departed, has_failed: false };
        self.cut.insert(token, stripes);
        if has_departed { Departure::Now } else { Departure::Later }
    }

    fn inner(&self) -> Option<&dyn NetworkModel> {
        Some(&*self.inner)
    }

    fn inner_mut(&mut self) -> Option<&mut dyn NetworkModel> {
        Some(&mut *self.inner)
    }
}

impl Model for StripedNetwork {
    fn next(&mut self, now: Time) -> Option<Time> {
        self.inner.next(now)
    }

    fn collect(&mut self, now: Time, events: &mut Vec<Event>) {
        let had = events.len();
        self.inner.collect(now, events);
        if !self.cut.is_empty() {
            let mut place = 0;
            events.retain(|&event| {
                place += 1;
                place <= had || self.of_message(event)
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use mpirage_platform::{HostId, Platform};

    use super::*;
    use crate::uncontended::{Uncontended, Wire};

    /// When transfers end that start at once, in nanoseconds.
    fn ends(transfers: &[Transfer]) -> Vec<(u64, u64)> {
        let platform = Platform::load("cluster:2,interfaces=4,interface-striping=1000B", 2).unwrap();
        let wire = Wire { latency: 0.0, bandwidth: 1e9 };
        let inner = Box::new(Uncontended::new(wire, wire));
        let mut network = StripedNetwork::new(inner, platform.interfaces());
        for (number, &transfer) in transfers.iter().enumerate() {
            assert_eq!(network.start(Time::ZERO, transfer, Token(number as u64)), Departure::Now);
        }
        let (mut now, mut events, mut ends) = (Time::ZERO, Vec::new(), Vec::new());
        while let Some(next) = network.next(now) {
            now = next;
            network.collect(now, &mut events);
            let ended = events.drain(..).filter(|event| event.milestone == Milestone::Ended);
            ends.extend(ended.map(|event| (now.as_picos() / 1000, event.token.0)));
        }
        assert!(network.cut.is_empty());
        ends
    }

    #[test]
    fn large_messages_between_hosts_take_a_quarter_of_the_time() {
        let [within, small] = [1_000_000, 999].map(|bytes| Transfer::data(HostId(1), HostId(1), bytes));
        let between = |bytes| Transfer::data(HostId(0), HostId(1), bytes);
        assert_eq!(ends(&[between(1_000_002)]), [(250_001, 0)]);
        assert_eq!(ends(&[between(1000), between(999)]), [(250, 0), (999, 1)]);
        assert_eq!(ends(&[within, small]), [(999, 1), (1_000_000, 0)]);
        let control = Transfer { cargo: Cargo::Control, ..between(4000) };
        assert_eq!(ends(&[control]), [(4000, 0)]);
    }
}
