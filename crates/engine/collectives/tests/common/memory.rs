//! The memory of all ranks: which data each has, byte by byte, and whose contributions are in it.
//!
//! Every byte of a collective's data has a place in one address space: the vector, the blocks of all ranks one after the
//! other, or the blocks of all pairs of ranks. For each place a rank has a set of contributions, as bits: empty if it does not
//! have that byte, the rank that it comes from, or all ranks whose operands are combined in it.
//!
//! Received data replaces the rank's data if it contains all of it; if the two have no contribution in common, the next
//! [`Step::Reduce`](mpirage_collectives::Step) combines them. Anything else loses an operand or counts it twice.

use std::collections::VecDeque;
use std::ops::Range;

use mpirage_call::{Collective, OTHER_SIDE};
use mpirage_collectives::Piece;

use super::Case;

/// Marks a place where operands were combined that are not next to each other, although they do not commute. That is wrong
/// only if the rank uses it.
const OUT_OF_ORDER: u64 = 1 << 63;

/// The content of a message: places, and the contributions at each.
#[derive(Clone, Debug, Default)]
pub struct Carried(Vec<(usize, u64)>);

/// How received data is merged with the data already there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meeting {
    /// The test does not look at data.
    Ignored,
    /// It is stored.
    Stored,
    /// It is combined by the next reduction, or stored if it is complete.
    Reduced { commutative: bool },
    /// It is combined at once, in the sum of a group, and in the result if all of it comes from lower ranks.
    Scanned,
}

pub struct Memory {
    meeting: Meeting,
    /// The places of each block, or of the whole vector.
    blocks: Vec<Range<usize>>,
    size: usize,
    ranks: Vec<RankMemory>,
    /// The two sides of an inter-communicator.
    sides: Option<TwoSides>,
}

/// Bytes of messages between two sides are told by the side that gives them.
#[derive(Clone, Copy)]
pub struct TwoSides {
    /// How many ranks the first side has.
    pub first: usize,
    /// Where the bytes of each side begin.
    pub begins: [usize; 2],
}

/// The data that a rank has and the data it must end with: contributions at each place.
pub struct Promise {
    pub has: Vec<u64>,
    pub promised: Vec<u64>,
}

#[derive(Default)]
struct RankMemory {
    has: Vec<u64>,
    /// Received and not yet combined, in order.
    pending: VecDeque<Carried>,
    /// For a scan: the contributions combined in the result.
    result: Vec<u64>,
    /// The data that the rank must end with.
    promised: Vec<u64>,
}

impl RankMemory {
    /// The contributions received last for a place and not combined yet.
    fn received_last(&self, place: usize) -> u64 {
        let last = self.pending.iter().rev().flat_map(|carried| &carried.0).find(|&&(at, _)| at == place);
        last.map_or(0, |&(_, operands)| operands)
    }
}

impl Memory {
    /// A memory for tests that do not look at data.
    pub fn none(size: usize) -> Memory {
        let ranks = (0..size).map(|_| RankMemory::default()).collect();
        Memory { meeting: Meeting::Ignored, blocks: vec![], size, ranks, sides: None }
    }

    /// As the collective begins.
    pub fn of(case: &Case) -> Memory {
        let size = case.size as usize;
        let blocks = block_ranges(case);
        let places = blocks.last().map_or(0, |last| last.end);
        let mut memory = Memory { meeting: meeting(case), blocks, size, ranks: vec![], sides: None };
        memory.ranks = (0..size).map(|rank| memory.rank(case, rank, places)).collect();
        memory
    }

    /// Two sides that store or combine what they get.
    pub fn of_sides(
        sides: TwoSides,
        combines: Option<bool>,
        blocks: Vec<Range<usize>>,
        promises: Vec<Promise>,
    ) -> Memory {
        let meeting = combines.map_or(Meeting::Stored, |commutative| Meeting::Reduced { commutative });
        let rank = |Promise { has, promised }| RankMemory { has, promised, ..RankMemory::default() };
        let size = promises.len();
        let ranks = promises.into_iter().map(rank).collect();
        Memory { meeting, blocks, size, ranks, sides: Some(sides) }
    }

