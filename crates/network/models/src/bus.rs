//! Nodes on a limited number of buses: the network of Dimemas (Girona, Labarta, Badia, EuroPVM/MPI 2000,
//! section 3).
//!
//! A transfer between nodes holds an output link of the source, an input link of the destination and one of the
//! machine's buses for bytes / bandwidth; within a node it holds one of the node's own buses. A transfer acquires them
//! one after the other, waits for each in a first-come, first-served queue, and keeps those that it has acquired:
//!
//! ```text
//! output link ─► input link ─► bus ─► bytes / bandwidth ─► all three are free
//! ```
//!
//! The latency is no part of it: ranks pay it on their processors before a transfer starts.
//! Where a node has links for both directions in one (half duplex), the node with the lower number comes first, so
//! that two transfers never wait for each other.

use mpirage_kernel::{Agenda, Departure, Event, Model, NetworkModel, Token, Transfer};
use mpirage_platform::HostId;
use mpirage_units::{Duration, Time};

/// A number of links or buses; `None` for unlimited.
pub type Limit = Option<u32>;

/// The links of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// Separate links into the node and out of it.
    Duplex {
        /// Into the node.
        inputs: Limit,
        /// Out of the node.
        outputs: Limit,
    },
    /// Links that each carry either direction.
    HalfDuplex(u32),
}

/// The links and buses of one node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BusNode {
    /// Its links to the network.
    pub links: Links,
    /// Seconds that a message to another node costs before it leaves.
    pub latency: f64,
    /// The same for a message within the node.
    pub within_latency: f64,
    /// Bytes per second within the node; infinite if such messages take no time.
    pub within_bandwidth: f64,
    /// Messages within the node at a time.
    pub within_buses: Limit,
}

/// The parameters of a bus network.
#[derive(Clone, Debug, PartialEq)]
pub struct BusParameters {
    /// By host; if there is only one, all are alike.
    pub nodes: Vec<BusNode>,
    /// Bytes per second between nodes; infinite if messages take no time.
    pub bandwidth: f64,
    /// Messages between nodes at a time.
    pub buses: Limit,
}

impl BusParameters {
    /// The node of `host`.
    pub fn node(&self, host: HostId) -> &BusNode {
        &self.nodes[if self.nodes.len() == 1 { 0 } else { host.0 as usize }]
    }

    /// Sets a value in every node.
    pub fn all_nodes<T: Copy>(&mut self, value: T, set: impl Fn(&mut BusNode, T)) {
        self.nodes.iter_mut().for_each(|node| set(node, value));
    }
}

const NIL: u32 = u32::MAX;
/// In `Pool::free`: unlimited.
const UNLIMITED: u32 = u32::MAX;

/// The free links or buses of one kind, and the transfers that wait for one.
#[derive(Clone, Copy, Debug)]
struct Pool {
    free: u32,
    first: u32,
    last: u32,
}

/// A transfer from its start to its end.
#[derive(Clone, Copy, Debug)]
struct Trip {
    token: Token,
    span: Duration,
    /// The pools it needs, in the order in which it takes them.
    pools: [u32; 3],
    /// The number of pools it has acquired from.
    has: u8,
    /// The number of pools it needs.
    needs: u8,
    /// The next in the queue it is in; the next unused one.
    next: u32,
}

/// Nodes, links and buses.
pub struct BusNetwork {
    parameters: BusParameters,
    /// Output and input links of each host, the host's own buses, and the machine's buses at the end.
    pools: Vec<Pool>,
    trips: Vec<Trip>,
    unused: u32,
    moving: Agenda<u32>,
}

impl BusNetwork {
    /// A quiet network of `hosts` nodes.
    pub fn new(hosts: u32, parameters: BusParameters) -> BusNetwork {
        let mut pools = Vec::with_capacity(3 * hosts as usize + 1);
        for host in 0..hosts {
            let node = parameters.node(HostId(host));
            pools.extend([node.links.outputs(), node.links.inputs(), node.within_buses].map(Pool::of));
        }
        pools.push(Pool::of(parameters.buses));
        BusNetwork { parameters, pools, trips: Vec::new(), unused: NIL, moving: Agenda::new() }
    }

