//! Collectives across an inter-communicator.
//!
//! What one side gives, the other gets. Every such operation is an exchange of blocks between ranks of the two sides, and
//! travels as the alltoallv it is, each block directly; see [`Bridge`] for the numbers of the ranks. Reductions are such
//! an exchange whose contributions are combined on arrival ([`crate::combination`]).

use core::ffi::c_int;
use std::sync::Arc;

use mpirage_collectives::Collective;
use mpirage_data::Basic;

use super::Place;
use crate::collection::Side;
use crate::constants::{MPI_PROC_NULL, MPI_ROOT};
use crate::error::Result;
use crate::objects::Objects;
use crate::objects::bridge::Bridge;
use crate::operation::Operation;
use crate::region::Region;
use crate::types::MPI_Comm;

/// An inter-communicator, as this rank takes part in a collective on it.
pub(super) struct Inter {
    place: Place,
    bridge: Arc<Bridge>,
    /// The root, where there is one.
    root: Root,
}

/// Who is the root, as this rank says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Root {
    /// This rank (`MPI_ROOT`).
    Here,
    /// Another one of this side (`MPI_PROC_NULL`).
    Beside,
    /// This one of the other side.
    There(u32),
}

/// The ranks of the other side that a rank exchanges data with.
pub(super) enum Reach {
    None,
    /// All of them, a block each.
    All(Side),
    One(u32, Side),
}

impl Inter {
    /// The other side of a communicator, if it has one.
    pub(super) fn of(objects: &Objects, comm: MPI_Comm) -> Result<Option<Inter>> {
        Inter::with_root(objects, comm, MPI_PROC_NULL)
    }

    /// The same, with the root that is named.
    pub(super) fn with_root(objects: &Objects, comm: MPI_Comm, root: c_int) -> Result<Option<Inter>> {
        let object = objects.comms.get(comm)?;
        let Some(bridge) = object.bridge.clone() else { return Ok(None) };
        let root = match root {
            MPI_ROOT => Root::Here,
            MPI_PROC_NULL => Root::Beside,
            rank => Root::There(object.member("root", rank)?),
        };
        Ok(Some(Inter { place: Place::of(objects, comm)?, bridge, root }))
    }

    /// How many ranks the other side has.
    pub(super) fn remote(&self) -> usize {
        self.bridge.remote.size() as usize
    }

    /// The root sends to all ranks of the other side.
    pub(super) fn root_gives(
        &self,
        at_root: impl FnOnce(usize) -> Result<Side>,
        at_others: impl FnOnce() -> Result<Side>,
    ) -> Result<Operation> {
        match self.root {
            Root::Here => self.exchange(Reach::All(at_root(self.remote())?), Reach::None),
            Root::Beside => self.exchange(Reach::None, Reach::None),
            Root::There(root) => self.exchange(Reach::None, Reach::One(root, at_others()?)),
        }
    }

    /// The root receives from all ranks of the other side.
    pub(super) fn root_gets(
        &self,
        at_root: impl FnOnce(usize) -> Result<Side>,
        at_others: impl FnOnce() -> Result<Side>,
    ) -> Result<Operation> {
        match self.root {
            Root::Here => self.exchange(Reach::None, Reach::All(at_root(self.remote())?)),
            Root::Beside => self.exchange(Reach::None, Reach::None),
            Root::There(root) => self.exchange(Reach::One(root, at_others()?), Reach::None),
        }
    }

    /// The same of a reduction.
    pub(super) fn reduced(
        &self,
        objects: &mut Objects,
        at_root: impl FnOnce(&mut Objects) -> Result<Side>,
        at_others: impl FnOnce(&Objects) -> Result<Side>,
    ) -> Result<Operation> {
        match self.root {
            Root::There(_) => self.root_gets(|_| Ok(Side::nothing()), || at_others(objects)),
            _ => self.root_gets(|_| at_root(objects), || Ok(Side::nothing())),
        }
    }

    /// Each rank sends to all ranks of the other side, and receives from them.
    pub(super) fn both_ways(&self, gives: Side, gets: Side) -> Result<Operation> {
        self.exchange(Reach::All(gives), Reach::All(gets))
    }

    fn exchange(&self, gives: Reach, gets: Reach) -> Result<Operation> {
        Ok(self.place.operation(Collective::Alltoallv, self.seated(gives)?, self.seated(gets)?))
    }

    /// A region for each rank of both sides.
    fn seated(&self, reach: Reach) -> Result<Side> {
        let nothing = Region::new(0, 0, &Basic::Byte.into())?;
        let mut regions = vec![nothing; self.bridge.all.size() as usize];
        let combination = match reach {
            Reach::None => None,
            Reach::One(member, side) => {
                regions[self.bridge.seat_of(member) as usize] = side.block_of(0, 1)?;
                side.combination
            }
            Reach::All(side) => {
                for member in 0..self.remote() {
                    let block = side.block_of(member, self.remote())?;
                    regions[self.bridge.seat_of(member as u32) as usize] = block;
                }
                side.combination
            }
        };
        Ok(Side { combination, ..Side::each(regions) })
    }
}
