//! Collective accesses: two-phase I/O with aggregators.
//!
//! The stretch of the file that all ranks access together is divided evenly among the aggregators. Each goes through its part in
//! rounds of as many bytes as its buffer holds. In a round of a write, ranks send it the bytes that belong there, and then it
//! writes them; in a round of a read, it reads and then sends. If the bytes of a round leave gaps, a write reads them first.
//!
//! A rank's bytes are taken to be spread evenly over its stretch. (Thakur, Gropp, Lusk, *Data sieving and collective I/O in ROMIO*,
//! Frontiers of Massively Parallel Computation 1999.)

use std::collections::VecDeque;

use mpirage_call::{ContextId, FileHints, RankId, TwoPhase};
use mpirage_units::Time;

use super::access::Stage;
use super::layout::Stretch;
use crate::transport::message::Owner;

/// ROMIO's `cb_buffer_size`.
const BUFFER: u64 = 16 << 20;

/// The request of one rank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub rank: RankId,
    pub owner: Owner,
    pub stretch: Stretch,
    pub bytes: u64,
    pub pieces: u32,
    pub entered: Time,
    pub ideal: Time,
}

impl Part {
    /// The bytes that lie in a stretch of the file.
    fn bytes_in(&self, stretch: Stretch) -> u64 {
        let common = self.stretch.within(stretch).length;
        match self.stretch.length {
            0 => 0,
            length if length == self.bytes => common,
            length => (u128::from(self.bytes) * u128::from(common) / u128::from(length)) as u64,
        }
    }
}

/// A rank that accesses a part of the file for all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aggregator {
    pub rank: RankId,
    /// The part it has not accessed yet.
    pub rest: Stretch,
    /// The part it accesses in this round.
    pub round: Stretch,
    /// Messages of this round that are on their way.
    pub messages: u32,
}

/// A collective access.
#[derive(Debug)]
pub(crate) struct Gathering {
    pub file: ContextId,
    pub write: bool,
    /// By rank in the communicator.
    pub parts: Vec<Option<Part>>,
    pub missing: u32,
    pub aggregators: Vec<Aggregator>,
    /// Aggregators that are not done.
    pub busy: usize,
    buffer: u64,
    /// Do the parts together leave no gaps? Of a round that is not known exactly.
    dense: bool,
}

impl Gathering {
    /// No rank has come yet.
    pub(crate) fn new(file: ContextId, write: bool, size: u32, hints: &FileHints) -> Gathering {
        Gathering {
            file,
            write,
            parts: vec![None; size as usize],
            missing: size,
            aggregators: Vec::new(),
            busy: 0,
            buffer: if hints.buffer == 0 { BUFFER } else { hints.buffer },
            dense: false,
        }
    }

    pub(crate) fn parts(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter().flatten()
    }

    /// Is the file accessed by a few for all? Automatic as ROMIO has it: if a rank's stretch begins before that of the rank
    /// before it ends.
    pub(crate) fn is_two_phase(&self, hints: &FileHints) -> bool {
        let wish = if self.write { hints.collective_write } else { hints.collective_read };
        match wish {
            TwoPhase::Enabled => true,
            TwoPhase::Disabled => false,
            TwoPhase::Automatic => {
                let used: Vec<Stretch> =
                    self.parts().filter(|part| part.bytes > 0).map(|part| part.stretch).collect();
                used.windows(2).any(|pair| pair[1].offset < pair[0].end())
            }
        }
    }

    /// Divides the file among these ranks.
    pub(crate) fn divide(&mut self, ranks: &[RankId]) {
        let used = || self.parts().filter(|part| part.bytes > 0).map(|part| part.stretch);
        let Some(start) = used().map(|stretch| stretch.offset).min() else { return };
        let end = used().map(Stretch::end).max().unwrap_or(start);
        self.dense = self.parts().map(|part| part.bytes).sum::<u64>() >= end - start;
        let each = (end - start).div_ceil(ranks.len().max(1) as u64);
        let mut from = start;
        for &rank in ranks {
            let rest = Stretch { offset: from, length: each.min(end - from) };
            from = rest.end();
            self.aggregators.push(Aggregator { rank, rest, round: rest, messages: 0 });
        }
        self.busy = self.aggregators.len();
    }

