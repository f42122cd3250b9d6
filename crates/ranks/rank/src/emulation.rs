//! The loop of an emulation: ranks run in real time, all at once, and the simulator keeps to the pace of real time.
//!
//! An event of the simulator takes place when its instant has come in real time ([`Pacer`]). Calls of ranks are taken as they come,
//! at the scaled real time of that moment. A rank that has computed is held at its next call: the simulator takes the call and carries
//! it out, and answers, only when the burst, stretched by the time factor, is over. The rank sleeps meanwhile, as in any call.
//!
//! So the factor is known in one place, and changes for all at one instant. No process is stopped from outside: what other threads of
//! a rank compute while one of them is held counts with the next burst, as far as it is more than the time of the call
//! (`abi/src/timing/work.rs`), whereas a sleep in the library would have to know the factor, and signals would stop threads in their midst.
//!
//! ```text
//! rank       computes c ─► call ═════ held until factor · c is over ═════► carried out … reply ─► computes
//! simulator                  └ taken      other events, each at its time   ┘
//! ```
//!
//! On a machine of its own a burst of processor time *c* takes *c*, and the rank is held for (factor − 1) · *c*, as in the paper. If
//! others took the core from the rank, it is held for so much less: that they did counts only if the factor does not make up for it.
//!
//! The clock starts when each rank has made its first call: starting processes takes no scaled time.

use std::time::{Duration, Instant};

use mpirage_call::{LineId, RankId};
use mpirage_channel::Waiting;
use mpirage_mpi::{Engine, Turn};
use mpirage_units::Time;

use crate::ahead::{Ahead, RunAhead};
use crate::border::Simulation;
use crate::cores::Cores;
use crate::pace::Pacer;
use crate::processes::PATIENCE;
use crate::ranks::Ranks;
use crate::running::Running;
use crate::session::{Outcome, Session, SessionError, Watch, prepare};
use crate::spinning::SLOW;

/// So long before an event the simulator stays awake: the kernel wakes sleepers late by about this much.
const AWAKE: Duration = Duration::from_micros(50);

impl Session {
    /// Runs all ranks, which are processes, in real time at the pace of `pacer`, which keeps the account.
    pub fn emulate(
        &self,
        engine: &mut Engine<Ranks>,
        watch: &mut dyn Watch,
        pacer: &mut Pacer,
    ) -> Result<Outcome, SessionError> {
        let signals = prepare(engine)?;
        wake_up_on_time();
        engine.release_early(false);
        let mut cores = Cores::new(self.cores);
        cores.leave_home();
        let ahead = Ahead::new(RunAhead::Never, cores, self.programs.len());
        let mut running = Running::new(self, Simulation(engine), watch, signals, ahead);
        Emulation::new(&mut running, pacer).run_to_the_end()
    }
}

/// Asks the kernel not to let this thread sleep longer than it wants, which it may do to save energy. Where that is forbidden, the
/// simulator is a little more behind.
fn wake_up_on_time() {
    let _ = nix::sys::prctl::set_timerslack(1);
}

/// An emulation under way.
pub(crate) struct Emulation<'r, 'a> {
    running: &'r mut Running<'a>,
    pacer: &'r mut Pacer,
    /// When real time began to count.
    start: Instant,
    /// The lines that run.
    lines: Vec<Resumed>,
}

/// A line that runs.
#[derive(Clone, Copy)]
struct Resumed {
    line: LineId,
    /// Since when, in real and in scaled real time.
    since: (Duration, Time),
    /// The user has been told that it runs for long.
    reported: bool,
}

impl<'r, 'a> Emulation<'r, 'a> {
    pub(crate) fn new(running: &'r mut Running<'a>, pacer: &'r mut Pacer) -> Emulation<'r, 'a> {
        Emulation { running, pacer, start: Instant::now(), lines: Vec::new() }
    }

    pub(crate) fn run_to_the_end(&mut self) -> Result<Outcome, SessionError> {
        let mut outcome = self.take_turns()?;
        if outcome.is_none() {
            outcome = self.take_first_calls()?;
        }
        loop {
            if let Some(outcome) = outcome {
                return Ok(outcome);
            }
            outcome = self.go_on()?;
        }
    }

    /// Takes up the next event if its time has come; else takes calls that have come; else waits for either.
    fn go_on(&mut self) -> Result<Option<Outcome>, SessionError> {
        if let Some(outcome) = self.take_turns()? {
            return Ok(Some(outcome));
        }
        if self.running.simulation.ranks().has_fault() {
            return Ok(self.running.fault());
        }
        self.running.look_around()?;
        let now = self.start.elapsed();
        let next = self.running.simulation.next_instant();
        if let Some(instant) = next.filter(|&instant| instant <= self.pacer.scaled(now)) {
            self.pacer.take_up(instant, now);
            self.running.simulation.pass_to_next_instant();
            return Ok(None);
        }
        let stopped = self.take_stopped();
        if !stopped.is_empty() {
            return self.take_calls(&stopped, now);
        }
        match next {
            None if self.lines.is_empty() => self.running.simulation.end_in_deadlock(),
            Some(Time::MAX) if self.lines.is_empty() => self.running.simulation.pass_to_next_instant(),
            _ => return self.wait(next, now),
        }
        Ok(None)
    }

