//! Lines of control and threads as the driver of processes sees them.

use std::time::Duration;

use mpirage_call::LineId;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::sleepers::Sleepers;

/// A line of a rank whose threads have lines of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Standing {
    /// The engine has its call.
    #[default]
    Calls,
    /// The engine has resumed it: its thread runs, sleeps outside MPI, or has made a call that is not taken yet.
    Runs,
    /// Its thread sleeps outside MPI, or has slept there, or its rank is paused, and the engine lets its work pass.
    Works,
}

/// A line of control: who waits for answers.
#[derive(Default)]
pub(super) struct Line {
    /// It may run although its simulated time has not come: its mailbox does not belong to the simulator.
    pub ahead: bool,
    /// Stores for its rank's memory that wait until it has stopped: address, length, bytes, filled up to words.
    pub late_stores: Vec<u64>,
    /// Where it stands, if its rank has several.
    pub standing: Standing,
    /// The processor time of its thread up to which the simulator has counted.
    pub counted_to: Option<u64>,
}

impl Line {
    /// The first line of a rank that has not been started.
    pub(super) fn first() -> Line {
        Line { ahead: true, ..Line::default() }
    }
}

/// The threads of a rank.
#[derive(Default)]
pub(crate) struct Threads {
    /// Lines other than the rank's first, in order.
    pub(super) lines: Vec<LineId>,
    pub(super) sleepers: Sleepers,
    /// The rank is paused, after its threads have worked for so long since all slept.
    paused_after: Option<Duration>,
    /// It has been paused before.
    was_paused: bool,
}

impl Threads {
    /// Was there only one when the simulator last looked?
    pub(crate) fn had_one(&self) -> bool {
        self.sleepers.had_one_thread()
    }

    /// Pauses them, who have worked for so long since all slept.
    pub(crate) fn pause(&mut self, process: Pid, worked: Duration) {
        let _ = kill(process, Signal::SIGSTOP);
        (self.paused_after, self.was_paused) = (Some(worked), true);
    }

    /// Lets them go on, if they are paused. Returns how long they have worked since all slept.
    pub(crate) fn unpause(&mut self, process: Pid) -> Duration {
        let worked = self.paused_after.take();
        if worked.is_some() {
            let _ = kill(process, Signal::SIGCONT);
        }
        worked.unwrap_or_default()
    }

    pub(crate) fn are_paused(&self) -> bool {
        self.paused_after.is_some()
    }

    /// Have they been paused before?
    pub(crate) fn were_paused(&self) -> bool {
        self.was_paused
    }
}
