//! Configurations of Dimemas (`.cfg`): a machine, a model and a placement in one file.
//!
//! A file is a list of records, `"name" {field, field, …};;`, with C's comments. Nodes become the hosts of a platform,
//! their latencies, links and buses the parameters of `bus`, the mapping a placement. A second file, named in the first,
//! may say how collectives go.
//!
//! Left aside, with a warning where it would matter: schedulers, file systems, accelerators, links within nodes, which
//! belong to tasks in Dimemas. Refused: several machines (wide area networks), bursts of fixed length (negative ratios).

mod records;

use std::path::Path;

use mpirage_models::{BusNode, BusParameters, Fan, FanTable, Fans, KINDS, Limit, Links};
use mpirage_platform::{HostId, Platform};
use mpirage_units::{BANDWIDTH, SPEED};

use crate::bus::{self, Bus};
use crate::model::{Model, ModelError};
use crate::network::Network;
use crate::placement::Placement;
use records::{Record, records};

/// Flops of a node whose relative speed is 1: bursts were measured on such a one.
pub const REFERENCE_SPEED: f64 = 1e9;

/// Flops of a node on which computation takes no time.
const INSTANTANEOUS: f64 = 1e30;

/// Nodes are kept one by one; of more than this a platform file can tell.
const MOST_NODES: usize = 1 << 20;

/// Bytes of a megabyte.
const MEGABYTE: f64 = 1_048_576.0;

/// The machine and model of a configuration.
#[derive(Debug)]
pub struct Dimemas {
    /// The nodes. A relative speed of 1 is [`REFERENCE_SPEED`].
    pub platform: Platform,
    /// Network and protocol.
    pub model: Model,
    /// Warnings about parts of the configuration that are ignored.
    pub warnings: Vec<String>,
    mapping: Mapping,
}

/// Where tasks go.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Mapping {
    /// One node for each.
    Each(Vec<u32>),
    /// So many to a node, then the next node.
    PerNode(u32),
    /// As many to a node as it has processors.
    FillNodes,
    /// One to each node in turn.
    Interleaved,
}

/// A node, and how fast it computes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Node {
    processors: u32,
    /// Flops of a processor.
    speed: f64,
    links: BusNode,
}

/// The contents of the records read so far.
#[derive(Debug, Default)]
struct Draft {
    machine: Option<(u32, f64, Limit, Fan)>,
    nodes: Vec<Node>,
    mapping: Option<Mapping>,
    collectives: Option<String>,
}

impl Dimemas {
    /// Reads a configuration, and the file of collectives that it names, which is looked for beside it.
    pub fn load(path: &str) -> Result<Dimemas, ModelError> {
        let text = read(Path::new(path))?;
        let mut draft = Draft::default();
        for record in records(path, &text)? {
            draft.take(&record)?;
        }
        let mut warnings = Vec::new();
        let (nodes, network, fan) = draft.machine(path)?;
        let mut collectives = FanTable::uniform(fan);
        if let Some(file) = &draft.collectives {
            let beside = Path::new(path).parent().unwrap_or(Path::new("")).join(file);
            read_collectives(&beside, &mut collectives, &mut warnings)?;
        }
        let platform = platform_of(path, &nodes, &network)?;
        let model = Model::of_network(path, Network::Bus(Bus { network, collectives }));
        let mapping = draft.mapping.unwrap_or(Mapping::FillNodes);
        Ok(Dimemas { platform, model, warnings, mapping })
    }

    /// Where so many ranks live.
    pub fn placement(&self, ranks: u32) -> Result<Placement, ModelError> {
        let hosts = self.platform.host_count();
        let places: Vec<u32> = match &self.mapping {
            Mapping::Each(nodes) if nodes.len() != ranks as usize => {
                return Err(self.wrong(format!("it maps {} tasks, not {ranks}", nodes.len())));
            }
            Mapping::Each(nodes) => nodes.clone(),
            Mapping::PerNode(tasks) => (0..ranks).map(|rank| rank / tasks).collect(),
            Mapping::Interleaved => (0..ranks).map(|rank| rank % hosts).collect(),
            Mapping::FillNodes => {
                let processors = |host: u32| self.platform.host(HostId(host)).cores as usize;
                (0..hosts)
                    .flat_map(|host| std::iter::repeat_n(host, processors(host)))
                    .take(ranks as usize)
                    .collect()
            }
        };
        if places.len() < ranks as usize || places.iter().any(|&host| host >= hosts) {
            return Err(self.wrong(format!("{ranks} tasks do not fit on its {hosts} nodes as it maps them")));
        }
        Ok(Placement::of(&self.platform, places.into_iter().map(HostId).collect()))
    }

