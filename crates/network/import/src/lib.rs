//! Platform files from what a site has: Slurm's `topology.conf` and `slurm.conf`, `ibnetdiscover`, `lstopo`.
//!
//! Each reader turns one kind of file into hosts, switches and cables ([`network`]) or into what a node is made of;
//! [`shape`] finds regular trees among them, and [`write`] writes a platform file. What no file says (the speed of a core,
//! latencies, the rates of Slurm's switches) the user must say: nothing is assumed.

mod hostlist;
mod hwloc;
mod infiniband;
mod lines;
mod names;
mod network;
mod shape;
mod slurm;
mod write;

use std::path::Path;

use mpirage_units::{BANDWIDTH, LATENCY, Quantity, SPEED};

use hwloc::Machine;
use mpirage_platform::{NetworkPreset, Platform, PlatformError, Source};
use network::{Cables, DeviceKind, Network};
use shape::Shape;
use slurm::Nodes;
use write::Draft;

/// The user's input besides the files. Quantities are as typed.
#[derive(Clone, Debug, Default)]
pub struct ImportRequest {
    /// The name of the platform.
    pub name: String,
    /// Speed of one core.
    pub speed: String,
    /// A network by name: rates, latency and parameters of models.
    pub net: Option<String>,
    /// Rate of the cables of hosts, for files without rates.
    pub bandwidth: Option<String>,
    /// Latency of one cable.
    pub latency: Option<String>,
    /// Bandwidth of all hosts below a switch divided by that of its uplinks.
    pub oversubscription: Option<f64>,
    /// The number of nodes, if no file lists them.
    pub nodes: Option<u32>,
    /// Cores of a node, if no file says.
    pub cores: Option<u32>,
}

/// A platform file that loads, and remarks about it.
#[derive(Clone, Debug)]
pub struct Imported {
    /// Its text.
    pub text: String,
    /// Remarks for the user: information that the files lack, and the reason why a network cannot be written as a formula.
    pub notes: Vec<String>,
}

/// The contents of the files, by kind.
#[derive(Default)]
struct Site {
    network: Option<Network>,
    nodes: Option<Nodes>,
    machine: Option<Machine>,
}

/// Reads files, each recognised by its contents, and joins them into one platform file.
pub fn import(files: &[String], request: &ImportRequest) -> Result<Imported, PlatformError> {
    let mut site = Site::default();
    for file in files {
        let text = open(Path::new(file)).map_err(PlatformError::new)?;
        site.read(&Source::new(file, &text))?;
    }
    let mut imported = site.platform(files, request)?;
    let platform = Platform::from_text(&request.name, &imported.text)?;
    imported.notes.extend_from_slice(platform.doubts());
    Ok(imported)
}

fn open(path: &Path) -> Result<String, String> {
    mpirage_files::read_text(path, mpirage_files::LONGEST_TEXT).map_err(|error| error.to_string())
}

impl Site {
    fn read(&mut self, source: &Source<'_>) -> Result<(), PlatformError> {
        let twice = |what: &str| {
            Err(PlatformError::new(format!("{}: another file has {what} already", source.file())))
        };
        match recognise(source.text()) {
            Some(Found::Topology) if self.network.is_none() => self.network = Some(slurm::topology(source)?),
            Some(Found::InfiniBand) if self.network.is_none() => {
                self.network = Some(infiniband::fabric(source)?)
            }
            Some(Found::Nodes) if self.nodes.is_none() => self.nodes = Some(Nodes::read(source, &open)?),
            Some(Found::Machine) if self.machine.is_none() => self.machine = Some(hwloc::machine(source)?),
            Some(Found::Topology | Found::InfiniBand) => return twice("the network"),
            Some(Found::Nodes) => return twice("the nodes"),
            Some(Found::Machine) => return twice("the parts of a node"),
            None => {
                return Err(PlatformError::new(format!(
                    "{}: this file is of no kind that can be imported",
                    source.file()
                ))
                .help(
                    "there are Slurm's topology.conf and slurm.conf, ibnetdiscover's output and lstopo's XML",
                ));
            }
        }
        Ok(())
    }

