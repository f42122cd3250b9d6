//! Accesses under way: stages that follow each other, each made of legs that go on at the same time.

use std::collections::VecDeque;

use mpirage_call::{FileAccessCall, FileHints, RankId};
use mpirage_kernel::{Disk, DiskWork};
use mpirage_platform::HostId;
use mpirage_units::Time;

use super::layout::{FileLayout, Stretch};
use crate::ids::{GatheringId, IoId};
use crate::transport::message::Owner;

/// A part of an access that has to be over before the next begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// So many of the bytes of a stretch move, in so many pieces.
    Move { write: bool, stretch: Stretch, bytes: u64, pieces: u32 },
    /// Operations on directories.
    Metadata { operations: u32 },
}

/// The action when an access is over.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Then {
    /// The rank's request completes, with so many bytes; by ideal clocks it began then.
    Complete { owner: Owner, bytes: u64, ideal: Time },
    /// An aggregator has accessed the file for all.
    Gathered { gathering: GatheringId, aggregator: usize },
}

/// An access under way.
#[derive(Debug)]
pub(crate) struct Io {
    pub layout: FileLayout,
    pub client: RankId,
    pub stages: VecDeque<Stage>,
    /// Legs of the current stage that are not over.
    pub legs: u32,
    pub began: Time,
    pub then: Then,
}

/// How far a leg has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LegState {
    /// The server is asked.
    Requested,
    /// The disk works, and the network too if there are bytes to carry: so many of them are not done.
    Moving(u8),
    /// The server tells that it is done.
    Acknowledged,
}

/// The part of a stage on one disk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leg {
    pub io: IoId,
    pub disk: Disk,
    pub work: DiskWork,
    /// The host of the disk, if it is not the client's.
    pub server: Option<HostId>,
    pub state: LegState,
}

impl Leg {
    /// The bytes that the network carries to the server (true) or from it.
    pub(crate) fn cargo(&self) -> Option<(bool, u64)> {
        match self.work {
            DiskWork::Read { bytes, .. } => Some((false, bytes)),
            DiskWork::Write { bytes, .. } => Some((true, bytes)),
            DiskWork::Metadata { .. } => None,
        }
    }

    /// Does it begin with a request to the server? Bytes to be written need none.
    pub(crate) fn asks(&self) -> bool {
        self.server.is_some() && !matches!(self.work, DiskWork::Write { .. })
    }

    /// Does the server tell that it is done? Bytes that were read tell that themselves.
    pub(crate) fn is_acknowledged(&self) -> bool {
        self.server.is_some() && !matches!(self.work, DiskWork::Read { .. })
    }
}

/// The stages in which a rank accesses its own part of a file. Parts with gaps are read with the gaps, and written by reading them with
/// the gaps first (data sieving: Thakur, Gropp, Lusk, *Data sieving and collective I/O in ROMIO*, 1999), unless hints forbid it.
pub(crate) fn stages_of(call: &FileAccessCall, hints: &FileHints) -> VecDeque<Stage> {
    let FileAccessCall { write, offset, span, bytes, pieces, .. } = *call;
    let stretch = Stretch { offset, length: span };
    let sieves = pieces > 1 && if write { hints.sieve_write } else { hints.sieve_read };
    let whole = |write| Stage::Move { write, stretch, bytes: span, pieces: 1 };
    match (bytes, sieves, write) {
        (0, ..) => VecDeque::new(),
        (_, false, _) => VecDeque::from([Stage::Move { write, stretch, bytes, pieces }]),
        (_, true, false) => VecDeque::from([whole(false)]),
        (_, true, true) => VecDeque::from([whole(false), whole(true)]),
    }
}
