//! Recorded messages between two ranks, and what waits for them.

use mpirage_call::{Call, Completing, ContextId, Payload, RequestId, SendMode};

use super::comm::COMM_WORLD;
use super::layout::Action;
use super::player::Answer::{Needed, NotNeeded};
use super::player::{Common, Outcome, Player, number};
use super::stream::Arguments;
use crate::Calls;

/// Stands for any source or any tag.
const ANY: i64 = -1;

/// A request as the trace numbers it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    /// Its number in the replay; none if no transfer is under way.
    id: Option<RequestId>,
    /// The transfer that each start begins, if the request is persistent.
    plan: Option<Transfer>,
}

/// A send or a receive; it does nothing if the peer is `MPI_PROC_NULL`.
#[derive(Clone, Copy, Debug)]
struct Transfer {
    /// None if it is a receive.
    mode: Option<SendMode>,
    context: ContextId,
    peer: Peer,
    tag: Option<i32>,
    bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Peer {
    Nobody,
    Anybody,
    Rank(u32),
}

impl Player {
    pub(super) fn point_to_point(
        &mut self,
        action: Action,
        arguments: &Arguments,
        common: &mut Common,
        calls: &mut Calls<'_>,
    ) -> Outcome {
        match action {
            Action::Send(mode) => {
                let transfer = self.transfer(Some(mode), arguments, common)?;
                self.blocking(&transfer, calls)
            }
            Action::Recv => {
                let transfer = self.transfer(None, arguments, common)?;
                self.blocking(&transfer, calls)
            }
            Action::Isend(mode) => {
                let transfer = self.transfer(Some(mode), arguments, common)?;
                self.immediate(number(arguments, 5)?, transfer, calls)
            }
            Action::Irecv => {
                let transfer = self.transfer(None, arguments, common)?;
                self.immediate(number(arguments, 5)?, transfer, calls)
            }
            Action::SendInit(mode) => {
                let plan = Some(self.transfer(Some(mode), arguments, common)?);
                self.requests.insert(number(arguments, 5)?, Held { id: None, plan });
                Ok(NotNeeded)
            }
            Action::RecvInit => {
                let plan = Some(self.transfer(None, arguments, common)?);
                self.requests.insert(number(arguments, 5)?, Held { id: None, plan });
                Ok(NotNeeded)
            }
            Action::Start => self.start(number(arguments, 0)?, calls),
            Action::Startall => {
                for &request in arguments.list(0) {
                    self.start(request.into(), calls)?;
                }
                Ok(NotNeeded)
            }
            Action::Sendrecv | Action::SendrecvReplace => self.exchange(action, arguments, common, calls),
            Action::Probe => self.probe(arguments, common, calls),
            Action::Cancel => match self.requests.get(&number(arguments, 0)?) {
                Some(&Held { id: Some(request), .. }) => {
                    self.say(&Call::Cancel { request }, NotNeeded, calls)
                }
                _ => Ok(NotNeeded),
            },
            Action::RequestFree => match self.requests.remove(&number(arguments, 0)?) {
                Some(Held { id: Some(request), .. }) => {
                    self.free.push(request);
                    self.say(&Call::Free { request }, NotNeeded, calls)
                }
                _ => Ok(NotNeeded),
            },
            _ => self.completion(action, arguments, common, calls),
        }
    }

    /// Waits and tests.
    fn completion(
        &mut self,
        action: Action,
        arguments: &Arguments,
        common: &mut Common,
        calls: &mut Calls<'_>,
    ) -> Outcome {
        let requests = arguments.list(0);
        let at =
            |index: i64| usize::try_from(index).ok().and_then(|index| requests.get(index)).map(|&r| r.into());
        let happened = |flag: usize| number(arguments, flag).map(|flag| flag != 0);
        common.requests.clear();
        let mut add = |request: i64| common.requests.extend(self.complete(request));
        match action {
            Action::Wait => add(number(arguments, 0)?),
            Action::Test if happened(1)? => add(number(arguments, 0)?),
            Action::Waitall => requests.iter().for_each(|&request| add(request.into())),
            Action::Testall if happened(1)? => requests.iter().for_each(|&request| add(request.into())),
            Action::Waitany => at(number(arguments, 1)?).into_iter().for_each(add),
            Action::Testany if happened(2)? => at(number(arguments, 1)?).into_iter().for_each(add),
            Action::Waitsome | Action::Testsome => {
                arguments.list(1).iter().filter_map(|&index| at(index.into())).for_each(add);
            }
            _ => return Ok(NotNeeded),
        }
        if common.requests.is_empty() {
            return Ok(NotNeeded);
        }
        let call = Call::Wait { how: Completing::All, poll: false, requests: &common.requests };
        self.say(&call, Needed, calls)
    }

    /// The arguments of sends and receives: count, datatype, peer, tag, communicator.
    fn transfer(
        &self,
        mode: Option<SendMode>,
        arguments: &Arguments,
        common: &Common,
    ) -> Result<Transfer, String> {
        let n = |at| number(arguments, at);
        self.transfer_of(mode, [n(0)?, n(1)?, n(2)?, n(3)?, n(4)?], common)
    }

