//! The commonest calls, read without more ado: sends and receives with a request of their own.

use super::calls::stamp;
use super::fields::{FieldReader, STAMP_WORDS};
use super::words::Reader;
use crate::calls::row;
use crate::fields::Flag;
use crate::table::Row;
use crate::{Call, Completing, ContextId, Payload, RequestId, SendMode, Stamp};

/// In the head of a wait: it is a poll.
const POLL: u64 = 1 << (8 + Completing::BITS);

/// Such a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlainCall {
    /// What comes before it.
    pub stamp: Stamp,
    /// Its communicator.
    pub context: ContextId,
    /// How many bytes, or room for how many.
    pub bytes: u64,
    /// Its request.
    pub request: RequestId,
    /// The rest of it.
    pub way: PlainWay,
    /// The words it takes.
    pub words: usize,
}

/// Which of the two it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PlainWay {
    /// A send.
    Send {
        /// How.
        mode: SendMode,
        /// To which rank of the communicator.
        to: u32,
        /// Its tag.
        tag: i32,
        /// Its bytes, which are not in the call.
        payload: Payload<'static>,
    },
    /// A receive of a message that no probe has taken.
    Recv {
        /// From which rank of the communicator, or any.
        from: Option<u32>,
        /// Its tag, or any.
        tag: Option<i32>,
        /// Where the bytes go.
        address: u64,
    },
}

impl PlainCall {
    /// The same as any call.
    #[inline]
    pub fn whole(&self) -> Call<'static> {
        let &PlainCall { context, bytes, request, .. } = self;
        let request = Some(request);
        match self.way {
            PlainWay::Send { mode, to, tag, payload } => {
                Call::Send { mode, context, to, tag, bytes, payload, request, answer: false }
            }
            PlainWay::Recv { from, tag, address } => {
                Call::Recv { context, from, tag, bytes, address, request, matched: None }
            }
        }
    }
}

/// Reads the call at the head of `buffer` if it is such a one.
#[inline(always)]
pub fn decode_plain(buffer: &[u64]) -> Option<PlainCall> {
    let (mut record, words) = Reader::open(buffer).ok()?;
    let head: &[u64; STAMP_WORDS] = record.chunk().ok()?;
    let mut fields = FieldReader::new(head[0], &mut record);
    let call = match head[0] as u8 {
        row::Send::CODE => row::Send::decode(&mut fields),
        row::Recv::CODE => row::Recv::decode(&mut fields),
        _ => return None,
    };
    let (context, bytes, request, way) = match call.ok()? {
        Call::Send { mode, context, to, tag, bytes, payload, request: Some(request), .. } => {
            let payload = match payload {
                Payload::Absent => Payload::Absent,
                Payload::At(address) => Payload::At(address),
                Payload::Inline(_) => return None,
            };
            (context, bytes, request, PlainWay::Send { mode, to, tag, payload })
        }
        Call::Recv { context, from, tag, bytes, address, request: Some(request), matched: None } => {
            (context, bytes, request, PlainWay::Recv { from, tag, address })
        }
        _ => return None,
    };
    Some(PlainCall { stamp: stamp(head), context, bytes, request, way, words })
}

/// Reads the call at the head of `buffer` if it is a receive, with or without a request.
#[inline]
pub fn decode_receive(buffer: &[u64]) -> Option<Call<'static>> {
    let (mut record, _) = Reader::open(buffer).ok()?;
    let head: &[u64; STAMP_WORDS] = record.chunk().ok()?;
    if head[0] as u8 != row::Recv::CODE {
        return None;
    }
    match row::Recv::decode(&mut FieldReader::new(head[0], &mut record)).ok()? {
        Call::Recv { context, from, tag, bytes, address, request, matched } => {
            Some(Call::Recv { context, from, tag, bytes, address, request, matched })
        }
        _ => None,
    }
}

/// What the call at the head of `buffer` is, for who need not read it to know what it asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A wait that is no poll.
    Wait,
    /// A collective of data.
    Collective,
    /// Any other.
    Other,
}

