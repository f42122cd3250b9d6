//! Cases between the two sides of an inter-communicator.

use std::ops::Range;

use mpirage_call::{BESIDE_ROOT, Collective, Method, Peers};
use mpirage_collectives::{Schedule, Shape, schedule};

use super::memory::{Memory, Promise, TwoSides, one_after_the_other};

/// One collective call as all ranks of both sides make it.
#[derive(Clone, Debug)]
pub struct Across {
    pub collective: Collective,
    /// Ranks of the first and of the second side.
    pub sides: [u32; 2],
    pub root: u32,
    pub element: u64,
    pub commutative: bool,
    /// The vector, or the block of a rank, of the first and of the second side.
    bytes: [u64; 2],
    /// Bytes from each rank to each of the other side, in v-variants.
    counts: Vec<Vec<u64>>,
    /// The shares of the ranks of each side in a reduce-scatter: as much in total on both.
    shares: [Vec<u64>; 2],
}

impl Across {
    /// `counts` gives the bytes between two ranks, and of a rank with itself those of its block.
    pub fn new(
        collective: Collective,
        sides: [u32; 2],
        bytes: [u64; 2],
        counts: impl Fn(u32, u32) -> u64,
    ) -> Across {
        let size = sides[0] + sides[1];
        let counts: Vec<Vec<u64>> = (0..size).map(|i| (0..size).map(|j| counts(i, j)).collect()).collect();
        Across {
            collective,
            sides,
            root: 0,
            element: 1,
            commutative: true,
            bytes,
            counts,
            shares: [vec![], vec![]],
        }
        .share()
    }

    pub fn root(self, root: u32) -> Across {
        Across { root, ..self }
    }

    pub fn element(self, element: u64) -> Across {
        Across { element, bytes: self.bytes.map(|bytes| bytes / element * element), ..self }.share()
    }

    pub fn commutative(self, commutative: bool) -> Across {
        Across { commutative, ..self }
    }

    /// A block for each rank, or, if they differ, the last one gets the rest.
    fn share(self) -> Across {
        let elements = u64::from(self.sides[0] * self.sides[1]) * (self.bytes[0] / self.element % 5);
        let each = |side: usize| {
            let ranks = self.sides[side] as usize;
            let equal = vec![elements / ranks as u64 * self.element; ranks];
            let uneven = (0..ranks).map(|rank| if rank + 1 == ranks { elements * self.element } else { 0 });
            match self.collective {
                Collective::InterReduceScatter => uneven.collect(),
                _ => equal,
            }
        };
        let shares = [each(0), each(1)];
        Across { shares, ..self }
    }

    pub fn size(&self) -> u32 {
        self.sides[0] + self.sides[1]
    }

    fn side(&self, rank: u32) -> usize {
        usize::from(rank >= self.sides[0])
    }

    fn members(&self, side: usize) -> Range<u32> {
        [0..self.sides[0], self.sides[0]..self.size()][side].clone()
    }

    /// Bytes of the block of a rank.
    fn block(&self, rank: u32) -> u64 {
        use Collective::*;
        match self.collective {
            InterGather | InterScatter => self.bytes[0],
            InterGatherv | InterScatterv | InterAllgatherv => self.counts[rank as usize][rank as usize],
            _ => self.bytes[self.side(rank)],
        }
    }

    fn pair(&self, from: u32, to: u32) -> u64 {
        match self.collective {
            _ if self.side(from) == self.side(to) => 0,
            Collective::InterAlltoall => self.bytes[self.side(from)],
            _ => self.counts[from as usize][to as usize],
        }
    }

    /// Bytes of the vector that is combined.
    fn vector(&self) -> u64 {
        match self.collective {
            Collective::InterReduceScatter | Collective::InterReduceScatterBlock => {
                self.shares[0].iter().sum()
            }
            _ => self.bytes[0],
        }
    }

    /// The counts that a rank knows: to each, and from each.
    fn known_counts(&self, rank: u32) -> [Vec<u64>; 2] {
        use Collective::*;
        let others = || self.members(1 - self.side(rank));
        let blocks = || others().map(|other| self.block(other)).collect();
        match self.collective {
            InterGatherv if rank == self.root => [vec![], blocks()],
            InterScatterv if rank == self.root => [blocks(), vec![]],
            InterAllgather | InterAllgatherv => [vec![], blocks()],
            InterAlltoall | InterAlltoallv | InterAlltoallw => [
                others().map(|to| self.pair(rank, to)).collect(),
                others().map(|from| self.pair(from, rank)).collect(),
            ],
            InterReduceScatter | InterReduceScatterBlock => [vec![], self.shares[self.side(rank)].clone()],
            _ => [vec![], vec![]],
        }
    }

