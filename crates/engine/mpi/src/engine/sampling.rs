//! Sampled blocks: executed until their mean is known, then skipped for as long.
//!
//! The time of an execution is known as soon as its rank has come back from it, which is at the instant of simulated time
//! at which the block began: only the burst has still to pass. So a rank that must know the mean before it can go on waits
//! for no simulated time, and decisions depend on the order of simulated events and on the bursts (measured or recorded),
//! on nothing else.
//!
//! ```text
//!  begin ──► fewer than enough measured or under way ──► execute ──► end: one more value
//!        ├─► enough under way ─────────────────────────► wait for their values
//!        └─► the mean is known ────────────────────────► skip, from now on without asking
//! ```

use std::collections::{BTreeMap, HashMap, VecDeque};

use mpirage_call::{Burst, Call, LineId, RankId, Rule, Tally, Unfreed};

use super::calls::Calls;
use super::task::Progress;
use crate::memory::Memory;
use crate::ranks::line::Phase;
use crate::statistics::Statistics;

/// All sampled blocks of a run, and what ranks have counted.
#[derive(Debug, Default)]
pub(super) struct Samples {
    blocks: Vec<Block>,
    /// Numbers of blocks by site, of all ranks together and of each by itself.
    sites: HashMap<Box<str>, Site>,
    /// The block that each rank executes; grows on demand.
    open: Vec<Option<Open>>,
    tally: Tally,
}

#[derive(Debug, Default)]
struct Site {
    global: Option<usize>,
    by_rank: BTreeMap<RankId, usize>,
}

/// One block whose executions count together.
#[derive(Debug)]
struct Block {
    rule: Rule,
    /// Nanoseconds of each execution.
    measured: Statistics,
    /// Executions whose values are not known yet.
    under_way: u64,
    /// Lines that wait for the decision, in order.
    waiting: VecDeque<LineId>,
    /// The mean in picoseconds, once it is known.
    known: Option<u64>,
}

/// A block that a rank executes.
#[derive(Clone, Copy, Debug)]
struct Open {
    block: usize,
    nanos: u64,
}

/// The decision about a block for a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Execute,
    Skip(u64),
    Wait,
}

impl Samples {
    /// Does the rank execute a sampled block?
    pub(super) fn is_open(&self, rank: RankId) -> bool {
        self.open.get(rank.index()).is_some_and(Option::is_some)
    }

    fn open_mut(&mut self, rank: RankId) -> &mut Option<Open> {
        let rank = rank.index();
        if self.open.len() <= rank {
            self.open.resize(rank + 1, None);
        }
        &mut self.open[rank]
    }

    /// The number of a block; the rule that comes first counts.
    fn block(&mut self, rank: RankId, site: &str, global: bool, rule: Rule) -> usize {
        if !self.sites.contains_key(site) {
            self.sites.insert(site.into(), Site::default());
        }
        let entry = self.sites.get_mut(site).expect("just made");
        let known = if global { entry.global } else { entry.by_rank.get(&rank).copied() };
        if let Some(block) = known {
            return block;
        }
        let block = self.blocks.len();
        self.blocks.push(Block::new(rule));
        match global {
            true => entry.global = Some(block),
            false => drop(entry.by_rank.insert(rank, block)),
        }
        block
    }

    /// A line of a rank stands before a block.
    fn begin(&mut self, (rank, line): (RankId, LineId), block: usize) -> Verdict {
        let verdict = self.blocks[block].verdict();
        match verdict {
            Verdict::Execute => {
                self.blocks[block].under_way += 1;
                *self.open_mut(rank) = Some(Open { block, nanos: 0 });
            }
            Verdict::Wait => self.blocks[block].waiting.push_back(line),
            Verdict::Skip(_) => {}
        }
        verdict
    }

    /// A rank's execution is over, measured or not. Gives the lines that waited and can go on, and how.
    fn end(
        &mut self,
        rank: RankId,
        measured: bool,
        rank_of: impl Fn(LineId) -> RankId,
    ) -> Vec<(LineId, Verdict)> {
        let Some(Open { block, nanos }) = self.open_mut(rank).take() else { return Vec::new() };
        let entry = &mut self.blocks[block];
        entry.under_way -= 1;
        if measured {
            entry.measured.add(nanos as f64);
        }
        let mut released = Vec::new();
        while !self.blocks[block].waiting.is_empty() && self.blocks[block].verdict() != Verdict::Wait {
            let next = self.blocks[block].waiting.pop_front().expect("not empty");
            released.push((next, self.begin((rank_of(next), next), block)));
        }
        released
    }
}

