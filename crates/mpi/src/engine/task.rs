//! What can go on at this instant, how calls go, and whose turn it is.

use std::collections::VecDeque;

use mpirage_call::{LineId, RankId};
use mpirage_units::Duration;

use crate::ids::RunId;
use crate::transport::matching::Probe;
use crate::turn::Turn;

/// Something that can go on at this instant. The engine never recurses: what can go on waits in a queue of tasks.
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

/// The turns that the driver is to get, in order.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    ready: VecDeque<Turn>,
    /// Lines to release before their time.
    releases: VecDeque<LineId>,
    /// Are lines released as soon as their replies are final?
    early: bool,
    /// How often a line was resumed.
    resumed: u64,
}

impl Turns {
    pub(crate) fn resume(&mut self, line: LineId) {
        self.ready.push_back(Turn::Resume(line));
    }

    pub(crate) fn output(&mut self, rank: RankId) {
        self.ready.push_back(Turn::Output(rank));
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
            Turn::Resume(line) if early => Some(*line),
            _ => None,
        });
        self.releases = at_start.collect();
    }

    /// The next turn; releases come first.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<Turn> {
        if let Some(line) = self.releases.pop_front() {
            // If no other line could run meanwhile, the line is resumed instead.
            let alone = self.releases.is_empty() && self.ready.len() == 1;
            if !(alone && self.ready.front() == Some(&Turn::Resume(line))) {
                return Some(Turn::Release(line));
            }
        }
        let turn = self.ready.pop_front();
        self.resumed += u64::from(matches!(turn, Some(Turn::Resume(_))));
        turn
    }

    /// A line that will be resumed after `ahead` other turns.
    #[inline]
    pub(crate) fn ahead(&self, ahead: usize) -> Option<LineId> {
        match self.ready.get(ahead) {
            Some(&Turn::Resume(line)) => Some(line),
            _ => None,
        }
    }

    pub(crate) fn resumed(&self) -> u64 {
        self.resumed
    }
}
