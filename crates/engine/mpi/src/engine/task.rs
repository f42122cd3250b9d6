//! The tasks of this instant, the outcomes of calls, and the turns of the driver and of lines.

use std::collections::VecDeque;

use mpirage_call::{LineId, RankId};
use mpirage_units::Duration;

use crate::ids::RunId;
use crate::transport::matching::Probe;

/// Work that can go on at this instant. The engine never recurses: such work waits in a queue of tasks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Task {
    NextCall(LineId),
    FinishWait(LineId),
    FinishTakeCompleted(LineId),
    FinishProbe(LineId, Probe),
    Run(RunId),
}

/// How a call went.
pub(crate) enum Progress {
    Done,
    Pay(Duration),
    Blocked,
}

/// The owner of the next turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The driver's, to release a line.
    Release(LineId),
    /// The driver's, to resume a line.
    Resume(LineId),
    /// The driver's, to print what a rank has written.
    Output(RankId),
    /// A line's whose poll has failed and is paid for. It may have made its next calls already.
    AfterPoll(LineId),
}

/// The turns of the driver, and of lines that have answered their own polls, in order.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    ready: VecDeque<Next>,
    /// Lines to release before their time.
    releases: VecDeque<LineId>,
    /// Are lines released as soon as their replies are final?
    early: bool,
    /// How often a line was resumed.
    resumed: u64,
}

impl Turns {
    #[inline]
    pub(crate) fn resume(&mut self, line: LineId) {
        self.ready.push_back(Next::Resume(line));
    }

    pub(crate) fn output(&mut self, rank: RankId) {
        self.ready.push_back(Next::Output(rank));
    }

    /// The poll of a line has failed and is paid for.
    pub(crate) fn after_poll(&mut self, line: LineId) {
        self.ready.push_back(Next::AfterPoll(line));
    }

    /// It is the turn of a line after its poll, and the line is resumed.
    pub(crate) fn count_resumed(&mut self) {
        self.resumed += 1;
    }

    /// True if no other line has a turn at this instant.
    pub(crate) fn is_empty(&self) -> bool {
        self.ready.is_empty() && self.releases.is_empty()
    }

    pub(crate) fn release(&mut self, line: LineId) {
        self.releases.push_back(line);
    }

    /// Are lines released early?
    #[inline]
    pub(crate) fn are_early(&self) -> bool {
        self.early
    }

    /// Lines are released early from now on, or not any more.
    pub(crate) fn set_early(&mut self, early: bool) {
        self.early = early;
        let at_start = self.ready.iter().filter_map(|turn| match turn {
            Next::Resume(line) if early => Some(*line),
            _ => None,
        });
        self.releases = at_start.collect();
    }

    /// The next turn; releases come first.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<Next> {
        if let Some(line) = self.releases.pop_front() {
            // If no other line could run meanwhile, the line is resumed instead.
            let alone = self.releases.is_empty() && self.ready.len() == 1;
            let is_its = |next: &Next| *next == Next::Resume(line) || *next == Next::AfterPoll(line);
            if !(alone && self.ready.front().is_some_and(is_its)) {
                return Some(Next::Release(line));
            }
        }
        let turn = self.ready.pop_front();
        self.resumed += u64::from(matches!(turn, Some(Next::Resume(_))));
        turn
    }

    /// A line that will be resumed after `ahead` other turns.
    #[inline]
    pub(crate) fn ahead(&self, ahead: usize) -> Option<LineId> {
        match self.ready.get(ahead) {
            Some(&Next::Resume(line)) => Some(line),
            _ => None,
        }
    }

    pub(crate) fn resumed(&self) -> u64 {
        self.resumed
    }
}
