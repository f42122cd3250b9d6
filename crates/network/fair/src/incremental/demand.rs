//! The demands of each flow on its resources, packed into few cache lines.
//!
//! A change of a level visits all resources of many flows, scattered in memory. So the data of a flow that a visit needs are adjacent:
//!
//! ```text
//!   flow ── range ──▶ │ two shares │ 11 resources │ two shares │ 11 resources │ …     one cache line each
//!                     │ 11 slots                  │ 11 slots                  │ …     apart: only who comes or goes needs them
//! ```
//!
//! A message weighs the same on all links there, and the same on all links back: as a rule two shares are enough for all lines.

use crate::flow::Use;
use mpirage_prefetch::fetch;
use std::ops::Range;

/// Resources of a line.
const RESOURCES: usize = 11;
/// Places of a line, a power of two.
const PLACES: u32 = 16;

/// Uses of resources that stand together. The first `split` of `count` have the first share, the others the second.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
struct Line {
    shares: [f64; 2],
    split: u16,
    count: u16,
    resources: [u32; RESOURCES],
}

/// Where a use of a resource by a flow stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct UsePlace(u32);

impl UsePlace {
    fn line(self) -> usize {
        (self.0 / PLACES) as usize
    }

    fn nth(self) -> usize {
        (self.0 % PLACES) as usize
    }
}

/// The demands of all flows, by their numbers. Shares count all messages of a flow.
#[derive(Clone, Debug, Default)]
pub(super) struct Demands {
    /// The lines of each flow.
    ranges: Vec<Range<u32>>,
    lines: Vec<Line>,
    /// The position of each use in its resource's list of users.
    slots: Vec<[u32; RESOURCES]>,
    /// The first of lines in a row that no flow has, by their number.
    vacant: Vec<Vec<u32>>,
    /// Reused: the lines of a new flow.
    drafts: Vec<Line>,
}

impl Demands {
    /// A flow with `count` messages starts.
    pub fn add(&mut self, flow: u32, uses: impl Iterator<Item = Use>, count: f64) {
        self.drafts.clear();
        for used in uses {
            let share = used.share * count;
            if !self.drafts.last_mut().is_some_and(|line| line.push(used.resource, share)) {
                let mut line = Line::default();
                line.push(used.resource, share);
                self.drafts.push(line);
            }
        }
        if self.ranges.len() <= flow as usize {
            self.ranges.resize(flow as usize + 1, 0..0);
        }
        let range = self.take_lines(self.drafts.len());
        self.lines[range.start as usize..range.end as usize].copy_from_slice(&self.drafts);
        self.ranges[flow as usize] = range;
    }

    /// Takes so many lines in a row.
    fn take_lines(&mut self, count: usize) -> Range<u32> {
        let start = self.vacant.get_mut(count).and_then(Vec::pop).unwrap_or_else(|| {
            let start = self.lines.len();
            self.lines.resize(start + count, Line::default());
            self.slots.resize(start + count, [0; RESOURCES]);
            start as u32
        });
        start..start + count as u32
    }

    /// A flow has ended.
    pub fn remove(&mut self, flow: u32) {
        let range = std::mem::take(&mut self.ranges[flow as usize]);
        if self.vacant.len() <= range.len() {
            self.vacant.resize(range.len() + 1, Vec::new());
        }
        self.vacant[range.len()].push(range.start);
    }

    /// A flow has so many messages now; its resources stay.
    pub fn set_count(&mut self, flow: u32, mut uses: impl Iterator<Item = Use>, count: f64) {
        for line in &mut self.lines[of(&self.ranges, flow)] {
            for nth in 0..line.count {
                let share = uses.next().map_or(0.0, |used| used.share * count);
                line.shares[usize::from(nth >= line.split)] = share;
            }
        }
    }

    /// Shows each resource with the share on it.
    #[inline(always)]
    pub fn each(&self, flow: u32, mut show: impl FnMut(u32, f64)) {
        for line in &self.lines[of(&self.ranges, flow)] {
            for (nth, &resource) in line.resources().iter().enumerate() {
                show(resource, line.shares[usize::from(nth >= usize::from(line.split))]);
            }
        }
    }

