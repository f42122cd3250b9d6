//! The line to the simulator, which this test plays: what a program's calls look like, and what answers do.

mod support;

use std::os::fd::AsRawFd;
use std::process::{Child, Command, Stdio};
use std::time::Duration as RealDuration;

use mpirage_call::wire::decode_call;
use mpirage_call::{
    BLOCKING, Call, Completing, Completion, LineId, Operator, Payload, Reply, SendMode, Service, Stamp,
};
use mpirage_channel::{Briefing, CHANNEL_VARIABLE, Mailboxes, Waiting, WorldPlace, channel_value};
use mpirage_units::{Duration, Time};
use rustix::io::{FdFlags, fcntl_setfd};
use support::Workshop;

/// The only line of rank 0.
const LINE: LineId = LineId::new(0);
const SECOND: u64 = 1_000_000_000_000;

const BRIEFING: Briefing = Briefing {
    world: WorldPlace::only(2),
    lines_for_threads: false,
    real_time: false,
    simulator: 0,
    size: 2,
    eager_limit: 65536,
    buffered_limit: 65536,
    inline_bytes: 256,
    measure: false,
    simulated_clock: true,
    local_clock: true,
    speed_ratio: 1.0,
    clock_cost: SECOND / 2,
    epoch: 1_000_000,
    shared_file: -1,
    share_malloc: 0,
    model: [0; 32],
    collectives: [0; 32],
    posix_io: false,
    call_paths: 0,
    checked: false,
};

/// The simulator, as far as rank 0 can tell.
struct Simulator {
    mailboxes: Mailboxes,
    /// The words of the rank since it was last answered, and how many of them have been read.
    words: Vec<u64>,
    read: usize,
}

