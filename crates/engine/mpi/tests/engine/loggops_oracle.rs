//! `loggops` against the naive definition: one queue of events, in which whatever cannot start is entered again for later.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use mpirage_call::{Call, Work};
use mpirage_mpi::Ending;
use mpirage_platform::Platform;
use proptest::prelude::*;

use crate::common::{recv, run, send};

/// Nanoseconds, and S in bytes.
#[derive(Clone, Copy, Debug)]
struct Letters {
    latency: u64,
    o: u64,
    g: u64,
    big_g: u64,
    big_o: u64,
    s: u64,
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Calc(u64),
    Send { to: usize, tag: i32, bytes: u64 },
    Recv { from: usize, tag: i32 },
}

/// An event in the queue: the next operation of a rank, or a message that has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Op { rank: usize },
    Message { to: usize, from: usize, tag: i32, bytes: u64 },
}

/// A simulation as LogGOPSim does it, for ranks that do one thing after the other.
struct Naive<'p> {
    letters: Letters,
    programs: &'p [Vec<Op>],
    position: Vec<usize>,
    next_o: Vec<u64>,
    next_gs: Vec<u64>,
    next_gr: Vec<u64>,
    posted: BTreeSet<i32>,
    unexpected: BTreeSet<i32>,
    /// Date, order of first entry, what.
    queue: BinaryHeap<Reverse<(u64, u64, Event)>>,
    entered: u64,
    ends: Vec<u64>,
}

impl<'p> Naive<'p> {
    fn run(letters: Letters, programs: &'p [Vec<Op>]) -> Vec<u64> {
        let zeros = || vec![0; programs.len()];
        let mut naive = Naive {
            letters,
            programs,
            position: vec![0; programs.len()],
            next_o: zeros(),
            next_gs: zeros(),
            next_gr: zeros(),
            posted: BTreeSet::new(),
            unexpected: BTreeSet::new(),
            queue: BinaryHeap::new(),
            entered: 0,
            ends: zeros(),
        };
        (0..programs.len()).for_each(|rank| naive.free_next(rank));
        while let Some(Reverse((now, turn, event))) = naive.queue.pop() {
            match event {
                Event::Op { rank } => naive.op(now, turn, rank),
                Event::Message { to, from, tag, bytes } => naive.message(now, turn, (to, from, tag, bytes)),
            }
        }
        naive.ends
    }

    fn enter(&mut self, at: u64, event: Event) {
        self.entered += 1;
        self.queue.push(Reverse((at, self.entered, event)));
    }

    fn free_next(&mut self, rank: usize) {
        let at = match self.programs[rank].get(self.position[rank]) {
            None => return self.ends[rank] = self.next_o[rank],
            Some(Op::Send { .. }) => self.next_o[rank].max(self.next_gs[rank]),
            Some(_) => self.next_o[rank],
        };
        self.enter(at, Event::Op { rank });
    }

    fn done(&mut self, rank: usize) {
        self.position[rank] += 1;
        self.free_next(rank);
    }

    fn op(&mut self, now: u64, turn: u64, rank: usize) {
        let Letters { latency, o, g, big_g, big_o, s } = self.letters;
        let again = |naive: &mut Self, at| naive.queue.push(Reverse((at, turn, Event::Op { rank })));
        match self.programs[rank][self.position[rank]] {
            Op::Calc(_) if self.next_o[rank] > now => again(self, self.next_o[rank]),
            Op::Calc(nanos) => {
                self.next_o[rank] = now + nanos;
                self.done(rank);
            }
            Op::Send { .. } if self.next_o[rank].max(self.next_gs[rank]) > now => {
                again(self, self.next_o[rank].max(self.next_gs[rank]));
            }
            Op::Send { to, tag, bytes } => {
                self.next_o[rank] = now + o + (bytes - 1) * big_o;
                self.next_gs[rank] = now + g + (bytes - 1) * big_g;
                self.enter(now + o + latency, Event::Message { to, from: rank, tag, bytes });
                if bytes <= s {
                    self.done(rank);
                }
            }
            Op::Recv { from, tag } => {
                if self.unexpected.remove(&tag) {
                    self.matched(now, from, tag);
                    // A rank that goes on is not before its receive.
                    self.next_o[rank] = self.next_o[rank].max(now);
                    self.done(rank);
                } else {
                    self.posted.insert(tag);
                }
            }
        }
    }

    fn message(&mut self, now: u64, turn: u64, message: (usize, usize, i32, u64)) {
        let (to, from, tag, bytes) = message;
        let Letters { o, g, big_g, big_o, .. } = self.letters;
        let free = self.next_o[to].max(self.next_gr[to]);
        if free > now {
            return self.queue.push(Reverse((free, turn, Event::Message { to, from, tag, bytes })));
        }
        self.next_o[to] = now + o + (bytes - 1) * big_o.max(big_g);
        self.next_gr[to] = now + g + (bytes - 1) * big_g;
        if self.posted.remove(&tag) {
            self.matched(now, from, tag);
            self.done(to);
        } else {
            self.unexpected.insert(tag);
        }
    }

