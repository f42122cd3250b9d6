//! The graph of one rank: what its nodes do, and which of them wait for which.
//!
//! A file is read once, from front to back, in pieces. What a replay needs of a node stays in memory: 48 bytes, and 4 for each of its
//! dependencies. Names, tensors and everything else are dropped. So all mistakes are found before the run begins.

use std::collections::HashMap;

use mpirage_call::{Collective, Work};
use mpirage_units::{BYTES, DURATION, Quantity, WORK};

use super::files::Named;
use super::groups::Groups;
use super::node::{Attributes, Metadata, Node};
use super::protobuf::{LONGEST_VARINT, NoMessage, varint};
use crate::goal::{Dependency, Successors};
use crate::source::{Source, Window};
use crate::{TraceError, TracePlace};

/// Bytes that are read at a time.
const CHUNK: usize = 64 << 10;
/// No message is longer: the file is something else.
const LONGEST: u64 = 64 << 20;

/// What may be wrong with control dependencies.
const CALLERS: &str = "; if its control dependencies (ctrl_deps) are callers, as in PyTorch's traces, say chakra:TRACE,control=no";

/// What does the work of a node. Each unit of a rank does one thing at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unit {
    /// The processor of the device's host.
    Host,
    /// What computes in the device.
    Device,
    /// What copies to and from its memory.
    Memory,
}

/// What a node does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Task {
    /// Nothing: it only has dependencies.
    Nothing,
    Compute {
        unit: Unit,
        work: Work,
    },
    Send {
        to: u32,
        tag: i32,
        bytes: u64,
    },
    Recv {
        from: u32,
        tag: i32,
        bytes: u64,
    },
    /// The number is its place among the collectives of its group, as this rank lists them.
    Collective {
        kind: Collective,
        group: Option<u32>,
        number: u32,
        root: u32,
        bytes: u64,
    },
}

/// The graph of a rank.
#[derive(Debug)]
pub(super) struct Graph {
    pub tasks: Vec<Task>,
    /// Where each node is in the file.
    pub places: Vec<u64>,
    pub successors: Successors,
}

/// What the nodes of all ranks are read with.
pub(super) struct Context<'a> {
    pub named: &'a Named,
    pub ranks: u32,
    pub groups: Groups,
}

impl Graph {
    /// Reads the file of a rank.
    pub fn read(source: &Source, rank: u32, context: &mut Context<'_>) -> Result<Graph, TraceError> {
        let mut reader = Reader::new(source);
        let metadata = reader.metadata()?;
        // PyTorch's control dependencies say who called whom; its converter puts the order of execution into data dependencies.
        let control = context.named.control.unwrap_or(!metadata.is_pytorch());
        context.groups.begin_rank();
        let mut building = Building {
            rank,
            context,
            tasks: Vec::new(),
            places: Vec::new(),
            by_id: HashMap::new(),
            counts: HashMap::new(),
            waits: Vec::new(),
            control,
        };
        while let Some((at, message)) = reader.message()? {
            let node = Node::decode(message).map_err(|NoMessage(why)| {
                source.bad(at, format!("this is no node of a Chakra trace: {why}"))
            })?;
            building
                .add(at, &node)
                .map_err(|problem| source.bad(at, format!("{}: {problem}", named(&node))))?;
        }
        building.finish(source)
    }
}

/// A node as messages call it.
fn named(node: &Node) -> String {
    match node.name.as_str() {
        "" => format!("node {}", node.id),
        name => format!("node {} `{}`", node.id, name.chars().take(60).collect::<String>()),
    }
}

/// The messages of a file, each of which follows its length.
struct Reader<'a> {
    source: &'a Source,
    window: Window,
    message: Vec<u8>,
}

