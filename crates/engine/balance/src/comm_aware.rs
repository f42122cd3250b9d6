//! Greedy with the cost of communication, as Charm++'s GreedyCommLB.
//!
//! The heaviest rank comes first. It goes to the core on which load and communication together are the least: the core's load, the rank's own, and
//! a cost per message and per byte for what it exchanges with ranks that already have another core. Among equal cores it
//! stays where it is, else the lowest number wins.

use crate::loads::Loads;
use crate::{BalanceError, Balancer, CoreId, Snapshot};

/// Greedy with the cost of communication.
#[derive(Clone, Copy, Debug)]
pub struct CommAware {
    per_message: f64,
    per_byte: f64,
}

impl CommAware {
    /// Communication between cores costs so many seconds per message and per byte.
    pub fn new(per_message: f64, per_byte: f64) -> CommAware {
        CommAware { per_message, per_byte }
    }
}

impl Balancer for CommAware {
    fn map(&mut self, snapshot: &Snapshot) -> Result<Vec<CoreId>, BalanceError> {
        let partners = self.partners(snapshot);
        let mut mapping: Vec<Option<CoreId>> = vec![None; snapshot.ranks().len()];
        let mut loads = Loads::background(snapshot);
        for rank in snapshot.heaviest_first() {
            let exchanged = Exchanged::new(snapshot, &partners[rank], &mapping);
            let cost = |core: CoreId| {
                loads.get(core) + snapshot.seconds_on(rank, core) + exchanged.with_others_than(core)
            };
            let stay = snapshot.ranks()[rank].core;
            let best = loads.cores().fold((cost(stay), stay), |best, core| {
                if cost(core) < best.0 { (cost(core), core) } else { best }
            });
            loads.add(best.1, best.0 - loads.get(best.1));
            mapping[rank] = Some(best.1);
        }
        Ok(mapping.into_iter().flatten().collect())
    }

    fn wants_traffic(&self) -> bool {
        true
    }
}

impl CommAware {
    /// For each rank: those with which it communicates, and what that costs if they are elsewhere.
    fn partners(&self, snapshot: &Snapshot) -> Vec<Vec<(usize, f64)>> {
        let mut partners = vec![Vec::new(); snapshot.ranks().len()];
        for traffic in snapshot.traffic().iter().filter(|traffic| traffic.from != traffic.to) {
            let seconds = traffic.messages as f64 * self.per_message + traffic.bytes as f64 * self.per_byte;
            let (from, to) = (traffic.from as usize, traffic.to as usize);
            partners[from].push((to, seconds));
            partners[to].push((from, seconds));
        }
        partners
    }
}

/// Communication time of a rank with ranks that already have a core, in total and by core.
struct Exchanged {
    all: f64,
    by_core: Vec<f64>,
}

impl Exchanged {
    fn new(snapshot: &Snapshot, partners: &[(usize, f64)], mapping: &[Option<CoreId>]) -> Exchanged {
        let mut exchanged = Exchanged { all: 0.0, by_core: vec![0.0; snapshot.cores().len()] };
        for &(partner, seconds) in partners {
            if let Some(core) = mapping[partner] {
                exchanged.all += seconds;
                exchanged.by_core[core.index()] += seconds;
            }
        }
        exchanged
    }

    fn with_others_than(&self, core: CoreId) -> f64 {
        self.all - self.by_core[core.index()]
    }
}
