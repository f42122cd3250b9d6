//! Places of a network by name: hosts, links, cables, switches and routers.

use std::collections::BTreeMap;

use crate::host::HostId;
use crate::link::{LinkEnd, LinkId};
use crate::platform::Platform;
use crate::zone::Node;

/// The part of the platform that a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetworkPlace {
    /// A host.
    Host(HostId),
    /// A link, or both directions of a cable.
    Links(Vec<LinkId>),
    /// The ports of a switch or router.
    Switch(Vec<SwitchPlace>),
}

/// A port of a switch: the links to and from the device at its other side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SwitchPlace {
    /// Links that leave the switch.
    pub leaving: Vec<LinkId>,
    /// Links that enter it.
    pub entering: Vec<LinkId>,
}

impl Platform {
    /// The place of that name: a host, a link, a cable without the `_UP` or `_DOWN` of its directions, a router, or a switch of a
    /// regular network, such as `switch-1-0`, the first one next to hosts.
    pub fn find_place(&self, name: &str) -> Option<NetworkPlace> {
        if let Some(host) = self.find_host(name) {
            return Some(NetworkPlace::Host(host));
        }
        if let Some(switch) = switch_of(name) {
            let ports = self.ports_of(switch);
            return (!ports.is_empty()).then_some(NetworkPlace::Switch(ports));
        }
        let ports = self.find_router(name).map(|router| self.ports_of_router(router)).unwrap_or_default();
        if !ports.is_empty() {
            return Some(NetworkPlace::Switch(ports));
        }
        let names = [name.to_owned(), format!("{name}_UP"), format!("{name}_DOWN")];
        let links = self.links().filter(|link| names.contains(&link.name()));
        let links: Vec<LinkId> = links.map(|link| link.id).collect();
        (!links.is_empty()).then_some(NetworkPlace::Links(links))
    }

    /// Names of places, at most so many of each kind.
    pub fn place_names(&self, most: usize) -> Vec<String> {
        let hosts = self.hosts().map(|host| host.name());
        let links = self.links().map(|link| link.name());
        let ends = self.links().filter_map(|link| self.link_ends(link.id)).flatten();
        let switches =
            ends.filter(|end| end.level > 0).map(|end| format!("switch-{}-{}", end.level, end.position));
        let routers = self.router_names().into_iter().take(most);
        hosts.take(most).chain(links.take(most)).chain(switches.take(most)).chain(routers).collect()
    }

    /// The links of a host, both directions; of a host with many neighbours, those to the hosts that are asked for.
    pub fn links_of_host(&self, host: HostId) -> Vec<LinkId> {
        let is_end = |end: LinkEnd| end.level == 0 && end.position == host.0;
        let ends = |link: LinkId| self.link_ends(link).is_some_and(|ends| ends.into_iter().any(is_end));
        let regular: Vec<LinkId> = self.links().map(|link| link.id).filter(|link| ends(*link)).collect();
        if !regular.is_empty() {
            return regular;
        }
        self.first_and_last_links(host)
    }

    /// The first link of every route from a host and the last of every route to it, where links are given one by one.
    fn first_and_last_links(&self, host: HostId) -> Vec<LinkId> {
        let (mut links, mut route) = (Vec::new(), Vec::new());
        for other in (0..self.host_count()).map(HostId).filter(|other| *other != host) {
            self.links_between(host, other, &mut route);
            links.extend(route.first());
            self.links_between(other, host, &mut route);
            links.extend(route.last());
        }
        links.sort_unstable();
        links.dedup();
        links
    }

    /// The ports of a router, in the order of the first host behind each: the link of its routes to the host, and of those that come back.
    fn ports_of_router(&self, router: Node) -> Vec<SwitchPlace> {
        let (mut ports, mut route) = (Vec::new(), Vec::new());
        for host in (0..self.host_count()).map(HostId) {
            let leaving = self.links_from(router, host, &mut route).and(route.first().copied());
            let entering = self.links_to(host, router, &mut route).and(route.last().copied());
            let port = SwitchPlace {
                leaving: leaving.into_iter().collect(),
                entering: entering.into_iter().collect(),
            };
            if port != SwitchPlace::default() && !ports.contains(&port) {
                ports.push(port);
            }
        }
        ports
    }

