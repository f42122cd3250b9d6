//! The frame around the body of every MPI function: checks the stage of the rank, and passes errors to error handlers.

use core::ffi::c_int;

use mpirage_call::{Call, FindingClass};

use crate::caller::{Caller, name_of};
use crate::checked::inspect;
use crate::constants::MPI_SUCCESS;
use crate::ground::callbacks;
use crate::ground::error::{MpiError, Result};
use crate::ground::process::MISUSE_EXIT_CODE;
use crate::objects::errhandler::{self, Errhandler};
use crate::rank::{self, Rank, Stage};
use crate::types::{MPI_Comm, MPI_Errhandler, MPI_File, MPI_Session, MPI_Win};

/// The body of an MPI function that may be called only between `MPI_Init` and `MPI_Finalize`. An error goes to the error
/// handler of `comm`, or of `MPI_COMM_SELF` if it concerns no communicator.
#[inline]
pub(crate) fn outcome(comm: impl Into<Option<MPI_Comm>>, body: impl FnOnce() -> Result<()>) -> c_int {
    let function = Caller::last().function;
    let rank = enter(function);
    settle(rank, function, comm.into(), body())
}

/// The same, with the error handler of a window; that of `MPI_COMM_SELF` if there is no such window.
pub(crate) fn outcome_on(win: MPI_Win, body: impl FnOnce() -> Result<()>) -> c_int {
    let function = Caller::last().function;
    let rank = enter(function);
    let result = body();
    rank.held_exception.raise();
    match result {
        Ok(()) => MPI_SUCCESS,
        Err(error) => handle_on(function, win, error),
    }
}

/// The same, with the error handler of a file; that of `MPI_FILE_NULL` if there is no such file.
pub(crate) fn outcome_of_file(file: MPI_File, body: impl FnOnce() -> Result<()>) -> c_int {
    let function = Caller::last().function;
    let rank = enter(function);
    let result = body();
    if rank.is_watched() && rank.connection().briefing().posix_io {
        rank.posix_io.forget();
    }
    rank.held_exception.raise();
    match result {
        Ok(()) => MPI_SUCCESS,
        Err(error) => handle_of_file(function, file, error),
    }
}

/// The body of an MPI function that may be called at any time.
pub(crate) fn outcome_at_any_time(body: impl FnOnce() -> Result<()>) -> c_int {
    let function = Caller::last().function;
    settle(rank::this(), function, None, body())
}

/// The same, with the error handler of a session; that of `MPI_COMM_SELF` if there is no such session.
pub(crate) fn outcome_in(session: MPI_Session, body: impl FnOnce() -> Result<()>) -> c_int {
    let function = Caller::last().function;
    let result = body();
    let handler = || rank::try_with(|objects| Ok(objects.sessions.get(session)?.errhandler));
    match result {
        Ok(()) => MPI_SUCCESS,
        Err(error) => match handler() {
            Ok(errhandler) => handle_in(function, session, errhandler, error),
            Err(_) => handle(function, None, error),
        },
    }
}

/// Reports a mistake of the program to the simulator, which ends the run.
pub(crate) fn misuse(text: &str) -> ! {
    let connection = rank::this().connection();
    connection.ask(&Call::Misuse { text });
    connection.exit(MISUSE_EXIT_CODE)
}

/// The first step of every function that needs MPI to be in use. Returns the rank that calls it.
#[inline(always)]
fn enter(function: u32) -> &'static Rank {
    let rank = rank::this();
    let stage = rank.stage();
    if stage != Stage::Running {
        check_use(rank, function, stage);
    }
    if rank.is_watched() {
        look_closer(rank);
    }
    rank
}

/// The first step of every MPI function if the run checks the program, charges accesses without MPI, or records call paths.
#[cold]
fn look_closer(rank: &Rank) {
    if rank.connection().is_checked() {
        inspect::thread_level();
    }
    if rank.connection().briefing().posix_io {
        rank.posix_io.charge(rank);
    }
    let callers = rank.connection().briefing().call_paths;
    if callers > 0 {
        rank.call_paths.tell_samples(rank.connection(), callers as usize);
        rank.call_paths.follow(rank.connection(), callers as usize);
    }
}

