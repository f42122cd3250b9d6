//! Sessions: handles by which parts of a program use MPI independently of each other.

use crate::constants::{MPI_ERR_SESSION, MPI_SESSION_NULL};
use crate::ground::error::{MpiError, Result};
use crate::ground::handles::Handles;
use crate::objects::info::Info;
use crate::objects::message::Attached;
use crate::types::{MPI_Errhandler, MPI_Session};

/// A session.
#[derive(Debug)]
pub(crate) struct Session {
    pub errhandler: MPI_Errhandler,
    /// The hints that the program gave.
    pub hints: Info,
    /// Its buffer for buffered sends on communicators made from it.
    pub buffer: Option<Attached>,
}

/// All sessions of this rank.
#[derive(Debug)]
pub(crate) struct Sessions(Handles<Session>);

impl Sessions {
    pub(crate) const fn new() -> Sessions {
        Sessions(Handles::new())
    }

    pub(crate) fn insert(&mut self, session: Session) -> MPI_Session {
        MPI_Session(self.0.insert(session))
    }

    pub(crate) fn get(&self, session: MPI_Session) -> Result<&Session> {
        self.0.get(session.0).ok_or_else(|| self.invalid(session))
    }

    pub(crate) fn get_mut(&mut self, session: MPI_Session) -> Result<&mut Session> {
        self.get(session)?;
        Ok(self.0.get_mut(session.0).expect("it is there"))
    }

    pub(crate) fn remove(&mut self, session: MPI_Session) -> Result<Session> {
        self.get(session)?;
        Ok(self.0.remove(session.0).expect("it is there"))
    }

    fn invalid(&self, session: MPI_Session) -> MpiError {
        let text = match session {
            MPI_SESSION_NULL => "the session is MPI_SESSION_NULL".to_owned(),
            MPI_Session(handle) if self.0.is_stale(handle) => {
                format!("the session {handle:#x} has been finalized already")
            }
            MPI_Session(handle) => format!("{handle:#x} is not a session"),
        };
        MpiError::new(MPI_ERR_SESSION, text)
    }
}
