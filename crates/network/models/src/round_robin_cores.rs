//! Cores whose ranks take turns of a fixed length: time sharing, as an operating system does it.
//!
//! Every computation is bound to a core. A core computes for one rank at a time. A turn lasts a quantum, or until the computation is
//! over; then comes the rank that has waited longest. A computation that starts waits behind the others. A rank without
//! rivals goes on: the moment at which its turn would have ended counts once a rival comes. What starts at the same instant keeps the
//! order in which the engine started it. The threads of a rank share its core.

use std::collections::VecDeque;

use mpirage_kernel::{Agenda, Computation, ComputeModel, Event, Model, Token};
use mpirage_platform::Platform;
use mpirage_units::{Duration, Time};

use crate::serial_cores::number_cores;

/// The cores of all hosts, each with a queue.
pub struct RoundRobinCores {
    /// The number of the first core of each host.
    first: Vec<usize>,
    cores: Vec<Core>,
    quantum: Duration,
    turns: Agenda<TurnEnd>,
}

/// A core.
#[derive(Default)]
struct Core {
    running: Option<Running>,
    waiting: VecDeque<(Duration, Token)>,
    /// How many turns were scheduled: an end of an earlier one means nothing any more.
    turn: u64,
}

/// The computation that a core runs.
#[derive(Clone, Copy)]
struct Running {
    token: Token,
    /// When its turn started.
    start: Time,
    /// Time left at the start of the turn.
    left: Duration,
}

/// The end of a turn of a core.
#[derive(Clone, Copy)]
struct TurnEnd {
    core: usize,
    turn: u64,
}

impl RoundRobinCores {
    /// The cores of a platform, all of them idle.
    pub fn new(platform: &Platform, quantum: Duration) -> RoundRobinCores {
        let (first, count) = number_cores(platform);
        let cores = (0..count).map(|_| Core::default()).collect();
        RoundRobinCores { first, cores, quantum, turns: Agenda::new() }
    }

    /// Schedules the end of the turn that a core is in: after a quantum if others wait, else when the computation is over.
    fn schedule(&mut self, number: usize, now: Time) {
        let core = &mut self.cores[number];
        let Some(Running { start, left, .. }) = core.running else { return };
        let over = start + left;
        let end = match core.waiting.is_empty() {
            true => over,
            false => over.min(end_of_quantum(start, now, self.quantum)),
        };
        core.turn += 1;
        self.turns.push(end, TurnEnd { core: number, turn: core.turn });
    }

    /// The turn of a core is over. Says which computation is done, if one is.
    fn end_turn(&mut self, number: usize, now: Time) -> Option<Token> {
        let core = &mut self.cores[number];
        let Running { token, start, left } = core.running.take()?;
        let left = Duration::from_picos(left.as_picos().saturating_sub(now.since(start).as_picos()));
        if !left.is_zero() {
            core.waiting.push_back((left, token));
        }
        core.running = core.waiting.pop_front().map(|(left, token)| Running { token, start: now, left });
        self.schedule(number, now);
        left.is_zero().then_some(token)
    }
}

/// The first end of a quantum that is not before `now`, if quanta follow each other from `start` on.
fn end_of_quantum(start: Time, now: Time, quantum: Duration) -> Time {
    let quanta = now.since(start).as_picos().div_ceil(quantum.as_picos()).max(1);
    start + Duration::from_picos(quanta.saturating_mul(quantum.as_picos()))
}

impl ComputeModel for RoundRobinCores {
    fn start(&mut self, now: Time, computation: Computation, token: Token) {
        let number = self.first[computation.host.0 as usize] + computation.core as usize;
        let left = Duration::from_secs_f64(computation.seconds);
        let core = &mut self.cores[number];
        if core.running.is_none() {
            core.running = Some(Running { token, start: now, left });
            self.schedule(number, now);
            return;
        }
        core.waiting.push_back((left, token));
        // The turn of a rank that had no rivals ends now.
        if core.waiting.len() == 1 {
            self.schedule(number, now);
        }
    }
}

impl Model for RoundRobinCores {
    fn next(&mut self, _: Time) -> Option<Time> {
        self.turns.next()
    }

    fn collect(&mut self, now: Time, events: &mut Vec<Event>) {
        while let Some(TurnEnd { core, turn }) = self.turns.pop_at(now) {
            if turn == self.cores[core].turn {
                events.extend(self.end_turn(core, now).map(Event::ended));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use mpirage_platform::HostId;

    use super::*;

    const SECOND: u64 = 1_000_000_000_000;

    /// When computations end, in seconds, with a quantum of one second; each is (start, core, seconds), in order of start.
    fn ends(computations: &[(f64, u32, f64)]) -> Vec<f64> {
        let mut model = RoundRobinCores {
            first: vec![0],
            cores: vec![Core::default(), Core::default()],
            quantum: Duration::from_picos(SECOND),
            turns: Agenda::new(),
        };
        let (mut ends, mut events) = (vec![f64::NAN; computations.len()], Vec::new());
        let mut waiting = computations.iter().enumerate().peekable();
        let at = |start: f64| Time::ZERO + Duration::from_secs_f64(start);
        let mut now = Time::ZERO;
        loop {
            let start = waiting.peek().map(|(_, (start, ..))| at(*start));
            let Some(next) = [start, model.next(now)].into_iter().flatten().min() else { return ends };
            now = next;
            model.collect(now, &mut events);
            events.drain(..).for_each(|event| ends[event.token.0 as usize] = now.as_secs_f64());
            while let Some((number, &(_, core, seconds))) =
                waiting.next_if(|(_, (start, ..))| at(*start) == now)
            {
                let computation = Computation { host: HostId(0), core, seconds, threads: 1.0 };
                model.start(now, computation, Token(number as u64));
            }
        }
    }

    #[test]
    fn two_computations_take_turns() {
        // 0: 0-1, 2-3, 4-5; 1: 1-2, 3-4.
        assert_eq!(ends(&[(0.0, 0, 3.0), (0.0, 0, 2.0)]), [5.0, 4.0]);
    }

    #[test]
    fn a_turn_ends_early_with_its_computation() {
        // 1 needs half a quantum: 0: 0-1, 1.5-2.5.
        assert_eq!(ends(&[(0.0, 0, 2.0), (0.0, 0, 0.5)]), [2.5, 1.5]);
    }

    #[test]
    fn a_rival_waits_until_the_quantum_is_over() {
        // 0 runs alone from 0 on; 1 comes at 1.25 and waits until 2, then both take turns.
        assert_eq!(ends(&[(0.0, 0, 4.0), (1.25, 0, 1.0)]), [5.0, 3.0]);
    }

    #[test]
    fn cores_know_nothing_of_each_other() {
        assert_eq!(ends(&[(0.0, 0, 3.0), (0.0, 1, 3.0)]), [3.0, 3.0]);
    }

    #[test]
    fn a_core_is_busy_as_long_as_all_its_computations_take() {
        let seconds = [0.5, 2.25, 1.5, 0.125];
        let last = ends(&seconds.map(|seconds| (0.0, 1, seconds))).into_iter().fold(0.0, f64::max);
        assert_eq!(last, seconds.iter().sum::<f64>());
    }
}