    fn transfer_of(
        &self,
        mode: Option<SendMode>,
        [count, datatype, peer, tag, comm]: [i64; 5],
        common: &Common,
    ) -> Result<Transfer, String> {
        let comm = self.comm(comm, common)?;
        let peer = match peer {
            ANY if mode.is_none() => Peer::Anybody,
            ..0 => Peer::Nobody,
            _ if peer < comm.group.size().into() => Peer::Rank(peer as u32),
            _ => return Err(format!("there is no rank {peer} in a communicator of {}", comm.group.size())),
        };
        let tag = match tag {
            ANY if mode.is_none() => None,
            ..0 if peer != Peer::Nobody => return Err(format!("the tag {tag} is less than zero")),
            _ => Some(tag as i32),
        };
        let bytes = self.bytes(count, datatype)?;
        Ok(Transfer { mode, context: comm.context, peer, tag, bytes })
    }

    fn blocking(&mut self, transfer: &Transfer, calls: &mut Calls<'_>) -> Outcome {
        if transfer.peer == Peer::Nobody {
            return Ok(NotNeeded);
        }
        self.say(&transfer.call(None), Needed, calls)
    }

    fn immediate(&mut self, request: i64, transfer: Transfer, calls: &mut Calls<'_>) -> Outcome {
        let id = self.begin(&transfer, calls)?;
        self.requests.insert(request, Held { id, plan: None });
        Ok(NotNeeded)
    }

    fn start(&mut self, request: i64, calls: &mut Calls<'_>) -> Outcome {
        let Some(&Held { plan: Some(plan), id: None }) = self.requests.get(&request) else {
            return Err(format!("request {request} is started, but is not persistent or still active"));
        };
        let id = self.begin(&plan, calls)?;
        self.requests.insert(request, Held { id, plan: Some(plan) });
        Ok(NotNeeded)
    }

    /// Makes the call of an immediate transfer; none if the peer is `MPI_PROC_NULL`.
    fn begin(&mut self, transfer: &Transfer, calls: &mut Calls<'_>) -> Result<Option<RequestId>, String> {
        if transfer.peer == Peer::Nobody {
            return Ok(None);
        }
        let id = self.free.pop().unwrap_or_else(|| {
            self.used += 1;
            RequestId::new(self.used)
        });
        self.say(&transfer.call(Some(id)), NotNeeded, calls)?;
        Ok(Some(id))
    }

    /// The rank waits for a request: gives our number of it, which is free again afterwards. None if nothing is under way.
    fn complete(&mut self, request: i64) -> Option<RequestId> {
        let held = self.requests.get_mut(&request)?;
        let id = held.id.take();
        if held.plan.is_none() {
            self.requests.remove(&request);
        }
        self.free.extend(id);
        id
    }

    /// A send and a receive at a time.
    fn exchange(
        &mut self,
        action: Action,
        arguments: &Arguments,
        common: &mut Common,
        calls: &mut Calls<'_>,
    ) -> Outcome {
        let n = |at| number(arguments, at);
        let replace = action == Action::SendrecvReplace;
        let (sent, received) = if replace {
            let (count, datatype, comm) = (n(0)?, n(1)?, n(6)?);
            ([count, datatype, n(2)?, n(3)?, comm], [count, datatype, n(4)?, n(5)?, comm])
        } else {
            ([n(0)?, n(1)?, n(2)?, n(3)?, n(8)?], [n(4)?, n(5)?, n(6)?, n(7)?, n(8)?])
        };
        let received = self.transfer_of(None, received, common)?;
        let sent = self.transfer_of(Some(SendMode::Standard), sent, common)?;
        common.requests.clear();
        for transfer in [received, sent] {
            common.requests.extend(self.begin(&transfer, calls)?);
        }
        if common.requests.is_empty() {
            return Ok(NotNeeded);
        }
        self.free.extend_from_slice(&common.requests);
        let call = Call::Wait { how: Completing::All, poll: false, requests: &common.requests };
        self.say(&call, Needed, calls)
    }

    fn probe(&mut self, arguments: &Arguments, common: &Common, calls: &mut Calls<'_>) -> Outcome {
        let n = |at| number(arguments, at);
        // A message of no bytes, for its peer and tag.
        let Transfer { context, peer, tag, .. } =
            self.transfer_of(None, [0, COMM_WORLD, n(0)?, n(1)?, n(2)?], common)?;
        if peer == Peer::Nobody {
            return Ok(NotNeeded);
        }
        self.say(&Call::Probe { context, from: peer.rank(), tag, poll: false, take: false }, Needed, calls)
    }
}

impl Peer {
    fn rank(self) -> Option<u32> {
        match self {
            Peer::Rank(rank) => Some(rank),
            _ => None,
        }
    }
}

impl Transfer {
    fn call(&self, request: Option<RequestId>) -> Call<'static> {
        let Transfer { context, peer, tag, bytes, .. } = *self;
        match (self.mode, peer) {
            (Some(mode), Peer::Rank(to)) => {
                let (payload, tag) = (Payload::Absent, tag.unwrap_or(0));
                Call::Send { mode, context, to, tag, bytes, payload, request, answer: true }
            }
            _ => Call::Recv { context, from: peer.rank(), tag, bytes, address: 0, request, matched: None },
        }
    }
}
