//! The schedule of one rank: operations, and which of them wait for which.

use std::ops::Range;

/// Stands for any peer and any tag.
pub(crate) const ANY: u32 = u32::MAX;

/// The kind of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OpKind {
    /// It sends a message.
    Send,
    /// It receives one.
    Recv,
    /// It computes.
    Calc,
}

/// One operation of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op {
    /// Its kind.
    pub kind: OpKind,
    /// Bytes of a message, or nanoseconds of computation.
    pub size: u64,
    /// The other rank, or `u32::MAX` for any; zero if there is none.
    pub peer: u32,
    /// The tag, or `u32::MAX` for any.
    pub tag: u32,
    /// The number of the rank's processor that it uses.
    pub cpu: u8,
    /// The number of the rank's network interface that it uses.
    pub nic: u8,
}

/// `later` waits for `earlier`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// Number of the operation that waits.
    pub later: u32,
    /// Number of the operation that it waits for.
    pub earlier: u32,
    /// It waits for its start (`irequires`), not for its end (`requires`).
    pub start: bool,
}

/// The schedule of one rank. Operations are numbered from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RankSchedule {
    /// Its operations.
    pub ops: Vec<Op>,
    /// The order in which they run.
    pub dependencies: Vec<Dependency>,
}

/// The successors of each operation of a graph: first those that wait for its end, then those that wait for its start.
#[derive(Debug)]
pub(crate) struct Successors {
    /// Where those of operation n begin, for its end (2 n) and for its start (2 n + 1).
    begins: Vec<u32>,
    pub list: Vec<u32>,
    /// How many dependencies each operation has.
    pub counts: Vec<u32>,
}

impl Successors {
    /// Those of a schedule.
    pub fn of(schedule: &RankSchedule) -> Successors {
        Successors::of_dependencies(schedule.ops.len(), &schedule.dependencies)
    }

    /// Sorts the dependencies of so many operations by the operation that is waited for; those of one operation stay in order.
    pub fn of_dependencies(ops: usize, dependencies: &[Dependency]) -> Successors {
        let mut begins = vec![0u32; 2 * ops + 1];
        let mut counts = vec![0u32; ops];
        for dependency in dependencies {
            begins[bucket(dependency) + 1] += 1;
            counts[dependency.later as usize] += 1;
        }
        for n in 1..begins.len() {
            begins[n] += begins[n - 1];
        }
        let mut next = begins.clone();
        let mut list = vec![0; dependencies.len()];
        for dependency in dependencies {
            let place = &mut next[bucket(dependency)];
            list[*place as usize] = dependency.later;
            *place += 1;
        }
        Successors { begins, list, counts }
    }

    /// Where in the list those are that wait for the end of an operation.
    pub fn of_end(&self, op: usize) -> Range<u32> {
        self.begins[2 * op]..self.begins[2 * op + 1]
    }

    /// Where in the list those are that wait for its start.
    pub fn of_start(&self, op: usize) -> Range<u32> {
        self.begins[2 * op + 1]..self.begins[2 * op + 2]
    }

    fn of_both(&self, op: usize) -> &[u32] {
        &self.list[self.begins[2 * op] as usize..self.begins[2 * op + 2] as usize]
    }

    /// Operations that wait for nothing.
    pub fn roots(&self) -> impl Iterator<Item = u32> {
        (0..self.counts.len() as u32).filter(|&op| self.counts[op as usize] == 0)
    }

    /// An operation that waits for itself through others, if there is one.
    pub fn in_a_cycle(&self) -> Option<u32> {
        let mut missing = self.counts.clone();
        let mut ready: Vec<u32> = self.roots().collect();
        let mut freed = ready.len();
        while let Some(op) = ready.pop() {
            for &later in self.of_both(op as usize) {
                missing[later as usize] -= 1;
                if missing[later as usize] == 0 {
                    ready.push(later);
                    freed += 1;
                }
            }
        }
        (freed < missing.len()).then(|| self.walk_back(&missing))
    }

    /// Follows dependencies from an operation that cannot start until it meets one for the second time.
    fn walk_back(&self, missing: &[u32]) -> u32 {
        let stuck = || (0..missing.len()).filter(|&op| missing[op] > 0);
        let mut before = vec![ANY; missing.len()];
        for op in stuck() {
            for &later in self.of_both(op) {
                before[later as usize] = op as u32;
            }
        }
        let mut at = stuck().next().unwrap_or(0) as u32;
        for _ in 0..missing.len() {
            at = before[at as usize];
        }
        at
    }
}

fn bucket(dependency: &Dependency) -> usize {
    2 * dependency.earlier as usize + usize::from(dependency.start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(ops: usize, dependencies: &[(u32, u32)]) -> RankSchedule {
        let calc = Op { kind: OpKind::Calc, size: 1, peer: 0, tag: 0, cpu: 0, nic: 0 };
        let edge = |&(later, earlier): &(u32, u32)| Dependency { later, earlier, start: later == 0 };
        RankSchedule { ops: vec![calc; ops], dependencies: dependencies.iter().map(edge).collect() }
    }

    #[test]
    fn those_that_wait_are_found_in_order() {
        let successors = Successors::of(&schedule(4, &[(3, 1), (2, 1), (0, 1), (3, 2)]));
        let at = |range: Range<u32>| &successors.list[range.start as usize..range.end as usize];
        assert_eq!(at(successors.of_end(1)), [3, 2]);
        assert_eq!(at(successors.of_start(1)), [0]);
        assert_eq!(successors.counts, [1, 0, 1, 2]);
        assert_eq!(successors.roots().collect::<Vec<_>>(), [1]);
        assert_eq!(successors.in_a_cycle(), None);
    }

    #[test]
    fn a_cycle_is_found_and_not_what_comes_after_it() {
        // 0 and 1 wait for the cycle 2 → 3 → 4 → 2; 5 does not.
        let successors = Successors::of(&schedule(6, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 2)]));
        assert!((2..=4).contains(&successors.in_a_cycle().unwrap()));
        assert_eq!(Successors::of(&schedule(1, &[(0, 0)])).in_a_cycle(), Some(0));
    }
}
