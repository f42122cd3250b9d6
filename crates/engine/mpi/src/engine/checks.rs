//! Checks of calls that may make no sense: a request that is not open, a root that does not exist, lengths that are missing.
//!
//! The C library makes no such calls, so those of programs are not checked. A trace may contain anything: a wrong call ends
//! the run before it is carried out, as a mistake of the rank.

use mpirage_call::{
    BLOCKING, Blocks, Call, Collective, CollectiveCall, CommRequest, ContextId, FieldChecks, FileAccessCall,
    LineId, Member, RankId, RequestId, SELF, WORLD, Work,
};
use mpirage_data::Group;

use super::calls::Calls;
use crate::collective::comm::Comms;
use crate::memory::Memory;
use crate::ranks::Ranks;
use crate::ranks::request::Operation;
use crate::transport::matching::ANY_TAG;

/// No message, and no side of a collective, has more bytes.
const MOST_BYTES: u64 = 1 << 50;
/// No computation has more flops.
const MOST_FLOPS: f64 = 1e30;
/// Request numbers are small, so that they can be places in a list: not further than this beyond the list.
const REQUESTS_APART: usize = 1 << 16;
const MOST_PLANS: u32 = 1 << 16;

/// The state that calls are checked against.
pub(super) struct Checks<'a> {
    comms: &'a Comms,
    ranks: &'a Ranks,
}

impl<M: Memory> Calls<M> {
    pub(super) fn checks(&self) -> Checks<'_> {
        Checks { comms: self.core.collectives.comms(), ranks: &self.core.ranks }
    }

    /// Ends the run if a call makes no sense. True if it does.
    pub(super) fn refuse_nonsense(&mut self, line: LineId, call: &Call<'_>) -> bool {
        let rank = self.core.ranks.rank_of(line);
        let objection = self.checks().objection(rank, call);
        let refused = objection.is_some();
        if let Some(text) = objection {
            self.core.misuse(rank, text);
        }
        refused
    }
}

impl Checks<'_> {
    /// The objection to a call, if there is one.
    fn objection(&self, rank: RankId, call: &Call<'_>) -> Option<String> {
        call.check(&mut CheckedCall { checks: self, rank }).err()
    }

    /// The communicator does not exist, the rank is not in it, or the peer is not.
    #[inline(always)]
    fn unknown_peer(&self, rank: RankId, context: ContextId, peer: Option<u32>) -> Option<String> {
        let text = || match peer {
            Some(peer) => format!("rank {peer} does not exist in communicator {context}"),
            None => format!("it is in no communicator {context}"),
        };
        (!self.knows_peer(rank, context, peer)).then(text)
    }

    /// Does the communicator exist, with the rank and its peer in it?
    #[inline]
    pub(super) fn knows_peer(&self, rank: RankId, context: ContextId, peer: Option<u32>) -> bool {
        // A rank that is in it can send to rank 0 of it.
        self.comms.address(context, rank, peer.unwrap_or(0)).is_some() && !self.comms.is_gone(context)
    }

    #[inline(always)]
    fn cannot_open(&self, rank: RankId, request: Option<RequestId>) -> Option<String> {
        let id = request?;
        (!self.may_open(rank, id)).then(|| format!("it begins request {id}, which it may not use"))
    }

    /// Is a request of this number possible, and not in use?
    #[inline]
    pub(super) fn may_open(&self, rank: RankId, id: RequestId) -> bool {
        let slots = self.ranks.requests(rank);
        let unused = match slots.get(id.index()) {
            Some(slot) => slot.operation == Operation::Unused,
            None => id.index() <= slots.len() + REQUESTS_APART,
        };
        id != BLOCKING && unused
    }

    /// Can there be a message with this tag, of this size?
    #[inline]
    pub(super) fn may_send(&self, tag: i32, bytes: u64) -> bool {
        tag != ANY_TAG && bytes <= MOST_BYTES
    }

    #[inline(always)]
    fn not_open(&self, rank: RankId, id: RequestId) -> Option<String> {
        let slot = self.ranks.requests(rank).get(id.index());
        let open = id != BLOCKING && slot.is_some_and(|slot| slot.is_open());
        (!open).then(|| format!("there is no request {id} that it could wait for or cancel"))
    }

    fn wrong_collective(&self, rank: RankId, call: &CollectiveCall<'_>) -> Option<String> {
        let group = self.comms.group(call.context, rank)?;
        let (size, seat) = (group.size(), group.rank_of(rank.get())?);
        let is_root = seat == call.root;
        let bytes = call.reduction.map_or(Some(0), |r| r.elements.checked_mul(r.element.into()));
        if !call.is_sound(Member { rank: seat, size }) {
            let text =
                format!("its blocks are not one per rank, or its peers are not those of {}", call.kind);
            return Some(text);
        }
        let sides = [
            side_bytes(&call.send.blocks, call.send_blocks(Member { rank: seat, size })),
            side_bytes(&call.recv.blocks, call.receive_blocks(Member { rank: seat, size })),
        ];
        let all = sides.into_iter().chain([bytes]).try_fold(0u64, |all, bytes| all.checked_add(bytes?));
        if all.is_none_or(|all| all > MOST_BYTES) || call.plan > MOST_PLANS {
            return Some("its blocks have more bytes than there can be".to_owned());
        }
        let listed = |blocks: &Blocks<'_>| matches!(blocks, Blocks::Each(_));
        let (sends, receives) = wants_lists(call.kind, is_root);
        // Of these a trace may know what one rank gets only, which is then taken for what all get.
        let even = call.kind == Collective::ReduceScatter && matches!(call.recv.blocks, Blocks::Whole(_));
        let missing = sends && !listed(&call.send.blocks) || receives && !even && !listed(&call.recv.blocks);
        missing.then(|| format!("there is not one length per rank, which {} needs", call.kind.name()))
    }

    fn wrong_making(&self, rank: RankId, parent: ContextId, how: &CommRequest<'_>) -> Option<String> {
        let group = self.comms.group(parent, rank)?;
        match *how {
            CommRequest::Create(members) => wrong_members(members, &group),
            CommRequest::CreateGroup { members, .. } => wrong_members(members, &group).or_else(|| {
                let included = members.iter().any(|&member| group.world_of(member) == Some(rank.get()));
                (!included).then(|| "it makes a communicator in which it is not".to_owned())
            }),
            CommRequest::Dup
            | CommRequest::DupLater { .. }
            | CommRequest::Split { .. }
            | CommRequest::SplitByHost { .. } => None,
        }
    }
}

