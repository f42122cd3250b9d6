//! Versions, clocks, and the beginning and end of MPI (chapters 9 and 11 of the standard).

use core::ffi::{c_char, c_int};
use std::thread;

use mpirage_call::Call;

use crate::c_library::clock;
use crate::c_library::interruption;
use crate::checked::inspect;
use crate::constants::*;
use crate::frame;
use crate::functions::spawn::meet_parent;
use crate::functions::tools::pcontrol;
use crate::ground::arguments::{put, put_string};
use crate::ground::error::{Result, fail};
use crate::operations::buffered;
use crate::rank::{self, Stage};
use crate::smpi;
use crate::timing::samples;
use crate::types::MPI_Comm;

const LIBRARY_VERSION: &str = concat!("mpirage ", env!("CARGO_PKG_VERSION"), ", an MPI simulator");

/// The resolution of the clock that programs see.
const SECONDS_PER_TICK: f64 = 1e-9;

pub(crate) unsafe extern "C-unwind" fn MPI_Get_version(version: *mut c_int, subversion: *mut c_int) -> c_int {
    // SAFETY: the program hands over two places for an int.
    frame::outcome_at_any_time(|| unsafe {
        put("version", version, MPI_VERSION)?;
        put("subversion", subversion, MPI_SUBVERSION)
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Abi_get_version(
    abi_major: *mut c_int,
    abi_minor: *mut c_int,
) -> c_int {
    // SAFETY: the program hands over two places for an int.
    frame::outcome_at_any_time(|| unsafe {
        put("abi_major", abi_major, MPI_ABI_VERSION)?;
        put("abi_minor", abi_minor, MPI_ABI_SUBVERSION)
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Get_library_version(
    version: *mut c_char,
    resultlen: *mut c_int,
) -> c_int {
    frame::outcome_at_any_time(|| {
        // SAFETY: the program hands over a string of MPI_MAX_LIBRARY_VERSION_STRING characters and a place for an int.
        unsafe {
            let room = MPI_MAX_LIBRARY_VERSION_STRING as usize;
            let length = put_string("version", version, room, LIBRARY_VERSION.as_bytes())?;
            put("resultlen", resultlen, length as c_int)
        }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Get_processor_name(
    name: *mut c_char,
    resultlen: *mut c_int,
) -> c_int {
    frame::outcome(None, || {
        let host = rank::this().connection().host();
        // SAFETY: the program hands over a string of MPI_MAX_PROCESSOR_NAME characters and a place for an int.
        unsafe {
            let length = put_string("name", name, MPI_MAX_PROCESSOR_NAME as usize, &host)?;
            put("resultlen", resultlen, length as c_int)
        }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Wtime() -> f64 {
    let rank = rank::this();
    if rank.is_watched() && rank.connection().briefing().posix_io {
        rank.posix_io.charge(rank);
    }
    clock::seconds()
}

pub(crate) unsafe extern "C-unwind" fn MPI_Wtick() -> f64 {
    SECONDS_PER_TICK
}

pub(crate) unsafe extern "C-unwind" fn MPI_Init(_argc: *mut c_int, _argv: *mut *mut *mut c_char) -> c_int {
    frame::outcome_at_any_time(|| init(MPI_THREAD_SINGLE))
}

pub(crate) unsafe extern "C-unwind" fn MPI_Init_thread(
    _argc: *mut c_int,
    _argv: *mut *mut *mut c_char,
    required: c_int,
    provided: *mut c_int,
) -> c_int {
    frame::outcome_at_any_time(|| {
        let granted = required.clamp(MPI_THREAD_SINGLE, best_thread_level());
        init(granted)?;
        // SAFETY: the program hands over a place for an int.
        unsafe { put("provided", provided, granted) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Query_thread(provided: *mut c_int) -> c_int {
    frame::outcome(None, || {
        // SAFETY: the program hands over a place for an int.
        unsafe { put("provided", provided, granted_thread_level()) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Is_thread_main(flag: *mut c_int) -> c_int {
    frame::outcome(None, || {
        let main = rank::this().main.get().is_some_and(|&(main, _)| main == thread::current().id());
        // SAFETY: the program hands over a place for an int.
        unsafe { put("flag", flag, main.into()) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Finalize() -> c_int {
    frame::outcome(None, || {
        delete_attributes(MPI_COMM_SELF)?;
        delete_attributes(MPI_COMM_WORLD)?;
        end_use()?;
        rank::this().enter(Stage::After);
        Ok(())
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Initialized(flag: *mut c_int) -> c_int {
    // SAFETY: the program hands over a place for an int.
    frame::outcome_at_any_time(|| unsafe { put("flag", flag, (rank::this().stage() > Stage::Before).into()) })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Finalized(flag: *mut c_int) -> c_int {
    // SAFETY: the program hands over a place for an int.
    frame::outcome_at_any_time(|| unsafe { put("flag", flag, (rank::this().stage() == Stage::After).into()) })
}

/// For tools to put themselves in front of. Timelines show the call, and `MPI_T` the level.
pub(crate) unsafe extern "C-unwind" fn MPI_Pcontrol(level: c_int) -> c_int {
    pcontrol(level);
    MPI_SUCCESS
}

pub(crate) unsafe extern "C-unwind" fn MPI_Abort(_comm: MPI_Comm, errorcode: c_int) -> c_int {
    let connection = rank::this().connection();
    connection.ask(&Call::Abort { code: errorcode });
    connection.exit(errorcode)
}

/// A use of MPI ends. The last one tells the simulator what the rank has counted.
pub(crate) fn end_use() -> Result<()> {
    if rank::this().end_use() {
        buffered::flush(None)?;
        smpi::tell_counts();
        inspect::leaks();
        rank::ask(&Call::Finalize);
    }
    Ok(())
}

/// Levels of thread support, from the least to the most.
const THREAD_LEVELS: [(c_int, &str); 4] = [
    (MPI_THREAD_SINGLE, "MPI_THREAD_SINGLE"),
    (MPI_THREAD_FUNNELED, "MPI_THREAD_FUNNELED"),
    (MPI_THREAD_SERIALIZED, "MPI_THREAD_SERIALIZED"),
    (MPI_THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE"),
];

/// The level that a session gets which wants this one, by name: at least what `MPI_Init_thread` has granted. Threads may be inside MPI
/// at the same time from now on if it is the highest.
pub(crate) fn grant_thread_level(wanted: Option<&[u8]>) -> &'static str {
    let of_name = THREAD_LEVELS.iter().find(|(_, name)| wanted == Some(name.as_bytes()));
    let wanted = of_name.map_or(MPI_THREAD_SINGLE, |&(level, _)| level.min(best_thread_level()));
    let granted = wanted.max(granted_thread_level());
    if granted == MPI_THREAD_MULTIPLE {
        rank::this().connection().allow_threads();
    }
    THREAD_LEVELS.iter().find(|&&(level, _)| level == granted).map_or("MPI_THREAD_SINGLE", |&(_, name)| name)
}

/// The thread level that the program got from `MPI_Init` or `MPI_Init_thread`.
fn granted_thread_level() -> c_int {
    rank::this().main.get().map_or(MPI_THREAD_SINGLE, |&(_, granted)| granted)
}

/// The most a program gets. Where the simulator cannot reach the memory of a running rank, or all ranks run in real time, a rank has
/// one call under way at a time.
pub(crate) fn best_thread_level() -> c_int {
    let several = rank::this().connection().can_have_threads();
    if several { MPI_THREAD_MULTIPLE } else { MPI_THREAD_SERIALIZED }
}

fn init(thread_level: c_int) -> Result<()> {
    let rank = rank::this();
    if rank.stage() != Stage::Before {
        fail!(MPI_ERR_OTHER, "MPI has been initialized already");
    }
    let connection = rank.connection();
    if thread_level == MPI_THREAD_MULTIPLE {
        connection.allow_threads();
    }
    rank.begin_use();
    interruption::listen();
    samples::begin(connection.briefing());
    // Only the first initialization comes here.
    let _ = rank.main.set((thread::current().id(), thread_level));
    let place = connection.briefing().world;
    rank::with(|objects| {
        objects.comms.open(connection.rank().get(), connection.world());
        objects.remember_makers_of_few();
        if connection.is_checked() {
            objects.remember_makers();
        }
    });
    rank.attributes.set(MPI_UNIVERSE_SIZE, place.universe as c_int);
    rank.attributes.set(MPI_APPNUM, place.program as c_int);
    rank.enter(Stage::Running);
    let briefing = connection.briefing();
    if connection.is_checked() || briefing.posix_io || briefing.call_paths > 0 {
        rank.watch();
        rank.posix_io.forget();
    }
    if place.spawned {
        meet_parent(place.parent, place.port)?;
    }
    Ok(())
}

/// The attributes of `MPI_COMM_SELF` are deleted first, because programs use their deletion as a notice of the end. Those of the
/// world follow, as in MPICH.
fn delete_attributes(comm: MPI_Comm) -> Result<()> {
    let deletions = rank::try_with(|objects| {
        let attributes = core::mem::take(&mut objects.comms.get_mut(comm)?.attributes);
        Ok(attributes.deletions(&objects.keyvals))
    })?;
    // SAFETY: the program registered these functions to delete attributes; nothing is locked.
    unsafe { deletions.run(comm.0) }
}
