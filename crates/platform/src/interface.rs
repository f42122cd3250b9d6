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
    /// Which of them a rank uses.
    pub policy: InterfacePolicy,
}

/// Which interface of its host each rank uses, for all its messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InterfacePolicy {
    /// Ranks that follow each other on a host share an interface: that of their NUMA domain, if ranks are bound in order.
    #[default]
    Block,
    /// The interfaces of a host take turns.
    RoundRobin,
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
        let all = InterfacePolicy::ALL;
        all.into_iter().find(|policy| policy.name() == name).ok_or_else(|| {
            let meant = did_you_mean(name, all.map(InterfacePolicy::name));
            (format!("`interface-policy` cannot be `{name}`"), meant)
        })
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
    pub const SINGLE: HostInterfaces = HostInterfaces { per_host: 1, policy: InterfacePolicy::Block };

    /// How many interfaces so many hosts have together.
    pub fn count(&self, hosts: u32) -> u32 {
        hosts * u32::from(self.per_host)
    }

    /// The number of an interface among those of all hosts.
    #[inline]
    pub fn number(&self, interface: Interface) -> u32 {
        interface.host.0 * u32::from(self.per_host) + u32::from(interface.nth)
    }

    /// Which interface of its host each rank uses, given the hosts of all ranks; empty if hosts have only one.
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
        HostInterfaces { per_host, policy }.of_ranks(&hosts)
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