    fn wrong(&self, problem: String) -> ModelError {
        ModelError::Dimemas(format!("{}: {problem}", self.model.name))
    }
}

fn read(path: &Path) -> Result<String, ModelError> {
    mpirage_files::read_text(path, mpirage_files::LONGEST_TEXT)
        .map_err(|error| ModelError::Dimemas(error.to_string()))
}

impl Draft {
    fn take(&mut self, record: &Record<'_>) -> Result<(), ModelError> {
        match record.name {
            "wide area network information" if record.whole::<u32>(1)? != 1 => {
                Err(record.wrong("only one machine can be simulated; write 1 as the number of machines"))
            }
            "environment information" => self.environment(record),
            "node information" => self.node(record, 1, 1),
            "multi node information" => {
                let count = record.whole(1)?;
                self.node(record, count, 2)
            }
            "mapping information" => {
                self.mapping = Some(Mapping::Each(record.list(2)?));
                Ok(())
            }
            "predefined mapping information" => {
                self.mapping = Some(predefined(record)?);
                Ok(())
            }
            "configuration files" => {
                self.collectives = Some(record.text(2)?.to_owned()).filter(|file| !file.is_empty());
                Ok(())
            }
            "dedicated connection information" => {
                Err(record.wrong("dedicated connections cannot be simulated; take them out"))
            }
            "wide area network information"
            | "file system parameters"
            | "modules information"
            | "accelerator node information" => Ok(()),
            other => Err(record.wrong(&format!("records `{other}` are not known"))),
        }
    }

    fn environment(&mut self, record: &Record<'_>) -> Result<(), ModelError> {
        if self.machine.is_some() {
            return Err(record.wrong("only one machine can be simulated"));
        }
        let fan = match record.whole(6)? {
            1 => Fan::Constant,
            2 => Fan::Linear,
            3 => Fan::Logarithmic,
            other => return Err(record.wrong(&format!("the model of collectives is 1, 2 or 3, not {other}"))),
        };
        self.machine = Some((record.whole(3)?, bandwidth(record, 4)?, limit(record.whole(5)?), fan));
        Ok(())
    }

    /// So many nodes; `at` is the field of their architecture.
    fn node(&mut self, record: &Record<'_>, count: u32, at: usize) -> Result<(), ModelError> {
        if record.is_negative(at + 2) {
            return Err(record.wrong("bursts of a fixed length (a negative speed) cannot be simulated"));
        }
        let speed = record.unless_zero(at + 2, &SPEED, REFERENCE_SPEED)?.unwrap_or(INSTANTANEOUS);
        if self.nodes.len() + count as usize > MOST_NODES {
            return Err(record.wrong(&format!("a machine can have {MOST_NODES} nodes and no more")));
        }
        let links = match (record.whole(at + 9)?, record.whole(at + 10)?) {
            (0, 0) => Links::Duplex { inputs: None, outputs: None },
            (links, 0) | (0, links) => Links::HalfDuplex(links),
            (inputs, outputs) => Links::Duplex { inputs: Some(inputs), outputs: Some(outputs) },
        };
        let links = BusNode {
            links,
            latency: record.seconds(at + 8)?,
            within_latency: record.seconds(at + 3)?,
            within_bandwidth: bandwidth(record, at + 4)?,
            within_buses: limit(record.whole(at + 5)?),
        };
        let node = Node { processors: record.whole::<u32>(at + 1)?.max(1), speed, links };
        self.nodes.extend(std::iter::repeat_n(node, count as usize));
        Ok(())
    }

    fn machine(&self, path: &str) -> Result<(Vec<Node>, BusParameters, Fan), ModelError> {
        let missing = |what| ModelError::Dimemas(format!("{path}: there is no record of {what}"));
        let (count, bandwidth, buses, fan) =
            self.machine.ok_or_else(|| missing("\"environment information\""))?;
        if self.nodes.is_empty() {
            return Err(missing("\"node information\" or \"multi node information\""));
        }
        if self.nodes.len() != count as usize {
            return Err(ModelError::Dimemas(format!(
                "{path}: the machine has {count} nodes, but {} are described",
                self.nodes.len()
            )));
        }
        let mut nodes: Vec<BusNode> = self.nodes.iter().map(|node| node.links).collect();
        if nodes.windows(2).all(|pair| pair[0] == pair[1]) {
            nodes.truncate(1);
        }
        Ok((self.nodes.clone(), BusParameters { nodes, bandwidth, buses }, fan))
    }
}

/// Zero means no limit.
fn limit(count: u32) -> Limit {
    (count > 0).then_some(count)
}

