//! A call whose methods are compared.

use std::sync::Arc;

use mpirage_call::Collective;
use mpirage_collectives::Shape;
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

    /// The shape of the call that algorithms see: as the engine does, from [`Point::spec`]. `counts` are those of [`Point::counts`].
    pub(crate) fn shape<'a>(&self, counts: &'a [u64]) -> Shape<'a> {
        let element = if self.bytes.is_multiple_of(8) { 8 } else { 1 };
        let shape = Shape::new(self.ranks()).root(self.root).bytes(self.bytes).counts(counts, counts);
        if self.collective.reduces() { shape.element(element) } else { shape }
    }
}
