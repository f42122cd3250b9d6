//! `<cluster>`: one switch, a torus, a fat tree or a dragonfly, in one line.

use mpirage_units::{BANDWIDTH, LATENCY};

use super::element::Element;
use super::{Reader, only_properties};
use crate::error::PlatformError;
use crate::fabric::{
    Arities, Before, Cluster, Dialect, Dragonfly, DragonflySize, Extras, Fabric, FatTree, Shape, Torus,
};
use crate::host::{HostGroup, HostNames, Numbers};
use crate::link::{Cable, Duplex};

const KNOWN: [&str; 17] = [
    "id",
    "prefix",
    "suffix",
    "radical",
    "core",
    "bw",
    "lat",
    "sharing_policy",
    "topology",
    "topo_parameters",
    "bb_bw",
    "bb_lat",
    "bb_sharing_policy",
    "router_id",
    "limiter_link",
    "loopback_bw",
    "loopback_lat",
];

#[derive(Clone, Copy, PartialEq)]
enum ClusterTopology {
    Flat,
    Torus,
    FatTree,
    Dragonfly,
}

impl Reader {
    /// Reads a cluster and gives its name.
    pub(super) fn cluster(&mut self, cluster: &Element<'_>) -> Result<String, PlatformError> {
        let speed = if self.version_3 { "power" } else { "speed" };
        cluster.check_attributes(&[&KNOWN[..], &[speed]].concat())?;
        only_properties(cluster)?;
        let hosts = hosts(cluster, speed)?;
        let kind = cluster.choice(
            "topology",
            &[
                ("FLAT", ClusterTopology::Flat),
                ("TORUS", ClusterTopology::Torus),
                ("FAT_TREE", ClusterTopology::FatTree),
                ("DRAGONFLY", ClusterTopology::Dragonfly),
            ],
        )?;
        if kind != ClusterTopology::Flat {
            cluster.leave_aside(&["bb_bw", "bb_lat", "router_id"], "in this topology SimGrid ignores it");
        }
        let router = router_name(cluster)?;
        let fabric = match kind {
            ClusterTopology::Flat => flat(cluster, hosts)?,
            ClusterTopology::Torus => self.torus(cluster, hosts)?,
            ClusterTopology::FatTree => self.fat_tree(cluster, hosts)?,
            ClusterTopology::Dragonfly => self.dragonfly(cluster, hosts)?,
        };
        let router = (kind == ClusterTopology::Flat).then_some(router.as_str());
        let name = fabric.id.clone();
        let first = self.builder.host_count();
        self.builder.add_fabric(fabric, router).map_err(|problem| cluster.error(problem))?;
        self.host_power(cluster, first..self.builder.host_count(), 0)?;
        Ok(name)
    }

    fn torus(&mut self, cluster: &Element<'_>, hosts: HostGroup) -> Result<Fabric, PlatformError> {
        let (cable, extras) = (cable(cluster)?, extras(cluster)?);
        let shape = cluster.read("topo_parameters", |text| Torus::new(numbers(text)?, cable, &extras))?;
        fabric(cluster, hosts, shape)
    }

    fn fat_tree(&mut self, cluster: &Element<'_>, hosts: HostGroup) -> Result<Fabric, PlatformError> {
        let (cable, extras) = (cable(cluster)?, extras(cluster)?);
        let before = self.fat_trees_before;
        let shape = cluster
            .read("topo_parameters", |text| FatTree::new(arities(text)?, cable.into(), before, &extras))?;
        self.fat_trees_before = Before {
            hosts: before.hosts.wrapping_add(shape.0.hosts()),
            cables: before.cables.wrapping_add(shape.0.cables()),
        };
        fabric(cluster, hosts, shape)
    }

    fn dragonfly(&mut self, cluster: &Element<'_>, hosts: HostGroup) -> Result<Fabric, PlatformError> {
        let (cable, extras) = (cable(cluster)?, extras(cluster)?);
        let before = self.dragonfly_cables_before;
        let shape = cluster.read("topo_parameters", |text| {
            Dragonfly::new(dragonfly_size(text)?, cable.into(), before, &extras)
        })?;
        self.dragonfly_cables_before = before.wrapping_add(shape.0.cables());
        fabric(cluster, hosts, shape)
    }
}

fn flat(cluster: &Element<'_>, hosts: HostGroup) -> Result<Fabric, PlatformError> {
    cluster.leave_aside(&["topo_parameters"], "SimGrid ignores it in a FLAT cluster");
    let backbone = backbone(cluster)?;
    let shape = Cluster::new(hosts.names.numbers.count(), cable(cluster)?, backbone, &extras(cluster)?);
    fabric(cluster, hosts, shape.map_err(|problem| cluster.wrong("radical", problem))?)
}

fn fabric<S: Shape + 'static>(
    cluster: &Element<'_>,
    hosts: HostGroup,
    shape: (S, crate::fabric::Layout),
) -> Result<Fabric, PlatformError> {
    let (named, needed) = (hosts.names.numbers.count(), shape.0.hosts());
    if named != needed {
        let message = format!("`radical` names {named} hosts, but `topo_parameters` describes {needed}");
        return Err(cluster.wrong("radical", message));
    }
    Ok(Fabric::new(cluster.need("id")?.to_owned(), hosts, Dialect::SimGrid, shape))
}

