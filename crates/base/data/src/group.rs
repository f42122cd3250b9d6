//! Groups: ordered sets of processes, each known by its rank in the world.
//!
//! Programs make few kinds of groups: everybody, every n-th, a block, all but one. So members are
//! kept as arithmetic series, and the world of 100,000 ranks is one of them. A group too irregular
//! for that also keeps its members sorted, to find a rank by bisection.

use std::sync::Arc;

use thiserror::Error;

/// An ordered set of world ranks, cheap to clone.
#[derive(Clone, Debug)]
pub struct Group(Arc<Members>);

#[derive(Debug)]
struct Members {
    series: Vec<Series>,
    size: u32,
    /// World rank and group rank of every member, sorted; only where series are many.
    sorted: Option<Vec<(u32, u32)>>,
}

/// Consecutive group ranks whose world ranks are equally spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Series {
    /// Group rank of the first.
    rank: u32,
    /// World rank of the first.
    first: u32,
    /// Distance of world ranks; 1 if there is but one.
    stride: i64,
    count: u32,
}

/// More series than this are not searched one by one.
const SERIES_TO_SCAN: usize = 8;

/// How two groups relate: `MPI_Group_compare`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The same members in the same order.
    Identical,
    /// The same members.
    Similar,
    /// Different members.
    Unequal,
}

/// Ranks `first, first + stride, …` up to `last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct RankRange {
    pub first: i32,
    pub last: i32,
    pub stride: i32,
}

/// A list of ranks that is no subset of a group.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GroupError {
    /// A rank that the group does not have.
    #[error("rank {rank} is outside a group of {size}")]
    OutOfRange {
        /// The rank.
        rank: i64,
        /// Members of the group.
        size: u32,
    },
    /// A rank given twice.
    #[error("rank {rank} is given more than once")]
    Duplicate {
        /// The rank.
        rank: i64,
    },
    /// A range that does not lead from its first to its last rank.
    #[error("no stride of {stride} leads from rank {first} to rank {last}")]
    Range {
        /// Where it starts.
        first: i32,
        /// Where it should end.
        last: i32,
        /// The step.
        stride: i32,
    },
}

impl Group {
    /// Ranks `0..size` of the world.
    pub fn world(size: u32) -> Group {
        let everybody = Series { rank: 0, first: 0, stride: 1, count: size };
        let series = if size == 0 { vec![] } else { vec![everybody] };
        Group(Arc::new(Members { series, size, sorted: None }))
    }

    /// `MPI_GROUP_EMPTY`.
    pub fn empty() -> Group {
        Group::world(0)
    }

    /// These world ranks, in this order.
    pub fn of(members: impl IntoIterator<Item = u32>) -> Result<Group, GroupError> {
        let group = Group::of_distinct(members);
        let mut all: Vec<i64> = group.iter().map(i64::from).collect();
        distinct(&mut all)?;
        Ok(group)
    }

    /// Number of members.
    pub fn size(&self) -> u32 {
        self.0.size
    }

    /// World rank of a member.
    pub fn world_of(&self, rank: u32) -> Option<u32> {
        if rank >= self.size() {
            return None;
        }
        let all = &self.0.series;
        let last = match all.len() {
            1 => 0,
            _ => all.partition_point(|series| series.rank <= rank) - 1,
        };
        let series = &all[last];
        Some(series.world(rank - series.rank))
    }

    /// Group rank of a process, if it is a member.
    pub fn rank_of(&self, world: u32) -> Option<u32> {
        match &self.0.sorted {
            Some(sorted) => {
                let found = sorted.binary_search_by_key(&world, |&(member, _)| member).ok()?;
                Some(sorted[found].1)
            }
            None => self.0.series.iter().find_map(|series| series.rank_of(world)),
        }
    }

