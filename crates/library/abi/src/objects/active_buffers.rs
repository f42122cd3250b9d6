//! The buffers of operations under way, in a checked run.

use std::collections::BTreeSet;

use crate::checked::watch::{ActiveBuffer, Finding, Watch};

/// The buffers that are compared with each other; of a program with more, the others are not.
const MOST: usize = 4096;

/// The buffers of operations under way.
#[derive(Debug, Default)]
pub(crate) struct ActiveBuffers {
    buffers: Vec<ActiveBuffer>,
    /// Operations whose buffers overlap with those of others.
    conflicting: BTreeSet<u64>,
}

impl ActiveBuffers {
    /// An operation begins. Gives the mistakes in its buffers.
    pub(crate) fn add(&mut self, watch: &Watch) -> Vec<Finding> {
        let mut found = Vec::new();
        for buffer in watch.active() {
            if let Some((finding, other)) =
                self.buffers.iter().find_map(|earlier| Some((buffer.conflict(earlier)?, earlier.ticket)))
            {
                found.push(finding);
                self.conflicting.extend([buffer.ticket, other]);
            }
            if self.buffers.len() < MOST {
                self.buffers.push(buffer);
            }
        }
        found
    }

    /// A call that waits reads or writes a buffer. Gives the mistake if an operation under way writes it. If one reads it, a change
    /// of its contents shows when it ends.
    pub(crate) fn meet(&mut self, buffer: &ActiveBuffer) -> Option<Finding> {
        let written = self.buffers.iter().filter(|earlier| earlier.is_written());
        let (finding, other) =
            written.filter_map(|earlier| Some((buffer.conflict(earlier)?, earlier.ticket))).next()?;
        self.conflicting.insert(other);
        Some(finding)
    }

    /// An operation has ended. True if its buffers overlapped with those of others.
    pub(crate) fn remove(&mut self, ticket: u64) -> bool {
        self.buffers.retain(|buffer| buffer.ticket != ticket);
        self.conflicting.remove(&ticket)
    }
}
