//! Recorded communicators and groups.

use std::sync::Arc;

use mpirage_call::{Call, CommRequest, ContextId, SELF, WORLD};
use mpirage_data::{Group, RankRange};
use mpirage_units::counted;

use super::layout::{Action, GroupAction};
use super::player::Answer::{Needed, NotNeeded};
use super::player::{Common, Outcome, Player, number};
use super::stream::Arguments;
use crate::Calls;

/// DUMPI's numbers of what is predefined.
pub(super) const COMM_WORLD: i64 = 2;
const COMM_SELF: i64 = 3;
const GROUP_EMPTY: i64 = 2;

/// A communicator as a rank knows it.
#[derive(Clone, Debug)]
pub(super) struct Comm {
    pub context: ContextId,
    pub group: Arc<Group>,
    /// Extents, of a Cartesian one.
    pub dims: Arc<[u32]>,
}

/// A communicator that is being made.
#[derive(Debug)]
pub(super) struct Making {
    pub number: i64,
    pub parent: Arc<Group>,
    pub dims: Arc<[u32]>,
}

impl Player {
    pub(super) fn comm_action(
        &mut self,
        action: Action,
        arguments: &Arguments,
        common: &mut Common,
        calls: &mut Calls<'_>,
    ) -> Outcome {
        let n = |at| number(arguments, at);
        match action {
            Action::CommDup => {
                let parent = self.comm(n(0)?, common)?;
                let dims = Arc::clone(&parent.dims);
                self.make(n(1)?, &parent, dims, CommRequest::Dup, calls)
            }
            Action::CommSplit => {
                let parent = self.comm(n(0)?, common)?;
                let color = (n(1)? >= 0).then_some(n(1)? as i32);
                self.make(n(3)?, &parent, [].into(), CommRequest::Split { color, key: n(2)? as i32 }, calls)
            }
            Action::CommCreate => {
                let (parent, group) = (self.comm(n(0)?, common)?, self.group(n(1)?)?);
                let members: Option<Vec<u32>> =
                    group.iter().map(|world| parent.group.rank_of(world)).collect();
                let members = members.ok_or("the group has ranks that the communicator has not")?;
                self.make(n(2)?, &parent, [].into(), CommRequest::Create(&members), calls)
            }
            Action::CartCreate => {
                let dims = extents(arguments.list(0))?;
                self.make_first(n(0)?, n(3)?, dims, common, calls)
            }
            Action::GraphCreate => {
                let nodes = extents(&[n(2)? as i32])?;
                self.make_first(n(1)?, n(4)?, nodes, common, calls)
            }
            Action::CartSub => self.make_sub(arguments, common, calls),
            _ => match self.comms.remove(&n(0)?) {
                Some(Comm { context, .. }) => self.say(&Call::FreeComm { context }, NotNeeded, calls),
                None => Ok(NotNeeded),
            },
        }
    }

    fn make(
        &mut self,
        number: i64,
        parent: &Comm,
        dims: Arc<[u32]>,
        how: CommRequest<'_>,
        calls: &mut Calls<'_>,
    ) -> Outcome {
        self.making = Some(Making { number, parent: Arc::clone(&parent.group), dims });
        self.say(&Call::MakeComm { parent: parent.context, how }, Needed, calls)
    }

    /// A communicator of the first ranks of another, as many as there are places in a grid.
    fn make_first(
        &mut self,
        parent: i64,
        number: i64,
        dims: Vec<u32>,
        common: &mut Common,
        calls: &mut Calls<'_>,
    ) -> Outcome {
        let parent = self.comm(parent, common)?;
        let places = dims.iter().fold(1u64, |places, &extent| places.saturating_mul(extent.into()));
        if places > parent.group.size().into() {
            return Err(format!(
                "a grid of {} in a communicator of {}",
                counted(places, "rank"),
                parent.group.size()
            ));
        }
        common.members.clear();
        common.members.extend(0..places as u32);
        self.make(number, &parent, dims.into(), CommRequest::Create(&common.members), calls)
    }