/// Megabytes per second; zero is infinitely many.
fn bandwidth(record: &Record<'_>, field: usize) -> Result<f64, ModelError> {
    Ok(record.unless_zero(field, &BANDWIDTH, MEGABYTE)?.unwrap_or(f64::INFINITY))
}

fn predefined(record: &Record<'_>) -> Result<Mapping, ModelError> {
    let text = record.text(record.fields.len() - 1)?;
    let words: Vec<&str> = text.split_whitespace().collect();
    match words[..] {
        ["FILL_NODES"] => Ok(Mapping::FillNodes),
        ["INTERLEAVED"] => Ok(Mapping::Interleaved),
        [tasks, "TASKS_PER_NODE"] if tasks.parse().is_ok_and(|tasks: u32| tasks > 0) => {
            Ok(Mapping::PerNode(tasks.parse().unwrap_or(1)))
        }
        _ => {
            Err(record
                .wrong(&format!("`{text}` is none of FILL_NODES, INTERLEAVED and <number> TASKS_PER_NODE")))
        }
    }
}

/// `1 LOG MAX 0 MAX`: how one collective goes. Other lines that Dimemas knows are of no use here.
fn read_collectives(path: &Path, table: &mut FanTable, warnings: &mut Vec<String>) -> Result<(), ModelError> {
    let text = read(path)?;
    for (line, text) in text.lines().enumerate() {
        let place = || format!("{}:{}", path.display(), line + 1);
        let words: Vec<&str> = text.split_whitespace().collect();
        let row = match words[..] {
            ["Machine", "globalop:", "0", ref row @ ..] => row,
            [first, ..] if first.parse::<u32>().is_ok() => &words,
            [] | ["External", "globalop:", ..] | ["Policy:", "FIFO", ..] => continue,
            [first, ..] if first.starts_with(['#', '/']) => continue,
            _ => {
                warnings.push(format!("{}: `{text}` is left aside", place()));
                continue;
            }
        };
        let wrong = |what: &str| ModelError::Dimemas(format!("{}: {what}, in `{text}`", place()));
        let [operation, fan_in, size_in, fan_out, size_out, ..] = row[..] else {
            return Err(wrong(
                "a collective needs a number, then model and size in, then model and size out",
            ));
        };
        let kind = operation.parse().ok().and_then(|number: usize| KINDS.get(number).copied());
        let kind = kind.ok_or_else(|| wrong("there is no such collective"))?;
        let fan = |name: &str| bus::fan(name).ok_or_else(|| wrong("models are 0, CT, LIN and LOG"));
        let size =
            |name: &str| bus::size(name).ok_or_else(|| wrong("sizes are CURR, MAX, MIN, MEAN, 2MAX and S+R"));
        table.set(
            kind,
            Fans { fan_in: (fan(fan_in)?, size(size_in)?), fan_out: (fan(fan_out)?, size(size_out)?) },
        );
    }
    Ok(())
}

/// Hosts with processors and a speed. The links are there for whoever asks for a route; `bus` does not.
fn platform_of(path: &str, nodes: &[Node], network: &BusParameters) -> Result<Platform, ModelError> {
    use std::fmt::Write as _;
    let wire = |latency: f64| {
        let bandwidth = network.bandwidth.min(1e15);
        format!("bandwidth = \"{bandwidth:e}Bps\"\nlatency = \"{latency:e}s\"\n")
    };
    let first = nodes[0];
    let mut text = String::new();
    if nodes.iter().all(|node| (node.processors, node.speed) == (first.processors, first.speed)) {
        let (hosts, cores, speed) = (nodes.len(), first.processors, first.speed);
        let wire = wire(first.links.latency / 2.0);
        let _ = write!(
            text,
            "[cluster]\nhosts = {hosts}\ncores = {cores}\nspeed = \"{speed:e}f\"\nprefix = \"node\"\n{wire}"
        );
    } else {
        let _ = write!(text, "routing = \"shortest\"\n[[router]]\nname = \"switch\"\n");
        for (number, node) in nodes.iter().enumerate() {
            let (cores, speed, wire) = (node.processors, node.speed, wire(node.links.latency / 2.0));
            let _ = write!(
                text,
                "[[host]]\nname = \"node{number}\"\ncores = {cores}\nspeed = \"{speed:e}f\"\n\
                 [[link]]\nname = \"wire{number}\"\n{wire}\
                 [[route]]\nfrom = \"node{number}\"\nto = \"switch\"\nlinks = [\"wire{number}:up\"]\n"
            );
        }
    }
    Ok(Platform::from_text(path, &text)?)
}

#[cfg(test)]
mod tests;
