//! Topologies by formula: `[cluster]`, `[cabinets]`, `[fat-tree]`, `[torus]`, `[dragonfly]`, `[dragonfly-plus]`,
//! `[rails]`, `[full]`.
//!
//! All of them share the keys of [`COMMON`]; each has its own for the shape.

use super::core_speed;
use super::table::{Entry, Table};
use crate::builder::Builder;
use crate::error::PlatformError;
use crate::fabric::{
    Arities, Before, Cabinets, Cluster, Devices, Dialect, Dragonfly, DragonflyCables, DragonflyPlus,
    DragonflyPlusCables, DragonflyPlusSize, DragonflySize, Extras, Fabric, FatTree, FatTreeCables, Layout,
    Mesh, NodeDevices, Rails, RailsCables, RailsSize, Shape, Torus,
};
use crate::host::{HostGroup, HostNames, Numbers};
use crate::interface::{HostInterfaces, InterfacePolicy, InterfaceSwitches};
use crate::link::{Cable, Duplex, Sharing};
use crate::preset::NetworkPreset;
use crate::suggest::did_you_mean;

/// Hosts and their cables.
const COMMON: [&str; 19] = [
    "speed",
    "sustained",
    "cores",
    "bandwidth",
    "latency",
    "sharing",
    "prefix",
    "suffix",
    "first",
    "numbers",
    "digits",
    "loopback",
    "limiter",
    "interfaces",
    "interface-policy",
    "interface-switches",
    "interface-striping",
    "devices",
    "inside",
];

/// The shape of a dragonfly, and cables that differ from those of its hosts.
const DRAGONFLY: [&str; 10] = [
    "groups",
    "chassis",
    "routers",
    "nodes",
    "group-links",
    "chassis-links",
    "router-links",
    "between-groups",
    "between-chassis",
    "between-routers",
];

/// The same of a Dragonfly+.
const DRAGONFLY_PLUS: [&str; 8] = [
    "groups",
    "leaves",
    "spines",
    "nodes",
    "group-links",
    "spine-links",
    "between-groups",
    "between-switches",
];

/// Reads the table called `topology` into the one zone of the platform.
pub(super) fn read<'d>(
    file: &Table<'d>,
    topology: &'static str,
    name: &str,
    preset: Option<&NetworkPreset>,
    builder: &mut Builder,
) -> Result<(), PlatformError> {
    let entry = file.need(topology)?;
    let own: &[&'static str] = match topology {
        "cluster" => &["hosts", "backbone"],
        "cabinets" => &["sizes", "uplink", "backbone"],
        "fat-tree" => &["down", "up", "parallel", "uplink"],
        "torus" => &["dimensions"],
        "dragonfly" => &DRAGONFLY,
        "dragonfly-plus" => &DRAGONFLY_PLUS,
        "rails" => &["nodes", "unit", "spines", "between-switches"],
        _ => &["hosts"],
    };
    let table = entry.table(&[own, &COMMON].concat())?;
    let interfaces = interfaces(&table, topology)?;
    let cable = cable(&table, Duplex::Split, preset)?;
    // A device has no loopback of hosts.
    let loopback_of = preset.filter(|_| topology == "rails" || table.get("devices").is_none());
    let extras = extras(&table, interfaces, loopback_of)?;
    let cores = builder.usual_cores();
    let plan = Plan { table: &table, name, cable, extras, interfaces, cores, preset };
    let fabric = match topology {
        "cluster" => plan.cluster()?,
        "cabinets" => plan.cabinets()?,
        "fat-tree" => plan.fat_tree()?,
        "torus" => plan.torus()?,
        "dragonfly" => plan.dragonfly()?,
        "dragonfly-plus" => plan.dragonfly_plus()?,
        "rails" => plan.rails()?,
        _ => plan.full()?,
    };
    builder.add_fabric(fabric, None).map_err(|problem| table.error(problem))?;
    Ok(())
}

struct Plan<'t, 'd> {
    table: &'t Table<'d>,
    name: &'t str,
    cable: Cable,
    extras: Extras,
    interfaces: HostInterfaces,
    /// Of a host, unless the table says otherwise.
    cores: u32,
    /// The network that the platform names.
    preset: Option<&'t NetworkPreset>,
}

impl Plan<'_, '_> {
    fn cluster(&self) -> Result<Fabric, PlatformError> {
        let entry = self.table.need("hosts")?;
        let backbone = self.table.maybe("backbone", backbone)?;
        self.fabric(
            &entry,
            Cluster::new(self.positions(&entry, entry.count()?)?, self.cable, backbone, &self.extras),
        )
    }

