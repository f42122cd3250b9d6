//! The host of each rank, and the core on that host.

use mpirage_models::Binding;
use mpirage_platform::{CoreId, HostId, NodeSpec, Platform};
use thiserror::Error;

/// How ranks are dealt out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mapping {
    /// Fill the slots of a host, core by core, then the next host's.
    #[default]
    BySlot,
    /// The same, but one to each NUMA domain of a host in turn.
    ByNuma,
    /// The same, but one to each socket of a host in turn.
    BySocket,
    /// One to each host in turn, core by core.
    ByNode,
}

/// The object to which a rank is bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bind {
    /// Its core.
    #[default]
    Core,
    /// The socket of its core.
    Socket,
    /// Nothing: it runs anywhere on its host.
    None,
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
    /// The core of each rank.
    pub cores: Vec<CoreId>,
    /// The object to which ranks are bound.
    pub bind: Bind,
    /// Does some host have more ranks than cores?
    pub oversubscribed: bool,
    /// The slots that the user has listed, if they are fewer than the ranks.
    pub too_few_slots: Option<u32>,
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
    #[error("the listed hosts have no slots; a host needs at least one, as in -H host-0:4")]
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
            Mapping::BySlot | Mapping::ByNuma | Mapping::BySocket => {
                let all = slots.iter().flat_map(|&(host, count)| (0..count).map(move |_| host));
                all.take(ranks as usize).collect()
            }
            Mapping::ByNode => deal(&slots, ranks),
        };
        if order.is_empty() {
            return Err(PlacementError::NoHosts);
        }
        let hosts: Vec<HostId> = order.iter().copied().cycle().take(ranks as usize).collect();
        let too_few = !listed.is_empty() && order.len() < ranks as usize;
        let too_few_slots = too_few.then_some(order.len() as u32);
        Ok(Placement { too_few_slots, ..Placement::mapped(platform, hosts, mapping) })
    }

    /// Ranks on these hosts of the platform, core by core.
    pub fn of(platform: &Platform, hosts: Vec<HostId>) -> Placement {
        Placement::mapped(platform, hosts, Mapping::BySlot)
    }

    fn mapped(platform: &Platform, hosts: Vec<HostId>, mapping: Mapping) -> Placement {
        let oversubscribed = is_oversubscribed(platform, &hosts);
        let core = |(&host, (local, _)): (&HostId, (u32, u32))| {
            nth_core(local, platform.host(host).cores, groups(platform.node_spec(), mapping))
        };
        let cores = hosts.iter().zip(local_ranks(&hosts)).map(core).collect();
        Placement { hosts, cores, bind: Bind::default(), oversubscribed, too_few_slots: None }
    }

    /// Some of these ranks, which keep their hosts and cores.
    pub fn only(&self, platform: &Platform, members: &[u32]) -> Placement {
        let hosts: Vec<HostId> = members.iter().map(|&rank| self.hosts[rank as usize]).collect();
        let cores = members.iter().map(|&rank| self.cores[rank as usize]).collect();
        let oversubscribed = is_oversubscribed(platform, &hosts);
        Placement { hosts, cores, bind: self.bind, oversubscribed, too_few_slots: None }
    }

    /// For each rank its number among the ranks of its host, and how many those are.
    pub fn local_ranks(&self) -> Vec<(u32, u32)> {
        local_ranks(&self.hosts)
    }

    /// Where each rank may run, on hosts of this kind.
    pub fn bindings(&self, platform: &Platform, node: &NodeSpec) -> Vec<Binding> {
        let binding = |(&host, &core): (&HostId, &CoreId)| {
            let domain = node.domain_of(core, platform.host(host).cores);
            let first = node.socket_of(domain).0 * node.domains_per_socket;
            let domains = match self.bind {
                Bind::Core => domain.0..domain.0 + 1,
                Bind::Socket => first..first + node.domains_per_socket,
                Bind::None => 0..node.domains(),
            };
            Binding { host, domains }
        };
        self.hosts.iter().zip(&self.cores).map(binding).collect()
    }

    /// Where a rank runs, in words.
    pub fn describe(&self, platform: &Platform, rank: u32) -> String {
        let (host, core) = (platform.host(self.hosts[rank as usize]), self.cores[rank as usize]);
        let place = match platform.node_spec() {
            None => format!("core {}", core.0),
            Some(node) => {
                let domain = node.domain_of(core, host.cores);
                let (socket, domain) = (node.socket_of(domain).0, domain.0 % node.domains_per_socket);
                match self.bind {
                    Bind::Core => format!("socket {socket}, NUMA domain {domain}, core {}", core.0),
                    Bind::Socket => format!("socket {socket}, any core"),
                    Bind::None => "any core".to_owned(),
                }
            }
        };
        format!("rank {rank}: {}, {place}", host.name())
    }
}

