//! One entry: a call, and what passed before it.
//!
//! The first byte says what the call is (five bits), whether a burst (0x20) and whether a delay (0x40) comes before it. Then
//! follow the place it was made at, the burst in nanoseconds, the delay in picoseconds, and what the call asks. Numbers are
//! [varints](crate::varint); those that may be negative are folded first.

use mpirage_call::{
    Blocks, Burst, Call, CollectiveCall, CommRequest, Completing, Operator, Part, Payload, Reduction,
    SendMode, Work,
};
use mpirage_collectives::Collective;
use mpirage_units::{Duration, WORK};

use crate::varint;

const BURST: u8 = 0x20;
const DELAY: u8 = 0x40;
const KIND: u8 = 0x1f;
pub(super) const SEND: u8 = 2;
pub(super) const RECV: u8 = 3;

/// What stands before a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Before {
    /// Where it was made: a number of the footer's list.
    pub place: u32,
    /// Nanoseconds of computation.
    pub burst: Burst,
    /// Time besides.
    pub delay: Duration,
}

/// What is known of a call beyond its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Nothing.
    None,
    /// The communicator it made, unless the rank is not in it.
    Context(Option<u32>),
    /// The message it took out of the queue.
    Message(u32),
}

/// Memory for lists of calls, used again and again.
#[derive(Debug, Default)]
pub(super) struct Lists {
    requests: Vec<u32>,
    send: Vec<u64>,
    recv: Vec<u64>,
}

/// Appends an entry. False if calls of this kind have none.
pub(super) fn put(before: &Before, call: &Call<'_>, outcome: Outcome, into: &mut Vec<u8>) -> bool {
    let Some(kind) = kind_of(call) else { return false };
    let burst = if !before.burst.is_none() { BURST } else { 0 };
    let delay = if before.delay.is_zero() { 0 } else { DELAY };
    into.push(kind | burst | delay);
    varint::put(u64::from(before.place), into);
    if burst != 0 {
        varint::put(before.burst.word(), into);
    }
    if delay != 0 {
        varint::put(before.delay.as_picos(), into);
    }
    put_fields(call, outcome, into);
    true
}

fn kind_of(call: &Call<'_>) -> Option<u8> {
    Some(match call {
        Call::Init => 0,
        Call::Finalize => 1,
        Call::Send { .. } => SEND,
        Call::Recv { .. } => RECV,
        Call::Wait { .. } => 4,
        Call::Probe { .. } => 5,
        Call::Cancel { .. } => 6,
        Call::Free { .. } => 7,
        Call::Collective(_) => 8,
        Call::MakeComm { .. } => 9,
        Call::FreeComm { .. } => 10,
        Call::Sleep { .. } => 11,
        Call::Compute { work: Work::Flops(_), request: None } => 12,
        Call::Compute { work: Work::Nanos(_), request: None } => 13,
        Call::Flush => 14,
        Call::Compute { work: Work::Threads(_), request: None } => 15,
        _ => return None,
    })
}

fn put_fields(call: &Call<'_>, outcome: Outcome, into: &mut Vec<u8>) {
    match *call {
        Call::Send { mode, context, to, tag, bytes, request, answer, .. } => {
            into.push(mode as u8 | flag(request.is_some(), 2) | flag(answer, 3));
            varint::put(u64::from(context), into);
            varint::put(u64::from(to), into);
            varint::put_signed(i64::from(tag), into);
            varint::put(bytes, into);
            put_some(request, into);
        }
        Call::Recv { context, from, tag, bytes, request, matched, .. } => {
            let sources = flag(from.is_some(), 0) | flag(tag.is_some(), 1);
            into.push(sources | flag(request.is_some(), 2) | flag(matched.is_some(), 3));
            varint::put(u64::from(context), into);
            put_some(from, into);
            put_tag(tag, into);
            varint::put(bytes, into);
            put_some(request, into);
            put_some(matched, into);
        }
        Call::Wait { how, requests, .. } => {
            into.push(how as u8);
            put_list(requests, into);
        }
        Call::Probe { context, from, tag, take, .. } => {
            into.push(flag(from.is_some(), 0) | flag(tag.is_some(), 1) | flag(take, 2));
            varint::put(u64::from(context), into);
            put_some(from, into);
            put_tag(tag, into);
            if take {
                let message = if let Outcome::Message(message) = outcome { message } else { 0 };
                varint::put(u64::from(message), into);
            }
        }
        Call::Cancel { request } | Call::Free { request } => varint::put(u64::from(request), into),
        Call::Collective(ref collective) => put_collective(collective, into),
        Call::MakeComm { parent, how } => {
            varint::put(u64::from(parent), into);
            put_comm(how, into);
            let made = if let Outcome::Context(made) = outcome { made } else { None };
            varint::put(made.map_or(0, |context| u64::from(context) + 1), into);
        }
        Call::FreeComm { context } => varint::put(u64::from(context), into),
        Call::Sleep { span } => varint::put(span.as_picos(), into),
        Call::Compute { work: Work::Flops(flops), .. } => into.extend(flops.to_bits().to_le_bytes()),
        Call::Compute { work: Work::Nanos(nanos), .. } => varint::put(nanos, into),
        Call::Compute { work: Work::Threads(burst), .. } => varint::put(burst.word(), into),
        _ => {}
    }
}

