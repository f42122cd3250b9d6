//! What a flow asks of its resources, in little memory.
//!
//! A message weighs the same on all links there, and the same on all links back: resources of equal share are a run.

use crate::flow::Use;
use smallvec::SmallVec;

/// Resources by runs of equal share. Shares count all messages of the flow.
#[derive(Clone, Debug, Default)]
pub(super) struct Demand {
    resources: SmallVec<[u32; 8]>,
    runs: SmallVec<[Run; 2]>,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    share: f64,
    /// Where the run ends.
    end: u32,
}

impl Demand {
    /// The demand of a flow with `count` messages.
    pub fn set(&mut self, uses: impl Iterator<Item = Use>, count: f64) {
        self.resources.clear();
        self.runs.clear();
        for Use { resource, share } in uses {
            self.resources.push(resource);
            let (share, end) = (share * count, self.resources.len() as u32);
            match self.runs.last_mut() {
                Some(run) if run.share == share => run.end = end,
                _ => self.runs.push(Run { share, end }),
            }
        }
    }

    pub fn resources(&self) -> &[u32] {
        &self.resources
    }

    /// Shows each resource with the share on it.
    #[inline(always)]
    pub fn each(&self, mut show: impl FnMut(u32, f64)) {
        let mut start = 0;
        for &Run { share, end } in &self.runs {
            for &resource in &self.resources[start..end as usize] {
                show(resource, share);
            }
            start = end as usize;
        }
    }
}