    fn trip(&self, transfer: Transfer, token: Token) -> Trip {
        let Transfer { from, to, bytes, .. } = transfer;
        let (source, target) = (self.parameters.node(from), self.parameters.node(to));
        let (bandwidth, needs, pools) = if from == to {
            (source.within_bandwidth, 1, [3 * from.0 + 2, NIL, NIL])
        } else {
            let (out, into) = (3 * from.0, 3 * to.0 + u32::from(!target.is_half_duplex()));
            let bus = self.pools.len() as u32 - 1;
            let either = source.is_half_duplex() || target.is_half_duplex();
            let links = if either && to < from { [into, out] } else { [out, into] };
            (self.parameters.bandwidth, 3, [links[0], links[1], bus])
        };
        let span = Duration::from_secs_f64(bytes as f64 / bandwidth);
        Trip { token, span, pools, has: 0, needs, next: NIL }
    }

    fn add(&mut self, trip: Trip) -> u32 {
        match self.trips.get_mut(self.unused as usize) {
            Some(place) => {
                let id = std::mem::replace(&mut self.unused, place.next);
                *place = trip;
                id
            }
            None => {
                self.trips.push(trip);
                self.trips.len() as u32 - 1
            }
        }
    }

    /// Takes what the trip still needs. True if it has all and moves.
    fn go_on(&mut self, now: Time, id: u32) -> bool {
        let BusNetwork { pools, trips, moving, .. } = self;
        let trip = &mut trips[id as usize];
        while trip.has < trip.needs {
            let pool = &mut pools[trip.pools[trip.has as usize] as usize];
            if !pool.take() {
                let last = std::mem::replace(&mut pool.last, id);
                match last {
                    NIL => pool.first = id,
                    last => trips[last as usize].next = id,
                }
                return false;
            }
            trip.has += 1;
        }
        moving.push(now + trip.span, id);
        true
    }

    /// Returns a link or bus to its pool; the first transfer in the queue gets it. Appends those that start to move.
    fn give_back(&mut self, now: Time, pool: u32, events: &mut Vec<Event>) {
        let pool = &mut self.pools[pool as usize];
        if pool.free == UNLIMITED {
            return;
        }
        let id = pool.first;
        if id == NIL {
            pool.free += 1;
            return;
        }
        let trip = &mut self.trips[id as usize];
        pool.first = std::mem::replace(&mut trip.next, NIL);
        if pool.first == NIL {
            pool.last = NIL;
        }
        trip.has += 1;
        let token = trip.token;
        if self.go_on(now, id) {
            events.push(Event::departed(token));
        }
    }
}

impl NetworkModel for BusNetwork {
    fn start(&mut self, now: Time, transfer: Transfer, token: Token) -> Departure {
        let trip = self.trip(transfer, token);
        let id = self.add(trip);
        if self.go_on(now, id) { Departure::Now } else { Departure::Later }
    }
}

impl Model for BusNetwork {
    fn next(&mut self, _: Time) -> Option<Time> {
        self.moving.next()
    }

    fn collect(&mut self, now: Time, events: &mut Vec<Event>) {
        while let Some(id) = self.moving.pop_at(now) {
            let trip = self.trips[id as usize];
            self.trips[id as usize].next = std::mem::replace(&mut self.unused, id);
            events.push(Event::ended(trip.token));
            for &pool in &trip.pools[..trip.needs as usize] {
                self.give_back(now, pool, events);
            }
        }
    }
}

impl Links {
    /// The number of links into the node.
    pub fn inputs(self) -> Limit {
        match self {
            Links::Duplex { inputs, .. } => inputs,
            Links::HalfDuplex(links) => Some(links),
        }
    }

    /// The number of links out of the node.
    pub fn outputs(self) -> Limit {
        match self {
            Links::Duplex { outputs, .. } => outputs,
            Links::HalfDuplex(links) => Some(links),
        }
    }
}

impl BusNode {
    fn is_half_duplex(&self) -> bool {
        matches!(self.links, Links::HalfDuplex(_))
    }
}

impl Pool {
    fn of(limit: Limit) -> Pool {
        Pool { free: limit.unwrap_or(UNLIMITED), first: NIL, last: NIL }
    }

