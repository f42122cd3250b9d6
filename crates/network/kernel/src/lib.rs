//! The clock, and the activities that it waits for.
//!
//! The kernel owns simulated time. Its caller starts activities (a timer, a transfer, a computation) under a [`Token`];
//! [`Kernel::advance`] moves the clock to the next instant at which an activity reaches a milestone and reports it. The
//! kernel knows nothing of MPI: tokens are opaque, models are traits.
//!
//! **Total order.** The kernel reports everything that happens at one instant as one batch: timers in the order in which
//! they were set, then transfers, then computations, each in the order its model gives (by start). Nothing depends on
//! addresses, hashes or the host's threads.
//!
//! **Memory** is a model of its own, if the hosts of a platform have an inside: transfers within a host go to it instead of
//! the network, and a computation that reads and writes memory ends when both its cores and the memory are done.
//!
//! **Storage** is a model of its own too: without one, disks take no time.
//!
//! **A further kind of model** is a trait beside [`NetworkModel`], a field of [`Kernel`] with a method that
//! starts its activities, and its turn in [`Kernel::advance`].

mod agenda;
mod energy;
mod history;
mod interface_delay;
mod model;

pub use agenda::Agenda;
pub use energy::{Energy, HostEnergy, HostsEnergy, LinksEnergy};
pub use history::{
    ConnectionCounts, ConnectionHistory, ConnectionSample, NetworkHistory, QueueHistory, QueueSample,
};
pub use interface_delay::{DelaySection, InterfaceDelay};
pub use model::{
    Cargo, Computation, ComputeModel, Connection, Departure, Disk, DiskWork, Event, LinkStatistics,
    MemoryModel, Milestone, Model, NetworkModel, NetworkStatistics, StorageModel, Token, Traffic, Transfer,
};

use std::collections::HashSet;
use std::io;

use mpirage_platform::HostId;
use mpirage_units::{Duration, Time};

/// The outcome of an attempt to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// The clock moved to the next instant at which something happens.
    Moved,
    /// Nothing is under way.
    Idle,
    /// The activities under way end later than the clock can show ([`Time::MAX`]).
    BeyondTime,
}

/// The simulated clock, and every activity that is under way.
pub struct Kernel {
    now: Time,
    /// Activities whose end has not been reported.
    under_way: u64,
    timers: Part<Timers>,
    network: Part<dyn NetworkModel>,
    processors: Part<dyn ComputeModel>,
    memory: Option<Memory>,
    storage: Option<Part<dyn StorageModel>>,
    /// The interface of its host that each end point of connections uses; empty if hosts have one.
    interfaces: Vec<u8>,
}

/// The memory of hosts.
struct Memory {
    part: Part<dyn MemoryModel>,
    carries_transfers: bool,
    /// Computations of which neither the cores nor the memory are done.
    halves: HashSet<Token>,
}

/// A model, and its last answer to the question when it has something to report.
struct Part<M: ?Sized> {
    /// None if something has started since the model was asked.
    next: Option<Time>,
    model: Box<M>,
}

impl<M: ?Sized> Part<M> {
    fn new(model: Box<M>) -> Part<M> {
        Part { next: None, model }
    }

    /// The model, to start an activity.
    #[inline]
    fn start(&mut self) -> &mut M {
        self.next = None;
        &mut self.model
    }
}

impl<M: Model + ?Sized> Part<M> {
    /// The next instant at which the model has something to report; [`Time::MAX`] if there is none.
    #[inline]
    fn next(&mut self, now: Time) -> Time {
        match self.next {
            Some(next) => next,
            None => *self.next.insert(self.model.next(now).unwrap_or(Time::MAX)),
        }
    }

    /// Appends what happens at `now`, if `now` is the instant that `next` gave.
    #[inline]
    fn collect(&mut self, now: Time, events: &mut Vec<Event>) {
        if self.next == Some(now) {
            self.next = None;
            self.model.collect(now, events);
        }
    }
}

