//! One rank of a DUMPI trace: its recorded calls become calls.
//!
//! A trace tells how things went: which request a `Waitany` returned, what a `Test` found. The replay waits for the same
//! requests, and leaves out tests that found nothing.

use std::collections::HashMap;
use std::sync::Arc;

use mpirage_call::{
    Call, CommRequest, Completing, ContextId, Payload, Reply, RequestId, SELF, SendMode, Stamp, WORLD,
};
use mpirage_data::{Group, RankRange};

use super::layout::{Action, GroupAction, TypeAction};
use super::stream::Arguments;
use crate::Calls;

/// DUMPI's numbers of what is predefined.
const COMM_WORLD: i64 = 2;
const COMM_SELF: i64 = 3;
const GROUP_EMPTY: i64 = 2;
/// Stands for any source or any tag.
const ANY: i64 = -1;
/// More bytes than this are a mistake.
const MOST_BYTES: u64 = 1 << 40;

/// Bytes of predefined datatypes, by number, for traces that do not tell.
const BASIC_BYTES: [u64; 28] =
    [0, 0, 1, 1, 1, 1, 4, 2, 2, 4, 4, 8, 8, 4, 8, 16, 8, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20];

/// What all ranks share.
#[derive(Debug)]
pub(super) struct Common {
    pub world: Arc<Group>,
    /// Groups of communicators that have been made.
    pub groups: HashMap<ContextId, Arc<Group>>,
    /// Requests of a wait.
    pub requests: Vec<RequestId>,
    /// Blocks of a collective, as offsets and lengths.
    pub blocks: [Vec<u64>; 2],
    pub members: Vec<u32>,
}

/// A communicator as a rank knows it.
#[derive(Clone, Debug)]
pub(super) struct Comm {
    pub context: ContextId,
    pub group: Arc<Group>,
    /// Extents, of a Cartesian one.
    dims: Arc<[u32]>,
}

/// A communicator that is being made.
#[derive(Debug)]
struct Making {
    number: i64,
    parent: Arc<Group>,
    dims: Arc<[u32]>,
}

/// A request as the trace numbers it.
#[derive(Clone, Copy, Debug)]
struct Held {
    /// Ours; none if nothing is under way.
    id: Option<RequestId>,
    /// What starting it means, if it is persistent.
    plan: Option<Transfer>,
}

/// A send or a receive; of nobody if `peer` is nobody.
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

/// One rank.
#[derive(Debug)]
pub(super) struct Player {
    pub rank: u32,
    /// Sizes of datatypes by number, from the trace's table.
    pub table: Arc<Vec<u64>>,
    types: HashMap<i64, u64>,
    requests: HashMap<i64, Held>,
    free: Vec<RequestId>,
    used: RequestId,
    comms: HashMap<i64, Comm>,
    groups: HashMap<i64, Arc<Group>>,
    /// Operators of the program: do their operands commute?
    pub operators: HashMap<i64, bool>,
    making: Option<Making>,
    /// The call that is being replayed, with the computation before it until that is used.
    stamp: Stamp,
}

/// What a recorded call has led to.
pub(super) type Outcome = Result<Answer, String>;

/// Does the rank wait?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Needed,
    NotNeeded,
}

use Answer::{Needed, NotNeeded};

impl Player {
    pub fn new(rank: u32, table: Arc<Vec<u64>>) -> Player {
        Player {
            rank,
            table,
            types: HashMap::new(),
            requests: HashMap::new(),
            free: Vec::new(),
            used: 0,
            comms: HashMap::new(),
            groups: HashMap::new(),
            operators: HashMap::new(),
            making: None,
            stamp: Stamp::default(),
        }
    }

    /// The last call that needed an answer has one.
    pub fn answered(&mut self, reply: &Reply, common: &mut Common) {
        let Some(Making { number, parent, dims }) = self.making.take() else { return };
        let Some(context) = reply.context else { return };
        let group = if reply.members.is_empty() {
            parent
        } else {
            let members = || Group::of(reply.members.iter().copied()).unwrap_or_else(|_| Group::empty());
            Arc::clone(common.groups.entry(context).or_insert_with(|| Arc::new(members())))
        };
        self.comms.insert(number, Comm { context, group, dims });
    }

