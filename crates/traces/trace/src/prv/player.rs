//! One task of a trace: its calls, with the messages that belong to them.
//!
//! A message belongs to the send during which it was sent. It belongs to the blocking receive during which it was received, or to the
//! non-blocking receive at which its logical receive is (Extrae). Other writers put the logical receive where the message came: then the
//! oldest receive without a message gets the one that the task waits for next. A wait completes receives whose messages have come.
//! Waits for sends are not in the trace: a wait for all includes them, and a wait in which no message came is for the oldest.

use std::collections::{HashMap, VecDeque};

use mpirage_call::{
    Call, Collective, CollectiveCall, Completing, ContextId, Part, Payload, Peers, RequestId, SendMode,
    Stamp, WORLD, Work,
};

use super::functions::Role;
use super::records::{PrvMessage, Records, Region, Sizes, has_root};
use crate::Calls;
use crate::dim::{OPERATIONS, cut, reduction};
use crate::error::TraceError;
use crate::function::stamp_of;
use crate::source::Source;

/// Something that a task does.
pub(super) enum Action {
    Compute {
        nanos: u64,
    },
    Send {
        mode: SendMode,
        to: u32,
        tag: i32,
        bytes: u64,
        request: Option<RequestId>,
        at: u64,
    },
    Receive {
        from: u32,
        tag: i32,
        bytes: u64,
        request: Option<RequestId>,
        at: u64,
    },
    Wait {
        requests: Box<[RequestId]>,
        at: u64,
    },
    Free {
        request: RequestId,
    },
    Collective {
        kind: Collective,
        root: u32,
        sizes: Sizes,
        request: Option<RequestId>,
        at: u64,
    },
    /// A receive whose message is not known yet, or never came.
    Unknown,
}

/// The functions that calls stand for.
pub(super) struct Stamps {
    send: [[Stamp; 2]; 4],
    recv: [Stamp; 2],
    wait: [Stamp; 2],
    free: Stamp,
    /// In the order of [`OPERATIONS`], and exclusive scans.
    collectives: Vec<[Stamp; 2]>,
}

impl Stamps {
    pub(super) fn new() -> Stamps {
        let both = |now, later| [stamp_of(now), stamp_of(later)];
        Stamps {
            // In the order of `SendMode`.
            send: [
                both("MPI_Send", "MPI_Isend"),
                both("MPI_Ssend", "MPI_Issend"),
                both("MPI_Rsend", "MPI_Irsend"),
                both("MPI_Bsend", "MPI_Ibsend"),
            ],
            recv: both("MPI_Recv", "MPI_Irecv"),
            wait: both("MPI_Wait", "MPI_Waitall"),
            free: stamp_of("MPI_Request_free"),
            collectives: OPERATIONS
                .iter()
                .map(|(_, now, later)| both(now, later))
                .chain([both("MPI_Exscan", "MPI_Iexscan")])
                .collect(),
        }
    }
}

impl Action {
    /// Appends its call. True if the task waits for the answer.
    pub(super) fn push(
        &self,
        rank: u32,
        (communicators, contexts): (&[Vec<u32>], &[ContextId]),
        stamps: &Stamps,
        blocks: &mut [Vec<u64>; 2],
        calls: &mut Calls<'_>,
    ) -> bool {
        let here = |stamp: &Stamp, at: u64| Stamp { site: at, ..*stamp };
        let (context, payload) = (WORLD, Payload::Absent);
        match *self {
            Action::Compute { nanos } => {
                let work = Work::Nanos(nanos);
                calls.push(&Stamp::default(), &Call::Compute { work, request: None });
                false
            }
            Action::Send { mode, to, tag, bytes, request, at } => {
                let stamp = here(&stamps.send[mode as usize][usize::from(request.is_some())], at);
                let call = Call::Send { mode, context, to, tag, bytes, payload, request, answer: true };
                calls.push(&stamp, &call);
                request.is_none()
            }
            Action::Receive { from, tag, bytes, request, at } => {
                let stamp = here(&stamps.recv[usize::from(request.is_some())], at);
                let (from, tag) = (Some(from), Some(tag));
                calls.push(
                    &stamp,
                    &Call::Recv { context, from, tag, bytes, address: 0, request, matched: None },
                );
                request.is_none()
            }
            Action::Wait { ref requests, at } => {
                let stamp = here(&stamps.wait[usize::from(requests.len() > 1)], at);
                calls.push(&stamp, &Call::Wait { how: Completing::All, poll: false, requests });
                true
            }
            Action::Free { request } => {
                calls.push(&stamps.free, &Call::Free { request });
                false
            }
            Action::Collective { kind, root, sizes, request, at } => {
                let members = &communicators[sizes.comm as usize];
                let is_root = members.get(root as usize) == Some(&rank);
                let (sent, received) = (sizes.sent, sizes.received);
                let (send, recv) = cut(kind, is_root, members.len(), (sent, received), blocks);
                let part = |blocks| Part { payload, blocks };
                let call = CollectiveCall {
                    kind,
                    context: contexts[sizes.comm as usize],
                    root,
                    peers: Peers::All,
                    send: part(send),
                    recv: part(recv),
                    reduction: reduction(kind, sent.max(received)),
                    request,
                    plan: 0,
                    input: Default::default(),
                    on_mismatch: Default::default(),
                };
                let number =
                    OPERATIONS.iter().position(|(known, ..)| *known == kind).unwrap_or(OPERATIONS.len());
                let stamp = &stamps.collectives[number][usize::from(request.is_some())];
                calls.push(&here(stamp, at), &Call::Collective(call));
                request.is_none()
            }
            Action::Unknown => false,
        }
    }
}

