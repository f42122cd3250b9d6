//! GOAL schedules under `loggops` against the naive definition: one queue of events, in which whatever cannot start is entered
//! again for later.
//!
//! The definition is that of LogGOPSim, to which it was compared over thousands of random schedules (`tests/traces/goal_against_loggopsim.py` does
//! the same to us).

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use mpirage_collectives::Choice;
use mpirage_kernel::Kernel;
use mpirage_models::Cores;
use mpirage_mpi::{Bursts, Ending, Engine, NoMemory, Setup};
use mpirage_platform::{HostId, Platform};
use mpirage_record::Summary;
use mpirage_scenario::Model;
use mpirage_simulation::Watch;
use mpirage_trace::Goal;
use proptest::prelude::*;

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

/// The order of the kinds is the order in which what is freed at once is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum OpKind {
    Send,
    Recv,
    Calc,
}

#[derive(Clone, Copy, Debug)]
struct Op {
    kind: OpKind,
    size: u64,
    peer: usize,
    tag: usize,
    cpu: usize,
    nic: usize,
}

/// One rank: its operations, and who waits for whom (`true` for the start).
#[derive(Clone, Debug, Default)]
struct Schedule {
    ops: Vec<Op>,
    edges: Vec<(usize, usize, bool)>,
}

fn text(schedules: &[Schedule]) -> String {
    let mut text = format!("num_ranks {}\n", schedules.len());
    for (rank, schedule) in schedules.iter().enumerate() {
        writeln!(text, "rank {rank} {{").unwrap();
        for (number, &Op { kind, size, peer, tag, cpu, nic }) in schedule.ops.iter().enumerate() {
            match kind {
                OpKind::Send => {
                    writeln!(text, "l{number}: send {size}b to {peer} tag {tag} cpu {cpu} nic {nic}")
                }
                OpKind::Recv => {
                    writeln!(text, "l{number}: recv {size}b from {peer} tag {tag} cpu {cpu} nic {nic}")
                }
                OpKind::Calc => writeln!(text, "l{number}: calc {size} cpu {cpu}"),
            }
            .unwrap();
        }
        for &(later, earlier, start) in &schedule.edges {
            let word = if start { "irequires" } else { "requires" };
            writeln!(text, "l{later} {word} l{earlier}").unwrap();
        }
        text.push_str("}\n");
    }
    text
}

const LANES: usize = 3;

/// An entry of the queue: an operation of a rank, or a message that has arrived, named by the operation that sent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Op { rank: usize, op: usize },
    Message { from: usize, op: usize },
}

struct Naive<'s> {
    letters: Letters,
    schedules: &'s [Schedule],
    left: Vec<Vec<usize>>,
    next_o: Vec<[u64; LANES]>,
    next_gs: Vec<[u64; LANES]>,
    next_gr: Vec<[u64; LANES]>,
    /// Receives that wait, and messages that came before theirs: whose, and which operation.
    posted: Vec<Vec<usize>>,
    unexpected: Vec<Vec<(usize, usize)>>,
    queue: BinaryHeap<Reverse<(u64, u64, Event)>>,
    entered: u64,
    /// The operations that the current event has made ready.
    freed: Vec<(usize, usize)>,
}