    fn platform(self, files: &[String], request: &ImportRequest) -> Result<Imported, PlatformError> {
        self.check(request)?;
        let mut notes = Vec::new();
        let network = self.joined_network(request, &mut notes)?;
        let (shape, hosts) = shape::recognise(&network).map_err(PlatformError::new)?;
        let names: Vec<String> = hosts.iter().map(|host| network.name(*host).to_owned()).collect();
        let cores: Vec<u32> = names.iter().map(|name| self.cores(name, request)).collect::<Result<_, _>>()?;
        let network = match &shape {
            Shape::Graph(reason) => {
                notes.push(format!("the network is written cable by cable: {reason}"));
                merge_spines(network, &hosts, &mut notes)?
            }
            _ => network,
        };
        let hosts = names.iter().filter_map(|name| network.find(name)).collect();
        let mut comments = vec![format!("Imported from {}.", files.join(", "))];
        comments.extend(self.machine.iter().map(in_words));
        comments.extend(notes.iter().map(|note| format!("Note: {note}.")));
        let draft =
            Draft { network: &network, shape, hosts, cores, comments, ..Draft::of(request, &network)? };
        let text = draft.text().map_err(PlatformError::new)?;
        Ok(Imported { text, notes })
    }

    /// Names everything that neither the files nor the user say, if that are several things.
    fn check(&self, request: &ImportRequest) -> Result<(), PlatformError> {
        let has_rates = |network: &Network| network.cables().iter().all(|cable| cable.bandwidth.is_some());
        let missing = [
            (
                "which nodes there are (topology.conf, slurm.conf or ibnetdiscover's output; or --nodes)",
                self.network.is_none() && self.nodes.is_none() && request.nodes.is_none(),
            ),
            (
                "how many cores they have (slurm.conf or lstopo's XML; or --cores)",
                self.nodes.is_none() && self.machine.is_none() && request.cores.is_none(),
            ),
            (
                "latencies (--net, or --latency of one cable)",
                request.net.is_none() && request.latency.is_none(),
            ),
            (
                "rates (--net, or --bandwidth of one cable)",
                request.net.is_none()
                    && request.bandwidth.is_none()
                    && !self.network.as_ref().is_some_and(has_rates),
            ),
        ];
        let missing: Vec<&str> = missing.into_iter().filter(|(_, is)| *is).map(|(what, _)| what).collect();
        match missing.len() {
            0 | 1 => Ok(()),
            _ => Err(PlatformError::new(format!("no file says {}", missing.join("; nor ")))),
        }
    }

    /// The network of the files; without one, all nodes are on one switch.
    fn joined_network(
        &self,
        request: &ImportRequest,
        notes: &mut Vec<String>,
    ) -> Result<Network, PlatformError> {
        let names: Vec<String> = match (&self.network, &self.nodes, request.nodes) {
            (Some(network), Some(nodes), _) => return only_nodes(network, nodes, notes),
            (Some(network), None, _) => return Ok(network.clone()),
            (None, Some(nodes), _) => nodes.order.clone(),
            (None, None, Some(count)) => (0..count).map(|number| format!("host-{number}")).collect(),
            (None, None, None) => {
                return Err(PlatformError::new("no file lists the nodes")
                    .help("add topology.conf, slurm.conf or ibnetdiscover's output, or give --nodes"));
            }
        };
        notes.push("no file describes switches: all nodes are on one".to_owned());
        Ok(Network::star(&names))
    }

    fn cores(&self, host: &str, request: &ImportRequest) -> Result<u32, PlatformError> {
        let config = self.nodes.as_ref().map(|nodes| nodes.nodes.get(host).copied().unwrap_or_default());
        let cores =
            config.and_then(|config| config.cores()).or(self.machine.as_ref().map(|machine| machine.cores));
        cores.or(request.cores).ok_or_else(|| {
            PlatformError::new(format!("no file says how many cores `{host}` has"))
                .help("add slurm.conf or lstopo's XML, or give --cores")
        })
    }
}

/// A network without the hosts that Slurm does not know: storage, logins.
fn only_nodes(network: &Network, nodes: &Nodes, notes: &mut Vec<String>) -> Result<Network, PlatformError> {
    let known =
        |device| network.kind(device) == DeviceKind::Switch || nodes.nodes.contains_key(network.name(device));
    let others = network.all(DeviceKind::Host).filter(|host| !known(*host)).count();
    if others > 0 {
        notes.push(format!("{others} hosts that slurm.conf does not name are left out"));
    }
    if network.all(DeviceKind::Host).count() == others {
        return Err(PlatformError::new("slurm.conf names none of the hosts of the network"));
    }
    Ok(network.renamed(|device| known(device).then(|| network.name(device).to_owned())))
}

