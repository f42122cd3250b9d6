//! The energy of hosts, links and memory, as models count it on platforms that say what they burn.

use mpirage_platform::{HostId, LinkId};
use mpirage_units::Duration;

/// The energy of a run up to an instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Energy {
    /// Hosts, if their power is known.
    pub hosts: HostsEnergy,
    /// Links, if their power is known.
    pub links: LinksEnergy,
    /// Joules of memory, by host.
    pub memory: Vec<(HostId, f64)>,
}

impl Energy {
    /// All joules.
    pub fn joules(&self) -> f64 {
        self.hosts.joules() + self.links.joules + self.memory_joules()
    }

    /// The joules of the memory of all hosts.
    pub fn memory_joules(&self) -> f64 {
        self.memory.iter().fold(0.0, |sum, (_, joules)| sum + joules)
    }
}

/// The energy of hosts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostsEnergy {
    /// Each host that has ranks, or has computed, in order.
    pub used: Vec<HostEnergy>,
    /// How many other hosts there are.
    pub unused: u32,
    /// Joules of the others.
    pub unused_joules: f64,
    /// The length of a stretch of [`HostEnergy::history`].
    pub resolution: Duration,
}

impl HostsEnergy {
    /// All joules.
    pub fn joules(&self) -> f64 {
        self.used.iter().fold(self.unused_joules, |sum, host| sum + host.joules)
    }
}

/// The energy of a host.
#[derive(Clone, Debug, PartialEq)]
pub struct HostEnergy {
    /// The host.
    pub host: HostId,
    /// Its joules.
    pub joules: f64,
    /// Seconds in which cores worked, summed over its cores.
    pub core_seconds: f64,
    /// How often its performance state changed.
    pub state_changes: u64,
    /// Joules of each stretch of time.
    pub history: Vec<f64>,
}

/// The energy of links.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinksEnergy {
    /// Joules of all links.
    pub joules: f64,
    /// Joules of each link that has carried something, in order.
    pub used: Vec<(LinkId, f64)>,
}