fn flag(set: bool, bit: u8) -> u8 {
    u8::from(set) << bit
}

fn put_some(value: Option<u32>, into: &mut Vec<u8>) {
    if let Some(value) = value {
        varint::put(u64::from(value), into);
    }
}

fn put_tag(tag: Option<i32>, into: &mut Vec<u8>) {
    if let Some(tag) = tag {
        varint::put_signed(i64::from(tag), into);
    }
}

fn put_list(list: &[u32], into: &mut Vec<u8>) {
    varint::put(list.len() as u64, into);
    list.iter().for_each(|&value| varint::put(u64::from(value), into));
}

fn put_collective(call: &CollectiveCall<'_>, into: &mut Vec<u8>) {
    let kind = Collective::ALL.iter().position(|&kind| kind == call.kind).unwrap_or_default();
    into.push(kind as u8);
    let commutative = call.reduction.is_some_and(|reduction| reduction.commutative);
    let known = flag(call.request.is_some(), 0) | flag(call.reduction.is_some(), 1) | flag(commutative, 2);
    into.push(known | flag(call.plan > 0, 3) | cut_of(&call.send) << 4 | cut_of(&call.recv) << 6);
    varint::put(u64::from(call.context), into);
    varint::put(u64::from(call.root), into);
    put_some(call.request, into);
    if call.plan > 0 {
        varint::put(u64::from(call.plan), into);
    }
    put_part(&call.send, into);
    put_part(&call.recv, into);
    if let Some(reduction) = call.reduction {
        let (op, basic) = match reduction.operator {
            Operator::Predefined { op, basic } => (op, basic),
            // The program's own: replay reduces nothing, so any will do.
            Operator::User { .. } => (SUM, 0),
        };
        into.extend([op, basic]);
        varint::put(u64::from(reduction.element), into);
        varint::put(reduction.elements, into);
    }
}

/// `MPI_SUM`.
const SUM: u8 = 2;

fn cut_of(part: &Part<'_>) -> u8 {
    match part.blocks {
        Blocks::Whole(_) => 0,
        Blocks::Equal(_) => 1,
        Blocks::Each(_) => 2,
    }
}

/// Offsets do not matter where there are no bytes.
fn put_part(part: &Part<'_>, into: &mut Vec<u8>) {
    match part.blocks {
        Blocks::Whole(bytes) | Blocks::Equal(bytes) => varint::put(bytes, into),
        Blocks::Each(list) => {
            varint::put(list.len() as u64 / 2, into);
            list.iter().skip(1).step_by(2).for_each(|&bytes| varint::put(bytes, into));
        }
    }
}

fn put_comm(how: CommRequest<'_>, into: &mut Vec<u8>) {
    match how {
        CommRequest::Dup => into.push(0),
        CommRequest::DupLater { request } => {
            into.push(1);
            varint::put(u64::from(request), into);
        }
        CommRequest::Split { color, key } => {
            into.push(if color.is_some() { 2 } else { 3 });
            put_tag(color, into);
            varint::put_signed(i64::from(key), into);
        }
        CommRequest::Create(members) => {
            into.push(4);
            put_list(members, into);
        }
        CommRequest::CreateGroup { members, tag } => {
            into.push(5);
            varint::put_signed(i64::from(tag), into);
            put_list(members, into);
        }
        CommRequest::SplitByHost { key } => {
            into.push(6);
            varint::put_signed(i64::from(key), into);
        }
    }
}

