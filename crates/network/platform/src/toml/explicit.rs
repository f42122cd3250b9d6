//! Hosts, routers, links and routes one by one: `[[host]]`, `[[router]]`, `[[link]]`, `[[route]]`.

use super::core_speed;
use super::fabrics::{self, LINK};
use super::power;
use super::table::{Entry, Table};
use crate::builder::{Builder, Direction, LinkProblem, NetPoint, RouteLink, RouteProblem};
use crate::error::PlatformError;
use crate::link::{Duplex, LinkId};
use crate::preset::NetworkPreset;
use crate::suggest::did_you_mean;
use crate::zone::{RoutedZone, Routing, ZoneId, ZoneKind};

/// Reads them into the one zone of the platform.
pub(super) fn read(
    file: &Table<'_>,
    name: &str,
    preset: Option<&NetworkPreset>,
    builder: &mut Builder,
) -> Result<(), PlatformError> {
    let routing = file.or("routing", Routing::Full, routing)?;
    let zone = builder
        .open_zone(name, ZoneKind::Routed(RoutedZone::new(routing)))
        .map_err(|problem| file.error(problem))?;
    each(file, "host", &["name", "speed", "sustained", "cores", "power"], |host| add_host(&host, builder))?;
    each(file, "router", &["name"], |router| add_router(&router, builder))?;
    each(file, "link", &[&["name", "power"], &LINK[..]].concat(), |link| add_link(&link, preset, builder))?;
    if let Some(entry) = file.get("loopback") {
        add_loopback(entry, zone, builder)?;
    }
    each(file, "route", &["from", "to", "links", "symmetrical"], |route| add_route(&route, zone, builder))?;
    builder.close_zone();
    Ok(())
}

fn each<'d>(
    file: &Table<'d>,
    key: &'d str,
    known: &[&'static str],
    mut read: impl FnMut(Table<'d>) -> Result<(), PlatformError>,
) -> Result<(), PlatformError> {
    let Some(entry) = file.get(key) else { return Ok(()) };
    let entries = entry.list().map_err(|error| error.help(format!("write `[[{key}]]` for each {key}")))?;
    entries.into_iter().try_for_each(|entry| read(entry.table(known)?))
}

fn routing(entry: Entry<'_>) -> Result<Routing, PlatformError> {
    match entry.text()? {
        "full" => Ok(Routing::Full),
        "shortest" => Ok(Routing::Dijkstra),
        other => Err(entry
            .error(format!("`routing` cannot be `{other}`"))
            .maybe_help(did_you_mean(other, ["full", "shortest"]))),
    }
}

fn add_host(host: &Table<'_>, builder: &mut Builder) -> Result<(), PlatformError> {
    let name = host.need("name")?;
    let speed = core_speed::read(host)?;
    let cores = host.or("cores", builder.usual_cores(), Entry::count)?;
    let number = builder.host_count();
    builder.add_host(name.name()?, speed, cores).map_err(|problem| name.error(problem))?;
    if let Some(entry) = host.get("power") {
        builder.power.add_hosts(number..number + 1, power::host(entry, speed, cores)?);
    }
    Ok(())
}

fn add_router(router: &Table<'_>, builder: &mut Builder) -> Result<(), PlatformError> {
    let name = router.need("name")?;
    builder.add_router(name.name()?).map_err(|problem| name.error(problem))
}

fn add_link(
    link: &Table<'_>,
    preset: Option<&NetworkPreset>,
    builder: &mut Builder,
) -> Result<(), PlatformError> {
    let name = link.need("name")?;
    let cable = fabrics::cable(link, Duplex::Split, preset)?;
    let first = builder.links.count();
    builder.add_link(name.name()?, cable).map_err(|problem| name.error(problem))?;
    if let Some(entry) = link.get("power") {
        let power = power::link_power(entry, cable.spec.bandwidth)?;
        builder.power.add_links(first..builder.links.count(), power);
    }
    Ok(())
}

fn add_loopback(entry: Entry<'_>, zone: ZoneId, builder: &mut Builder) -> Result<(), PlatformError> {
    let cable = fabrics::loopback(entry)?;
    let link = LinkId(builder.links.count());
    builder.add_link("loopback", cable).map_err(|problem| entry.error(problem))?;
    if let ZoneKind::Routed(routed) = &mut builder.zone_mut(zone).kind {
        routed.loopback = Some(link);
    }
    Ok(())
}

fn add_route(route: &Table<'_>, zone: ZoneId, builder: &mut Builder) -> Result<(), PlatformError> {
    let (from, to) = (route.need("from")?, route.need("to")?);
    let ends = (end(from, builder)?, end(to, builder)?);
    let links = route.need("links")?.list()?;
    let links: Vec<_> = links.into_iter().map(|link| find_link(link, builder)).collect::<Result<_, _>>()?;
    let symmetrical = route.or("symmetrical", true, Entry::boolean)?;
    debug_assert_eq!(builder.open_zone_id(), Some(zone));
    builder.add_route(ends, None, &links, symmetrical).map_err(|problem| {
        let message = match problem {
            RouteProblem::WayBackExists => "the way back of this route was given before",
            RouteProblem::Exists | RouteProblem::WrongZone => "this route was given before",
        };
        from.error(message).help("routes hold both ways, unless `symmetrical = false`")
    })
}

fn end(entry: Entry<'_>, builder: &Builder) -> Result<u32, PlatformError> {
    let name = entry.name()?;
    match builder.find(name) {
        Some(NetPoint::Host(node) | NetPoint::Router(node)) => Ok(node.vertex),
        _ => Err(entry
            .error(format!("there is no host or router called `{name}`"))
            .maybe_help(did_you_mean(name, builder.names()))),
    }
}

fn find_link(entry: Entry<'_>, builder: &Builder) -> Result<RouteLink, PlatformError> {
    let written = entry.name()?;
    let (name, direction) = match written.rsplit_once(':') {
        Some((name, "up")) => (name, Direction::Up),
        Some((name, "down")) => (name, Direction::Down),
        _ => (written, Direction::None),
    };
    builder.find_link(name, direction).map_err(|problem| match problem {
        LinkProblem::Unknown => entry
            .error(format!("there is no link called `{name}`"))
            .maybe_help(did_you_mean(name, builder.links.names())),
        LinkProblem::NeedsDirection => entry
            .error(format!("`{name}` is split-duplex, and this does not say which direction is meant"))
            .help(format!("write `{name}:up` or `{name}:down`")),
        LinkProblem::HasNoDirections => entry
            .error(format!("`{name}` is not split-duplex, so it has no directions"))
            .help(format!("write `{name}`")),
    })
}