/// Tells without reading the call.
#[inline]
pub fn sort_of(buffer: &[u64]) -> Sort {
    let head = buffer.first().copied().unwrap_or(0);
    match head as u8 {
        row::Wait::CODE if head & POLL == 0 => Sort::Wait,
        row::Collective::CODE => Sort::Collective,
        _ => Sort::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpirage_collectives::Collective;
    use mpirage_units::Duration;

    use crate::wire::{Full, encode_call, encode_known_call, push_call};
    use crate::{Blocks, Burst, CollectiveCall, Part};

    /// Is the call read like this, and not at all if its end is missing?
    fn read(call: &Call<'_>) -> Option<PlainCall> {
        let stamp = Stamp { function: 7, burst: Burst::serial(5), delay: Duration::from_picos(3), site: 11 };
        let mut words = Vec::new();
        push_call(&stamp, call, &mut words);
        for length in 0..words.len() {
            assert_eq!(decode_plain(&words[..length]), None, "{length} of {}", words.len());
        }
        let mut buffer = [0; 32];
        let length = encode_call(&stamp, call, &mut buffer).unwrap();
        assert_eq!(words, buffer[..length]);
        let mut known = [0; 32];
        assert_eq!(encode_known_call(&stamp, call, &mut known), Ok(length));
        assert_eq!(words, known[..length]);
        assert_eq!(encode_known_call(&stamp, call, &mut known[..length - 1]), Err(Full));
        words.push(99);
        let plain = decode_plain(&words);
        assert!(plain.is_none_or(|plain| plain.stamp == stamp && plain.words == words.len() - 1));
        plain
    }

    #[test]
    fn sends_and_receives_are_what_they_were() {
        for (payload, mode) in
            [(Payload::Absent, SendMode::Standard), (Payload::At(64), SendMode::Synchronous)]
        {
            let send = |request| Call::Send {
                mode,
                context: 2,
                to: 5,
                tag: -3,
                bytes: 1 << 40,
                payload,
                request,
                answer: false,
            };
            let plain = read(&send(Some(9))).unwrap();
            assert_eq!(plain.whole(), send(Some(9)));
            assert_eq!((plain.context, plain.bytes, plain.request), (2, 1 << 40, 9));
            assert_eq!(plain.way, PlainWay::Send { mode, to: 5, tag: -3, payload });
            assert_eq!(read(&send(None)), None);
        }
        for (from, tag) in [(Some(4), Some(1)), (None, Some(-1)), (Some(0), None), (None, None)] {
            let recv = |request, matched| Call::Recv {
                context: 0,
                from,
                tag,
                bytes: 77,
                address: 1 << 33,
                request,
                matched,
            };
            let plain = read(&recv(Some(1), None)).unwrap();
            assert_eq!(plain.whole(), recv(Some(1), None));
            assert_eq!((plain.context, plain.bytes, plain.request), (0, 77, 1));
            assert_eq!(plain.way, PlainWay::Recv { from, tag, address: 1 << 33 });
            assert_eq!((read(&recv(None, None)), read(&recv(Some(1), Some(2)))), (None, None));
            for call in [recv(None, None), recv(Some(1), None), recv(None, Some(2))] {
                let mut words = Vec::new();
                push_call(&Stamp::default(), &call, &mut words);
                assert_eq!((decode_receive(&words), decode_receive(&words[1..])), (Some(call), None));
            }
        }
    }

    #[test]
    fn other_calls_are_not_plain() {
        let inline = Call::Send {
            mode: SendMode::Standard,
            context: 0,
            to: 1,
            tag: 0,
            bytes: 3,
            payload: Payload::Inline(b"abc"),
            request: Some(1),
            answer: false,
        };
        let wait =
            Call::Wait { how: crate::Completing::All, poll: false, requests: &[1, 2, 3, 4, 5, 6, 7, 8] };
        for call in [Call::Init, Call::Now, inline, wait] {
            assert_eq!(read(&call), None);
            let mut words = Vec::new();
            push_call(&Stamp::default(), &call, &mut words);
            assert_eq!(decode_receive(&words), None);
        }
    }

    #[test]
    fn calls_are_sorted_by_their_heads() {
        let part = Part { payload: Payload::Absent, blocks: Blocks::Whole(0) };
        let (kind, reduction) = (Collective::Barrier, None);
        let barrier = |request| {
            let collective = CollectiveCall {
                kind,
                context: 0,
                root: 0,
                send: part,
                recv: part,
                reduction,
                request,
                plan: 0,
            };
            Call::Collective(collective)
        };
        let wait = |how, poll| Call::Wait { how, poll, requests: &[1] };
        for (call, sort) in [
            (wait(Completing::All, false), Sort::Wait),
            (wait(Completing::Some, false), Sort::Wait),
            (wait(Completing::Any, true), Sort::Other),
            (barrier(None), Sort::Collective),
            (barrier(Some(3)), Sort::Collective),
            (Call::Init, Sort::Other),
            (Call::Probe { context: 0, from: None, tag: None, poll: false, take: false }, Sort::Other),
        ] {
            let mut words = Vec::new();
            push_call(&Stamp { function: u16::MAX, ..Stamp::default() }, &call, &mut words);
            assert_eq!(sort_of(&words), sort, "{call:?}");
        }
        assert_eq!(sort_of(&[]), Sort::Other);
    }
}
