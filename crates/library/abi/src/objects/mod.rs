//! The objects behind handles.

pub(crate) mod active_buffers;
pub(crate) mod bridge;
pub(crate) mod comm;
pub(crate) mod datatype;
pub(crate) mod errhandler;
pub(crate) mod error_codes;
pub(crate) mod file;
pub(crate) mod general;
pub(crate) mod group;
pub(crate) mod info;
pub(crate) mod keyval;
pub(crate) mod message;
pub(crate) mod op;
pub(crate) mod partitioned;
pub(crate) mod predefined_attributes;
pub(crate) mod predefined_types;
pub(crate) mod reduction;
pub(crate) mod regions;
pub(crate) mod request;
pub(crate) mod session;
pub(crate) mod tools;
pub(crate) mod topology;
pub(crate) mod window;
pub(crate) mod window_hints;

use mpirage_call::{FindingClass, OnMismatch, Operator, Reduction, Unfreed};

use crate::caller::Caller;
use crate::constants::{MPI_COMM_SELF, MPI_COMM_WORLD};
use crate::ground::error::Result;
use crate::types::{MPI_Comm, MPI_Datatype, MPI_Op};

use active_buffers::ActiveBuffers;
use comm::Comms;
use datatype::Datatypes;
use errhandler::{Errhandler, Errhandlers};
use error_codes::ErrorCodes;
use file::Files;
use group::Groups;
use info::Infos;
use keyval::Keyvals;
use message::{Attached, BufferOwner, Held, Messages};
use op::{Operation, Ops};
use reduction::{Reductions, UserReduction};
use request::Requests;
use session::Sessions;
use tools::Tools;
use window::Windows;

/// The objects of a rank, those first that most calls need.
#[repr(C)]
pub(crate) struct Objects {
    pub requests: Requests,
    pub comms: Comms,
    pub datatypes: Datatypes,
    pub reductions: Reductions,
    pub messages: Messages,
    /// The program's buffer for buffered sends.
    pub attached: Option<Attached>,
    /// The messages in buffers for buffered sends.
    pub held: Vec<Held>,
    pub ops: Ops,
    pub groups: Groups,
    pub infos: Infos,
    pub keyvals: Keyvals,
    pub errhandlers: Errhandlers,
    pub error_codes: ErrorCodes,
    pub windows: Windows,
    pub sessions: Sessions,
    pub tools: Tools,
    /// Buffers of operations under way, in a checked run.
    pub active_buffers: ActiveBuffers,
    pub files: Files,
}

impl Objects {
    /// Bytes at its beginning that most calls need: whether there are datatypes of the rank's own is the last of it.
    pub(crate) const HOT: usize = core::mem::offset_of!(Objects, datatypes) + size_of::<Vec<()>>();

    /// The predefined objects. `command` is what started the rank, if it is not this process.
    pub(crate) fn new(command: Option<Vec<Vec<u8>>>) -> Objects {
        Objects {
            comms: Comms::new(),
            requests: Requests::new(),
            reductions: Reductions::default(),
            messages: Messages::new(),
            attached: None,
            held: Vec::new(),
            datatypes: Datatypes::new(),
            ops: Ops::new(),
            groups: Groups::new(),
            infos: Infos::new(command),
            keyvals: Keyvals::default(),
            errhandlers: Errhandlers::new(),
            error_codes: ErrorCodes::default(),
            windows: Windows::new(),
            sessions: Sessions::new(),
            tools: Tools::new(),
            active_buffers: ActiveBuffers::default(),
            files: Files::new(),
        }
    }

    /// From now on, remembers which calls make objects.
    pub(crate) fn remember_makers(&mut self) {
        self.requests.remember_makers();
        self.infos.remember_makers();
        self.errhandlers.remember_makers();
    }

    /// The same for objects that are made so rarely that every run counts those that are left.
    pub(crate) fn remember_makers_of_few(&mut self) {
        self.datatypes.remember_makers();
        self.ops.remember_makers();
        self.groups.remember_makers();
    }

