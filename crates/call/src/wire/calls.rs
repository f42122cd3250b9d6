//! Calls as words.

use mpirage_collectives::Collective;
use mpirage_units::Duration;

use super::plain::{COLLECTIVE, RECV, SEND, WAIT};
use super::words::{Full, Reader, WireError, Writer, halves, pair};
use crate::{
    Blocks, Burst, Call, CollectiveCall, CommRequest, Completing, Operator, Part, Payload, Reduction,
    RequestId, Rule, SendMode, Stamp, Tally, Work,
};

/// Stands for no request, no rank, no message.
const NONE: u32 = u32::MAX;

/// Appends a call to `buffer`; gives the number of words it takes.
#[inline]
pub fn encode_call(stamp: &Stamp, call: &Call<'_>, buffer: &mut [u64]) -> Result<usize, Full> {
    let mut w = Writer::new(buffer);
    let head = u64::from(kind_of(call)) | u64::from(flags_of(call)) << 8 | u64::from(stamp.function) << 16;
    w.all([head, stamp.burst.word(), stamp.delay.as_picos(), stamp.site])?;
    encode_fields(call, &mut w)?;
    Ok(w.finish())
}

/// The same, for who knows what call it is: of the commonest the words go from registers to the buffer, since a call or a
/// stamp that is stored in pieces and read again at once is slow to read.
#[inline(always)]
pub fn encode_known_call(stamp: &Stamp, call: &Call<'_>, buffer: &mut [u64]) -> Result<usize, Full> {
    let head = u64::from(kind_of(call)) | u64::from(flags_of(call)) << 8 | u64::from(stamp.function) << 16;
    let (burst, delay, site) = (stamp.burst.word(), stamp.delay.as_picos(), stamp.site);
    let mut words = match *call {
        Call::Send { context, to, tag, bytes, payload: Payload::At(address), request, .. } => {
            let numbers = pair(tag as u32, request.unwrap_or(NONE));
            [head, burst, delay, site, pair(context, to), numbers, bytes, 1, address]
        }
        Call::Recv { context, from, tag, bytes, address, request, matched } => {
            let numbers = pair(tag.unwrap_or(0) as u32, request.unwrap_or(NONE));
            let (ends, matched) = (pair(context, from.unwrap_or(NONE)), u64::from(matched.unwrap_or(NONE)));
            [head, burst, delay, site, ends, numbers, bytes, address, matched]
        }
        _ => {
            *buffer.first_chunk_mut().ok_or(Full)? = [head, burst, delay, site];
            return encode_after_stamp(call, buffer);
        }
    };
    words[0] |= (words.len() as u64) << 32;
    *buffer.first_chunk_mut().ok_or(Full)? = words;
    Ok(words.len())
}

/// The rest of a call whose first four words are there. Once, for all who know their calls.
#[inline(never)]
fn encode_after_stamp(call: &Call<'_>, buffer: &mut [u64]) -> Result<usize, Full> {
    let mut w = Writer::behind(buffer, 4);
    encode_fields(call, &mut w)?;
    Ok(w.finish())
}

/// Appends a call to a list of calls, which grows as it must. Who knows what call it is pays for that kind only.
#[inline(always)]
pub fn push_call(stamp: &Stamp, call: &Call<'_>, words: &mut Vec<u64>) {
    // The commonest straight away, in the words that `encode_call` writes.
    let head = |length: u64| {
        u64::from(kind_of(call))
            | u64::from(flags_of(call)) << 8
            | u64::from(stamp.function) << 16
            | length << 32
    };
    let (burst, delay, site) = (stamp.burst.word(), stamp.delay.as_picos(), stamp.site);
    match *call {
        Call::Send { context, to, tag, bytes, payload: Payload::Absent, request, .. } => {
            let numbers = pair(tag as u32, request.unwrap_or(NONE));
            words.extend_from_slice(&[head(8), burst, delay, site, pair(context, to), numbers, bytes, 0]);
        }
        Call::Recv { context, from, tag, bytes, address, request, matched } => {
            let numbers = pair(tag.unwrap_or(0) as u32, request.unwrap_or(NONE));
            let (ends, matched) = (pair(context, from.unwrap_or(NONE)), u64::from(matched.unwrap_or(NONE)));
            words.extend_from_slice(&[head(9), burst, delay, site, ends, numbers, bytes, address, matched]);
        }
        _ => push_any_call(stamp, call, words),
    }
}

