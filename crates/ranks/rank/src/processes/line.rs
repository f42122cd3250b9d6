//! Lines of control and threads as the driver of processes sees them.

use mpirage_call::LineId;

use super::sleepers::Sleepers;

/// A line of a rank whose threads have lines of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Standing {
    /// The engine has its call.
    #[default]
    Calls,
    /// The engine has resumed it: its thread runs, sleeps outside MPI, or has made a call that is not taken yet.
    Runs,
    /// Its thread sleeps outside MPI, or has slept there, and the engine lets its work pass.
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
}

impl Threads {
    /// Was there only one when the simulator last looked?
    pub(crate) fn had_one(&self) -> bool {
        self.sleepers.had_one_thread()
    }
}
