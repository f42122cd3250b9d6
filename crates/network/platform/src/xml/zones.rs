//! `<zone>` and `<AS>`: zones of hosts, and zones of zones.

use mpirage_units::{BANDWIDTH, LATENCY, Quantity};

use super::element::Element;
use super::{Reader, property, unsupported};
use crate::error::PlatformError;
use crate::link::{Cable, LinkId};
use crate::zone::{RoutedZone, Routing, StarZone, ZoneKind};

/// Deeper nesting than any platform has; protects the stack.
const DEEPEST: u32 = 100;

/// Floyd's table grows with the square of the vertices, and his work with the cube.
const LARGEST_FLOYD: usize = 4_000;

/// The elements that a zone may contain.
const KNOWN: [&str; 20] = [
    "prop",
    "zone",
    "AS",
    "cluster",
    "host",
    "router",
    "link",
    "backbone",
    "cabinet",
    "host_link",
    "peer",
    "route",
    "zoneRoute",
    "ASroute",
    "bypassRoute",
    "bypassZoneRoute",
    "bypassASroute",
    "link_ctn",
    "trace",
    "trace_connect",
];

#[derive(Clone, Copy)]
enum ZoneRouting {
    Routed(Routing),
    Star,
    Vivaldi,
    Unsupported,
}