    /// `MPI_Cart_sub`: one communicator for each combination of coordinates on the dropped axes.
    fn make_sub(&mut self, arguments: &Arguments, common: &Common, calls: &mut Calls<'_>) -> Outcome {
        let parent = self.comm(number(arguments, 1)?, common)?;
        let remain = arguments.list(0);
        let rank = parent.group.rank_of(self.rank).ok_or("the rank is not in this communicator")?;
        if remain.len() != parent.dims.len() {
            return Err(format!("there are {} flags for {} axes", remain.len(), parent.dims.len()));
        }
        let (mut color, mut key, mut stride) = (0, 0, parent.group.size().max(1));
        let mut dims = Vec::new();
        for (&extent, &remains) in parent.dims.iter().zip(remain) {
            stride /= extent.max(1);
            let place = rank / stride.max(1) % extent.max(1);
            if remains != 0 {
                dims.push(extent);
                key = key * extent + place;
            } else {
                color = color * extent + place;
            }
        }
        let how = CommRequest::Split { color: Some(color as i32), key: key as i32 };
        self.make(number(arguments, 2)?, &parent, dims.into(), how, calls)
    }

    pub(super) fn group_action(
        &mut self,
        action: GroupAction,
        arguments: &Arguments,
        common: &Common,
    ) -> Outcome {
        let n = |at| number(arguments, at);
        let wrong = |error: mpirage_data::GroupError| error.to_string();
        let (made, group) = match action {
            GroupAction::OfComm => (n(1)?, self.comm(n(0)?, common)?.group),
            GroupAction::Union => (n(2)?, self.group(n(0)?)?.union(&*self.group(n(1)?)?).into()),
            GroupAction::Intersection => {
                (n(2)?, self.group(n(0)?)?.intersection(&*self.group(n(1)?)?).into())
            }
            GroupAction::Difference => (n(2)?, self.group(n(0)?)?.difference(&*self.group(n(1)?)?).into()),
            GroupAction::Incl => (n(2)?, self.group(n(0)?)?.incl(arguments.list(0)).map_err(wrong)?.into()),
            GroupAction::Excl => (n(2)?, self.group(n(0)?)?.excl(arguments.list(0)).map_err(wrong)?.into()),
            GroupAction::RangeIncl => {
                let ranges = ranges(arguments.list(0));
                (n(2)?, self.group(n(0)?)?.range_incl(&ranges).map_err(wrong)?.into())
            }
            GroupAction::RangeExcl => {
                let ranges = ranges(arguments.list(0));
                (n(2)?, self.group(n(0)?)?.range_excl(&ranges).map_err(wrong)?.into())
            }
        };
        self.groups.insert(made, group);
        Ok(NotNeeded)
    }

    /// A communicator by DUMPI's number.
    pub(super) fn comm(&self, number: i64, common: &Common) -> Result<Comm, String> {
        let simple = |context, group| Comm { context, group, dims: [].into() };
        match number {
            COMM_WORLD => Ok(simple(WORLD, Arc::clone(&common.world))),
            COMM_SELF => {
                let group = Group::of([self.rank]).map_err(|error| error.to_string())?;
                Ok(simple(SELF, group.into()))
            }
            _ => self.comms.get(&number).cloned().ok_or_else(|| format!("there is no communicator {number}")),
        }
    }

    fn group(&self, number: i64) -> Result<Arc<Group>, String> {
        match number {
            GROUP_EMPTY => Ok(Group::empty().into()),
            _ => self.groups.get(&number).cloned().ok_or_else(|| format!("there is no group {number}")),
        }
    }
}

fn extents(list: &[i32]) -> Result<Vec<u32>, String> {
    let extent = |&extent: &i32| u32::try_from(extent).map_err(|_| format!("an extent of {extent}"));
    list.iter().map(extent).collect()
}

fn ranges(list: &[i32]) -> Vec<RankRange> {
    let range = |three: &[i32]| RankRange { first: three[0], last: three[1], stride: three[2] };
    list.chunks_exact(3).map(range).collect()
}
