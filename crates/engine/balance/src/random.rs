//! Charm++'s RandCentLB: every rank goes to a core drawn at random.

use mpirage_units::{Consumer, Random};

use crate::{BalanceError, Balancer, CoreId, Snapshot};

/// The consumer of random numbers for this balancer.
const RANDOM_CORES: Consumer = Consumer(0x6261_6c31);

/// Cores drawn at random.
#[derive(Clone, Debug)]
pub struct RandomCores(Random);

impl RandomCores {
    /// The same draws for the same seed.
    pub fn new(seed: u64) -> RandomCores {
        RandomCores(Random::new(seed, RANDOM_CORES))
    }
}

impl Balancer for RandomCores {
    fn map(&mut self, snapshot: &Snapshot) -> Result<Vec<CoreId>, BalanceError> {
        let cores = snapshot.cores().len();
        Ok(snapshot.ranks().iter().map(|_| CoreId(below(&mut self.0, cores) as u32)).collect())
    }
}

/// A number below `end`, which is not 0.
pub(crate) fn below(random: &mut Random, end: usize) -> usize {
    ((random.unit() * end as f64) as usize).min(end - 1)
}
