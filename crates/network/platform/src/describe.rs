//! A platform in words: what `mpirage platform show` prints.

use crate::core_speed::CoreSpeed;
use crate::host::HostId;
use crate::interface::{HostInterfaces, InterfaceSwitches};
use crate::link::{LinkSpec, Sharing};
use crate::measure::{Diameter, HopClass, NetworkFigures};
use crate::node::{NodeSpec, SingleCopy};
use crate::platform::Platform;
use crate::preset::NetworkSource;
use crate::storage::{DiskSpec, Disks, StorageSpec};
use crate::topology::Topology;
use crate::zone::ZoneKind;

impl Platform {
    /// The platform, line by line: topology, hosts, links by class, an example route, settings.
    pub fn describe(&self) -> Vec<String> {
        let mut lines = vec![format!("platform {}", self.name())];
        describe_topology(&self.topology(), 1, &mut lines);
        lines.push("hosts".to_owned());
        lines.extend(self.host_classes().into_iter().map(|class| format!("  {class}")));
        lines.extend(self.node_spec().map(describe_node).unwrap_or_default());
        lines.push("storage".to_owned());
        lines.extend(self.storages().iter().map(|storage| format!("  {}", storage_in_words(self, storage))));
        lines.push("links".to_owned());
        lines.extend(self.classes_in_words().into_iter().map(|class| format!("  {class}")));
        lines.extend(self.example_route());
        if let NetworkSource::Preset { name, follows, .. } = self.network_source() {
            lines.extend(["network by name".to_owned(), format!("  {name}: {follows}")]);
        }
        let own = self.settings().iter().filter(|setting| !setting.is_of_preset());
        let own: Vec<_> = own.map(|setting| format!("  {} = {}", setting.key, setting.value)).collect();
        if !own.is_empty() {
            lines.push("model settings".to_owned());
            lines.extend(own);
        }
        lines
    }

    /// Hosts that are alike, in order of appearance.
    fn host_classes(&self) -> Vec<String> {
        let mut classes: Vec<((CoreSpeed, u32), u32)> = Vec::new();
        for zone in self.zones() {
            match (&zone.kind, zone.members()) {
                (ZoneKind::Fabric(fabric), _) => {
                    let class = (fabric.hosts.speed, fabric.hosts.cores);
                    tally(&mut classes, class, zone.host_count);
                }
                (_, Some(members)) => {
                    members.hosts.iter().for_each(|host| tally(&mut classes, (host.speed, host.cores), 1));
                }
                _ => {}
            }
        }
        let interfaces = match self.interfaces() {
            HostInterfaces { per_host: 1, .. } => String::new(),
            HostInterfaces { per_host, policy, switches, stripe_from } => {
                let switches = match switches {
                    InterfaceSwitches::Same => "one switch",
                    InterfaceSwitches::Different => "different switches",
                };
                let striped = stripe_from.map_or_else(String::new, |least| {
                    format!("; messages from {least} B on use all of them")
                });
                format!(", {per_host} interfaces each, on {switches} (policy {}{striped})", policy.name())
            }
        };
        let describe = |((speed, cores), count)| {
            let cores = if cores == 1 { "1 core".to_owned() } else { format!("{cores} cores") };
            format!("{count} × {cores} {}{interfaces}", speed_in_words(speed))
        };
        classes.into_iter().map(describe).collect()
    }

    /// Links that are alike, in order of appearance.
    fn classes_in_words(&self) -> Vec<String> {
        let mut given: Vec<(LinkSpec, u32)> = Vec::new();
        self.link_table().given().for_each(|(_, spec)| tally(&mut given, *spec, 1));
        let given = given.into_iter().map(|(spec, count)| format!("{count} × {}", in_words(&spec)));
        let fabrics = self.zones().iter().filter_map(|zone| match &zone.kind {
            ZoneKind::Fabric(fabric) => Some(fabric),
            _ => None,
        });
        let formula = fabrics.flat_map(|fabric| {
            let classes = fabric.layout().classes().iter().filter(|class| class.links > 0);
            classes.map(|class| format!("{} × {}, {}", class.links, in_words(&class.cable.spec), class.role))
        });
        given.chain(formula).collect()
    }

    fn example_route(&self) -> Vec<String> {
        let (first, last) = (HostId(0), HostId(self.host_count() - 1));
        let mut route = Vec::new();
        let latency = self.route(first, last, &mut route);
        let links: Vec<_> = route.iter().map(|link| self.link(*link)).collect();
        let title = format!("route from {} to {}", self.host(first).name(), self.host(last).name());
        let Some(narrowest) = links.iter().min_by(|a, b| a.bandwidth.total_cmp(&b.bandwidth)) else {
            return vec![title, "  crosses no link".to_owned()];
        };
        let names: Vec<_> = links.iter().map(|link| link.name()).collect();
        vec![
            title,
            format!("  {}", names.join(" → ")),
            format!(
                "  latency {}, at most {} ({})",
                human(latency, "s"),
                human(narrowest.bandwidth, "Bps"),
                narrowest.name()
            ),
        ]
    }
}

