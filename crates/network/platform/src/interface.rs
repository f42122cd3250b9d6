//! Network interfaces: a host may have several, each with its own cable, and its ranks share them out.

use crate::host::HostId;
use crate::suggest::did_you_mean;

/// A network interface of a host. A host alone stands for its first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interface {
    /// The host that has it.
    pub host: HostId,
    /// Its number among those of the host, from 0.
    pub nth: u8,
}

impl From<HostId> for Interface {
    fn from(host: HostId) -> Interface {
        Interface { host, nth: 0 }
    }
}

/// The interfaces of every host of a platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostInterfaces {
    /// How many each host has, at least one.
    pub per_host: u8,
    /// Assigns interfaces to ranks.
    pub policy: InterfacePolicy,
    /// Where their cables lead.
    pub switches: InterfaceSwitches,
    /// Messages to other hosts of at least so many bytes use all interfaces; none do if there is no limit.
    pub stripe_from: Option<u64>,
}

/// The switches of the interfaces of a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InterfaceSwitches {
    /// All interfaces of a host are on one switch.
    #[default]
    Same,
    /// Each is on another switch: the first interfaces of some hosts share a switch, their second ones the next (*rails*).
    Different,
}

/// Where the interfaces of hosts are among the positions of a fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Positions {
    per_host: u32,
    /// How many positions a switch has, if the interfaces of a host are on different switches, which follow each other.
    per_switch: Option<u32>,
}

impl Positions {
    /// One per host.
    pub const SINGLE: Positions = Positions { per_host: 1, per_switch: None };

    /// Of interfaces on switches of which each has so many positions; `None` if all positions of a host follow each other.
    pub fn new(per_host: u8, per_switch: Option<u32>) -> Positions {
        Positions { per_host: per_host.into(), per_switch }
    }

    /// The position of an interface of a host.
    pub fn of(self, host: u32, nth: u8) -> u32 {
        let nth = u32::from(nth);
        match self.per_switch {
            None => host * self.per_host + nth,
            Some(ports) => (host / ports * self.per_host + nth) * ports + host % ports,
        }
    }

    /// The host at a position, and which of its interfaces it is.
    pub fn at(self, position: u32) -> (u32, u8) {
        let (host, nth) = match self.per_switch {
            None => (position / self.per_host, position % self.per_host),
            Some(ports) => {
                let switch = position / ports;
                (switch / self.per_host * ports + position % ports, switch % self.per_host)
            }
        };
        (host, nth as u8)
    }
}

/// Assigns each rank an interface of its host, for all its messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InterfacePolicy {
    /// Ranks that follow each other on a host share an interface: that of their NUMA domain, if ranks are bound in order.
    #[default]
    Block,
    /// The interfaces of a host take turns.
    RoundRobin,
}

impl InterfaceSwitches {
    const ALL: [InterfaceSwitches; 2] = [InterfaceSwitches::Same, InterfaceSwitches::Different];

    /// Its name in platform files.
    pub fn name(self) -> &'static str {
        match self {
            InterfaceSwitches::Same => "same",
            InterfaceSwitches::Different => "different",
        }
    }

    /// The value of a name; else what is wrong, and what may be meant.
    pub(crate) fn parse(name: &str) -> Result<InterfaceSwitches, (String, Option<String>)> {
        named("interface-switches", name, InterfaceSwitches::ALL, InterfaceSwitches::name)
    }
}

/// The value of a key that has this name.
fn named<T: Copy, const N: usize>(
    key: &str,
    name: &str,
    all: [T; N],
    name_of: fn(T) -> &'static str,
) -> Result<T, (String, Option<String>)> {
    all.into_iter().find(|&value| name_of(value) == name).ok_or_else(|| {
        let known = all.map(name_of);
        let help = did_you_mean(name, known).unwrap_or_else(|| format!("it is one of {}", known.join(", ")));
        (format!("`{key}` cannot be `{name}`"), Some(help))
    })
}

impl InterfacePolicy {
    const ALL: [InterfacePolicy; 2] = [InterfacePolicy::Block, InterfacePolicy::RoundRobin];

