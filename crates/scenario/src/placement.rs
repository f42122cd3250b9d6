//! Which rank lives on which host.

use mpirage_platform::{HostId, Platform};
use thiserror::Error;

/// How ranks are dealt out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mapping {
    /// Fill the slots of a host, then the next host's.
    #[default]
    BySlot,
    /// One to each host in turn.
    ByNode,
}

/// A host that may be used, and how many ranks it takes before the next one's turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slots {
    /// The host's name in the platform.
    pub host: String,
    /// Ranks; none for the host's cores.
    pub slots: Option<u32>,
}

/// Ranks on hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The host of each rank.
    pub hosts: Vec<HostId>,
    /// Does some host have more ranks than cores?
    pub oversubscribed: bool,
}

/// Why ranks cannot be placed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlacementError {
    /// A host that the platform does not have.
    #[error("the platform has no host `{host}`; its hosts are {first} to {last}")]
    UnknownHost {
        /// As typed.
        host: String,
        /// The platform's first host.
        first: String,
        /// Its last.
        last: String,
    },
    /// Nothing to place ranks on.
    #[error("the list of hosts is empty")]
    NoHosts,
}

impl Placement {
    /// Places `ranks` ranks on the hosts listed, or on all. Ranks beyond the slots start over at the first host.
    pub fn new(
        platform: &Platform,
        ranks: u32,
        listed: &[Slots],
        per_node: Option<u32>,
        mapping: Mapping,
    ) -> Result<Placement, PlacementError> {
        let slots = resolve(platform, listed, per_node, ranks)?;
        // No more than there are ranks: the slots of a list may be billions.
        let order: Vec<HostId> = match mapping {
            Mapping::BySlot => {
                let all = slots.iter().flat_map(|&(host, count)| (0..count).map(move |_| host));
                all.take(ranks as usize).collect()
            }
            Mapping::ByNode => deal(&slots, ranks),
        };
        if order.is_empty() {
            return Err(PlacementError::NoHosts);
        }
        let hosts: Vec<HostId> = order.iter().copied().cycle().take(ranks as usize).collect();
        let oversubscribed = is_oversubscribed(platform, &hosts);
        Ok(Placement { hosts, oversubscribed })
    }

    /// Ranks on these hosts of the platform.
    pub fn of(platform: &Platform, hosts: Vec<HostId>) -> Placement {
        let oversubscribed = is_oversubscribed(platform, &hosts);
        Placement { hosts, oversubscribed }
    }

    /// For each rank its number among the ranks of its host, and how many those are.
    pub fn local_ranks(&self) -> Vec<(u32, u32)> {
        let top = self.hosts.iter().map(|host| host.0 as usize + 1).max().unwrap_or(0);
        let mut counts = vec![0; top];
        let mut count_up = |host: &HostId| {
            counts[host.0 as usize] += 1;
            counts[host.0 as usize] - 1
        };
        let numbers: Vec<u32> = self.hosts.iter().map(&mut count_up).collect();
        numbers.into_iter().zip(&self.hosts).map(|(number, host)| (number, counts[host.0 as usize])).collect()
    }
}

fn resolve(
    platform: &Platform,
    listed: &[Slots],
    per_node: Option<u32>,
    ranks: u32,
) -> Result<Vec<(HostId, u32)>, PlacementError> {
    let slots_of = |host: HostId, given: Option<u32>| per_node.or(given).unwrap_or(platform.host(host).cores);
    if listed.is_empty() {
        // No more hosts than ranks are ever needed.
        let hosts = platform.host_count().min(ranks);
        return Ok((0..hosts).map(|host| (HostId(host), slots_of(HostId(host), None))).collect());
    }
    let find = |slots: &Slots| {
        let host = platform.find_host(&slots.host).ok_or_else(|| unknown(platform, &slots.host))?;
        // In a list each mention of a host is a slot, unless a number says otherwise.
        Ok((host, slots_of(host, slots.slots.or(Some(1)))))
    };
    listed.iter().map(find).collect()
}

fn unknown(platform: &Platform, host: &str) -> PlacementError {
    let name = |id: u32| platform.host(HostId(id)).name();
    PlacementError::UnknownHost {
        host: host.to_owned(),
        first: name(0),
        last: name(platform.host_count() - 1),
    }
}

fn deal(slots: &[(HostId, u32)], ranks: u32) -> Vec<HostId> {
    let rounds = slots.iter().map(|slot| slot.1).max().unwrap_or(0);
    let all =
        (0..rounds).flat_map(|round| slots.iter().filter(move |slot| slot.1 > round).map(|slot| slot.0));
    all.take(ranks as usize).collect()
}

fn is_oversubscribed(platform: &Platform, hosts: &[HostId]) -> bool {
    let mut sorted = hosts.to_vec();
    sorted.sort_unstable();
    sorted.chunk_by(|a, b| a == b).any(|same| same.len() as u32 > platform.host(same[0]).cores)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn platform() -> Platform {
        let text =
            "[cluster]\nhosts = 3\ncores = 2\nspeed = \"1Gf\"\nbandwidth = \"1Gbps\"\nlatency = \"1us\"\n";
        Platform::from_text("test.toml", text).unwrap()
    }

    fn place(ranks: u32, listed: &[Slots], per_node: Option<u32>, mapping: Mapping) -> Vec<u32> {
        let placement = Placement::new(&platform(), ranks, listed, per_node, mapping).unwrap();
        placement.hosts.into_iter().map(|host| host.0).collect()
    }

    #[test]
    fn slots_are_filled_host_by_host_or_dealt() {
        assert_eq!(place(5, &[], None, Mapping::BySlot), [0, 0, 1, 1, 2]);
        assert_eq!(place(5, &[], None, Mapping::ByNode), [0, 1, 2, 0, 1]);
        assert_eq!(place(3, &[], Some(1), Mapping::BySlot), [0, 1, 2]);
    }

    #[test]
    fn ranks_beyond_the_slots_start_over() {
        assert_eq!(place(8, &[], None, Mapping::BySlot), [0, 0, 1, 1, 2, 2, 0, 0]);
        assert!(Placement::new(&platform(), 8, &[], None, Mapping::BySlot).unwrap().oversubscribed);
        assert!(!Placement::new(&platform(), 6, &[], None, Mapping::BySlot).unwrap().oversubscribed);
    }

    #[test]
    fn billions_of_slots_cost_no_more_than_the_ranks() {
        assert_eq!(place(3, &[], Some(u32::MAX), Mapping::BySlot), [0, 0, 0]);
        let listed = [Slots { host: platform().host(HostId(1)).name(), slots: Some(u32::MAX) }];
        assert_eq!(place(3, &listed, None, Mapping::ByNode), [1, 1, 1]);
    }

    #[test]
    fn a_list_of_hosts_is_obeyed() {
        let name = |id| platform().host(HostId(id)).name();
        let listed = [Slots { host: name(2), slots: Some(2) }, Slots { host: name(0), slots: None }];
        assert_eq!(place(4, &listed, None, Mapping::BySlot), [2, 2, 0, 2]);
        let nobody = [Slots { host: "nobody".to_owned(), slots: None }];
        let error = Placement::new(&platform(), 1, &nobody, None, Mapping::BySlot).unwrap_err();
        assert!(error.to_string().contains("nobody"), "{error}");
    }
}