impl Samples {
    /// The counts of all ranks so far.
    pub(super) fn tally(&self) -> Tally {
        self.tally
    }

    /// A rank has counted.
    pub(super) fn count(&mut self, tally: Tally) {
        let sum = &mut self.tally;
        sum.executed += tally.executed;
        sum.skipped += tally.skipped;
        sum.shared += tally.shared;
        let Unfreed { datatypes, operators, groups, requests } = tally.unfreed;
        sum.unfreed.datatypes += datatypes;
        sum.unfreed.operators += operators;
        sum.unfreed.groups += groups;
        sum.unfreed.requests += requests;
    }
}

impl Block {
    fn new(rule: Rule) -> Block {
        Block { rule, measured: Statistics::default(), under_way: 0, waiting: VecDeque::new(), known: None }
    }

    fn verdict(&mut self) -> Verdict {
        if self.known.is_none() && self.under_way == 0 && self.is_enough() {
            self.known = Some((self.measured.mean() * 1e3).round() as u64);
        }
        let begun = self.measured.count() + self.under_way;
        match self.known {
            Some(picos) => Verdict::Skip(picos),
            None if self.under_way == 0 || begun < self.rule.least.min(self.rule.most) => Verdict::Execute,
            None => Verdict::Wait,
        }
    }

    fn is_enough(&self) -> bool {
        let Rule { least, most, error, interval } = self.rule;
        let count = self.measured.count();
        let small = || match interval {
            true => self.measured.relative_interval() < error,
            false => self.measured.relative_error() < error,
        };
        count >= most || (error > 0.0 && count >= least && small())
    }
}

impl<M: Memory> Calls<M> {
    /// A rank that executes a sampled block has computed; if its next call ends the block, the value is known. Threads count as
    /// if they had the cores of their host for themselves.
    pub(super) fn sample_passes(&mut self, line: LineId, burst: Burst) {
        let state = self.core.ranks.line(line);
        let rank = state.rank;
        let ends = matches!(&state.inbox.decode_next(), Ok((_, Call::SampleEnd, _)));
        let nanos = burst.elapsed(self.work.speeds.cores(rank));
        if let Some(open) = self.samples.open_mut(rank) {
            open.nanos += nanos;
        }
        if ends {
            self.end_sample(rank, true);
        }
    }

    /// A rank has ended; if it was in a sampled block, its value will not come.
    pub(super) fn abandon_sample(&mut self, line: LineId) {
        let rank = self.core.ranks.rank_of(line);
        if self.samples.is_open(rank) {
            self.end_sample(rank, false);
        }
    }

    /// Ends the run if a call must not be made inside a sampled block, because it would be skipped with it. True if it must not.
    pub(super) fn refuse_inside_sample(&mut self, line: LineId, call: &Call<'_>) -> bool {
        let rank = self.core.ranks.rank_of(line);
        if !self.samples.is_open(rank) {
            return false;
        }
        let what = match call {
            Call::Now
            | Call::Output
            | Call::Flush
            | Call::Abort { .. }
            | Call::Misuse { .. }
            | Call::Finding { .. }
            | Call::Observe { .. }
            | Call::Touch { .. }
            | Call::LoadStore { .. }
            | Call::CallPath { .. }
            | Call::Samples { .. }
            | Call::Share { .. } => return false,
            Call::SampleBegin { site, .. } => format!("another sampled block, {site}, begins"),
            Call::Sleep { .. } => "the program sleeps".to_owned(),
            Call::Compute { .. } => "work is declared".to_owned(),
            _ => "MPI is called".to_owned(),
        };
        let text = format!("{what} inside a sampled block: that would not happen when the block is skipped");
        self.core.misuse(rank, text);
        true
    }

    pub(super) fn begin_sample(&mut self, line: LineId, site: &str, global: bool, rule: Rule) -> Progress {
        let rank = self.core.ranks.rank_of(line);
        let block = self.samples.block(rank, site, global, rule);
        match self.samples.begin((rank, line), block) {
            Verdict::Execute => Progress::Done,
            Verdict::Skip(picos) => {
                self.core.ranks.line_mut(line).reply.number = Some(picos);
                Progress::Done
            }
            Verdict::Wait => {
                self.core.ranks.line_mut(line).phase = Phase::Sampling;
                Progress::Blocked
            }
        }
    }

