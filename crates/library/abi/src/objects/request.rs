//! Requests: operations under way, and operations to be started again.

use mpirage_call::{Completion, RequestId};
use mpirage_prefetch::fetch_slice;
use smallvec::smallvec;

use crate::caller::Caller;
use crate::constants::{MPI_COMM_SELF, MPI_ERR_REQUEST, MPI_REQUEST_NULL};
use crate::ground::error::{MpiError, Result, fail};
use crate::ground::handles::Handles;
use crate::ground::status::check_room;
use crate::objects::general::{Functions, General};
use crate::objects::partitioned::{OUTLINE, PartitionTags, Partitioned};
use crate::operations::operation::Operation;
use crate::operations::transfer::{Transfer, TransferBuffers, Transfers};
use crate::types::{MPI_Comm, MPI_Request};

/// An operation behind a handle.
#[derive(Debug)]
pub(crate) enum Request {
    /// One message, not persistent, whose bytes need no memory of this library. Most requests are of this kind, so it is small.
    Plain(Plain),
    /// Other messages, collectives and accesses.
    Composite(Box<Composite>),
    /// An operation of the program.
    General(Box<General>),
    /// A partitioned message, persistent.
    Partitioned(Box<Partitioned>),
}

/// A message under way.
#[derive(Debug)]
pub(crate) struct Plain {
    /// The communicator whose error handler counts.
    comm: MPI_Comm,
    /// Its number at the simulator.
    id: RequestId,
    /// Bytes that fit.
    room: u64,
    /// How it ended.
    done: Option<Completion>,
}

/// Any number of transfers, once or again and again.
#[derive(Debug)]
pub(crate) struct Composite {
    comm: MPI_Comm,
    /// The transfers under way; none while a persistent request is inactive.
    transfers: Transfers,
    /// Is it an inactive persistent request?
    inactive: bool,
    /// Is its status empty whatever it receives?
    collective: bool,
    /// The operation that it starts again, if it is persistent.
    plan: Option<Operation>,
}

impl Request {
    /// A request that is freed when it completes.
    pub(crate) fn once(comm: MPI_Comm, collective: bool, transfers: Transfers) -> Request {
        Request::Composite(Box::new(Composite { comm, transfers, inactive: false, collective, plan: None }))
    }

    /// A persistent request, inactive.
    pub(crate) fn persistent(plan: Operation) -> Request {
        Request::Composite(Box::new(Composite {
            comm: plan.comm,
            transfers: Transfers::new(),
            inactive: true,
            collective: plan.collective,
            plan: Some(plan),
        }))
    }

    /// The communicator whose error handler counts.
    pub(crate) fn comm(&self) -> MPI_Comm {
        match self {
            Request::Plain(plain) => plain.comm,
            Request::Composite(composite) => composite.comm,
            Request::General(_) => MPI_COMM_SELF,
            Request::Partitioned(partitioned) => partitioned.comm(),
        }
    }

    /// Is it an inactive persistent request?
    pub(crate) fn is_inactive(&self) -> bool {
        match self {
            Request::Composite(composite) => composite.inactive,
            Request::Partitioned(partitioned) => !partitioned.is_active(),
            Request::Plain(_) | Request::General(_) => false,
        }
    }

    /// Is it a persistent request that is not under way, other than one of a partitioned message?
    pub(crate) fn is_idle(&self) -> bool {
        self.plan().is_some() && self.is_inactive()
    }

    /// Does it stay when it completes, to be started again?
    pub(crate) fn is_persistent(&self) -> bool {
        self.plan().is_some() || matches!(self, Request::Partitioned(_))
    }

    /// A description of the action of the program that it waits for, if there is one.
    pub(crate) fn stalled(&self) -> Option<String> {
        match self {
            Request::General(general) if !general.is_complete() => {
                Some("a generalised request that is not complete".to_owned())
            }
            Request::Partitioned(partitioned) if partitioned.unready() > 0 => {
                let unready = partitioned.unready();
                Some(format!("a partitioned send of which {unready} partitions are not ready"))
            }
            _ => None,
        }
    }

    /// The operation that it starts again, if it is persistent.
    pub(crate) fn plan(&self) -> Option<&Operation> {
        match self {
            Request::Composite(composite) => composite.plan.as_ref(),
            Request::Plain(_) | Request::General(_) | Request::Partitioned(_) => None,
        }
    }

    /// A persistent request is under way again.
    pub(crate) fn restart(&mut self, transfers: Transfers) {
        if let Request::Composite(composite) = self {
            (composite.transfers, composite.inactive) = (transfers, false);
        }
    }

    /// Is it an access to a file?
    pub(crate) fn accesses_file(&self) -> bool {
        let accesses = |transfer: &Transfer| transfer.buffers.file.is_some();
        matches!(self, Request::Composite(composite) if composite.transfers.iter().any(accesses))
    }

