//! Plain sends and receives, which are the commonest calls: read without looking for other calls.

use super::calls::stamp;
use super::fields::{FieldReader, STAMP_WORDS};
use super::words::Reader;
use crate::calls::row;
use crate::fields::Flag;
use crate::table::Row;
use crate::{Call, Completing, ContextId, Payload, RequestId, SendMode, Stamp};

/// In the head of a wait: it is a poll.
const POLL: u64 = 1 << (8 + Completing::BITS);

/// A send, or a receive of a message that no probe has taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlainCall<'a> {
    /// Computation and delay before the call.
    pub stamp: Stamp,
    /// The communicator.
    pub context: ContextId,
    /// Bytes of the message, or room for so many.
    pub bytes: u64,
    /// The request that completes with the operation; none if the call blocks.
    pub request: Option<RequestId>,
    /// Send or receive, with the fields that only one of them has.
    pub operation: PlainOperation<'a>,
    /// Words of the call in the mailbox.
    pub words: usize,
}

/// A send or a receive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PlainOperation<'a> {
    /// A send.
    Send {
        /// When it is complete.
        mode: SendMode,
        /// The receiver, as a rank of the communicator.
        to: u32,
        /// The tag.
        tag: i32,
        /// Where the bytes are.
        payload: Payload<'a>,
        /// Does the rank wait for the answer to a call that blocks?
        answer: bool,
    },
    /// A receive.
    Recv {
        /// The sender, as a rank of the communicator; none for `MPI_ANY_SOURCE`.
        from: Option<u32>,
        /// The tag; none for `MPI_ANY_TAG`.
        tag: Option<i32>,
        /// Where the bytes go.
        address: u64,
    },
}

impl<'a> PlainCall<'a> {
    /// The call.
    #[inline]
    pub fn to_call(&self) -> Call<'a> {
        let &PlainCall { context, bytes, request, .. } = self;
        match self.operation {
            PlainOperation::Send { mode, to, tag, payload, answer } => {
                Call::Send { mode, context, to, tag, bytes, payload, request, answer }
            }
            PlainOperation::Recv { from, tag, address } => {
                Call::Recv { context, from, tag, bytes, address, request, matched: None }
            }
        }
    }
}

/// Reads the call at the head of `buffer`; none if it is another call.
#[inline(always)]
pub fn decode_plain(buffer: &[u64]) -> Option<PlainCall<'_>> {
    let (mut record, words) = Reader::open(buffer).ok()?;
    let head: &[u64; STAMP_WORDS] = record.chunk().ok()?;
    let mut fields = FieldReader::new(head[0], &mut record);
    let (context, bytes, request, operation) = match head[0] as u8 {
        row::Send::CODE => {
            let Call::Send { mode, context, to, tag, bytes, payload, request, answer } =
                row::Send::decode(&mut fields).ok()?
            else {
                return None;
            };
            (context, bytes, request, PlainOperation::Send { mode, to, tag, payload, answer })
        }
        row::Recv::CODE => {
            let Call::Recv { context, from, tag, bytes, address, request, matched: None } =
                row::Recv::decode(&mut fields).ok()?
            else {
                return None;
            };
            (context, bytes, request, PlainOperation::Recv { from, tag, address })
        }
        _ => return None,
    };
    Some(PlainCall { stamp: stamp(head), context, bytes, request, operation, words })
}

/// Reads the call at the head of `buffer`, a receive of any kind; none if it is another call.
#[inline]
pub fn decode_receive(buffer: &[u64]) -> Option<Call<'static>> {
    let (mut record, _) = Reader::open(buffer).ok()?;
    let head: &[u64; STAMP_WORDS] = record.chunk().ok()?;
    if head[0] as u8 != row::Recv::CODE {
        return None;
    }
    let call = row::Recv::decode(&mut FieldReader::new(head[0], &mut record)).ok()?;
    let Call::Recv { context, from, tag, bytes, address, request, matched } = call else { return None };
    Some(Call::Recv { context, from, tag, bytes, address, request, matched })
}

/// The kind of a call, as far as its head shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadKind {
    /// A wait that is no poll.
    Wait,
    /// A collective of data.
    Collective,
    /// Any other.
    Other,
}

