//! Communicators (chapter 7 of the standard): asking about them, making and freeing them.

use core::ffi::{c_char, c_int};
use std::sync::Arc;

use mpirage_call::{Call, CommRequest, ContextId, Reply};
use mpirage_data::Group;
use smallvec::smallvec;

use crate::constants::*;
use crate::frame;
use crate::ground::arguments::{not_null, put, put_string, string};
use crate::ground::error::{MpiError, Result, fail};
use crate::objects::bridge::Bridge;
use crate::objects::comm::Comm;
use crate::objects::request::Request;
use crate::operations::message::sent_tag;
use crate::operations::transfer::{Transfer, TransferBuffers};
use crate::rank::{self, ask, post, try_with, with};
use crate::types::*;

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_rank(comm: MPI_Comm, rank: *mut c_int) -> c_int {
    // SAFETY: the program hands over a place for an int.
    frame::outcome(comm, || unsafe { put("rank", rank, about(comm, |comm| comm.rank as c_int)?) })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_size(comm: MPI_Comm, size: *mut c_int) -> c_int {
    // SAFETY: the program hands over a place for an int.
    frame::outcome(comm, || unsafe { put("size", size, about(comm, |comm| comm.size() as c_int)?) })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_test_inter(comm: MPI_Comm, flag: *mut c_int) -> c_int {
    // SAFETY: the program hands over a place for an int.
    frame::outcome(comm, || unsafe { put("flag", flag, about(comm, |comm| comm.bridge.is_some().into())?) })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_compare(
    comm1: MPI_Comm,
    comm2: MPI_Comm,
    result: *mut c_int,
) -> c_int {
    frame::outcome(comm1, || {
        let comparison = try_with(|objects| {
            let (one, other) = (objects.comms.get(comm1)?, objects.comms.get(comm2)?);
            Ok(compare(one, other))
        })?;
        // SAFETY: the program hands over a place for an int.
        unsafe { put("result", result, comparison) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_set_name(comm: MPI_Comm, comm_name: *const c_char) -> c_int {
    frame::outcome(comm, || {
        // SAFETY: the program hands over a string.
        let name = unsafe { string("comm_name", comm_name) }?.to_string_lossy().into_owned();
        with(|objects| {
            objects.comms.get_mut(comm)?.name = name;
            Ok(())
        })
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_get_name(
    comm: MPI_Comm,
    comm_name: *mut c_char,
    resultlen: *mut c_int,
) -> c_int {
    frame::outcome(comm, || {
        let name = match comm {
            MPI_COMM_NULL => "MPI_COMM_NULL".to_owned(),
            comm => about(comm, |comm| comm.name.clone())?,
        };
        // SAFETY: the program hands over a string of MPI_MAX_OBJECT_NAME characters and a place for an int.
        unsafe {
            let length = put_string("comm_name", comm_name, MPI_MAX_OBJECT_NAME as usize, name.as_bytes())?;
            put("resultlen", resultlen, length as c_int)
        }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_dup(comm: MPI_Comm, newcomm: *mut MPI_Comm) -> c_int {
    // SAFETY: the program hands over a place for a communicator.
    frame::outcome(comm, || unsafe { put("newcomm", newcomm, duplicate(comm, None, newcomm)?) })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_dup_with_info(
    comm: MPI_Comm,
    info: MPI_Info,
    newcomm: *mut MPI_Comm,
) -> c_int {
    // SAFETY: the program hands over a place for a communicator.
    frame::outcome(comm, || unsafe { put("newcomm", newcomm, duplicate(comm, Some(info), newcomm)?) })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_idup(
    comm: MPI_Comm,
    newcomm: *mut MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: the program hands over places for a communicator and a request.
    frame::outcome(comm, || unsafe {
        let (made, begun) = duplicate_later(comm, None, newcomm)?;
        put("newcomm", newcomm, made)?;
        put("request", request, begun)
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_idup_with_info(
    comm: MPI_Comm,
    info: MPI_Info,
    newcomm: *mut MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: the program hands over places for a communicator and a request.
    frame::outcome(comm, || unsafe {
        let (made, begun) = duplicate_later(comm, Some(info), newcomm)?;
        put("newcomm", newcomm, made)?;
        put("request", request, begun)
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_split(
    comm: MPI_Comm,
    color: c_int,
    key: c_int,
    newcomm: *mut MPI_Comm,
) -> c_int {
    frame::outcome(comm, || {
        if color < 0 && color != MPI_UNDEFINED {
            fail!(MPI_ERR_ARG, "color is {color}, but must be MPI_UNDEFINED or not negative");
        }
        let color = (color != MPI_UNDEFINED).then_some(color);
        // SAFETY: the program hands over a place for a communicator.
        unsafe { put("newcomm", newcomm, make(comm, CommRequest::Split { color, key })?) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_split_type(
    comm: MPI_Comm,
    split_type: c_int,
    key: c_int,
    info: MPI_Info,
    newcomm: *mut MPI_Comm,
) -> c_int {
    frame::outcome(comm, || {
        let left_out = CommRequest::Split { color: None, key };
        let how = match split_type {
            MPI_COMM_TYPE_SHARED => CommRequest::SplitByHost { key },
            MPI_COMM_TYPE_HW_GUIDED | MPI_COMM_TYPE_RESOURCE_GUIDED => match names_host(info)? {
                true => CommRequest::SplitByHost { key },
                false => left_out,
            },
            MPI_COMM_TYPE_HW_UNGUIDED => CommRequest::SplitByHost { key },
            MPI_UNDEFINED => left_out,
            other => fail!(MPI_ERR_ARG, "split_type is {other}, which is none of MPI_COMM_TYPE_*"),
        };
        let made = make(comm, how)?;
        let made = match split_type {
            MPI_COMM_TYPE_HW_UNGUIDED => keep_if_smaller(comm, made, info)?,
            _ => made,
        };
        // SAFETY: the program hands over a place for a communicator.
        unsafe { put("newcomm", newcomm, made) }
    })
}

/// The key of an info that names a resource, and the names that all stand for a simulated host.
const RESOURCE_KEY: &[u8] = b"mpi_hw_resource_type";
pub(crate) const HOST_RESOURCES: [&str; 2] = ["mpi_shared_memory", "host"];

/// Does an info name a resource that ranks of a simulated host share?
fn names_host(info: MPI_Info) -> Result<bool> {
    let hints = try_with(|objects| objects.infos.hints(info))?;
    let named = hints.get(RESOURCE_KEY);
    Ok(HOST_RESOURCES.iter().any(|resource| named == Some(resource.as_bytes())))
}

/// The ranks of the host, if they are fewer than those of the parent; the info says then what they share.
fn keep_if_smaller(parent: MPI_Comm, made: MPI_Comm, info: MPI_Info) -> Result<MPI_Comm> {
    if made == MPI_COMM_NULL || about(made, Comm::size)? < about(parent, Comm::size)? {
        try_with(|objects| match info {
            MPI_INFO_NULL => Ok(()),
            info => {
                objects.infos.get_mut(info)?.set(RESOURCE_KEY, HOST_RESOURCES[0].as_bytes());
                Ok(())
            }
        })?;
        return Ok(made);
    }
    free(made)?;
    Ok(MPI_COMM_NULL)
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_create(
    comm: MPI_Comm,
    group: MPI_Group,
    newcomm: *mut MPI_Comm,
) -> c_int {
    frame::outcome(comm, || {
        let members = members(comm, group)?;
        let (me, inter) = about(comm, |comm| (comm.rank, comm.bridge.is_some()))?;
        // Of an inter-communicator each side names its own members only, so they find each other by colour.
        let place = members.iter().position(|&member| member == me);
        let how = match inter {
            true => CommRequest::Split { color: place.map(|_| 0), key: place.unwrap_or(0) as i32 },
            false => CommRequest::Create(&members),
        };
        // SAFETY: the program hands over a place for a communicator.
        unsafe { put("newcomm", newcomm, make(comm, how)?) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_create_group(
    comm: MPI_Comm,
    group: MPI_Group,
    tag: c_int,
    newcomm: *mut MPI_Comm,
) -> c_int {
    frame::outcome(comm, || {
        let (members, tag) = (members(comm, group)?, sent_tag("tag", tag)?);
        let me = about(comm, |comm| match comm.bridge {
            None => Ok(comm.rank),
            Some(_) => fail!(MPI_ERR_COMM, "{} is an inter-communicator", comm.title()),
        })??;
        let made = match members.contains(&me) {
            true => make(comm, CommRequest::CreateGroup { members: &members, tag })?,
            false => MPI_COMM_NULL,
        };
        // SAFETY: the program hands over a place for a communicator.
        unsafe { put("newcomm", newcomm, made) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_set_info(comm: MPI_Comm, info: MPI_Info) -> c_int {
    frame::outcome(comm, || {
        try_with(|objects| {
            let hints = objects.infos.hints(info)?;
            objects.comms.get_mut(comm)?.hints = hints;
            Ok(())
        })
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_get_info(comm: MPI_Comm, info_used: *mut MPI_Info) -> c_int {
    frame::outcome(comm, || {
        let info = try_with(|objects| {
            let hints = objects.comms.get(comm)?.hints.clone();
            Ok(objects.infos.insert(hints))
        })?;
        // SAFETY: the program hands over a place for an info.
        unsafe { put("info_used", info_used, info) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_free(comm: *mut MPI_Comm) -> c_int {
    // SAFETY: the program hands over a communicator.
    let handle = unsafe { comm.as_ref() }.copied();
    frame::outcome(handle, || {
        not_null("comm", comm)?;
        // SAFETY: not null, and the program hands over a communicator.
        free(unsafe { *comm })?;
        // SAFETY: the program hands over a place for a communicator.
        unsafe { put("comm", comm, MPI_COMM_NULL) }
    })
}

/// Of a communicator that joins no separate worlds, the same as freeing it.
pub(crate) unsafe extern "C-unwind" fn MPI_Comm_disconnect(comm: *mut MPI_Comm) -> c_int {
    // SAFETY: both take the same argument.
    unsafe { MPI_Comm_free(comm) }
}

/// Makes a communicator from `parent`; `MPI_COMM_NULL` if this rank is not in it. All members of the parent do, or those
/// that are to be in the new one.
pub(crate) fn make(parent: MPI_Comm, how: CommRequest<'_>) -> Result<MPI_Comm> {
    match make_object(parent, how)? {
        Some(comm) => Ok(with(|objects| objects.comms.insert(comm))),
        None => Ok(MPI_COMM_NULL),
    }
}

/// The same before it gets a handle. The error handler is the parent's.
pub(crate) fn make_object(parent: MPI_Comm, how: CommRequest<'_>) -> Result<Option<Comm>> {
    let (context, group, bridge, errhandler, session) = about(parent, |parent| {
        (parent.context, parent.group.clone(), parent.bridge.clone(), parent.errhandler, parent.session)
    })?;
    let Some((made, members)) = ask_for_comm(context, how)? else { return Ok(None) };
    let me = rank::this().connection().rank().get();
    match (bridge, members) {
        (bridge, None) => Ok(Some(Comm { errhandler, bridge, session, ..Comm::new(made, group, me) })),
        (None, Some(members)) => Ok(Some(Comm { errhandler, session, ..Comm::new(made, members, me) })),
        (Some(bridge), Some(all)) => {
            let (group, remote) = (all.intersection(&group), all.intersection(&bridge.remote));
            if remote.size() == 0 {
                post(&Call::FreeComm { context: made });
                return Ok(None);
            }
            let bridge = Bridge::new(&group, remote, bridge.is_first());
            let made = one_side_first(made, &all, &group, &bridge)?;
            let bridge = Some(Arc::new(bridge));
            Ok(Some(Comm { errhandler, bridge, session, ..Comm::new(made, group, me) }))
        }
    }
}

/// Both sides of an inter-communicator in the order that a [`Bridge`] has: sides that keys have mixed are split once more.
fn one_side_first(made: ContextId, all: &Group, group: &Group, bridge: &Bridge) -> Result<ContextId> {
    let is_local = |world: u32| group.rank_of(world).is_some();
    let mut of_first = all.iter().map(|world| is_local(world) == bridge.is_first());
    if of_first.by_ref().skip_while(|&first| first).all(|first| !first) {
        return Ok(made);
    }
    let how = CommRequest::Split { color: Some(0), key: i32::from(!bridge.is_first()) };
    let ordered = ask_for_comm(made, how)?;
    post(&Call::FreeComm { context: made });
    let missing = || MpiError::new(MPI_ERR_INTERN, "an inter-communicator without this rank");
    ordered.map(|(context, _)| context).ok_or_else(missing)
}

/// Has the simulator make a communicator. Gives its members unless they are the parent's; nothing at all to ranks that
/// are not among them.
pub(crate) fn ask_for_comm(
    parent: ContextId,
    how: CommRequest<'_>,
) -> Result<Option<(ContextId, Option<Group>)>> {
    let Reply { context, members, .. } = ask(&Call::MakeComm { parent, how });
    let Some(context) = context else { return Ok(None) };
    if members.is_empty() {
        return Ok(Some((context, None)));
    }
    let members = Group::of(members).map_err(|error| MpiError::new(MPI_ERR_INTERN, error.to_string()))?;
    Ok(Some((context, Some(members))))
}

/// A communicator like another, with the attributes that want to be copied.
///
/// # Safety
/// As for [`duplicate_as`].
unsafe fn duplicate(comm: MPI_Comm, info: Option<MPI_Info>, place: *mut MPI_Comm) -> Result<MPI_Comm> {
    // SAFETY: the caller vouches for it.
    unsafe { duplicate_as(comm, info, CommRequest::Dup, place) }
}

/// The same, to be used when the request has completed.
///
/// # Safety
/// As for [`duplicate_as`].
unsafe fn duplicate_later(
    comm: MPI_Comm,
    info: Option<MPI_Info>,
    place: *mut MPI_Comm,
) -> Result<(MPI_Comm, MPI_Request)> {
    let request = with(|objects| objects.requests.take_id());
    // SAFETY: the caller vouches for it.
    let made = unsafe { duplicate_as(comm, info, CommRequest::DupLater { request }, place) }?;
    let transfer = Transfer { id: Some(request), buffers: TransferBuffers::default(), done: None };
    Ok((made, with(|objects| objects.requests.insert(Request::once(comm, true, smallvec![transfer])))))
}

/// Once the arguments are known to be right, `place` holds a null handle until there is a duplicate: that is what the program
/// finds if one of its functions fails or throws.
///
/// # Safety
/// Unless it is null, `place` can be written.
unsafe fn duplicate_as(
    comm: MPI_Comm,
    info: Option<MPI_Info>,
    how: CommRequest<'_>,
    place: *mut MPI_Comm,
) -> Result<MPI_Comm> {
    let (copies, hints) = try_with(|objects| {
        let parent = objects.comms.get(comm)?;
        let hints = match info {
            Some(info) => objects.infos.hints(info)?,
            None => parent.hints.clone(),
        };
        Ok((parent.attributes.copies(&objects.keyvals), hints))
    })?;
    // SAFETY: the caller vouches for it.
    unsafe { put("newcomm", place, MPI_COMM_NULL) }?;
    // SAFETY: the program registered these functions to copy attributes; nothing is locked.
    let attributes = unsafe { copies.run(comm.0) }?;
    let made = make_object(comm, how)?;
    let made = made.ok_or_else(|| MpiError::new(MPI_ERR_INTERN, "a duplicate without this rank"))?;
    try_with(|objects| {
        let topology = objects.comms.get(comm)?.topology.clone();
        Ok(objects.comms.insert(Comm { attributes, hints, topology, ..made }))
    })
}

/// Frees a communicator, after its attributes have been deleted.
pub(crate) fn free(comm: MPI_Comm) -> Result<()> {
    let deletions = try_with(|objects| {
        objects.comms.check_freeable(comm)?;
        Ok(objects.comms.get(comm)?.attributes.deletions(&objects.keyvals))
    })?;
    // SAFETY: the program registered these functions to delete attributes; nothing is locked.
    unsafe { deletions.run(comm.0) }?;
    let freed = with(|objects| objects.comms.remove(comm))?;
    post(&Call::FreeComm { context: freed.context });
    Ok(())
}

/// The members of a group as ranks of a communicator that has them all.
pub(crate) fn members(comm: MPI_Comm, group: MPI_Group) -> Result<Vec<u32>> {
    try_with(|objects| {
        let (parent, group) = (objects.comms.get(comm)?, objects.groups.get(group)?);
        let rank = |world| {
            let outside = || format!("group has rank {world} of the world, but {} has not", parent.title());
            parent.group.rank_of(world).ok_or_else(|| MpiError::new(MPI_ERR_GROUP, outside()))
        };
        group.iter().map(rank).collect()
    })
}

fn compare(one: &Comm, other: &Comm) -> c_int {
    use mpirage_data::group::Comparison;
    if one.context == other.context {
        return MPI_IDENT;
    }
    let sides = match (&one.bridge, &other.bridge) {
        (None, None) => [Comparison::Identical, one.group.compare(&other.group)],
        (Some(one_bridge), Some(other_bridge)) => {
            [one_bridge.remote.compare(&other_bridge.remote), one.group.compare(&other.group)]
        }
        _ => return MPI_UNEQUAL,
    };
    if sides.contains(&Comparison::Unequal) {
        MPI_UNEQUAL
    } else if sides.contains(&Comparison::Similar) {
        MPI_SIMILAR
    } else {
        MPI_CONGRUENT
    }
}

/// Reads a property of a communicator.
pub(super) fn about<T>(comm: MPI_Comm, what: impl FnOnce(&Comm) -> T) -> Result<T> {
    with(|objects| objects.comms.get(comm).map(what))
}