fn hosts(cluster: &Element<'_>, speed: &str) -> Result<HostGroup, PlatformError> {
    Ok(HostGroup {
        names: HostNames {
            prefix: cluster.text("prefix")?.to_owned(),
            suffix: cluster.text("suffix")?.to_owned(),
            numbers: cluster.read("radical", Numbers::parse)?,
            digits: 0,
        },
        speed: cluster.speed(speed, 0)?,
        cores: cluster.count("core", 1)?,
    })
}

fn router_name(cluster: &Element<'_>) -> Result<String, PlatformError> {
    if let Some(name) = cluster.get("router_id") {
        return Ok(name.to_owned());
    }
    let (prefix, suffix) = (cluster.text("prefix")?, cluster.text("suffix")?);
    Ok(format!("{prefix}{}_router{suffix}", cluster.need("id")?))
}

/// The cable of a host. SimGrid makes a FATPIPE here a shared link, and so do we.
fn cable(cluster: &Element<'_>) -> Result<Cable, PlatformError> {
    let duplex = cluster.choice(
        "sharing_policy",
        &[
            ("SPLITDUPLEX", Duplex::Split),
            ("FULLDUPLEX", Duplex::Split),
            ("SHARED", Duplex::Single),
            ("FATPIPE", Duplex::Single),
        ],
    )?;
    Ok(Cable::shared(cluster.bandwidth("bw")?, cluster.latency("lat")?, duplex))
}

fn backbone(cluster: &Element<'_>) -> Result<Option<Cable>, PlatformError> {
    let latency = cluster.optional("bb_lat", &LATENCY)?;
    let bandwidth = cluster.optional("bb_bw", &BANDWIDTH)?;
    let make = cluster.choice(
        "bb_sharing_policy",
        &[("SHARED", single as fn(f64, f64) -> Cable), ("FATPIPE", Cable::fat_pipe)],
    )?;
    match (bandwidth, latency) {
        (Some(bandwidth), latency) => Ok(Some(make(bandwidth, latency.unwrap_or(0.0)))),
        (None, None) => Ok(None),
        (None, Some(_)) => Err(cluster.wrong("bb_lat", "a backbone with `bb_lat` needs `bb_bw`")),
    }
}

fn single(bandwidth: f64, latency: f64) -> Cable {
    Cable::shared(bandwidth, latency, Duplex::Single)
}

fn extras(cluster: &Element<'_>) -> Result<Extras, PlatformError> {
    let latency = cluster.optional("loopback_lat", &LATENCY)?;
    let loopback = match (cluster.optional("loopback_bw", &BANDWIDTH)?, latency) {
        (Some(bandwidth), latency) => Some(Cable::fat_pipe(bandwidth, latency.unwrap_or(0.0))),
        (None, None) => None,
        (None, Some(_)) => {
            return Err(cluster.wrong("loopback_lat", "a loopback with `loopback_lat` needs `loopback_bw`"));
        }
    };
    let limiter = cluster.optional("limiter_link", &BANDWIDTH)?;
    Ok(Extras { loopback, interfaces: 1, limiter, dialect: Dialect::SimGrid })
}

/// `4,4,4`
fn numbers(text: &str) -> Result<Vec<u32>, String> {
    let number = |text: &str| match text.trim().parse::<u32>() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(format!("`{text}` is not a positive integer")),
    };
    text.split(',').map(number).collect()
}

/// `levels;down,…;up,…;parallel,…`
fn arities(text: &str) -> Result<Arities, String> {
    let parts: Vec<_> = text.split(';').collect();
    let [levels, down, up, parallel] = parts[..] else {
        return Err("a fat tree is described by `levels;down,…;up,…;parallel,…`".to_owned());
    };
    let [levels] = numbers(levels)?[..] else { return Err(format!("`{levels}` is not a number of levels")) };
    let arities = Arities { down: numbers(down)?, up: numbers(up)?, parallel: numbers(parallel)? };
    match [&arities.down, &arities.up, &arities.parallel].iter().all(|list| list.len() == levels as usize) {
        true => Ok(arities),
        false => Err(format!("a fat tree of {levels} levels needs {levels} numbers in each of its lists")),
    }
}

/// `groups,links;chassis,links;routers,links;nodes`
fn dragonfly_size(text: &str) -> Result<DragonflySize, String> {
    let parts = text.split(';').map(numbers).collect::<Result<Vec<_>, _>>()?;
    match parts.iter().map(Vec::as_slice).collect::<Vec<_>>()[..] {
        [&[groups, group_links], &[chassis, chassis_links], &[routers, router_links], &[nodes]] => {
            Ok(DragonflySize { groups, chassis, routers, nodes, group_links, chassis_links, router_links })
        }
        _ => Err("a dragonfly is described by `groups,links;chassis,links;routers,links;nodes`".to_owned()),
    }
}
