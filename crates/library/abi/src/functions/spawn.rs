//! Processes that ranks start (section 11.8 of the standard).
//!
//! The root asks the simulator to start them. Their first rank then is the leader of the other side, and the two sides meet as at a port: the root's
//! inside `MPI_Comm_spawn`, theirs inside `MPI_Init`. A run has room for as many as `--universe-size` says.

use core::ffi::{CStr, c_char, c_int};
use std::env;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use mpirage_call::{Call, SpawnedProgram};

use super::communicators::about;
use super::dynamic::{Port, meet_other_side, text};
use super::intercomms::intra;
use crate::constants::*;
use crate::frame;
use crate::ground::arguments::{not_null, put};
use crate::ground::error::{Result, fail};
use crate::objects::info::Info;
use crate::rank::{self, try_with, with};
use crate::types::*;

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_spawn(
    command: *const c_char,
    argv: *mut *mut c_char,
    maxprocs: c_int,
    info: MPI_Info,
    root: c_int,
    comm: MPI_Comm,
    intercomm: *mut MPI_Comm,
    array_of_errcodes: *mut c_int,
) -> c_int {
    // SAFETY: the root hands over strings.
    let order = || Ok(vec![unsafe { wanted(command, argv, maxprocs, info) }?]);
    // SAFETY: the program hands over places for a communicator and for as many error codes as processes.
    frame::outcome(comm, || unsafe { spawn(comm, root, order, intercomm, array_of_errcodes) })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_spawn_multiple(
    count: c_int,
    array_of_commands: *mut *mut c_char,
    array_of_argv: *mut *mut *mut c_char,
    array_of_maxprocs: *const c_int,
    array_of_info: *const MPI_Info,
    root: c_int,
    comm: MPI_Comm,
    intercomm: *mut MPI_Comm,
    array_of_errcodes: *mut c_int,
) -> c_int {
    let order = || {
        if count <= 0 {
            fail!(MPI_ERR_ARG, "count is {count}");
        }
        not_null("array_of_commands", array_of_commands)?;
        not_null("array_of_maxprocs", array_of_maxprocs)?;
        not_null("array_of_info", array_of_info)?;
        // MPI_ARGVS_NULL is a null pointer.
        let no_arguments = array_of_argv.is_null();
        // SAFETY: the root hands over arrays of `count` elements.
        let one = |i| unsafe {
            let argv = if no_arguments { core::ptr::null_mut() } else { *array_of_argv.add(i) };
            wanted(*array_of_commands.add(i), argv, *array_of_maxprocs.add(i), *array_of_info.add(i))
        };
        (0..count as usize).map(one).collect()
    };
    // SAFETY: the program hands over places for a communicator and for as many error codes as processes.
    frame::outcome(comm, || unsafe { spawn(comm, root, order, intercomm, array_of_errcodes) })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_get_parent(parent: *mut MPI_Comm) -> c_int {
    frame::outcome(None, || {
        let known = rank::this().parent.get().copied();
        // The program may have freed it.
        let known = known.filter(|&parent| with(|objects| objects.comms.get(parent).is_ok()));
        // SAFETY: the program hands over a place for a communicator.
        unsafe { put("parent", parent, known.unwrap_or(MPI_COMM_NULL)) }
    })
}

/// The processes of a world that a rank has started meet those that started it.
pub(crate) fn meet_parent(parent: u32, port: u32) -> Result<()> {
    let comm = meet_other_side(MPI_COMM_WORLD, 0, || Ok((parent, Port { rank: parent, number: port })))?;
    try_with(|objects| {
        objects.comms.get_mut(comm)?.name = "MPI_COMM_PARENT".into();
        Ok(())
    })?;
    // Only the first initialization comes here.
    let _ = rank::this().parent.set(comm);
    Ok(())
}

/// Starts the processes that the root orders.
///
/// # Safety
/// A place for a communicator; unless they are ignored, places for as many error codes as processes.
unsafe fn spawn(
    comm: MPI_Comm,
    root: c_int,
    order: impl FnOnce() -> Result<Vec<Wanted>>,
    intercomm: *mut MPI_Comm,
    codes: *mut c_int,
) -> Result<()> {
    not_null("intercomm", intercomm)?;
    about(comm, intra)??;
    let mut asked = 0;
    let made = meet_other_side(comm, root, || {
        let wanted = order()?;
        asked = wanted.iter().map(|one| one.program.count).sum();
        let programs = wanted.into_iter().map(Wanted::locate).collect::<Result<Vec<_>>>()?;
        start(&programs, asked)
    });
    let count = match &made {
        Ok(made) => about(*made, |comm| comm.bridge.as_ref().map_or(0, |bridge| bridge.remote.size()))?,
        Err(_) => asked,
    };
    let code = made.as_ref().map_or_else(|error| error.class, |_| MPI_SUCCESS);
    // MPI_ERRCODES_IGNORE is a null pointer.
    if !codes.is_null() {
        // SAFETY: the caller vouches for it.
        (0..count as usize).for_each(|i| unsafe { codes.add(i).write(code) });
    }
    // SAFETY: the caller vouches for it.
    unsafe { put("intercomm", intercomm, *made.as_ref().unwrap_or(&MPI_COMM_NULL))? };
    made.map(drop)
}

/// Asks the simulator to start processes. Returns the first of them, and where they meet this rank.
fn start(programs: &[SpawnedProgram], processes: u32) -> Result<(u32, Port)> {
    let connection = rank::this().connection();
    let port = Port::open();
    let order = SpawnedProgram::write(programs);
    let started = rank::ask(&Call::Spawn { ranks: processes, port: port.number, order: &order });
    match started.number {
        Some(first) => Ok((first as u32, port)),
        None => fail!(
            MPI_ERR_SPAWN,
            "there is no room for {}: MPI_UNIVERSE_SIZE is {}; `mpirage run --universe-size N` makes room for N in all",
            mpirage_units::counted(processes, "further process"),
            connection.briefing().world.universe
        ),
    }
}

/// The program that some new processes are to execute.
struct Wanted {
    /// Its path is the name of the command.
    program: SpawnedProgram,
    /// The folders in which to look for the command, if the caller gives them.
    search_path: Option<String>,
}

impl Wanted {
    /// Finds the executable.
    fn locate(self) -> Result<SpawnedProgram> {
        let Wanted { mut program, search_path } = self;
        match find(&program.path, Path::new(&program.folder), search_path) {
            Some(path) => program.path = path.to_string_lossy().into_owned(),
            None => fail!(MPI_ERR_SPAWN, "there is no program `{}` that can be executed", program.path),
        }
        Ok(program)
    }
}

/// # Safety
/// A string; a null pointer, or strings with a null pointer behind them.
unsafe fn wanted(
    command: *const c_char,
    argv: *mut *mut c_char,
    maxprocs: c_int,
    info: MPI_Info,
) -> Result<Wanted> {
    if maxprocs <= 0 {
        fail!(MPI_ERR_ARG, "maxprocs is {maxprocs}");
    }
    let info = try_with(|objects| objects.infos.hints(info))?;
    // SAFETY: the caller vouches for it.
    let (path, arguments) = unsafe { (text("command", command)?, strings(argv)) };
    let folder = value(&info, b"wdir").map_or_else(|| env::current_dir().unwrap_or_default(), PathBuf::from);
    let folder = folder.to_string_lossy().into_owned();
    let program = SpawnedProgram { count: maxprocs as u32, folder, path, arguments };
    Ok(Wanted { program, search_path: value(&info, b"path") })
}

fn value(info: &Info, key: &[u8]) -> Option<String> {
    info.get(key).map(|value| String::from_utf8_lossy(value).into_owned())
}

/// The executable file of a name: a path, seen from the folder; otherwise in the folder, or on the paths of the info key or the environment.
fn find(name: &str, folder: &Path, path: Option<String>) -> Option<PathBuf> {
    let is_executable = |path: &PathBuf| {
        path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    };
    let here = std::path::absolute(folder.join(name)).ok().filter(is_executable);
    if name.contains('/') {
        return here;
    }
    let path =
        path.map_or_else(|| env::var_os("PATH").unwrap_or_default(), |path| path.replace(' ', ":").into());
    here.or_else(|| env::split_paths(&path).map(|folder| folder.join(name)).find(is_executable))
}

/// # Safety
/// A null pointer, or strings with a null pointer behind them.
unsafe fn strings(argv: *mut *mut c_char) -> Vec<String> {
    if argv.is_null() {
        return Vec::new();
    }
    // SAFETY: the caller vouches for it; the iterator ends at the null pointer.
    let words = (0..).map(|i| unsafe { *argv.add(i) }).take_while(|word| !word.is_null());
    // SAFETY: the caller vouches for it.
    words.map(|word| unsafe { CStr::from_ptr(word) }.to_string_lossy().into_owned()).collect()
}
