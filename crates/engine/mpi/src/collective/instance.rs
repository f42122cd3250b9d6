//! One collective operation: who has entered, with what, and who has left.
//!
//! The n-th collective that a rank enters on a communicator is the n-th of all its members: an [`Instance`]. Each rank that
//! enters becomes a [`Participant`], starts its schedule, and leaves when the schedule ends; bytes are exchanged as ranks
//! leave ([`super::exchange`]). Making a communicator is a collective too.

use std::sync::Arc;

use mpirage_call::{
    BESIDE_ROOT, Blocks, Collective, ContextId, Input, LineId, Method, OnMismatch, RankId, Reduction,
    RequestId, Stamp, function_name,
};
use mpirage_data::Group;

use super::comm::{CommId, NewComm, Wish};
use super::edges::KeptPeers;
use crate::data_plane::Held;
use crate::ids::PlanId;

/// How a buffer is cut into blocks, kept beyond the call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Layout {
    Whole(u64),
    Equal(u64),
    Each(Vec<u64>),
}

impl Layout {
    pub(crate) fn of(blocks: &Blocks<'_>) -> Layout {
        match *blocks {
            Blocks::Whole(bytes) => Layout::Whole(bytes),
            Blocks::Equal(bytes) => Layout::Equal(bytes),
            Blocks::Each(list) => Layout::Each(list.to_vec()),
        }
    }

    pub(crate) fn blocks(&self) -> Blocks<'_> {
        match self {
            Layout::Whole(bytes) => Blocks::Whole(*bytes),
            Layout::Equal(bytes) => Blocks::Equal(*bytes),
            Layout::Each(list) => Blocks::Each(list),
        }
    }
}

/// A send or receive buffer of a participant.
#[derive(Debug)]
pub(crate) struct Buffer {
    pub held: Held,
    pub layout: Layout,
}

impl Default for Buffer {
    fn default() -> Self {
        Buffer { held: Held::Nothing, layout: Layout::Whole(0) }
    }
}

/// A rank that takes part in a collective.
#[derive(Debug, Default)]
pub(crate) struct Participant {
    pub entered: bool,
    pub left: bool,
    pub send: Buffer,
    pub recv: Buffer,
    pub peers: KeptPeers,
    /// The root that it names; [`BESIDE_ROOT`] if it does not know it.
    pub root: u32,
    pub reduction: Option<Reduction>,
    pub on_mismatch: OnMismatch,
    pub stamp: Stamp,
    /// The line that entered.
    pub line: LineId,
    /// The request that completes with it; `BLOCKING` if the line waits in the call.
    pub request: RequestId,
}

/// The purpose of a collective.
#[derive(Debug)]
pub(crate) enum Purpose {
    /// To move data. Between the sides of an inter-communicator, the root is [`BESIDE_ROOT`] until a rank enters that knows it.
    Data { kind: Collective, root: u32 },
    /// To make a communicator.
    Comm { wishes: Vec<Wish>, made: Vec<NewComm> },
}

/// Results that several ranks share.
#[derive(Debug, Default)]
pub(crate) struct Results {
    /// The common result, once it is known.
    pub common: Option<Vec<u8>>,
    /// Has everything been exchanged already?
    pub exchanged: bool,
    /// A block for each rank, as far as they are known: contributions, or results of scans up to that rank.
    pub blocks: Vec<Vec<u8>>,
    /// The combined contributions of the first and of the second side of an inter-communicator.
    pub of_sides: [Option<Vec<u8>>; 2],
}

/// Members have given different sizes, and all of them are tolerant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mismatch {
    /// The size that the first to enter gave: all follow the schedule for that size.
    pub first: u64,
    /// The largest size so far.
    pub largest: u64,
}

/// One collective operation.
/// A plan of all members whose data are in place, or of all whose data are not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CommonPlan {
    pub plan: PlanId,
    pub method: Method,
    pub input: Input,
}

