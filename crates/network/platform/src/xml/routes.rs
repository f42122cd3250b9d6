//! `<route>` between hosts and routers, `<zoneRoute>` (`<ASroute>`) between zones, and the routes that are taken instead of these:
//! `<bypassRoute>` and `<bypassZoneRoute>` (`<bypassASroute>`).

use super::Reader;
use super::element::Element;
use crate::builder::{Direction, LinkProblem, NetPoint, RouteLink, RouteProblem};
use crate::error::PlatformError;
use crate::suggest::did_you_mean;
use crate::zone::{Gateways, Node, ZoneId};

impl Reader {
    pub(super) fn route(&mut self, route: &Element<'_>) -> Result<(), PlatformError> {
        route.check_attributes(&["src", "dst", "symmetrical"])?;
        let (src, dst) = (self.vertex(route, "src")?, self.vertex(route, "dst")?);
        let links = self.links(route)?;
        if let Some(star) = self.star() {
            if src != dst {
                return Err(
                    route.error("in a zone with routing=\"Cluster\" hosts are connected by <host_link>")
                );
            }
            star.arm_mut(src).loopback = links.iter().map(|link| link.there).collect();
            return Ok(());
        }
        self.add(route, (src, dst), None, &links)
    }

    pub(super) fn zone_route(&mut self, route: &Element<'_>) -> Result<(), PlatformError> {
        route.check_attributes(&["src", "dst", "gw_src", "gw_dst", "symmetrical"])?;
        let (src, dst) = (self.branch(route, "src")?, self.branch(route, "dst")?);
        let gateways =
            Gateways { src: self.gateway(route, "gw_src", src)?, dst: self.gateway(route, "gw_dst", dst)? };
        if src == dst {
            return Err(route.wrong("dst", "a route between zones leads from one zone to another"));
        }
        let links = self.links(route)?;
        let vertex = |zone: ZoneId| self.builder.zone(zone).parent.map_or(0, |parent| parent.vertex);
        let ends = (vertex(src), vertex(dst));
        self.add(route, ends, Some(gateways), &links)
    }

    pub(super) fn bypass_route(&mut self, route: &Element<'_>) -> Result<(), PlatformError> {
        route.check_attributes(&["src", "dst"])?;
        let ends = (self.vertex(route, "src")?, self.vertex(route, "dst")?);
        let links = self.links(route)?;
        self.builder.add_bypass(ends, &links).map_err(|_| route.error("this bypass was given before"))
    }

    /// Unlike a `<zoneRoute>`, it may connect zones at any depth below the open one, and holds in one direction.
    pub(super) fn bypass_zone_route(&mut self, route: &Element<'_>) -> Result<(), PlatformError> {
        route.check_attributes(&["src", "dst", "gw_src", "gw_dst"])?;
        let (src, src_branch) = self.zone_below(route, "src")?;
        let (dst, dst_branch) = self.zone_below(route, "dst")?;
        if src_branch == dst_branch {
            let message =
                "a bypass connects zones of different branches; this zone does not connect these two";
            return Err(route.wrong("dst", message).help("put it into the innermost zone that holds both"));
        }
        let gateways =
            Gateways { src: self.gateway(route, "gw_src", src)?, dst: self.gateway(route, "gw_dst", dst)? };
        let links = self.links(route)?;
        self.builder
            .add_zone_bypass((src, dst), gateways, &links)
            .map_err(|_| route.error("this bypass was given before"))
    }

    fn add(
        &mut self,
        route: &Element<'_>,
        ends: (u32, u32),
        gateways: Option<Gateways>,
        links: &[RouteLink],
    ) -> Result<(), PlatformError> {
        let symmetrical = route.choice("symmetrical", &[("YES", true), ("NO", false)])?;
        self.builder.add_route(ends, gateways, links, symmetrical).map_err(|problem| match problem {
            RouteProblem::Exists => route
                .error("this route was given before")
                .help("routes hold both ways, unless symmetrical=\"NO\""),
            RouteProblem::WayBackExists => route
                .error("the way back of this route was given before")
                .help("write symmetrical=\"NO\" for both"),
            RouteProblem::WrongZone => route.error("this zone has no routes of its own"),
        })
    }