    /// `rank`'s view of the call.
    fn shape<'a>(&self, rank: u32, [sends, receives]: &'a [Vec<u64>; 2]) -> Shape<'a> {
        use Collective::*;
        let beside =
            self.collective.is_rooted() && rank != self.root && self.side(rank) == self.side(self.root);
        let bytes = match self.collective {
            InterBarrier | InterAlltoall | InterAlltoallv | InterAlltoallw => 0,
            InterBcast | InterReduce | InterAllreduce => self.vector(),
            InterReduceScatter | InterReduceScatterBlock => 0,
            _ => self.block(rank),
        };
        Shape::new(self.size())
            .rank(rank)
            .root(if beside { BESIDE_ROOT } else { self.root })
            .bytes(if beside { 0 } else { bytes })
            .element(self.element)
            .commutative(self.commutative)
            .peers(Peers::OtherSide { first: self.sides[0] })
            .counts(sends, receives)
    }

    /// Must `rank` not leave before `other` has entered?
    pub fn waits(&self, rank: u32, other: u32) -> bool {
        mpirage_collectives::waits_for(self.collective, &self.shape(rank, &self.known_counts(rank)), other)
    }

    /// The schedules of all ranks, with what they carry.
    pub fn schedules(&self, method: Method) -> Vec<Schedule> {
        let build = |rank| {
            let mut out = Schedule::annotated();
            schedule(self.collective, method, &self.shape(rank, &self.known_counts(rank)), &mut out);
            out
        };
        (0..self.size()).map(build).collect()
    }

    /// The data that ranks have, and the data they must end with. The test does not check the bytes of a barrier.
    pub fn memory(&self) -> Memory {
        use Collective::*;
        let blocks = match self.collective {
            InterBarrier => return Memory::none(self.size() as usize),
            InterBcast | InterReduce | InterAllreduce | InterReduceScatter | InterReduceScatterBlock => {
                one_after_the_other([self.vector(); 2])
            }
            InterAlltoall | InterAlltoallv | InterAlltoallw => {
                let ranks = || 0..self.size();
                one_after_the_other(ranks().flat_map(|from| ranks().map(move |to| self.pair(from, to))))
            }
            _ => one_after_the_other((0..self.size()).map(|rank| self.block(rank))),
        };
        let second = match self.collective.reduces() || self.collective == InterBcast {
            true => 1,
            false => self.sides[0] as usize,
        };
        let begins = [0, blocks.get(second).map_or(0, |block| block.start)];
        let promises = (0..self.size()).map(|rank| self.promise(rank, &blocks)).collect();
        let combines = self.collective.reduces().then_some(self.commutative);
        Memory::of_sides(TwoSides { first: self.sides[0] as usize, begins }, combines, blocks, promises)
    }

    fn promise(&self, rank: u32, blocks: &[Range<usize>]) -> Promise {
        use Collective::*;
        let places = blocks.last().map_or(0, |last| last.end);
        let (mut has, mut promised) = (vec![0; places], vec![0; places]);
        let (me, side) = (1u64 << rank, self.side(rank));
        let (is_root, across) = (rank == self.root, side != self.side(self.root));
        let others = self.members(1 - side);
        let all_others = others.clone().map(|other| 1u64 << other).sum::<u64>();
        let block = |rank: u32| blocks[rank as usize].clone();
        match self.collective {
            InterBcast => {
                has[blocks[side].clone()].fill(if is_root { me } else { 0 });
                promised[blocks[1 - side].clone()].fill(if across { 1 << self.root } else { 0 });
            }
            InterGather | InterGatherv => {
                has[block(rank)].fill(if across { me } else { 0 });
                others.filter(|_| is_root).for_each(|other| promised[block(other)].fill(1 << other));
            }
            InterScatter | InterScatterv => {
                others.filter(|_| is_root).for_each(|other| has[block(other)].fill(me));
                promised[block(rank)].fill(if across { 1 << self.root } else { 0 });
            }
            InterAllgather | InterAllgatherv => {
                has[block(rank)].fill(me);
                others.for_each(|other| promised[block(other)].fill(1 << other));
            }
            InterAlltoall | InterAlltoallv | InterAlltoallw => others.for_each(|other| {
                has[block(rank * self.size() + other)].fill(me);
                promised[block(other * self.size() + rank)].fill(1 << other);
            }),
            InterReduce => {
                has[blocks[side].clone()].fill(if across { me } else { 0 });
                promised[blocks[1 - side].clone()].fill(if is_root { all_others } else { 0 });
            }
            InterAllreduce => {
                has[blocks[side].clone()].fill(me);
                promised[blocks[1 - side].clone()].fill(all_others);
            }
            InterReduceScatter | InterReduceScatterBlock => {
                has[blocks[side].clone()].fill(me);
                let place = (rank - self.members(side).start) as usize;
                let before = blocks[1 - side].start + self.shares[side][..place].iter().sum::<u64>() as usize;
                promised[before..before + self.shares[side][place] as usize].fill(all_others);
            }
            other => unreachable!("{other} is not between sides"),
        }
        Promise { has, promised }
    }
}
