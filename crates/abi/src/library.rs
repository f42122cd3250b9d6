//! The objects of a rank, and the frame around every MPI function.
//!
//! The library is behind a mutex that is held for moments only: never while a call waits for the simulator, and never
//! while a function of the program runs (user operators, attribute callbacks and error handlers may call MPI again).
//! The way to the simulator has a lock of its own, in [`crate::connection`].

use core::ffi::c_int;
use core::sync::atomic::Ordering;

use mpirage_call::Call;

use crate::connection;
use crate::constants::{MPI_COMM_SELF, MPI_COMM_WORLD, MPI_SUCCESS};
use crate::error::{MpiError, Result};
use crate::exceptions;
use crate::lock::Guard;
use crate::objects::comm::Comms;
use crate::objects::datatype::Datatypes;
use crate::objects::errhandler::{self, Errhandler, Errhandlers};
use crate::objects::error_codes::ErrorCodes;
use crate::objects::group::Groups;
use crate::objects::info::Infos;
use crate::objects::keyval::Keyvals;
use crate::objects::message::{Attached, Messages};
use crate::objects::op::Ops;
use crate::objects::reduction::Reductions;
use crate::objects::request::Requests;
use crate::rank;
use crate::trampoline;
use crate::types::MPI_Comm;

/// How far a rank is in the life of an MPI program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Stage {
    /// `MPI_Init` has not been called.
    Before,
    /// Between `MPI_Init` and `MPI_Finalize`.
    Running,
    /// `MPI_Finalize` has been called.
    After,
}

/// The objects of a rank, those first that most calls need.
#[repr(C)]
pub(crate) struct Library {
    pub requests: Requests,
    pub comms: Comms,
    pub datatypes: Datatypes,
    pub reductions: Reductions,
    pub messages: Messages,
    /// The program's buffer for buffered sends.
    pub attached: Option<Attached>,
    pub ops: Ops,
    pub groups: Groups,
    pub infos: Infos,
    pub keyvals: Keyvals,
    pub errhandlers: Errhandlers,
    pub error_codes: ErrorCodes,
}

impl Library {
    /// Bytes at its beginning that most calls need: whether there are datatypes of the rank's own is the last of it.
    pub(crate) const HOT: usize = core::mem::offset_of!(Library, datatypes) + size_of::<Vec<()>>();

    pub(crate) fn new() -> Library {
        Library {
            comms: Comms::new(),
            requests: Requests::new(),
            reductions: Reductions::default(),
            messages: Messages::new(),
            attached: None,
            datatypes: Datatypes::new(),
            ops: Ops::new(),
            groups: Groups::new(),
            infos: Infos::new(),
            keyvals: Keyvals::default(),
            errhandlers: Errhandlers::new(),
            error_codes: ErrorCodes::default(),
        }
    }
}

/// How far this rank is.
#[inline]
pub(crate) fn stage() -> Stage {
    match rank::this().stage.load(Ordering::Acquire) {
        before if before == Stage::Before as u8 => Stage::Before,
        running if running == Stage::Running as u8 => Stage::Running,
        _ => Stage::After,
    }
}

/// This rank has come so far.
pub(crate) fn enter(stage: Stage) {
    rank::this().stage.store(stage as u8, Ordering::Release);
}

/// Works on the library, which is locked meanwhile: no calls, no callbacks in here.
#[inline]
pub(crate) fn with<T>(work: impl FnOnce(&mut Library) -> T) -> T {
    work(&mut lock())
}

/// The same of work that may fail.
pub(crate) fn try_with<T>(work: impl FnOnce(&mut Library) -> Result<T>) -> Result<T> {
    with(work)
}

/// The body of an MPI function that may be called only between `MPI_Init` and `MPI_Finalize`. An error goes to the error
/// handler of `comm`, or of `MPI_COMM_SELF` if it is of no communicator.
#[inline]
pub(crate) fn outcome(comm: impl Into<Option<MPI_Comm>>, body: impl FnOnce() -> Result<()>) -> c_int {
    let index = trampoline::note().index;
    let stage = stage();
    if stage != Stage::Running {
        out_of_season(index, stage);
    }
    settle(index, comm.into(), body())
}

/// A function was called before or after its time.
#[cold]
fn out_of_season(index: u32, stage: Stage) -> ! {
    let when = match stage {
        Stage::Before => "MPI_Init has not been called yet",
        Stage::Running | Stage::After => "MPI_Finalize has been called already",
    };
    misuse(&format!("{}: {when}", trampoline::name_of(index)))
}

/// The body of an MPI function that may be called at any time.
pub(crate) fn outcome_at_any_time(body: impl FnOnce() -> Result<()>) -> c_int {
    settle(trampoline::note().index, None, body())
}

/// Tells the simulator of a mistake of the program. The run ends.
pub(crate) fn misuse(text: &str) -> ! {
    connection::ask(&Call::Misuse { text });
    rank::this().exit(crate::missing::EXIT_CODE)
}

#[inline]
fn settle(index: u32, comm: Option<MPI_Comm>, result: Result<()>) -> c_int {
    exceptions::raise_held();
    match result {
        Ok(()) => MPI_SUCCESS,
        Err(error) => handle(index, comm, error),
    }
}

/// Gives an error to the error handler of a communicator.
#[cold]
fn handle(index: u32, comm: Option<MPI_Comm>, error: MpiError) -> c_int {
    let (comm, handler) = with(|library| library.handler_of(comm));
    match handler {
        Errhandler::Fatal
        | Errhandler::Abort
        | Errhandler::Win(_)
        | Errhandler::File(_)
        | Errhandler::Session(_) => misuse(&format!("{}: {}", trampoline::name_of(index), error.text)),
        Errhandler::Return => error.class,
        Errhandler::Comm(handler) => {
            let (mut comm, mut code) = (comm, error.class);
            // SAFETY: the program registered this function as an error handler of communicators; no lock is held.
            unsafe { handler(&mut comm, &mut code) };
            error.class
        }
    }
}

impl Library {
    /// The communicator whose handler counts, and the handler. Without a communicator that is `MPI_COMM_SELF`'s, or
    /// `MPI_COMM_WORLD`'s as before MPI 4 if the program left the former alone.
    fn handler_of(&self, comm: Option<MPI_Comm>) -> (MPI_Comm, Errhandler) {
        let named = comm.filter(|&comm| self.comms.get(comm).is_ok());
        let candidates = [named, Some(MPI_COMM_SELF), Some(MPI_COMM_WORLD)];
        for comm in candidates.into_iter().flatten() {
            let Ok(object) = self.comms.get(comm) else { continue };
            let handler = errhandler::find(&self.errhandlers, object.errhandler).unwrap_or(Errhandler::Fatal);
            let undecided =
                comm == MPI_COMM_SELF && named != Some(comm) && matches!(handler, Errhandler::Fatal);
            if !undecided {
                return (comm, handler);
            }
        }
        (MPI_COMM_SELF, Errhandler::Fatal)
    }
}

/// The library, locked: for what is called with every message, and must not move what it finds around in memory.
#[inline(always)]
pub(crate) fn lock() -> Guard<'static, Library> {
    // A panic ends the process, so a library left in the middle of a change is never used.
    rank::this().library.lock()
}
