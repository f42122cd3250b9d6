//! Links with a meter: a network model that holds another.
//!
//! A link that carries B bytes costs B times its energy per byte, whenever and however fast they pass. So only bytes are counted, for
//! each message on the links of its route.

use std::sync::Arc;

use mpirage_kernel::{Departure, Event, LinksEnergy, Model, NetworkModel, Token, Transfer};
use mpirage_platform::{LinkId, Platform};
use mpirage_units::{Duration, Time};
use rustc_hash::FxHashMap;

/// Any network, and the energy of its links.
pub struct MeteredNetwork {
    inner: Box<dyn NetworkModel>,
    platform: Arc<Platform>,
    bytes: FxHashMap<LinkId, f64>,
    route: Vec<LinkId>,
}

impl MeteredNetwork {
    /// A meter for the links of `inner`.
    pub fn new(inner: Box<dyn NetworkModel>, platform: Arc<Platform>) -> MeteredNetwork {
        MeteredNetwork { inner, platform, bytes: FxHashMap::default(), route: Vec::new() }
    }
}

impl NetworkModel for MeteredNetwork {
    fn start(&mut self, now: Time, transfer: Transfer, token: Token) -> Departure {
        self.platform.links_between(transfer.sends(), transfer.receives(), &mut self.route);
        for &link in &self.route {
            *self.bytes.entry(link).or_default() += transfer.bytes as f64;
        }
        self.inner.start(now, transfer, token)
    }

    fn inner(&self) -> Option<&dyn NetworkModel> {
        Some(&*self.inner)
    }

    fn inner_mut(&mut self) -> Option<&mut dyn NetworkModel> {
        Some(&mut *self.inner)
    }

    fn least_latency(&self, from: mpirage_platform::HostId, to: mpirage_platform::HostId) -> Duration {
        self.inner.least_latency(from, to)
    }

    fn energy(&self, until: Time) -> Option<LinksEnergy> {
        let seconds = until.as_secs_f64();
        // A network that counts for itself knows better.
        self.inner.energy(until).or_else(|| Some(links_energy(&self.platform, seconds, &self.bytes)))
    }
}

/// The energy of all links that have carried so many bytes in so many seconds.
fn links_energy(platform: &Platform, seconds: f64, bytes: &FxHashMap<LinkId, f64>) -> LinksEnergy {
    let power = platform.power();
    let mut used: Vec<(LinkId, f64)> = bytes
        .iter()
        .filter_map(|(&link, bytes)| {
            power.link(link).map(|power| (link, power.idle * seconds + power.per_byte * bytes))
        })
        .collect();
    used.sort_unstable_by_key(|(link, _)| *link);
    LinksEnergy { joules: with_idle(platform, seconds, &used), used }
}

/// Joules of all links: those of the used ones, and those of others that are idle for so many seconds.
pub(super) fn with_idle(platform: &Platform, seconds: f64, used: &[(LinkId, f64)]) -> f64 {
    let power = platform.power();
    let all = power.links().map(|(range, power)| f64::from(range.end - range.start) * power.idle * seconds);
    let idle: f64 = all.fold(0.0, |sum, joules| sum + joules);
    let more = used
        .iter()
        .map(|(link, joules)| joules - power.link(*link).map_or(0.0, |power| power.idle * seconds));
    more.fold(idle, |sum, joules| sum + joules)
}

impl Model for MeteredNetwork {
    fn next(&mut self, now: Time) -> Option<Time> {
        self.inner.next(now)
    }

    fn collect(&mut self, now: Time, events: &mut Vec<Event>) {
        self.inner.collect(now, events);
    }
}

#[cfg(test)]
mod tests {
    use mpirage_platform::HostId;

    use super::*;
    use crate::{Uncontended, Wire};

    #[test]
    fn links_cost_time_and_bytes() {
        let text = "[cluster]\nhosts = 3\nbandwidth = \"1GBps\"\nlatency = \"1us\"\n[power]\nlinks = { idle = \"2W\", per-byte = \"1nJ\" }";
        let platform = Arc::new(Platform::from_text("test.toml", text).unwrap());
        let wire = Wire { latency: 0.0, bandwidth: 1e9 };
        let mut network = MeteredNetwork::new(Box::new(Uncontended::new(wire, wire)), platform);
        network.start(Time::ZERO, Transfer::data(HostId(0), HostId(1), 1_000_000), Token(0));
        network.start(Time::ZERO, Transfer::data(HostId(0), HostId(2), 1_000_000), Token(1));
        let energy = network.energy(Time::from_picos(1_000_000_000_000)).unwrap();
        let joules: Vec<f64> = energy.used.iter().map(|(_, joules)| *joules).collect();
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(near(joules[0], 2.002) && near(joules[1], 2.001) && joules.len() == 3, "{joules:?}");
        // Six links, of which three carried.
        assert!(near(energy.joules, 12.004), "{}", energy.joules);
    }
}
