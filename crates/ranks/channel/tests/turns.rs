//! Turns, calls, answers, services and stores between the simulator and lines that are threads of this process.

mod common;

use std::cell::RefCell;
use std::time::Duration;

use common::*;
use mpirage_call::wire::decode_call;
use mpirage_call::{Call, LineId, Reply, Service, Stamp, WORLD};
use mpirage_channel::{
    ChannelError, FoldedPlace, LineEnd, LongerBursts, Mailboxes, SERVICE_BYTES, STORE_BYTES, Waiting,
};
use mpirage_units::Time;

#[test]
fn a_line_and_the_simulator_take_turns() {
    let mut mailboxes = of_two_ranks();
    let thread = line(&mailboxes, LINE, |mut end| {
        assert_eq!((end.line(), end.rank(), end.briefing().size), (LINE, rank(0), 2));
        let mut reply = Reply::new();
        let mut dates = Vec::new();
        for turn in 0..1000 {
            assert!(end.post(&stamp(turn), &send(turn as i32, b"bytes")));
            assert!(end.has_calls());
            end.ask(&stamp(turn), &Call::Now, &mut no_service).unwrap();
            assert!(!end.has_calls());
            end.read_reply(&mut reply).unwrap();
            dates.push(reply.now);
        }
        dates
    });
    for turn in 0..1000 {
        let words = calls(&mut mailboxes, LINE);
        assert_eq!(tags(&words), [(turn as i32, turn)]);
        answer(&mut mailboxes, LINE, &at(turn * 10));
    }
    let dates = thread.join().unwrap();
    assert_eq!(dates, (0..1000).map(|turn| Time::from_picos(turn * 10)).collect::<Vec<_>>());
}

#[test]
fn an_unanswered_line_does_not_stop_others() {
    let mut mailboxes = of_two_ranks();
    let ask = |mut end: LineEnd| {
        end.ask(&stamp(1), &Call::Now, &mut no_service).unwrap();
        let mut reply = Reply::new();
        end.read_reply(&mut reply).unwrap();
        reply.now
    };
    let other = LineId::new(1);
    let threads = [line(&mailboxes, LINE, ask), line(&mailboxes, other, ask)];
    while mailboxes.is_running(LINE) || mailboxes.is_running(other) {
        mailboxes.wait_any(&[LINE, other], PATIENCE);
    }
    answer(&mut mailboxes, other, &at(5));
    let [first, second] = threads;
    assert_eq!(second.join().unwrap(), Time::from_picos(5));
    assert!(!mailboxes.is_running(LINE));
    answer(&mut mailboxes, LINE, &at(6));
    assert_eq!(first.join().unwrap(), Time::from_picos(6));
}

#[test]
fn a_rank_can_have_several_lines_more_than_there_was_room_for() {
    let mut mailboxes = Mailboxes::with_room_for(2).expect("memory");
    let opened = [0, 1, 0].map(|number| mailboxes.open_line(rank(number), &briefing()));
    assert_eq!(opened.map(Result::unwrap), [0, 1, 2].map(LineId::new));
    let third = LineId::new(2);
    assert_eq!([0, 1, 2].map(|number| mailboxes.rank_of(LineId::new(number)).get()), [0, 1, 0]);
    // Two threads of rank 0 wait at the same time, each in its own mailbox.
    let ask = |site: u64| {
        move |mut end: LineEnd| {
            assert_eq!(end.rank(), rank(0));
            end.ask(&stamp(site), &Call::Now, &mut no_service).unwrap();
            let mut reply = Reply::new();
            end.read_reply(&mut reply).unwrap();
            reply.now.as_picos()
        }
    };
    let (one, two) = (line(&mailboxes, LINE, ask(11)), line(&mailboxes, third, ask(33)));
    for (id, site) in [(third, 33), (LINE, 11)] {
        let words = calls(&mut mailboxes, id);
        assert_eq!(decode_call(&words).expect("a call").0.site, site);
        answer(&mut mailboxes, id, &at(site * 2));
    }
    assert_eq!((one.join().unwrap(), two.join().unwrap()), (22, 66));
}

#[test]
fn a_full_outbox_is_emptied_and_no_call_is_lost() {
    let mut mailboxes = of_two_ranks();
    let thread = line(&mailboxes, LINE, |mut end| {
        let bytes = [7; 40_000];
        let mut flushed = 0;
        for tag in 0..500 {
            if !end.post(&stamp(3), &send(tag, &bytes)) {
                end.post_later(&stamp(3), &send(tag, &bytes), &mut no_service).unwrap();
                flushed += 1;
            }
        }
        end.ask(&stamp(4), &Call::Finalize, &mut no_service).unwrap();
        flushed
    });
    let (mut received, mut flushes) = (Vec::new(), 0);
    loop {
        let words = calls(&mut mailboxes, LINE);
        received.extend(tags(&words).into_iter().map(|(tag, _)| tag));
        let (mut last, mut rest) = (None, &words[..]);
        while !rest.is_empty() {
            let (stamp, call, length) = decode_call(rest).expect("a call");
            last = Some((stamp.site, matches!(call, Call::Flush), matches!(call, Call::Finalize)));
            rest = &rest[length..];
        }
        answer(&mut mailboxes, LINE, &at(0));
        match last.expect("a line that waits has made a call") {
            (site, true, _) => {
                // The call that did not fit says where it comes from.
                assert_eq!(site, 3);
                flushes += 1;
            }
            (_, _, finalized) => {
                assert!(finalized);
                break;
            }
        }
    }
    assert_eq!(received, (0..500).collect::<Vec<_>>());
    let flushed = thread.join().unwrap();
    assert!(flushed > 2);
    assert_eq!(flushes, flushed);
}