/// The inside of a host, in the words of its table.
fn describe_node(node: &NodeSpec) -> Vec<String> {
    let NodeSpec { sockets, domains_per_socket, latency, copies, .. } = node;
    let rate = |rate: f64| human(rate, "Bps");
    let mut lines = vec![
        "inside a host".to_owned(),
        format!("  sockets: {sockets}; NUMA domains of a socket: {domains_per_socket}"),
        format!("  memory: {} per socket{}", rate(node.memory_bandwidth), limit_of_core(node)),
    ];
    if node.socket_bandwidth.is_finite() {
        lines.push(format!("  between sockets: {} in each direction", rate(node.socket_bandwidth)));
    }
    let [domain, socket, host] = [latency.domain, latency.socket, latency.host].map(|span| human(span, "s"));
    lines.push(format!("  latency: {domain} in a NUMA domain, {socket} in a socket, {host} between sockets"));
    let mut buffer = format!("pieces of {} B through a shared buffer", copies.fragment);
    if copies.buffer_latency > 0.0 {
        let (inline, latency) = (copies.inline, human(copies.buffer_latency, "s"));
        buffer = format!("{buffer}, {latency} more beyond {inline} B");
    }
    lines.push(format!("  copies: {} of one core; {buffer}", rate(copies.bandwidth)));
    if copies.cache > 0 {
        let (size, rate) = (copies.cache, rate(copies.cache_bandwidth));
        lines.push(format!("  cache: messages of up to {size} B are copied at {rate}"));
    }
    lines.extend(copies.single.map(|single| {
        let SingleCopy { mechanism, from, latency, bandwidth } = single;
        let (latency, rate) = (human(latency, "s"), rate(bandwidth));
        format!("  single copy: {} from {from} B on, {latency} and {rate}", mechanism.name())
    }));
    lines
}

fn limit_of_core(node: &NodeSpec) -> String {
    let limit = node.core_bandwidth;
    if limit.is_finite() { format!(", {} of one core", human(limit, "Bps")) } else { String::new() }
}

impl NetworkFigures {
    /// The figures, line by line.
    pub fn describe(&self) -> Vec<String> {
        let mut lines = vec!["network".to_owned()];
        if let Some((bandwidth, method)) = self.bisection {
            lines.push(format!("  bisection {} in each direction, {method}", human(bandwidth, "Bps")));
        }
        if let Some(Diameter { links, latency, method }) = self.diameter {
            lines.push(format!("  diameter {links} links, {}, {method}", human(latency, "s")));
        }
        lines.push(format!("  latency by links ({})", self.method));
        lines.push(format!(
            "    {:>5} {:>9} {:>12} {:>12} {:>12}",
            "links", "pairs", "least", "median", "most"
        ));
        for classes in self.by_links.chunks(self.by_links.len().div_ceil(ROWS).max(1)) {
            let (links, class) = merged(classes);
            let [least, median, most] =
                [class.least, class.median, class.most].map(|latency| human(latency, "s"));
            let share = format!("{:.2} %", 100.0 * class.share);
            lines.push(format!("    {links:>5} {share:>9} {least:>12} {median:>12} {most:>12}"));
        }
        lines
    }
}

/// Rows of a table that a reader reads; of many numbers of links, some share a row.
const ROWS: usize = 12;

/// Classes of neighbouring numbers of links as one; its median is that of the class with its middle pair.
fn merged(classes: &[HopClass]) -> (String, HopClass) {
    let (first, last) = (classes[0], classes[classes.len() - 1]);
    let pairs = classes.iter().map(|class| class.pairs).sum::<usize>();
    let mut below = 0;
    let middle = classes.iter().find(|class| {
        below += class.pairs;
        2 * below >= pairs
    });
    let (least, most) = classes
        .iter()
        .fold((f64::INFINITY, 0.0f64), |(least, most), class| (least.min(class.least), most.max(class.most)));
    let links = if first.links == last.links {
        first.links.to_string()
    } else {
        format!("{}-{}", first.links, last.links)
    };
    let share = classes.iter().map(|class| class.share).sum();
    (links, HopClass { pairs, share, least, median: middle.unwrap_or(&first).median, most, ..first })
}

impl NetworkSource {
    /// Where the rates of cables are from, in words.
    pub fn describe(&self) -> String {
        match self {
            NetworkSource::Given => "as the platform says".to_owned(),
            NetworkSource::Preset { name, is_assumed: true, .. } => {
                format!("assumed: {name}; choose a network with --net (`mpirage info networks`)")
            }
            NetworkSource::Preset { name, follows, .. } => format!("{name}: {follows}"),
            NetworkSource::Assumed => {
                "assumed: cables of 1 Gbit/s and 50 us; choose a network with --net (`mpirage info networks`)"
                    .to_owned()
            }
        }
    }
}