impl<'a> Reader<'a> {
    fn new(source: &'a Source) -> Reader<'a> {
        Reader { source, window: Window::default(), message: Vec::new() }
    }

    /// The first message says which version of the schema follows.
    fn metadata(&mut self) -> Result<Metadata, TraceError> {
        let source = self.source;
        let problem = "this is no Chakra trace: it should begin with its metadata (GlobalMetadata)";
        let bad = |_| source.bad(0, problem);
        let Some((_, message)) = self.message()? else {
            return Err(TraceError::bad(source.name(), TracePlace::File, "is empty: there is no node in it"));
        };
        let metadata = Metadata::decode(message).map_err(bad)?;
        if is_old(&metadata.version) {
            return Err(source.bad(
                0,
                format!("schema {} is too old: only 0.0.4 and later can be replayed", metadata.version),
            ));
        }
        Ok(metadata)
    }

    /// The next message and where it is; none at the end.
    fn message(&mut self) -> Result<Option<(u64, &[u8])>, TraceError> {
        let (at, Some(length)) = (self.window.position(), self.length()?) else { return Ok(None) };
        if length > LONGEST {
            return Err(self.source.bad(at, format!("a node of {length} bytes: this is no Chakra trace")));
        }
        self.message.clear();
        let source = self.source;
        let whole = self
            .window
            .copy(length as usize, &mut self.message, |at, into| source.append(at, CHUNK, into))?;
        if !whole {
            return Err(source.bad(at, "the file ends in the middle of this node; it is not complete"));
        }
        Ok(Some((at, &self.message)))
    }

    fn length(&mut self) -> Result<Option<u64>, TraceError> {
        let (source, at) = (self.source, self.window.position());
        let mut bytes = Vec::with_capacity(LONGEST_VARINT);
        while bytes.len() < LONGEST_VARINT {
            let more = |at, into: &mut Vec<u8>| source.append(at, CHUNK, into);
            match self.window.take::<1>(more)? {
                Some([byte]) => bytes.push(byte),
                None if bytes.is_empty() => return Ok(None),
                None => {
                    return Err(source.bad(at, "the file ends in the middle of a number; it is not complete"));
                }
            }
            if bytes.last().is_some_and(|byte| *byte < 0x80) {
                break;
            }
        }
        varint(&mut bytes.as_slice()).map(Some).map_err(|NoMessage(why)| source.bad(at, why))
    }
}

/// Is this a version of the schema before 0.0.4? PyTorch has versions such as `1.0.2-chakra.0.0.4`.
fn is_old(version: &str) -> bool {
    let version = version.rsplit_once("chakra.").map_or(version, |(_, version)| version);
    let numbers: Result<Vec<u32>, _> = version.split('.').map(str::parse).collect();
    numbers.is_ok_and(|numbers| numbers.as_slice() < [0, 0, 4].as_slice())
}

/// A graph whose file is being read.
struct Building<'a, 'c> {
    rank: u32,
    context: &'a mut Context<'c>,
    tasks: Vec<Task>,
    places: Vec<u64>,
    by_id: HashMap<u64, u32>,
    /// Collectives of each group so far.
    counts: HashMap<Option<u32>, u32>,
    /// Which node waits for which other, the latter by its id.
    waits: Vec<(u32, u64)>,
    /// Do control dependencies count?
    control: bool,
}

impl Building<'_, '_> {
    fn add(&mut self, at: u64, node: &Node) -> Result<(), String> {
        let place = u32::try_from(self.tasks.len()).map_err(|_| "there are more than 2^32 nodes")?;
        if self.by_id.insert(node.id, place).is_some() {
            return Err("another node has the same id".into());
        }
        let task = self.task(node)?;
        self.waits.extend(node.data_dependencies.iter().map(|&id| (place, id)));
        if self.control {
            self.waits.extend(node.control_dependencies.iter().map(|&id| (place, id)));
        }
        self.tasks.push(task);
        self.places.push(at);
        Ok(())
    }

    fn task(&mut self, node: &Node) -> Result<Task, String> {
        let attributes = &node.attributes;
        match node.kind {
            0 => Ok(Task::Nothing),
            1 => self.context.groups.learn(&node.inputs).map(|()| Task::Nothing),
            2 | 3 => self.compute(Unit::Memory, node),
            4 if attributes.is_cpu_op => self.compute(Unit::Host, node),
            // The call that starts the communication of the device, which is a node of its own.
            5..=7 if attributes.is_cpu_op && attributes.says_no_peer() => self.compute(Unit::Host, node),
            4 => self.compute(Unit::Device, node),
            5 => self.send(attributes),
            6 => self.recv(attributes),
            7 => self.collective(attributes),
            kind => Err(format!(
                "its type is {kind}; known are 0 to 7 (METADATA to COMM_COLL, as in schema 0.0.4)"
            )),
        }
    }

    /// A node with a duration takes as long; of one without, or if the user says so, operations and bytes count.
    fn compute(&self, unit: Unit, node: &Node) -> Result<Task, String> {
        let Named { roofline, device, .. } = *self.context.named;
        let flops = quantity(&WORK, "num_ops", node.attributes.num_ops)?;
        let bytes = quantity(&BYTES, "tensor_size", node.attributes.tensor_size)?;
        // Work of the host is not counted in operations of the device.
        let counted = flops + bytes > 0.0 && unit != Unit::Host;
        let work = if node.micros > 0 && !(roofline && counted) {
            DURATION.check(node.micros as f64 * 1e-6).map_err(|error| format!("duration_micros: {error}"))?;
            Work::Nanos(node.micros.saturating_mul(1000))
        } else if !counted {
            return Ok(Task::Nothing);
        } else if let Some((speed, bandwidth)) = device {
            Work::Nanos(((flops / speed).max(bytes / bandwidth) * 1e9).round() as u64)
        } else {
            Work::Roofline { flops, bytes }
        };
        Ok(Task::Compute { unit, work })
    }

    fn send(&self, attributes: &Attributes) -> Result<Task, String> {
        self.check_self("comm_src", attributes.comm_src)?;
        let to = self.peer("comm_dst", attributes.comm_dst)?;
        Ok(Task::Send { to, tag: tag(attributes)?, bytes: size(attributes)? })
    }

