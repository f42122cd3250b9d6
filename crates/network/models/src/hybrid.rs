//! Two networks on one platform: a detailed one for the places of interest, a fast one for the rest.

use std::io;
use std::sync::Arc;

use mpirage_kernel::{Departure, Event, Model, NetworkModel, NetworkStatistics, Token, Transfer};
use mpirage_platform::{HostId, LinkId, Platform};
use mpirage_units::Time;

/// Selects the transfers that are simulated in detail: those from, to or through a place of interest.
pub struct Detail {
    platform: Arc<Platform>,
    /// By host.
    hosts: Vec<bool>,
    /// By link; empty if no link was chosen.
    links: Vec<bool>,
    /// Reused: the links of a route.
    route: Vec<LinkId>,
}

impl Detail {
    /// Nothing in detail.
    pub fn new(platform: Arc<Platform>) -> Detail {
        let hosts = vec![false; platform.host_count() as usize];
        Detail { platform, hosts, links: Vec::new(), route: Vec::new() }
    }

    /// Selects all transfers that a host sends or receives.
    pub fn add_host(&mut self, host: HostId) {
        self.hosts[host.0 as usize] = true;
    }

    /// Selects all transfers that cross a link.
    pub fn add_link(&mut self, link: LinkId) {
        self.links.resize(self.platform.link_count() as usize, false);
        self.links[link.0 as usize] = true;
    }

    fn includes(&mut self, transfer: &Transfer) -> bool {
        let is_chosen = |host: HostId| self.hosts[host.0 as usize];
        if is_chosen(transfer.from) || is_chosen(transfer.to) {
            return true;
        }
        if self.links.is_empty() {
            return false;
        }
        self.platform.links_between(transfer.sends(), transfer.receives(), &mut self.route);
        self.route.iter().any(|link| self.links[link.0 as usize])
    }
}

/// Each transfer is carried by one of two networks. They do not see each other's load.
pub struct Hybrid {
    detail: Detail,
    detailed: Box<dyn NetworkModel>,
    rest: Box<dyn NetworkModel>,
}

impl Hybrid {
    /// Transfers in `detail` go to `detailed`, others to `rest`.
    pub fn new(detail: Detail, detailed: Box<dyn NetworkModel>, rest: Box<dyn NetworkModel>) -> Hybrid {
        Hybrid { detail, detailed, rest }
    }
}

impl NetworkModel for Hybrid {
    fn start(&mut self, now: Time, transfer: Transfer, token: Token) -> Departure {
        let network = if self.detail.includes(&transfer) { &mut self.detailed } else { &mut self.rest };
        network.start(now, transfer, token)
    }

    /// Only the detailed network counts.
    fn statistics(&self) -> Option<NetworkStatistics> {
        self.detailed.statistics()
    }

    fn finish(&mut self) -> io::Result<()> {
        self.detailed.finish().and(self.rest.finish())
    }
}

impl Model for Hybrid {
    fn next(&mut self, now: Time) -> Option<Time> {
        self.detailed.next(now).into_iter().chain(self.rest.next(now)).min()
    }

    fn collect(&mut self, now: Time, events: &mut Vec<Event>) {
        self.detailed.collect(now, events);
        self.rest.collect(now, events);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uncontended::{Uncontended, Wire};

    fn hybrid(choose: impl FnOnce(&mut Detail)) -> Hybrid {
        let platform = Arc::new(Platform::load("fat-tree:2x2", 4).unwrap());
        let wire = |latency| Wire { latency, bandwidth: f64::INFINITY };
        let network = |latency| Box::new(Uncontended::new(wire(latency), wire(latency)));
        let mut detail = Detail::new(platform);
        choose(&mut detail);
        Hybrid::new(detail, network(2.0), network(1.0))
    }

    /// Seconds that a transfer between two hosts takes.
    fn span(hybrid: &mut Hybrid, from: u32, to: u32) -> f64 {
        hybrid.start(Time::ZERO, Transfer::data(HostId(from), HostId(to), 1), Token(7));
        let (end, mut events) = (hybrid.next(Time::ZERO).unwrap(), Vec::new());
        hybrid.collect(end, &mut events);
        assert_eq!(events, [Event::ended(Token(7))]);
        end.as_secs_f64()
    }

    #[test]
    fn what_a_chosen_host_sends_and_receives_is_in_detail() {
        for (from, to, seconds) in [(0, 1, 2.0), (1, 0, 2.0), (1, 2, 1.0)] {
            let mut hybrid = hybrid(|detail| detail.add_host(HostId(0)));
            assert_eq!(span(&mut hybrid, from, to), seconds);
        }
    }

    #[test]
    fn what_crosses_a_chosen_link_is_in_detail() {
        let platform = Platform::load("fat-tree:2x2", 4).unwrap();
        let mut route = Vec::new();
        platform.links_between(HostId(0), HostId(3), &mut route);
        for (from, to, seconds) in [(0, 3, 2.0), (0, 1, 2.0), (1, 0, 1.0)] {
            let mut hybrid = hybrid(|detail| detail.add_link(route[0]));
            assert_eq!(span(&mut hybrid, from, to), seconds);
        }
    }
}
