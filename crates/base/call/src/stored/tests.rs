//! Calls come back from a trace, damaged entries are refused, and the bytes are those of versions 2 to 4 of the format.

use mpirage_units::Duration;
use proptest::prelude::*;

use super::*;
use crate::calls::any_call;
use crate::{
    AccessCall, AccessKind, Blocks, Burst, CollectiveCall, CommRequest, Completing, FileAccessCall,
    FileHints, Input, Part, Payload, SendMode, TwoPhase, Work,
};
use crate::{Collective, Peers};

/// The bytes of a call's fields and outcome.
fn stored(call: &Call<'_>, reply: &Reply) -> Vec<u8> {
    let mut bytes = Vec::new();
    store(call, reply, &mut bytes);
    bytes
}

/// The same as a trace without bytes of messages has it: no addresses, blocks without gaps, no operators of the program.
fn without_bytes(call: &Call<'_>) -> Vec<u8> {
    stored(call, &Reply::new())
}

proptest! {
    #[test]
    fn calls_come_back_from_a_trace(call in any_call(), context in proptest::option::of((0..u32::MAX).prop_map(ContextId::new))) {
        let reply = Reply { context, message: Some(77), ..Reply::new() };
        let Some(code) = code(&call) else { return Ok(()) };
        prop_assert!(code < 1 << CODE_BITS);
        let bytes = stored(&call, &reply);
        let mut lists = Lists::default();
        let mut entry = Entry::new(&bytes, 0, &mut lists);
        let (back, outcome) = entry.call(code).expect("an entry");
        prop_assert_eq!(entry.position(), bytes.len());
        let expected = match call {
            Call::MakeComm { .. } => Outcome::Context(context),
            Call::Probe { take: true, .. } => Outcome::Message(77),
            _ => Outcome::None,
        };
        prop_assert_eq!(outcome, expected);
        match call {
            // Of a collective and of an access, sizes come back; how the bytes lie in memory does not.
            Call::Collective(_) | Call::Access(_) => prop_assert_eq!(without_bytes(&back), without_bytes(&call)),
            _ => prop_assert_eq!(back, call.as_stored()),
        }
    }

    #[test]
    fn a_cut_entry_is_refused(call in any_call()) {
        let Some(code) = code(&call) else { return Ok(()) };
        let bytes = stored(&call, &Reply { context: Some(ContextId::new(3)), message: Some(4), ..Reply::new() });
        for length in 0..bytes.len() {
            let mut lists = Lists::default();
            prop_assert_eq!(Entry::new(&bytes[..length], 0, &mut lists).call(code), None);
        }
    }

    #[test]
    fn garbage_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..40), code in 0u8..32) {
        let mut lists = Lists::default();
        let _ = Entry::new(&bytes, 0, &mut lists).call(code);
        let _ = Entry::without_lists(&bytes, 0).call(code);
    }
}