fn push_any_call(stamp: &Stamp, call: &Call<'_>, words: &mut Vec<u64>) {
    let mut buffer = [0; 24];
    match encode_call(stamp, call, &mut buffer) {
        Ok(length) => words.extend_from_slice(&buffer[..length]),
        Err(Full) => push_long_call(stamp, call, words),
    }
}

#[cold]
fn push_long_call(stamp: &Stamp, call: &Call<'_>, words: &mut Vec<u64>) {
    let start = words.len();
    let mut room = 64;
    loop {
        words.resize(start + room, 0);
        if let Ok(length) = encode_call(stamp, call, &mut words[start..]) {
            return words.truncate(start + length);
        }
        room *= 4;
    }
}

/// Reads the stamp of the call at the head of `buffer`, and nothing else.
#[inline]
pub fn decode_stamp(buffer: &[u64]) -> Result<Stamp, WireError> {
    match *buffer {
        [header, burst, delay, site, ..] => Ok(Stamp {
            function: (header >> 16) as u16,
            burst: Burst::from_word(burst),
            delay: Duration::from_picos(delay),
            site,
        }),
        _ => Err(WireError),
    }
}

/// Reads the call at the head of `buffer`; gives the number of words it took.
#[inline]
pub fn decode_call(buffer: &[u64]) -> Result<(Stamp, Call<'_>, usize), WireError> {
    let (mut r, length) = Reader::open(buffer)?;
    let [header, burst, delay, site] = r.all()?;
    let stamp = Stamp {
        function: (header >> 16) as u16,
        burst: Burst::from_word(burst),
        delay: Duration::from_picos(delay),
        site,
    };
    let call = decode_fields(header as u8, (header >> 8) as u8, &mut r)?;
    Ok((stamp, call, length))
}

#[inline]
fn kind_of(call: &Call<'_>) -> u8 {
    match call {
        Call::Init => 0,
        Call::Finalize => 1,
        Call::Abort { .. } => 2,
        Call::Misuse { .. } => 3,
        Call::Now => 4,
        Call::Sleep { .. } => 5,
        Call::Send { .. } => SEND,
        Call::Recv { .. } => RECV,
        Call::Wait { .. } => WAIT,
        Call::Probe { .. } => 9,
        Call::Cancel { .. } => 10,
        Call::Free { .. } => 11,
        Call::Collective(_) => COLLECTIVE,
        Call::MakeComm { .. } => 13,
        Call::FreeComm { .. } => 14,
        Call::Output => 15,
        Call::Flush => 16,
        Call::SampleBegin { .. } => 17,
        Call::SampleEnd => 18,
        Call::Compute { .. } => 19,
        Call::Share { .. } => 20,
        Call::Tally(_) => 21,
        Call::When => 22,
        Call::TakeCompleted => 23,
        Call::ExecutionUnit { .. } => 24,
    }
}

#[inline]
fn flags_of(call: &Call<'_>) -> u8 {
    match *call {
        Call::Send { mode, answer, .. } => mode as u8 | u8::from(answer) << 2,
        Call::Recv { tag, .. } => u8::from(tag.is_none()),
        Call::Wait { how, poll, .. } => how as u8 | u8::from(poll) << 2,
        Call::Probe { tag, poll, take, .. } => {
            u8::from(tag.is_none()) | u8::from(poll) << 1 | u8::from(take) << 2
        }
        Call::SampleBegin { global, rule, .. } => u8::from(global) | u8::from(rule.interval) << 1,
        Call::Compute { work: Work::Flops(_), .. } => 1,
        Call::Compute { work: Work::Threads(_), .. } => 2,
        Call::ExecutionUnit { tell, .. } => u8::from(tell),
        _ => 0,
    }
}