#[test]
fn a_call_that_never_fits_is_refused() {
    let mut mailboxes = of_two_ranks();
    let thread = line(&mailboxes, LINE, |mut end| {
        let bytes = vec![0; 5 << 20];
        assert!(!end.post(&stamp(0), &send(0, &bytes)));
        let refused = end.post_later(&stamp(0), &send(0, &bytes), &mut no_service);
        // The channel works all the same.
        end.ask(&stamp(0), &Call::Finalize, &mut no_service).unwrap();
        refused
    });
    for _ in 0..2 {
        calls(&mut mailboxes, LINE);
        answer(&mut mailboxes, LINE, &at(0));
    }
    assert_eq!(thread.join().unwrap(), Err(ChannelError::TooLarge));
}

#[test]
fn a_waiting_line_serves_requests_of_the_largest_size() {
    let mut mailboxes = of_two_ranks();
    let thread = line(&mailboxes, LINE, |mut end| {
        let mut memory = (0..2 * SERVICE_BYTES).map(|at| at as u8).collect::<Vec<_>>();
        let mut serve = |service: &Service<'_>, out: &mut [u8]| match *service {
            Service::Peek { address, bytes } => {
                let (start, bytes) = (address as usize, bytes as usize);
                out[..bytes].copy_from_slice(&memory[start..start + bytes]);
            }
            Service::Poke { address, bytes } => {
                memory[address as usize..address as usize + bytes.len()].copy_from_slice(bytes);
            }
            _ => panic!("nobody asked for {service:?}"),
        };
        end.ask(&stamp(0), &Call::Now, &mut serve).unwrap();
        memory
    });
    assert_eq!(mailboxes.wait(LINE, PATIENCE), Waiting::Over);
    let mut serve = |service: &Service<'_>, back: &mut [u8]| {
        mailboxes.serve(LINE, service).expect("a service fits");
        mailboxes.release(LINE);
        assert_eq!(mailboxes.wait(LINE, PATIENCE), Waiting::Over);
        mailboxes.served(LINE, back);
    };
    // Two megabytes in two portions, forth and back.
    let mut copy = vec![0; 2 * SERVICE_BYTES];
    for (portion, back) in copy.chunks_mut(SERVICE_BYTES).enumerate() {
        let address = (portion * SERVICE_BYTES) as u64;
        serve(&Service::Peek { address, bytes: SERVICE_BYTES as u64 }, back);
    }
    assert!(copy.iter().enumerate().all(|(at, &byte)| byte == at as u8));
    let ones = vec![1; SERVICE_BYTES];
    serve(&Service::Poke { address: SERVICE_BYTES as u64, bytes: &ones }, &mut []);
    // More than an inbox holds is refused, and the line goes on waiting.
    let too_many = vec![0; 5 << 20];
    assert!(mailboxes.serve(LINE, &Service::Poke { address: 0, bytes: &too_many }).is_err());
    answer(&mut mailboxes, LINE, &at(0));
    let memory = thread.join().unwrap();
    assert_eq!((memory[SERVICE_BYTES - 1], memory[SERVICE_BYTES]), ((SERVICE_BYTES - 1) as u8, 1));
}

#[test]
fn stores_arrive_before_the_call_returns_until_there_is_no_room() {
    let mut mailboxes = of_two_ranks();
    let thread = line(&mailboxes, LINE, |mut end| {
        let buffer: &mut [u8; 24] = Box::leak(Box::new([0; 24]));
        let address = buffer.as_mut_ptr();
        let recv = Call::Recv {
            context: WORLD,
            from: None,
            tag: None,
            bytes: 24,
            address: address.addr() as u64,
            request: None,
            matched: None,
        };
        end.ask(&stamp(0), &recv, &mut no_service).unwrap();
        // SAFETY: a leaked array; the stores that wrote to it are over.
        unsafe { std::slice::from_raw_parts(address, 24) }.to_vec()
    });
    let words = calls(&mut mailboxes, LINE);
    let (_, Call::Recv { address, .. }, _) = decode_call(&words).expect("a call") else {
        panic!("the line receives");
    };
    // Odd lengths at odd addresses, and one over another.
    assert!(mailboxes.store(LINE, address + 1, b"abcde"));
    assert!(mailboxes.store(LINE, address + 9, b"0123456789"));
    assert!(mailboxes.store(LINE, address + 3, b"X"));
    assert!(!mailboxes.store(LINE, address, &vec![0; STORE_BYTES]));
    answer(&mut mailboxes, LINE, &at(0));
    assert_eq!(thread.join().unwrap(), b"\0abXde\0\0\x000123456789\0\0\0\0\0");
}