    /// A sender of a large message may go on.
    fn matched(&mut self, now: u64, from: usize, tag: i32) {
        let waits = matches!(self.programs[from].get(self.position[from]), Some(Op::Send { tag: own, .. }) if *own == tag);
        if waits {
            self.next_o[from] = self.next_o[from].max(now);
            self.next_gs[from] = self.next_gs[from].max(now);
            self.done(from);
        }
    }
}

fn simulated(letters: Letters, programs: &[Vec<Op>]) -> Vec<u64> {
    let Letters { latency, o, g, big_g, big_o, s } = letters;
    let text = format!(
        "[cluster]\nhosts = {}\nspeed = \"1Gf\"\nbandwidth = \"1GBps\"\nlatency = \"1us\"\n[model]\n\
         L = {latency}e-9\no = {o}e-9\ng = {g}e-9\nG = {big_g}e-9\nO = {big_o}e-9\neager-limit = {}\n",
        programs.len(),
        s + 1
    );
    let call = |op: &Op| match *op {
        Op::Calc(nanos) => Call::Compute { work: Work::Flops(nanos as f64), request: None },
        Op::Send { to, tag, bytes } => send(to as u32, tag, bytes, None),
        Op::Recv { from, tag } => recv(Some(from as u32), Some(tag), 1 << 40, None),
    };
    let scripts: Vec<Vec<Call<'_>>> = programs.iter().map(|ops| ops.iter().map(call).collect()).collect();
    let ran = run(Platform::from_text("test.toml", &text).unwrap(), "loggops", "", &scripts);
    assert_eq!(ran.ending, Ending::Finished);
    ran.ends.iter().map(|end| (end * 1e9).round() as u64).collect()
}

/// Messages are sent and received in one order everywhere, so no rank waits for ever. Ranks start at different dates: what
/// happens at one instant may happen in any order, and the two simulations need not choose the same.
fn programs(starts: &[u64], steps: Vec<(usize, usize, u64, bool)>) -> Vec<Vec<Op>> {
    let ranks = starts.len();
    let mut programs: Vec<Vec<Op>> =
        starts.iter().zip(0..).map(|(&nanos, rank)| vec![Op::Calc(nanos + 7919 * rank)]).collect();
    for (tag, (one, other, amount, calc)) in steps.into_iter().enumerate() {
        let (from, to, tag) = (one % ranks, (one + 1 + other % (ranks - 1)) % ranks, tag as i32);
        if calc {
            programs[from].push(Op::Calc(97 * amount));
        } else {
            programs[from].push(Op::Send { to, tag, bytes: amount });
            programs[to].push(Op::Recv { from, tag });
        }
    }
    programs
}

/// Large and odd, so that what happens at different places seldom happens at one instant.
fn letters(s: std::ops::Range<u64>) -> impl Strategy<Value = Letters> {
    let odd = |range: std::ops::Range<u64>| range.prop_map(|n| n * 2 + 1);
    let big = (odd(1000..200_000), odd(1000..100_000), odd(0..100_000));
    (big, 1u64..8, 1u64..8, s).prop_map(|((latency, o, g), big_g, big_o, s)| Letters {
        latency,
        o,
        g,
        big_g,
        big_o,
        s,
    })
}

fn steps() -> impl Strategy<Value = Vec<(usize, usize, u64, bool)>> {
    proptest::collection::vec((0usize..64, 0usize..64, 1u64..4000, proptest::bool::weighted(0.3)), 1..60)
}

fn starts(ranks: std::ops::Range<usize>) -> impl Strategy<Value = Vec<u64>> {
    proptest::collection::vec(1u64..1_000_000, ranks)
}

proptest! {
    // Programs are always the same: of ten thousand with large messages a few have ties, which the two simulations resolve
    // differently. Nothing is made smaller for the same reason: the smallest case would be one with a tie.
    #![proptest_config(ProptestConfig {
        cases: 400,
        rng_seed: proptest::test_runner::RngSeed::Fixed(4),
        max_shrink_iters: 0,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn eager_messages_take_as_long_as_in_the_naive_simulation(
        letters in letters(4000..4001),
        starts in starts(2..6),
        steps in steps(),
    ) {
        let programs = programs(&starts, steps);
        prop_assert_eq!(simulated(letters, &programs), Naive::run(letters, &programs));
    }

    /// Two ranks only: a match frees two senders at one instant where there are more.
    #[test]
    fn large_messages_take_as_long_as_in_the_naive_simulation(
        letters in letters(0..4000),
        starts in starts(2..3),
        steps in steps(),
    ) {
        let programs = programs(&starts, steps);
        prop_assert_eq!(simulated(letters, &programs), Naive::run(letters, &programs));
    }
}