impl<'s> Naive<'s> {
    /// When each rank ends.
    fn run(letters: Letters, schedules: &'s [Schedule]) -> Vec<u64> {
        let ranks = schedules.len();
        let waits = |schedule: &Schedule| {
            let mut left = vec![0; schedule.ops.len()];
            schedule.edges.iter().for_each(|&(later, ..)| left[later] += 1);
            left
        };
        let mut naive = Naive {
            letters,
            schedules,
            left: schedules.iter().map(waits).collect(),
            next_o: vec![[0; LANES]; ranks],
            next_gs: vec![[0; LANES]; ranks],
            next_gr: vec![[0; LANES]; ranks],
            posted: vec![Vec::new(); ranks],
            unexpected: vec![Vec::new(); ranks],
            queue: BinaryHeap::new(),
            entered: 0,
            freed: Vec::new(),
        };
        for (rank, schedule) in schedules.iter().enumerate() {
            let roots = (0..schedule.ops.len()).filter(|&op| naive.left[rank][op] == 0);
            naive.freed.extend(roots.map(|op| (rank, op)));
        }
        naive.enter_freed();
        while let Some(Reverse((now, turn, event))) = naive.queue.pop() {
            let again = match event {
                Event::Op { rank, op } => naive.op(now, rank, op),
                Event::Message { from, op } => naive.message(now, from, op),
            };
            match again {
                Some(at) => naive.queue.push(Reverse((at, turn, event))),
                None => naive.enter_freed(),
            }
        }
        naive.next_o.iter().map(|cpus| *cpus.iter().max().unwrap()).collect()
    }

    fn enter(&mut self, at: u64, event: Event) {
        self.entered += 1;
        self.queue.push(Reverse((at, self.entered, event)));
    }

    /// By rank, then by kind, then in the order of freeing.
    fn enter_freed(&mut self) {
        let mut freed = std::mem::take(&mut self.freed);
        freed.sort_by_key(|&(rank, op)| (rank, self.schedules[rank].ops[op].kind));
        for (rank, op) in freed {
            let Op { kind, cpu, nic, .. } = self.schedules[rank].ops[op];
            let interface = if kind == OpKind::Send { self.next_gs[rank][nic] } else { 0 };
            self.enter(self.next_o[rank][cpu].max(interface), Event::Op { rank, op });
        }
    }

    /// One dependency less for those that wait for the start, or the end, of an operation.
    fn free(&mut self, rank: usize, op: usize, start: bool) {
        for &(later, earlier, at_start) in &self.schedules[rank].edges {
            if (earlier, at_start) == (op, start) {
                self.left[rank][later] -= 1;
                if self.left[rank][later] == 0 {
                    self.freed.push((rank, later));
                }
            }
        }
    }

    /// Gives the date for which it is to be entered again.
    fn op(&mut self, now: u64, rank: usize, number: usize) -> Option<u64> {
        let Letters { latency, o, g, big_g, big_o, s } = self.letters;
        let Op { kind, size, peer, tag, cpu, nic } = self.schedules[rank].ops[number];
        let free = match kind {
            OpKind::Send => self.next_o[rank][cpu].max(self.next_gs[rank][nic]),
            OpKind::Calc => self.next_o[rank][cpu],
            OpKind::Recv => now,
        };
        if free > now {
            return Some(free);
        }
        self.free(rank, number, true);
        match kind {
            OpKind::Calc => {
                self.next_o[rank][cpu] = now + size;
                self.free(rank, number, false);
            }
            OpKind::Send => {
                self.next_o[rank][cpu] = now + o + (size - 1) * big_o;
                self.next_gs[rank][nic] = now + g + (size - 1) * big_g;
                self.enter(now + o + latency, Event::Message { from: rank, op: number });
                if size <= s {
                    self.free(rank, number, false);
                }
            }
            OpKind::Recv => {
                let fits =
                    |&(from, op): &(usize, usize)| from == peer && self.schedules[from].ops[op].tag == tag;
                match self.unexpected[rank].iter().position(fits) {
                    Some(place) => {
                        let (from, op) = self.unexpected[rank].remove(place);
                        self.matched(now, from, op);
                        self.free(rank, number, false);
                    }
                    None => self.posted[rank].push(number),
                }
            }
        }
        None
    }

