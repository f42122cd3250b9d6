//! Power: the watts of hosts by performance state and load, and those of links by use.
//!
//! A host that does nothing has its idle power. One that works has `active` + (`full` - `active`) · load watts, where load is the part of
//! its cores that work: `active` is the limit for a load of nearly nothing (SimGrid's epsilon). A link has its idle power, and each byte
//! that it carries costs energy. Hosts and links that are not described burn nothing.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use mpirage_units::Duration;

use crate::host::HostId;
use crate::link::LinkId;

/// A performance state of a host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerState {
    /// The speed of its cores, as a factor of the speed that the platform gives the host.
    pub speed: f64,
    /// Watts of a host that does nothing.
    pub idle: f64,
    /// Watts of a host that works, at a load of nearly nothing.
    pub active: f64,
    /// Watts with all cores at work.
    pub full: f64,
}

impl PowerState {
    /// Watts while this part of the cores works.
    pub fn watts(&self, load: f64) -> f64 {
        if load > 0.0 { self.active + load.min(1.0) * (self.full - self.active) } else { self.idle }
    }
}

/// The power of a host.
#[derive(Clone, Debug, PartialEq)]
pub struct HostPower {
    /// Its performance states, at least one; the fastest first, as a rule.
    pub states: Vec<PowerState>,
    /// The number of the state in which it starts.
    pub first: usize,
    /// Watts while it is off.
    pub off: f64,
    /// The part of a core that a rank keeps busy while it waits inside MPI: 0 if it sleeps, 1 if it polls.
    pub waiting: f64,
    /// How long a change of the state takes, in which no core works.
    pub switching: Duration,
    /// Joules of each byte that the memory of the host moves.
    pub memory: f64,
}

impl HostPower {
    /// The state in which it starts.
    pub fn first_state(&self) -> &PowerState {
        &self.states[self.first]
    }
}

/// The power of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkPower {
    /// Watts whether it carries something or not.
    pub idle: f64,
    /// Joules of each byte that it carries.
    pub per_byte: f64,
}

/// The power of all hosts and links that have any, in ranges of numbers.
#[derive(Clone, Debug, Default)]
pub struct PowerTable {
    hosts: BTreeMap<u32, (u32, Arc<HostPower>)>,
    links: BTreeMap<u32, (u32, LinkPower)>,
}

impl PowerTable {
    /// Is no host and no link described?
    pub fn is_empty(&self) -> bool {
        self.hosts.is_empty() && self.links.is_empty()
    }

    /// Is the power of any host described?
    pub fn has_hosts(&self) -> bool {
        !self.hosts.is_empty()
    }

    /// Does the memory of any host cost energy?
    pub fn has_memory(&self) -> bool {
        self.hosts.values().any(|(_, host)| host.memory > 0.0)
    }

    /// Is the power of any link described?
    pub fn has_links(&self) -> bool {
        !self.links.is_empty()
    }

    /// The power of a host.
    pub fn host(&self, host: HostId) -> Option<&Arc<HostPower>> {
        at(&self.hosts, host.0)
    }

    /// The power of a link.
    pub fn link(&self, link: LinkId) -> Option<LinkPower> {
        at(&self.links, link.0).copied()
    }

    /// Ranges of equal hosts.
    pub fn hosts(&self) -> impl Iterator<Item = (Range<u32>, &HostPower)> {
        self.hosts.iter().map(|(&first, (end, power))| (first..*end, &**power))
    }

    /// Ranges of equal links.
    pub fn links(&self) -> impl Iterator<Item = (Range<u32>, LinkPower)> {
        self.links.iter().map(|(&first, &(end, power))| (first..end, power))
    }

    /// Describes hosts that are not described yet.
    pub(crate) fn add_hosts(&mut self, hosts: Range<u32>, power: HostPower) {
        add(&mut self.hosts, hosts, Arc::new(power));
    }

    /// Describes links that are not described yet.
    pub(crate) fn add_links(&mut self, links: Range<u32>, power: LinkPower) {
        add(&mut self.links, links, power);
    }
}

fn at<T>(table: &BTreeMap<u32, (u32, T)>, number: u32) -> Option<&T> {
    let (_, (end, value)) = table.range(..=number).next_back()?;
    (number < *end).then_some(value)
}

/// Adds the numbers of a range that are not there.
fn add<T: Clone>(table: &mut BTreeMap<u32, (u32, T)>, numbers: Range<u32>, value: T) {
    let taken: Vec<Range<u32>> = table
        .range(..numbers.end)
        .map(|(&first, &(end, _))| first..end)
        .filter(|range| range.end > numbers.start)
        .collect();
    let mut next = numbers.start;
    for range in taken {
        if next < range.start {
            table.insert(next, (range.start, value.clone()));
        }
        next = next.max(range.end);
    }
    if next < numbers.end {
        table.insert(next, (numbers.end, value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn power_follows_the_load() {
        let state = PowerState { speed: 1.0, idle: 95.0, active: 120.0, full: 200.0 };
        assert_eq!([0.0, 0.5, 1.0, 7.0].map(|load| state.watts(load)), [95.0, 160.0, 200.0, 200.0]);
    }

    #[test]
    fn what_is_described_first_stays() {
        let link = |idle| LinkPower { idle, per_byte: 0.0 };
        let mut table = PowerTable::default();
        table.add_links(3..4, link(1.0));
        table.add_links(6..8, link(2.0));
        table.add_links(0..10, link(3.0));
        let watts = |number| table.link(LinkId(number)).map(|link| link.idle);
        let found: Vec<_> = (0..11).map(watts).collect();
        let [a, b, c] = [1.0, 2.0, 3.0].map(Some);
        assert_eq!(found, [c, c, c, a, c, c, b, b, c, c, None]);
    }
}