fn local_ranks(hosts: &[HostId]) -> Vec<(u32, u32)> {
    let top = hosts.iter().map(|host| host.0 as usize + 1).max().unwrap_or(0);
    let mut counts = vec![0; top];
    let mut count_up = |host: &HostId| {
        counts[host.0 as usize] += 1;
        counts[host.0 as usize] - 1
    };
    let numbers: Vec<u32> = hosts.iter().map(&mut count_up).collect();
    numbers.into_iter().zip(hosts).map(|(number, host)| (number, counts[host.0 as usize])).collect()
}

/// The number of parts of a host that ranks are dealt to in turn.
fn groups(node: Option<&NodeSpec>, mapping: Mapping) -> u32 {
    match (node, mapping) {
        (Some(node), Mapping::BySocket) => node.sockets,
        (Some(node), Mapping::ByNuma) => node.domains(),
        _ => 1,
    }
}

/// The core of the `local`-th rank of a host whose ranks are dealt to `groups` parts in turn. Ranks beyond the cores start again.
fn nth_core(local: u32, cores: u32, groups: u32) -> CoreId {
    let local = local % cores;
    let of_group = cores / groups;
    CoreId(local % groups * of_group + local / groups % of_group)
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
        let host = platform
            .find_host(&slots.host)
            .ok_or_else(|| PlacementError::unknown_host(platform, &slots.host))?;
        // In a list each mention of a host is a slot, unless a number says otherwise.
        Ok((host, slots_of(host, slots.slots.or(Some(1)))))
    };
    listed.iter().map(find).collect()
}

impl PlacementError {
    /// The platform has no host of this name.
    pub fn unknown_host(platform: &Platform, host: &str) -> PlacementError {
        let name = |id: u32| platform.host(HostId(id)).name();
        PlacementError::UnknownHost {
            host: host.to_owned(),
            first: name(0),
            last: name(platform.host_count() - 1),
        }
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
    fn ranks_of_a_host_are_dealt_to_its_cores() {
        let platform = Platform::load("cluster:2,cores=8,sockets=2,numa=2", 1).unwrap();
        let place = |ranks, mapping| Placement::new(&platform, ranks, &[], None, mapping).unwrap();
        let cores = |ranks, mapping| -> Vec<u32> {
            place(ranks, mapping).cores.into_iter().map(|core| core.0).collect()
        };
        assert_eq!(cores(10, Mapping::BySlot), [0, 1, 2, 3, 4, 5, 6, 7, 0, 1]);
        assert_eq!(cores(10, Mapping::BySocket), [0, 4, 1, 5, 2, 6, 3, 7, 0, 4]);
        assert_eq!(cores(10, Mapping::ByNuma), [0, 2, 4, 6, 1, 3, 5, 7, 0, 2]);
        assert_eq!(cores(4, Mapping::ByNode), [0, 0, 1, 1]);
        // Ranks beyond the cores of all hosts start again.
        assert_eq!(cores(18, Mapping::BySocket)[16..], [0, 4]);
        let few = place(10, Mapping::BySocket).only(&platform, &[1, 9]);
        assert_eq!((few.hosts[1], few.cores), (HostId(1), vec![CoreId(4), CoreId(4)]));
    }

    #[test]
    fn a_binding_is_a_core_a_socket_or_a_host() {
        let platform = Platform::load("cluster:1,cores=8,sockets=2,numa=2", 1).unwrap();
        let mut placement = Placement::new(&platform, 8, &[], None, Mapping::BySlot).unwrap();
        let mut domains = |bind| {
            placement.bind = bind;
            let binding = placement.bindings(&platform, platform.node_spec().unwrap()).swap_remove(5);
            (binding.domains, placement.describe(&platform, 5))
        };
        assert_eq!(domains(Bind::Core), (2..3, "rank 5: host-0, socket 1, NUMA domain 0, core 5".to_owned()));
        assert_eq!(domains(Bind::Socket), (2..4, "rank 5: host-0, socket 1, any core".to_owned()));
        assert_eq!(domains(Bind::None), (0..4, "rank 5: host-0, any core".to_owned()));
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