    /// The ports of a switch, in the order of the devices at their other side.
    fn ports_of(&self, switch: LinkEnd) -> Vec<SwitchPlace> {
        let mut ports: BTreeMap<LinkEnd, SwitchPlace> = BTreeMap::new();
        for link in self.links() {
            match self.link_ends(link.id) {
                Some([from, to]) if from == switch => ports.entry(to).or_default().leaving.push(link.id),
                Some([from, to]) if to == switch => ports.entry(from).or_default().entering.push(link.id),
                _ => {}
            }
        }
        ports.into_values().collect()
    }
}

/// `switch-1-0` is the first switch of level 1.
fn switch_of(name: &str) -> Option<LinkEnd> {
    let (level, position) = name.strip_prefix("switch-")?.split_once('-')?;
    Some(LinkEnd { level: level.parse().ok().filter(|level| *level > 0)?, position: position.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_links_cables_and_switches_have_names() {
        let platform = Platform::load("cluster:4", 4).unwrap();
        let up = platform.links().find(|link| link.name().ends_with("_UP")).unwrap();
        assert_eq!(platform.find_place(&up.name()), Some(NetworkPlace::Links(vec![up.id])));
        let cable = up.name().trim_end_matches("_UP").to_owned();
        assert!(matches!(platform.find_place(&cable), Some(NetworkPlace::Links(links)) if links.len() == 2));
        let host = platform.host(HostId(2));
        assert_eq!(platform.find_place(&host.name()), Some(NetworkPlace::Host(HostId(2))));
        let Some(NetworkPlace::Switch(ports)) = platform.find_place("switch-1-0") else {
            panic!("no switch")
        };
        assert_eq!(ports.len(), 4);
        assert!(ports.iter().all(|port| port.leaving.len() == 1 && port.entering.len() == 1));
        assert_eq!(platform.find_place("switch-1-9"), None);
        assert_eq!(platform.links_of_host(HostId(2)).len(), 2);
    }

    #[test]
    fn routers_of_explicit_platforms_have_ports() {
        let cable = |name: &str| format!("[[link]]\nname = '{name}'\nbandwidth = '1Gbps'\nlatency = '1us'\n");
        let route = |from: &str, to: &str, link: &str| {
            format!("[[route]]\nfrom = '{from}'\nto = '{to}'\nlinks = ['{link}:up']\n")
        };
        let mut text = "name = 'line'\nrouting = 'shortest'\n".to_owned();
        text += "[[router]]\nname = 'west'\n[[router]]\nname = 'east'\n";
        ["a", "b", "c"]
            .iter()
            .for_each(|name| text += &format!("[[host]]\nname = '{name}'\nspeed = '1Gf'\n"));
        ["to-a", "to-b", "to-c", "trunk"].iter().for_each(|name| text += &cable(name));
        for (from, to, link) in
            [("a", "west", "to-a"), ("b", "west", "to-b"), ("c", "east", "to-c"), ("west", "east", "trunk")]
        {
            text += &route(from, to, link);
        }
        let platform = Platform::from_text("line.toml", &text).unwrap();
        let Some(NetworkPlace::Switch(ports)) = platform.find_place("west") else { panic!("no router") };
        let names =
            |links: &[LinkId]| links.iter().map(|link| platform.link(*link).name()).collect::<Vec<_>>();
        let leaving: Vec<_> = ports.iter().map(|port| names(&port.leaving).join(" ")).collect();
        let entering: Vec<_> = ports.iter().map(|port| names(&port.entering).join(" ")).collect();
        assert_eq!(leaving, ["to-a_DOWN", "to-b_DOWN", "trunk_UP"]);
        assert_eq!(entering, ["to-a_UP", "to-b_UP", "trunk_DOWN"]);
        assert!(platform.place_names(10).contains(&"east".to_owned()));
    }
}