    fn recv(&self, attributes: &Attributes) -> Result<Task, String> {
        self.check_self("comm_dst", attributes.comm_dst)?;
        let from = self.peer("comm_src", attributes.comm_src)?;
        Ok(Task::Recv { from, tag: tag(attributes)?, bytes: size(attributes)? })
    }

    fn check_self(&self, name: &str, rank: Option<i64>) -> Result<(), String> {
        match rank {
            Some(other) if other != i64::from(self.rank) => {
                Err(format!("its {name} is {other}, but it is in the file of rank {}", self.rank))
            }
            _ => Ok(()),
        }
    }

    fn peer(&self, name: &str, rank: Option<i64>) -> Result<u32, String> {
        let ranks = self.context.ranks;
        let Some(rank) = rank else {
            return Err(format!(
                "it has no {name}: a message needs the other rank; add the attribute when the trace is converted"
            ));
        };
        let known = u32::try_from(rank).ok().filter(|&rank| rank < ranks);
        known.ok_or_else(|| format!("its {name} is {rank}, but the trace has ranks 0 to {}", ranks - 1))
    }

    /// The size is that of a rank's input, as ASTRA-sim and the converter of PyTorch's traces count it.
    fn collective(&mut self, attributes: &Attributes) -> Result<Task, String> {
        let (kind, cut) = kind_of(attributes.comm_type)?;
        let groups = &mut self.context.groups;
        let group = groups.of(self.rank, attributes)?;
        let ranks = u64::from(groups.size(group));
        let bytes = if kind == Collective::Barrier { 0 } else { size(attributes)? };
        let bytes = if cut { bytes.div_ceil(ranks) } else { bytes };
        if bytes.checked_mul(ranks).is_none_or(|all| all > i64::MAX as u64) {
            return Err(format!("{bytes} bytes for each of {ranks} ranks are more than 2^63"));
        }
        let root = match attributes.comm_src.filter(|_| kind.is_rooted()) {
            None => 0,
            Some(root) => {
                u32::try_from(root).ok().and_then(|root| groups.place(group, root)).ok_or_else(|| {
                    format!("its root (comm_src) is {root}, which is no rank of its process group")
                })?
            }
        };
        let count = self.counts.entry(group).or_default();
        *count += 1;
        Ok(Task::Collective { kind, group, number: *count - 1, root, bytes })
    }

    fn finish(self, source: &Source) -> Result<Graph, TraceError> {
        let Building { tasks, places, by_id, waits, control, .. } = self;
        let mut dependencies = Vec::with_capacity(waits.len());
        let hint = if control { CALLERS } else { "" };
        for (later, id) in waits {
            let Some(&earlier) = by_id.get(&id) else {
                let problem = format!("a node waits for node {id}, which is not in the file{hint}");
                return Err(source.bad(places[later as usize], problem));
            };
            dependencies.push(Dependency { later, earlier, start: false });
        }
        let successors = Successors::of_dependencies(tasks.len(), &dependencies);
        match successors.in_a_cycle() {
            None => Ok(Graph { tasks, places, successors }),
            Some(node) => {
                let problem =
                    format!("this node waits for itself, through the nodes that it depends on{hint}");
                Err(source.bad(places[node as usize], problem))
            }
        }
    }
}

/// The collective of a type, and whether its size is cut into blocks, one per rank.
fn kind_of(comm_type: Option<i64>) -> Result<(Collective, bool), String> {
    let Some(comm_type) = comm_type else { return Err("it has no comm_type".into()) };
    Ok(match comm_type {
        0 => (Collective::Allreduce, false),
        1 => (Collective::Reduce, false),
        2 => (Collective::Allgather, false),
        3 => (Collective::Gather, false),
        4 => (Collective::Scatter, true),
        5 => (Collective::Bcast, false),
        6 => (Collective::Alltoall, true),
        7 | 8 => (Collective::ReduceScatterBlock, true),
        9 => (Collective::Barrier, false),
        other => return Err(format!("its comm_type is {other}; known are 0 (ALL_REDUCE) to 9 (BARRIER)")),
    })
}

fn size(attributes: &Attributes) -> Result<u64, String> {
    let Some(size) = attributes.comm_size else { return Err("it has no comm_size".into()) };
    u64::try_from(size).map_err(|_| format!("its comm_size is {size}; a size is not negative"))
}

fn tag(attributes: &Attributes) -> Result<i32, String> {
    let tag = attributes.comm_tag.unwrap_or(0);
    i32::try_from(tag)
        .ok()
        .filter(|&tag| tag >= 0)
        .ok_or_else(|| format!("its comm_tag is {tag}; tags go from 0 to 2147483647"))
}

fn quantity(quantity: &Quantity, name: &str, number: Option<f64>) -> Result<f64, String> {
    let Some(number) = number else { return Ok(0.0) };
    quantity.check(number).map(|_| number).map_err(|error| format!("{name}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        assert!(["0.0.1", "0.0.3", "0.0", "1.0.2-chakra.0.0.3"].into_iter().all(is_old));
        assert!(!["0.0.4", "0.0.10", "0.1.0", "1.0.2-chakra.0.0.4", "", "draft"].into_iter().any(is_old));
    }
}