impl Memory {
    /// Of a computation that reads memory, only the second of two ends counts.
    fn drop_first_halves(&mut self, events: &mut Vec<Event>, from: usize) {
        if !self.halves.is_empty() {
            let mut place = 0;
            events.retain(|event| {
                place += 1;
                place <= from || event.milestone != Milestone::Ended || !self.halves.remove(&event.token)
            });
        }
    }
}

/// Timers, as a model like the others.
#[derive(Default)]
struct Timers(Agenda<Token>);

impl Model for Timers {
    fn next(&mut self, _: Time) -> Option<Time> {
        self.0.next()
    }

    fn collect(&mut self, now: Time, events: &mut Vec<Event>) {
        while let Some(token) = self.0.pop_at(now) {
            events.push(Event::ended(token));
        }
    }
}

impl Kernel {
    /// A clock at zero over these models.
    pub fn new(network: Box<dyn NetworkModel>, processors: Box<dyn ComputeModel>) -> Kernel {
        let (network, processors) = (Part::new(network), Part::new(processors));
        let timers = Part::new(Box::default());
        let (memory, storage, interfaces) = (None, None, Vec::new());
        Kernel { now: Time::ZERO, under_way: 0, timers, network, processors, memory, storage, interfaces }
    }

    /// The same with a memory in each host.
    pub fn with_memory(mut self, memory: Box<dyn MemoryModel>) -> Kernel {
        let carries_transfers = memory.carries_transfers();
        self.memory = Some(Memory { part: Part::new(memory), carries_transfers, halves: HashSet::new() });
        self
    }

    /// The same with several interfaces per host: which of them each end point of connections uses. Others use the first.
    pub fn with_interfaces(mut self, interfaces: Vec<u8>) -> Kernel {
        self.interfaces = interfaces;
        self
    }

    /// The same with disks that take time.
    pub fn with_storage(mut self, storage: Box<dyn StorageModel>) -> Kernel {
        self.storage = Some(Part::new(storage));
        self
    }

    /// The current instant.
    #[inline]
    pub fn now(&self) -> Time {
        self.now
    }

    /// Ends `token` after `span`.
    pub fn start_timer(&mut self, span: Duration, token: Token) {
        self.under_way += 1;
        self.timers.start().0.push(self.now + span, token);
    }

    /// Ends `token` when the network has carried the transfer.
    #[inline]
    pub fn start_transfer(&mut self, mut transfer: Transfer, token: Token) -> Departure {
        self.under_way += 1;
        if !self.interfaces.is_empty() {
            let ends = [transfer.connection.source, transfer.connection.target];
            transfer.interfaces =
                ends.map(|end| self.interfaces.get(end as usize).copied().unwrap_or_default());
        }
        if transfer.from == transfer.to
            && let Some(memory) = self.memory.as_mut().filter(|memory| memory.carries_transfers)
        {
            memory.part.start().start_copy(self.now, transfer, token);
            return Departure::Now;
        }
        self.network.start().start(self.now, transfer, token)
    }

    /// Ends `token` when the cores of a host have done the work.
    pub fn start_compute(&mut self, computation: Computation, token: Token) {
        self.under_way += 1;
        self.processors.start().start(self.now, computation, token);
    }

    /// The same for work that reads and writes memory; if hosts have no memory of their own, only the cores count.
    pub fn start_memory_bound(&mut self, computation: Computation, traffic: Traffic, token: Token) {
        self.start_compute(computation, token);
        if let Some(Memory { part, halves, .. }) = &mut self.memory {
            part.start().start_traffic(self.now, traffic, token);
            halves.insert(token);
        }
    }

    /// Ends `token` when a disk has done the work; at this instant if disks take no time.
    pub fn start_disk(&mut self, disk: Disk, work: DiskWork, token: Token) {
        match &mut self.storage {
            Some(storage) => {
                self.under_way += 1;
                storage.start().start(self.now, disk, work, token);
            }
            None => self.start_timer(Duration::ZERO, token),
        }
    }

    /// The network's statistics, if it keeps any.
    pub fn network_statistics(&self) -> Option<NetworkStatistics> {
        self.network.model.statistics()
    }

