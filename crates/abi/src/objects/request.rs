//! Requests: operations under way, and operations to be started again.

use mpirage_call::{Completion, RequestId};
use smallvec::smallvec;

use crate::constants::{MPI_ERR_REQUEST, MPI_REQUEST_NULL};
use crate::error::{MpiError, Result};
use crate::handles::Handles;
use crate::operation::{Held, Operation, Transfer, Transfers};
use crate::types::{MPI_Comm, MPI_Request};

/// An operation behind a handle.
#[derive(Debug)]
pub(crate) struct Request {
    /// Whose error handler counts.
    pub comm: MPI_Comm,
    /// What is under way; nothing while a persistent request is inactive.
    pub transfers: Transfers,
    /// Is it an inactive persistent request?
    pub inactive: bool,
    /// Is its status empty whatever it receives?
    collective: bool,
    /// What is started again, if it is persistent.
    pub plan: Option<Box<Operation>>,
}

impl Request {
    /// Gone when it completes.
    pub(crate) fn once(comm: MPI_Comm, collective: bool, transfers: Transfers) -> Request {
        Request { comm, transfers, inactive: false, collective, plan: None }
    }

    /// To be started, any number of times.
    pub(crate) fn persistent(plan: Operation) -> Request {
        Request {
            comm: plan.comm,
            transfers: Transfers::new(),
            inactive: true,
            collective: plan.collective,
            plan: Some(Box::new(plan)),
        }
    }

    /// Have all its transfers ended?
    pub(crate) fn is_complete(&self) -> bool {
        self.transfers.iter().all(|transfer| transfer.done.is_some())
    }

    /// What the program is told: the end of the last transfer.
    pub(crate) fn completion(&self) -> Completion {
        match self.transfers.last().and_then(|transfer| transfer.done) {
            Some(completion) if !self.collective => completion,
            _ => Completion::empty(0),
        }
    }
}

/// All requests of this process.
#[derive(Debug)]
pub(crate) struct Requests {
    handles: Handles<Request>,
    /// Numbers for the simulator that are free.
    free: Vec<RequestId>,
    /// The largest number ever given.
    last: RequestId,
    /// Transfers nobody waits for any more; their memory must stay.
    abandoned: Vec<Transfer>,
}

impl Requests {
    pub(crate) const fn new() -> Requests {
        Requests { handles: Handles::new(), free: Vec::new(), last: 0, abandoned: Vec::new() }
    }

    pub(crate) fn insert(&mut self, request: Request) -> MPI_Request {
        MPI_Request(self.handles.insert(request))
    }

    pub(crate) fn get(&self, request: MPI_Request) -> Result<&Request> {
        self.handles.get(request.0).ok_or_else(|| self.invalid(request))
    }

    pub(crate) fn get_mut(&mut self, request: MPI_Request) -> Result<&mut Request> {
        self.get(request)?;
        Ok(self.handles.get_mut(request.0).expect("it is there"))
    }

    pub(crate) fn remove(&mut self, request: MPI_Request) -> Result<Request> {
        self.get(request)?;
        Ok(self.handles.remove(request.0).expect("it is there"))
    }

    /// A request that is one plain message, which there is room for so many bytes of.
    pub(crate) fn open_plain(&mut self, comm: MPI_Comm, room: u64) -> (RequestId, MPI_Request) {
        let id = self.take_id();
        let transfer = Transfer { id: Some(id), held: Held { room, ..Held::default() }, done: None };
        (id, self.insert(Request::once(comm, false, smallvec![transfer])))
    }

    /// The number of a request that is nothing but one message under way whose bytes lie where they belong; most are.
    pub(crate) fn plain_id(&self, request: MPI_Request) -> Option<RequestId> {
        let request = self.handles.get(request.0)?;
        match (&request.transfers[..], &request.plan) {
            ([Transfer { id, done: None, held: Held { incoming: None, bridge: None, .. } }], None) => *id,
            _ => None,
        }
    }

    /// Such a request has ended; gives the bytes it had room for.
    pub(crate) fn end_plain(&mut self, request: MPI_Request, id: RequestId) -> u64 {
        self.give_back(id);
        let ended = self.handles.remove(request.0);
        ended.map_or(0, |request| request.transfers.iter().map(|transfer| transfer.held.room).sum())
    }

    fn invalid(&self, request: MPI_Request) -> MpiError {
        let text = match request {
            MPI_REQUEST_NULL => "the request is MPI_REQUEST_NULL".to_owned(),
            MPI_Request(handle) if self.handles.is_stale(handle) => {
                format!("the request {handle:#x} has been completed or freed already")
            }
            MPI_Request(handle) => format!("{handle:#x} is not a request"),
        };
        MpiError::new(MPI_ERR_REQUEST, text)
    }

    /// A number for a transfer.
    pub(crate) fn take_id(&mut self) -> RequestId {
        self.free.pop().unwrap_or_else(|| {
            self.last += 1;
            self.last
        })
    }

    /// The transfer of this number has ended.
    pub(crate) fn give_back(&mut self, id: RequestId) {
        self.free.push(id);
    }

    /// Keeps what a transfer needs in memory although nobody will wait for it.
    pub(crate) fn abandon(&mut self, transfer: Transfer) {
        self.abandoned.push(transfer);
    }
}
