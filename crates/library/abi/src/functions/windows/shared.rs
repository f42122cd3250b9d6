//! Windows in memory that ranks share.
//!
//! The first rank makes an anonymous memory file; the others map it by way of the first rank's descriptors. Folded ranks have one
//! memory anyway, and use the first rank's mapping.

use core::ffi::{c_int, c_void};
use core::hash::Hasher;
use std::fs::{File, OpenOptions};
use std::hash::DefaultHasher;
use std::os::fd::{AsRawFd, FromRawFd};

use libc::{MAP_FAILED, MAP_SHARED, PROT_READ, PROT_WRITE};

use super::create::{facts, finish, make_comm};
use super::{about, barrier, member, succeeds};
use crate::c_library::interruption;
use crate::constants::*;
use crate::frame;
use crate::functions::collective::gather::{MPI_Allgather, MPI_Bcast};
use crate::functions::forms::{argument, both_forms, form};
use crate::ground::arguments::{Number, not_null, put};
use crate::ground::error::{MpiError, Result, fail};
use crate::objects::window::{Allocation, SharedPart};
use crate::rank;
use crate::types::*;

both_forms! {
    (size: MPI_Aint, disp_unit: Unit, info: MPI_Info, comm: MPI_Comm, baseptr: Buffer, win: WinPlace) {
        frame::outcome(comm, || {
            not_null("baseptr", baseptr)?;
            let (base, made) = allocate(size, disp_unit, info, comm)?;
            put("baseptr", baseptr.cast::<usize>(), base)?;
            put("win", win, made)
        })
    }:
        MPI_Win_allocate_shared MPI_Win_allocate_shared_c;
    (win: MPI_Win, rank: c_int, size: SizePlace, disp_unit: UnitPlace, baseptr: Buffer) {
        frame::outcome_on(win, || {
            let (base, part) = query(win, rank)?;
            put("size", size, part.size)?;
            put("disp_unit", disp_unit, part.unit as _)?;
            put("baseptr", baseptr.cast::<usize>(), base)
        })
    }:
        MPI_Win_shared_query MPI_Win_shared_query_c;
}

/// Words that each rank sends to the others: its size, its unit, and its host.
const WORDS: usize = 3;

/// Makes a window; gives the address of this rank's part too.
fn allocate(size: MPI_Aint, unit: impl Number, info: MPI_Info, comm: MPI_Comm) -> Result<(usize, MPI_Win)> {
    let mut facts = facts(0, size, unit, MPI_WIN_FLAVOR_SHARED)?;
    let made = make_comm(comm)?;
    let (me, ranks) = rank::try_with(|objects| {
        let comm = objects.comms.get(made)?;
        Ok((comm.rank as usize, comm.size() as usize))
    })?;
    let told = exchange(made, [size as i64, facts.unit.into(), host()], ranks)?;
    if told.iter().any(|words| words[2] != host()) {
        fail!(MPI_ERR_RMA_SHARED, "ranks on different hosts cannot share memory");
    }
    let mut end = 0;
    let parts: Vec<SharedPart> = told
        .iter()
        .map(|&[size, unit, _]| {
            let offset = end;
            end += size as usize;
            SharedPart { offset, size: size as MPI_Aint, unit: unit as c_int }
        })
        .collect();
    if ranks > 1 {
        interruption::announce_shared_memory();
    }
    let (address, mapped) = map(made, me == 0, end.max(1))?;
    facts.base = address + parts[me].offset;
    let base = facts.base;
    let memory = Allocation::Shared { address, length: end.max(1), mapped, parts };
    Ok((base, finish(made, info, facts, memory)?))
}