    /// A host or router of the open zone.
    fn vertex(&self, route: &Element<'_>, attribute: &str) -> Result<u32, PlatformError> {
        let name = route.need(attribute)?;
        let here = self.builder.open_zone_id();
        match self.builder.find(name) {
            Some(NetPoint::Host(node) | NetPoint::Router(node)) if Some(node.zone) == here => Ok(node.vertex),
            Some(NetPoint::Zone(_)) => Err(route
                .wrong(attribute, format!("`{name}` is a zone"))
                .help("routes between zones are written <zoneRoute>")),
            Some(_) => Err(route.wrong(attribute, format!("`{name}` is not in this zone"))),
            None => Err(route
                .wrong(attribute, format!("there is no host or router called `{name}`"))
                .maybe_help(did_you_mean(name, self.builder.names()))),
        }
    }

    /// A zone directly inside the open zone.
    fn branch(&self, route: &Element<'_>, attribute: &str) -> Result<ZoneId, PlatformError> {
        let name = route.need(attribute)?;
        let here = self.builder.open_zone_id();
        match self.builder.find(name) {
            Some(NetPoint::Zone(zone))
                if self.builder.zone(zone).parent.map(|parent| parent.zone) == here =>
            {
                Ok(zone)
            }
            Some(NetPoint::Zone(_)) => {
                Err(route.wrong(attribute, format!("zone `{name}` is not directly inside this one")))
            }
            Some(_) => Err(route
                .wrong(attribute, format!("`{name}` is not a zone"))
                .help("routes between hosts are written <route>")),
            None => Err(route
                .wrong(attribute, format!("there is no zone called `{name}`"))
                .maybe_help(did_you_mean(name, self.builder.names()))),
        }
    }

    /// A zone anywhere inside the open zone, and the zone directly inside that holds it.
    fn zone_below(&self, route: &Element<'_>, attribute: &str) -> Result<(ZoneId, ZoneId), PlatformError> {
        let name = route.need(attribute)?;
        let below = |zone| self.builder.branch_of(zone).map(|branch| (zone, branch));
        match self.builder.find(name) {
            Some(NetPoint::Zone(zone)) => below(zone)
                .ok_or_else(|| route.wrong(attribute, format!("zone `{name}` is not inside this one"))),
            Some(_) => Err(route
                .wrong(attribute, format!("`{name}` is not a zone"))
                .help("bypasses between hosts are written <bypassRoute>")),
            None => Err(route
                .wrong(attribute, format!("there is no zone called `{name}`"))
                .maybe_help(did_you_mean(name, self.builder.names()))),
        }
    }

    fn gateway(&self, route: &Element<'_>, attribute: &str, zone: ZoneId) -> Result<Node, PlatformError> {
        let name = route.need(attribute)?;
        let node = self.builder.find(name).and_then(NetPoint::node);
        match node {
            Some(node) if self.builder.is_inside(node, zone) => Ok(node),
            Some(_) => {
                let zone = &self.builder.zone(zone).name;
                Err(route.wrong(attribute, format!("gateway `{name}` is not in zone `{zone}`")))
            }
            None => Err(route
                .wrong(attribute, format!("there is no host or router called `{name}`"))
                .maybe_help(did_you_mean(name, self.builder.names()))),
        }
    }

    fn links(&self, route: &Element<'_>) -> Result<Vec<RouteLink>, PlatformError> {
        let links: Vec<_> =
            route.children()?.iter().map(|link| self.link_ctn(link)).collect::<Result<_, _>>()?;
        match links.is_empty() {
            true => Err(route
                .error(format!("this <{}> crosses no link", route.tag()))
                .help("add <link_ctn id=\"…\"/>")),
            false => Ok(links),
        }
    }

    fn link_ctn(&self, link: &Element<'_>) -> Result<RouteLink, PlatformError> {
        if link.tag() != "link_ctn" {
            return Err(link.unexpected("a route", &["link_ctn"]));
        }
        link.check_attributes(&["id", "direction"])?;
        let name = link.need("id")?;
        let direction = link.choice(
            "direction",
            &[("NONE", Direction::None), ("UP", Direction::Up), ("DOWN", Direction::Down)],
        )?;
        self.builder.find_link(name, direction).map_err(|problem| match problem {
            LinkProblem::Unknown => link
                .wrong("id", format!("there is no link called `{name}`"))
                .maybe_help(did_you_mean(name, self.builder.links.names())),
            LinkProblem::NeedsDirection => link
                .error(format!(
                    "link `{name}` is SPLITDUPLEX, and this does not say which direction is meant"
                ))
                .help("add direction=\"UP\" or direction=\"DOWN\""),
            LinkProblem::HasNoDirections => {
                link.wrong("direction", format!("link `{name}` is not SPLITDUPLEX, so it has no directions"))
            }
        })
    }
}