#[inline]
fn encode_fields(call: &Call<'_>, w: &mut Writer<'_>) -> Result<(), Full> {
    match *call {
        Call::Init
        | Call::Finalize
        | Call::Now
        | Call::When
        | Call::Output
        | Call::Flush
        | Call::TakeCompleted
        | Call::SampleEnd => Ok(()),
        Call::Abort { code } => w.word(u64::from(code as u32)),
        Call::Misuse { text } => w.bytes(text.as_bytes()),
        Call::Sleep { span } => w.word(span.as_picos()),
        Call::Send { context, to, tag, bytes, payload, request, .. } => {
            w.all([pair(context, to), pair(tag as u32, request.unwrap_or(NONE)), bytes])?;
            encode_payload(payload, w)
        }
        Call::Recv { context, from, tag, bytes, address, request, matched } => {
            let numbers = pair(tag.unwrap_or(0) as u32, request.unwrap_or(NONE));
            let matched = u64::from(matched.unwrap_or(NONE));
            w.all([pair(context, from.unwrap_or(NONE)), numbers, bytes, address, matched])
        }
        Call::Wait { requests, .. } => w.halves(requests),
        Call::Probe { context, from, tag, .. } => {
            w.pair(context, from.unwrap_or(NONE))?;
            w.word(u64::from(tag.unwrap_or(0) as u32))
        }
        Call::Cancel { request } | Call::Free { request } => w.word(u64::from(request)),
        Call::Collective(ref collective) => encode_collective(collective, w),
        Call::MakeComm { parent, how } => {
            w.word(u64::from(parent))?;
            encode_comm(how, w)
        }
        Call::FreeComm { context } => w.word(u64::from(context)),
        Call::SampleBegin { site, rule, .. } => {
            w.word(rule.least)?;
            w.word(rule.most)?;
            w.word(rule.error.to_bits())?;
            w.bytes(site.as_bytes())
        }
        Call::Compute { work, request } => {
            let work = match work {
                Work::Flops(flops) => flops.to_bits(),
                Work::Nanos(nanos) => nanos,
                Work::Threads(burst) => burst.word(),
            };
            w.all([work, u64::from(request.unwrap_or(NONE))])
        }
        Call::ExecutionUnit { cpu, nic, after, .. } => {
            w.all([u64::from(cpu) << 8 | u64::from(nic), after.as_picos()])
        }
        Call::Share { site } => w.bytes(site.as_bytes()),
        Call::Tally(Tally { executed, skipped, shared }) => {
            w.word(executed)?;
            w.word(skipped)?;
            w.word(shared)
        }
    }
}

#[inline]
fn decode_fields<'b>(kind: u8, flags: u8, r: &mut Reader<'b>) -> Result<Call<'b>, WireError> {
    Ok(match kind {
        0 => Call::Init,
        1 => Call::Finalize,
        2 => Call::Abort { code: r.word()? as i32 },
        3 => Call::Misuse { text: decode_text(r)? },
        4 => Call::Now,
        5 => Call::Sleep { span: Duration::from_picos(r.word()?) },
        SEND => decode_send(flags, r)?,
        RECV => decode_recv(flags, r)?,
        WAIT => Call::Wait { how: completing(flags & 3)?, poll: flags & 4 != 0, requests: r.halves()? },
        9 => decode_probe(flags, r)?,
        10 => Call::Cancel { request: r.word()? as u32 },
        11 => Call::Free { request: r.word()? as u32 },
        COLLECTIVE => Call::Collective(decode_collective(r)?),
        13 => Call::MakeComm { parent: r.word()? as u32, how: decode_comm(r)? },
        14 => Call::FreeComm { context: r.word()? as u32 },
        15 => Call::Output,
        16 => Call::Flush,
        17 => decode_sample(flags, r)?,
        18 => Call::SampleEnd,
        19 => decode_compute(flags, r)?,
        20 => Call::Share { site: decode_text(r)? },
        21 => Call::Tally(Tally { executed: r.word()?, skipped: r.word()?, shared: r.word()? }),
        22 => Call::When,
        23 => Call::TakeCompleted,
        24 => decode_lane(flags, r)?,
        _ => return Err(WireError),
    })
}

#[inline]
fn decode_text<'b>(r: &mut Reader<'b>) -> Result<&'b str, WireError> {
    std::str::from_utf8(r.bytes()?).map_err(|_| WireError)
}

#[inline]
fn decode_sample<'b>(flags: u8, r: &mut Reader<'b>) -> Result<Call<'b>, WireError> {
    let (least, most, error) = (r.word()?, r.word()?, f64::from_bits(r.word()?));
    let rule = Rule { least, most, error, interval: flags & 2 != 0 };
    Ok(Call::SampleBegin { site: decode_text(r)?, global: flags & 1 != 0, rule })
}

