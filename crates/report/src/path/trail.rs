//! Where a rank was, a few instants back.

use super::Held;

/// Instants that are remembered.
const RECENT: usize = 8;

/// Where a rank is and was not long ago. The first cache line is all that most messages touch.
#[derive(Clone, Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Trail {
    /// When the last that it did was over, and what led there.
    pub latest: (u64, u32),
    /// The collective it is in.
    pub inside: Option<u16>,
    /// Where in the ring the last but one is.
    at: u8,
    /// The last message to it.
    pub incoming: Held,
    /// Ends of what it did before and their nodes, in a ring.
    recent: [(u64, u32); RECENT],
    /// Where it was when it entered the collective it is in; there it may do more than is remembered.
    entry: (u64, u32),
    /// The last message from it that it waited for.
    pub outgoing: Held,
}

/// Where a rank was before an instant.
pub(crate) struct Before {
    /// The last that it had done by then.
    pub node: u32,
    /// When that was over.
    pub end: u64,
    /// What it did next, if that is over too.
    pub next: Option<u32>,
}

impl Trail {
    #[inline]
    pub fn push(&mut self, end: u64, node: u32) {
        self.at = (self.at + 1) % RECENT as u8;
        self.recent[usize::from(self.at)] = self.latest;
        self.latest = (end, node);
    }

    /// The last that it did took longer.
    #[inline]
    pub fn prolong(&mut self, end: u64) {
        self.latest.0 = end;
    }

    pub fn enter(&mut self, function: u16) {
        self.entry = self.latest;
        self.inside = Some(function);
    }

    /// Where it was at an instant. Longer ago than is remembered: the oldest that is.
    pub fn before(&self, at: u64) -> Before {
        if self.latest.0 <= at {
            let (end, node) = self.latest;
            return Before { node, end, next: None };
        }
        let mut next = Some(self.latest.1);
        for back in 0..RECENT {
            let (end, node) = self.recent[(usize::from(self.at) + RECENT - back) % RECENT];
            if end <= at {
                return Before { node, end, next };
            }
            next = Some(node);
        }
        let (end, node) = self.entry;
        match self.inside.is_some() && end <= at {
            true => Before { node, end, next },
            false => Before { node: next.unwrap_or(0), end: at, next: None },
        }
    }

    /// Did it begin something at this very instant?
    pub fn turned_at(&self, at: u64) -> bool {
        self.latest.0 == at || self.recent.iter().any(|&(end, _)| end == at)
    }

    /// All nodes that it may ask for, to be renumbered.
    pub fn nodes(&mut self) -> impl Iterator<Item = &mut u32> {
        if self.inside.is_none() {
            self.entry = (0, 0);
        }
        let recent = self.recent.iter_mut().map(|(_, node)| node);
        recent.chain([&mut self.latest.1, &mut self.entry.1])
    }
}