fn describe_topology(topology: &Topology, depth: usize, lines: &mut Vec<String>) {
    const SHOWN: usize = 20;
    let indent = "  ".repeat(depth);
    lines.push(format!("{indent}{topology}"));
    if let Topology::Zones { zones, .. } = topology {
        for (name, zone) in zones.iter().take(SHOWN) {
            let before = lines.len();
            describe_topology(zone, depth + 1, lines);
            lines[before] = format!("{indent}  {name}: {zone}");
        }
        if zones.len() > SHOWN {
            lines.push(format!("{indent}  … and {} more", zones.len() - SHOWN));
        }
    }
}

fn tally<T: PartialEq>(classes: &mut Vec<(T, u32)>, class: T, count: u32) {
    match classes.iter_mut().find(|(known, _)| *known == class) {
        Some((_, known)) => *known += count,
        None => classes.push((class, count)),
    }
}

fn storage_in_words(platform: &Platform, storage: &StorageSpec) -> String {
    let name = |host: Option<&HostId>| host.map_or_else(String::new, |&host| platform.host_name(host));
    let mounts: Vec<&str> =
        storage.mounts.iter().map(|mount| if mount.is_empty() { "/" } else { mount }).collect();
    let place = match &storage.disks {
        Disks::Local if storage.by_host.values().any(|own| *own != storage.disk) => {
            "a disk in each host, of which this is the first".to_owned()
        }
        Disks::Local => "a disk in each host".to_owned(),
        Disks::Servers(hosts, _) if hosts.len() == 1 => format!("served by {}", name(hosts.first())),
        Disks::Servers(hosts, stripes) => format!(
            "{} servers, {} to {}, stripes of {} bytes on {}",
            hosts.len(),
            name(hosts.first()),
            name(hosts.last()),
            stripes.size,
            stripes.count
        ),
    };
    let DiskSpec { read, write, latency, metadata } = storage.disk;
    let source = if storage.is_default { "; the default: the file says nothing of it" } else { "" };
    format!(
        "{}: {}, {place}; reads {}, writes {}, latency {}, metadata {}{source}",
        storage.name,
        mounts.join(" "),
        human(read, "Bps"),
        human(write, "Bps"),
        human(latency, "s"),
        human(metadata, "s")
    )
}

fn in_words(spec: &LinkSpec) -> String {
    let sharing = match spec.sharing {
        Sharing::Shared => "shared",
        Sharing::FatPipe => "fat pipe",
    };
    format!("{} and {}, {sharing}", human(spec.bandwidth, "Bps"), human(spec.latency, "s"))
}

/// A quantity with the prefix that leaves one to three digits before the point.
/// The speed of a core, behind the number of cores.
fn speed_in_words(speed: CoreSpeed) -> String {
    match speed {
        CoreSpeed::Host => "like this machine's".to_owned(),
        CoreSpeed::Nominal(nominal) => format!("of {}", human(nominal, "f")),
        CoreSpeed::Sustained { nominal, sustained } => {
            format!("of {} nominal, {} sustained", human(nominal, "f"), human(sustained, "f"))
        }
    }
}

fn human(value: f64, unit: &str) -> String {
    let prefixes = [
        (1e15, "P"),
        (1e12, "T"),
        (1e9, "G"),
        (1e6, "M"),
        (1e3, "k"),
        (1.0, ""),
        (1e-3, "m"),
        (1e-6, "u"),
        (1e-9, "n"),
        (1e-12, "p"),
    ];
    // A hair below the limit still counts, because 24e-6 may be 23.999999e-6.
    let fits = |(scale, _): &&(f64, &str)| value >= scale * (1.0 - 1e-9);
    match prefixes.iter().find(fits) {
        Some((scale, prefix)) => {
            let digits = format!("{:.3}", value / scale);
            format!("{} {prefix}{unit}", digits.trim_end_matches('0').trim_end_matches('.'))
        }
        None => format!("0 {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_numbers_of_links_share_rows() {
        let lines = Platform::load("torus:64x64", 1).unwrap().network_figures().describe();
        assert_eq!(lines.len(), 16, "{lines:?}");
        assert!(lines[5].trim_start().starts_with("1-"), "{lines:?}");
        let few = Platform::load("fat-tree:2x2", 1).unwrap().network_figures().describe();
        assert!(few[5].starts_with("        2   33.33 %       100 us"), "{few:?}");
    }

    #[test]
    fn quantities_are_readable() {
        assert_eq!(human(125e6, "Bps"), "125 MBps");
        assert_eq!(human(24.0 * 1e-6, "s"), "24 us");
        assert_eq!(human(1.5e-9, "s"), "1.5 ns");
        assert_eq!(human(0.0, "s"), "0 s");
        assert_eq!(human(1e18, "f"), "1000 Pf");
    }
}