/// Takes the entry at `at`; none if the bytes are none.
#[inline]
pub(super) fn get<'l>(
    bytes: &[u8],
    at: &mut usize,
    lists: &'l mut Lists,
) -> Option<(Before, Call<'l>, Outcome)> {
    let mut from = Taker { bytes, at };
    let (kind, before) = from.before()?;
    let mut outcome = Outcome::None;
    let call = match kind {
        0 => Call::Init,
        1 => Call::Finalize,
        SEND => from.send()?,
        RECV => from.recv()?,
        4 => {
            let how = match from.byte()? {
                0 => Completing::All,
                1 => Completing::Any,
                2 => Completing::Some,
                _ => return None,
            };
            from.list(&mut lists.requests)?;
            Call::Wait { how, poll: false, requests: &lists.requests }
        }
        5 => {
            let (call, message) = from.probe()?;
            outcome = message;
            call
        }
        6 => Call::Cancel { request: from.half()? },
        7 => Call::Free { request: from.half()? },
        8 => Call::Collective(from.collective(&mut lists.send, &mut lists.recv)?),
        9 => {
            let parent = from.half()?;
            let how = from.comm(&mut lists.requests)?;
            let made = from.number()?;
            outcome = Outcome::Context(made.checked_sub(1).map(u32::try_from).transpose().ok()?);
            Call::MakeComm { parent, how }
        }
        10 => Call::FreeComm { context: from.half()? },
        11 => Call::Sleep { span: Duration::from_picos(from.number()?) },
        12 => Call::Compute { work: Work::Flops(from.flops()?), request: None },
        13 => Call::Compute { work: Work::Nanos(from.number()?), request: None },
        15 => Call::Compute { work: Work::Threads(Burst::from_word(from.number()?)), request: None },
        14 => Call::Flush,
        _ => return None,
    };
    Some((before, call, outcome))
}

/// The same of what must be a send. Most entries are sends or receives: whoever knows which it is need not ask again.
#[inline(always)]
pub(super) fn get_send(bytes: &[u8], at: &mut usize) -> Option<(Before, Call<'static>)> {
    let mut from = Taker { bytes, at };
    let (_, before) = from.before()?;
    Some((before, from.send()?))
}

/// The same of what must be a receive.
#[inline(always)]
pub(super) fn get_recv(bytes: &[u8], at: &mut usize) -> Option<(Before, Call<'static>)> {
    let mut from = Taker { bytes, at };
    let (_, before) = from.before()?;
    Some((before, from.recv()?))
}

/// What kind of call the entry at `at` is.
#[inline]
pub(super) fn kind_at(bytes: &[u8], at: usize) -> Option<u8> {
    bytes.get(at).map(|head| head & KIND)
}

struct Taker<'b, 'a> {
    bytes: &'b [u8],
    at: &'a mut usize,
}

impl Taker<'_, '_> {
    /// The beginning of an entry.
    #[inline(always)]
    fn before(&mut self) -> Option<(u8, Before)> {
        let head = self.byte()?;
        let place = self.half()?;
        let burst = if head & BURST != 0 { Burst::from_word(self.number()?) } else { Burst::NONE };
        let delay = Duration::from_picos(if head & DELAY != 0 { self.number()? } else { 0 });
        Some((head & KIND, Before { place, burst, delay }))
    }