    /// The resources of a flow.
    pub fn resources(&self, flow: u32) -> impl Iterator<Item = u32> + '_ {
        self.lines[of(&self.ranges, flow)].iter().flat_map(|line| line.resources().iter().copied())
    }

    /// The lines of a flow, for [`Demands::places`].
    pub fn lines(&self, flow: u32) -> Range<usize> {
        of(&self.ranges, flow)
    }

    /// Where the uses of a line stand.
    pub fn places(&self, line: usize) -> impl Iterator<Item = UsePlace> + use<> {
        (0..u32::from(self.lines[line].count)).map(move |nth| UsePlace(line as u32 * PLACES + nth))
    }

    /// The resource of a use.
    pub fn resource(&self, place: UsePlace) -> u32 {
        self.lines[place.line()].resources[place.nth()]
    }

    /// The position of a use in its resource's list of users.
    pub fn slot(&self, place: UsePlace) -> u32 {
        self.slots[place.line()][place.nth()]
    }

    pub fn set_slot(&mut self, place: UsePlace, slot: u32) {
        self.slots[place.line()][place.nth()] = slot;
    }

    /// Prefetches what [`Demands::fetch`] needs of a flow.
    #[inline(always)]
    pub fn fetch_range(&self, flow: u32) {
        fetch(&self.ranges[flow as usize]);
    }

    /// Prefetches what [`Demands::each`] needs of a flow.
    #[inline(always)]
    pub fn fetch(&self, flow: u32) {
        self.lines[of(&self.ranges, flow)].iter().for_each(fetch);
    }
}

fn of(ranges: &[Range<u32>], flow: u32) -> Range<usize> {
    let range = &ranges[flow as usize];
    range.start as usize..range.end as usize
}

impl Line {
    fn resources(&self) -> &[u32] {
        &self.resources[..usize::from(self.count)]
    }

    /// Adds a use if there is room for it and for its share.
    fn push(&mut self, resource: u32, share: f64) -> bool {
        let in_first = self.split == self.count && (self.count == 0 || self.shares[0] == share);
        let in_second = self.split == self.count || self.shares[1] == share;
        if usize::from(self.count) == RESOURCES || !in_first && !in_second {
            return false;
        }
        self.shares[usize::from(!in_first)] = share;
        self.split += u16::from(in_first);
        self.resources[usize::from(self.count)] = resource;
        self.count += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demanded(demands: &Demands, flow: u32) -> Vec<(u32, f64)> {
        let mut shown = Vec::new();
        demands.each(flow, |resource, share| shown.push((resource, share)));
        shown
    }

    #[test]
    fn a_line_is_one_cache_line() {
        assert_eq!(size_of::<Line>(), 64);
    }

    /// Routes of any length, with one share, two, or another for each resource.
    #[test]
    fn demands_are_kept_whatever_their_length_and_shares() {
        let mut demands = Demands::default();
        for round in 0..3_u32 {
            for flow in 0..60_u32 {
                let count = (flow + round) % 40 + 1;
                let uses = (0..count).map(move |nth| {
                    let share = [1.0, f64::from(1 + 2 * nth / count), f64::from(nth)][flow as usize % 3];
                    Use { resource: nth + flow, share }
                });
                demands.add(flow, uses.clone(), 2.0);
                let wanted = |times: f64| uses.clone().map(move |used| (used.resource, used.share * times));
                assert!(demanded(&demands, flow).into_iter().eq(wanted(2.0)));
                demands.set_count(flow, uses.clone(), 3.0);
                assert!(demanded(&demands, flow).into_iter().eq(wanted(3.0)));
                assert!(demands.resources(flow).eq(uses.clone().map(|used| used.resource)));
                let places: Vec<_> = demands.lines(flow).flat_map(|line| demands.places(line)).collect();
                for &place in &places {
                    demands.set_slot(place, 7 * demands.resource(place));
                }
                let slots = places.iter().map(|&place| demands.slot(place));
                assert!(slots.eq(uses.map(|used| 7 * used.resource)));
            }
            (0..60).for_each(|flow| demands.remove(flow));
        }
        let lines = demands.lines.len();
        demands.add(0, (0..40).map(|resource| Use { resource, share: 1.0 }), 1.0);
        assert_eq!(demands.lines.len(), lines, "lines are used again");
    }
}