    fn take(&mut self) -> bool {
        match self.free {
            0 => return false,
            UNLIMITED => {}
            _ => self.free -= 1,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Links = Links::Duplex { inputs: Some(1), outputs: Some(1) };

    fn network(hosts: u32, links: Links, buses: Limit) -> BusNetwork {
        let node = BusNode {
            links,
            latency: 0.0,
            within_latency: 0.0,
            within_bandwidth: 1e9,
            within_buses: Some(1),
        };
        BusNetwork::new(hosts, BusParameters { nodes: vec![node], bandwidth: 1e9, buses })
    }

    /// When each of these transfers of 1000 bytes (1 us), all started at zero, starts to move and arrives, in ns.
    fn run(mut network: BusNetwork, pairs: &[(u32, u32)]) -> Vec<(u64, u64)> {
        let mut times: Vec<(Option<u64>, u64)> = Vec::new();
        for (nth, &(from, to)) in pairs.iter().enumerate() {
            let transfer = Transfer::data(HostId(from), HostId(to), 1000);
            let departure = network.start(Time::ZERO, transfer, Token(nth as u64));
            times.push(((departure == Departure::Now).then_some(0), 0));
        }
        let mut ended = Vec::new();
        while let Some(now) = network.next(Time::ZERO) {
            network.collect(now, &mut ended);
            for event in ended.drain(..) {
                let nanos = now.as_picos() / 1000;
                match &mut times[event.token.0 as usize] {
                    (start @ None, _) => *start = Some(nanos),
                    (Some(_), end) => *end = nanos,
                }
            }
        }
        times.into_iter().map(|(start, end)| (start.unwrap(), end)).collect()
    }

    #[test]
    fn transfers_queue_for_links_first_come_first_served() {
        let into_one = [(1, 0), (2, 0), (3, 0)];
        assert_eq!(run(network(4, ONE, None), &into_one), [(0, 1000), (1000, 2000), (2000, 3000)]);
        assert_eq!(
            run(network(4, ONE, None), &[(0, 1), (0, 2), (1, 0)]),
            [(0, 1000), (1000, 2000), (0, 1000)]
        );
        let free = Links::Duplex { inputs: None, outputs: None };
        assert_eq!(run(network(4, free, None), &into_one), [(0, 1000); 3]);
    }

    #[test]
    fn a_transfer_that_waits_for_its_second_link_keeps_its_first() {
        // 1 -> 0 is on its way; 2 -> 0 has 2's output and waits, so 2 -> 3 waits behind it.
        assert_eq!(
            run(network(4, ONE, None), &[(1, 0), (2, 0), (2, 3)]),
            [(0, 1000), (1000, 2000), (2000, 3000)]
        );
    }

    #[test]
    fn buses_limit_what_moves_at_a_time() {
        let free = Links::Duplex { inputs: None, outputs: None };
        let pairs = [(0, 1), (2, 3), (1, 0), (3, 2), (0, 0)];
        let expected = [(0, 1000), (0, 1000), (1000, 2000), (1000, 2000), (0, 1000)];
        assert_eq!(run(network(4, free, Some(2)), &pairs), expected);
    }

    #[test]
    fn half_duplex_links_carry_one_direction_at_a_time() {
        let pairs = [(0, 1), (1, 0), (2, 1)];
        // Both others queue, 1 -> 0 for the link of 0 and 2 -> 1 for that of 1, so 1 -> 0 asks for the link of 1 last.
        let expected = [(0, 1000), (2000, 3000), (1000, 2000)];
        assert_eq!(run(network(3, Links::HalfDuplex(1), None), &pairs), expected);
        // A ring in which every rank sends ends: no transfer holds what another needs while it waits for that one.
        let ring: Vec<(u32, u32)> = (0..5).map(|node| (node, (node + 1) % 5)).collect();
        let times = run(network(5, Links::HalfDuplex(1), None), &ring);
        assert!(times.iter().all(|&(start, end)| end == start + 1000), "{times:?}");
    }

    #[test]
    fn a_nodes_own_buses_limit_messages_within_it() {
        assert_eq!(
            run(network(2, ONE, None), &[(0, 0), (0, 0), (1, 1)]),
            [(0, 1000), (1000, 2000), (0, 1000)]
        );
    }
}