/// An `MPI_Sendrecv` under way: when it began, and its sends.
#[derive(Default)]
struct Exchange {
    since: Option<u64>,
    sent: Vec<RequestId>,
}

/// Goes through the calls of a task.
pub(super) struct Player<'a> {
    source: &'a Source,
    regions: &'a [Region],
    roots: &'a HashMap<(u64, u64), u32>,
    /// Messages that no call has yet: in the order of sends, and in that of logical receives.
    sends: VecDeque<PrvMessage>,
    receives: Vec<PrvMessage>,
    actions: Vec<Action>,
    /// Receives under way: request, and when their messages came.
    coming: Vec<(RequestId, u64)>,
    /// Receives without a message: request, and place among the actions.
    nameless: VecDeque<(RequestId, usize, u64)>,
    /// Sends and collectives under way.
    others: VecDeque<RequestId>,
    exchange: Exchange,
    rooted: HashMap<u64, u64>,
    /// Numbers of requests that are free, and how many numbers there are.
    free: Vec<RequestId>,
    requests: u32,
    /// When the last call ended that was not local.
    since: u64,
}

impl<'a> Player<'a> {
    pub(super) fn new(
        source: &'a Source,
        records: &'a Records,
        rank: u32,
        roots: &'a HashMap<(u64, u64), u32>,
    ) -> Player<'a> {
        let mut sends: Vec<PrvMessage> = records.of(rank, |message| message.from);
        sends.sort_by_key(|message| message.sent);
        let mut receives: Vec<PrvMessage> = records.of(rank, |message| message.to);
        receives.sort_by_key(|message| message.received[0]);
        receives.reverse();
        Player {
            source,
            regions: &records.tasks[rank as usize],
            roots,
            sends: sends.into(),
            receives,
            actions: Vec::new(),
            coming: Vec::new(),
            nameless: VecDeque::new(),
            others: VecDeque::new(),
            exchange: Exchange::default(),
            rooted: HashMap::new(),
            free: Vec::new(),
            requests: 0,
            since: 0,
        }
    }

    /// All that the task does.
    pub(super) fn actions(mut self) -> Result<Vec<Action>, TraceError> {
        for region in self.regions {
            if region.role == Role::Local {
                continue;
            }
            let nanos = region.enter.saturating_sub(self.since);
            if nanos > 0 {
                self.actions.push(Action::Compute { nanos });
            }
            self.since = region.leave;
            self.region(region);
        }
        self.end_exchange();
        if let Some(message) = self.sends.front().or_else(|| self.receives.last()) {
            let problem = "this message is sent or received outside of calls of MPI: the trace lacks events of its functions";
            return Err(self.source.bad(message.at, problem));
        }
        let open = self.coming.iter().map(|&(request, _)| request).chain(self.others.iter().copied());
        let freed = open.map(|request| Action::Free { request });
        self.actions.extend(freed.collect::<Vec<_>>());
        Ok(self.actions)
    }

    fn region(&mut self, region: &Region) {
        if region.role != Role::SendReceive {
            self.end_exchange();
        }
        match region.role {
            Role::Send(mode) => self.send(region, mode, false),
            Role::SendLater(mode) => self.send(region, mode, true),
            Role::Receive => self.receive(region),
            Role::ReceiveLater => self.receive_later(region, true),
            Role::SendReceive => self.exchange(region),
            Role::Start => {
                while self.sends.front().is_some_and(|message| message.sent <= region.leave) {
                    self.send(region, SendMode::Standard, true);
                }
                while self.place(region).is_some() {
                    self.receive_later(region, false);
                }
            }
            Role::WaitOne => self.wait(region, false),
            Role::WaitAll => self.wait(region, true),
            Role::Collective { kind, later } => self.collective(region, kind, later),
            Role::Nothing | Role::Local | Role::Refused => {}
        }
    }

    fn open(&mut self) -> RequestId {
        self.free.pop().unwrap_or_else(|| {
            self.requests += 1;
            RequestId::new(self.requests)
        })
    }

    fn send(&mut self, region: &Region, mode: SendMode, later: bool) {
        // A send to `MPI_PROC_NULL` has no message.
        let Some(&message) = self.sends.front().filter(|message| message.sent <= region.leave) else {
            return;
        };
        self.sends.pop_front();
        let request = later.then(|| self.open());
        self.others.extend(request);
        let PrvMessage { to, tag, bytes, .. } = message;
        self.actions.push(Action::Send { mode, to, tag, bytes, request, at: region.at });
    }

    /// The place of a message that was received during a call: one whose receive ends with it, or the first.
    fn place(&self, region: &Region) -> Option<usize> {
        let during = |message: &PrvMessage| (region.enter..=region.leave).contains(&message.received[0]);
        let earliest = self.receives.iter().rposition(during)?;
        let ends = |message: &PrvMessage| message.received[0] == region.leave;
        let later = self.receives[..=earliest].iter().rev().take_while(|message| during(message));
        let skipped = later.take_while(|message| !ends(message)).count();
        let last = earliest.checked_sub(skipped).filter(|&place| ends(&self.receives[place]));
        Some(last.unwrap_or(earliest))
    }

    fn receive(&mut self, region: &Region) {
        let Some(place) = self.place(region) else { return };
        let PrvMessage { from, tag, bytes, .. } = self.receives.remove(place);
        self.actions.push(Action::Receive { from, tag, bytes, request: None, at: region.at });
    }

    fn receive_later(&mut self, region: &Region, may_be_nameless: bool) {
        match self.place(region) {
            Some(place) => {
                let message = self.receives.remove(place);
                self.post(message, region.at);
            }
            None if may_be_nameless => {
                let request = self.open();
                self.nameless.push_back((request, self.actions.len(), region.at));
                self.actions.push(Action::Unknown);
            }
            None => {}
        }
    }

    fn post(&mut self, message: PrvMessage, at: u64) -> RequestId {
        let request = self.open();
        let PrvMessage { from, tag, bytes, received: [logical, physical], .. } = message;
        self.coming.push((request, logical.max(physical)));
        self.actions.push(Action::Receive { from, tag, bytes, request: Some(request), at });
        request
    }

    /// `MPI_Sendrecv`: other writers than Extrae divide it into several events. What has been sent is waited for together with what is
    /// received.
    fn exchange(&mut self, region: &Region) {
        let since = *self.exchange.since.get_or_insert(region.enter);
        let sent = self.others.len();
        self.send(region, SendMode::Standard, true);
        self.exchange.sent.extend(self.others.drain(sent..));
        let Some(place) = self.place(&Region { enter: since, ..*region }) else { return };
        let message = self.receives.remove(place);
        let received = self.post(message, region.at);
        self.coming.pop();
        let mut requests = std::mem::take(&mut self.exchange).sent;
        requests.push(received);
        self.wait_for(requests, region.at);
    }

    /// Another call: an exchange that has received nothing is over.
    fn end_exchange(&mut self) {
        let Exchange { since, sent } = std::mem::take(&mut self.exchange);
        if since.is_some() {
            self.others.extend(sent);
        }
    }

    fn wait(&mut self, region: &Region, all: bool) {
        self.name_receives(region.leave, all);
        let mut done: Vec<(u64, RequestId)> = Vec::new();
        self.coming.retain(|&(request, came)| {
            let now = came <= region.leave;
            if now {
                done.push((came, request));
            }
            !now
        });
        if !all && done.len() > 1 {
            // The one that came during the call, or the oldest.
            let during = done.iter().position(|&(came, _)| came >= region.enter).unwrap_or(0);
            let one = done.remove(during);
            self.coming.splice(0..0, done.drain(..).map(|(came, request)| (request, came)));
            done.push(one);
        }
        let mut requests: Vec<RequestId> = done.into_iter().map(|(_, request)| request).collect();
        if all {
            requests.extend(self.others.drain(..));
        } else if requests.is_empty() {
            requests.extend(self.others.pop_front());
        }
        self.wait_for(requests, region.at);
    }

    /// Gives receives without a message those that have come by this time; a wait for one needs one.
    fn name_receives(&mut self, leave: u64, all: bool) {
        let mut needed = if all { usize::MAX } else { 1 };
        while needed > 0
            && !self.nameless.is_empty()
            && let Some(message) = self.receives.pop_if(|message| message.received[0] <= leave)
        {
            let Some((request, place, at)) = self.nameless.pop_front() else { return };
            let PrvMessage { from, tag, bytes, received: [logical, physical], .. } = message;
            self.coming.push((request, logical.max(physical)));
            self.actions[place] = Action::Receive { from, tag, bytes, request: Some(request), at };
            needed -= 1;
        }
    }

    fn wait_for(&mut self, requests: Vec<RequestId>, at: u64) {
        if !requests.is_empty() {
            self.free.extend(&requests);
            self.actions.push(Action::Wait { requests: requests.into(), at });
        }
    }

    fn collective(&mut self, region: &Region, kind: Collective, later: bool) {
        let sizes = region.sizes;
        let root = if has_root(kind) {
            let count = self.rooted.entry(sizes.comm).or_default();
            *count += 1;
            self.roots.get(&(sizes.comm, *count - 1)).copied().unwrap_or(0)
        } else {
            0
        };
        let request = later.then(|| self.open());
        self.others.extend(request);
        self.actions.push(Action::Collective { kind, root, sizes, request, at: region.at });
    }
}
