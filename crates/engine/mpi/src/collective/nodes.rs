//! Ranks share a node if they are on one host, or on accelerators of one node.

use mpirage_collectives::{DeviceLinks, Nodes};
use mpirage_platform::{Accelerators, HostId};

/// The nodes of ranks on these hosts, in order of ranks. `accelerators` says how hosts share nodes, if they are accelerators.
pub fn nodes_of(hosts: impl IntoIterator<Item = HostId>, accelerators: Option<Accelerators>) -> Nodes {
    let per_node = accelerators.map_or(1, |accelerators| accelerators.per_node.max(1));
    let links = accelerators.map(|Accelerators { inside, port, .. }| DeviceLinks { inside, port });
    Nodes::new(hosts.into_iter().map(|host| host.0 / per_node)).with_links(links)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accelerators_of_a_node_share_it() {
        let accelerators = Accelerators { per_node: 4, inside: 300, port: 25 };
        let nodes = |given| nodes_of([0, 3, 4, 3].map(HostId), given);
        assert_eq!((nodes(None).count(), nodes(None).links()), (3, None));
        let both = nodes(Some(accelerators));
        assert_eq!((both.count(), both.members(0)), (2, &[0, 1, 3][..]));
        assert_eq!(both.links(), Some(DeviceLinks { inside: 300, port: 25 }));
    }
}
