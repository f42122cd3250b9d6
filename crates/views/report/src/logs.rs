//! The logs of a run.

use mpirage_interpret::RunInfo;

use crate::activity::ActivityLog;
use crate::calls::Calls;
use crate::receipt::MessageLog;

/// The activities and received messages of all ranks, and the kinds of their calls.
#[derive(Clone)]
pub(crate) struct Logs {
    pub calls: Calls,
    pub activities: ActivityLog,
    /// Messages that are shown one by one.
    pub messages: MessageLog,
    /// Messages inside collectives that are not.
    pub inner_messages: MessageLog,
}

impl Logs {
    pub fn new(run: &RunInfo) -> Logs {
        let ranks = run.placement.len();
        Logs {
            calls: Calls::new(run.sites.clone(), run.ranks()),
            activities: ActivityLog::new(ranks),
            messages: MessageLog::new(ranks),
            inner_messages: MessageLog::new(ranks),
        }
    }

    pub fn ranks(&self) -> u32 {
        self.activities.ranks() as u32
    }

    /// The log of messages that are shown one by one, or of those that are not.
    #[inline]
    pub fn messages_mut(&mut self, shown: bool) -> &mut MessageLog {
        if shown { &mut self.messages } else { &mut self.inner_messages }
    }

    /// Makes everything readable.
    pub fn settle(&mut self) {
        self.activities.settle();
        self.messages.settle();
        self.inner_messages.settle();
    }
}