    /// The energy of hosts, links and memory up to an instant from now on, if their power is known.
    pub fn energy(&self, until: Time) -> Option<Energy> {
        let (hosts, links) = (self.processors.model.energy(until), self.network.model.energy(until));
        let memory = self.memory.as_ref().and_then(|memory| memory.part.model.energy());
        let is_known = hosts.is_some() || links.is_some() || memory.is_some();
        is_known.then(|| Energy {
            hosts: hosts.unwrap_or_default(),
            links: links.unwrap_or_default(),
            memory: memory.unwrap_or_default(),
        })
    }

    /// The names of links whose frames wait for each other in a circle, if there are such links.
    pub fn network_circle(&self) -> Option<Vec<String>> {
        self.network.model.circle()
    }

    /// Why the network gave a transfer up, if it knows.
    pub fn network_failure(&self) -> Option<String> {
        self.network.model.failure()
    }

    /// The network records its queues and connections over time from now on, if it has any.
    pub fn record_network_history(&mut self) {
        self.network.model.record_history();
    }

    /// The queues and connections of the network over time, if it has recorded them.
    pub fn take_network_history(&mut self) -> Option<NetworkHistory> {
        self.network.model.take_history()
    }

    /// The run is over: the network completes what it writes.
    pub fn finish_network(&mut self) -> io::Result<()> {
        self.network.model.finish()
    }

    /// The next instant at which something happens; [`Time::MAX`] if that is later than the clock can show. None if nothing is
    /// under way.
    pub fn next_instant(&mut self) -> Option<Time> {
        let next = self.next_or_max();
        (next != Time::MAX || self.under_way > 0).then_some(next)
    }

    /// The same, [`Time::MAX`] if nothing is under way; none if a model has not said it since something started. Models are not asked: what
    /// starts at this instant may change their minds, and some round differently if asked twice.
    pub fn known_instant(&mut self) -> Option<Time> {
        let timers = self.timers.next(self.now);
        Some(timers.min(self.processors.next?).min(self.known_arrival()?))
    }

    /// The same in two parts: the next instant at which a computation ends or one of the timers that are `wanted`, and the next at which
    /// anything else happens. None if there are more than `most` timers.
    pub fn known_instants(&self, most: usize, wanted: impl Fn(Token) -> bool) -> Option<(Time, Time)> {
        let (of_wanted, of_others) = self.timers.model.0.earliest(most, |&token| wanted(token))?;
        Some((of_wanted.min(self.processors.next?), of_others.min(self.known_arrival()?)))
    }

    /// The next instant at which network, memory or storage have something to report, if all of them have said it.
    fn known_arrival(&self) -> Option<Time> {
        let mut next = self.network.next?;
        if let Some(memory) = &self.memory {
            next = next.min(memory.part.next?);
        }
        match &self.storage {
            Some(storage) => Some(next.min(storage.next?)),
            None => Some(next),
        }
    }

    /// The least time that any transfer between two hosts takes.
    pub fn least_latency(&self, from: HostId, to: HostId) -> Duration {
        let in_memory = from == to && self.memory.as_ref().is_some_and(|memory| memory.carries_transfers);
        if in_memory || !self.interfaces.is_empty() {
            return Duration::ZERO;
        }
        self.network.model.least_latency(from, to)
    }

    /// Moves to an instant before the next one at which something happens.
    pub fn move_to(&mut self, instant: Time) {
        debug_assert!(instant >= self.now && instant <= self.next_or_max(), "something happens before");
        self.now = instant;
    }

    #[inline(always)]
    fn next_or_max(&mut self) -> Time {
        let Kernel { now, timers, network, processors, memory, storage, .. } = self;
        let mut next = timers.next(*now).min(network.next(*now)).min(processors.next(*now));
        if let Some(memory) = memory {
            next = next.min(memory.part.next(*now));
        }
        match storage {
            Some(storage) => next.min(storage.next(*now)),
            None => next,
        }
    }

