//! Communicators (chapter 7 of the standard): asking about them, making and freeing them.

use core::ffi::{c_char, c_int};

use mpirage_call::{Call, CommRequest, Completion, Reply};
use mpirage_data::Group;

use crate::arguments::{not_null, put, put_string, string};
use crate::connection::{self, ask, post};
use crate::constants::*;
use crate::error::{MpiError, Result, fail};
use crate::library::{self, try_with, with};
use crate::message::sent_tag;
use crate::objects::comm::Comm;
use crate::operation::{Operation, Step};
use crate::types::*;

pub(crate) unsafe extern "C" fn MPI_Comm_rank(comm: MPI_Comm, rank: *mut c_int) -> c_int {
    // SAFETY: the program hands over a place for an int.
    library::outcome(comm, || unsafe { put("rank", rank, about(comm, |comm| comm.rank as c_int)?) })
}

pub(crate) unsafe extern "C" fn MPI_Comm_size(comm: MPI_Comm, size: *mut c_int) -> c_int {
    // SAFETY: the program hands over a place for an int.
    library::outcome(comm, || unsafe { put("size", size, about(comm, |comm| comm.size() as c_int)?) })
}

pub(crate) unsafe extern "C" fn MPI_Comm_test_inter(comm: MPI_Comm, flag: *mut c_int) -> c_int {
    // SAFETY: the program hands over a place for an int. There are no inter-communicators yet.
    library::outcome(comm, || unsafe { put("flag", flag, about(comm, |_| 0)?) })
}

pub(crate) unsafe extern "C" fn MPI_Comm_remote_size(comm: MPI_Comm, _size: *mut c_int) -> c_int {
    library::outcome(comm, || Err(no_remote_group(comm)))
}

pub(crate) unsafe extern "C" fn MPI_Comm_remote_group(comm: MPI_Comm, _group: *mut MPI_Group) -> c_int {
    library::outcome(comm, || Err(no_remote_group(comm)))
}

pub(crate) unsafe extern "C" fn MPI_Comm_compare(
    comm1: MPI_Comm,
    comm2: MPI_Comm,
    result: *mut c_int,
) -> c_int {
    library::outcome(comm1, || {
        let comparison = try_with(|library| {
            let (one, other) = (library.comms.get(comm1)?, library.comms.get(comm2)?);
            Ok(compare(one, other))
        })?;
        // SAFETY: the program hands over a place for an int.
        unsafe { put("result", result, comparison) }
    })
}

pub(crate) unsafe extern "C" fn MPI_Comm_set_name(comm: MPI_Comm, comm_name: *const c_char) -> c_int {
    library::outcome(comm, || {
        // SAFETY: the program hands over a string.
        let name = unsafe { string("comm_name", comm_name) }?.to_string_lossy().into_owned();
        with(|library| {
            library.comms.get_mut(comm)?.name = name;
            Ok(())
        })
    })
}

pub(crate) unsafe extern "C" fn MPI_Comm_get_name(
    comm: MPI_Comm,
    comm_name: *mut c_char,
    resultlen: *mut c_int,
) -> c_int {
    library::outcome(comm, || {
        let name = about(comm, |comm| comm.name.clone())?;
        // SAFETY: the program hands over a string of MPI_MAX_OBJECT_NAME characters and a place for an int.
        unsafe {
            let length = put_string("comm_name", comm_name, MPI_MAX_OBJECT_NAME as usize, name.as_bytes())?;
            put("resultlen", resultlen, length as c_int)
        }
    })
}

pub(crate) unsafe extern "C" fn MPI_Comm_dup(comm: MPI_Comm, newcomm: *mut MPI_Comm) -> c_int {
    // SAFETY: the program hands over a place for a communicator.
    library::outcome(comm, || unsafe { put("newcomm", newcomm, duplicate(comm, None)?) })
}

pub(crate) unsafe extern "C" fn MPI_Comm_dup_with_info(
    comm: MPI_Comm,
    info: MPI_Info,
    newcomm: *mut MPI_Comm,
) -> c_int {
    // SAFETY: the program hands over a place for a communicator.
    library::outcome(comm, || unsafe { put("newcomm", newcomm, duplicate(comm, Some(info))?) })
}

pub(crate) unsafe extern "C" fn MPI_Comm_idup(
    comm: MPI_Comm,
    newcomm: *mut MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: the program hands over places for a communicator and a request.
    library::outcome(comm, || unsafe {
        put("newcomm", newcomm, duplicate(comm, None)?)?;
        put("request", request, done(comm))
    })
}

