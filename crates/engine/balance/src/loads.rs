//! The load of each core under a mapping.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::snapshot::{CoreId, Snapshot};

/// Seconds for which each core computes.
#[derive(Clone, Debug, PartialEq)]
pub struct Loads(Vec<f64>);

impl Loads {
    /// The loads if no rank were anywhere.
    pub fn background(snapshot: &Snapshot) -> Loads {
        Loads(snapshot.cores().iter().map(|core| core.background).collect())
    }

    /// The loads if ranks are mapped like this.
    pub fn of(snapshot: &Snapshot, mapping: &[CoreId]) -> Loads {
        let mut loads = Loads::background(snapshot);
        for (rank, &core) in mapping.iter().enumerate() {
            loads.add(core, snapshot.seconds_on(rank, core));
        }
        loads
    }

    /// The load of a core.
    pub fn get(&self, core: CoreId) -> f64 {
        self.0[core.index()]
    }

    /// The cores, by number.
    pub fn cores(&self) -> impl Iterator<Item = CoreId> + use<> {
        (0..self.0.len() as u32).map(CoreId)
    }

    /// A core computes for so many seconds more.
    pub fn add(&mut self, core: CoreId, seconds: f64) {
        self.0[core.index()] += seconds;
    }

    /// The largest load.
    pub fn max(&self) -> f64 {
        self.0.iter().copied().fold(0.0, f64::max)
    }

    /// The mean load.
    pub fn average(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len() as f64
    }
}

/// Cores by load, the least loaded first; equal ones by number.
pub(crate) struct LeastLoaded(BinaryHeap<Reverse<(OrderedLoad, CoreId)>>);

impl LeastLoaded {
    /// All cores with these loads.
    pub(crate) fn new(loads: &Loads) -> LeastLoaded {
        LeastLoaded(loads.cores().map(|core| Reverse((OrderedLoad(loads.get(core)), core))).collect())
    }

    /// The least loaded core, whose load changes by what `change` says.
    pub(crate) fn take(&mut self, change: impl FnOnce(CoreId) -> f64) -> CoreId {
        let Reverse((OrderedLoad(load), core)) = self.0.pop().expect("a snapshot has a core");
        self.0.push(Reverse((OrderedLoad(load + change(core)), core)));
        core
    }
}

/// A load as a key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OrderedLoad(pub f64);

impl Ord for OrderedLoad {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for OrderedLoad {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for OrderedLoad {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for OrderedLoad {}