#[derive(Debug)]
pub(crate) struct Instance {
    /// The communicator.
    pub comm: CommId,
    /// Tells it apart from every other collective of the run.
    pub number: u64,
    pub group: Arc<Group>,
    pub purpose: Purpose,
    /// By rank in the group.
    pub participants: Vec<Participant>,
    /// The lowest rank that has entered.
    first: Option<u32>,
    entered: usize,
    left: usize,
    /// All have entered and have got their results, or had them; only time has yet to pass.
    pub settled: bool,
    pub results: Results,
    /// How it is performed, once the first member has chosen.
    pub method: Option<Method>,
    /// The plan, if all members follow the same one that make the same call.
    pub common_plan: Option<CommonPlan>,
    /// The sizes that members should agree on, once they differ.
    pub mismatch: Option<Mismatch>,
}

impl Instance {
    pub(crate) fn new(
        comm: CommId,
        number: u64,
        group: Arc<Group>,
        purpose: Purpose,
        mut participants: Vec<Participant>,
    ) -> Instance {
        participants.resize_with(group.size() as usize, Participant::default);
        let results = Results::default();
        Instance {
            comm,
            number,
            group,
            purpose,
            participants,
            first: None,
            entered: 0,
            left: 0,
            settled: false,
            results,
            method: None,
            common_plan: None,
            mismatch: None,
        }
    }

    /// A member enters.
    pub(crate) fn enter(&mut self, member: u32, line: LineId, stamp: Stamp, request: RequestId) {
        self.entered += 1;
        self.first = Some(self.first.map_or(member, |first| first.min(member)));
        let participant = &mut self.participants[member as usize];
        (participant.entered, participant.stamp) = (true, stamp);
        (participant.line, participant.request) = (line, request);
    }

    /// A member leaves. True if it is the last.
    pub(crate) fn leave(&mut self, member: u32) -> bool {
        self.participants[member as usize].left = true;
        self.left += 1;
        self.left == self.participants.len()
    }

    /// The rank of the run that is a member.
    pub(crate) fn rank_of(&self, member: u32) -> RankId {
        RankId::new(self.group.world_of(member).expect("members are ranks of the group"))
    }

    pub(crate) fn size(&self) -> usize {
        self.participants.len()
    }

    /// The lowest member that has entered.
    pub(crate) fn first(&self) -> Option<u32> {
        self.first
    }

    /// Has only one member entered?
    pub(crate) fn has_one_member(&self) -> bool {
        self.entered == 1
    }

    /// Have all members entered?
    pub(crate) fn is_complete(&self) -> bool {
        self.entered == self.participants.len()
    }

    /// Ranks that have not entered.
    pub(crate) fn missing(&self) -> Vec<u32> {
        let absent = |member: &u32| !self.participants[*member as usize].entered;
        (0..self.size() as u32).filter(absent).map(|member| self.rank_of(member).get()).collect()
    }

    /// Those of some members that have not entered, as ranks of the run, in order and each once.
    pub(crate) fn missing_of(&self, members: impl Iterator<Item = u32>) -> Vec<u32> {
        let absent = members.filter(|&member| !self.participants[member as usize].entered);
        let mut absent: Vec<u32> = absent.map(|member| self.rank_of(member).get()).collect();
        absent.sort_unstable();
        absent.dedup();
        absent
    }

    /// A rank enters that names this root.
    pub(crate) fn learn_root(&mut self, named: u32) {
        if let Purpose::Data { root, .. } = &mut self.purpose
            && *root == BESIDE_ROOT
        {
            *root = named;
        }
    }

    /// The function that the first rank called, for messages.
    pub(crate) fn function(&self) -> &'static str {
        let first = self.participants.iter().find(|participant| participant.entered);
        first.map_or("a collective", |participant| function_name(participant.stamp.function))
    }

    /// The context of its communicator, as ranks know it.
    pub(crate) fn context(&self) -> ContextId {
        self.comm.context()
    }
}