/// The part of a rank, or of the lowest that has memory, and its address here: null if there is none.
fn query(win: MPI_Win, named: c_int) -> Result<(usize, SharedPart)> {
    let rank = match named {
        MPI_PROC_NULL => None,
        named => Some(member(win, "rank", named)? as usize),
    };
    about(win, |window| match (&window.memory, window.facts.flavor) {
        (Allocation::Shared { address, parts, .. }, _) => {
            let part = match rank {
                Some(rank) => parts[rank],
                None => parts.iter().find(|part| part.size > 0).copied().unwrap_or(parts[0]),
            };
            Ok((if part.size > 0 { address + part.offset } else { 0 }, part))
        }
        (_, MPI_WIN_FLAVOR_DYNAMIC) => {
            fail!(MPI_ERR_RMA_FLAVOR, "the window was made by MPI_Win_create_dynamic")
        }
        // Other windows have memory that no other rank shares.
        _ => Ok((0, SharedPart { offset: 0, size: 0, unit: window.facts.unit })),
    })
}

/// A number for the host of this rank.
fn host() -> i64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(&rank::this().connection().host());
    hasher.finish() as i64
}

/// Exchanges the words of all ranks.
fn exchange(comm: MPI_Comm, mine: [i64; WORDS], ranks: usize) -> Result<Vec<[i64; WORDS]>> {
    let mut all = vec![[0; WORDS]; ranks];
    let (from, to) = (mine.as_ptr().cast::<c_void>(), all.as_mut_ptr().cast::<c_void>());
    let words = WORDS as c_int;
    // SAFETY: there is room for the words of all ranks.
    succeeds(unsafe { MPI_Allgather(from, words, MPI_INT64_T, to, words, MPI_INT64_T, comm) })?;
    Ok(all)
}

/// Maps memory that all ranks of a communicator share; false if it is the mapping of another rank of this process.
fn map(comm: MPI_Comm, first: bool, length: usize) -> Result<(usize, bool)> {
    let me = i64::from(std::process::id());
    let file = if first { Some(make_file(length)?) } else { None };
    let own = file.as_ref().map(|file| map_file(file, length)).transpose()?;
    let descriptor = file.as_ref().map_or(0, |file| file.as_raw_fd().into());
    let mut told = [me, descriptor, own.unwrap_or(0) as i64];
    // SAFETY: there are so many words.
    succeeds(unsafe { MPI_Bcast(told.as_mut_ptr().cast(), WORDS as c_int, MPI_INT64_T, 0, comm) })?;
    let mapped = match (own, told) {
        (Some(address), _) => (address, true),
        (None, [process, _, address]) if process == me => (address as usize, false),
        (None, [process, descriptor, _]) => (map_file(&open(process, descriptor)?, length)?, true),
    };
    // The first rank closes its file when all have mapped it.
    barrier(comm)?;
    Ok(mapped)
}

fn make_file(length: usize) -> Result<File> {
    // SAFETY: the name is a string.
    let descriptor = unsafe { libc::memfd_create(c"window".as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(no_memory());
    }
    // SAFETY: it was just opened here, and nothing else owns it.
    let file = unsafe { File::from_raw_fd(descriptor) };
    file.set_len(length as u64).map_err(|_| no_memory())?;
    Ok(file)
}

fn open(process: i64, descriptor: i64) -> Result<File> {
    let path = format!("/proc/{process}/fd/{descriptor}");
    let closed = |error| {
        MpiError::new(MPI_ERR_RMA_SHARED, format!("memory of another rank cannot be opened: {error}"))
    };
    OpenOptions::new().read(true).write(true).open(path).map_err(closed)
}

fn map_file(file: &File, length: usize) -> Result<usize> {
    // SAFETY: a new mapping of a file of that length.
    let mapped = unsafe {
        libc::mmap(core::ptr::null_mut(), length, PROT_READ | PROT_WRITE, MAP_SHARED, file.as_raw_fd(), 0)
    };
    if mapped == MAP_FAILED {
        return Err(no_memory());
    }
    Ok(mapped.expose_provenance())
}

fn no_memory() -> MpiError {
    MpiError::new(MPI_ERR_NO_MEM, "there is no memory left for a shared window")
}
