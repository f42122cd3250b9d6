//! Charm++'s DistributedLB (Menon and Kalé, "A distributed dynamic load balancer for iterative applications", 2013): cores
//! with little load spread the word, and overloaded ones send ranks to those they have heard of.
//!
//! A phase has two parts. Gossip: every core below 1.05 × average sends the list of light cores it knows to two others drawn at random;
//! who receives a list adds it to its own and does the same, up to 2 log₂(cores) times. Transfer: every core above the threshold
//! gives away ranks, the smallest first, to a light core that it knows, drawn in proportion to the room it believes there; the receiver
//! accepts what keeps it within the threshold. The threshold is halfway between average and maximum, at least 1.05 × average, and
//! falls from phase to phase. It ends after ten phases, or when the imbalance is at most 1.05.

use std::collections::{BTreeMap, VecDeque};

use mpirage_units::{Consumer, Random};

use crate::loads::Loads;
use crate::random::below;
use crate::{BalanceError, Balancer, CoreId, Snapshot};

/// The consumer of random numbers for the gossip.
const GOSSIP: Consumer = Consumer(0x6261_6c32);
/// The imbalance that is good enough.
const TARGET: f64 = 1.05;
/// The most phases.
const PHASES: usize = 10;
/// Ranks that compute for less are not worth a message.
const SMALLEST_SECONDS: f64 = 1e-4;
/// How many cores hear of each list.
const FANOUT: usize = 2;
/// A phase that improves the imbalance by less lowers the threshold.
const SMALL_GAIN: f64 = 0.01;
/// A core gives up when more than this share of the light cores it knows has refused.
const REFUSALS: f64 = 0.01;

/// Gossip, then transfers.
#[derive(Clone, Debug)]
pub struct Distributed(Random);

impl Distributed {
    /// The same draws for the same seed.
    pub fn new(seed: u64) -> Distributed {
        Distributed(Random::new(seed, GOSSIP))
    }
}

impl Balancer for Distributed {
    fn map(&mut self, snapshot: &Snapshot) -> Result<Vec<CoreId>, BalanceError> {
        let mapping = snapshot.current();
        let loads = Loads::of(snapshot, &mapping);
        let mut state = State { snapshot, average: loads.average(), loads, mapping, random: &mut self.0 };
        state.run();
        Ok(state.mapping)
    }
}

/// The light cores that a core knows, and the loads it believes they have.
type Known = BTreeMap<CoreId, f64>;

struct State<'a> {
    snapshot: &'a Snapshot,
    mapping: Vec<CoreId>,
    loads: Loads,
    average: f64,
    random: &'a mut Random,
}

impl State<'_> {
    fn run(&mut self) {
        let floor = TARGET * self.average;
        let halfway = |max: f64, average: f64| floor.max(max.midpoint(average));
        let mut threshold = halfway(self.loads.max(), self.average);
        for _ in 0..PHASES {
            let before = self.loads.max();
            if before <= floor {
                return;
            }
            let known = self.gossip(floor);
            self.give_away(known, threshold);
            let gain = (before - self.loads.max()) / self.average;
            let at_floor = threshold <= floor;
            threshold = if gain < SMALL_GAIN {
                floor.max(threshold.midpoint(self.average))
            } else {
                halfway(self.loads.max(), self.average)
            };
            if at_floor && gain <= 0.0 {
                return;
            }
        }
    }

    /// The knowledge of each core at the end of the gossip.
    fn gossip(&mut self, light: f64) -> Vec<Known> {
        let cores = self.snapshot.cores().len();
        let mut known = vec![Known::new(); cores];
        let mut sends = vec![(2.0 * (cores as f64).log2()).ceil() as u32; cores];
        let mut talks: VecDeque<CoreId> =
            self.loads.cores().filter(|&core| self.loads.get(core) < light).collect();
        for &core in &talks {
            known[core.index()].insert(core, self.loads.get(core));
        }
        while let Some(core) = talks.pop_front() {
            if sends[core.index()] == 0 {
                continue;
            }
            sends[core.index()] -= 1;
            for _ in 0..FANOUT {
                let to = below(self.random, cores);
                let list = known[core.index()].clone();
                known[to].extend(list);
                talks.push_back(CoreId(to as u32));
            }
        }
        known
    }

    /// Overloaded cores give ranks away, one core after the other.
    fn give_away(&mut self, mut known: Vec<Known>, threshold: f64) {
        for donor in self.loads.cores() {
            if self.loads.get(donor) > threshold {
                self.relieve(donor, &mut known[donor.index()], threshold);
            }
        }
    }

    fn relieve(&mut self, donor: CoreId, known: &mut Known, threshold: f64) {
        let mut refusals = 0;
        for rank in self.movable(donor) {
            let seconds = self.snapshot.seconds_on(rank, donor);
            while self.loads.get(donor) > threshold {
                if f64::from(refusals) > REFUSALS * known.len() as f64 {
                    return;
                }
                let Some(to) = self.draw(known, threshold) else { return };
                let added = self.snapshot.seconds_on(rank, to);
                if self.loads.get(to) + added > threshold {
                    refusals += 1;
                    known.insert(to, self.loads.get(to));
                    continue;
                }
                self.loads.add(donor, -seconds);
                self.loads.add(to, added);
                known.insert(to, self.loads.get(to));
                self.mapping[rank] = to;
                break;
            }
        }
    }

    /// The ranks of a core that are worth moving, the smallest first.
    fn movable(&self, core: CoreId) -> Vec<usize> {
        let seconds = |rank: usize| self.snapshot.seconds_on(rank, core);
        let here = (0..self.mapping.len()).filter(|&rank| self.mapping[rank] == core);
        let mut ranks: Vec<usize> = here.filter(|&rank| seconds(rank) >= SMALLEST_SECONDS).collect();
        ranks.sort_by(|&a, &b| seconds(a).total_cmp(&seconds(b)).then(a.cmp(&b)));
        ranks
    }

    /// A light core, in proportion to the room it is believed to have.
    fn draw(&mut self, known: &Known, threshold: f64) -> Option<CoreId> {
        let room = |load: f64| (threshold - load).max(0.0);
        let all: f64 = known.values().map(|&load| room(load)).sum();
        if all <= 0.0 {
            return None;
        }
        let mut left = self.random.unit() * all;
        let roomy = known.iter().filter(|&(_, &load)| room(load) > 0.0);
        let mut last = None;
        for (&core, &load) in roomy {
            last = Some(core);
            left -= room(load);
            if left < 0.0 {
                break;
            }
        }
        last
    }
}
