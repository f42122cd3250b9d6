//! The input of a balancer.

use serde::Serialize;

use crate::error::BalanceError;

/// A core, numbered from 0 over all hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct CoreId(pub u32);

impl CoreId {
    /// The place in a vector of cores.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A core.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Core {
    /// The number of its host.
    pub host: u32,
    /// How fast it computes, relative to the others.
    pub speed: f64,
    /// Seconds for which it computed something that cannot move.
    pub background: f64,
}

/// A rank, since the last decision.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RankLoad {
    /// Seconds for which its core computed for it.
    pub seconds: f64,
    /// Bytes to send if it moves.
    pub state_bytes: u64,
    /// The core it is on.
    pub core: CoreId,
}

/// The traffic from one rank to another since the last decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Traffic {
    /// The sender.
    pub from: u32,
    /// The receiver.
    pub to: u32,
    /// The number of messages.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// All ranks, cores and traffic. One that exists is consistent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Snapshot {
    ranks: Vec<RankLoad>,
    cores: Vec<Core>,
    traffic: Vec<Traffic>,
}

impl Snapshot {
    /// A snapshot, if its parts fit together. There is at least one core; ranks are on cores that exist; times are finite.
    pub fn new(
        ranks: Vec<RankLoad>,
        cores: Vec<Core>,
        traffic: Vec<Traffic>,
    ) -> Result<Snapshot, BalanceError> {
        let snapshot = Snapshot { ranks, cores, traffic };
        match snapshot.problem() {
            Some(problem) => Err(BalanceError::BadSnapshot(problem)),
            None => Ok(snapshot),
        }
    }

    fn problem(&self) -> Option<String> {
        let Snapshot { ranks, cores, traffic } = self;
        if cores.is_empty() {
            return Some("there is no core".to_owned());
        }
        let is_time = |seconds: f64| seconds.is_finite() && seconds >= 0.0;
        let bad_core =
            |core: &Core| !(is_time(core.background) && core.speed.is_finite() && core.speed > 0.0);
        if let Some(number) = cores.iter().position(bad_core) {
            return Some(format!("the speed or the background load of core {number} is no number"));
        }
        if let Some(number) = ranks.iter().position(|rank| !is_time(rank.seconds)) {
            return Some(format!("the load of rank {number} is no time"));
        }
        if let Some(number) = ranks.iter().position(|rank| rank.core.index() >= cores.len()) {
            return Some(format!("rank {number} is on a core that does not exist"));
        }
        let outside = |rank: u32| rank as usize >= ranks.len();
        let stranger = traffic.iter().find(|traffic| outside(traffic.from) || outside(traffic.to));
        stranger.map(|traffic| format!("rank {} or {} does not exist", traffic.from, traffic.to))
    }

    /// The ranks, by number.
    pub fn ranks(&self) -> &[RankLoad] {
        &self.ranks
    }

    /// The cores, by number.
    pub fn cores(&self) -> &[Core] {
        &self.cores
    }

    /// Pairs of ranks that have communicated; empty if the balancer does not want to know.
    pub fn traffic(&self) -> &[Traffic] {
        &self.traffic
    }

    /// The core of each rank now.
    pub fn current(&self) -> Vec<CoreId> {
        self.ranks.iter().map(|rank| rank.core).collect()
    }

    /// The work of a rank: the seconds that a core of speed 1 would have taken.
    pub fn work(&self, rank: usize) -> f64 {
        let RankLoad { seconds, core, .. } = self.ranks[rank];
        seconds * self.cores[core.index()].speed
    }

    /// The seconds that a core would have taken for a rank.
    pub fn seconds_on(&self, rank: usize, core: CoreId) -> f64 {
        self.work(rank) / self.cores[core.index()].speed
    }

    /// The ranks with the most work first; equal ones by number.
    pub fn heaviest_first(&self) -> Vec<usize> {
        let mut ranks: Vec<usize> = (0..self.ranks.len()).collect();
        ranks.sort_by(|&a, &b| self.work(b).total_cmp(&self.work(a)).then(a.cmp(&b)));
        ranks
    }

    /// Is there a core for every rank, and does it exist?
    pub fn check(&self, mapping: &[CoreId]) -> Result<(), BalanceError> {
        let (ranks, cores) = (self.ranks.len(), self.cores.len());
        if mapping.len() != ranks {
            return Err(BalanceError::WrongLength { mapped: mapping.len(), ranks });
        }
        match mapping.iter().position(|core| core.index() >= cores) {
            Some(rank) => Err(BalanceError::NoSuchCore { rank, core: mapping[rank].0, cores }),
            None => Ok(()),
        }
    }
}