    /// Replays a recorded call. Calls without computation before them give back the burst of `stamp`.
    pub fn act(
        &mut self,
        action: Action,
        stamp: Stamp,
        arguments: &Arguments,
        common: &mut Common,
        calls: &mut Calls<'_>,
    ) -> Outcome {
        self.stamp = stamp;
        match action {
            Action::Init => self.say(&Call::Init, Needed, calls),
            Action::Finalize => self.say(&Call::Finalize, Needed, calls),
            Action::Abort => {
                let code = number(arguments, 1)? as i32;
                self.say(&Call::Abort { code }, Needed, calls)
            }
            Action::Collective(kind) => self.collective(kind, arguments, common, calls),
            Action::Group(action) => self.group_action(action, arguments, common),
            Action::Type(action) => self.type_action(action, arguments),
            Action::OpCreate => {
                self.operators.insert(number(arguments, 1)?, number(arguments, 0)? != 0);
                Ok(NotNeeded)
            }
            Action::CommDup
            | Action::CommSplit
            | Action::CommCreate
            | Action::CommFree
            | Action::CartCreate
            | Action::CartSub
            | Action::GraphCreate => self.comm_action(action, arguments, common, calls),
            Action::Local | Action::Poll => Ok(NotNeeded),
            Action::Beyond => {
                Err("this cannot be replayed: processes that come and go, inter-communicators, \
                                   one-sided communication and generalized requests are beyond traces"
                    .to_owned())
            }
            _ => self.point_to_point(action, arguments, common, calls),
        }
    }

    /// The computation before the call, unless a call has used it.
    pub fn unused_burst(&self) -> u64 {
        self.stamp.burst
    }

    pub(super) fn say(&mut self, call: &Call<'_>, answer: Answer, calls: &mut Calls<'_>) -> Outcome {
        calls.push(&self.stamp, call);
        self.stamp.burst = 0;
        Ok(answer)
    }

