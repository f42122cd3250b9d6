//! Dates on virtual clocks, which count work instead of time.

use std::cmp::Ordering;

/// A date on a virtual clock, with a start order to break ties.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VirtualDate {
    pub at: f64,
    pub sequence: u64,
}

impl Ord for VirtualDate {
    fn cmp(&self, other: &VirtualDate) -> Ordering {
        self.at.total_cmp(&other.at).then(self.sequence.cmp(&other.sequence))
    }
}

impl PartialOrd for VirtualDate {
    fn partial_cmp(&self, other: &VirtualDate) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for VirtualDate {
    fn eq(&self, other: &VirtualDate) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for VirtualDate {}