    fn end_sample(&mut self, rank: RankId, measured: bool) {
        let ranks = &self.core.ranks;
        for (waiting, verdict) in self.samples.end(rank, measured, |line| ranks.rank_of(line)) {
            if let Verdict::Skip(picos) = verdict {
                self.core.ranks.line_mut(waiting).reply.number = Some(picos);
            }
            self.core.make_ready(waiting);
        }
    }

    /// Puts the number of the memory with this name into the reply: from 1 up in the order in which they are first wanted.
    pub(super) fn share(&mut self, line: LineId, site: &str) {
        let next = self.shared_sites.len() as u64 + 1;
        let number = match self.shared_sites.get(site) {
            Some(&number) => number,
            None => *self.shared_sites.entry(site.into()).or_insert(next),
        };
        self.core.ranks.line_mut(line).reply.number = Some(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(count: u64) -> Rule {
        Rule { least: count, most: count, error: -1.0, interval: false }
    }

    fn rank(number: u32) -> RankId {
        RankId::new(number)
    }

    /// The first line of each rank.
    fn line(number: u32) -> LineId {
        LineId::first_of(rank(number))
    }

    fn begin(samples: &mut Samples, number: u32, block: usize) -> Verdict {
        samples.begin((rank(number), line(number)), block)
    }

    fn end(samples: &mut Samples, number: u32, measured: bool) -> Vec<(LineId, Verdict)> {
        samples.end(rank(number), measured, |line| rank(line.get()))
    }

    fn execute(samples: &mut Samples, number: u32, nanos: u64) -> Vec<(LineId, Verdict)> {
        samples.open_mut(rank(number)).as_mut().expect("it executes").nanos = nanos;
        end(samples, number, true)
    }

    #[test]
    fn each_rank_executes_its_own_count() {
        let mut samples = Samples::default();
        for number in [0, 1] {
            let block = samples.block(rank(number), "a.c:1", false, times(2));
            for nanos in [10, 30] {
                assert_eq!(begin(&mut samples, number, block), Verdict::Execute);
                execute(&mut samples, number, nanos);
            }
            assert_eq!(begin(&mut samples, number, block), Verdict::Skip(20_000));
        }
    }

    #[test]
    fn all_ranks_execute_a_count_together_and_the_others_wait_for_its_mean() {
        let mut samples = Samples::default();
        let block = samples.block(rank(0), "a.c:1", true, times(2));
        assert_eq!(samples.block(rank(3), "a.c:1", true, times(9)), block);
        assert_eq!(begin(&mut samples, 0, block), Verdict::Execute);
        assert_eq!(begin(&mut samples, 1, block), Verdict::Execute);
        assert_eq!(begin(&mut samples, 2, block), Verdict::Wait);
        assert_eq!(begin(&mut samples, 3, block), Verdict::Wait);
        assert_eq!(execute(&mut samples, 1, 50), []);
        assert_eq!(
            execute(&mut samples, 0, 100),
            [(line(2), Verdict::Skip(75_000)), (line(3), Verdict::Skip(75_000))]
        );
    }

    #[test]
    fn whoever_leaves_in_the_middle_is_replaced() {
        let mut samples = Samples::default();
        let block = samples.block(rank(0), "a.c:1", true, times(1));
        assert_eq!(begin(&mut samples, 0, block), Verdict::Execute);
        assert_eq!(begin(&mut samples, 1, block), Verdict::Wait);
        assert_eq!(begin(&mut samples, 2, block), Verdict::Wait);
        assert_eq!(end(&mut samples, 0, false), [(line(1), Verdict::Execute)]);
        assert_eq!(execute(&mut samples, 1, 7), [(line(2), Verdict::Skip(7_000))]);
    }

    #[test]
    fn an_error_ends_sampling_before_the_count_does() {
        let mut samples = Samples::default();
        let rule = Rule { least: 2, most: 100, error: 0.05, interval: false };
        let block = samples.block(rank(0), "a.c:1", false, rule);
        let mut executed = 0;
        while begin(&mut samples, 0, block) == Verdict::Execute {
            execute(&mut samples, 0, if executed % 2 == 0 { 90 } else { 110 });
            executed += 1;
        }
        // Of 90, 110, 90, 110, 90 the mean is 98, and its standard error sqrt(120 / 5) = 4.899 is just below 5 % of it.
        assert_eq!((executed, begin(&mut samples, 0, block)), (5, Verdict::Skip(98_000)));
    }

    #[test]
    fn nothing_to_execute_counts_for_nothing() {
        let mut samples = Samples::default();
        let block = samples.block(rank(0), "a.c:1", false, times(0));
        assert_eq!(begin(&mut samples, 0, block), Verdict::Skip(0));
    }
}