    /// World ranks of all members, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.0.series.iter().flat_map(|series| (0..series.count).map(|i| series.world(i)))
    }

    /// `MPI_Group_incl`.
    pub fn incl(&self, ranks: &[i32]) -> Result<Group, GroupError> {
        self.pick(ranks.iter().map(|&rank| i64::from(rank)))
    }

    /// `MPI_Group_excl`.
    pub fn excl(&self, ranks: &[i32]) -> Result<Group, GroupError> {
        self.drop(ranks.iter().map(|&rank| i64::from(rank)))
    }

    /// `MPI_Group_range_incl`.
    pub fn range_incl(&self, ranges: &[RankRange]) -> Result<Group, GroupError> {
        self.pick(expand(ranges)?)
    }

    /// `MPI_Group_range_excl`.
    pub fn range_excl(&self, ranges: &[RankRange]) -> Result<Group, GroupError> {
        self.drop(expand(ranges)?)
    }

    /// The members of this group, then those only of the other: `MPI_Group_union`.
    pub fn union(&self, other: &Group) -> Group {
        let added = other.iter().filter(|&world| self.rank_of(world).is_none());
        Group::of_distinct(self.iter().chain(added))
    }

    /// The members of both, in the order of this group: `MPI_Group_intersection`.
    pub fn intersection(&self, other: &Group) -> Group {
        Group::of_distinct(self.iter().filter(|&world| other.rank_of(world).is_some()))
    }

    /// The members of this group that the other has not: `MPI_Group_difference`.
    pub fn difference(&self, other: &Group) -> Group {
        Group::of_distinct(self.iter().filter(|&world| other.rank_of(world).is_none()))
    }

    /// The ranks that members of this group have in the other: `MPI_Group_translate_ranks`.
    pub fn translate(&self, ranks: &[i32], to: &Group) -> Result<Vec<Option<u32>>, GroupError> {
        ranks.iter().map(|&rank| Ok(to.rank_of(self.member(i64::from(rank))?))).collect()
    }

    /// `MPI_Group_compare`.
    pub fn compare(&self, other: &Group) -> Comparison {
        // Series are cut greedily, so one sequence of members has one list of series.
        if Arc::ptr_eq(&self.0, &other.0) || self.0.series == other.0.series {
            Comparison::Identical
        } else if self.size() == other.size() && self.iter().all(|world| other.rank_of(world).is_some()) {
            Comparison::Similar
        } else {
            Comparison::Unequal
        }
    }

    fn of_distinct(members: impl IntoIterator<Item = u32>) -> Group {
        let mut series: Vec<Series> = Vec::new();
        let mut size = 0;
        for world in members {
            if !series.last_mut().is_some_and(|last| last.accept(world)) {
                series.push(Series { rank: size, first: world, stride: 1, count: 1 });
            }
            size += 1;
        }
        let sorted = (series.len() > SERIES_TO_SCAN).then(|| sort_members(&series));
        Group(Arc::new(Members { series, size, sorted }))
    }

    /// The members of these ranks, in their order.
    fn pick(&self, ranks: impl Iterator<Item = i64>) -> Result<Group, GroupError> {
        let ranks: Vec<i64> = ranks.collect();
        let members = ranks.iter().map(|&rank| self.member(rank)).collect::<Result<Vec<u32>, _>>()?;
        distinct(&mut ranks.clone())?;
        Ok(Group::of_distinct(members))
    }

    /// All members but those of these ranks.
    fn drop(&self, ranks: impl Iterator<Item = i64>) -> Result<Group, GroupError> {
        let mut dropped: Vec<i64> = ranks.collect();
        dropped.iter().try_for_each(|&rank| self.member(rank).map(|_| ()))?;
        distinct(&mut dropped)?;
        let mut dropped = dropped.into_iter().peekable();
        let kept = (0..).zip(self.iter()).filter(|(rank, _)| dropped.next_if_eq(rank).is_none());
        Ok(Group::of_distinct(kept.map(|(_, world)| world)))
    }

    fn member(&self, rank: i64) -> Result<u32, GroupError> {
        let member = u32::try_from(rank).ok().and_then(|rank| self.world_of(rank));
        member.ok_or(GroupError::OutOfRange { rank, size: self.size() })
    }
}

impl PartialEq for Group {
    fn eq(&self, other: &Group) -> bool {
        self.compare(other) == Comparison::Identical
    }
}

impl Eq for Group {}

impl Series {
    fn world(&self, i: u32) -> u32 {
        (i64::from(self.first) + self.stride * i64::from(i)) as u32
    }

    fn rank_of(&self, world: u32) -> Option<u32> {
        let distance = i64::from(world) - i64::from(self.first);
        let steps = distance / self.stride;
        let inside = distance % self.stride == 0 && (0..i64::from(self.count)).contains(&steps);
        inside.then(|| self.rank + steps as u32)
    }

    /// Takes `world` as the next of this series, if it is. A series of one takes any other.
    fn accept(&mut self, world: u32) -> bool {
        let from_first = i64::from(world) - i64::from(self.first);
        if self.count == 1 && from_first != 0 {
            self.stride = from_first;
        }
        let next = from_first == self.stride * i64::from(self.count);
        self.count += u32::from(next);
        next
    }
}

fn sort_members(series: &[Series]) -> Vec<(u32, u32)> {
    let members = |series: &Series| {
        let series = *series;
        (0..series.count).map(move |i| (series.world(i), series.rank + i))
    };
    let mut sorted: Vec<_> = series.iter().flat_map(members).collect();
    sorted.sort_unstable();
    sorted
}

/// Sorts the ranks, and complains of one that is there twice.
fn distinct(ranks: &mut [i64]) -> Result<(), GroupError> {
    ranks.sort_unstable();
    match ranks.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(GroupError::Duplicate { rank: pair[0] }),
        None => Ok(()),
    }
}

fn expand(ranges: &[RankRange]) -> Result<impl Iterator<Item = i64>, GroupError> {
    if let Some(&RankRange { first, last, stride }) = ranges.iter().find(|range| range.length().is_none()) {
        return Err(GroupError::Range { first, last, stride });
    }
    Ok(ranges.iter().flat_map(|range| {
        let RankRange { first, stride, .. } = *range;
        (0..range.length().unwrap_or(0)).map(move |i| i64::from(first) + i * i64::from(stride))
    }))
}

impl RankRange {
    /// Number of ranks, or `None` if the stride does not lead to the last one.
    fn length(&self) -> Option<i64> {
        let distance = i64::from(self.last) - i64::from(self.first);
        let steps = distance.checked_div(i64::from(self.stride))?;
        let towards = distance == 0 || distance.signum() == i64::from(self.stride.signum());
        towards.then_some(steps + 1)
    }
}

#[cfg(test)]
mod tests;
