//! Two levels, as in hierarchical balancers of Charm++ (HybridLB): first between groups of cores, then inside each.
//!
//! The cores of a host are a group. If every host has one core, consecutive hosts are: as many groups as the square root of the
//! number of cores, rounded up. Between groups ranks move as little as possible ([`Refine`]); a group counts as one core
//! with the mean load of its members. Inside a group [`GreedyRefine`] balances.

use crate::greedy_refine::GreedyRefine;
use crate::refine::Refine;
use crate::{BalanceError, Balancer, Core, CoreId, RankLoad, Snapshot};

/// Between groups, then inside each.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hierarchical;

impl Balancer for Hierarchical {
    fn map(&mut self, snapshot: &Snapshot) -> Result<Vec<CoreId>, BalanceError> {
        let groups = Groups::of(snapshot);
        let group_of = Refine::default().map(&groups.outline(snapshot)?)?;
        let mut mapping = snapshot.current();
        for group in 0..groups.members.len() {
            groups.balance_inside(group, &group_of, snapshot, &mut mapping)?;
        }
        Ok(mapping)
    }
}

/// Groups of cores.
struct Groups {
    members: Vec<Vec<CoreId>>,
    /// The group of each core.
    of_core: Vec<usize>,
}

impl Groups {
    fn of(snapshot: &Snapshot) -> Groups {
        let cores = snapshot.cores();
        let mut hosts: Vec<u32> = cores.iter().map(|core| core.host).collect();
        hosts.sort_unstable();
        hosts.dedup();
        let group_of = |number: usize| {
            if hosts.len() < cores.len() {
                return hosts.binary_search(&cores[number].host).expect("the host of a core");
            }
            number / cores.len().div_ceil((cores.len() as f64).sqrt().ceil() as usize)
        };
        let of_core: Vec<usize> = (0..cores.len()).map(group_of).collect();
        let mut members = vec![Vec::new(); of_core.iter().max().map_or(0, |last| last + 1)];
        for (core, &group) in of_core.iter().enumerate() {
            members[group].push(CoreId(core as u32));
        }
        Groups { members, of_core }
    }

    /// The snapshot with a core for each group.
    fn outline(&self, snapshot: &Snapshot) -> Result<Snapshot, BalanceError> {
        let cores = snapshot.cores();
        let total = |group: &[CoreId], of: fn(&Core) -> f64| {
            group.iter().map(|core| of(&cores[core.index()])).sum::<f64>()
        };
        let core = |(number, group): (usize, &Vec<CoreId>)| {
            let speed = total(group, |core| core.speed);
            Core {
                host: number as u32,
                speed,
                background: total(group, |core| core.background * core.speed) / speed,
            }
        };
        let groups: Vec<Core> = self.members.iter().enumerate().map(core).collect();
        let rank = |(number, rank): (usize, &RankLoad)| {
            let group = self.of_core[rank.core.index()];
            RankLoad {
                seconds: snapshot.work(number) / groups[group].speed,
                core: CoreId(group as u32),
                ..*rank
            }
        };
        let ranks = snapshot.ranks().iter().enumerate().map(rank).collect();
        Snapshot::new(ranks, groups, Vec::new())
    }

    /// Gives the ranks of a group its cores. A rank from elsewhere starts on the group's first core, as far as that counts.
    fn balance_inside(
        &self,
        group: usize,
        group_of: &[CoreId],
        snapshot: &Snapshot,
        mapping: &mut [CoreId],
    ) -> Result<(), BalanceError> {
        let members = &self.members[group];
        let ranks: Vec<usize> = (0..mapping.len()).filter(|&rank| group_of[rank].index() == group).collect();
        let inside = |&number: &usize| {
            let rank = snapshot.ranks()[number];
            let place = members.iter().position(|&core| core == rank.core).unwrap_or(0);
            RankLoad {
                seconds: snapshot.seconds_on(number, members[place]),
                core: CoreId(place as u32),
                ..rank
            }
        };
        let cores = members.iter().map(|core| snapshot.cores()[core.index()]).collect();
        let part = Snapshot::new(ranks.iter().map(inside).collect(), cores, Vec::new())?;
        for (rank, place) in ranks.into_iter().zip(GreedyRefine::default().map(&part)?) {
            mapping[rank] = members[place.index()];
        }
        Ok(())
    }
}
