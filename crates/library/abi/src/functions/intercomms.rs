//! Inter-communicators (section 7.6 of the standard).
//!
//! The leaders tell each other who is on their sides, each tells its own side, and then both sides together make one
//! communicator of the simulator's; see [`Bridge`].

use core::ffi::{c_char, c_int};
use std::sync::Arc;

use mpirage_call::{Call, CommRequest, ContextId, FIRST_MEETING_TAG, SendMode};
use mpirage_data::{Basic, Group};

use super::collective::gather::MPI_Bcast;
use super::communicators::{about, ask_for_comm};
use crate::constants::*;
use crate::frame;
use crate::ground::arguments::{not_null, put, string};
use crate::ground::error::{MpiError, Result, fail};
use crate::objects::bridge::Bridge;
use crate::objects::comm::Comm;
use crate::operations::message::{Incoming, Outgoing, sent_tag};
use crate::operations::operation::{Operation, Step, Steps};
use crate::operations::perform;
use crate::operations::region::Region;
use crate::rank::{self, post, try_with, with};
use crate::types::*;

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_remote_size(comm: MPI_Comm, size: *mut c_int) -> c_int {
    frame::outcome(comm, || {
        let remote = bridge(comm)?.remote.size();
        // SAFETY: the program hands over a place for an int.
        unsafe { put("size", size, remote as c_int) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_remote_group(comm: MPI_Comm, group: *mut MPI_Group) -> c_int {
    frame::outcome(comm, || {
        let remote = bridge(comm)?.remote.clone();
        // SAFETY: the program hands over a place for a group.
        unsafe { super::groups::hand_out(group, remote) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Intercomm_create(
    local_comm: MPI_Comm,
    local_leader: c_int,
    peer_comm: MPI_Comm,
    remote_leader: c_int,
    tag: c_int,
    newintercomm: *mut MPI_Comm,
) -> c_int {
    frame::outcome(local_comm, || {
        not_null("newintercomm", newintercomm)?;
        let (group, me, errhandler) = about(local_comm, intra)??;
        let leader = try_with(|objects| objects.comms.get(local_comm)?.member("local_leader", local_leader))?;
        let mut words = Vec::new();
        if leader == me {
            words = leader_in(peer_comm, remote_leader, sent_tag("tag", tag)?)?.exchange(&group)?;
        }
        let remote = group_of(told_by(local_comm, local_leader, words)?)?;
        if group.intersection(&remote).size() > 0 {
            fail!(MPI_ERR_COMM, "the two sides have ranks in common");
        }
        let made = join(&group, &remote, tag)?;
        let made = with(|objects| objects.comms.insert(Comm { errhandler, ..made }));
        // SAFETY: the program hands over a place for a communicator.
        unsafe { put("newintercomm", newintercomm, made) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Intercomm_create_from_groups(
    local_group: MPI_Group,
    local_leader: c_int,
    remote_group: MPI_Group,
    _remote_leader: c_int,
    stringtag: *const c_char,
    info: MPI_Info,
    errhandler: MPI_Errhandler,
    newintercomm: *mut MPI_Comm,
) -> c_int {
    frame::outcome(None, || {
        not_null("newintercomm", newintercomm)?;
        // SAFETY: the program hands over a string.
        let tag = unsafe { tag_of(stringtag) }?;
        let hints = try_with(|objects| objects.infos.hints(info))?;
        let side = from_group(local_group, tag)?;
        let (group, me, context) = (side.group.clone(), side.rank, side.context);
        let side = with(|objects| objects.comms.insert(side));
        let leader = try_with(|objects| objects.comms.get(side)?.member("local_leader", local_leader))?;
        let words = match leader == me {
            true => try_with(|objects| Ok(objects.groups.get(remote_group)?.iter().collect()))?,
            false => Vec::new(),
        };
        let remote = group_of(told_by(side, local_leader, words)?)?;
        with(|objects| objects.comms.remove(side))?;
        post(&Call::FreeComm { context });
        let made = join(&group, &remote, tag)?;
        let made = with(|objects| objects.comms.insert(Comm { errhandler, hints, ..made }));
        // SAFETY: the program hands over a place for a communicator.
        unsafe { put("newintercomm", newintercomm, made) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_create_from_group(
    group: MPI_Group,
    stringtag: *const c_char,
    info: MPI_Info,
    errhandler: MPI_Errhandler,
    newcomm: *mut MPI_Comm,
) -> c_int {
    frame::outcome(None, || {
        not_null("newcomm", newcomm)?;
        // SAFETY: the program hands over a string.
        let tag = unsafe { tag_of(stringtag) }?;
        let hints = try_with(|objects| objects.infos.hints(info))?;
        let made = match try_with(|objects| Ok(objects.groups.get(group)?.size()))? {
            0 => MPI_COMM_NULL,
            _ => {
                let made = Comm { errhandler, hints, ..from_group(group, tag)? };
                with(|objects| objects.comms.insert(made))
            }
        };
        // SAFETY: the program hands over a place for a communicator.
        unsafe { put("newcomm", newcomm, made) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Intercomm_merge(
    intercomm: MPI_Comm,
    high: c_int,
    newintracomm: *mut MPI_Comm,
) -> c_int {
    frame::outcome(intercomm, || {
        not_null("newintracomm", newintracomm)?;
        let bridge = bridge(intercomm)?;
        let (context, errhandler) = about(intercomm, |comm| (comm.context, comm.errhandler))?;
        // Sides that both call themselves high, or low, are in the order of the inter-communicator.
        let key = 2 * i32::from(high != 0) + i32::from(!bridge.is_first());
        let made = ask_for_comm(context, CommRequest::Split { color: Some(0), key })?;
        let Some((context, Some(members))) = made else {
            fail!(MPI_ERR_INTERN, "a merged communicator without this rank");
        };
        let comm = Comm { errhandler, ..Comm::new(context, members, rank::this().connection().rank().get()) };
        // SAFETY: the program hands over a place for a communicator.
        unsafe { put("newintracomm", newintracomm, with(|objects| objects.comms.insert(comm))) }
    })
}

/// A communicator of a group, made by its members.
fn from_group(group: MPI_Group, tag: i32) -> Result<Comm> {
    let me = rank::this().connection().rank().get();
    let (group, session) =
        try_with(|objects| Ok((objects.groups.get(group)?.clone(), objects.groups.session_of(group))))?;
    if group.rank_of(me).is_none() {
        fail!(MPI_ERR_GROUP, "this rank is not in the group");
    }
    let members: Vec<u32> = group.iter().collect();
    let made = ask_for_comm(
        rank::this().connection().universe(),
        CommRequest::CreateGroup { members: &members, tag },
    )?;
    let Some((context, _)) = made else { fail!(MPI_ERR_INTERN, "a communicator without this rank") };
    Ok(Comm { session, ..Comm::new(context, group, me) })
}

/// A number for a tag in words, below those that programs use.
///
/// # Safety
/// Unless it is null, it is a string.
unsafe fn tag_of(stringtag: *const c_char) -> Result<i32> {
    // SAFETY: the caller vouches for it.
    let text = unsafe { string("stringtag", stringtag) }?;
    let hash =
        text.to_bytes().iter().fold(0_u32, |hash, &byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
    Ok((hash | 1 << 31) as i32)
}

fn bridge(comm: MPI_Comm) -> Result<Arc<Bridge>> {
    about(comm, |comm| match &comm.bridge {
        Some(bridge) => Ok(Arc::clone(bridge)),
        None => fail!(MPI_ERR_COMM, "{} is not an inter-communicator", comm.title()),
    })?
}

/// Group, rank and error handler of a communicator that has to be an ordinary one.
pub(super) fn intra(comm: &Comm) -> Result<(Group, u32, MPI_Errhandler)> {
    match comm.bridge {
        None => Ok((comm.group.clone(), comm.rank, comm.errhandler)),
        Some(_) => fail!(MPI_ERR_COMM, "{} is an inter-communicator", comm.title()),
    }
}

/// The other leader, as this one reaches it.
pub(super) struct Leader {
    /// The communicator whose error handler is called.
    pub comm: MPI_Comm,
    /// The context that both are in.
    pub context: ContextId,
    /// Its rank there.
    pub rank: u32,
    pub tag: i32,
}

impl Leader {
    /// Sends the members of this side to it, and returns those of the other side.
    pub(super) fn exchange(&self, group: &Group) -> Result<Vec<u32>> {
        let own: Vec<u32> = group.iter().collect();
        let mut count = [0_u32];
        self.swap(&[own.len() as u32], &mut count)?;
        let mut other = vec![0; count[0] as usize];
        self.swap(&own, &mut other)?;
        Ok(other)
    }

    /// A message to it and one from it.
    fn swap(&self, own: &[u32], other: &mut [u32]) -> Result<()> {
        let Leader { comm, context, rank: peer, tag } = *self;
        let bytes = |address: usize, words: usize| Region::new(address, 4 * words, &Basic::Byte.into());
        let tag = (FIRST_MEETING_TAG + tag).min(-1);
        let sent = bytes(own.as_ptr().addr(), own.len())?;
        let got = bytes(other.as_mut_ptr().addr(), other.len())?;
        let send = Outgoing { mode: SendMode::Standard, context, to: peer, tag, region: sent, copy: None };
        let receive =
            Incoming { context, from: Some(peer), tag: Some(tag), region: got, matched: None, bridge: None };
        let steps = Steps::from_vec(vec![Step::Send(send), Step::Receive(receive)]);
        perform::run(Operation { comm, steps, collective: false }).map(drop)
    }
}

/// The leader that a communicator of both leaders contains.
fn leader_in(peer_comm: MPI_Comm, remote_leader: c_int, tag: i32) -> Result<Leader> {
    try_with(|objects| {
        let object = objects.comms.get(peer_comm)?;
        let rank = object.seat_of(object.member("remote_leader", remote_leader)?);
        Ok(Leader { comm: peer_comm, context: object.context, rank, tag })
    })
}

/// Broadcasts the leader's words to all ranks.
pub(super) fn told_by(comm: MPI_Comm, leader: c_int, mut words: Vec<u32>) -> Result<Vec<u32>> {
    let mut count = words.len() as u32;
    // SAFETY: a place for one word.
    check(unsafe { MPI_Bcast((&raw mut count).cast(), 1, MPI_UINT32_T, leader, comm) })?;
    words.resize(count as usize, 0);
    // SAFETY: a place for as many words as the leader has.
    check(unsafe { MPI_Bcast(words.as_mut_ptr().cast(), count as c_int, MPI_UINT32_T, leader, comm) })?;
    Ok(words)
}

fn check(code: c_int) -> Result<()> {
    if code == MPI_SUCCESS { Ok(()) } else { fail!(code, "the leader could not tell its side of the other") }
}

pub(super) fn group_of(worlds: Vec<u32>) -> Result<Group> {
    Group::of(worlds).map_err(|error| MpiError::new(MPI_ERR_INTERN, error.to_string()))
}

/// Both sides make a communicator; the one with the lower first rank comes first, which both know.
pub(super) fn join(group: &Group, remote: &Group, tag: i32) -> Result<Comm> {
    let is_first = group.world_of(0) < remote.world_of(0);
    let (first, second) = if is_first { (group, remote) } else { (remote, group) };
    let members: Vec<u32> = first.iter().chain(second.iter()).collect();
    let made = ask_for_comm(
        rank::this().connection().universe(),
        CommRequest::CreateGroup { members: &members, tag },
    )?;
    let Some((context, _)) = made else { fail!(MPI_ERR_INTERN, "an inter-communicator without this rank") };
    let bridge = Some(Arc::new(Bridge::new(group, remote.clone(), is_first)));
    Ok(Comm { bridge, ..Comm::new(context, group.clone(), rank::this().connection().rank().get()) })
}
