//! NucoLB (Pilla et al., *A Hierarchical Approach for Load Balancing on Parallel Multi-core Systems*, ICPP 2012): greedy with the
//! distance of messages.
//!
//! The heaviest rank comes first. It leaves its core and goes to the one with the least weight:
//!
//! ```text
//! load of the core + alpha × (messages from other hosts × factor − messages from the same host)
//! ```
//!
//! Messages are those that the rank has received; senders are where they are mapped by now. `factor` is the latency between hosts over
//! that within a host. Cores of a host are equally near: snapshots have no NUMA nodes.

use crate::loads::Loads;
use crate::{BalanceError, Balancer, CoreId, Snapshot};

/// Greedy with the distance of messages.
#[derive(Clone, Copy, Debug)]
pub struct Nuco {
    alpha: f64,
    factor: f64,
}

impl Nuco {
    /// A message within a host counts for `alpha` seconds, one between hosts for `factor` times as much.
    pub fn new(alpha: f64, factor: f64) -> Nuco {
        Nuco { alpha, factor }
    }
}

impl Balancer for Nuco {
    fn map(&mut self, snapshot: &Snapshot) -> Result<Vec<CoreId>, BalanceError> {
        let mut senders = vec![Vec::new(); snapshot.ranks().len()];
        for traffic in snapshot.traffic().iter().filter(|traffic| traffic.from != traffic.to) {
            senders[traffic.to as usize].push((traffic.from as usize, traffic.messages as f64));
        }
        let hosts = snapshot.cores().iter().map(|core| core.host as usize + 1).max().unwrap_or(0);
        let mut mapping = snapshot.current();
        let mut loads = Loads::of(snapshot, &mapping);
        for rank in snapshot.heaviest_first() {
            loads.add(mapping[rank], -snapshot.seconds_on(rank, mapping[rank]));
            let mut from_host = vec![0.0; hosts];
            for &(sender, messages) in &senders[rank] {
                from_host[snapshot.cores()[mapping[sender].index()].host as usize] += messages;
            }
            let all: f64 = from_host.iter().sum();
            let weight = |core: CoreId| {
                let near = from_host[snapshot.cores()[core.index()].host as usize];
                loads.get(core) + self.alpha * ((all - near) * self.factor - near)
            };
            let best = loads.cores().map(|core| (weight(core), core));
            let best = best.reduce(|best, next| if next.0 < best.0 { next } else { best });
            mapping[rank] = best.map_or(mapping[rank], |(_, core)| core);
            loads.add(mapping[rank], snapshot.seconds_on(rank, mapping[rank]));
        }
        Ok(mapping)
    }

    fn wants_traffic(&self) -> bool {
        true
    }
}
