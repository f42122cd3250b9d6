//! The memory of hosts: messages between ranks of a host, and computation that reads and writes memory.
//!
//! A message of s bytes is copied by cores, each at the rate c that one core reaches:
//!
//! ```text
//! two copies   T = L + b + (min(s, f) + s) / c   sender → shared buffer → receiver, in pieces of f bytes that overlap
//! single copy  T = L + l + s / c                 the receiver copies out of the sender's memory; l: the start of it
//! ```
//!
//! L is the latency between the NUMA domains of the two ranks; b is 0 for messages that are so short that they need no buffer. Messages that fit into caches are copied at the rate of caches.
//! While it is copied, a message asks x bytes per second of these resources, x its share:
//!
//! * of each copying core x, of the c that it has: a rank copies one byte at a time, however many messages it has;
//! * of the memory of a NUMA domain x for each read and each write there: x at the sender's side, x at the receiver's, and 2x more at
//!   the sender's for a shared buffer whose pieces do not fit into caches. Nothing if the message itself fits into caches;
//! * of the link between two sockets x, if the ranks are on different ones.
//!
//! Where caches read a line before a core writes to it, a write counts twice. A shared buffer between two sockets then crosses the link both ways: the
//! sender gets its lines, the receiver gets them back; and it passes the memory, since a line that another socket has changed is written there.
//!
//! A computation of V bytes asks for them at the rate at which its cores need them, of the memory of its NUMA domain.
//! Max-min sharing gives the same memory traffic to all cores that wait for memory: a copying core moves 2x, so the penalty of messages
//! is 2, that of computation 1.
//!
//! A rank that may run on several domains uses each of them for the same part of its time.
//!
//! Sources: the counting of reads and writes is that of McCalpin's STREAM; the roofline is Williams, Waterman, Patterson,
//! *Roofline: an insightful visual performance model for multicore architectures* (CACM 52(4), 2009).

use std::ops::Range;

use mpirage_fair::{FlowId, Footprint, ResourceId, Sharing, SharingPolicy};
use mpirage_kernel::{Agenda, Cargo, Event, MemoryModel, Milestone, Model, Token, Traffic, Transfer};
use mpirage_platform::{DomainId, HostId, NodeSpec, SocketId};
use mpirage_units::{Duration, Time};
use rustc_hash::FxHashMap;

/// Where a rank may run: NUMA domains of its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The host.
    pub host: HostId,
    /// The domains, at least one.
    pub domains: Range<u32>,
}

impl Binding {
    fn domains(&self) -> impl Iterator<Item = DomainId> + use<> {
        self.domains.clone().map(DomainId)
    }

    /// The part of its time that the rank spends in each domain.
    fn part(&self) -> f64 {
        1.0 / f64::from(self.domains.end - self.domains.start)
    }
}

/// The activities that use and share the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryUse {
    /// Messages and computation share it.
    Shared,
    /// Every message and every computation has it to itself.
    Unshared,
    /// Computation shares it; messages do not use it.
    Computation,
}

/// The memory of all hosts.
pub struct NodeMemory {
    node: NodeSpec,
    bindings: Vec<Binding>,
    usage: MemoryUse,
    resources: Resources,
    paths: FxHashMap<(u32, u32, Mode), CopyPath>,
    sharing: Sharing,
    agenda: Agenda<Due>,
    /// When the next flow ends, as last asked.
    completion: Option<Time>,
}

/// How a message is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Mode {
    /// Once, by the receiver.
    single: bool,
    /// Within caches.
    cached: bool,
}

/// Latency and resources of messages between two ranks.
struct CopyPath {
    /// Seconds until the first copy begins.
    latency: f64,
    footprint: Footprint,
}

/// An event on the agenda.
enum Due {
    /// The copy of a message begins and shares resources from now on.
    Launch(FlowId),
    /// The sender has made its copy.
    BufferFree(Token),
    /// A message without bytes has arrived.
    End(Token),
}

/// The solver's resources, made when they are used.
#[derive(Default)]
struct Resources {
    cores: FxHashMap<u32, ResourceId>,
    memory: FxHashMap<(HostId, DomainId), ResourceId>,
    links: FxHashMap<(HostId, SocketId, SocketId), ResourceId>,
}

impl NodeMemory {
    /// Hosts of this kind, whose ranks may run where `bindings` says.
    pub fn new(node: NodeSpec, bindings: Vec<Binding>, usage: MemoryUse) -> NodeMemory {
        NodeMemory {
            node,
            bindings,
            usage,
            resources: Resources::default(),
            paths: FxHashMap::default(),
            sharing: Sharing::new(),
            agenda: Agenda::new(),
            completion: None,
        }
    }

