//! HwTopoLB (Pilla et al., *A topology-aware load balancing algorithm for clustered hierarchical multi-core machines*, FGCS 2014).
//!
//! The load of a core is its computation and what the messages cost that its ranks receive, by the distance of their senders. Again and
//! again, at most once per rank, the heaviest rank of the most loaded core is given a core that is drawn: each with the probability
//! exp(−M / T), normalised, where M is the largest load of all cores that would follow (Gibbs). The search ends when a rank stays.
//!
//! Distances are three: the same core costs nothing, another host `latency` and 1 / `bandwidth`, another core of the host `factor` times
//! less. T is a share of the average load.

use mpirage_units::{Consumer, Random};

use crate::loads::Loads;
use crate::{BalanceError, Balancer, CoreId, Snapshot};

/// The consumer of random numbers for this balancer.
const HWTOPO: Consumer = Consumer(0x6261_6c33);

/// Ranks move to cores that are drawn by the largest load that follows.
#[derive(Clone, Debug)]
pub struct HwTopo {
    latency: f64,
    bandwidth: f64,
    factor: f64,
    temperature: f64,
    random: Random,
}

impl HwTopo {
    /// Costs are latency and bandwidth between hosts, and how much less a message within a host costs. Equal seeds give equal draws.
    pub fn new([latency, bandwidth, factor]: [f64; 3], temperature: f64, seed: u64) -> HwTopo {
        HwTopo { latency, bandwidth, factor, temperature, random: Random::new(seed, HWTOPO) }
    }
}

impl Balancer for HwTopo {
    fn map(&mut self, snapshot: &Snapshot) -> Result<Vec<CoreId>, BalanceError> {
        let mut search = Search::new(self, snapshot);
        let temperature = self.temperature * search.loads.average();
        if temperature > 0.0 {
            for _ in snapshot.ranks() {
                let Some((rank, from)) = search.heaviest() else { break };
                let to = draw(&search.outcomes(rank), temperature, &mut self.random);
                if to == from {
                    break;
                }
                search.move_to(rank, to);
            }
        }
        Ok(search.mapping)
    }

    fn wants_traffic(&self) -> bool {
        true
    }
}

/// Draws a core; `outcomes` are the largest loads that follow.
fn draw(outcomes: &[f64], temperature: f64, random: &mut Random) -> CoreId {
    let least = outcomes.iter().copied().fold(f64::INFINITY, f64::min);
    let chances: Vec<f64> = outcomes.iter().map(|load| (-(load - least) / temperature).exp()).collect();
    let mut left = random.unit() * chances.iter().sum::<f64>();
    let drawn = chances.iter().position(|chance| {
        left -= chance;
        left < 0.0
    });
    CoreId(drawn.unwrap_or(outcomes.len() - 1) as u32)
}

/// A mapping on its way to a better one.
struct Search<'a> {
    snapshot: &'a Snapshot,
    mapping: Vec<CoreId>,
    /// Computation and communication of each core.
    loads: Loads,
    /// For each rank the ranks that it receives from and sends to: the cost on the receiver if they are on different hosts, and on one.
    senders: Vec<Vec<Link>>,
    receivers: Vec<Vec<Link>>,
}

/// The traffic with another rank.
#[derive(Clone, Copy)]
struct Link {
    rank: usize,
    far: f64,
    near: f64,
}

impl<'a> Search<'a> {
    fn new(costs: &HwTopo, snapshot: &'a Snapshot) -> Search<'a> {
        let mapping = snapshot.current();
        let ranks = mapping.len();
        let (mut senders, mut receivers) = (vec![Vec::new(); ranks], vec![Vec::new(); ranks]);
        for traffic in snapshot.traffic().iter().filter(|traffic| traffic.from != traffic.to) {
            let far = traffic.messages as f64 * costs.latency + traffic.bytes as f64 / costs.bandwidth;
            let (from, to, near) = (traffic.from as usize, traffic.to as usize, far / costs.factor);
            senders[to].push(Link { rank: from, far, near });
            receivers[from].push(Link { rank: to, far, near });
        }
        let loads = Loads::of(snapshot, &mapping);
        let mut search = Search { snapshot, mapping, loads, senders, receivers };
        for rank in 0..ranks {
            let core = search.mapping[rank];
            search.loads.add(core, search.received(rank, core));
        }
        search
    }

    /// The cost of a link between two cores.
    fn cost(&self, link: Link, a: CoreId, b: CoreId) -> f64 {
        let host = |core: CoreId| self.snapshot.cores()[core.index()].host;
        if a == b {
            0.0
        } else if host(a) == host(b) {
            link.near
        } else {
            link.far
        }
    }

    /// The cost of the messages of a rank that is on this core.
    fn received(&self, rank: usize, core: CoreId) -> f64 {
        self.senders[rank].iter().map(|&link| self.cost(link, core, self.mapping[link.rank])).sum()
    }

    /// The rank with the most work of the most loaded core that has ranks.
    fn heaviest(&self) -> Option<(usize, CoreId)> {
        let load = |rank: usize| self.loads.get(self.mapping[rank]);
        let ahead = |a: usize, b: usize| {
            let work = |rank: usize| self.snapshot.work(rank) + self.received(rank, self.mapping[rank]);
            load(a)
                .total_cmp(&load(b))
                .then(self.mapping[b].cmp(&self.mapping[a]))
                .then(work(a).total_cmp(&work(b)))
        };
        let rank = (0..self.mapping.len())
            .reduce(|best, next| if ahead(next, best).is_gt() { next } else { best })?;
        Some((rank, self.mapping[rank]))
    }

    /// The loads if a rank were on this core.
    fn loads_with(&self, rank: usize, to: CoreId) -> Loads {
        let (from, mut loads) = (self.mapping[rank], self.loads.clone());
        if from == to {
            return loads;
        }
        loads.add(from, -self.snapshot.seconds_on(rank, from) - self.received(rank, from));
        loads.add(to, self.snapshot.seconds_on(rank, to) + self.received(rank, to));
        for &link in &self.receivers[rank] {
            let receiver = self.mapping[link.rank];
            loads.add(receiver, self.cost(link, to, receiver) - self.cost(link, from, receiver));
        }
        loads
    }

    /// The largest load if a rank were on each of the cores.
    fn outcomes(&self, rank: usize) -> Vec<f64> {
        self.loads.cores().map(|core| self.loads_with(rank, core).max()).collect()
    }

    fn move_to(&mut self, rank: usize, to: CoreId) {
        self.loads = self.loads_with(rank, to);
        self.mapping[rank] = to;
    }
}