    /// The next round of an aggregator in which there are bytes; false if it is done.
    pub(crate) fn next_round(&mut self, aggregator: usize) -> bool {
        loop {
            let Aggregator { rest, round, .. } = &mut self.aggregators[aggregator];
            if rest.length == 0 {
                return false;
            }
            *round = Stretch { offset: rest.offset, length: rest.length.min(self.buffer) };
            *rest = Stretch { offset: round.end(), length: rest.length - round.length };
            let round = *round;
            if self.parts().any(|part| part.bytes_in(round) > 0) {
                return true;
            }
        }
    }

    /// The bytes of each rank in an aggregator's round, in order.
    pub(crate) fn shares(&self, aggregator: usize) -> Vec<(RankId, u64)> {
        let round = self.aggregators[aggregator].round;
        let shares = self.parts().map(|part| (part.rank, part.bytes_in(round)));
        shares.filter(|(_, bytes)| *bytes > 0).collect()
    }

    /// The stages of an aggregator's round.
    pub(crate) fn stages(&self, aggregator: usize) -> VecDeque<Stage> {
        let round = self.aggregators[aggregator].round;
        let used = || self.parts().filter(|part| part.bytes > 0).map(|part| part.stretch.within(round));
        let used = || used().filter(|stretch| stretch.length > 0);
        let start = used().map(|stretch| stretch.offset).min().unwrap_or(round.offset);
        let end = used().map(Stretch::end).max().unwrap_or(start);
        let stretch = Stretch { offset: start, length: end - start };
        let bytes: u64 = self.parts().map(|part| part.bytes_in(round)).sum();
        let access = |write| Stage::Move { write, stretch, bytes: stretch.length, pieces: 1 };
        match self.write && !self.dense && bytes < stretch.length {
            true => VecDeque::from([access(false), access(true)]),
            false => VecDeque::from([access(self.write)]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gathering(write: bool, stretches: &[(u64, u64, u64)], hints: &FileHints) -> Gathering {
        let mut gathering = Gathering::new(ContextId::new(9), write, stretches.len() as u32, hints);
        for (at, &(offset, length, bytes)) in stretches.iter().enumerate() {
            gathering.parts[at] = Some(Part {
                rank: RankId::new(at as u32),
                owner: Owner::None,
                stretch: Stretch { offset, length },
                bytes,
                pieces: 1,
                entered: Time::ZERO,
                ideal: Time::ZERO,
            });
        }
        gathering
    }

    #[test]
    fn interleaved_parts_are_gathered_and_others_are_not() {
        let hints = FileHints::default();
        assert!(!gathering(true, &[(0, 10, 10), (10, 10, 10)], &hints).is_two_phase(&hints));
        assert!(gathering(true, &[(0, 19, 10), (1, 19, 10)], &hints).is_two_phase(&hints));
        let always = FileHints { collective_write: TwoPhase::Enabled, ..hints };
        assert!(gathering(true, &[(0, 10, 10), (10, 10, 10)], &always).is_two_phase(&always));
        assert!(!gathering(false, &[(0, 10, 10), (10, 10, 10)], &always).is_two_phase(&always));
    }

    #[test]
    fn rounds_cover_all_bytes_once() {
        let hints = FileHints { buffer: 7, ..FileHints::default() };
        let mut gathering = gathering(true, &[(0, 60, 60), (60, 20, 20)], &hints);
        gathering.divide(&[RankId::new(0), RankId::new(1)]);
        let mut sums = [0; 2];
        for aggregator in 0..2 {
            while gathering.next_round(aggregator) {
                for (rank, bytes) in gathering.shares(aggregator) {
                    sums[rank.index()] += bytes;
                }
            }
        }
        assert_eq!(sums, [60, 20]);
    }

    #[test]
    fn a_write_with_gaps_reads_first() {
        let hints = FileHints::default();
        let mut dense = gathering(true, &[(0, 20, 10), (0, 20, 10)], &hints);
        dense.divide(&[RankId::new(0)]);
        assert!(dense.next_round(0));
        assert_eq!(dense.stages(0).len(), 1);
        // Records of two ranks in turn: a round in the middle has no gaps either.
        let rounds = FileHints { buffer: 7, ..hints };
        let mut turns = gathering(true, &[(0, 19, 10), (1, 19, 10)], &rounds);
        turns.divide(&[RankId::new(0)]);
        while turns.next_round(0) {
            assert_eq!(turns.stages(0).len(), 1);
        }
        let mut sparse = gathering(true, &[(0, 20, 4), (0, 20, 4)], &hints);
        sparse.divide(&[RankId::new(0)]);
        assert!(sparse.next_round(0));
        assert_eq!(sparse.stages(0).len(), 2);
    }
}