    /// How many objects the program has not freed.
    pub(crate) fn count_unfreed(&self) -> Unfreed {
        Unfreed {
            datatypes: self.datatypes.unfreed().count() as u64,
            operators: self.ops.unfreed().count() as u64,
            groups: self.groups.unfreed().count() as u64,
            requests: self.requests.idle().count() as u64,
        }
    }

    /// Objects that the program has not freed: their class, what they are, and which call made them. The simulator knows about
    /// communicators, windows and requests under way.
    pub(crate) fn unfreed(&self) -> Vec<(FindingClass, &'static str, Caller)> {
        use FindingClass as F;
        let mut found = Vec::new();
        let mut add = |class: FindingClass, what: &'static str, makers: &mut dyn Iterator<Item = Caller>| {
            found.extend(makers.map(|maker| (class, what, maker)));
        };
        add(F::RequestLeak, "a persistent request", &mut self.requests.unfreed());
        add(F::DatatypeLeak, "a datatype", &mut self.datatypes.unfreed());
        add(F::HandleLeak, "an operator", &mut self.ops.unfreed());
        add(F::HandleLeak, "a group", &mut self.groups.unfreed());
        add(F::HandleLeak, "an info object", &mut self.infos.unfreed());
        add(F::HandleLeak, "an error handler", &mut self.errhandlers.unfreed().map(|(maker, _)| maker));
        add(F::HandleLeak, "an attribute key", &mut self.keyvals.unfreed());
        found
    }

    /// How `count` elements of a datatype are combined by an operator.
    pub(crate) fn reduction(&mut self, op: MPI_Op, count: usize, handle: MPI_Datatype) -> Result<Reduction> {
        let operation = self.ops.get(op)?;
        let datatype = self.datatypes.committed(handle)?.clone();
        operation.check(&datatype)?;
        let commutative = operation.is_commutative();
        match (operation, datatype.uniform_basic()) {
            (Operation::Predefined(op), Some(basic)) => {
                let elements = (count * datatype.size() / basic.size()) as u64;
                let operator = Operator::Predefined { op: op.code(), basic: basic.code() };
                Ok(Reduction { operator, commutative, element: basic.size() as u32, elements })
            }
            _ => {
                let (element, elements) = (datatype.size() as u32, count as u64);
                let number = self.reductions.number_of(UserReduction { op, operation, handle, datatype });
                let operator = Operator::User { op: number, datatype: handle.0 as u64 };
                Ok(Reduction { operator, commutative, element, elements })
            }
        }
    }

    /// The buffer for buffered sends on a communicator: its own, that of its session, or that of the process.
    pub(crate) fn buffer_for(&self, handle: MPI_Comm) -> Result<Option<(BufferOwner, Attached)>> {
        let comm = self.comms.get(handle)?;
        let session = comm.session.and_then(|session| Some((session, self.sessions.get(session).ok()?)));
        let own = comm.buffer.map(|buffer| (BufferOwner::Comm(handle), buffer));
        let of_session =
            session.and_then(|(session, object)| Some((BufferOwner::Session(session), object.buffer?)));
        Ok(own.or(of_session).or(self.attached.map(|buffer| (BufferOwner::Process, buffer))))
    }

    /// The reaction if ranks of a communicator disagree: the program gets an error if it handles errors itself.
    pub(crate) fn on_mismatch(&self, comm: MPI_Comm) -> OnMismatch {
        match self.handler_of(Some(comm)).1 {
            Errhandler::Return | Errhandler::Comm(_) => OnMismatch::ReturnError,
            _ => OnMismatch::EndRun,
        }
    }

    /// The communicator whose error handler counts, and the handler. Without a communicator that is `MPI_COMM_SELF`'s, or
    /// `MPI_COMM_WORLD`'s as before MPI 4 if the program has not set the former.
    pub(crate) fn handler_of(&self, comm: Option<MPI_Comm>) -> (MPI_Comm, Errhandler) {
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
