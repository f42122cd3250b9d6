//! A schedule under way: one rank's part of one collective, step by step.

use mpirage_call::{Payload, SendMode};
use mpirage_collectives::{Schedule, Step};
use mpirage_units::Duration;

use crate::engine::{Engine, Task};
use crate::matching::Key;
use crate::memory::Memory;
use crate::message::{COLLECTIVE_CONTEXTS, Outgoing, Owner, Receive};
use crate::token;

/// What a run waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    /// Nothing: it goes on by itself.
    Now,
    /// Its blocking step.
    Blocking,
    /// All its steps under way.
    All,
}

/// One rank's part of a collective.
#[derive(Debug)]
pub(crate) struct Run {
    /// The collective.
    pub instance: u32,
    /// The rank in the collective's group.
    pub seat: u32,
    /// The rank in the world.
    rank: u32,
    schedule: Schedule,
    next: usize,
    under_way: u32,
    blocking_under_way: bool,
    until: Until,
    /// What its receives cost, to be paid when they are complete.
    owed: Duration,
}

impl Run {
    fn last_step(&self) -> Option<Step> {
        self.schedule.steps.get(self.next.checked_sub(1)?).copied()
    }
}

impl<M: Memory> Engine<M> {
    /// Starts a rank's schedule.
    pub(crate) fn start_run(&mut self, instance: u32, seat: u32, rank: u32, schedule: Schedule) {
        let run = Run {
            instance,
            seat,
            rank,
            schedule,
            next: 0,
            under_way: 0,
            blocking_under_way: false,
            until: Until::Now,
            owed: Duration::ZERO,
        };
        let id = self.runs.insert(run) as u32;
        self.tasks.push_back(Task::Run(id));
    }

    /// Goes on with a schedule until it must wait, pays for something, or ends.
    pub(crate) fn continue_run(&mut self, id: u32) {
        self.runs[id as usize].until = Until::Now;
        loop {
            if self.must_wait(id) || self.pays_for_receiving(id) {
                return;
            }
            let run = &mut self.runs[id as usize];
            let Some(&step) = run.schedule.steps.get(run.next) else { return self.try_end_run(id) };
            run.next += 1;
            let cost = self.take_step(id, step);
            if !cost.is_zero() {
                return self.kernel.start_timer(cost, token::run(id));
            }
        }
    }

    /// A send or receive of a schedule is complete.
    pub(crate) fn step_done(&mut self, id: u32, blocking: bool) {
        let run = &mut self.runs[id as usize];
        run.under_way -= 1;
        run.blocking_under_way &= !blocking;
        let goes_on = match run.until {
            Until::Now => false,
            Until::Blocking => blocking,
            Until::All => run.under_way == 0,
        };
        if goes_on {
            run.until = Until::Now;
            self.tasks.push_back(Task::Run(id));
        }
    }

    /// Carries out a step; gives what it costs the rank.
    fn take_step(&mut self, id: u32, step: Step) -> Duration {
        match step {
            Step::Isend { to, bytes, slot } => {
                self.send_step(id, to, bytes, slot, false);
                self.protocol.isend_overhead.of(bytes)
            }
            Step::Send { to, bytes, slot } => {
                self.send_step(id, to, bytes, slot, true);
                self.protocol.send_overhead.of(bytes)
            }
            Step::Irecv { from, bytes, slot } => {
                self.recv_step(id, from, bytes, slot, false);
                Duration::ZERO
            }
            Step::Recv { from, bytes, slot } => {
                self.recv_step(id, from, bytes, slot, true);
                Duration::ZERO
            }
            Step::Reduce { bytes } => {
                Duration::from_secs_f64(bytes as f64 * self.protocol.reduce_seconds_per_byte)
            }
            Step::Copy { bytes } => {
                Duration::from_secs_f64(bytes as f64 * self.protocol.copy_seconds_per_byte)
            }
            Step::WaitAll => Duration::ZERO,
        }
    }

    /// Is the step before the next one to be waited for?
    fn must_wait(&mut self, id: u32) -> bool {
        let run = &mut self.runs[id as usize];
        let (until, waits) = match run.last_step() {
            Some(Step::WaitAll) => (Until::All, run.under_way > 0),
            Some(Step::Send { .. } | Step::Recv { .. }) => (Until::Blocking, run.blocking_under_way),
            _ => return false,
        };
        if waits {
            run.until = until;
        }
        waits
    }

    /// Receives are paid for when they are complete.
    fn pays_for_receiving(&mut self, id: u32) -> bool {
        let run = &mut self.runs[id as usize];
        let complete = matches!(run.last_step(), Some(Step::WaitAll | Step::Recv { .. }));
        if !complete || run.owed.is_zero() {
            return false;
        }
        let owed = std::mem::take(&mut run.owed);
        self.kernel.start_timer(owed, token::run(id));
        true
    }

    /// After the last step, whatever is still under way is waited for.
    fn try_end_run(&mut self, id: u32) {
        let run = &mut self.runs[id as usize];
        if run.under_way > 0 {
            run.until = Until::All;
            return;
        }
        let Run { instance, seat, schedule, .. } = self.runs.remove(id as usize);
        self.schedules.push(schedule);
        self.leave(instance, seat);
    }

    fn send_step(&mut self, id: u32, to: u32, bytes: u64, slot: u16, blocking: bool) {
        let run = &mut self.runs[id as usize];
        run.under_way += 1;
        run.blocking_under_way = blocking;
        let (from, seat) = (run.rank, run.seat);
        let instance = &self.instances[run.instance as usize];
        let key = step_key(instance.number, seat, slot);
        let to = instance.world_of(to);
        let owner = Owner::Step { run: id, blocking };
        let (payload, mode) = (Payload::Absent, SendMode::Standard);
        self.send(Outgoing { from, to, key, bytes, payload, mode, owner });
    }

    fn recv_step(&mut self, id: u32, from: u32, bytes: u64, slot: u16, blocking: bool) {
        let run = &mut self.runs[id as usize];
        run.under_way += 1;
        run.blocking_under_way = blocking;
        run.owed += self.protocol.recv_overhead.of(bytes);
        let rank = run.rank;
        let key = step_key(self.instances[run.instance as usize].number, from, slot);
        let owner = Owner::Step { run: id, blocking };
        // What arrives in place of these bytes is the algorithm's business, so any size fits.
        self.receive(Receive { key, rank, room: u64::MAX, address: 0, owner, message: None });
    }
}

fn step_key(number: u64, source: u32, slot: u16) -> Key {
    Key { context: COLLECTIVE_CONTEXTS + number, source: Some(source), tag: Some(i32::from(slot)) }
}