#[test]
fn garbage_in_the_inbox_is_an_error_and_no_crash() {
    let mut mailboxes = of_two_ranks();
    let thread = line(&mailboxes, LINE, |mut end| {
        end.ask(&stamp(0), &Call::Now, &mut |_: &Service<'_>, _: &mut [u8]| {})
            .and_then(|()| end.read_reply(&mut Reply::new()))
    });
    calls(&mut mailboxes, LINE);
    // The inbox lies behind the header and the outbox of four megabytes; no reply begins with these words.
    let inbox = mailboxes.address(LINE).wrapping_add(4096 + (4096 << 10));
    // SAFETY: inside the mailbox, which the simulator owns while the line waits.
    unsafe { inbox.cast::<[u64; 2]>().write([u64::MAX; 2]) };
    mailboxes.release(LINE);
    assert_eq!(thread.join().unwrap(), Err(ChannelError::Garbled));
}

#[test]
fn a_rank_that_overwrites_its_mailbox_does_not_change_whose_it_is() {
    let mailboxes = of_two_ranks();
    // SAFETY: the header of a line that does not run.
    unsafe { mailboxes.address(LineId::new(1)).write_bytes(0xff, 4096) };
    assert_eq!([0, 1].map(|number| mailboxes.rank_of(LineId::new(number)).get()), [0, 1]);
}

#[test]
fn disturbed_bursts_of_all_lines_are_added_up() {
    let mut mailboxes = of_two_ranks();
    let disturb = |nanos: u64| {
        move |mut end: LineEnd| {
            end.note_unusual_burst(nanos);
            end.note_unusual_burst(1);
            end.note_interrupted_burst(5);
            end.ask(&stamp(0), &Call::Finalize, &mut no_service).unwrap();
        }
    };
    let lines = [LINE, LineId::new(1)];
    let threads = [line(&mailboxes, lines[0], disturb(10)), line(&mailboxes, lines[1], disturb(300))];
    for line in lines {
        calls(&mut mailboxes, line);
        answer(&mut mailboxes, line, &at(0));
    }
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let LongerBursts { bursts, nanos } = mailboxes.disturbed().unusual;
    assert_eq!((bursts, nanos), (4, 312));
    assert_eq!(mailboxes.disturbed().interrupted, LongerBursts { bursts: 2, nanos: 10 });
}

#[test]
#[should_panic(expected = "line 0 is running")]
fn the_simulator_cannot_read_the_mailbox_of_a_line_that_runs() {
    of_two_ranks().calls(LINE);
}

#[test]
fn a_wait_ends_when_patience_does() {
    let mailboxes = of_two_ranks();
    let short = Duration::from_millis(5);
    assert_eq!(mailboxes.wait(LINE, short), Waiting::Interrupted);
    assert_eq!(mailboxes.wait_any(&[LINE, LineId::new(1)], short), Waiting::Interrupted);
    mailboxes.take_back(LineId::new(1));
    assert_eq!(mailboxes.wait_any(&[LINE, LineId::new(1)], PATIENCE), Waiting::Over);
}

thread_local! {
    /// The mailboxes of folded ranks, which run on the simulator's thread.
    static SHARED: RefCell<Option<Mailboxes>> = const { RefCell::new(None) };
}

/// Plays the simulator when a folded line passes its turn: answers with the date that the call's stamp names.
extern "C" fn pass() {
    SHARED.with_borrow_mut(|mailboxes| {
        let mailboxes = mailboxes.as_mut().expect("the test has made them");
        let site = decode_call(mailboxes.calls(LINE)).expect("a call").0.site;
        mailboxes.forget_calls(LINE);
        mailboxes.answer(LINE, &at(site)).expect("a reply fits");
    });
}

#[test]
fn folded_lines_share_a_mailbox_in_turn() {
    let mailboxes = Mailboxes::of_ranks(1, &briefing()).expect("memory");
    mailboxes.take_back(LINE);
    let address = mailboxes.address(LINE);
    SHARED.set(Some(mailboxes));
    let end = |number: u32| {
        // SAFETY: the mailbox lives as long as this thread, and only the line that runs uses it.
        LineEnd::folded(unsafe { FoldedPlace::new(LineId::new(number), rank(number), address, pass) })
    };
    let mut ends = [end(0), end(1), end(2)];
    for round in 0..3 {
        for (number, end) in ends.iter_mut().enumerate() {
            let site = 100 * round + number as u64;
            end.ask(&Stamp { site, ..Stamp::default() }, &Call::Now, &mut no_service).unwrap();
            let mut reply = Reply::new();
            end.read_reply(&mut reply).unwrap();
            assert_eq!(reply.now, Time::from_picos(site));
            assert_eq!((end.rank().get(), end.line().get()), (number as u32, number as u32));
        }
    }
}
