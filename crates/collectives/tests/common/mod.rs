//! What the tests share: cases, and an abstract machine that runs the schedules of all ranks.
#![allow(dead_code, reason = "each test program uses its part")]

pub mod machine;

use mpirage_collectives::{Algorithm, Collective, Schedule, Shape, schedule};

/// Short, so that small cases have several.
pub const SEGMENT: u64 = 1024;

/// One collective call as all ranks make it.
#[derive(Clone, Debug)]
pub struct Case {
    pub collective: Collective,
    pub size: u32,
    pub root: u32,
    pub bytes: u64,
    pub element: u64,
    pub commutative: bool,
    /// `sent[i][j]`: bytes from i to j. The v-variants that have one count per rank read row 0.
    sent: Vec<Vec<u64>>,
    received: Vec<Vec<u64>>,
}

impl Case {
    pub fn new(collective: Collective, size: u32, bytes: u64) -> Self {
        Case {
            collective,
            size,
            root: 0,
            bytes,
            element: 1,
            commutative: true,
            sent: vec![],
            received: vec![],
        }
        .counts(|_, _| bytes)
    }

    pub fn root(self, root: u32) -> Self {
        Case { root, ..self }
    }

    pub fn element(self, element: u64) -> Self {
        Case { element, ..self }
    }

    pub fn commutative(self, commutative: bool) -> Self {
        Case { commutative, ..self }
    }

    pub fn counts(self, bytes: impl Fn(u32, u32) -> u64) -> Self {
        let table = |of: &dyn Fn(u32, u32) -> u64| {
            (0..self.size).map(|i| (0..self.size).map(|j| of(i, j)).collect()).collect()
        };
        let (sent, received) = (table(&|i, j| bytes(i, j)), table(&|i, j| bytes(j, i)));
        Case { sent, received, ..self }
    }

    /// What `rank` knows of the call: no counts where MPI gives it none, an element of its own
    /// where MPI allows that, and its own idea of being in place.
    pub fn shape(&self, rank: u32) -> Shape<'_> {
        use Collective::*;
        let common = &self.sent[0][..];
        let shape = Shape::new(self.size)
            .rank(rank)
            .root(self.root)
            .bytes(self.bytes)
            .element(if self.collective.reduces() { self.element } else { self.element + u64::from(rank) })
            .in_place(rank % 2 == 1)
            .segment(SEGMENT)
            .commutative(self.commutative);
        match self.collective {
            Gatherv if rank == self.root => shape.bytes(common[rank as usize]).counts(&[], common),
            Scatterv if rank == self.root => shape.bytes(common[rank as usize]).counts(common, &[]),
            Gatherv | Scatterv => shape.bytes(common[rank as usize]),
            Allgatherv | ReduceScatter => shape.counts(&[], common),
            Alltoallv | Alltoallw => shape.counts(&self.sent[rank as usize], &self.received[rank as usize]),
            _ => shape,
        }
    }

    pub fn schedules(&self, algorithm: Algorithm) -> Vec<Schedule> {
        let build = |rank| {
            let mut out = Schedule::default();
            schedule(self.collective, algorithm, &self.shape(rank), &mut out);
            out
        };
        (0..self.size).map(build).collect()
    }

    /// Bytes `rank` has to hear from others, whatever the algorithm.
    pub fn needed(&self, rank: u32) -> u64 {
        use Collective::*;
        let others = |counts: &[u64]| counts.iter().sum::<u64>() - counts[rank as usize];
        let (common, all_but_one) = (&self.sent[0], u64::from(self.size - 1));
        let is_root = rank == self.root;
        match self.collective {
            Barrier => 0,
            _ if self.size == 1 => 0,
            Bcast | Scatter if !is_root => self.bytes,
            Scatterv if !is_root => common[rank as usize],
            Gather if is_root => all_but_one * self.bytes,
            Gatherv if is_root => others(common),
            Reduce if is_root => self.bytes,
            Bcast | Scatter | Scatterv | Gather | Gatherv | Reduce => 0,
            Allgather | Alltoall => all_but_one * self.bytes,
            Allgatherv => others(common),
            Alltoallv | Alltoallw => others(&self.received[rank as usize]),
            Allreduce | ReduceScatterBlock => self.bytes,
            ReduceScatter => common[rank as usize],
            Scan | Exscan => {
                if rank > 0 {
                    self.bytes
                } else {
                    0
                }
            }
        }
    }

    /// Bytes `rank` has to tell others, whatever the algorithm.
    pub fn offered(&self, rank: u32) -> u64 {
        use Collective::*;
        let others = |counts: &[u64]| counts.iter().sum::<u64>() - counts[rank as usize];
        let (common, all_but_one) = (&self.sent[0], u64::from(self.size - 1));
        let is_root = rank == self.root;
        match self.collective {
            Barrier => 0,
            _ if self.size == 1 => 0,
            Bcast if is_root => self.bytes,
            Scatter if is_root => all_but_one * self.bytes,
            Scatterv if is_root => others(common),
            Gather | Reduce if !is_root => self.bytes,
            Gatherv if !is_root => common[rank as usize],
            Bcast | Scatter | Scatterv | Gather | Gatherv | Reduce => 0,
            Allgather | Allreduce => self.bytes,
            Allgatherv => common[rank as usize],
            Alltoall | ReduceScatterBlock => all_but_one * self.bytes,
            Alltoallv | Alltoallw => others(&self.sent[rank as usize]),
            ReduceScatter => others(common),
            Scan | Exscan => {
                if rank + 1 < self.size {
                    self.bytes
                } else {
                    0
                }
            }
        }
    }
}

/// Every collective with every algorithm that performs it.
pub fn all_pairs() -> impl Iterator<Item = (Collective, Algorithm)> {
    Collective::ALL.into_iter().flat_map(|collective| collective.algorithms().map(move |a| (collective, a)))
}