/// Routes of a platform of single cables take one way. Where every switch has hosts or joins those that have, the upper ones
/// are written as one switch: what adaptive routing makes of them.
fn merge_spines(
    network: Network,
    hosts: &[network::Device],
    notes: &mut Vec<String>,
) -> Result<Network, PlatformError> {
    const SPINES: usize = 2;
    let levels = shape::levels(&network, hosts).map_err(PlatformError::new)?;
    let spines = levels.iter().filter(|level| **level == SPINES).count();
    let between_leaves = |cable: &Cables| cable.ends.iter().all(|end| levels[end.0] == 1);
    if spines < 2 || levels.iter().any(|level| *level > SPINES) || network.cables().iter().any(between_leaves)
    {
        return Ok(network);
    }
    notes.push(format!("{spines} upper switches are written as one, because a route here has one way only"));
    let name = |device: network::Device| match levels[device.0] {
        SPINES => "spines".to_owned(),
        _ => network.name(device).to_owned(),
    };
    Ok(network.renamed(|device| Some(name(device))))
}

fn in_words(machine: &Machine) -> String {
    let Machine { packages, numa_nodes, cores, threads, memory, caches } = machine;
    let caches: Vec<_> = caches
        .iter()
        .map(|(level, bytes, count)| format!("{count} × {} KiB L{level}", bytes >> 10))
        .collect();
    format!(
        "A node: {packages} packages, {numa_nodes} NUMA nodes, {cores} cores, {threads} hardware threads, {} GiB; caches: {}.",
        memory >> 30,
        caches.join(", ")
    )
}

/// A quantity of the command line in its base unit.
fn quantity(text: &str, kind: &Quantity, option: &str) -> Result<f64, PlatformError> {
    let read = kind.read(text).map_err(|problem| PlatformError::new(format!("{option}: {problem}")))?;
    Ok(read.value())
}

impl<'d> Draft<'d> {
    /// Starts from the user's input; the rest comes from the files.
    fn of(request: &'d ImportRequest, network: &'d Network) -> Result<Draft<'d>, PlatformError> {
        if request.speed != "host" {
            quantity(&request.speed, &SPEED, "--speed")?;
        }
        let read = |text: &Option<String>, kind, option| {
            text.as_deref().map(|text| quantity(text, kind, option)).transpose()
        };
        let preset = request.net.as_deref().map(NetworkPreset::named).transpose()?;
        let latency =
            read(&request.latency, &LATENCY, "--latency")?.or(preset.as_ref().map(|preset| preset.latency));
        let latency = latency.ok_or_else(|| {
            PlatformError::new("no file has latencies; give --net, or --latency of one cable")
        })?;
        Ok(Draft {
            name: &request.name,
            comments: Vec::new(),
            speed: &request.speed,
            network,
            shape: Shape::OneSwitch,
            hosts: Vec::new(),
            cores: Vec::new(),
            latency,
            net: request.net.as_deref(),
            bandwidth: read(&request.bandwidth, &BANDWIDTH, "--bandwidth")?
                .or(preset.map(|preset| preset.bandwidth)),
            oversubscription: request.oversubscription,
        })
    }
}

/// The kinds of files.
enum Found {
    Topology,
    Nodes,
    InfiniBand,
    Machine,
}

/// The kind of a file, recognised by its first significant line.
fn recognise(text: &str) -> Option<Found> {
    if text.trim_start_matches('\u{feff}').trim_start().starts_with('<') {
        return Some(Found::Machine);
    }
    text.lines().find_map(|line| {
        let line = line.trim_start().to_ascii_lowercase();
        let key: String =
            line.chars().take_while(|letter| !letter.is_whitespace() && *letter != '=').collect();
        match key.as_str() {
            "switchname" | "blockname" | "blocksizes" => Some(Found::Topology),
            "nodename" | "clustername" | "include" | "slurmctldhost" => Some(Found::Nodes),
            "switch" | "ca" | "rt" | "vendid" => Some(Found::InfiniBand),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests;