    fn message(&mut self, now: u64, from: usize, number: usize) -> Option<u64> {
        let Letters { o, g, big_g, big_o, .. } = self.letters;
        let Op { size, peer: to, tag, cpu, nic, .. } = self.schedules[from].ops[number];
        let free = self.next_o[to][cpu].max(self.next_gr[to][nic]);
        if free > now {
            return Some(free);
        }
        self.next_o[to][cpu] = now + o + (size - 1) * big_o.max(big_g);
        self.next_gr[to][nic] = now + g + (size - 1) * big_g;
        let fits = |&op: &usize| {
            let receive = self.schedules[to].ops[op];
            (receive.peer, receive.tag) == (from, tag)
        };
        match self.posted[to].iter().position(fits) {
            Some(place) => {
                let receive = self.posted[to].remove(place);
                self.matched(now, from, number);
                self.free(to, receive, false);
            }
            None => self.unexpected[to].push((from, number)),
        }
        None
    }

    /// A sender of a large message is done.
    fn matched(&mut self, now: u64, from: usize, number: usize) {
        let Op { size, cpu, nic, .. } = self.schedules[from].ops[number];
        if size > self.letters.s {
            self.free(from, number, false);
            self.next_o[from][cpu] = self.next_o[from][cpu].max(now);
            self.next_gs[from][nic] = self.next_gs[from][nic].max(now);
        }
    }
}

struct Nobody;

impl Watch for Nobody {
    fn progress(&mut self, _: mpirage_simulation::SoFar) -> bool {
        false
    }
}

/// When each rank of a schedule ends.
fn simulated(letters: Letters, ranks: usize, goal: &str) -> Vec<u64> {
    let Letters { latency, o, g, big_g, big_o, s } = letters;
    let text = format!(
        "[cluster]\nhosts = {ranks}\nspeed = \"1Gf\"\nbandwidth = \"1GBps\"\nlatency = \"1us\"\n[model]\n\
         L = {latency}e-9\no = {o}e-9\ng = {g}e-9\nG = {big_g}e-9\nO = {big_o}e-9\neager-limit = {}\n",
        s + 1
    );
    let platform = Arc::new(Platform::from_text("test.toml", &text).unwrap());
    let (model, _) = Model::resolve("loggops", platform.settings(), (100e-6, 125e6)).unwrap();
    let placement: Vec<HostId> = (0..ranks as u32).map(HostId).collect();
    let setup = Setup {
        kernel: Kernel::new(model.network_on(&platform), Box::new(Cores::new(platform, &placement))),
        seconds_per_nano: vec![1e-9; ranks],
        host_cores: vec![1; ranks],
        rank_cores: vec![0; ranks],
        host_flops: vec![1e9; ranks],
        placement,
        jobs: Vec::new(),
        starts: Vec::new(),
        protocol: model.protocol,
        collectives: Choice::parse("").unwrap(),
        accelerators: None,
        collective_times: None,
        bursts: Bursts::Measured,
        storages: Default::default(),
        recorder: Box::new(Summary::default()),
    };
    let mut engine = Engine::new(setup, NoMemory);
    let mut goal = Goal::from_text(Path::new("test.goal"), goal.as_bytes().to_vec()).unwrap();
    let ending = mpirage_simulation::run_workload(&mut engine, &mut goal, &mut Nobody).unwrap();
    assert_eq!(ending, Ending::Finished);
    engine.ends().map(|end| (end.as_secs_f64() * 1e9).round() as u64).collect()
}

/// One step of a schedule: its rank, the receiver (none for a computation), how large, on which processor and interface, and which
/// earlier operations of the same processor each side waits for.
type Wish = (usize, Option<usize>, u64, (usize, usize), Vec<(usize, bool)>);