/// Looks at the head of the call in `buffer`, and does not read the call.
#[inline]
pub fn head_kind(buffer: &[u64]) -> HeadKind {
    let head = buffer.first().copied().unwrap_or(0);
    match head as u8 {
        row::Wait::CODE if head & POLL == 0 => HeadKind::Wait,
        row::Collective::CODE => HeadKind::Collective,
        _ => HeadKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Collective;
    use mpirage_units::Duration;

    use crate::wire::{Full, encode_call, encode_known_call, push_call};
    use crate::{Blocks, Burst, CollectiveCall, Part};

    /// Is the call found to be plain, and read as it was written? Every prefix of it is refused.
    fn is_plain(call: &Call<'_>) -> bool {
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
        let Some(found) = decode_plain(&words) else { return false };
        assert_eq!((found.stamp, found.words, found.to_call()), (stamp, words.len() - 1, *call));
        true
    }

    #[test]
    fn plain_calls_come_back() {
        let requests = [None, Some(RequestId::new(9))];
        for (payload, mode) in [
            (Payload::Absent, SendMode::Standard),
            (Payload::At(64), SendMode::Synchronous),
            (Payload::Inline(b"abc"), SendMode::Standard),
        ] {
            for (request, answer) in requests.into_iter().zip([true, false]) {
                let context = ContextId::new(2);
                let (to, tag, bytes) = (5, -3, 3);
                let send = Call::Send { mode, context, to, tag, bytes, payload, request, answer };
                assert!(is_plain(&send), "{send:?}");
            }
        }
        for (from, tag) in [(Some(4), Some(1)), (None, Some(-1)), (Some(0), None), (None, None)] {
            let recv = |request, matched| Call::Recv {
                context: ContextId::new(0),
                from,
                tag,
                bytes: 77,
                address: 1 << 33,
                request,
                matched,
            };
            for request in requests {
                assert!(is_plain(&recv(request, None)) && !is_plain(&recv(request, Some(2))));
                for matched in [None, Some(2)] {
                    let (call, mut words) = (recv(request, matched), Vec::new());
                    push_call(&Stamp::default(), &call, &mut words);
                    assert_eq!((decode_receive(&words), decode_receive(&words[1..])), (Some(call), None));
                }
            }
        }
    }

    #[test]
    fn other_calls_are_not_plain() {
        let wait = Call::Wait { how: crate::Completing::All, poll: false, requests: &[RequestId::new(1); 8] };
        for call in [Call::Init, Call::Now, wait] {
            assert!(!is_plain(&call));
            let mut words = Vec::new();
            push_call(&Stamp::default(), &call, &mut words);
            assert_eq!(decode_receive(&words), None);
        }
    }

    #[test]
    fn heads_say_what_calls_are() {
        let part = Part { payload: Payload::Absent, blocks: Blocks::Whole(0) };
        let (kind, reduction) = (Collective::Barrier, None);
        let barrier = |request| {
            let collective = CollectiveCall {
                kind,
                context: ContextId::new(0),
                root: 0,
                peers: crate::Peers::All,
                send: part,
                recv: part,
                reduction,
                request,
                plan: 0,
                input: Default::default(),
                on_mismatch: Default::default(),
            };
            Call::Collective(collective)
        };
        let requests = &[RequestId::new(1)];
        let wait = |how, poll| Call::Wait { how, poll, requests };
        for (call, sort) in [
            (wait(Completing::All, false), HeadKind::Wait),
            (wait(Completing::Some, false), HeadKind::Wait),
            (wait(Completing::Any, true), HeadKind::Other),
            (barrier(None), HeadKind::Collective),
            (barrier(Some(RequestId::new(3))), HeadKind::Collective),
            (Call::Init, HeadKind::Other),
            (
                Call::Probe { context: ContextId::new(0), from: None, tag: None, poll: false, take: false },
                HeadKind::Other,
            ),
        ] {
            let mut words = Vec::new();
            push_call(&Stamp { function: u16::MAX, ..Stamp::default() }, &call, &mut words);
            assert_eq!(head_kind(&words), sort, "{call:?}");
        }
        assert_eq!(head_kind(&[]), HeadKind::Other);
    }
}