#[inline]
fn decode_send<'b>(flags: u8, r: &mut Reader<'b>) -> Result<Call<'b>, WireError> {
    let [ends, numbers, bytes] = r.all()?;
    let ((context, to), (tag, request)) = (halves(ends), halves(numbers));
    let mode = match flags & 3 {
        0 => SendMode::Standard,
        1 => SendMode::Synchronous,
        2 => SendMode::Ready,
        _ => SendMode::Buffered,
    };
    Ok(Call::Send {
        mode,
        context,
        to,
        tag: tag as i32,
        bytes,
        payload: decode_payload(r)?,
        request: some(request),
        answer: flags & 4 != 0,
    })
}

#[inline]
fn decode_recv<'b>(flags: u8, r: &mut Reader<'b>) -> Result<Call<'b>, WireError> {
    let [ends, numbers, bytes, address, matched] = r.all()?;
    let ((context, from), (tag, request)) = (halves(ends), halves(numbers));
    Ok(Call::Recv {
        context,
        from: some(from),
        tag: (flags & 1 == 0).then_some(tag as i32),
        bytes,
        address,
        request: some(request),
        matched: some(matched as u32),
    })
}

fn decode_compute<'b>(flags: u8, r: &mut Reader<'b>) -> Result<Call<'b>, WireError> {
    let [work, request] = r.all()?;
    let work = match flags & 3 {
        1 => Work::Flops(f64::from_bits(work)),
        2 => Work::Threads(Burst::from_word(work)),
        _ => Work::Nanos(work),
    };
    Ok(Call::Compute { work, request: some(request as u32) })
}

fn decode_lane<'b>(flags: u8, r: &mut Reader<'b>) -> Result<Call<'b>, WireError> {
    let [place, after] = r.all()?;
    let (cpu, nic) = ((place >> 8) as u8, place as u8);
    Ok(Call::ExecutionUnit { cpu, nic, after: Duration::from_picos(after), tell: flags & 1 != 0 })
}

fn decode_probe<'b>(flags: u8, r: &mut Reader<'b>) -> Result<Call<'b>, WireError> {
    let (context, from) = r.pair()?;
    let tag = r.word()? as u32 as i32;
    Ok(Call::Probe {
        context,
        from: some(from),
        tag: (flags & 1 == 0).then_some(tag),
        poll: flags & 2 != 0,
        take: flags & 4 != 0,
    })
}

#[inline]
fn completing(code: u8) -> Result<Completing, WireError> {
    match code {
        0 => Ok(Completing::All),
        1 => Ok(Completing::Any),
        2 => Ok(Completing::Some),
        _ => Err(WireError),
    }
}

#[inline]
fn some(value: u32) -> Option<RequestId> {
    (value != NONE).then_some(value)
}

#[inline]
fn encode_payload(payload: Payload<'_>, w: &mut Writer<'_>) -> Result<(), Full> {
    match payload {
        Payload::Absent => w.word(0),
        Payload::At(address) => w.all([1, address]),
        Payload::Inline(bytes) => {
            w.word(2)?;
            w.bytes(bytes)
        }
    }
}

#[inline]
fn decode_payload<'b>(r: &mut Reader<'b>) -> Result<Payload<'b>, WireError> {
    match r.word()? {
        0 => Ok(Payload::Absent),
        1 => Ok(Payload::At(r.word()?)),
        2 => Ok(Payload::Inline(r.bytes()?)),
        _ => Err(WireError),
    }
}

#[inline]
fn encode_part(part: &Part<'_>, w: &mut Writer<'_>) -> Result<(), Full> {
    encode_payload(part.payload, w)?;
    match part.blocks {
        Blocks::Whole(bytes) => w.word(0).and_then(|()| w.word(bytes)),
        Blocks::Equal(bytes) => w.word(1).and_then(|()| w.word(bytes)),
        Blocks::Each(list) => w.word(2).and_then(|()| w.words(list)),
    }
}

