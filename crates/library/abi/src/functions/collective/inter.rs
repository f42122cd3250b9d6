//! Collectives across an inter-communicator: what one side gives, the other gets.
//!
//! Blocks are for the ranks of the other side. See [`Bridge`] for the simulator's numbers of the ranks.

use std::sync::Arc;

use core::ffi::c_int;
use mpirage_call::{BESIDE_ROOT, Collective, Reduction};

use super::Membership;
use crate::constants::{MPI_PROC_NULL, MPI_ROOT};
use crate::ground::error::Result;
use crate::objects::Objects;
use crate::objects::bridge::Bridge;
use crate::operations::collection::{Partners, Side};
use crate::operations::operation::Operation;
use crate::types::MPI_Comm;

/// An inter-communicator, as this rank takes part in a collective on it.
pub(super) struct Inter {
    place: Membership,
    bridge: Arc<Bridge>,
    /// The root, where there is one.
    root: Root,
}

/// The root, from the point of view of this rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root {
    /// This rank (`MPI_ROOT`).
    Here,
    /// Another one of this side (`MPI_PROC_NULL`).
    Beside,
    /// This one of the other side.
    There(u32),
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
        Ok(Some(Inter { place: Membership::of(objects, comm)?, bridge, root }))
    }

    /// How many ranks the other side has.
    pub(super) fn remote(&self) -> usize {
        self.bridge.remote.size() as usize
    }

    /// The root.
    pub(super) fn root(&self) -> Root {
        self.root
    }

    /// The root sends to all ranks of the other side.
    pub(super) fn root_gives(
        &self,
        kind: Collective,
        at_root: impl FnOnce(usize) -> Result<Side>,
        at_others: impl FnOnce() -> Result<Side>,
    ) -> Result<Operation> {
        Ok(match self.root {
            Root::Here => self.rooted(kind, at_root(self.remote())?, Side::nothing(), None),
            Root::Beside => self.rooted(kind, Side::nothing(), Side::nothing(), None),
            Root::There(_) => self.rooted(kind, Side::nothing(), at_others()?, None),
        })
    }

    /// The root receives from all ranks of the other side.
    pub(super) fn root_gets(
        &self,
        kind: Collective,
        at_root: impl FnOnce(usize) -> Result<Side>,
        at_others: impl FnOnce() -> Result<Side>,
    ) -> Result<Operation> {
        Ok(match self.root {
            Root::Here => self.rooted(kind, Side::nothing(), at_root(self.remote())?, None),
            Root::Beside => self.rooted(kind, Side::nothing(), Side::nothing(), None),
            Root::There(_) => self.rooted(kind, at_others()?, Side::nothing(), None),
        })
    }

    /// Each rank gives something to the other side, and gets something from it.
    pub(super) fn both_ways(&self, kind: Collective, gives: Side, gets: Side) -> Operation {
        self.operation(kind, 0, gives, gets, None)
    }

    /// The same, where what it gets is combined.
    pub(super) fn reduced(
        &self,
        kind: Collective,
        gives: Side,
        gets: Side,
        reduction: Reduction,
    ) -> Operation {
        self.operation(kind, 0, gives, gets, Some(reduction))
    }

    /// The operation with the root that this rank names.
    pub(super) fn rooted(
        &self,
        kind: Collective,
        gives: Side,
        gets: Side,
        reduction: Option<Reduction>,
    ) -> Operation {
        let root = match self.root {
            Root::Here => self.bridge.own_seat(self.place.rank as u32),
            Root::Beside => BESIDE_ROOT,
            Root::There(member) => self.bridge.seat_of(member),
        };
        self.operation(kind, root, gives, gets, reduction)
    }

    fn operation(
        &self,
        kind: Collective,
        root: u32,
        gives: Side,
        gets: Side,
        reduction: Option<Reduction>,
    ) -> Operation {
        let kind = kind.across().expect("scans are refused");
        let partners = Partners::OtherSide { first: self.bridge.first_side() };
        self.place.among(kind, partners, root, gives, gets, reduction)
    }
}
