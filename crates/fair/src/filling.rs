//! The incremental solve: progressive filling, but only of what a change can reach.
//!
//! The level rises from zero, and an agenda holds what may happen on the way, lowest level first:
//!
//! - a disturbed resource *fills up*: its level is decided. Free flows settle there, and so do flows that are
//!   at home elsewhere at a higher level (they are *captured*). Whatever changes its rate disturbs the other
//!   active resources it uses.
//! - the level passes that of a disturbed home which has not filled up: its members are *released*, that is,
//!   freed to grow on; this disturbs the other active resources they use. If the members use none (an incast)
//!   they need not be told: the home's clock goes faster, that is all. And if nothing else comes before the home
//!   fills up, they rise together.
//! - a free flow meets its *bound*.
//!
//! An undisturbed resource would fill up exactly as it did before, with the same members, so it costs nothing.
//!
//! Resources that are far from full are not in the game at all. When a pass has ended, `booking` says which of
//! them might be overloaded now; those that are become active, and another pass starts from the state
//! reached. Each pass solves a relaxed problem exactly, so the last one has solved the problem.

use crate::flow::Bottleneck;
use crate::sharing::{Kind, Sharing};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The state of a solve, and what waits for the next one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filling {
    /// Flows started (with their start order), resources changed, capacities changed since the last solve.
    pub newcomers: Vec<(u32, u64)>,
    pub disturbed: Vec<u32>,
    pub recapped: Vec<u32>,

    pub solve: u64,
    pub pass: u64,
    pub agenda: BinaryHeap<Reverse<Step>>,
    /// Every resource disturbed in this solve.
    pub touched: Vec<u32>,
    /// Resources that `booking` cannot vouch for.
    pub suspects: Vec<u32>,
    /// Flows that the resource under consideration takes from other homes.
    pub captured: Vec<Captive>,
    /// Reused list of flows.
    pub crowd: Vec<u32>,
    /// Free flows that any active resource would stop before their bound does.
    unstoppable: Vec<u32>,
}

/// A flow taken from another home.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Captive {
    pub flow: u32,
    /// Its level there.
    pub level: f64,
    pub share: f64,
}

/// Something that may happen when the level has risen to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Step {
    /// Bits of the level: levels are not negative, so they are ordered like their bits.
    bits: u64,
    what: What,
}

/// In this order at equal levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// A resource fills up or, if that is not before the level its members have, releases them.
    Turn(u32),
    /// A free flow meets its bound.
    Bound(u32),
}

impl Step {
    fn new(level: f64, what: What) -> Reverse<Step> {
        Reverse(Step { bits: level.to_bits(), what })
    }

    fn level(self) -> f64 {
        f64::from_bits(self.bits)
    }
}

impl Sharing {
    /// Brings all rates up to date at `self.now`.
    #[inline]
    pub(crate) fn solve(&mut self) {
        if !self.components.is_settled() || self.is_disturbed() {
            self.solve_changes();
        }
    }

    #[inline(never)]
    fn solve_changes(&mut self) {
        self.filling.solve += 1;
        self.solve_components();
        if self.is_disturbed() {
            self.solve_incrementally();
        }
    }

    fn is_disturbed(&self) -> bool {
        !(self.filling.newcomers.is_empty() && self.filling.disturbed.is_empty())
    }

    fn solve_incrementally(&mut self) {
        self.begin_pass();
        self.receive_newcomers();
        self.touch_disturbed();
        self.admit_newcomers();
        self.fill();
        while self.convict_suspects() {
            self.fill();
        }
        self.conclude();
    }

    pub(crate) fn begin_pass(&mut self) {
        self.filling.pass += 1;
    }

    fn touch_disturbed(&mut self) {
        self.reserve_recapped();
        while let Some(index) = self.filling.disturbed.pop() {
            if self.resources[index as usize].active {
                self.touch(index);
                self.queue(index);
            }
        }
    }

    /// Opens the newcomers' accounts, before anything is computed from an account.
    fn receive_newcomers(&mut self) {
        let mut newcomers = std::mem::take(&mut self.filling.newcomers);
        newcomers.retain(|&(flow, sequence)| {
            let flow = &self.flows[flow as usize];
            flow.free && flow.sequence == sequence
        });
        for &(flow, _) in &newcomers {
            self.open_accounts(flow);
            self.reserve_for_newcomer(flow);
        }
        self.filling.newcomers = newcomers;
    }

    fn admit_newcomers(&mut self) {
        let mut newcomers = std::mem::take(&mut self.filling.newcomers);
        newcomers.drain(..).for_each(|(flow, _)| self.admit(flow));
        self.filling.newcomers = newcomers;
    }

    /// Adds a newcomer to the resources that are active already; the others see it when they become active.
    fn open_accounts(&mut self, flow: u32) {
        let count = self.count(flow);
        for nth in 0..self.use_count(flow) {
            let used = self.nth_use(flow, nth);
            if self.resources[used.resource as usize].active {
                self.touch(used.resource);
                let resource = self.resource(used.resource);
                resource.open_account(used.share * count);
                resource.freed.push(flow);
            }
        }
    }

    fn admit(&mut self, flow: u32) {
        for nth in 0..self.use_count(flow) {
            let index = self.nth_use(flow, nth).resource;
            let resource = &self.resources[index as usize];
            if resource.active {
                self.queue(index);
            } else if resource.suspect && resource.is_quickly_summed() {
                self.activate(index);
            }
        }
        for nth in 0..self.use_count(flow) {
            let index = self.nth_use(flow, nth).resource;
            self.resource(index).newcomers = 0;
        }
        self.queue_bound(flow);
    }