    /// Its name in platform files.
    pub fn name(self) -> &'static str {
        match self {
            InterfacePolicy::Block => "block",
            InterfacePolicy::RoundRobin => "round-robin",
        }
    }

    /// The policy of a name; else what is wrong, and what may be meant.
    pub(crate) fn parse(name: &str) -> Result<InterfacePolicy, (String, Option<String>)> {
        named("interface-policy", name, InterfacePolicy::ALL, InterfacePolicy::name)
    }

    /// The interface of one of the ranks of a host.
    fn choose(self, nth: u32, ranks: u32, interfaces: u32) -> u32 {
        match self {
            InterfacePolicy::Block => (u64::from(nth) * u64::from(interfaces) / u64::from(ranks)) as u32,
            InterfacePolicy::RoundRobin => nth % interfaces,
        }
    }
}

impl HostInterfaces {
    /// One interface per host.
    pub const SINGLE: HostInterfaces = HostInterfaces {
        per_host: 1,
        policy: InterfacePolicy::Block,
        switches: InterfaceSwitches::Same,
        stripe_from: None,
    };

    /// The bytes of each stripe of a message to another host, one per interface; none if it uses one interface only.
    pub fn stripes(&self, bytes: u64) -> Option<impl Iterator<Item = u64> + use<>> {
        let count = u64::from(self.per_host);
        let is_striped = self.stripe_from.is_some_and(|least| bytes >= least);
        is_striped.then(|| (0..count).map(move |nth| bytes / count + u64::from(nth < bytes % count)))
    }

    /// How many interfaces so many hosts have together.
    pub fn count(&self, hosts: u32) -> u32 {
        hosts * u32::from(self.per_host)
    }

    /// The number of an interface among those of all hosts.
    #[inline]
    pub fn number(&self, interface: Interface) -> u32 {
        interface.host.0 * u32::from(self.per_host) + u32::from(interface.nth)
    }

    /// The interface of its host that each rank uses, given the hosts of all ranks; empty if hosts have only one.
    pub fn of_ranks(&self, hosts: &[HostId]) -> Vec<u8> {
        if self.per_host == 1 {
            return Vec::new();
        }
        let size = hosts.iter().map(|host| host.0 + 1).max().unwrap_or(0) as usize;
        let (mut ranks, mut placed) = (vec![0; size], vec![0; size]);
        hosts.iter().for_each(|host| ranks[host.0 as usize] += 1);
        let choose = |host: &HostId| {
            let nth = placed[host.0 as usize];
            placed[host.0 as usize] += 1;
            self.policy.choose(nth, ranks[host.0 as usize], self.per_host.into()) as u8
        };
        hosts.iter().map(choose).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_ranks(per_host: u8, policy: InterfacePolicy, hosts: &[u32]) -> Vec<u8> {
        let hosts: Vec<HostId> = hosts.iter().copied().map(HostId).collect();
        HostInterfaces { per_host, policy, ..HostInterfaces::SINGLE }.of_ranks(&hosts)
    }

    #[test]
    fn every_position_is_one_interface() {
        for positions in [
            Positions::SINGLE,
            Positions::new(4, None),
            Positions::new(4, Some(6)),
            Positions::new(2, Some(1)),
        ] {
            for position in 0..96 {
                let (host, nth) = positions.at(position);
                assert_eq!((positions.of(host, nth), u32::from(nth) < positions.per_host), (position, true));
            }
        }
        // Of switches with six ports, the first four serve the first six hosts.
        let rails = Positions::new(4, Some(6));
        assert_eq!([rails.of(0, 0), rails.of(0, 3), rails.of(5, 1), rails.of(6, 0)], [0, 18, 11, 24]);
    }

    #[test]
    fn ranks_of_a_host_share_its_interfaces_out() {
        let eight = [0, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(of_ranks(4, InterfacePolicy::Block, &eight), [0, 0, 1, 1, 2, 2, 3, 3]);
        assert_eq!(of_ranks(4, InterfacePolicy::RoundRobin, &eight), [0, 1, 2, 3, 0, 1, 2, 3]);
        // Fewer ranks than interfaces are spread.
        assert_eq!(of_ranks(4, InterfacePolicy::Block, &[0, 0]), [0, 2]);
        // Ranks are counted on each host, wherever their numbers are.
        assert_eq!(of_ranks(2, InterfacePolicy::Block, &[0, 1, 0, 1, 0, 1, 0]), [0, 0, 0, 0, 1, 1, 1]);
        assert_eq!(of_ranks(1, InterfacePolicy::Block, &eight), []);
    }
}