/// A call of a rank that is checked. The table of calls says which checks a call needs.
struct CheckedCall<'a> {
    checks: &'a Checks<'a>,
    rank: RankId,
}

impl FieldChecks for CheckedCall<'_> {
    type Objection = String;

    #[inline(always)]
    fn peer(&mut self, context: ContextId, peer: Option<u32>) -> Result<(), String> {
        accept_unless(self.checks.unknown_peer(self.rank, context, peer))
    }

    #[inline(always)]
    fn tag(&mut self, tag: Option<i32>) -> Result<(), String> {
        accept_unless((tag == Some(ANY_TAG)).then(|| format!("{ANY_TAG} is no tag")))
    }

    #[inline(always)]
    fn size(&mut self, bytes: u64) -> Result<(), String> {
        let too_large = || format!("a message of {bytes} bytes is larger than can be");
        accept_unless((bytes > MOST_BYTES).then(too_large))
    }

    #[inline(always)]
    fn opens(&mut self, request: Option<RequestId>) -> Result<(), String> {
        accept_unless(self.checks.cannot_open(self.rank, request))
    }

    #[inline(always)]
    fn waits(&mut self, requests: &[RequestId]) -> Result<(), String> {
        requests.iter().try_for_each(|&id| self.uses(id))
    }

    #[inline(always)]
    fn uses(&mut self, request: RequestId) -> Result<(), String> {
        accept_unless(self.checks.not_open(self.rank, request))
    }

    fn collective(&mut self, call: &CollectiveCall<'_>) -> Result<(), String> {
        accept_unless(self.checks.wrong_collective(self.rank, call))
    }

    fn makes(&mut self, parent: ContextId, how: &CommRequest<'_>) -> Result<(), String> {
        accept_unless(self.checks.wrong_making(self.rank, parent, how))
    }

    #[inline(always)]
    fn frees(&mut self, context: ContextId) -> Result<(), String> {
        let predefined = matches!(context, WORLD | SELF);
        accept_unless(predefined.then(|| "it frees a predefined communicator".to_owned()))
    }

    fn file_access(&mut self, call: &FileAccessCall) -> Result<(), String> {
        let FileAccessCall { offset, span, bytes, .. } = *call;
        let fits = span <= MOST_BYTES && bytes <= MOST_BYTES && offset.checked_add(span).is_some();
        if fits && (span > 0 || bytes == 0) {
            return Ok(());
        }
        Err(format!("it accesses {bytes} bytes of a file within {span} bytes from byte {offset}"))
    }

    #[inline(always)]
    fn work(&mut self, work: Work) -> Result<(), String> {
        match work {
            Work::Flops(flops) if !(0.0..=MOST_FLOPS).contains(&flops) => {
                Err(format!("it computes {flops} flops"))
            }
            Work::Roofline { flops, bytes }
                if !(0.0..=MOST_FLOPS).contains(&flops) || !(0.0..=MOST_FLOPS).contains(&bytes) =>
            {
                Err(format!("it computes {flops} flops with {bytes} bytes"))
            }
            Work::Flops(_) | Work::Nanos(_) | Work::Threads(_) | Work::Roofline { .. } => Ok(()),
        }
    }
}

#[inline(always)]
fn accept_unless(objection: Option<String>) -> Result<(), String> {
    objection.map_or(Ok(()), Err)
}

/// Bytes of a side, if they can be counted.
fn side_bytes(blocks: &Blocks<'_>, number: usize) -> Option<u64> {
    match *blocks {
        Blocks::Whole(bytes) => Some(bytes),
        Blocks::Equal(bytes) => bytes.checked_mul(number as u64),
        Blocks::Each(list) => list.iter().try_fold(0u64, |all, &bytes| all.checked_add(bytes)),
    }
}

/// Whether a collective needs a list of lengths for the data it sends, and for the data it receives.
fn wants_lists(kind: Collective, is_root: bool) -> (bool, bool) {
    match kind {
        Collective::Gatherv => (false, is_root),
        Collective::Scatterv => (is_root, false),
        Collective::Allgatherv | Collective::ReduceScatter => (false, true),
        Collective::Alltoallv | Collective::Alltoallw => (true, true),
        _ => (false, false),
    }
}

fn wrong_members(members: &[u32], group: &Group) -> Option<String> {
    let worlds: Option<Vec<u32>> = members.iter().map(|&member| group.world_of(member)).collect();
    let distinct = worlds.is_some_and(|worlds| Group::of(worlds).is_ok());
    (!distinct).then(|| "it makes a communicator of ranks that do not exist, or twice of one".to_owned())
}