/// Operations wait for earlier ones only, so no rank waits for ever; and for those of their own processor only.
fn schedules(ranks: usize, cpus: usize, nics: usize, wishes: Vec<Wish>) -> Vec<Schedule> {
    let mut schedules = vec![Schedule::default(); ranks];
    let mut add = |rank: usize, op: Op, earlier: &[(usize, bool)]| {
        let Schedule { ops, edges } = &mut schedules[rank];
        let number = ops.len();
        let mine: Vec<usize> = (0..number).filter(|&other| ops[other].cpu == op.cpu).collect();
        for &(back, start) in earlier.iter().filter(|(back, _)| *back < mine.len()) {
            edges.push((number, mine[mine.len() - 1 - back], start));
        }
        ops.push(op);
    };
    for (tag, (one, other, size, (cpu, nic), earlier)) in wishes.into_iter().enumerate() {
        let (rank, cpu, nic) = (one % ranks, cpu % cpus, nic % nics);
        let Some(other) = other else {
            let calc = Op { kind: OpKind::Calc, size: size - 1, peer: 0, tag, cpu, nic: 0 };
            add(rank, calc, &earlier);
            continue;
        };
        let to = other % ranks;
        // A receive of one's own message does not wait for its sending.
        let own = usize::from(to == rank);
        let not_own: Vec<(usize, bool)> = earlier.iter().map(|&(back, start)| (back + own, start)).collect();
        add(rank, Op { kind: OpKind::Send, size, peer: to, tag, cpu, nic }, &earlier);
        add(to, Op { kind: OpKind::Recv, size, peer: rank, tag, cpu, nic: 0 }, &not_own);
    }
    schedules
}

/// Round numbers, so that much happens at one instant.
fn letters() -> impl Strategy<Value = Letters> {
    let letter = || prop_oneof![Just(100u64), Just(200), Just(1000)];
    (letter(), letter(), letter(), 0u64..3, 0u64..3, prop_oneof![Just(150u64), Just(100_000)])
        .prop_map(|(latency, o, g, big_g, big_o, s)| Letters { latency, o, g, big_g, big_o, s })
}

fn wishes() -> impl Strategy<Value = Vec<Wish>> {
    let size = prop_oneof![Just(1u64), Just(101), Just(201), Just(1001)];
    let earlier = proptest::collection::vec((0usize..6, proptest::bool::weighted(0.3)), 0..3);
    let other = proptest::option::weighted(0.7, 0usize..8);
    proptest::collection::vec((0usize..8, other, size, (0usize..3, 0usize..3), earlier), 1..80)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        rng_seed: proptest::test_runner::RngSeed::Fixed(7),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn graphs_take_as_long_as_in_the_naive_simulation(
        letters in letters(),
        (ranks, cpus, nics) in (1usize..6, 1usize..=LANES, 1usize..=LANES),
        wishes in wishes(),
    ) {
        let schedules = schedules(ranks, cpus, nics, wishes);
        prop_assert_eq!(simulated(letters, ranks, &text(&schedules)), Naive::run(letters, &schedules));
    }
}

const LOGGOPSIM: Letters = Letters { latency: 2500, o: 1500, g: 1000, big_g: 6, big_o: 0, s: 65_535 };

#[test]
fn what_waits_for_several_processors_starts_when_the_last_is_done() {
    // LogGOPSim starts `c` at 0, on a processor that is idle.
    let goal = "num_ranks 1\nrank 0 {\na: calc 1000 cpu 1\nb: calc 300 cpu 2\nc: calc 10 cpu 0\nc requires a\nc requires b\n}\n";
    assert_eq!(simulated(LOGGOPSIM, 1, goal), [1010]);
    let other = "num_ranks 1\nrank 0 {\na: calc 300 cpu 1\nb: calc 1000 cpu 2\nc: calc 10 cpu 0\nc requires a\nc requires b\n}\n";
    assert_eq!(simulated(LOGGOPSIM, 1, other), [1010]);
}

#[test]
fn messages_without_bytes_cost_what_those_of_a_byte_do() {
    // LogGOPSim takes (0 − 1)·G off.
    let goal = |bytes: u64| {
        format!(
            "num_ranks 2\nrank 0 {{\nsend {bytes}b to 1 tag 0\n}}\nrank 1 {{\nrecv {bytes}b from 0 tag 0\n}}\n"
        )
    };
    assert_eq!(simulated(LOGGOPSIM, 2, &goal(0)), simulated(LOGGOPSIM, 2, &goal(1)));
}