    fn rank(&self, case: &Case, rank: usize, places: usize) -> RankMemory {
        use Collective::*;
        let all = (1u64 << self.size) - 1;
        let (me, root) = (1u64 << rank, case.root as usize);
        let (mut has, mut promised) = (vec![0; places], vec![0; places]);
        let is_root = rank == root;
        match case.collective {
            Barrier => {}
            Bcast => {
                has.fill(if is_root { me } else { 0 });
                promised.fill(1 << root);
            }
            Gather | Gatherv | Allgather | Allgatherv => {
                has[self.blocks[rank].clone()].fill(me);
                if is_root || matches!(case.collective, Allgather | Allgatherv) {
                    self.each_block(|owner, block| promised[block].fill(1 << owner));
                }
            }
            Scatter | Scatterv => {
                has.fill(if is_root { me } else { 0 });
                promised[self.blocks[rank].clone()].fill(1 << root);
            }
            Alltoall | Alltoallv | Alltoallw => self.each_block(|pair, block| {
                let (from, to) = (pair / self.size, pair % self.size);
                has[block.clone()].fill(if from == rank { me } else { 0 });
                promised[block].fill(if to == rank { 1 << from } else { 0 });
            }),
            Reduce | Allreduce => {
                has.fill(me);
                promised.fill(if is_root || case.collective == Allreduce { all } else { 0 });
            }
            ReduceScatter | ReduceScatterBlock => {
                has.fill(me);
                promised[self.blocks[rank].clone()].fill(all);
            }
            Scan => {
                has.fill(me);
                promised.fill(me | (me - 1));
            }
            Exscan => {
                has.fill(me);
                promised.fill(me - 1);
            }
            other => unreachable!("{other} has tests of its own"),
        }
        let result = if case.collective == Scan { has.clone() } else { vec![0; places] };
        RankMemory { has, pending: VecDeque::new(), result, promised }
    }

    fn each_block(&self, mut each: impl FnMut(usize, Range<usize>)) {
        self.blocks.iter().cloned().enumerate().for_each(|(index, block)| each(index, block));
    }

    /// The data that a rank sends.
    pub fn send(&self, rank: usize, pieces: &[Piece], bytes: u64) -> Result<Carried, String> {
        if self.meeting == Meeting::Ignored {
            return Ok(Carried::default());
        }
        let mut carried = vec![];
        for piece in pieces {
            for place in self.places(rank, piece)? {
                let has = match piece {
                    Piece::Received(_) => self.ranks[rank].received_last(place),
                    _ => self.ranks[rank].has[place],
                };
                if has == 0 {
                    return Err(format!("sends {piece}, which it does not have"));
                }
                if !self.is_in_order(has) {
                    return Err(format!(
                        "sends {piece} with operands {has:#b}, which are not next to each other"
                    ));
                }
                carried.push((place, has));
            }
        }
        let padding = |piece: &Piece| if let Piece::Padding(bytes) = piece { *bytes } else { 0 };
        if carried.len() as u64 + pieces.iter().map(padding).sum::<u64>() != bytes {
            return Err(format!("sends {bytes} bytes, but {pieces:?} are {}", carried.len()));
        }
        Ok(Carried(carried))
    }

    fn places(&self, rank: usize, piece: &Piece) -> Result<Range<usize>, String> {
        let missing = || format!("there is no {piece}");
        let block = |index: usize| self.blocks.get(index).cloned().ok_or_else(missing);
        let range = match piece {
            Piece::Bytes(range) => self.bytes_of_sender(rank, range),
            Piece::Block(rank) | Piece::Received(rank) => block(*rank as usize)?,
            Piece::Part(rank, range) => {
                let block = block(*rank as usize)?;
                block.start + range.start as usize..block.start + range.end as usize
            }
            Piece::Padding(_) => 0..0,
            Piece::Pair { from, to } => block(*from as usize * self.size + *to as usize)?,
        };
        let end = self.blocks.last().map_or(0, |last| last.end);
        if range.end > end { Err(missing()) } else { Ok(range) }
    }

    /// The places of bytes that a rank sends.
    fn bytes_of_sender(&self, rank: usize, range: &Range<u64>) -> Range<usize> {
        let Some(sides) = self.sides else { return range.start as usize..range.end as usize };
        let (own, other) = (usize::from(rank >= sides.first), range.start >= OTHER_SIDE);
        let begin = sides.begins[if other { 1 - own } else { own }];
        let at = |byte: u64| begin + (if other { byte - OTHER_SIDE } else { byte }) as usize;
        at(range.start)..at(range.end)
    }

    /// Operands that do not commute are combined with their neighbours only.
    fn is_in_order(&self, operands: u64) -> bool {
        let run = operands >> operands.trailing_zeros();
        self.meeting != Meeting::Reduced { commutative: false } || run & (run + 1) == 0
    }