    fn cabinets(&self) -> Result<Fabric, PlatformError> {
        let sizes = self.table.need("sizes")?;
        let uplink = cable(&self.table.need("uplink")?.table(&LINK)?, Duplex::Split, self.preset)?;
        let backbone = self.table.maybe("backbone", backbone)?;
        let cabinets: Result<Vec<u32>, _> =
            sizes.counts()?.into_iter().map(|hosts| self.positions(&sizes, hosts)).collect();
        self.fabric(&sizes, Cabinets::new(&cabinets?, self.cable, uplink, backbone, &self.extras))
    }

    fn fat_tree(&self) -> Result<Fabric, PlatformError> {
        let entry = self.table.need("down")?;
        let mut down = entry.counts()?;
        if let Some(hosts) = down.first_mut() {
            *hosts = self.positions(&entry, *hosts)?;
        }
        let up = self.table.or("up", full_bisection(&down), Entry::counts)?;
        let parallel = self.table.or("parallel", vec![1; down.len()], Entry::counts)?;
        let arities = Arities { down, up, parallel };
        let cables = FatTreeCables { hosts: self.cable, uplinks: self.other_cable("uplink")? };
        self.fabric(&entry, FatTree::new(arities, cables, Before::default(), &self.extras))
    }

    fn torus(&self) -> Result<Fabric, PlatformError> {
        let entry = self.table.need("dimensions")?;
        self.fabric(&entry, Torus::new(entry.counts()?, self.cable, &self.extras))
    }

    fn dragonfly(&self) -> Result<Fabric, PlatformError> {
        let entry = self.table.need("groups")?;
        let size = DragonflySize {
            groups: entry.count()?,
            chassis: self.table.need("chassis")?.count()?,
            routers: self.table.need("routers")?.count()?,
            nodes: self.positions(&entry, self.table.need("nodes")?.count()?)?,
            group_links: self.table.or("group-links", 1, Entry::count)?,
            chassis_links: self.table.or("chassis-links", 1, Entry::count)?,
            router_links: self.table.or("router-links", 1, Entry::count)?,
        };
        let cables = DragonflyCables {
            hosts: self.cable,
            routers: self.other_cable("between-routers")?,
            chassis: self.other_cable("between-chassis")?,
            groups: self.other_cable("between-groups")?,
        };
        self.fabric(&entry, Dragonfly::new(size, cables, 0, &self.extras))
    }

    fn dragonfly_plus(&self) -> Result<Fabric, PlatformError> {
        let entry = self.table.need("groups")?;
        let spines = self.table.need("spines")?.count()?;
        let size = DragonflyPlusSize {
            groups: entry.count()?,
            leaves: self.table.need("leaves")?.count()?,
            spines,
            nodes: self.positions(&entry, self.table.need("nodes")?.count()?)?,
            group_links: self.table.or("group-links", spines, Entry::count)?,
            spine_links: self.table.or("spine-links", 1, Entry::count)?,
        };
        let cables = DragonflyPlusCables {
            hosts: self.cable,
            spines: self.other_cable("between-switches")?,
            groups: self.other_cable("between-groups")?,
        };
        self.fabric(&entry, DragonflyPlus::new(size, cables, &self.extras))
    }

    fn rails(&self) -> Result<Fabric, PlatformError> {
        let entry = self.table.need("nodes")?;
        let nodes = entry.count()?;
        let unit = self.table.or("unit", nodes, Entry::count)?.min(nodes);
        if !nodes.is_multiple_of(unit) {
            return Err(entry.error(format!("`nodes` is {nodes}, which is no multiple of `unit` ({unit})")));
        }
        let size = RailsSize {
            units: nodes / unit,
            nodes: unit,
            devices: self.table.need("devices")?.count()?,
            spines: self.table.or("spines", unit, Entry::count)?,
        };
        let cables = RailsCables {
            inside: inside(&self.table.need("inside")?)?,
            interfaces: self.cable,
            spines: self.other_cable("between-switches")?,
        };
        self.fabric_of_hosts(&entry, Rails::new(size, cables, &self.extras))
    }

    /// Cables between switches; those of hosts unless the file says otherwise.
    fn other_cable(&self, key: &'static str) -> Result<Cable, PlatformError> {
        self.table.or(key, self.cable, |entry| cable(&entry.table(&LINK)?, Duplex::Split, self.preset))
    }

    fn full(&self) -> Result<Fabric, PlatformError> {
        let entry = self.table.need("hosts")?;
        self.fabric(&entry, Mesh::new(entry.count()?, self.cable, &self.extras))
    }

    /// How many interfaces so many hosts have: the shapes connect interfaces.
    fn positions(&self, culprit: &Entry<'_>, hosts: u32) -> Result<u32, PlatformError> {
        hosts
            .checked_mul(self.interfaces.per_host.into())
            .ok_or_else(|| culprit.error("these are more interfaces than can be numbered (4,294,967,295)"))
    }