/// Traces of version 2 and later stay readable only while these bytes do.
#[test]
fn the_bytes_are_those_of_version_2_and_later() {
    let reply = Reply { context: Some(ContextId::new(6)), message: Some(9), ..Reply::new() };
    let send = |request, answer| Call::Send {
        mode: SendMode::Ready,
        context: ContextId::new(2),
        to: 5,
        tag: -3,
        bytes: 300,
        payload: Payload::Absent,
        request,
        answer,
    };
    let recv = Call::Recv {
        context: ContextId::new(2),
        from: None,
        tag: Some(7),
        bytes: 1,
        address: 0,
        request: Some(RequestId::new(4)),
        matched: None,
    };
    let take = Call::Probe { context: ContextId::new(0), from: Some(1), tag: None, poll: false, take: true };
    let part = |blocks| Part { payload: Payload::Absent, blocks };
    let collective = Call::Collective(CollectiveCall {
        kind: Collective::Barrier,
        context: ContextId::new(1),
        root: 2,
        peers: Peers::All,
        send: part(Blocks::Equal(5)),
        recv: part(Blocks::Each(&[0, 3, 3, 4])),
        reduction: None,
        request: Some(RequestId::new(8)),
        plan: 1,
        input: Input::Apart,
        on_mismatch: Default::default(),
    });
    let among = |kind, peers| {
        let both = part(Blocks::Equal(5));
        Call::Collective(CollectiveCall {
            kind,
            peers,
            send: both,
            recv: both,
            ..CollectiveCall::agreement(ContextId::new(1))
        })
    };
    let Call::Collective(apart) = collective else { unreachable!() };
    let in_place = Call::Collective(CollectiveCall { input: Input::InPlace, ..apart });
    let neighbors = Peers::Neighbors { sources: &[3, 3], destinations: &[4] };
    let across = Peers::OtherSide { first: 7 };
    let barrier = Collective::ALL.iter().position(|&kind| kind == Collective::Barrier).unwrap() as u8;
    let made = |how| Call::MakeComm { parent: ContextId::new(0), how };
    let compute = |work| Call::Compute { work, request: None };
    let flops = 2.5f64.to_bits().to_le_bytes();
    let window = ContextId::new(5);
    let hints = FileHints {
        aggregators: 2,
        stripe_count: 4,
        stripe_size: 300,
        collective_read: TwoPhase::Disabled,
        collective_write: TwoPhase::Enabled,
        sieve_write: true,
        ..FileHints::default()
    };
    let read = FileAccessCall {
        file: window,
        write: false,
        collective: true,
        offset: 300,
        span: 9,
        bytes: 8,
        pieces: 2,
        request: Some(RequestId::new(6)),
    };
    let access = |kind, request| {
        Call::Access(AccessCall {
            kind,
            window,
            target: 2,
            displacement: 9,
            bytes: 300,
            payload: Payload::At(1),
            layout: Payload::At(1),
            parts: 1,
            op: 3,
            basic: 4,
            result: 8,
            request,
        })
    };
    let entries: [(Call<'_>, u8, &[u8]); 34] = [
        (Call::Init, 0, &[]),
        (Call::Finalize, 1, &[]),
        (send(None, true), 2, &[0b1010, 2, 5, 5, 0xac, 2]),
        (send(Some(RequestId::new(1)), false), 2, &[0b0110, 2, 5, 5, 0xac, 2, 1]),
        (recv, 3, &[0b0110, 2, 14, 1, 4]),
        (
            Call::Wait {
                how: Completing::Any,
                poll: false,
                requests: &[RequestId::new(1), RequestId::new(2)],
            },
            4,
            &[1, 2, 1, 2],
        ),
        (take, 5, &[0b101, 0, 1, 9]),
        (Call::Cancel { request: RequestId::new(3) }, 6, &[3]),
        (Call::Free { request: RequestId::new(3) }, 7, &[3]),
        (collective, 8, &[barrier, 0b1001_1001, 1, 2, 8, 1, 5, 2, 3, 4]),
        (in_place, 8, &[barrier | 0x80, 0b1001_1001, 1, 2, 8, 1, 5, 2, 3, 4]),
        (among(Collective::NeighborAlltoall, neighbors), 8, &[19, 0b0101_0000, 1, 0, 2, 3, 3, 1, 4, 5, 5]),
        (among(Collective::InterReduceScatterBlock, across), 8, &[36, 0b0101_0000, 1, 0, 7, 5, 5]),
        (made(CommRequest::Split { color: Some(-1), key: 2 }), 9, &[0, 2, 1, 4, 7]),
        (made(CommRequest::CreateGroup { members: &[3, 1], tag: 1 }), 9, &[0, 5, 2, 2, 3, 1, 7]),
        (Call::FreeComm { context: ContextId::new(6) }, 10, &[6]),
        (Call::Sleep { span: Duration::from_picos(128) }, 11, &[0x80, 1]),
        (compute(Work::Flops(2.5)), 12, &flops),
        (compute(Work::Nanos(5)), 13, &[5]),
        (compute(Work::Threads(Burst::from_word(6))), 15, &[6]),
        (compute(Work::Roofline { flops: 2.5, bytes: 2.5 }), 16, &[flops, flops].concat()),
        (Call::Control { level: -2, name: "halo" }, 18, b"\x03\x04halo"),
        (Call::Withdraw { window, base: 7 }, 19, &[5]),
        (access(AccessKind::CompareAndSwap, None), 20, &[0b0100, 5, 2, 0xac, 2]),
        (access(AccessKind::Get, Some(RequestId::new(3))), 20, &[0b1001, 5, 2, 0xac, 2, 3]),
        (Call::AwaitAccesses { window, target: None }, 21, &[0, 5]),
        (Call::Lock { window, target: Some(2), exclusive: true }, 22, &[0b11, 5, 2]),
        (Call::Unlock { window, target: Some(2) }, 23, &[1, 5, 2]),
        (Call::FailedPoll { span: Duration::from_picos(128) }, 24, &[0x80, 1]),
        (Call::FileOpen { file: window, path: "/f", hints }, 25, b"\x26\x05\x02/f\x02\x00\x04\xac\x02"),
        (Call::FileAccess(read), 26, &[0b110, 5, 0xac, 2, 9, 8, 2, 6]),
        (Call::FileMetadata { file: window, operations: 3 }, 27, &[5, 3]),
        (Call::FilePointer { file: window, by: 7, set: true }, 28, &[5]),
        (Call::FileDelete { path: "/f" }, 29, b"\x02/f"),
    ];
    for (call, expected, bytes) in entries {
        assert_eq!((code(&call), &*stored(&call, &reply)), (Some(expected), bytes), "{call:?}");
    }
    assert_eq!(code(&Call::Flush), Some(14));
    assert_eq!(code(&Call::Compute { work: Work::Nanos(5), request: Some(RequestId::new(1)) }), None);
}