    /// Moves to the next instant at which something happens, and appends what happens there.
    pub fn advance(&mut self, events: &mut Vec<Event>) -> Advance {
        let next = self.next_or_max();
        let Kernel { now, under_way, timers, network, processors, memory, storage, .. } = self;
        // Dates saturate there, so it is no date.
        if next == Time::MAX {
            return if *under_way == 0 { Advance::Idle } else { Advance::BeyondTime };
        }
        debug_assert!(next >= *now, "time runs backwards");
        *now = next;
        let had = events.len();
        timers.collect(next, events);
        network.collect(next, events);
        if let Some(memory) = memory {
            memory.part.collect(next, events);
        }
        processors.collect(next, events);
        if let Some(memory) = memory {
            memory.drop_first_halves(events, had);
        }
        if let Some(storage) = storage {
            storage.collect(next, events);
        }
        let ended = events[had..].iter().filter(|event| event.milestone == Milestone::Ended).count();
        *under_way -= ended as u64;
        Advance::Moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ends everything after a fixed time, in order of start.
    struct Fixed(Agenda<Token>, Duration);

    impl Model for Fixed {
        fn next(&mut self, _: Time) -> Option<Time> {
            self.0.next()
        }
        fn collect(&mut self, now: Time, events: &mut Vec<Event>) {
            while let Some(token) = self.0.pop_at(now) {
                events.push(Event::ended(token));
            }
        }
    }

    impl NetworkModel for Fixed {
        fn start(&mut self, now: Time, _: Transfer, token: Token) -> Departure {
            self.0.push(now + self.1, token);
            Departure::Now
        }
    }

    impl ComputeModel for Fixed {
        fn start(&mut self, now: Time, computation: Computation, token: Token) {
            self.0.push(now + Duration::from_secs_f64(computation.seconds), token);
        }
    }

    fn kernel() -> Kernel {
        let fixed = || Box::new(Fixed(Agenda::new(), Duration::from_nanos(5)));
        Kernel::new(fixed(), fixed())
    }

    #[test]
    fn what_ends_at_one_instant_ends_together_and_in_order() {
        let mut kernel = kernel();
        let transfer = Transfer::data(HostId(0), HostId(1), 1);
        kernel.start_compute(Computation { host: HostId(0), core: 0, seconds: 5e-9, threads: 1.0 }, Token(1));
        kernel.start_transfer(transfer, Token(2));
        kernel.start_timer(Duration::from_nanos(5), Token(3));
        kernel.start_timer(Duration::from_nanos(5), Token(4));
        kernel.start_timer(Duration::from_nanos(6), Token(5));
        let mut ended = Vec::new();
        assert_eq!(kernel.advance(&mut ended), Advance::Moved);
        assert_eq!(ended, [3, 4, 2, 1].map(|token| Event::ended(Token(token))));
        assert_eq!(kernel.advance(&mut ended), Advance::Moved);
        assert_eq!((ended.len(), kernel.now()), (5, Time::from_picos(6000)));
        assert_eq!(kernel.advance(&mut ended), Advance::Idle);
    }

    impl MemoryModel for Fixed {
        fn start_copy(&mut self, now: Time, _: Transfer, token: Token) {
            self.0.push(now + self.1, token);
        }
        fn start_traffic(&mut self, now: Time, traffic: Traffic, token: Token) {
            self.0.push(now + Duration::from_secs_f64(traffic.bytes), token);
        }
    }

    /// The end of each activity (nanoseconds, token) on hosts with memory: transfers within a host take 2 ns.
    fn ends(start: fn(&mut Kernel)) -> Vec<(u64, u64)> {
        let mut kernel = kernel().with_memory(Box::new(Fixed(Agenda::new(), Duration::from_nanos(2))));
        start(&mut kernel);
        let (mut ends, mut ended) = (Vec::new(), Vec::new());
        while kernel.advance(&mut ended) == Advance::Moved {
            ends.extend(ended.drain(..).map(|event| (kernel.now().as_picos() / 1000, event.token.0)));
        }
        assert_eq!(kernel.advance(&mut ended), Advance::Idle);
        ends
    }

    #[test]
    fn transfers_within_a_host_go_to_its_memory() {
        let ends = ends(|kernel| {
            kernel.start_transfer(Transfer::data(HostId(0), HostId(0), 1), Token(1));
            kernel.start_transfer(Transfer::data(HostId(0), HostId(1), 1), Token(2));
        });
        assert_eq!(ends, [(2, 1), (5, 2)]);
    }

    #[test]
    fn a_computation_ends_when_cores_and_memory_are_done() {
        let ends = ends(|kernel| {
            // The cores of this kernel take 5 ns for everything.
            let computation = Computation { host: HostId(0), core: 0, seconds: 5e-9, threads: 1.0 };
            for (token, nanos) in [(1, 3.0), (2, 5.0), (3, 8.0)] {
                let traffic = Traffic { end_point: 0, bytes: nanos * 1e-9, rate: 1.0, cores: 1.0 };
                kernel.start_memory_bound(computation, traffic, Token(token));
            }
            kernel.start_compute(computation, Token(4));
        });
        assert_eq!(ends, [(5, 1), (5, 2), (5, 4), (8, 3)]);
    }

    #[test]
    fn the_clock_moves_without_an_event_and_what_starts_there_starts_then() {
        let mut kernel = kernel();
        assert_eq!(kernel.next_instant(), None);
        kernel.start_timer(Duration::from_nanos(10), Token(1));
        kernel.move_to(Time::from_picos(4_000));
        assert_eq!(
            (kernel.now(), kernel.next_instant()),
            (Time::from_picos(4_000), Some(Time::from_picos(10_000)))
        );
        kernel.start_transfer(Transfer::data(HostId(0), HostId(1), 1), Token(2));
        assert_eq!(kernel.next_instant(), Some(Time::from_picos(9_000)));
        let mut ended = Vec::new();
        assert_eq!([kernel.advance(&mut ended), kernel.advance(&mut ended)], [Advance::Moved; 2]);
        assert_eq!(ended, [2, 1].map(|token| Event::ended(Token(token))));
    }

    #[test]
    fn disks_end_after_everything_else_at_an_instant_and_take_no_time_without_a_model() {
        let disk = Disk { storage: mpirage_platform::StorageId(0), unit: 0 };
        let work = DiskWork::Metadata { operations: 1 };
        let mut plain = kernel();
        plain.start_disk(disk, work, Token(1));
        let mut ended = Vec::new();
        assert_eq!(plain.advance(&mut ended), Advance::Moved);
        assert_eq!((ended.len(), plain.now()), (1, Time::ZERO));
        let mut slow = kernel().with_storage(Box::new(Fixed(Agenda::new(), Duration::from_nanos(5))));
        slow.start_disk(disk, work, Token(2));
        slow.start_transfer(Transfer::data(HostId(0), HostId(1), 1), Token(3));
        ended.clear();
        assert_eq!(slow.advance(&mut ended), Advance::Moved);
        assert_eq!(ended, [3, 2].map(|token| Event::ended(Token(token))));
        assert_eq!(slow.advance(&mut ended), Advance::Idle);
    }

    impl StorageModel for Fixed {
        fn start(&mut self, now: Time, _: Disk, _: DiskWork, token: Token) {
            self.0.push(now + self.1, token);
        }
    }

    #[test]
    fn what_ends_too_late_for_the_clock_is_not_nothing() {
        let mut ended = Vec::new();
        let starts: [fn(&mut Kernel); 2] = [
            |kernel| kernel.start_timer(Duration::MAX, Token(1)),
            |kernel| {
                kernel.start_compute(
                    Computation { host: HostId(0), core: 0, seconds: 1e300, threads: 1.0 },
                    Token(1),
                )
            },
        ];
        for start in starts {
            let mut kernel = kernel();
            kernel.start_timer(Duration::from_nanos(5), Token(0));
            start(&mut kernel);
            assert_eq!(kernel.advance(&mut ended), Advance::Moved);
            assert_eq!(kernel.advance(&mut ended), Advance::BeyondTime);
        }
        assert_eq!(ended, [Event::ended(Token(0)); 2]);
    }
}
