//! A call whose methods are compared.

use std::sync::Arc;

use mpirage_collectives::{Collective, Shape};
use mpirage_trace::CollectiveSpec;

/// A collective, the ranks that call it, and its bytes. Blocks have one size, also those of the v-forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// The operation.
    pub collective: Collective,
    /// The ranks of the communicator, as ranks of the machine.
    pub members: Arc<[u32]>,
    /// The vector (bcast, reduce, allreduce, scan, exscan), or the block of one rank or pair of ranks.
    pub bytes: u64,
    /// The root, as a rank of the communicator; zero if there is none.
    pub root: u32,
}

/// Collectives that can be tuned: those of all ranks of a communicator, not those among neighbours or between two sides.
pub fn tunable() -> impl Iterator<Item = Collective> {
    Collective::ALL.into_iter().filter(|&kind| is_tunable(kind))
}

/// Is it one of [`tunable`]?
pub fn is_tunable(collective: Collective) -> bool {
    !collective.is_neighborhood() && !collective.is_across()
}

impl Point {
    /// How many ranks call.
    pub fn ranks(&self) -> u32 {
        self.members.len() as u32
    }

    /// The same call as a workload of all its ranks.
    pub(crate) fn spec(&self) -> CollectiveSpec {
        CollectiveSpec { kind: self.collective, ranks: self.ranks(), bytes: self.bytes, root: self.root }
    }

    /// One count per rank, for collectives that take counts; the others do not read them.
    pub(crate) fn counts(&self) -> Vec<u64> {
        vec![self.bytes; self.members.len()]
    }

    /// What algorithms see of the call: as the engine does, from [`Point::spec`]. `counts` are those of [`Point::counts`].
    pub(crate) fn shape<'a>(&self, counts: &'a [u64]) -> Shape<'a> {
        let element = if self.bytes.is_multiple_of(8) { 8 } else { 1 };
        let shape = Shape::new(self.ranks()).root(self.root).bytes(self.bytes).counts(counts, counts);
        if self.collective.reduces() { shape.element(element) } else { shape }
    }
}