pub(crate) unsafe extern "C" fn MPI_Comm_idup_with_info(
    comm: MPI_Comm,
    info: MPI_Info,
    newcomm: *mut MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: the program hands over places for a communicator and a request.
    library::outcome(comm, || unsafe {
        put("newcomm", newcomm, duplicate(comm, Some(info))?)?;
        put("request", request, done(comm))
    })
}

pub(crate) unsafe extern "C" fn MPI_Comm_split(
    comm: MPI_Comm,
    color: c_int,
    key: c_int,
    newcomm: *mut MPI_Comm,
) -> c_int {
    library::outcome(comm, || {
        if color < 0 && color != MPI_UNDEFINED {
            fail!(MPI_ERR_ARG, "color is {color}, but must be MPI_UNDEFINED or not negative");
        }
        let color = (color != MPI_UNDEFINED).then_some(color);
        // SAFETY: the program hands over a place for a communicator.
        unsafe { put("newcomm", newcomm, make(comm, CommRequest::Split { color, key })?) }
    })
}

pub(crate) unsafe extern "C" fn MPI_Comm_split_type(
    comm: MPI_Comm,
    split_type: c_int,
    key: c_int,
    _info: MPI_Info,
    newcomm: *mut MPI_Comm,
) -> c_int {
    library::outcome(comm, || {
        let how = match split_type {
            MPI_COMM_TYPE_SHARED => CommRequest::SplitByHost { key },
            // Whether there is hardware to tell ranks apart is unknown, so there is no such communicator.
            MPI_COMM_TYPE_HW_UNGUIDED
            | MPI_COMM_TYPE_HW_GUIDED
            | MPI_COMM_TYPE_RESOURCE_GUIDED
            | MPI_UNDEFINED => CommRequest::Split { color: None, key },
            other => fail!(MPI_ERR_ARG, "split_type is {other}, which is none of MPI_COMM_TYPE_*"),
        };
        // SAFETY: the program hands over a place for a communicator.
        unsafe { put("newcomm", newcomm, make(comm, how)?) }
    })
}

pub(crate) unsafe extern "C" fn MPI_Comm_create(
    comm: MPI_Comm,
    group: MPI_Group,
    newcomm: *mut MPI_Comm,
) -> c_int {
    library::outcome(comm, || {
        let members = members(comm, group)?;
        // SAFETY: the program hands over a place for a communicator.
        unsafe { put("newcomm", newcomm, make(comm, CommRequest::Create(&members))?) }
    })
}

pub(crate) unsafe extern "C" fn MPI_Comm_create_group(
    comm: MPI_Comm,
    group: MPI_Group,
    tag: c_int,
    newcomm: *mut MPI_Comm,
) -> c_int {
    library::outcome(comm, || {
        let (members, tag) = (members(comm, group)?, sent_tag("tag", tag)?);
        let me = about(comm, |comm| comm.rank)?;
        let made = match members.contains(&me) {
            true => make(comm, CommRequest::CreateGroup { members: &members, tag })?,
            false => MPI_COMM_NULL,
        };
        // SAFETY: the program hands over a place for a communicator.
        unsafe { put("newcomm", newcomm, made) }
    })
}

pub(crate) unsafe extern "C" fn MPI_Comm_set_info(comm: MPI_Comm, info: MPI_Info) -> c_int {
    library::outcome(comm, || {
        try_with(|library| {
            let hints = library.infos.hints(info)?;
            library.comms.get_mut(comm)?.hints = hints;
            Ok(())
        })
    })
}

pub(crate) unsafe extern "C" fn MPI_Comm_get_info(comm: MPI_Comm, info_used: *mut MPI_Info) -> c_int {
    library::outcome(comm, || {
        let info = try_with(|library| {
            let hints = library.comms.get(comm)?.hints.clone();
            Ok(library.infos.insert(hints))
        })?;
        // SAFETY: the program hands over a place for an info.
        unsafe { put("info_used", info_used, info) }
    })
}

pub(crate) unsafe extern "C" fn MPI_Comm_free(comm: *mut MPI_Comm) -> c_int {
    // SAFETY: the program hands over a communicator.
    let handle = unsafe { comm.as_ref() }.copied();
    library::outcome(handle, || {
        not_null("comm", comm)?;
        // SAFETY: not null, and the program hands over a communicator.
        free(unsafe { *comm })?;
        // SAFETY: the program hands over a place for a communicator.
        unsafe { put("comm", comm, MPI_COMM_NULL) }
    })
}