impl Simulator {
    /// The next call; the rank is awaited if it has said no more.
    fn hear(&mut self, look: impl FnOnce(&Stamp, &Call<'_>)) {
        if self.read == self.words.len() {
            assert_eq!(self.mailboxes.wait(LINE, RealDuration::from_secs(30)), Waiting::Over);
            (self.words, self.read) = (self.mailboxes.calls(LINE).to_vec(), 0);
        }
        let (stamp, call, length) = decode_call(&self.words[self.read..]).expect("a call");
        self.read += length;
        look(&stamp, &call);
    }

    fn answer(&mut self, reply: &Reply) {
        assert_eq!(self.read, self.words.len(), "the last call is the one that waits");
        self.mailboxes.answer(LINE, reply).expect("a reply fits");
        self.mailboxes.release(LINE);
    }

    /// Asks the waiting rank for a service.
    fn serve(&mut self, service: &Service<'_>, into: &mut [u8]) {
        self.mailboxes.serve(LINE, service).expect("a service fits");
        self.mailboxes.release(LINE);
        assert_eq!(self.mailboxes.wait(LINE, RealDuration::from_secs(30)), Waiting::Over);
        self.mailboxes.served(LINE, into);
    }
}

fn at(seconds: u64) -> Reply {
    Reply { now: Time::from_picos(seconds * SECOND), ..Reply::default() }
}

fn ints(numbers: &[i32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
}

fn numbers(bytes: &[u8]) -> Vec<i32> {
    bytes.chunks_exact(4).map(|word| i32::from_ne_bytes(word.try_into().unwrap())).collect()
}

/// Starts the program as rank 0 of a simulator.
fn start(workshop: &Workshop, briefing: Briefing) -> (Simulator, Child) {
    let program = workshop.program("talks", include_str!("c/talks.c"));
    let mailboxes =
        Mailboxes::of_ranks(1, &Briefing { simulator: std::process::id(), ..briefing }).expect("memory");
    fcntl_setfd(mailboxes.file(), FdFlags::empty()).expect("an open file");
    let channel = channel_value(mailboxes.file().as_raw_fd(), LineId::new(0));
    let mut command: Command = program.command();
    let child = command.env(CHANNEL_VARIABLE, channel).stdout(Stdio::piped()).spawn().expect("it runs");
    (Simulator { mailboxes, words: Vec::new(), read: 0 }, child)
}

#[test]
fn in_real_time_a_rank_hands_over_each_call_when_it_makes_it() {
    let workshop = Workshop::new("real-time");
    let (mut simulator, mut child) =
        start(&workshop, Briefing { real_time: true, measure: true, ..BRIEFING });
    simulator.hear(|_, call| assert_eq!(*call, Call::Init));
    simulator.answer(&at(1));
    simulator.hear(|_, call| assert_eq!(*call, Call::Output));
    simulator.hear(|stamp, call| assert!(matches!(call, Call::Send { .. }) && !stamp.burst.is_none()));
    // Nothing is computed between a call and its delivery, so nothing is held for it.
    simulator.hear(|stamp, call| assert!(*call == Call::Flush && stamp.burst.is_none()));
    simulator.answer(&at(2));
    simulator.hear(|_, call| assert!(matches!(call, Call::Send { request: Some(_), .. }), "{call:?}"));
    simulator.hear(|_, call| assert_eq!(*call, Call::Flush));
    child.kill().expect("it can be ended");
    child.wait().expect("it ends");
}

#[test]
fn a_program_talks_to_its_simulator() {
    let workshop = Workshop::new("talks");
    let (mut simulator, child) = start(&workshop, BRIEFING);

    begins(&mut simulator);
    sends(&mut simulator);
    receives(&mut simulator);
    reduces(&mut simulator);
    looks_at_the_clock(&mut simulator);
    assert_eq!(
        ends(&mut simulator, child),
        "begun\ngot 3 from 1 with 9: 7 8 9\nreduced 42\nat 1000007.000000000, 7.5\n"
    );
}

fn begins(simulator: &mut Simulator) {
    simulator.hear(|_, call| assert_eq!(*call, Call::Init));
    simulator.answer(&at(1));
}

/// Output comes before the call that follows it; a small eager send runs ahead, a large one stays in memory.
fn sends(simulator: &mut Simulator) {
    simulator.hear(|_, call| assert_eq!(*call, Call::Output));
    simulator.hear(|stamp, call| {
        assert!(stamp.site != 0);
        let Call::Send { mode: SendMode::Standard, to: 1, tag: 5, payload, request: None, answer, .. } = call
        else {
            panic!("{call:?}");
        };
        assert_eq!((payload, answer), (&Payload::Inline(&ints(&[1, 2, 3, 4])), &false));
    });
    let (mut address, mut id) = (0, BLOCKING);
    simulator.hear(|_, call| match *call {
        Call::Send { bytes: 16384, payload: Payload::At(place), request: Some(request), .. } => {
            (address, id) = (place, request)
        }
        _ => panic!("{call:?}"),
    });
    simulator.hear(|_, call| {
        assert_eq!(*call, Call::Wait { how: Completing::All, poll: false, requests: &[id] });
    });
    let mut peeked = [0; 8];
    simulator.serve(&Service::Peek { address: address + 40, bytes: 8 }, &mut peeked);
    assert_eq!(numbers(&peeked), [10, 11]);
    simulator.answer(&Reply { completions: vec![Completion::empty(0)], ..at(2) });
}

/// A strided receive: packed bytes come in two ways, fewer than there is room for.
fn receives(simulator: &mut Simulator) {
    let mut place = 0;
    simulator.hear(|_, call| match *call {
        Call::Recv { from: None, tag: None, bytes: 16, address, request: None, .. } => place = address,
        _ => panic!("{call:?}"),
    });
    simulator.serve(&Service::Poke { address: place, bytes: &ints(&[7]) }, &mut []);
    assert!(simulator.mailboxes.store(LINE, place + 4, &ints(&[8, 9])));
    let completion = Completion { source: 1, tag: 9, bytes: 12, ..Completion::empty(0) };
    simulator.answer(&Reply { completions: vec![completion], ..at(3) });
}

/// The program's operator is called in the rank, on elements as they lie in memory.
fn reduces(simulator: &mut Simulator) {
    let (mut place, mut operator) = (0, (0, 0));
    simulator.hear(|_, call| assert_eq!(*call, Call::Output));
    simulator.hear(|_, call| {
        let Call::Collective(collective) = call else { panic!("{call:?}") };
        let reduction = collective.reduction.expect("it is a reduction");
        assert_eq!((reduction.element, reduction.elements, reduction.commutative), (4, 1, false));
        assert_eq!(collective.send.payload, Payload::Inline(&ints(&[1])));
        let (Operator::User { op, datatype }, Payload::At(address)) =
            (reduction.operator, collective.recv.payload)
        else {
            panic!("{call:?}");
        };
        (operator, place) = ((op, datatype), address);
    });
    let (incoming, inout) = (ints(&[4]), ints(&[2]));
    let (op, datatype) = operator;
    let mut combined = [0; 4];
    simulator.serve(
        &Service::Reduce { op, datatype, elements: 1, incoming: &incoming, inout: &inout },
        &mut combined,
    );
    assert_eq!(numbers(&combined), [42]);
    assert!(simulator.mailboxes.store(LINE, place, &combined));
    simulator.answer(&at(4));
}

/// Sleeping is a call; reading the clock is none, but costs.
fn looks_at_the_clock(simulator: &mut Simulator) {
    simulator.hear(|_, call| assert_eq!(*call, Call::Output));
    simulator.hear(|_, call| assert_eq!(*call, Call::Sleep { span: Duration::from_nanos(2_000_000_000) }));
    simulator.answer(&at(7));
}

fn ends(simulator: &mut Simulator, child: Child) -> String {
    simulator.hear(|stamp, call| {
        assert_eq!((stamp.delay, call), (Duration::from_picos(SECOND), &Call::Output));
    });
    // It has not freed what it made.
    simulator.hear(|_, call| {
        let Call::Tally(tally) = call else { panic!("{call:?}") };
        assert_eq!((tally.unfreed.datatypes, tally.unfreed.operators), (2, 1));
    });
    simulator.hear(|_, call| assert_eq!(*call, Call::Finalize));
    simulator.answer(&at(9));
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success());
    String::from_utf8(output.stdout).expect("text")
}