    fn mode(&self, transfer: &Transfer) -> Mode {
        let copies = &self.node.copies;
        let itself = transfer.connection.source == transfer.connection.target;
        let single = itself || copies.single.is_some_and(|single| transfer.bytes >= single.from);
        // The buffer takes up a part of the caches, which messages cannot use.
        let room = if single || !copies.write_allocate {
            copies.cache
        } else {
            copies.cache.saturating_sub(copies.buffer)
        };
        Mode { single, cached: transfer.bytes.max(transfer.working_set) <= room }
    }

    /// Bytes per second of a copying core.
    fn rate(&self, mode: Mode) -> f64 {
        let copies = &self.node.copies;
        match (mode.cached, mode.single, copies.single) {
            (true, ..) => copies.cache_bandwidth,
            (false, true, Some(single)) => single.bandwidth,
            _ => copies.bandwidth,
        }
    }

    /// Latency and resources of messages from one rank to another.
    fn new_path(&mut self, source: u32, target: u32, mode: Mode) -> CopyPath {
        let rate = self.rate(mode);
        let (from, to) = (&self.bindings[source as usize], &self.bindings[target as usize]);
        let start = self.node.copies.single.filter(|_| mode.single && source != target);
        let latency = mean_latency(&self.node, from, to) + start.map_or(0.0, |single| single.latency);
        let mut uses = Vec::new();
        self.resources.use_cores(&mut self.sharing, (source, target), mode, rate, &mut uses);
        if !mode.cached {
            let copies = &self.node.copies;
            let moves_lines = copies.write_allocate && part_between_sockets(&self.node, from, to) > 0.0;
            let buffered = !mode.single && (copies.buffer > copies.cache || moves_lines);
            // The shared buffer is written and read at the sender's side.
            let sender_side = if buffered { 3.0 } else { 1.0 };
            for (binding, weight) in [(from, sender_side), (to, copies.writes())] {
                self.resources.use_memory(&self.node, &mut self.sharing, binding, weight, &mut uses);
            }
        }
        self.resources.use_links(&self.node, &mut self.sharing, (from, to), &mut uses);
        if !mode.single && self.node.copies.write_allocate {
            self.resources.use_links(&self.node, &mut self.sharing, (to, from), &mut uses);
        }
        CopyPath { latency, footprint: self.footprint(2.0, rate, &uses) }
    }

    /// Alone, a flow gets what its resources have; without contention, all flows get that.
    fn footprint(&self, penalty: f64, bound: f64, uses: &[(ResourceId, f64)]) -> Footprint {
        if self.usage != MemoryUse::Unshared {
            return self.sharing.footprint(penalty, bound, uses);
        }
        let alone = 1.0 / self.sharing.footprint(penalty, bound, uses).span_alone(1.0);
        self.sharing.footprint(penalty, alone, &[])
    }

    /// Seconds that the sender copies alone: the first piece, before the receiver has something to copy.
    fn first_piece(&self, bytes: u64, mode: Mode) -> f64 {
        let copies = &self.node.copies;
        if mode.single {
            return 0.0;
        }
        let buffer = if bytes > copies.inline { copies.buffer_latency } else { 0.0 };
        buffer + bytes.min(copies.fragment) as f64 / self.rate(mode)
    }
}

impl Resources {
    fn use_cores(
        &mut self,
        sharing: &mut Sharing,
        (source, target): (u32, u32),
        mode: Mode,
        rate: f64,
        uses: &mut Vec<(ResourceId, f64)>,
    ) {
        // A core's time, of which a byte takes 1 / rate; scaled, because capacities are bytes per second.
        const CORE: f64 = 1e9;
        let mut of = |rank| {
            *self.cores.entry(rank).or_insert_with(|| sharing.add_resource(CORE, SharingPolicy::Shared))
        };
        uses.push((of(target), CORE / rate));
        if !mode.single {
            uses.push((of(source), CORE / rate));
        }
    }

    fn use_memory(
        &mut self,
        node: &NodeSpec,
        sharing: &mut Sharing,
        binding: &Binding,
        weight: f64,
        uses: &mut Vec<(ResourceId, f64)>,
    ) {
        for domain in binding.domains() {
            let memory = self.memory.entry((binding.host, domain));
            let resource = memory
                .or_insert_with(|| sharing.add_resource(node.domain_bandwidth(), SharingPolicy::Shared));
            uses.push((*resource, weight * binding.part()));
        }
    }

