//! Groups (section 7.3 of the standard). All of this is local.

use crate::constants::*;
use crate::frame::outcome;
use crate::ground::arguments::{array, not_null, put, put_all, size};
use crate::ground::error::{MpiError, Result};
use crate::rank;
use crate::types::{MPI_Comm, MPI_Group};
use core::ffi::c_int;
use mpirage_data::{Comparison, Group, GroupError, RankRange};

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_group(comm: MPI_Comm, group: *mut MPI_Group) -> c_int {
    outcome(comm, || {
        let handle = rank::try_with(|objects| {
            let comm = objects.comms.get(comm)?;
            let (session, members) = (comm.session, comm.group.clone());
            Ok(objects.groups.insert_of(session, members))
        })?;
        // SAFETY: the program hands over a place for the handle.
        unsafe { put("group", group, handle) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Group_size(group: MPI_Group, size: *mut c_int) -> c_int {
    // SAFETY: the program hands over a place for an int.
    outcome(None, || unsafe { put("size", size, find(group)?.size() as c_int) })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Group_rank(group: MPI_Group, rank: *mut c_int) -> c_int {
    outcome(None, || {
        let me = rank::this().connection().rank().get();
        // SAFETY: the program hands over a place for an int.
        unsafe { put("rank", rank, rank_or_undefined(find(group)?.rank_of(me))) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Group_compare(
    group1: MPI_Group,
    group2: MPI_Group,
    result: *mut c_int,
) -> c_int {
    outcome(None, || {
        let relation = match find(group1)?.compare(&find(group2)?) {
            Comparison::Identical => MPI_IDENT,
            Comparison::Similar => MPI_SIMILAR,
            Comparison::Unequal => MPI_UNEQUAL,
        };
        // SAFETY: the program hands over a place for an int.
        unsafe { put("result", result, relation) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Group_translate_ranks(
    group1: MPI_Group,
    n: c_int,
    ranks1: *const c_int,
    group2: MPI_Group,
    ranks2: *mut c_int,
) -> c_int {
    outcome(None, || {
        let (from, to) = (find(group1)?, find(group2)?);
        // SAFETY: the program hands over an array of `n` entries.
        let ranks = unsafe { array("ranks1", ranks1, size("n", n)?) }?;
        let translate = |&rank: &c_int| match rank {
            MPI_PROC_NULL => Ok(MPI_PROC_NULL),
            rank => Ok(rank_or_undefined(from.translate(&[rank], &to)?[0])),
        };
        let translated = ranks.iter().map(translate).collect::<Result<Vec<_>>>()?;
        // SAFETY: the program hands over another array of `n` entries.
        unsafe { put_all("ranks2", ranks2, translated.into_iter()) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Group_union(
    group1: MPI_Group,
    group2: MPI_Group,
    newgroup: *mut MPI_Group,
) -> c_int {
    // SAFETY: the program hands over a place for the handle.
    outcome(None, || unsafe { derive(newgroup, group1, find(group1)?.union(&find(group2)?)) })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Group_intersection(
    group1: MPI_Group,
    group2: MPI_Group,
    newgroup: *mut MPI_Group,
) -> c_int {
    // SAFETY: the program hands over a place for the handle.
    outcome(None, || unsafe { derive(newgroup, group1, find(group1)?.intersection(&find(group2)?)) })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Group_difference(
    group1: MPI_Group,
    group2: MPI_Group,
    newgroup: *mut MPI_Group,
) -> c_int {
    // SAFETY: the program hands over a place for the handle.
    outcome(None, || unsafe { derive(newgroup, group1, find(group1)?.difference(&find(group2)?)) })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Group_incl(
    group: MPI_Group,
    n: c_int,
    ranks: *const c_int,
    newgroup: *mut MPI_Group,
) -> c_int {
    // SAFETY: the program hands over an array of `n` entries and a place for the handle.
    unsafe { pick(group, n, ranks, newgroup, Group::incl) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Group_excl(
    group: MPI_Group,
    n: c_int,
    ranks: *const c_int,
    newgroup: *mut MPI_Group,
) -> c_int {
    // SAFETY: the program hands over an array of `n` entries and a place for the handle.
    unsafe { pick(group, n, ranks, newgroup, Group::excl) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Group_range_incl(
    group: MPI_Group,
    n: c_int,
    ranges: *mut [c_int; 3],
    newgroup: *mut MPI_Group,
) -> c_int {
    // SAFETY: the program hands over an array of `n` entries and a place for the handle.
    unsafe { pick(group, n, ranges, newgroup, |group, ranges| group.range_incl(&rank_ranges(ranges))) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Group_range_excl(
    group: MPI_Group,
    n: c_int,
    ranges: *mut [c_int; 3],
    newgroup: *mut MPI_Group,
) -> c_int {
    // SAFETY: the program hands over an array of `n` entries and a place for the handle.
    unsafe { pick(group, n, ranges, newgroup, |group, ranges| group.range_excl(&rank_ranges(ranges))) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Group_free(group: *mut MPI_Group) -> c_int {
    outcome(None, || {
        not_null("group", group)?;
        // SAFETY: not null, and the program points to a handle.
        let handle = unsafe { *group };
        rank::with(|objects| objects.groups.remove(handle))?;
        // SAFETY: as above.
        unsafe { put("group", group, MPI_GROUP_NULL) }
    })
}

/// Some members of a group.
///
/// # Safety
/// Unless null, the array has `n` entries and `newgroup` can be written.
unsafe fn pick<T>(
    group: MPI_Group,
    n: c_int,
    list: *const T,
    newgroup: *mut MPI_Group,
    choose: impl FnOnce(&Group, &[T]) -> core::result::Result<Group, GroupError>,
) -> c_int {
    outcome(None, || {
        // SAFETY: the caller vouches for it.
        let list = unsafe { array("the list of ranks", list, size("n", n)?) }?;
        // SAFETY: the caller vouches for it.
        unsafe { derive(newgroup, group, choose(&find(group)?, list)?) }
    })
}

fn rank_ranges(ranges: &[[c_int; 3]]) -> Vec<RankRange> {
    ranges.iter().map(|&[first, last, stride]| RankRange { first, last, stride }).collect()
}

fn rank_or_undefined(rank: Option<u32>) -> c_int {
    rank.map_or(MPI_UNDEFINED, |rank| rank as c_int)
}

fn find(group: MPI_Group) -> Result<Group> {
    rank::with(|objects| objects.groups.get(group).cloned())
}

/// # Safety
/// Unless it is null, the place can be written.
pub(crate) unsafe fn hand_out(place: *mut MPI_Group, group: Group) -> Result<()> {
    // SAFETY: the caller vouches for it.
    unsafe { put("group", place, rank::with(|objects| objects.groups.insert(group))) }
}

/// The same for a group made from another, whose session it has.
///
/// # Safety
/// As for [`hand_out`].
unsafe fn derive(place: *mut MPI_Group, from: MPI_Group, group: Group) -> Result<()> {
    let handle = rank::with(|objects| {
        let session = objects.groups.session_of(from);
        objects.groups.insert_of(session, group)
    });
    // SAFETY: the caller vouches for it.
    unsafe { put("group", place, handle) }
}

impl From<GroupError> for MpiError {
    fn from(error: GroupError) -> MpiError {
        let class = match error {
            GroupError::OutOfRange { .. } | GroupError::Duplicate { .. } => MPI_ERR_RANK,
            GroupError::Range { .. } => MPI_ERR_ARG,
        };
        MpiError::new(class, error.to_string())
    }
}