/// The program calls a function before `MPI_Init` or after `MPI_Finalize`: that is right as long as it has a session.
#[cold]
fn check_use(rank: &Rank, function: u32, stage: Stage) {
    if rank.is_in_use() {
        return;
    }
    let when = match stage {
        Stage::Before => "MPI_Init has not been called yet",
        Stage::Running | Stage::After => "MPI_Finalize has been called already",
    };
    inspect::report(FindingClass::Lifecycle, when.to_owned());
    misuse(&format!("{}: {when}", name_of(function)))
}

/// Ends the run because of an error of the program.
#[cold]
fn fatal(function: u32, error: &MpiError) -> ! {
    inspect::report(error.finding_class(), error.text.clone());
    misuse(&format!("{}: {}", name_of(function), error.text))
}

#[inline]
fn settle(rank: &Rank, function: u32, comm: Option<MPI_Comm>, result: Result<()>) -> c_int {
    rank.held_exception.raise();
    match result {
        Ok(()) => MPI_SUCCESS,
        Err(error) => handle(function, comm, error),
    }
}

/// Passes an error to the error handler of a communicator.
#[cold]
fn handle(function: u32, comm: Option<MPI_Comm>, error: MpiError) -> c_int {
    let (comm, handler) = rank::with(|objects| objects.handler_of(comm));
    match handler {
        Errhandler::Fatal
        | Errhandler::Abort
        | Errhandler::Win(_)
        | Errhandler::File(_)
        | Errhandler::Session(_) => fatal(function, &error),
        Errhandler::Return => error.class,
        Errhandler::Comm(handler) => {
            // SAFETY: the program registered this function as an error handler of communicators; no lock is held.
            unsafe { callbacks::handle_error(handler, comm, error.class) }
        }
    }
}

/// Passes an error to the error handler of a window.
#[cold]
fn handle_on(function: u32, win: MPI_Win, error: MpiError) -> c_int {
    let handler = rank::with(|objects| {
        let errhandler = objects.windows.get(win).ok()?.errhandler;
        errhandler::find(&objects.errhandlers, errhandler).ok()
    });
    match handler {
        None => handle(function, None, error),
        Some(Errhandler::Return) => error.class,
        Some(Errhandler::Win(handler)) => {
            // SAFETY: the program registered this function as an error handler of windows; no lock is held.
            unsafe { callbacks::handle_window_error(handler, win, error.class) }
        }
        Some(_) => fatal(function, &error),
    }
}

/// Passes an error to an error handler of a session.
#[cold]
pub(crate) fn handle_in(
    function: u32,
    session: MPI_Session,
    errhandler: MPI_Errhandler,
    error: MpiError,
) -> c_int {
    let handler = rank::with(|objects| errhandler::find(&objects.errhandlers, errhandler));
    match handler {
        Ok(Errhandler::Return) => error.class,
        Ok(Errhandler::Session(handler)) => {
            // SAFETY: the program registered this function as an error handler of sessions; no lock is held.
            unsafe { callbacks::handle_session_error(handler, session, error.class) }
        }
        _ => misuse(&format!("{}: {}", name_of(function), error.text)),
    }
}

/// Passes an error to the error handler of a file.
#[cold]
fn handle_of_file(function: u32, file: MPI_File, error: MpiError) -> c_int {
    let handler =
        rank::with(|objects| errhandler::find(&objects.errhandlers, objects.files.errhandler_of(file)).ok());
    match handler {
        None | Some(Errhandler::Return) => error.class,
        Some(Errhandler::File(handler)) => {
            // SAFETY: the program registered this function as an error handler of files; no lock is held.
            unsafe { callbacks::handle_file_error(handler, file, error.class) }
        }
        Some(_) => fatal(function, &error),
    }
}