    /// The numbers in the names of hosts: some from `first` on, or a list.
    fn numbers(&self, hosts: u32) -> Result<Numbers, PlatformError> {
        let first = self.table.maybe("first", Entry::number)?;
        let Some(entry) = self.table.get("numbers") else {
            return Ok(Numbers::from(first.unwrap_or(0), hosts));
        };
        let numbers = Numbers::parse(entry.text()?).map_err(|problem| entry.error(problem))?;
        match (first, numbers.count()) {
            (Some(_), _) => Err(entry.error("`first` and `numbers` cannot be given both")),
            (None, count) if count == hosts => Ok(numbers),
            (None, count) => Err(entry.error(format!("`numbers` are {count} for {hosts} hosts"))),
        }
    }

    /// Hosts on a shape, or nodes of devices, which are the hosts then.
    fn fabric<S: Shape + 'static>(
        &self,
        culprit: &Entry<'_>,
        shape: Result<(S, Layout), String>,
    ) -> Result<Fabric, PlatformError> {
        let Some(devices) = self.devices()? else { return self.fabric_of_hosts(culprit, shape) };
        let nodes = shape.and_then(|shape| Devices::new(shape, devices, self.interfaces));
        let (shape, layout) = nodes.map_err(|problem| culprit.error(problem))?;
        let hosts = self.hosts(shape.hosts())?;
        Ok(Fabric::new(self.name.to_owned(), hosts, Dialect::Mpirage, (shape, layout)))
    }

    fn fabric_of_hosts<S: Shape + 'static>(
        &self,
        culprit: &Entry<'_>,
        shape: Result<(S, Layout), String>,
    ) -> Result<Fabric, PlatformError> {
        let (shape, layout) = shape.map_err(|problem| culprit.error(problem))?;
        let hosts = self.hosts(shape.hosts() / u32::from(self.interfaces.per_host))?;
        Fabric::with_interfaces(self.name.to_owned(), hosts, self.interfaces, (shape, layout))
            .map_err(|problem| culprit.error(problem))
    }

    /// The devices of each node, if hosts are devices.
    fn devices(&self) -> Result<Option<NodeDevices>, PlatformError> {
        let Some(devices) = self.table.get("devices") else {
            return match self.table.get("inside") {
                Some(entry) => {
                    Err(entry.error("`inside` is of nodes with `devices`; say how many a node has"))
                }
                None => Ok(None),
            };
        };
        let unfit = ["loopback", "interface-policy", "interface-striping"];
        if let Some(entry) = unfit.iter().find_map(|key| self.table.get(key)) {
            return Err(entry.error(
                "this is of hosts, but with `devices` each device of a node is a host, on one interface",
            ));
        }
        Ok(Some(NodeDevices { per_node: devices.count()?, inside: inside(&self.table.need("inside")?)? }))
    }

    fn hosts(&self, count: u32) -> Result<HostGroup, PlatformError> {
        Ok(HostGroup {
            names: HostNames {
                prefix: self.table.or("prefix", "host-", Entry::text)?.to_owned(),
                suffix: self.table.or("suffix", "", Entry::text)?.to_owned(),
                numbers: self.numbers(count)?,
                digits: self.table.or("digits", 0, digits)?,
            },
            speed: core_speed::read(self.table)?,
            cores: self.table.or("cores", self.cores, Entry::count)?,
        })
    }
}

/// The cable of a device to the switch inside its node.
fn inside(entry: &Entry<'_>) -> Result<Cable, PlatformError> {
    cable(&entry.table(&LINK)?, Duplex::Split, None)
}

/// The interfaces of each host. Hosts of a torus or a full mesh are switches themselves, with cables to each other.
fn interfaces(table: &Table<'_>, topology: &str) -> Result<HostInterfaces, PlatformError> {
    let per_host = table.or("interfaces", 1, interface_count)?;
    let policy = table.or("interface-policy", InterfacePolicy::default(), |entry| {
        InterfacePolicy::parse(entry.text()?)
            .map_err(|(problem, meant)| entry.error(problem).maybe_help(meant))
    })?;
    let switches = table.or("interface-switches", InterfaceSwitches::default(), |entry| {
        InterfaceSwitches::parse(entry.text()?)
            .map_err(|(problem, meant)| entry.error(problem).maybe_help(meant))
    })?;
    let stripe_from =
        table.or("interface-striping", None, |entry| stripe_limit(entry, per_host).map(Some))?;
    if let Some(entry) = table.get("devices")
        && ["torus", "full"].contains(&topology)
    {
        return Err(entry.error(format!(
            "nodes of devices need a network of switches, and cables of `{topology}` lead from host to host"
        )));
    }
    match table.get("interfaces") {
        Some(entry) if per_host > 1 && topology == "rails" => {
            Err(entry.error("each device of `rails` has one interface, that of its rail"))
        }
        Some(entry) if per_host > 1 && ["torus", "full"].contains(&topology) => Err(entry.error(format!(
            "hosts of `{topology}` have one interface: cables lead from host to host, not to a switch"
        ))),
        _ => Ok(HostInterfaces { per_host, policy, switches, stripe_from }),
    }
}

