//! Execution traces of Chakra, of MLCommons: per rank a graph of computations, messages and collectives, as ASTRA-sim replays them.
//!
//! A node whose dependencies are met starts as a request; a harvest asks for completed nodes, which free others. Messages and collectives
//! start at once, any number of them together. Computations wait for their unit ([`graph::Unit`]): it takes the one that comes first in the
//! file. Collectives of a group match by their order in the files, not by the order in which ranks happen to start them.
//!
//! | file | what |
//! |---|---|
//! | `files` | names of files, options |
//! | `protobuf` | bytes as fields |
//! | `node` | fields as a node |
//! | `groups` | who takes part in a collective |
//! | `graph` | nodes as a graph |

mod files;
mod graph;
mod groups;
mod node;
mod protobuf;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::PathBuf;

use mpirage_call::{
    Call, Collective, CollectiveCall, ContextId, FIRST_MADE, Payload, Reply, RequestId, SendMode, Stamp,
    WORLD,
};

use crate::function::stamp_of;
use crate::generate::{CollectiveSpec, nonblocking};
use crate::source::Source;
use crate::{Calls, Step, TraceError, TracePlace, Workload};
use files::Named;
use graph::{Context, Graph, Task, Unit};
use groups::Groups;

/// Collectives of a group that ranks may start in different orders: the engine keeps as many plans.
const PLANS: u32 = 256;

/// An execution trace.
#[derive(Debug)]
pub struct Chakra {
    sources: Vec<Source>,
    ranks: Vec<Rank>,
    /// The members of each process group.
    groups: Vec<Vec<u32>>,
    first: ContextId,
    stamps: Stamps,
}

/// How far a rank is.
#[derive(Debug)]
struct Rank {
    graph: Graph,
    begun: bool,
    done: usize,
    /// Nodes that can start. Those that can at the same instant do in the order of the file.
    ready: BinaryHeap<Reverse<u32>>,
    units: [Queue; 3],
    /// The node behind each request, from request 1 on.
    behind: Vec<u32>,
    free: Vec<u32>,
}

/// The computations that wait for a unit, and whether it has one.
#[derive(Debug, Default)]
struct Queue {
    waiting: BinaryHeap<Reverse<u32>>,
    busy: bool,
}

#[derive(Debug)]
struct Stamps {
    send: Stamp,
    recv: Stamp,
    harvest: Stamp,
    collectives: Vec<(Collective, Stamp)>,
}

impl Chakra {
    /// Opens a trace by its folder, by what the names of its files begin with, or by one of them, with options as
    /// `chakra:PATH,key=value`.
    pub fn open(spec: &str) -> Result<Chakra, TraceError> {
        let named = Named::parse(spec)?;
        Chakra::read(files::open(&named.path)?, &named)
    }

    /// A trace that is in memory: the file of each rank.
    pub fn from_bytes(files: Vec<Vec<u8>>) -> Result<Chakra, TraceError> {
        let name = |rank| PathBuf::from(format!("chakra.{rank}.et"));
        let sources = (0..).zip(files).map(|(rank, bytes): (u32, _)| Source::memory(&name(rank), bytes));
        Chakra::read(sources.collect(), &Named::default())
    }

    /// Is this the name of such a trace?
    pub(crate) fn recognise(spec: &str) -> bool {
        files::recognise(spec)
    }

    fn read(sources: Vec<Source>, named: &Named) -> Result<Chakra, TraceError> {
        let ranks = sources.len() as u32;
        let mut context = Context { named, ranks, groups: Groups::new(ranks, named)? };
        let graphs = (0..).zip(&sources).map(|(rank, source)| Graph::read(source, rank, &mut context));
        let ranks = graphs.map(|graph| graph.map(Rank::new)).collect::<Result<_, _>>()?;
        let groups = context.groups.into_members();
        Ok(Chakra { sources, ranks, groups, first: FIRST_MADE, stamps: Stamps::new() })
    }

    /// Starts what can start, and what that frees.
    fn start_all(&mut self, rank: u32, calls: &mut Calls<'_>) {
        loop {
            while let Some(Reverse(node)) = self.ranks[rank as usize].ready.pop() {
                self.start(rank, node, calls);
            }
            let started =
                [Unit::Host, Unit::Device, Unit::Memory].map(|unit| self.keep_busy(rank, unit, calls));
            if started == [false; 3] && self.ranks[rank as usize].ready.is_empty() {
                return;
            }
        }
    }

    fn start(&mut self, rank: u32, node: u32, calls: &mut Calls<'_>) {
        let state = &mut self.ranks[rank as usize];
        let site = state.graph.places[node as usize];
        match state.graph.tasks[node as usize] {
            Task::Nothing => state.finish(node),
            Task::Compute { unit, .. } => state.units[unit as usize].waiting.push(Reverse(node)),
            Task::Send { to, tag, bytes } => {
                // As in ASTRA-sim, a send does not wait for its receive, however long the message is.
                let (mode, payload, request) = (SendMode::Buffered, Payload::Absent, Some(state.open(node)));
                let call =
                    Call::Send { mode, context: WORLD, to, tag, bytes, payload, request, answer: true };
                calls.push(&Stamp { site, ..self.stamps.send }, &call);
            }
            Task::Recv { from, tag, bytes } => {
                let (from, tag, request) = (Some(from), Some(tag), Some(state.open(node)));
                let call =
                    Call::Recv { context: WORLD, from, tag, bytes, address: 0, request, matched: None };
                calls.push(&Stamp { site, ..self.stamps.recv }, &call);
            }
            Task::Collective { kind, group, number, root, bytes } => {
                let request = Some(state.open(node));
                let stamp = Stamp { site, ..self.stamps.of(kind) };
                let (context, ranks, seat) = self.membership(rank, group);
                let spec = CollectiveSpec { kind, ranks, bytes, root };
                let plan = number % PLANS + 1;
                let call = CollectiveCall { context, request, plan, ..spec.call(seat, &[]) };
                calls.push(&stamp, &Call::Collective(call));
            }
        }
    }

