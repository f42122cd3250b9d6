//! Links by class, and what they connect: for reports that add up or draw the traffic on links.

use crate::fabric::Fabric;
use crate::link::{LinkEnd, LinkId};
use crate::platform::Platform;
use crate::zone::{Zone, ZoneKind};

/// Links that are alike.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkClass {
    /// The name of the class, such as `host` or `level 1 to level 2`.
    pub name: String,
    /// The number of links.
    pub links: u32,
    /// Bytes per second of one; of links given one by one, of the slowest.
    pub bandwidth: f64,
}

impl Platform {
    /// The classes of its links, in order: those given one by one first, if there are any, then those of each fabric.
    pub fn link_classes(&self) -> Vec<LinkClass> {
        let given: Vec<f64> = self.link_table().given().map(|(_, spec)| spec.bandwidth).collect();
        let slowest = given.iter().copied().fold(f64::INFINITY, f64::min);
        let named = LinkClass { name: "links".to_owned(), links: given.len() as u32, bandwidth: slowest };
        let several = self.fabrics().count() > 1;
        let regular = self.fabrics().flat_map(|(_, fabric)| {
            let name = move |role| if several { format!("{} {role}", fabric.id) } else { role };
            let classes = fabric.layout().classes().iter();
            classes.map(move |class| LinkClass {
                name: name(class.role.to_string()),
                links: class.links,
                bandwidth: class.cable.spec.bandwidth,
            })
        });
        [named].into_iter().chain(regular).collect()
    }

    /// The position of a link's class among [`link_classes`](Self::link_classes).
    pub fn link_class(&self, link: LinkId) -> usize {
        let mut before = 1;
        for (zone, fabric) in self.fabrics() {
            if (zone.first_link..zone.first_link + fabric.link_count()).contains(&link.0) {
                return before + fabric.layout().position_of(link.0 - zone.first_link);
            }
            before += fabric.layout().classes().len();
        }
        0
    }

    /// Where a link begins and ends, if the whole platform is one regular network. Cables with one link for both
    /// directions begin nearer to hosts.
    pub fn link_ends(&self, link: LinkId) -> Option<[LinkEnd; 2]> {
        match self.zones() {
            [Zone { kind: ZoneKind::Fabric(fabric), first_link, .. }] => {
                fabric.link_ends(link.0 - first_link)
            }
            _ => None,
        }
    }

    fn fabrics(&self) -> impl Iterator<Item = (&Zone, &Fabric)> {
        self.zones().iter().filter_map(|zone| match &zone.kind {
            ZoneKind::Fabric(fabric) => Some((zone, fabric)),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HostId;

    /// The ends of the links of a route, one after the other.
    fn walk(platform: &str, from: u32, to: u32) -> Vec<(u8, u32)> {
        let platform = Platform::load(platform, 1).unwrap();
        let mut route = Vec::new();
        platform.route(HostId(from), HostId(to), &mut route);
        let mut at = LinkEnd::host(from);
        let mut seen = Vec::new();
        for link in route {
            let [begin, end] = platform.link_ends(link).unwrap();
            assert_eq!(begin, at, "{platform:?}");
            at = end;
            seen.push((end.level, end.position));
        }
        assert_eq!(at, LinkEnd::host(to));
        seen
    }

    #[test]
    fn routes_lead_from_end_to_end() {
        assert_eq!(walk("cluster:4", 0, 3), [(1, 0), (0, 3)]);
        assert_eq!(walk("torus:4x4", 0, 3), [(0, 3)]);
        assert_eq!(walk("torus:4x4x2", 1, 22).len(), 3);
        assert_eq!(walk("fat-tree:4x4", 0, 15).len(), 4);
        assert_eq!(walk("fat-tree:4x4", 0, 1), [(1, 0), (0, 1)]);
        let far = walk("dragonfly:4x3x4x2", 0, 95);
        assert_eq!((far[0], far[far.len() - 1]), ((1, 0), (0, 95)));
        // Host 11 is in the third group; its number, modulo 2, chooses the second cable.
        assert_eq!(walk("dragonfly-plus:3x2x2x2", 0, 11), [(1, 0), (2, 1), (2, 5), (1, 5), (0, 11)]);
    }

    #[test]
    fn every_link_has_a_class() {
        for name in [
            "cluster:4",
            "torus:4x4",
            "fat-tree:4x4",
            "dragonfly:4x3x4x2",
            "dragonfly-plus:3x2x4x2",
            "dgx-h100:2",
            "griffon",
        ] {
            let platform = Platform::load(name, 1).unwrap();
            let mut counts = vec![0; platform.link_classes().len()];
            for link in platform.links() {
                counts[platform.link_class(link.id)] += 1;
            }
            let classes: Vec<u32> = platform.link_classes().iter().map(|class| class.links).collect();
            assert_eq!(classes, counts, "{name}");
        }
    }
}