    /// Does what the engine wants at this instant.
    fn take_turns(&mut self) -> Result<Option<Outcome>, SessionError> {
        while let Some(turn) = self.running.simulation.next_turn() {
            match turn {
                Turn::Output(rank) => self.running.show(rank)?,
                Turn::End => {
                    let ending = self.running.simulation.take_ending();
                    return Ok(Some(Outcome::of(ending, self.running.code)));
                }
                Turn::Release(_) => {}
                Turn::Resume(line) => {
                    if let Some(outcome) = self.resume(line)? {
                        return Ok(Some(outcome));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Gives a line its reply: it runs from here on, while the simulator goes on.
    fn resume(&mut self, line: LineId) -> Result<Option<Outcome>, SessionError> {
        let outcome = self.running.give_turn(line)?;
        // Its mailbox does not belong to the simulator while it runs.
        self.running.simulation.ranks().goes_ahead(line);
        let now = self.start.elapsed();
        self.lines.push(Resumed { line, since: (now, self.pacer.scaled(now)), reported: false });
        Ok(outcome)
    }

    /// All ranks have been started: waits for the first call of each. Then the clock starts.
    fn take_first_calls(&mut self) -> Result<Option<Outcome>, SessionError> {
        loop {
            let mut running = self.line_numbers();
            running.retain(|&line| !self.running.simulation.ranks().has_stopped(line));
            if running.is_empty() {
                break;
            }
            self.running.simulation.ranks().wait_any(&running, PATIENCE);
            self.running.signals.check()?;
            if let Some(outcome) = self.look_after(&running) {
                return Ok(Some(outcome));
            }
        }
        self.start = Instant::now();
        for resumed in &mut self.lines {
            resumed.since = (Duration::ZERO, Time::ZERO);
        }
        let stopped = std::mem::take(&mut self.lines);
        self.take_calls(&stopped, Duration::ZERO)
    }

    /// Lines have made calls, or ended.
    fn take_calls(&mut self, stopped: &[Resumed], now: Duration) -> Result<Option<Outcome>, SessionError> {
        let instant = self.pacer.scaled(now);
        for &Resumed { line, since, .. } in stopped {
            let Some(stop) = self.running.simulation.ranks().wait(line, &[], Duration::ZERO) else {
                continue;
            };
            self.running.simulation.arrive(line, since.1, instant);
            let outcome = self.running.stopped(line, stop);
            if outcome.is_some() {
                return Ok(outcome);
            }
        }
        Ok(None)
    }

    /// Waits until a line stops, or the time of the next event has come.
    fn wait(&mut self, next: Option<Time>, now: Duration) -> Result<Option<Outcome>, SessionError> {
        let due = next.map_or(Duration::MAX, |instant| self.pacer.real(instant));
        let span = due.saturating_sub(now).saturating_sub(AWAKE).min(PATIENCE);
        if span.is_zero() {
            // To yield would mean to wait for all others that want this core.
            std::hint::spin_loop();
            return Ok(None);
        }
        let running = self.line_numbers();
        let waiting = match running.as_slice() {
            [] => {
                std::thread::sleep(span);
                Waiting::Over
            }
            lines => self.running.simulation.ranks().wait_any(lines, span),
        };
        let woken = self.start.elapsed();
        self.pacer.slept(woken.saturating_sub(now), woken);
        self.running.signals.check()?;
        self.running.show_progress();
        if waiting == Waiting::Over {
            return Ok(None);
        }
        // Time is up, or a process has ended, which shows in its mailbox once it is noticed.
        let ended = running.iter().filter(|&&line| self.running.simulation.ranks().has_stopped(line)).count();
        Ok(if ended == 0 { self.look_after(&running) } else { None })
    }

    /// Takes out the lines that have stopped.
    fn take_stopped(&mut self) -> Vec<Resumed> {
        let ranks = self.running.simulation.ranks();
        self.lines.extract_if(.., |resumed| !ranks.is_running(resumed.line)).collect()
    }

    fn line_numbers(&self) -> Vec<LineId> {
        self.lines.iter().map(|resumed| resumed.line).collect()
    }

    /// Looks after lines that have not called for long.
    fn look_after(&mut self, running: &[LineId]) -> Option<Outcome> {
        let now = self.start.elapsed();
        for &line in running {
            let rank = self.running.simulation.ranks().rank_of(line);
            self.running.simulation.look_for_other_mpi(rank);
            let Some(resumed) = self.lines.iter_mut().find(|resumed| resumed.line == line) else { continue };
            let span = now.saturating_sub(resumed.since.0);
            if span > SLOW && !std::mem::replace(&mut resumed.reported, span > SLOW) {
                self.running.watch.slow_rank(rank.get(), span.as_secs_f64(), None);
            }
            if self.running.session.rank_timeout.is_some_and(|limit| span > limit) {
                return Some(hangs(rank, span));
            }
        }
        None
    }
}

fn hangs(rank: RankId, span: Duration) -> Outcome {
    Outcome::RankHangs { rank: rank.get(), seconds: span.as_secs_f64() }
}