    /// The communicator of a group, its size, and the rank in it.
    fn membership(&self, rank: u32, group: Option<u32>) -> (ContextId, u32, u32) {
        let Some(number) = group else { return (WORLD, self.ranks.len() as u32, rank) };
        let members = &self.groups[number as usize];
        let seat = members.iter().position(|&member| member == rank).unwrap_or(0);
        (ContextId::new(self.first.get() + number), members.len() as u32, seat as u32)
    }

    /// An idle unit starts the first computation that waits for it; false if there is none.
    fn keep_busy(&mut self, rank: u32, unit: Unit, calls: &mut Calls<'_>) -> bool {
        let state = &mut self.ranks[rank as usize];
        let queue = &mut state.units[unit as usize];
        if queue.busy {
            return false;
        }
        let Some(Reverse(node)) = queue.waiting.pop() else { return false };
        queue.busy = true;
        let Task::Compute { work, .. } = state.graph.tasks[node as usize] else { return false };
        let stamp = Stamp { site: state.graph.places[node as usize], ..Stamp::default() };
        calls.push(&stamp, &Call::Compute { work, request: Some(state.open(node)) });
        true
    }
}

impl Rank {
    fn new(graph: Graph) -> Rank {
        let (ready, behind, free) = (BinaryHeap::new(), Vec::new(), Vec::new());
        Rank { graph, begun: false, done: 0, ready, units: Default::default(), behind, free }
    }

    /// Gives a node that starts its request.
    fn open(&mut self, node: u32) -> RequestId {
        let request = self.free.pop().unwrap_or_else(|| {
            self.behind.push(0);
            self.behind.len() as u32
        });
        self.behind[request as usize - 1] = node;
        RequestId::new(request)
    }

    /// The node behind a request has ended.
    fn harvest(&mut self, request: u32) {
        let Some(&node) = request.checked_sub(1).and_then(|index| self.behind.get(index as usize)) else {
            return;
        };
        self.free.push(request);
        if let Task::Compute { unit, .. } = self.graph.tasks[node as usize] {
            self.units[unit as usize].busy = false;
        }
        self.finish(node);
    }

    /// One dependency less for those that wait for a node.
    fn finish(&mut self, node: u32) {
        self.done += 1;
        let Graph { successors, .. } = &mut self.graph;
        for place in successors.of_end(node as usize) {
            let later = successors.list[place as usize];
            let left = &mut successors.counts[later as usize];
            *left -= 1;
            if *left == 0 {
                self.ready.push(Reverse(later));
            }
        }
    }

    fn begin(&mut self) {
        self.ready.extend(self.graph.successors.roots().map(Reverse));
        self.begun = true;
    }
}

impl Stamps {
    fn new() -> Stamps {
        let stamp = |kind: Collective| {
            let name = CollectiveSpec { kind, ranks: 1, bytes: 0, root: 0 }.function();
            (kind, stamp_of(&nonblocking(&name)))
        };
        let collectives = Collective::OF_ALL_RANKS.into_iter().map(stamp).collect();
        let (send, recv) = (stamp_of("MPI_Ibsend"), stamp_of("MPI_Irecv"));
        Stamps { send, recv, harvest: stamp_of("MPI_Waitsome"), collectives }
    }

    fn of(&self, kind: Collective) -> Stamp {
        self.collectives
            .iter()
            .find(|(other, _)| *other == kind)
            .map_or(Stamp::default(), |&(_, stamp)| stamp)
    }
}

impl Workload for Chakra {
    fn ranks(&self) -> u32 {
        self.ranks.len() as u32
    }

    fn is_graph(&self) -> bool {
        true
    }

    fn communicators(&self) -> Vec<Vec<u32>> {
        self.groups.clone()
    }

    fn number_communicators_from(&mut self, first: ContextId) {
        self.first = first;
    }

    fn share_done(&self) -> Option<f64> {
        let rank = self.ranks.first().filter(|rank| rank.begun)?;
        Some(rank.done as f64 / rank.graph.tasks.len().max(1) as f64)
    }

    fn next(&mut self, rank: u32, reply: &Reply, calls: &mut Calls<'_>) -> Result<Step, TraceError> {
        let state = &mut self.ranks[rank as usize];
        if state.begun {
            reply.completions.iter().for_each(|completion| state.harvest(completion.index));
        } else {
            state.begin();
        }
        self.start_all(rank, calls);
        let state = &self.ranks[rank as usize];
        if state.free.len() == state.behind.len() {
            return Ok(Step::Ended);
        }
        calls.push(&self.stamps.harvest, &Call::TakeCompleted);
        Ok(Step::Waits)
    }

    fn place(&self, rank: u32, site: u64) -> Option<(PathBuf, TracePlace)> {
        let source = self.sources.get(rank as usize)?;
        (site > 0).then(|| (source.name().to_owned(), TracePlace::Byte(site)))
    }
}
