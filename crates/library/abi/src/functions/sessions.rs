//! Sessions (section 11.3 of the standard): MPI without `MPI_Init`.
//!
//! There are two process sets, `mpi://WORLD` and `mpi://SELF`. A session may be opened before `MPI_Init`, beside it, and after
//! `MPI_Finalize`; the simulator sees the rank's first use of MPI and the end of its last.

use core::ffi::{c_char, c_int};

use mpirage_call::Call;
use mpirage_data::Group;

use crate::c_library::interruption;
use crate::caller::Caller;
use crate::constants::*;
use crate::frame::{self, outcome_in};
use crate::functions::environment::{self, grant_thread_level};
use crate::ground::arguments::{not_null, put, put_string, size, string};
use crate::ground::error::{MpiError, Result, fail};
use crate::objects::errhandler;
use crate::objects::info::Info;
use crate::objects::message::BufferOwner;
use crate::objects::session::Session;
use crate::operations::buffered;
use crate::rank::{self, try_with, with};
use crate::timing::samples;
use crate::types::*;

/// The process sets of every session.
const PSETS: [&str; 2] = ["mpi://WORLD", "mpi://SELF"];

pub(crate) unsafe extern "C-unwind" fn MPI_Session_init(
    info: MPI_Info,
    errhandler: MPI_Errhandler,
    session: *mut MPI_Session,
) -> c_int {
    let function = Caller::last().function;
    // SAFETY: the program hands over a place for a session.
    match unsafe { init(info, errhandler, session) } {
        Ok(()) => MPI_SUCCESS,
        Err(error) => frame::handle_in(function, MPI_SESSION_NULL, errhandler, error),
    }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Session_finalize(session: *mut MPI_Session) -> c_int {
    // SAFETY: the program hands over a session.
    let handle = unsafe { session.as_ref() }.copied().unwrap_or(MPI_SESSION_NULL);
    outcome_in(handle, || {
        not_null("session", session)?;
        buffered::flush(Some(BufferOwner::Session(handle)))?;
        try_with(|objects| objects.sessions.remove(handle))?;
        rank::ask(&Call::Session { number: number(handle), opened: false });
        environment::end_use()?;
        // SAFETY: not null, and a place for a session.
        unsafe { put("session", session, MPI_SESSION_NULL) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Session_get_num_psets(
    session: MPI_Session,
    _info: MPI_Info,
    npset_names: *mut c_int,
) -> c_int {
    outcome_in(session, || {
        check(session)?;
        // SAFETY: the program hands over a place for an int.
        unsafe { put("npset_names", npset_names, PSETS.len() as c_int) }
    })
}

/// The length counts the character at the end.
pub(crate) unsafe extern "C-unwind" fn MPI_Session_get_nth_pset(
    session: MPI_Session,
    _info: MPI_Info,
    n: c_int,
    pset_len: *mut c_int,
    pset_name: *mut c_char,
) -> c_int {
    outcome_in(session, || {
        check(session)?;
        let Some(name) = usize::try_from(n).ok().and_then(|n| PSETS.get(n)) else {
            fail!(MPI_ERR_ARG, "n is {n}, but there are {} process sets", PSETS.len());
        };
        not_null("pset_len", pset_len)?;
        // SAFETY: not null, and the program hands over an int and as many characters as it says.
        unsafe {
            let room = size("pset_len", *pset_len)?;
            if room > 0 {
                put_string("pset_name", pset_name, room, name.as_bytes())?;
            }
            put("pset_len", pset_len, name.len() as c_int + 1)
        }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Session_get_pset_info(
    session: MPI_Session,
    pset_name: *const c_char,
    info: *mut MPI_Info,
) -> c_int {
    outcome_in(session, || {
        check(session)?;
        // SAFETY: the program hands over a string.
        let members = unsafe { members(pset_name) }?;
        let mut about = Info::default();
        about.set(b"mpi_size", members.size().to_string().as_bytes());
        // SAFETY: the program hands over a place for an info.
        unsafe { put("info", info, with(|objects| objects.infos.insert(about))) }
    })
}

/// The hints that were given, and the thread level.
pub(crate) unsafe extern "C-unwind" fn MPI_Session_get_info(
    session: MPI_Session,
    info_used: *mut MPI_Info,
) -> c_int {
    outcome_in(session, || {
        let hints = try_with(|objects| Ok(objects.sessions.get(session)?.hints.clone()))?;
        // SAFETY: the program hands over a place for an info.
        unsafe { put("info_used", info_used, with(|objects| objects.infos.insert(hints))) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Group_from_session_pset(
    session: MPI_Session,
    pset_name: *const c_char,
    newgroup: *mut MPI_Group,
) -> c_int {
    outcome_in(session, || {
        check(session)?;
        not_null("newgroup", newgroup)?;
        // SAFETY: the program hands over a string.
        let members = unsafe { members(pset_name) }?;
        let group = with(|objects| objects.groups.insert_of(Some(session), members));
        // SAFETY: not null, and a place for a group.
        unsafe { put("newgroup", newgroup, group) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Session_set_errhandler(
    session: MPI_Session,
    errhandler: MPI_Errhandler,
) -> c_int {
    outcome_in(session, || {
        try_with(|objects| {
            errhandler::find(&objects.errhandlers, errhandler)?.check_for_session()?;
            objects.sessions.get_mut(session)?.errhandler = errhandler;
            Ok(())
        })
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Session_get_errhandler(
    session: MPI_Session,
    errhandler: *mut MPI_Errhandler,
) -> c_int {
    outcome_in(session, || {
        let handle = try_with(|objects| Ok(objects.sessions.get(session)?.errhandler))?;
        // SAFETY: the program hands over a place for the handle.
        unsafe { put("errhandler", errhandler, handle) }
    })
}

/// Succeeds if the handler returns, whatever the error is.
pub(crate) unsafe extern "C-unwind" fn MPI_Session_call_errhandler(
    session: MPI_Session,
    errorcode: c_int,
) -> c_int {
    let known = try_with(|objects| {
        objects.sessions.get(session)?;
        objects.error_codes.text_of(errorcode).map(str::to_owned)
    });
    match known {
        Err(unusable) => outcome_in(session, || Err(unusable)),
        Ok(text) => {
            outcome_in(session, || Err(MpiError::new(errorcode, text)));
            MPI_SUCCESS
        }
    }
}

/// # Safety
/// Unless it is null, there is a place for a session.
unsafe fn init(info: MPI_Info, errhandler: MPI_Errhandler, place: *mut MPI_Session) -> Result<()> {
    not_null("session", place)?;
    let mut hints = try_with(|objects| {
        errhandler::find(&objects.errhandlers, errhandler)?.check_for_session()?;
        objects.infos.hints(info)
    })?;
    let wanted = hints.get(b"thread_level").map(<[u8]>::to_vec);
    hints.set(b"thread_level", grant_thread_level(wanted.as_deref()).as_bytes());
    rank::this().begin_use();
    interruption::listen();
    samples::begin(rank::this().connection().briefing());
    let session = Session { errhandler, hints, buffer: None };
    let handle = with(|objects| objects.sessions.insert(session));
    rank::ask(&Call::Session { number: number(handle), opened: true });
    // SAFETY: not null, and the caller vouches for it.
    unsafe { put("session", place, handle) }
}

/// By which the simulator tells the sessions of a rank apart.
fn number(MPI_Session(handle): MPI_Session) -> u64 {
    handle as u64
}

/// The ranks of a process set.
///
/// # Safety
/// Unless it is null, the name is a string.
unsafe fn members(pset_name: *const c_char) -> Result<Group> {
    // SAFETY: the caller vouches for it.
    let name = unsafe { string("pset_name", pset_name) }?;
    let connection = rank::this().connection();
    let is = |pset: &str| name.to_bytes().eq_ignore_ascii_case(pset.as_bytes());
    match (is(PSETS[0]), is(PSETS[1])) {
        (true, _) => Ok(connection.world()),
        (_, true) => Ok(Group::of([connection.rank().get()]).expect("one rank is a group")),
        _ => fail!(MPI_ERR_ARG, "there is no process set {}", name.to_string_lossy()),
    }
}

fn check(session: MPI_Session) -> Result<()> {
    try_with(|objects| objects.sessions.get(session).map(drop))
}