    /// Its transfers that have not ended: which they are, and their numbers at the simulator.
    pub(crate) fn open_transfers(&self) -> impl Iterator<Item = (usize, RequestId)> {
        let (alone, transfers) = match self {
            Request::Plain(plain) => (plain.done.is_none().then_some((0, plain.id)), &[][..]),
            Request::Composite(composite) => (None, &composite.transfers[..]),
            Request::General(_) => (None, &[][..]),
            Request::Partitioned(partitioned) => {
                (partitioned.awaited_outline().map(|id| (OUTLINE, id)), partitioned.transfers())
            }
        };
        let open = |(which, transfer): (usize, &Transfer)| match transfer.done {
            None => transfer.id.map(|id| (which, id)),
            Some(_) => None,
        };
        alone.into_iter().chain(transfers.iter().enumerate().filter_map(open))
    }

    /// One of its transfers has ended.
    pub(crate) fn note_end(&mut self, which: usize, completion: &Completion) {
        match self {
            Request::Plain(plain) => plain.done = Some(*completion),
            Request::Composite(composite) => {
                let transfer = &mut composite.transfers[which];
                transfer.done = Some(transfer.buffers.seen_from_here(*completion));
            }
            Request::General(_) => {}
            Request::Partitioned(partitioned) => partitioned.note_end(which, completion),
        }
    }

    /// Have all its transfers ended?
    pub(crate) fn is_complete(&self) -> bool {
        match self {
            Request::Plain(plain) => plain.done.is_some(),
            Request::Composite(composite) => {
                composite.transfers.iter().all(|transfer| transfer.done.is_some())
            }
            Request::General(general) => general.is_complete(),
            Request::Partitioned(partitioned) => partitioned.is_complete(),
        }
    }

    /// The completion that the program sees: that of the last transfer. Of a generalised request only the program knows it.
    pub(crate) fn completion(&self) -> Completion {
        let end = match self {
            Request::Plain(plain) => plain.done,
            Request::Composite(composite) if composite.collective => None,
            Request::Composite(composite) => composite.transfers.last().and_then(|transfer| transfer.done),
            Request::General(_) => None,
            Request::Partitioned(partitioned) => Some(partitioned.completion()),
        };
        end.unwrap_or(Completion::empty(0))
    }

    /// Takes what has arrived in memory of this library out of a complete request, which stays.
    pub(crate) fn take_landed(&mut self) -> Vec<(TransferBuffers, Completion)> {
        let Request::Composite(composite) = self else { return Vec::new() };
        let ended = composite.transfers.iter_mut().filter_map(|transfer| Some((transfer.done?, transfer)));
        ended.filter_map(|(done, transfer)| Some((transfer.buffers.take_landed()?, done))).collect()
    }

    /// Takes what a complete request has received. A persistent request can be started again.
    pub(crate) fn release(&mut self) -> Arrivals {
        match self {
            Request::Plain(plain) => Arrivals::Plain(plain.done, plain.room),
            Request::Composite(composite) => {
                composite.inactive = true;
                Arrivals::Composite(std::mem::take(&mut composite.transfers))
            }
            Request::General(general) => Arrivals::General(general.functions()),
            Request::Partitioned(partitioned) => Arrivals::Partitioned(partitioned.finish()),
        }
    }

    /// Transfers that have not ended although the request is gone; what they use must stay in memory.
    pub(crate) fn into_unfinished(self) -> Transfers {
        let transfers = match self {
            Request::Plain(Plain { id, room, done, .. }) => {
                smallvec![Transfer {
                    id: Some(id),
                    buffers: TransferBuffers { room, ..TransferBuffers::default() },
                    done
                }]
            }
            Request::Composite(composite) => composite.transfers,
            Request::General(_) => Transfers::new(),
            Request::Partitioned(partitioned) => partitioned.into_unfinished().into(),
        };
        transfers.into_iter().filter(|transfer| transfer.done.is_none()).collect()
    }
}

/// The data that a complete request received.
pub(crate) enum Arrivals {
    /// The bytes are where they belong, if there was room for them.
    Plain(Option<Completion>, u64),
    /// They are where the transfers hold them.
    Composite(Transfers),
    /// The program says what the request received, and frees it.
    General(Functions),
    /// Everything is where it belongs, or not.
    Partitioned(Result<()>),
}

impl Arrivals {
    /// Puts everything where it belongs. Gives the completion, which is `completion` unless the program says another one.
    pub(crate) fn settle(self, completion: Completion) -> (Completion, Result<()>) {
        match self {
            Arrivals::General(functions) => {
                let (completion, queried) = functions.query();
                (completion, queried.and(functions.free()))
            }
            messages => {
                let (result, bytes) = messages.store();
                (Completion { bytes: bytes.unwrap_or(completion.bytes), ..completion }, result)
            }
        }
    }