    /// A rank receives.
    pub fn receive(&mut self, rank: usize, carried: &Carried) -> Result<(), String> {
        let RankMemory { has, pending, result, .. } = &mut self.ranks[rank];
        let mut later = vec![];
        for &(place, operands) in &carried.0 {
            let mine = has[place];
            match self.meeting {
                Meeting::Ignored => {}
                Meeting::Stored => has[place] |= operands,
                Meeting::Scanned if mine & operands == 0 => {
                    has[place] |= operands;
                    if operands < 1 << rank {
                        result[place] |= operands;
                    }
                }
                // A rank that gives nothing itself takes the first operand.
                Meeting::Reduced { .. } if mine == 0 => has[place] = operands,
                Meeting::Reduced { .. } if mine & operands == 0 => later.push((place, operands)),
                Meeting::Reduced { .. } if mine & !OUT_OF_ORDER & !operands == 0 => has[place] = operands,
                Meeting::Reduced { .. } | Meeting::Scanned => {
                    return Err(format!("has operands {mine:#b} and receives {operands:#b}"));
                }
            }
        }
        if !later.is_empty() {
            pending.push_back(Carried(later));
        }
        Ok(())
    }

    /// A rank combines that many of the bytes it has received.
    pub fn reduce(&mut self, rank: usize, bytes: u64) -> Result<(), String> {
        if !matches!(self.meeting, Meeting::Reduced { .. }) {
            return Ok(());
        }
        let mut left = bytes as usize;
        let mut touched = vec![];
        while left > 0 {
            let RankMemory { has, pending, .. } = &mut self.ranks[rank];
            let Some(next) = pending.pop_front() else {
                return Err(format!("reduces {left} bytes that it has not received"));
            };
            left = left.checked_sub(next.0.len()).ok_or("reduces a part of what it has received")?;
            for (place, operands) in next.0 {
                if has[place] & operands != 0 {
                    return Err(format!("combines operands {operands:#b} twice"));
                }
                has[place] |= operands;
                touched.push(place);
            }
        }
        for place in touched {
            let operands = self.ranks[rank].has[place];
            if !self.is_in_order(operands) {
                self.ranks[rank].has[place] = operands | OUT_OF_ORDER;
            }
        }
        Ok(())
    }

    /// Has the rank what its collective promises?
    pub fn check(&self, rank: usize) -> Result<(), String> {
        let RankMemory { has, pending, result, promised } = &self.ranks[rank];
        if !pending.is_empty() {
            return Err(format!("never combines {} bytes that it has received", pending[0].0.len()));
        }
        let end = if self.meeting == Meeting::Scanned { result } else { has };
        let wrong = (0..promised.len()).find(|&place| match self.meeting {
            Meeting::Scanned => promised[place] != end[place],
            _ => promised[place] != 0 && promised[place] != end[place],
        });
        match wrong {
            Some(place) => {
                Err(format!("ends with {:#b} instead of {:#b} in byte {place}", end[place], promised[place]))
            }
            None => Ok(()),
        }
    }
}

fn meeting(case: &Case) -> Meeting {
    match case.collective {
        Collective::Barrier => Meeting::Ignored,
        Collective::Scan | Collective::Exscan => Meeting::Scanned,
        collective if collective.reduces() => Meeting::Reduced { commutative: case.commutative },
        _ => Meeting::Stored,
    }
}

/// Where the blocks of a collective are: one for each rank, one for each pair of ranks, or the vector.
fn block_ranges(case: &Case) -> Vec<Range<usize>> {
    use Collective::*;
    let sizes: Vec<u64> = match case.collective {
        Barrier => vec![0],
        Bcast | Reduce | Allreduce | Scan | Exscan => vec![case.bytes],
        Gather | Scatter | Allgather | ReduceScatterBlock => vec![case.bytes; case.size as usize],
        Gatherv | Scatterv | Allgatherv | ReduceScatter => case.common_counts().to_vec(),
        Alltoall => vec![case.bytes; (case.size * case.size) as usize],
        Alltoallv | Alltoallw => (0..case.size).flat_map(|from| case.sent_by(from).to_vec()).collect(),
        other => unreachable!("{other} has tests of its own"),
    };
    one_after_the_other(sizes)
}

/// Places of blocks of these sizes.
pub fn one_after_the_other(sizes: impl IntoIterator<Item = u64>) -> Vec<Range<usize>> {
    let mut end = 0;
    sizes
        .into_iter()
        .map(|size| {
            let start = end;
            end += size as usize;
            start..end
        })
        .collect()
}
