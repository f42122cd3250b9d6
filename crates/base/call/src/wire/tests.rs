//! Calls come out as they went in, and garbage is refused.

use mpirage_units::{Duration, Time};
use proptest::prelude::*;

use super::*;
use crate::calls::any_call;
use crate::*;

/// Words that hold any call of [`any_call`].
const ROOM: usize = 256;

proptest! {
    #[test]
    fn calls_survive_the_wire(call in any_call(), burst in any::<u64>(), function in any::<u16>()) {
        let burst = Burst::from_word(burst);
        let stamp = Stamp { burst, delay: Duration::from_picos(34), site: 56, function };
        let mut buffer = [0; ROOM];
        let written = encode_call(&stamp, &call, &mut buffer).unwrap();
        prop_assert_eq!(decode_call(&buffer).unwrap(), (stamp, call, written));
        prop_assert_eq!(decode_stamp(&buffer).unwrap(), stamp);
        prop_assert!((0..written).all(|length| decode_call(&buffer[..length]).is_err()));
    }

    #[test]
    fn every_way_to_write_a_call_writes_the_same(call in any_call()) {
        let (stamp, mut buffer) = (Stamp { site: 1, ..Stamp::default() }, [0; ROOM]);
        let written = encode_call(&stamp, &call, &mut buffer).unwrap();
        let mut list = vec![99];
        push_call(&stamp, &call, &mut list);
        prop_assert_eq!((list[0], &list[1..]), (99, &buffer[..written]));
        let mut known = [0; ROOM];
        prop_assert_eq!(encode_known_call(&stamp, &call, &mut known), Ok(written));
        prop_assert_eq!(known, buffer);
        prop_assert_eq!(encode_known_call(&stamp, &call, &mut known[..written - 1]), Err(Full));
        prop_assert_eq!(encode_call(&stamp, &call, &mut buffer[..written - 1]), Err(Full));
    }
}

#[test]
fn replies_survive_the_wire() {
    let truncated = Completion {
        index: 2,
        source: -1,
        tag: 5,
        bytes: 1 << 40,
        cancelled: false,
        truncated: true,
        mismatched: true,
    };
    let reply = Reply {
        now: Time::from_picos(77),
        early: false,
        completions: vec![Completion::empty(1), truncated],
        message: Some(4),
        context: Some(ContextId::new(9)),
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
    fn garbage_never_panics(words in proptest::collection::vec(any::<u64>(), 0..40), kind in 0u64..32) {
        let mut words = words;
        if let Some(first) = words.first().copied() {
            let length = words.len() as u64;
            words[0] = kind | (first & 0xff00) | length << 32;
        }
        let _ = decode_call(&words);
        let _ = decode_answer(&words, &mut Reply::default());
    }
}