    fn use_links(
        &mut self,
        node: &NodeSpec,
        sharing: &mut Sharing,
        (from, to): (&Binding, &Binding),
        uses: &mut Vec<(ResourceId, f64)>,
    ) {
        for (source, target) in pairs(from, to) {
            let sockets = (node.socket_of(source), node.socket_of(target));
            if sockets.0 != sockets.1 && node.socket_bandwidth.is_finite() {
                let link = self.links.entry((from.host, sockets.0, sockets.1));
                let resource = link
                    .or_insert_with(|| sharing.add_resource(node.socket_bandwidth, SharingPolicy::Shared));
                uses.push((*resource, from.part() * to.part()));
            }
        }
    }
}

/// Domains between which messages pass, each pair as often as any other.
fn pairs(from: &Binding, to: &Binding) -> impl Iterator<Item = (DomainId, DomainId)> {
    let to = to.clone();
    from.domains().flat_map(move |source| to.domains().map(move |target| (source, target)))
}

/// The part of the messages between two ranks that go from one socket to another.
fn part_between_sockets(node: &NodeSpec, from: &Binding, to: &Binding) -> f64 {
    let apart = |&(source, target): &(DomainId, DomainId)| node.socket_of(source) != node.socket_of(target);
    pairs(from, to).filter(apart).count() as f64 * from.part() * to.part()
}

fn mean_latency(node: &NodeSpec, from: &Binding, to: &Binding) -> f64 {
    let sum: f64 = pairs(from, to).map(|(source, target)| node.latency_between(source, target)).sum();
    sum * from.part() * to.part()
}

impl MemoryModel for NodeMemory {
    fn carries_transfers(&self) -> bool {
        self.usage != MemoryUse::Computation
    }

    fn start_copy(&mut self, now: Time, transfer: Transfer, token: Token) {
        // Times that were measured within hosts contain requests and answers.
        if transfer.cargo == Cargo::Control {
            return self.agenda.push(now, Due::End(token));
        }
        let (source, target) = (transfer.connection.source, transfer.connection.target);
        let mode = self.mode(&transfer);
        let first = Duration::from_secs_f64(self.first_piece(transfer.bytes, mode));
        let key = (source, target, mode);
        if !self.paths.contains_key(&key) {
            let path = self.new_path(source, target, mode);
            self.paths.insert(key, path);
        }
        let path = &self.paths[&key];
        let begins = now + Duration::from_secs_f64(path.latency) + first;
        if transfer.bytes == 0 {
            return self.agenda.push(begins, Due::End(token));
        }
        let flow = self.sharing.prepare(&path.footprint, transfer.bytes as f64, token.0);
        if transfer.cargo == Cargo::Data && !mode.single && transfer.bytes <= self.node.copies.fragment {
            self.agenda.push(now + first, Due::BufferFree(token));
        }
        self.agenda.push(begins, Due::Launch(flow));
    }

    fn start_traffic(&mut self, now: Time, traffic: Traffic, token: Token) {
        let Traffic { end_point, bytes, rate, cores } = traffic;
        let binding = &self.bindings[end_point as usize];
        let mut uses = Vec::new();
        self.resources.use_memory(&self.node, &mut self.sharing, binding, 1.0, &mut uses);
        let bound = rate.min(self.node.core_bandwidth * cores);
        // Each of its cores gets what others get.
        let footprint = self.footprint(1.0 / cores, bound, &uses);
        let flow = self.sharing.prepare(&footprint, bytes, token.0);
        self.sharing.launch(now, flow);
    }
}

impl Model for NodeMemory {
    fn next(&mut self, now: Time) -> Option<Time> {
        self.completion = self.sharing.next_completion(now);
        [self.agenda.next(), self.completion].into_iter().flatten().min()
    }

    fn collect(&mut self, now: Time, events: &mut Vec<Event>) {
        if self.completion.is_some_and(|completion| completion <= now) {
            self.sharing.collect_each(now, |token| events.push(Event::ended(Token(token))));
        }
        while let Some(due) = self.agenda.pop_at(now) {
            match due {
                Due::Launch(flow) => self.sharing.launch(now, flow),
                Due::BufferFree(token) => events.push(Event { token, milestone: Milestone::BufferFree }),
                Due::End(token) => events.push(Event::ended(token)),
            }
        }
    }
}

#[cfg(test)]
mod tests;
