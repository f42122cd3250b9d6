//! Charm++'s RefineLB: ranks move from overloaded cores to underloaded ones, and no others.
//!
//! A core is overloaded above `tolerance` × average (1.05 as a rule) and takes ranks while it is below the average. The most loaded
//! core gives the largest rank that still fits somewhere without overloading the receiver. If some core stays overloaded, the same
//! is tried with higher tolerances, in steps of 0.01, by bisection between 1.05 and the present imbalance. The result is
//! that of the last try, as in Charm++, even if it failed; the first try with the highest tolerance goes on from the
//! failed try at 1.05, later ones start anew.

use crate::loads::Loads;
use crate::{BalanceError, Balancer, CoreId, Snapshot};

/// The step between two tolerances.
const STEP: f64 = 0.01;

/// From overloaded to underloaded cores.
#[derive(Clone, Copy, Debug)]
pub struct Refine {
    tolerance: f64,
}

impl Default for Refine {
    fn default() -> Refine {
        Refine { tolerance: 1.05 }
    }
}

impl Refine {
    /// A core is overloaded above so many times the average.
    pub fn with_tolerance(tolerance: f64) -> Refine {
        Refine { tolerance }
    }
}

impl Balancer for Refine {
    fn map(&mut self, snapshot: &Snapshot) -> Result<Vec<CoreId>, BalanceError> {
        Ok(self.search(snapshot))
    }
}

impl Refine {
    fn search(&self, snapshot: &Snapshot) -> Vec<CoreId> {
        let mut attempt = Attempt::new(snapshot);
        let imbalance = attempt.loads.max() / attempt.average;
        // Without any load there is nothing to divide by, and nothing to move.
        if !imbalance.is_finite() || attempt.balance(self.tolerance) {
            return attempt.mapping;
        }
        let tolerance = |step: u64| self.tolerance + step as f64 * STEP;
        let (mut fails, mut works) = (0, ((imbalance - self.tolerance) / STEP + 1.0) as u64);
        if !attempt.balance(tolerance(works)) {
            return attempt.mapping;
        }
        while works - fails > 1 {
            let middle = fails.midpoint(works);
            attempt = Attempt::new(snapshot);
            if attempt.balance(tolerance(middle)) {
                works = middle;
            } else {
                fails = middle;
            }
        }
        attempt.mapping
    }
}

/// A mapping on its way to a better one.
struct Attempt<'a> {
    snapshot: &'a Snapshot,
    mapping: Vec<CoreId>,
    loads: Loads,
    average: f64,
    /// The ranks of each core.
    residents: Vec<Vec<usize>>,
}

/// A rank that moves.
struct Move {
    rank: usize,
    to: CoreId,
}

impl<'a> Attempt<'a> {
    fn new(snapshot: &'a Snapshot) -> Attempt<'a> {
        let mapping = snapshot.current();
        let loads = Loads::of(snapshot, &mapping);
        let mut residents = vec![Vec::new(); snapshot.cores().len()];
        for (rank, core) in mapping.iter().enumerate() {
            residents[core.index()].push(rank);
        }
        Attempt { snapshot, mapping, average: loads.average(), loads, residents }
    }

    /// Moves ranks until no core is overloaded; false if one stays so.
    fn balance(&mut self, tolerance: f64) -> bool {
        let limit = tolerance * self.average;
        while let Some(donor) = self.most_overloaded(limit) {
            match self.best_move(donor, limit) {
                Some(best) => self.carry_out(best, donor),
                None => return false,
            }
        }
        true
    }

    fn most_overloaded(&self, limit: f64) -> Option<CoreId> {
        let load = |core: &CoreId| self.loads.get(*core);
        let overloaded = self.loads.cores().filter(|core| load(core) > limit);
        // The first of equal ones.
        overloaded.reduce(|best, core| if load(&core) > load(&best) { core } else { best })
    }

    /// The largest rank of the donor that fits on an underloaded core; the first such core.
    fn best_move(&self, donor: CoreId, limit: f64) -> Option<Move> {
        let mut best: Option<(f64, Move)> = None;
        for to in self.loads.cores().filter(|&core| core != donor && self.loads.get(core) < self.average) {
            for &rank in &self.residents[donor.index()] {
                let work = self.snapshot.work(rank);
                let fits = self.loads.get(to) + self.snapshot.seconds_on(rank, to) < limit;
                // A rank without work would move for nothing.
                if fits && work > best.as_ref().map_or(0.0, |(most, _)| *most) {
                    best = Some((work, Move { rank, to }));
                }
            }
        }
        best.map(|(_, best)| best)
    }

    fn carry_out(&mut self, Move { rank, to }: Move, donor: CoreId) {
        self.loads.add(donor, -self.snapshot.seconds_on(rank, donor));
        self.loads.add(to, self.snapshot.seconds_on(rank, to));
        self.residents[donor.index()].retain(|&resident| resident != rank);
        self.residents[to.index()].push(rank);
        self.mapping[rank] = to;
    }
}
