//! How much narrower a dragonfly or a Dragonfly+ is between its groups than at its hosts.

use crate::fabric::{Fabric, Role};
use crate::platform::Platform;
use crate::topology::Topology;
use crate::zone::ZoneKind;

/// The injection bandwidth of a group's hosts, and the bandwidth to other groups.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroupTaper {
    /// Hosts of each group; hosts of one group follow each other.
    pub hosts: u32,
    /// Bytes per second that all hosts of a group can send.
    pub injection: f64,
    /// Bytes per second of the cables between two groups.
    pub between_two: f64,
    /// Bytes per second of all cables that lead out of a group.
    pub outward: f64,
}

impl Platform {
    /// The taper of a platform that is one dragonfly or Dragonfly+ of several groups.
    pub fn group_taper(&self) -> Option<GroupTaper> {
        match self.zones() {
            [zone] => match &zone.kind {
                ZoneKind::Fabric(fabric) => taper(fabric),
                _ => None,
            },
            _ => None,
        }
    }
}

fn taper(fabric: &Fabric) -> Option<GroupTaper> {
    let (groups, hosts, group_links) = match fabric.topology() {
        // Parallel cables of a dragonfly are one link.
        Topology::Dragonfly { groups, chassis, routers, nodes } => (groups, chassis * routers * nodes, 1),
        Topology::DragonflyPlus { groups, leaves, nodes, group_links, .. } => {
            (groups, leaves * nodes, group_links)
        }
        _ => return None,
    };
    let bandwidth = |role: Role| {
        let mut classes = fabric.layout().classes().iter();
        classes.find(|class| class.role == role && class.links > 0).map(|class| class.cable.spec.bandwidth)
    };
    let (host, between_two) = (bandwidth(Role::Host)?, f64::from(group_links) * bandwidth(Role::Global)?);
    Some(GroupTaper {
        hosts,
        injection: f64::from(hosts) * f64::from(fabric.interfaces.per_host) * host,
        between_two,
        outward: between_two * f64::from(groups - 1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dragonfly_of_several_groups_has_a_taper() {
        let taper = Platform::load("dragonfly:4x2x4x2", 1).unwrap().group_taper().unwrap();
        assert_eq!((taper.hosts, taper.injection, taper.outward), (16, 16.0 * 125e6, 3.0 * 125e6));
        let taper = Platform::load("dragonfly-plus:3x2x4x5", 1).unwrap().group_taper().unwrap();
        assert_eq!((taper.hosts, taper.injection), (10, 10.0 * 125e6));
        assert_eq!((taper.between_two, taper.outward), (4.0 * 125e6, 8.0 * 125e6));
        assert_eq!(Platform::load("dragonfly:1x2x4x2", 1).unwrap().group_taper(), None);
        assert_eq!(Platform::load("torus:4x4", 1).unwrap().group_taper(), None);
    }
}