    /// Gives the bytes of an access to a file, which happens here.
    fn store(self) -> (Result<()>, Option<u64>) {
        match self {
            Arrivals::Plain(done, room) => {
                (done.map_or(Ok(()), |completion| check_room(&completion, room)), None)
            }
            Arrivals::General(_) => (Ok(()), None),
            Arrivals::Partitioned(result) => (result, None),
            // All of them, whatever becomes of the first.
            Arrivals::Composite(transfers) => {
                let (mut result, mut moved) = (Ok(()), None);
                for mut transfer in transfers {
                    let done = transfer.done.expect("the request is complete");
                    if let Some(file) = transfer.buffers.file.take() {
                        let accessed = file.carry_out().map(|bytes| moved = Some(bytes));
                        result = result.and(accessed);
                    }
                    let landed = transfer.buffers.finish(&done);
                    result = result.and(landed);
                }
                (result, moved)
            }
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
    last: u32,
    /// Transfers that the program does not wait for any more; their memory must stay.
    abandoned: Vec<Transfer>,
    pub partition_tags: PartitionTags,
    /// Partitioned receives that were started; some may have been posted since, or their handles may be others' by now.
    unposted: Vec<MPI_Request>,
}

impl Requests {
    pub(crate) const fn new() -> Requests {
        Requests {
            handles: Handles::new(),
            free: Vec::new(),
            last: 0,
            abandoned: Vec::new(),
            partition_tags: PartitionTags::NEW,
            unposted: Vec::new(),
        }
    }

    /// From now on, remembers which calls make them.
    pub(crate) fn remember_makers(&mut self) {
        self.handles.remember_makers();
    }

    /// The calls that made the requests that the program has not freed.
    pub(crate) fn unfreed(&self) -> impl Iterator<Item = Caller> {
        self.handles.unfreed().filter(|(_, request)| request.is_idle()).map(|(maker, _)| maker)
    }

    /// Persistent requests that are not under way.
    pub(crate) fn idle(&self) -> impl Iterator<Item = &Request> {
        self.handles.iter().map(|(_, request)| request).filter(|request| request.is_idle())
    }

    /// Brings those near that are likely to be used.
    pub(crate) fn fetch(&self) {
        self.handles.fetch();
        fetch_slice(&self.free, 8);
    }

    pub(crate) fn insert(&mut self, request: Request) -> MPI_Request {
        MPI_Request(self.handles.insert(request))
    }

    /// A partitioned message was started: notes it if it is a receive that is still to be posted.
    pub(crate) fn note_started(&mut self, handle: MPI_Request) {
        if self.is_unposted(handle) {
            self.unposted.push(handle);
        }
    }

    /// May there be partitioned receives that are still to be posted?
    pub(crate) fn may_have_unposted(&self) -> bool {
        !self.unposted.is_empty()
    }

    /// Partitioned receives that were started, and whose partitions are not posted yet.
    pub(crate) fn unposted_receives(&mut self) -> Vec<MPI_Request> {
        let mut unposted = std::mem::take(&mut self.unposted);
        unposted.retain(|&handle| self.is_unposted(handle));
        self.unposted.clone_from(&unposted);
        unposted
    }

    fn is_unposted(&self, handle: MPI_Request) -> bool {
        matches!(self.handles.get(handle.0), Some(Request::Partitioned(message)) if message.is_unposted())
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

    /// A generalised request.
    pub(crate) fn general_mut(&mut self, request: MPI_Request) -> Result<&mut General> {
        match self.get_mut(request)? {
            Request::General(general) => Ok(general),
            _ => fail!(MPI_ERR_REQUEST, "the request is not a generalised request"),
        }
    }

    /// A partitioned request.
    pub(crate) fn partitioned_mut(&mut self, request: MPI_Request) -> Result<&mut Partitioned> {
        match self.get_mut(request)? {
            Request::Partitioned(partitioned) => Ok(partitioned),
            _ => fail!(MPI_ERR_REQUEST, "the request is not partitioned"),
        }
    }

    /// A request that is one plain message, which there is room for so many bytes of.
    #[inline(always)]
    pub(crate) fn open_plain(&mut self, comm: MPI_Comm, room: u64) -> (RequestId, MPI_Request) {
        let id = self.take_id();
        (id, self.insert(Request::Plain(Plain { comm, id, room, done: None })))
    }

    /// The number of a request that is a plain message under way.
    #[inline]
    pub(crate) fn plain_id(&self, request: MPI_Request) -> Option<RequestId> {
        match self.handles.get(request.0)? {
            Request::Plain(Plain { id, done: None, .. }) => Some(*id),
            _ => None,
        }
    }

    /// Such a request has ended; gives the bytes it had room for.
    #[inline]
    pub(crate) fn end_plain(&mut self, request: MPI_Request) -> u64 {
        let plain = |request: &Request| match request {
            &Request::Plain(Plain { id, room, .. }) => Some((id, room)),
            _ => None,
        };
        // A handle that stands twice in an array is freed before its second place.
        let Some((id, room)) = self.handles.remove_if(request.0, plain) else { return 0 };
        self.give_back(id);
        room
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
            RequestId::new(self.last)
        })
    }

    /// The transfer of this number has ended.
    pub(crate) fn give_back(&mut self, id: RequestId) {
        self.free.push(id);
    }

    /// Keeps the memory of a transfer that the program will not wait for.
    pub(crate) fn abandon(&mut self, transfer: Transfer) {
        if transfer.buffers.keeps_memory() {
            self.abandoned.push(transfer);
        }
    }
}
