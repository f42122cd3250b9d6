//! A schedule under way: one rank's part of one collective, step by step.

use mpirage_call::{Payload, SendMode};
use mpirage_collectives::Step;
use mpirage_units::Duration;

use crate::diagnosis::Origin;
use crate::engine::{Engine, Task};
use crate::matching::Key;
use crate::memory::Memory;
use crate::message::{COLLECTIVE_CONTEXTS, Outgoing, Owner};
use crate::plans::Plans;
use crate::protocol::per_byte;
use crate::token;

/// A schedule with more under way than this will have much more.
const MUCH: u32 = 32;

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
    pub rank: u32,
    /// What its messages are matched by.
    context: u64,
    plan: u32,
    /// The next step of the plan.
    next: u32,
    /// The last stop, until it is passed.
    stop: Stop,
    under_way: u32,
    blocking_under_way: bool,
    until: Until,
    /// Is the beginning of the next step paid for?
    begun: bool,
    /// What its receives cost, to be paid when they are complete.
    owed: Duration,
}

/// What stands between a run and its next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// Nothing.
    None,
    /// A blocking send.
    Send,
    /// A blocking receive; it is paid for when it is complete.
    Recv,
    /// A wait for everything; receives are paid for then.
    WaitAll,
}

impl<M: Memory> Engine<M> {
    /// Starts a rank's schedule.
    pub(crate) fn start_run(&mut self, instance: u32, seat: u32, rank: u32, plan: u32) {
        let run = Run {
            instance,
            seat,
            rank,
            context: COLLECTIVE_CONTEXTS + self.instances[instance as usize].number,
            plan,
            next: 0,
            stop: Stop::None,
            under_way: 0,
            blocking_under_way: false,
            until: Until::Now,
            begun: false,
            owed: Duration::ZERO,
        };
        let id = self.runs.insert(run) as u32;
        if let Some(ideal) = &mut self.ideal {
            ideal.start_run(id, self.ranks[rank as usize].ideal);
        }
        self.tasks.push_back(Task::Run(id));
    }

    /// Goes on with a schedule until it must wait, pays for something, or ends.
    pub(crate) fn continue_run(&mut self, id: u32) {
        loop {
            let run = &mut self.runs[id as usize];
            run.until = Until::Now;
            if run.stop != Stop::None {
                if run.must_wait() {
                    return;
                }
                if let Some(ideal) = &mut self.ideal {
                    match run.stop {
                        Stop::WaitAll => ideal.pass_all(id),
                        _ => ideal.pass_blocking(id),
                    }
                }
                let owed = run.pass_stop();
                if !owed.is_zero() {
                    return self.kernel.start_timer(owed, token::run(id));
                }
            }
            let Some(step) = self.plans.step(run.plan, run.next, run.seat) else {
                return self.try_end_run(id);
            };
            if run.under_way > MUCH {
                self.fetch_steps(&self.runs[id as usize]);
            }
            let run = &mut self.runs[id as usize];
            if self.protocol.startup.is_some() && !run.begun {
                let (rank, instance) = (run.rank, run.instance);
                let cost = self.startup_of_step(rank, instance, step);
                if !cost.is_zero() {
                    self.runs[id as usize].begun = true;
                    return self.kernel.start_timer(cost, token::run(id));
                }
            }
            if self.protocol.processor.is_some() && !self.runs[id as usize].begun {
                // Whoever waits is resumed when the processor is its own.
                let rank = self.runs[id as usize].rank;
                self.runs[id as usize].begun = true;
                if self.step_waits(rank, id, step) {
                    return;
                }
            }
            let run = &mut self.runs[id as usize];
            run.next += 1;
            run.begun = false;
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
            Step::Irecv { from, bytes, slot } => self.recv_step(id, from, bytes, slot, false),
            Step::Recv { from, bytes, slot } => self.recv_step(id, from, bytes, slot, true),
            Step::Reduce { bytes } => self.work_step(id, bytes, self.protocol.reduce_seconds_per_byte),
            Step::Copy { bytes } => self.work_step(id, bytes, self.protocol.copy_seconds_per_byte),
            Step::WaitAll => {
                self.runs[id as usize].stop = Stop::WaitAll;
                Duration::ZERO
            }
        }
    }