impl Reader {
    /// Reads a zone with everything inside and gives its name.
    pub(super) fn zone(&mut self, zone: &Element<'_>) -> Result<String, PlatformError> {
        zone.check_attributes(&["id", "routing"])?;
        let name = zone.need("id")?;
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(zone.error(format!("zones are nested more than {DEEPEST} deep")));
        }
        let routing = routing(zone)?;
        let is_vivaldi = matches!(routing, ZoneRouting::Vivaldi);
        let kind = match routing {
            ZoneRouting::Routed(routing) => ZoneKind::Routed(RoutedZone::new(routing)),
            _ => ZoneKind::Star(StarZone::default()),
        };
        if self.is_vivaldi() || (self.depth > 1 && is_vivaldi) {
            return Err(zone.error("a zone with Vivaldi routing is the only one of its platform"));
        }
        self.vivaldi = is_vivaldi;
        let id = self.builder.open_zone(name, kind).map_err(|problem| zone.wrong("id", problem))?;
        self.places.insert(id, zone.place());
        // Routes and host links refer to what may stand further down.
        let children = zone.children()?;
        children.iter().try_for_each(|child| self.member(child))?;
        self.arms(&children)?;
        self.add_loopback(zone)?;
        self.check_floyd(zone)?;
        children.iter().try_for_each(|child| self.any_route(child))?;
        self.builder.close_zone();
        self.depth -= 1;
        Ok(name.to_owned())
    }

    /// Does the open zone take latencies from coordinates? It holds peers then.
    pub(super) fn is_vivaldi(&self) -> bool {
        self.vivaldi
    }

    fn member(&mut self, child: &Element<'_>) -> Result<(), PlatformError> {
        if self.vivaldi
            && ["cluster", "host", "router", "cabinet", "host_link", "backbone"].contains(&child.tag())
        {
            let message = format!("a zone with Vivaldi routing holds <peer>s, no <{}>", child.tag());
            return Err(child.error(message).help("SimGrid 3.32 has no routes between others"));
        }
        match child.tag() {
            "prop" => property(child),
            "zone" | "AS" => self.zone(child).map(|_| ()),
            "cluster" => self.cluster(child).map(|_| ()),
            "host" => self.host(child),
            "router" => self.router(child),
            "link" => self.link(child),
            "peer" => self.peer(child),
            "trace" => self.trace(child),
            "trace_connect" => self.trace_connect(child),
            "backbone" | "cabinet" | "host_link" | "route" | "zoneRoute" | "ASroute" | "bypassRoute"
            | "bypassZoneRoute" | "bypassASroute" => Ok(()),
            _ => Err(unsupported(child, "a zone", &KNOWN)),
        }
    }

    fn any_route(&mut self, child: &Element<'_>) -> Result<(), PlatformError> {
        match child.tag() {
            "route" => self.route(child),
            "zoneRoute" | "ASroute" => self.zone_route(child),
            "bypassRoute" => self.bypass_route(child),
            "bypassZoneRoute" | "bypassASroute" => self.bypass_zone_route(child),
            _ => Ok(()),
        }
    }

    fn check_floyd(&self, zone: &Element<'_>) -> Result<(), PlatformError> {
        let open = self.builder.open_zone_id().map(|id| &self.builder.zone(id).kind);
        match open {
            Some(ZoneKind::Routed(routed))
                if routed.routing == Routing::Floyd && routed.members.vertices.len() > LARGEST_FLOYD =>
            {
                let message =
                    format!("Floyd routing of more than {LARGEST_FLOYD} hosts and routers takes too long");
                Err(zone.wrong("routing", message).help("Dijkstra routing finds paths of the same lengths"))
            }
            _ => Ok(()),
        }
    }

    /// In a leaf with explicit routes SimGrid gives every host the same loopback.
    fn add_loopback(&mut self, zone: &Element<'_>) -> Result<(), PlatformError> {
        let Some(id) = self.builder.open_zone_id() else { return Ok(()) };
        let is_leaf = !self.builder.zone(id).is_inner();
        let has_routes =
            |kind: &ZoneKind| matches!(kind, ZoneKind::Routed(zone) if zone.routing != Routing::None);
        if !is_leaf || !has_routes(&self.builder.zone(id).kind) {
            return Ok(());
        }
        let link = self.loopback(zone)?;
        if let ZoneKind::Routed(routed) = &mut self.builder.zone_mut(id).kind {
            routed.loopback = Some(link);
        }
        Ok(())
    }

    /// The loopback of the network model, made when the first zone needs it.
    fn loopback(&mut self, zone: &Element<'_>) -> Result<LinkId, PlatformError> {
        const NAME: &str = "__loopback__";
        if let Ok(link) = self.builder.find_link(NAME, crate::builder::Direction::None) {
            return Ok(link.there);
        }
        let bandwidth = self.setting("network/loopback-bw", &BANDWIDTH)?.unwrap_or(10e9);
        let latency = self.setting("network/loopback-lat", &LATENCY)?.unwrap_or(0.0);
        let link = LinkId(self.builder.links.count());
        let cable = Cable::fat_pipe(bandwidth, latency);
        self.builder.add_link(NAME, cable).map_err(|problem| zone.error(problem))?;
        Ok(link)
    }

    /// A quantity that `<config>` sets.
    fn setting(&self, key: &str, kind: &Quantity) -> Result<Option<f64>, PlatformError> {
        let Some(setting) = self.builder.settings.get(key) else { return Ok(None) };
        let text = setting.value.as_text().unwrap_or_default();
        let read = kind.read(text).map_err(|problem| setting.place.error(format!("`{key}`: {problem}")))?;
        Ok(Some(read.value()))
    }
}

fn routing(zone: &Element<'_>) -> Result<ZoneRouting, PlatformError> {
    zone.need("routing")?;
    let kind = zone.choice(
        "routing",
        &[
            ("Full", ZoneRouting::Routed(Routing::Full)),
            ("Floyd", ZoneRouting::Routed(Routing::Floyd)),
            ("Dijkstra", ZoneRouting::Routed(Routing::Dijkstra)),
            ("DijkstraCache", ZoneRouting::Routed(Routing::Dijkstra)),
            ("None", ZoneRouting::Routed(Routing::None)),
            ("Cluster", ZoneRouting::Star),
            ("Vivaldi", ZoneRouting::Vivaldi),
            ("Wifi", ZoneRouting::Unsupported),
            ("RuleBased", ZoneRouting::Unsupported),
        ],
    )?;
    match kind {
        ZoneRouting::Unsupported => Err(zone
            .wrong("routing", format!("{} routing is not supported", zone.need("routing")?))
            .help("Full, Floyd, Dijkstra, None, Cluster and Vivaldi are")),
        kind => Ok(kind),
    }
}