/// From how many bytes on messages use all interfaces.
fn stripe_limit(entry: Entry<'_>, per_host: u8) -> Result<u64, PlatformError> {
    if per_host == 1 {
        let problem = "`interface-striping`: hosts have one interface; give them more with `interfaces`";
        return Err(entry.error(problem));
    }
    entry.bytes()
}

fn interface_count(entry: Entry<'_>) -> Result<u8, PlatformError> {
    const MOST: u32 = 64;
    match entry.count()? {
        count if count <= MOST => Ok(count as u8),
        count => Err(entry.error(format!("`interfaces` is {count}; a host has at most {MOST}"))),
    }
}

/// Digits of a host's number, with zeros in front.
fn digits(entry: Entry<'_>) -> Result<u8, PlatformError> {
    const MOST: u32 = 18;
    match entry.number()? {
        digits if digits <= MOST => Ok(digits as u8),
        digits => Err(entry.error(format!("`digits` is {digits}; a number has at most {MOST}"))),
    }
}

/// As many cables up as down, so that no level is narrower than the one below.
pub(crate) fn full_bisection(down: &[u32]) -> Vec<u32> {
    std::iter::once(1).chain(down.iter().copied()).take(down.len()).collect()
}

/// The keys of a link.
pub(super) const LINK: [&str; 3] = ["bandwidth", "latency", "sharing"];

/// `bandwidth`, `latency` and `sharing` of a table; what it leaves out is that of the preset, if there is one.
pub(super) fn cable(
    table: &Table<'_>,
    by_default: Duplex,
    preset: Option<&NetworkPreset>,
) -> Result<Cable, PlatformError> {
    let given = (table.get("bandwidth"), table.get("latency"));
    let bandwidth = match (given.0, preset) {
        (None, Some(preset)) => preset.bandwidth,
        _ => table.need("bandwidth")?.bandwidth()?,
    };
    let latency = match (given.1, preset) {
        (None, Some(preset)) => preset.latency,
        _ => table.need("latency")?.latency()?,
    };
    let (duplex, sharing) = table.or("sharing", (by_default, Sharing::Shared), sharing)?;
    let mut cable = Cable::shared(bandwidth, latency, duplex);
    cable.spec.sharing = sharing;
    Ok(cable)
}

fn sharing(entry: Entry<'_>) -> Result<(Duplex, Sharing), PlatformError> {
    match entry.text()? {
        "split-duplex" => Ok((Duplex::Split, Sharing::Shared)),
        "shared" => Ok((Duplex::Single, Sharing::Shared)),
        "fat-pipe" => Ok((Duplex::Single, Sharing::FatPipe)),
        other => Err(entry
            .error(format!("`sharing` cannot be `{other}`"))
            .maybe_help(did_you_mean(other, ["split-duplex", "shared", "fat-pipe"]))),
    }
}

/// One link all messages cross, shared unless said otherwise.
fn backbone(entry: Entry<'_>) -> Result<Cable, PlatformError> {
    let cable = cable(&entry.table(&LINK)?, Duplex::Single, None)?;
    match cable.duplex {
        Duplex::Single => Ok(cable),
        Duplex::Split => Err(entry.error("a backbone has no directions; it is `shared` or a `fat-pipe`")),
    }
}

/// A private link for messages to oneself.
pub(super) fn loopback(entry: Entry<'_>) -> Result<Cable, PlatformError> {
    let table = entry.table(&["bandwidth", "latency"])?;
    let bandwidth = table.need("bandwidth")?.bandwidth()?;
    Ok(Cable::fat_pipe(bandwidth, table.or("latency", 0.0, Entry::latency)?))
}

fn extras(
    table: &Table<'_>,
    interfaces: HostInterfaces,
    preset: Option<&NetworkPreset>,
) -> Result<Extras, PlatformError> {
    let measured = preset.and_then(|preset| preset.loopback);
    Ok(Extras {
        loopback: table.maybe("loopback", loopback)?.or(measured),
        interfaces: interfaces.per_host.into(),
        limiter: table.maybe("limiter", Entry::bandwidth)?,
        dialect: Dialect::Mpirage,
    })
}