    fn work_step(&mut self, id: u32, bytes: u64, seconds_per_byte: f64) -> Duration {
        let cost = per_byte(bytes, seconds_per_byte);
        if let Some(ideal) = &mut self.ideal {
            ideal.work(id, cost);
        }
        cost
    }

    /// After the last step, whatever is still under way is waited for.
    fn try_end_run(&mut self, id: u32) {
        let run = &mut self.runs[id as usize];
        if run.under_way > 0 {
            run.until = Until::All;
            return;
        }
        let Run { instance, seat, rank, plan, .. } = self.runs.remove(id as usize);
        if let Some(ideal) = &mut self.ideal {
            let at = ideal.end_run(id);
            self.leave_ideal(rank, self.instances[instance as usize].seats[seat as usize].request, at);
        }
        self.plans.release(plan);
        self.leave(instance, seat);
    }

    fn send_step(&mut self, id: u32, to: u32, bytes: u64, slot: u16, blocking: bool) {
        let run = &mut self.runs[id as usize];
        run.begin(if blocking { Stop::Send } else { Stop::None });
        let (from, instance, key) = (run.rank, run.instance, run.sends(slot));
        let to = self.instances[instance as usize].world_of(to);
        if let Some(ideal) = &mut self.ideal
            && blocking
        {
            ideal.send_step(id);
        }
        let owner = Owner::Step { run: id, blocking };
        let (payload, mode, origin) = (Payload::Absent, SendMode::Standard, Origin::default());
        self.send(Outgoing { from, to, key, bytes, payload, mode, owner, origin });
    }

    fn recv_step(&mut self, id: u32, from: u32, bytes: u64, slot: u16, blocking: bool) -> Duration {
        let run = &mut self.runs[id as usize];
        run.begin(if blocking { Stop::Recv } else { Stop::None });
        run.owed += self.protocol.recv_overhead.of(bytes);
        let (rank, instance, key) = (run.rank, run.instance, run.receives(from, slot));
        if let Some(ideal) = &mut self.ideal
            && self.protocol.way(SendMode::Standard, bytes).sender_waits()
        {
            ideal.post_step(id, from, slot);
        }
        // What arrives in place of these bytes is the algorithm's business, so any size fits.
        self.receive_step(rank, &key, id, blocking);
        self.startup_of_receive_step(rank, instance, from)
    }
}

impl Run {
    /// The key of what it sends.
    pub(crate) fn sends(&self, slot: u16) -> Key {
        self.receives(self.seat, slot)
    }

    /// The key of what it receives from somebody.
    pub(crate) fn receives(&self, from: u32, slot: u16) -> Key {
        Key { context: self.context, source: from, tag: i32::from(slot) }
    }

    /// A step that is to come.
    pub(crate) fn step_ahead(&self, plans: &Plans, ahead: u32) -> Option<Step> {
        plans.step(self.plan, self.next + ahead, self.seat)
    }

    /// A send or receive begins.
    fn begin(&mut self, stop: Stop) {
        self.under_way += 1;
        self.blocking_under_way = stop != Stop::None;
        self.stop = stop;
    }

    /// Is what it stopped for still under way?
    fn must_wait(&mut self) -> bool {
        let (until, waits) = match self.stop {
            Stop::WaitAll => (Until::All, self.under_way > 0),
            _ => (Until::Blocking, self.blocking_under_way),
        };
        if waits {
            self.until = until;
        }
        waits
    }

    /// Goes on behind the stop; receives that are complete are to be paid for.
    fn pass_stop(&mut self) -> Duration {
        match std::mem::replace(&mut self.stop, Stop::None) {
            Stop::WaitAll | Stop::Recv => std::mem::take(&mut self.owed),
            Stop::None | Stop::Send => Duration::ZERO,
        }
    }
}