    /// Notes that a resource is disturbed in this pass.
    pub(crate) fn touch(&mut self, index: u32) {
        let (solve, pass) = (self.filling.solve, self.filling.pass);
        let resource = self.resource(index);
        if resource.visit.pass == pass {
            return;
        }
        let listed = resource.visit.solve == solve;
        resource.visit.solve = solve;
        resource.visit.pass = pass;
        (resource.visit.done, resource.visit.released) = (false, false);
        resource.visit.queued = f64::INFINITY;
        resource.freed.clear();
        if !listed {
            self.filling.touched.push(index);
        }
    }

    /// Puts a disturbed resource on the agenda, for its next turn. An entry for a lower level may stay: when its
    /// turn comes the level is computed again.
    pub(crate) fn queue(&mut self, index: u32) {
        let resource = &self.resources[index as usize];
        if !resource.visit.done {
            // A stale account is summed at its turn, when all postings are complete.
            let level =
                if resource.stale { 0.0 } else { self.fill_level(index).min(resource.release_level()) };
            self.queue_at(index, level);
        }
    }

    /// The same after a change that can only make the turn come later.
    pub(crate) fn queue_later(&mut self, index: u32) {
        if self.resources[index as usize].visit.queued == f64::INFINITY {
            self.queue(index);
        }
    }

    fn queue_at(&mut self, index: u32, level: f64) {
        let resource = self.resource(index);
        if level < resource.visit.queued {
            resource.visit.queued = level;
            self.filling.agenda.push(Step::new(level, What::Turn(index)));
        }
    }

    /// Puts a free flow's bound on the agenda.
    pub(crate) fn queue_bound(&mut self, flow: u32) {
        let (ceiling, alone) = (self.flows[flow as usize].ceiling, self.accounts[flow as usize].alone);
        if ceiling < alone {
            self.filling.agenda.push(Step::new(ceiling, What::Bound(flow)));
        } else {
            self.filling.unstoppable.push(flow);
        }
    }

    /// The level at which a resource would be full; for a shared one, before any captures.
    fn fill_level(&self, index: u32) -> f64 {
        match self.resources[index as usize].kind {
            Kind::Shared => self.resources[index as usize].filled_at(),
            Kind::FatPipe => self.fat_level(index),
        }
    }

    /// Runs a pass.
    fn fill(&mut self) {
        while let Some(Reverse(step)) = self.filling.agenda.pop() {
            match step.what {
                What::Bound(flow) => self.meet_bound(flow),
                What::Turn(index) => self.take_turn(index, step.level()),
            }
        }
        self.settle_unstoppable();
    }

    fn meet_bound(&mut self, flow: u32) {
        if self.flows[flow as usize].free {
            let ceiling = self.flows[flow as usize].ceiling;
            self.settle(flow, Bottleneck::Bound, ceiling);
            self.reserve(flow, ceiling);
        }
    }

    /// Those that are still free use no active resource: they get their bound, even if that is infinite and
    /// surely makes their resources suspects.
    fn settle_unstoppable(&mut self) {
        while let Some(flow) = self.filling.unstoppable.pop() {
            self.meet_bound(flow);
        }
    }

    /// Lets the members of a home grow beyond the level they had, each as far as it can.
    fn release(&mut self, index: u32) {
        let mut crowd = self.take_members(index);
        let lowest = crowd.iter().map(|&f| self.flows[f as usize].ceiling).fold(f64::INFINITY, f64::min);
        let resource = self.resource(index);
        (resource.visit.released, resource.lowest_ceiling) = (true, lowest);
        for flow in crowd.drain(..) {
            if !self.flows[flow as usize].free {
                self.free(flow, index);
            }
        }
        self.filling.crowd = crowd;
        self.queue(index);
    }

    /// A copy of the members of a resource, in the reused list.
    pub(crate) fn take_members(&mut self, index: u32) -> Vec<u32> {
        let mut crowd = std::mem::take(&mut self.filling.crowd);
        let members = &self.resources[index as usize].members;
        self.looked_at += members.len() as u64;
        crowd.extend((0..members.len()).map(|place| members.item(place)));
        crowd
    }

    /// A resource is at its turn, unless something lower comes first.
    fn take_turn(&mut self, index: u32, queued: f64) {
        let visit = &mut self.resource(index).visit;
        if visit.done || visit.queued != queued {
            return;
        }
        visit.queued = f64::INFINITY;
        if self.resources[index as usize].stale {
            self.sum_account(index);
        }
        let release = self.resources[index as usize].release_level();
        let mut level = self.fill_level(index);
        if level <= release {
            level = self.capture(index, level);
        }
        let turn = level.min(release);
        if self.next_turn() < turn {
            self.queue_at(index, turn);
        } else if release < level {
            if !self.rise_together(index, level) {
                self.release(index);
            }
        } else if level < f64::INFINITY {
            self.decide(index, level);
        }
    }

    /// The level of the next entry of the agenda.
    pub(crate) fn next_turn(&self) -> f64 {
        self.filling.agenda.peek().map_or(f64::INFINITY, |Reverse(step)| step.level())
    }

    /// Ends a solve: resources that did not fill up leave the game, the others' completions get dates.
    fn conclude(&mut self) {
        let mut touched = std::mem::take(&mut self.filling.touched);
        for &index in &touched {
            let resource = self.resource(index);
            resource.freed.clear();
            if resource.active && resource.members.is_empty() && !self.is_full_pipe(index) {
                self.deactivate(index);
            }
            self.schedule_group(index);
        }
        touched.clear();
        self.filling.touched = touched;
    }
}