#[inline]
fn decode_part<'b>(r: &mut Reader<'b>) -> Result<Part<'b>, WireError> {
    let payload = decode_payload(r)?;
    let blocks = match r.word()? {
        0 => Blocks::Whole(r.word()?),
        1 => Blocks::Equal(r.word()?),
        2 => Blocks::Each(r.words()?),
        _ => return Err(WireError),
    };
    Ok(Part { payload, blocks })
}

fn encode_collective(c: &CollectiveCall<'_>, w: &mut Writer<'_>) -> Result<(), Full> {
    let kind = Collective::ALL.iter().position(|&k| k == c.kind).unwrap_or(usize::MAX);
    w.pair(kind as u32, c.context)?;
    w.pair(c.root, c.request.unwrap_or(NONE))?;
    w.word(u64::from(c.plan))?;
    encode_part(&c.send, w)?;
    encode_part(&c.recv, w)?;
    match c.reduction {
        None => w.word(0),
        Some(reduction) => encode_reduction(&reduction, w),
    }
}

fn decode_collective<'b>(r: &mut Reader<'b>) -> Result<CollectiveCall<'b>, WireError> {
    let (kind, context) = r.pair()?;
    let (root, request) = r.pair()?;
    let plan = r.word()? as u32;
    let kind = *Collective::ALL.get(kind as usize).ok_or(WireError)?;
    let send = decode_part(r)?;
    let recv = decode_part(r)?;
    Ok(CollectiveCall {
        kind,
        context,
        root,
        send,
        recv,
        reduction: decode_reduction(r)?,
        request: some(request),
        plan,
    })
}

fn encode_reduction(reduction: &Reduction, w: &mut Writer<'_>) -> Result<(), Full> {
    match reduction.operator {
        Operator::Predefined { op, basic } => {
            w.word(1).and_then(|()| w.pair(u32::from(op), u32::from(basic)))?
        }
        Operator::User { op, datatype } => {
            w.word(2)?;
            w.word(op)?;
            w.word(datatype)?;
        }
    }
    w.pair(reduction.element, u32::from(reduction.commutative))?;
    w.word(reduction.elements)
}

fn decode_reduction(r: &mut Reader<'_>) -> Result<Option<Reduction>, WireError> {
    let operator = match r.word()? {
        0 => return Ok(None),
        1 => {
            let (op, basic) = r.pair()?;
            Operator::Predefined { op: op as u8, basic: basic as u8 }
        }
        2 => Operator::User { op: r.word()?, datatype: r.word()? },
        _ => return Err(WireError),
    };
    let (element, commutative) = r.pair()?;
    Ok(Some(Reduction { operator, commutative: commutative != 0, element, elements: r.word()? }))
}

fn encode_comm(how: CommRequest<'_>, w: &mut Writer<'_>) -> Result<(), Full> {
    match how {
        CommRequest::Dup => w.word(0),
        CommRequest::Split { color: None, key } => w.word(1).and_then(|()| w.pair(0, key as u32)),
        CommRequest::Split { color: Some(color), key } => {
            w.word(2).and_then(|()| w.pair(color as u32, key as u32))
        }
        CommRequest::Create(members) => w.word(3).and_then(|()| w.halves(members)),
        CommRequest::CreateGroup { members, tag } => {
            w.word(4)?;
            w.word(u64::from(tag as u32))?;
            w.halves(members)
        }
        CommRequest::SplitByHost { key } => w.word(5).and_then(|()| w.word(u64::from(key as u32))),
        CommRequest::DupLater { request } => w.word(6).and_then(|()| w.word(u64::from(request))),
    }
}

fn decode_comm<'b>(r: &mut Reader<'b>) -> Result<CommRequest<'b>, WireError> {
    Ok(match r.word()? {
        0 => CommRequest::Dup,
        1 => CommRequest::Split { color: None, key: r.pair()?.1 as i32 },
        2 => {
            let (color, key) = r.pair()?;
            CommRequest::Split { color: Some(color as i32), key: key as i32 }
        }
        3 => CommRequest::Create(r.halves()?),
        4 => CommRequest::CreateGroup { tag: r.word()? as i32, members: r.halves()? },
        5 => CommRequest::SplitByHost { key: r.word()? as i32 },
        6 => CommRequest::DupLater { request: r.word()? as u32 },
        _ => return Err(WireError),
    })
}