/// Of a communicator that joins no separate worlds, the same as freeing it.
pub(crate) unsafe extern "C" fn MPI_Comm_disconnect(comm: *mut MPI_Comm) -> c_int {
    // SAFETY: both take the same argument.
    unsafe { MPI_Comm_free(comm) }
}

/// No rank is ever spawned by others.
pub(crate) unsafe extern "C" fn MPI_Comm_get_parent(parent: *mut MPI_Comm) -> c_int {
    // SAFETY: the program hands over a place for a communicator.
    library::outcome(None, || unsafe { put("parent", parent, MPI_COMM_NULL) })
}

/// Makes a communicator from `parent`; `MPI_COMM_NULL` if this rank is not in it. All members of the parent do, or those
/// that are to be in the new one.
pub(crate) fn make(parent: MPI_Comm, how: CommRequest<'_>) -> Result<MPI_Comm> {
    match make_object(parent, how)? {
        Some(comm) => Ok(with(|library| library.comms.insert(comm))),
        None => Ok(MPI_COMM_NULL),
    }
}

/// The same before it gets a handle. The error handler is the parent's.
pub(crate) fn make_object(parent: MPI_Comm, how: CommRequest<'_>) -> Result<Option<Comm>> {
    let (context, group, errhandler) =
        about(parent, |parent| (parent.context, parent.group.clone(), parent.errhandler))?;
    let Reply { context: made, members, .. } = ask(&Call::MakeComm { parent: context, how });
    let Some(made) = made else { return Ok(None) };
    let group = match members.is_empty() {
        true => group,
        false => Group::of(members).map_err(|error| MpiError::new(MPI_ERR_INTERN, error.to_string()))?,
    };
    Ok(Some(Comm { errhandler, ..Comm::new(made, group, connection::line().rank) }))
}

/// A communicator like another, with the attributes that want to be copied.
fn duplicate(comm: MPI_Comm, info: Option<MPI_Info>) -> Result<MPI_Comm> {
    let (copies, hints) = try_with(|library| {
        let parent = library.comms.get(comm)?;
        let hints = match info {
            Some(info) => library.infos.hints(info)?,
            None => parent.hints.clone(),
        };
        Ok((parent.attributes.copies(&library.keyvals), hints))
    })?;
    // SAFETY: the program registered these functions to copy attributes; nothing is locked.
    let attributes = unsafe { copies.run(comm.0) }?;
    let made = make_object(comm, CommRequest::Dup)?;
    let made = made.ok_or_else(|| MpiError::new(MPI_ERR_INTERN, "a duplicate without this rank"))?;
    try_with(|library| {
        let topology = library.comms.get(comm)?.topology.clone();
        Ok(library.comms.insert(Comm { attributes, hints, topology, ..made }))
    })
}

/// Frees a communicator, after its attributes have been deleted.
fn free(comm: MPI_Comm) -> Result<()> {
    let deletions = try_with(|library| {
        library.comms.check_freeable(comm)?;
        Ok(library.comms.get(comm)?.attributes.deletions(&library.keyvals))
    })?;
    // SAFETY: the program registered these functions to delete attributes; nothing is locked.
    unsafe { deletions.run(comm.0) }?;
    let freed = with(|library| library.comms.remove(comm))?;
    post(&Call::FreeComm { context: freed.context });
    Ok(())
}

/// The members of a group as ranks of a communicator that has them all.
fn members(comm: MPI_Comm, group: MPI_Group) -> Result<Vec<u32>> {
    try_with(|library| {
        let (parent, group) = (library.comms.get(comm)?, library.groups.get(group)?);
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
    match one.group.compare(&other.group) {
        Comparison::Identical => MPI_CONGRUENT,
        Comparison::Similar => MPI_SIMILAR,
        Comparison::Unequal => MPI_UNEQUAL,
    }
}

/// What a communicator tells.
fn about<T>(comm: MPI_Comm, what: impl FnOnce(&Comm) -> T) -> Result<T> {
    with(|library| library.comms.get(comm).map(what))
}

/// A request of something that has ended already.
fn done(comm: MPI_Comm) -> MPI_Request {
    Operation::one(comm, Step::Nothing(Completion::empty(0))).begin()
}

fn no_remote_group(comm: MPI_Comm) -> MpiError {
    match about(comm, |comm| comm.title().to_owned()) {
        Ok(title) => MpiError::new(MPI_ERR_COMM, format!("{title} is not an inter-communicator")),
        Err(error) => error,
    }
}
