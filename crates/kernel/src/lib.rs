//! The clock and what it waits for.
//!
//! The kernel owns simulated time. Somebody starts activities (a timer, a transfer, a computation)
//! under a [`Token`]; [`Kernel::advance`] moves the clock to the next instant at which any ends and
//! says which. It has never heard of MPI: tokens are opaque, models are traits.
//!
//! **Total order.** Everything that ends at one instant is handed out as one batch: timers in the
//! order in which they were set, then transfers, then computations, each in the order its model gives
//! (by start). Nothing depends on addresses, hashes or the host's threads.

mod agenda;
mod model;

pub use agenda::Agenda;
pub use model::{Computation, ComputeModel, Departure, NetworkModel, Token, Transfer};

use mpirage_units::{Duration, Time};

/// What an attempt to go on has led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// The clock moved to the next instant at which something ends.
    Moved,
    /// Nothing is under way.
    Idle,
    /// What is under way ends later than the clock can show ([`Time::MAX`]).
    BeyondTime,
}

/// The simulated clock, and every activity that is under way.
pub struct Kernel {
    now: Time,
    /// Ends that are still to be handed out.
    under_way: u64,
    timers: Agenda<Token>,
    network: Box<dyn NetworkModel>,
    processors: Box<dyn ComputeModel>,
    network_next: Next,
    processors_next: Next,
}

/// What a model answered when it was asked for its next instant.
#[derive(Clone, Copy, Debug)]
struct Next {
    at: Time,
    /// Something has changed since.
    stale: bool,
}

impl Next {
    const UNKNOWN: Next = Next { at: Time::MAX, stale: true };

    /// Asks again if the answer may have changed.
    fn ask(&mut self, next: impl FnOnce() -> Option<Time>) -> Time {
        if self.stale {
            *self = Next { at: next().unwrap_or(Time::MAX), stale: false };
        }
        self.at
    }
}

impl Kernel {
    /// A clock at zero over these models.
    pub fn new(network: Box<dyn NetworkModel>, processors: Box<dyn ComputeModel>) -> Kernel {
        let (network_next, processors_next) = (Next::UNKNOWN, Next::UNKNOWN);
        let (now, timers) = (Time::ZERO, Agenda::new());
        Kernel { now, under_way: 0, timers, network, processors, network_next, processors_next }
    }

    /// The current instant.
    #[inline]
    pub fn now(&self) -> Time {
        self.now
    }

    /// Ends `token` after `span`.
    pub fn start_timer(&mut self, span: Duration, token: Token) {
        self.under_way += 1;
        self.timers.push(self.now + span, token);
    }

    /// Ends `token` when the network has carried the transfer; before that also when it starts to, if that is later.
    #[inline]
    pub fn start_transfer(&mut self, transfer: Transfer, token: Token) -> Departure {
        self.network_next.stale = true;
        let departure = self.network.start(self.now, transfer, token);
        self.under_way += match departure {
            Departure::Now => 1,
            Departure::Later => 2,
        };
        departure
    }

    /// Ends `token` when the cores of a host have done the work.
    pub fn start_compute(&mut self, computation: Computation, token: Token) {
        self.processors_next.stale = true;
        self.under_way += 1;
        self.processors.start(self.now, computation, token);
    }

    /// Moves to the next instant at which something ends, and appends what ends there.
    pub fn advance(&mut self, ended: &mut Vec<Token>) -> Advance {
        let Kernel { now, under_way, timers, network, processors, network_next, processors_next } = self;
        let in_network = network_next.ask(|| network.next(*now));
        let in_processors = processors_next.ask(|| processors.next(*now));
        let next = in_network.min(in_processors).min(timers.next().unwrap_or(Time::MAX));
        // Dates saturate there, so it is no date.
        if next == Time::MAX {
            return if *under_way == 0 { Advance::Idle } else { Advance::BeyondTime };
        }
        let had = ended.len();
        debug_assert!(next >= *now, "time runs backwards");
        *now = next;
        while let Some(token) = timers.pop_at(next) {
            ended.push(token);
        }
        if in_network == next {
            network_next.stale = true;
            network.collect(next, ended);
        }
        if in_processors == next {
            processors_next.stale = true;
            processors.collect(next, ended);
        }
        *under_way -= (ended.len() - had) as u64;
        Advance::Moved
    }
}

#[cfg(test)]
mod tests {
    use mpirage_platform::HostId;

    use super::*;

    /// Ends everything after a fixed time, in order of start.
    struct Fixed(Agenda<Token>, Duration);

    impl NetworkModel for Fixed {
        fn start(&mut self, now: Time, _: Transfer, token: Token) -> Departure {
            self.0.push(now + self.1, token);
            Departure::Now
        }
        fn next(&mut self, _: Time) -> Option<Time> {
            self.0.next()
        }
        fn collect(&mut self, now: Time, ended: &mut Vec<Token>) {
            while let Some(token) = self.0.pop_at(now) {
                ended.push(token);
            }
        }
    }

    impl ComputeModel for Fixed {
        fn start(&mut self, now: Time, computation: Computation, token: Token) {
            self.0.push(now + Duration::from_secs_f64(computation.seconds), token);
        }
        fn next(&mut self, _: Time) -> Option<Time> {
            self.0.next()
        }
        fn collect(&mut self, now: Time, ended: &mut Vec<Token>) {
            NetworkModel::collect(self, now, ended);
        }
    }

    fn kernel() -> Kernel {
        let fixed = || Box::new(Fixed(Agenda::new(), Duration::from_nanos(5)));
        Kernel::new(fixed(), fixed())
    }

    #[test]
    fn what_ends_at_one_instant_ends_together_and_in_order() {
        let mut kernel = kernel();
        let transfer = Transfer { from: HostId(0), to: HostId(1), bytes: 1 };
        kernel.start_compute(Computation { host: HostId(0), seconds: 5e-9, threads: 1.0 }, Token(1));
        kernel.start_transfer(transfer, Token(2));
        kernel.start_timer(Duration::from_nanos(5), Token(3));
        kernel.start_timer(Duration::from_nanos(5), Token(4));
        kernel.start_timer(Duration::from_nanos(6), Token(5));
        let mut ended = Vec::new();
        assert_eq!(kernel.advance(&mut ended), Advance::Moved);
        assert_eq!(ended, [Token(3), Token(4), Token(2), Token(1)]);
        assert_eq!(kernel.advance(&mut ended), Advance::Moved);
        assert_eq!((ended.len(), kernel.now()), (5, Time::from_picos(6000)));
        assert_eq!(kernel.advance(&mut ended), Advance::Idle);
    }

    #[test]
    fn what_ends_too_late_for_the_clock_is_not_nothing() {
        let mut ended = Vec::new();
        let starts: [fn(&mut Kernel); 2] = [
            |kernel| kernel.start_timer(Duration::MAX, Token(1)),
            |kernel| {
                kernel.start_compute(Computation { host: HostId(0), seconds: 1e300, threads: 1.0 }, Token(1))
            },
        ];
        for start in starts {
            let mut kernel = kernel();
            kernel.start_timer(Duration::from_nanos(5), Token(0));
            start(&mut kernel);
            assert_eq!(kernel.advance(&mut ended), Advance::Moved);
            assert_eq!(kernel.advance(&mut ended), Advance::BeyondTime);
        }
        assert_eq!(ended, [Token(0), Token(0)]);
    }
}