    fn point_to_point(
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

    /// Makes the call of an immediate transfer; none if it is with nobody.
    fn begin(&mut self, transfer: &Transfer, calls: &mut Calls<'_>) -> Result<Option<RequestId>, String> {
        if transfer.peer == Peer::Nobody {
            return Ok(None);
        }
        let id = self.free.pop().unwrap_or_else(|| {
            self.used += 1;
            self.used
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
        // A message of nothing, for its peer and tag.
        let Transfer { context, peer, tag, .. } =
            self.transfer_of(None, [0, COMM_WORLD, n(0)?, n(1)?, n(2)?], common)?;
        if peer == Peer::Nobody {
            return Ok(NotNeeded);
        }
        self.say(&Call::Probe { context, from: peer.rank(), tag, poll: false, take: false }, Needed, calls)
    }

    fn comm_action(
        &mut self,
        action: Action,
        arguments: &Arguments,
        common: &mut Common,
        calls: &mut Calls<'_>,
    ) -> Outcome {
        let n = |at| number(arguments, at);
        match action {
            Action::CommDup => {
                let parent = self.comm(n(0)?, common)?;
                let dims = Arc::clone(&parent.dims);
                self.make(n(1)?, &parent, dims, CommRequest::Dup, calls)
            }
            Action::CommSplit => {
                let parent = self.comm(n(0)?, common)?;
                let color = (n(1)? >= 0).then_some(n(1)? as i32);
                self.make(n(3)?, &parent, [].into(), CommRequest::Split { color, key: n(2)? as i32 }, calls)
            }
            Action::CommCreate => {
                let (parent, group) = (self.comm(n(0)?, common)?, self.group(n(1)?)?);
                let members: Option<Vec<u32>> =
                    group.iter().map(|world| parent.group.rank_of(world)).collect();
                let members = members.ok_or("the group has ranks that the communicator has not")?;
                self.make(n(2)?, &parent, [].into(), CommRequest::Create(&members), calls)
            }
            Action::CartCreate => {
                let dims = extents(arguments.list(0))?;
                self.make_first(n(0)?, n(3)?, dims, common, calls)
            }
            Action::GraphCreate => {
                let nodes = extents(&[n(2)? as i32])?;
                self.make_first(n(1)?, n(4)?, nodes, common, calls)
            }
            Action::CartSub => self.make_sub(arguments, common, calls),
            _ => match self.comms.remove(&n(0)?) {
                Some(Comm { context, .. }) => self.say(&Call::FreeComm { context }, NotNeeded, calls),
                None => Ok(NotNeeded),
            },
        }
    }

    fn make(
        &mut self,
        number: i64,
        parent: &Comm,
        dims: Arc<[u32]>,
        how: CommRequest<'_>,
        calls: &mut Calls<'_>,
    ) -> Outcome {
        self.making = Some(Making { number, parent: Arc::clone(&parent.group), dims });
        self.say(&Call::MakeComm { parent: parent.context, how }, Needed, calls)
    }

    /// A communicator of the first ranks of another, as many as there are places in a grid.
    fn make_first(
        &mut self,
        parent: i64,
        number: i64,
        dims: Vec<u32>,
        common: &mut Common,
        calls: &mut Calls<'_>,
    ) -> Outcome {
        let parent = self.comm(parent, common)?;
        let places = dims.iter().fold(1u64, |places, &extent| places.saturating_mul(extent.into()));
        if places > parent.group.size().into() {
            return Err(format!("a grid of {places} ranks in a communicator of {}", parent.group.size()));
        }
        common.members.clear();
        common.members.extend(0..places as u32);
        self.make(number, &parent, dims.into(), CommRequest::Create(&common.members), calls)
    }

    /// A grid falls apart along the axes that do not remain.
    fn make_sub(&mut self, arguments: &Arguments, common: &Common, calls: &mut Calls<'_>) -> Outcome {
        let parent = self.comm(number(arguments, 1)?, common)?;
        let remain = arguments.list(0);
        let rank = parent.group.rank_of(self.rank).ok_or("the rank is not in this communicator")?;
        if remain.len() != parent.dims.len() {
            return Err(format!("{} of {} axes are told to remain or not", remain.len(), parent.dims.len()));
        }
        let (mut color, mut key, mut stride) = (0, 0, parent.group.size().max(1));
        let mut dims = Vec::new();
        for (&extent, &remains) in parent.dims.iter().zip(remain) {
            stride /= extent.max(1);
            let place = rank / stride.max(1) % extent.max(1);
            if remains != 0 {
                dims.push(extent);
                key = key * extent + place;
            } else {
                color = color * extent + place;
            }
        }
        let how = CommRequest::Split { color: Some(color as i32), key: key as i32 };
        self.make(number(arguments, 2)?, &parent, dims.into(), how, calls)
    }

    fn group_action(&mut self, action: GroupAction, arguments: &Arguments, common: &Common) -> Outcome {
        let n = |at| number(arguments, at);
        let wrong = |error: mpirage_data::GroupError| error.to_string();
        let (made, group) = match action {
            GroupAction::OfComm => (n(1)?, self.comm(n(0)?, common)?.group),
            GroupAction::Union => (n(2)?, self.group(n(0)?)?.union(&*self.group(n(1)?)?).into()),
            GroupAction::Intersection => {
                (n(2)?, self.group(n(0)?)?.intersection(&*self.group(n(1)?)?).into())
            }
            GroupAction::Difference => (n(2)?, self.group(n(0)?)?.difference(&*self.group(n(1)?)?).into()),
            GroupAction::Incl => (n(2)?, self.group(n(0)?)?.incl(arguments.list(0)).map_err(wrong)?.into()),
            GroupAction::Excl => (n(2)?, self.group(n(0)?)?.excl(arguments.list(0)).map_err(wrong)?.into()),
            GroupAction::RangeIncl => {
                let ranges = ranges(arguments.list(0));
                (n(2)?, self.group(n(0)?)?.range_incl(&ranges).map_err(wrong)?.into())
            }
            GroupAction::RangeExcl => {
                let ranges = ranges(arguments.list(0));
                (n(2)?, self.group(n(0)?)?.range_excl(&ranges).map_err(wrong)?.into())
            }
        };
        self.groups.insert(made, group);
        Ok(NotNeeded)
    }

    fn type_action(&mut self, action: TypeAction, arguments: &Arguments) -> Outcome {
        let n = |at| number(arguments, at);
        let sum = |list: &[i32]| list.iter().map(|&length| i64::from(length)).sum::<i64>();
        let (made, bytes) = match action {
            TypeAction::Contiguous => (n(2)?, self.bytes(n(0)?, n(1)?)?),
            TypeAction::Vector => (n(4)?, self.bytes(n(0)?.saturating_mul(n(1)?), n(3)?)?),
            TypeAction::IndexedBlock => (n(3)?, self.bytes(n(0)?.saturating_mul(n(1)?), n(2)?)?),
            TypeAction::Indexed => (n(2)?, self.bytes(sum(arguments.list(0)), n(1)?)?),
            TypeAction::Struct => {
                let fields = arguments.list(0).iter().zip(arguments.list(2));
                let bytes = fields.map(|(&length, &datatype)| self.bytes(length.into(), datatype.into()));
                (n(1)?, bytes.sum::<Result<u64, String>>()?)
            }
            TypeAction::Subarray => {
                let count = arguments.list(1).iter().fold(1, |count: i64, &n| count.saturating_mul(n.into()));
                (n(3)?, self.bytes(count, n(2)?)?)
            }
            TypeAction::Dup => (n(1)?, self.bytes(1, n(0)?)?),
            TypeAction::Resized => (n(3)?, self.bytes(1, n(0)?)?),
            TypeAction::Size => (n(0)?, n(1)?.max(0) as u64),
        };
        self.types.insert(made, bytes);
        Ok(NotNeeded)
    }

    /// Bytes of so many elements of a datatype.
    pub(super) fn bytes(&self, count: i64, datatype: i64) -> Result<u64, String> {
        let count = u64::try_from(count).map_err(|_| format!("a count of {count}"))?;
        if count == 0 {
            return Ok(0);
        }
        let bytes = count.checked_mul(self.size(datatype)?).filter(|&bytes| bytes <= MOST_BYTES);
        bytes.ok_or_else(|| {
            format!("{count} elements of datatype {datatype} are more than {MOST_BYTES} bytes")
        })
    }

    /// Bytes of one element of a datatype.
    pub(super) fn size(&self, datatype: i64) -> Result<u64, String> {
        let index = usize::try_from(datatype).unwrap_or(usize::MAX);
        let told = self.table.get(index).copied().filter(|&bytes| bytes > 0);
        let size = self.types.get(&datatype).copied().or(told).or_else(|| BASIC_BYTES.get(index).copied());
        size.ok_or_else(|| format!("the size of datatype {datatype} is not known"))
    }

    /// A communicator by DUMPI's number.
    pub(super) fn comm(&self, number: i64, common: &Common) -> Result<Comm, String> {
        let simple = |context, group| Comm { context, group, dims: [].into() };
        match number {
            COMM_WORLD => Ok(simple(WORLD, Arc::clone(&common.world))),
            COMM_SELF => {
                let group = Group::of([self.rank]).map_err(|error| error.to_string())?;
                Ok(simple(SELF, group.into()))
            }
            _ => self.comms.get(&number).cloned().ok_or_else(|| format!("there is no communicator {number}")),
        }
    }

    fn group(&self, number: i64) -> Result<Arc<Group>, String> {
        match number {
            GROUP_EMPTY => Ok(Group::empty().into()),
            _ => self.groups.get(&number).cloned().ok_or_else(|| format!("there is no group {number}")),
        }
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

pub(super) fn number(arguments: &Arguments, at: usize) -> Result<i64, String> {
    arguments.numbers.get(at).copied().ok_or_else(|| "an argument is missing".to_owned())
}

fn extents(list: &[i32]) -> Result<Vec<u32>, String> {
    let extent = |&extent: &i32| u32::try_from(extent).map_err(|_| format!("an extent of {extent}"));
    list.iter().map(extent).collect()
}

fn ranges(list: &[i32]) -> Vec<RankRange> {
    let range = |three: &[i32]| RankRange { first: three[0], last: three[1], stride: three[2] };
    list.chunks_exact(3).map(range).collect()
}