    #[inline]
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(*self.at)?;
        *self.at += 1;
        Some(byte)
    }

    #[inline]
    fn number(&mut self) -> Option<u64> {
        varint::get(self.bytes, self.at)
    }

    #[inline]
    fn half(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    #[inline]
    fn signed(&mut self) -> Option<i32> {
        i32::try_from(varint::get_signed(self.bytes, self.at)?).ok()
    }

    /// Floating-point operations.
    fn flops(&mut self) -> Option<f64> {
        let bits = self.bytes.get(*self.at..)?.first_chunk()?;
        *self.at += 8;
        WORK.check(f64::from_bits(u64::from_le_bytes(*bits))).ok()
    }

    /// A number if it is there; the outer is none if the bytes are bad.
    #[inline]
    fn some(&mut self, there: bool) -> Option<Option<u32>> {
        if there { self.half().map(Some) } else { Some(None) }
    }

    #[inline]
    fn some_tag(&mut self, there: bool) -> Option<Option<i32>> {
        if there { self.signed().map(Some) } else { Some(None) }
    }

    /// As many as there are bytes at the most.
    fn length(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok().filter(|&length| length <= self.bytes.len() - *self.at)
    }

    fn list(&mut self, into: &mut Vec<u32>) -> Option<()> {
        into.clear();
        for _ in 0..self.length()? {
            into.push(self.half()?);
        }
        Some(())
    }

    #[inline(always)]
    fn send(&mut self) -> Option<Call<'static>> {
        let flags = self.byte()?;
        let mode = match flags & 3 {
            0 => SendMode::Standard,
            1 => SendMode::Synchronous,
            2 => SendMode::Ready,
            _ => SendMode::Buffered,
        };
        let (context, to, tag, bytes) = (self.half()?, self.half()?, self.signed()?, self.number()?);
        let (request, answer, payload) = (self.some(flags & 4 != 0)?, flags & 8 != 0, Payload::Absent);
        Some(Call::Send { mode, context, to, tag, bytes, payload, request, answer })
    }

    #[inline(always)]
    fn recv(&mut self) -> Option<Call<'static>> {
        let flags = self.byte()?;
        let context = self.half()?;
        let (from, tag) = (self.some(flags & 1 != 0)?, self.some_tag(flags & 2 != 0)?);
        let bytes = self.number()?;
        let (request, matched) = (self.some(flags & 4 != 0)?, self.some(flags & 8 != 0)?);
        Some(Call::Recv { context, from, tag, bytes, address: 0, request, matched })
    }

    fn probe(&mut self) -> Option<(Call<'static>, Outcome)> {
        let flags = self.byte()?;
        let context = self.half()?;
        let (from, tag, take) = (self.some(flags & 1 != 0)?, self.some_tag(flags & 2 != 0)?, flags & 4 != 0);
        let outcome = self.some(take)?.map_or(Outcome::None, Outcome::Message);
        Some((Call::Probe { context, from, tag, poll: false, take }, outcome))
    }

    fn collective<'l>(
        &mut self,
        send: &'l mut Vec<u64>,
        recv: &'l mut Vec<u64>,
    ) -> Option<CollectiveCall<'l>> {
        let kind = *Collective::ALL.get(usize::from(self.byte()?))?;
        let flags = self.byte()?;
        let (context, root) = (self.half()?, self.half()?);
        let request = self.some(flags & 1 != 0)?;
        let plan = self.some(flags & 8 != 0)?.unwrap_or(0);
        let send = self.part(flags >> 4 & 3, send)?;
        let recv = self.part(flags >> 6, recv)?;
        let reduction = match flags & 2 != 0 {
            true => {
                let operator = Operator::Predefined { op: self.byte()?, basic: self.byte()? };
                let (element, elements) = (self.half()?, self.number()?);
                Some(Reduction { operator, commutative: flags & 4 != 0, element, elements })
            }
            false => None,
        };
        Some(CollectiveCall { kind, context, root, send, recv, reduction, request, plan })
    }

    fn part<'l>(&mut self, cut: u8, list: &'l mut Vec<u64>) -> Option<Part<'l>> {
        let blocks = match cut {
            0 => Blocks::Whole(self.number()?),
            1 => Blocks::Equal(self.number()?),
            2 => {
                list.clear();
                let mut offset = 0u64;
                for _ in 0..self.length()? {
                    let bytes = self.number()?;
                    list.extend([offset, bytes]);
                    offset = offset.checked_add(bytes)?;
                }
                Blocks::Each(list)
            }
            _ => return None,
        };
        Some(Part { payload: Payload::Absent, blocks })
    }

    fn comm<'l>(&mut self, members: &'l mut Vec<u32>) -> Option<CommRequest<'l>> {
        Some(match self.byte()? {
            0 => CommRequest::Dup,
            1 => CommRequest::DupLater { request: self.half()? },
            2 => CommRequest::Split { color: Some(self.signed()?), key: self.signed()? },
            3 => CommRequest::Split { color: None, key: self.signed()? },
            4 => {
                self.list(members)?;
                CommRequest::Create(members)
            }
            5 => {
                let tag = self.signed()?;
                self.list(members)?;
                CommRequest::CreateGroup { members, tag }
            }
            6 => CommRequest::SplitByHost { key: self.signed()? },
            _ => return None,
        })
    }
}
