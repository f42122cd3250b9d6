//! What goes in comes out, and garbage is refused.

use mpirage_collectives::Collective;
use mpirage_units::{Duration, Time};
use proptest::prelude::*;

use super::*;
use crate::*;

fn samples() -> Vec<Call<'static>> {
    let part = Part { payload: Payload::Inline(b"abcdefghi"), blocks: Blocks::Each(&[0, 4, 4, 5]) };
    let user = Operator::User { op: 9, datatype: 10 };
    let reduction = Reduction { operator: user, commutative: true, element: 12, elements: 3 };
    let collective = |reduction, request| {
        let (kind, context) = (Collective::Allreduce, 3);
        Call::Collective(CollectiveCall {
            kind,
            context,
            root: 2,
            send: part,
            recv: Part::EMPTY,
            reduction,
            request,
            plan: 5,
        })
    };
    vec![
        Call::Init,
        Call::Finalize,
        Call::Abort { code: -7 },
        Call::Misuse { text: "tag −1 is negative" },
        Call::Now,
        Call::When,
        Call::Sleep { span: Duration::from_nanos(5) },
        Call::Send {
            mode: SendMode::Buffered,
            context: 4,
            to: 5,
            tag: -6,
            bytes: 9,
            payload: part.payload,
            request: Some(8),
            answer: true,
        },
        Call::Recv {
            context: 1,
            from: None,
            tag: None,
            bytes: 7,
            address: 99,
            request: None,
            matched: Some(3),
        },
        Call::Recv {
            context: 1,
            from: Some(2),
            tag: Some(-3),
            bytes: 7,
            address: 99,
            request: Some(1),
            matched: None,
        },
        Call::Wait { how: Completing::Some, poll: true, requests: &[1, 2, 3] },
        Call::Probe { context: 2, from: Some(1), tag: Some(0), poll: false, take: true },
        Call::Cancel { request: 3 },
        Call::Free { request: 4 },
        collective(Some(reduction), None),
        collective(
            Some(Reduction { operator: Operator::Predefined { op: 2, basic: 7 }, ..reduction }),
            Some(6),
        ),
        collective(None, None),
        Call::MakeComm { parent: 0, how: CommRequest::Dup },
        Call::MakeComm { parent: 0, how: CommRequest::DupLater { request: 9 } },
        Call::MakeComm { parent: 0, how: CommRequest::Split { color: Some(-4), key: -5 } },
        Call::MakeComm { parent: 0, how: CommRequest::Split { color: None, key: 2 } },
        Call::MakeComm { parent: 0, how: CommRequest::Create(&[3, 1, 2]) },
        Call::MakeComm { parent: 0, how: CommRequest::CreateGroup { members: &[5], tag: -2 } },
        Call::MakeComm { parent: 0, how: CommRequest::SplitByHost { key: -1 } },
        Call::FreeComm { context: 7 },
        Call::Output,
        Call::Flush,
        Call::SampleBegin {
            site: "ep.c:40",
            global: true,
            rule: Rule { least: 2, most: 10, error: 0.25, interval: false },
        },
        Call::SampleBegin {
            site: "ep.c:41 ω",
            global: false,
            rule: Rule { least: 5, most: u64::MAX, error: -1.0, interval: true },
        },
        Call::SampleEnd,
        Call::Compute { work: Work::Flops(2.5e9), request: None },
        Call::Compute { work: Work::Nanos(77), request: Some(3) },
        Call::TakeCompleted,
        Call::ExecutionUnit { cpu: 3, nic: 200, after: Duration::from_picos(7), tell: true },
        Call::Share { site: "dt.c:7" },
        Call::Tally(Tally { executed: 1, skipped: 2, shared: 3 }),
    ]
}

#[test]
fn calls_survive_the_wire() {
    let stamp =
        Stamp { burst: Burst::parallel(12, 3), delay: Duration::from_picos(34), site: 56, function: 78 };
    let mut buffer = [0; 64];
    for call in samples() {
        let written = encode_call(&stamp, &call, &mut buffer).unwrap();
        assert_eq!(decode_call(&buffer).unwrap(), (stamp, call, written));
    }
}

#[test]
fn a_record_that_does_not_fit_is_refused() {
    let mut room = [0; 64];
    for call in samples() {
        let needed = encode_call(&Stamp::default(), &call, &mut room).unwrap();
        assert_eq!(encode_call(&Stamp::default(), &call, &mut room[..needed - 1]), Err(Full));
    }
}

#[test]
fn replies_survive_the_wire() {
    let truncated =
        Completion { index: 2, source: -1, tag: 5, bytes: 1 << 40, cancelled: false, truncated: true };
    let reply = Reply {
        now: Time::from_picos(77),
        early: false,
        completions: vec![Completion::empty(1), truncated],
        message: Some(4),
        context: Some(9),
        members: vec![3, 1, 2],
        number: Some(1 << 40),
    };
    let mut buffer = [0; 64];
    let written = encode_reply(&reply, &mut buffer).unwrap();
    let mut back = Reply::default();
    let (answer, read) = decode_answer(&buffer, &mut back).unwrap();
    assert!(matches!(answer, Answer::Done));
    assert_eq!((back, read), (reply, written));
}

#[test]
fn an_early_reply_has_no_date() {
    let reply = Reply { early: true, ..Reply::default() };
    let mut buffer = [0; 64];
    encode_reply(&reply, &mut buffer).unwrap();
    let mut back = Reply { now: Time::from_picos(77), ..Reply::default() };
    decode_answer(&buffer, &mut back).unwrap();
    assert_eq!(back, reply);
}

#[test]
fn services_survive_the_wire() {
    let services = [
        Service::Peek { address: 5, bytes: 6 },
        Service::Poke { address: 5, bytes: b"hello, rank" },
        Service::Reduce { op: 1, datatype: 2, elements: 3, incoming: b"abc", inout: b"defg" },
        Service::Stage { offset: 7, bytes: b"part of an operand" },
        Service::ReduceStaged { op: 1, datatype: 2, elements: 3, bytes: 4 },
        Service::Fetch { offset: 8, bytes: 9 },
    ];
    let mut buffer = [0; 64];
    for service in services {
        encode_service(&service, &mut buffer).unwrap();
        let mut reply = Reply::default();
        match decode_answer(&buffer, &mut reply).unwrap().0 {
            Answer::Serve(back) => assert_eq!(back, service),
            Answer::Done => panic!("a service became a reply"),
        }
    }
}

proptest! {
    #[test]
    fn garbage_never_panics(words in proptest::collection::vec(any::<u64>(), 0..40), kind in 0u64..24) {
        let mut words = words;
        if let Some(first) = words.first().copied() {
            let length = words.len() as u64;
            words[0] = kind | (first & 0xff00) | length << 32;
        }
        let _ = decode_call(&words);
        let _ = decode_answer(&words, &mut Reply::default());
    }
}
