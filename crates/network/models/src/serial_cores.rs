//! Cores that compute for one rank at a time.
//!
//! Every computation is bound to a core. A core does what it is given one after the other, in the order in which it was started; what
//! starts at the same instant keeps the order in which the engine started it. So the ranks of a core take turns burst by burst, as
//! the virtual processors of Adaptive MPI do, whose threads are not interrupted. The threads of a rank share its core.

use std::collections::VecDeque;

use mpirage_kernel::{Agenda, Computation, ComputeModel, Event, Model, Token};
use mpirage_platform::{HostId, Platform};
use mpirage_units::{Duration, Time};

/// The cores of all hosts, each with a queue.
pub struct SerialCores {
    /// The number of the first core of each host.
    first: Vec<usize>,
    cores: Vec<Core>,
    under_way: Agenda<Running>,
}

/// A core.
#[derive(Default)]
struct Core {
    busy: bool,
    waiting: VecDeque<(Duration, Token)>,
}

/// The computation that a core runs.
#[derive(Clone, Copy)]
struct Running {
    token: Token,
    core: usize,
}

/// Numbers the cores of all hosts: the number of the first core of each host, and how many cores there are.
pub(crate) fn number_cores(platform: &Platform) -> (Vec<usize>, usize) {
    let mut count = 0;
    let first = (0..platform.host_count()).map(|host| {
        let first = count;
        count += platform.host(HostId(host)).cores.max(1) as usize;
        first
    });
    (first.collect(), count)
}

impl SerialCores {
    /// The cores of a platform, all of them idle.
    pub fn new(platform: &Platform) -> SerialCores {
        let (first, count) = number_cores(platform);
        let cores = (0..count).map(|_| Core::default()).collect();
        SerialCores { first, cores, under_way: Agenda::new() }
    }
}

impl ComputeModel for SerialCores {
    fn start(&mut self, now: Time, computation: Computation, token: Token) {
        let number = self.first[computation.host.0 as usize] + computation.core as usize;
        let span = Duration::from_secs_f64(computation.seconds);
        let core = &mut self.cores[number];
        if core.busy {
            core.waiting.push_back((span, token));
        } else {
            core.busy = true;
            self.under_way.push(now + span, Running { token, core: number });
        }
    }
}

impl Model for SerialCores {
    fn next(&mut self, _: Time) -> Option<Time> {
        self.under_way.next()
    }

    fn collect(&mut self, now: Time, events: &mut Vec<Event>) {
        while let Some(Running { token, core: number }) = self.under_way.pop_at(now) {
            events.push(Event::ended(token));
            let core = &mut self.cores[number];
            match core.waiting.pop_front() {
                Some((span, token)) => self.under_way.push(now + span, Running { token, core: number }),
                None => core.busy = false,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// When computations end, in seconds; each is (start, core, seconds), in order of start.
    fn ends(computations: &[(u64, u32, f64)]) -> Vec<f64> {
        let mut model = SerialCores {
            first: vec![0],
            cores: vec![Core::default(), Core::default()],
            under_way: Agenda::new(),
        };
        let (mut ends, mut events) = (vec![f64::NAN; computations.len()], Vec::new());
        let mut waiting = computations.iter().enumerate().peekable();
        let mut now = Time::ZERO;
        loop {
            let start = waiting.peek().map(|(_, (start, ..))| Time::from_picos(start * 1_000_000_000_000));
            let Some(next) = [start, model.next(now)].into_iter().flatten().min() else { return ends };
            now = next;
            model.collect(now, &mut events);
            events.drain(..).for_each(|event| ends[event.token.0 as usize] = now.as_secs_f64());
            while let Some((number, &(_, core, seconds))) =
                waiting.next_if(|(_, (start, ..))| Time::from_picos(start * 1_000_000_000_000) == now)
            {
                let computation = Computation { host: HostId(0), core, seconds, threads: 1.0 };
                model.start(now, computation, Token(number as u64));
            }
        }
    }

    #[test]
    fn a_core_does_one_thing_after_the_other() {
        assert_eq!(
            ends(&[(0, 0, 2.0), (0, 0, 1.0), (0, 1, 4.0), (1, 0, 1.0), (5, 0, 1.0)]),
            [2.0, 3.0, 4.0, 4.0, 6.0]
        );
    }

    #[test]
    fn what_takes_no_time_waits_for_its_turn_all_the_same() {
        assert_eq!(ends(&[(0, 0, 2.0), (0, 0, 0.0), (0, 0, 0.0)]), [2.0, 2.0, 2.0]);
    }

    #[test]
    fn a_core_is_busy_as_long_as_all_its_computations_take() {
        let seconds = [0.5, 0.25, 1.5, 0.125];
        let last = ends(&seconds.map(|seconds| (0, 1, seconds))).into_iter().fold(0.0, f64::max);
        assert_eq!(last, seconds.iter().sum::<f64>());
    }
}
