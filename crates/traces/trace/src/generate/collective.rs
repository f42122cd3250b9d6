//! One collective as every rank of the world calls it, with blocks of one size.

use mpirage_call::{Blocks, Collective, CollectiveCall, Operator, Part, Payload, Peers, Reduction, WORLD};
use mpirage_data::{Basic, Op};

/// A collective of all ranks ([`Collective::OF_ALL_RANKS`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectiveSpec {
    /// The operation.
    pub kind: Collective,
    /// How many ranks there are.
    pub ranks: u32,
    /// The vector (bcast, reduce, allreduce, scan, exscan), or the block of one rank or pair of ranks.
    pub bytes: u64,
    /// The root, if the operation has one.
    pub root: u32,
}

impl CollectiveSpec {
    /// Offset and length of each rank's block, if the operation takes a list of them.
    pub(crate) fn list(&self) -> Vec<u64> {
        use Collective::{Allgatherv, Alltoallv, Alltoallw, Gatherv, ReduceScatter, Scatterv};
        match self.kind {
            Gatherv | Scatterv | Allgatherv | Alltoallv | Alltoallw | ReduceScatter => {
                (0..u64::from(self.ranks)).flat_map(|rank| [rank * self.bytes, self.bytes]).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The call of one rank; `list` is what [`Self::list`] gives.
    pub(crate) fn call<'a>(&self, rank: u32, list: &'a [u64]) -> CollectiveCall<'a> {
        let [send, recv] = self.parts(rank, list);
        CollectiveCall {
            kind: self.kind,
            context: WORLD,
            root: self.root,
            peers: Peers::All,
            send,
            recv,
            reduction: self.reduction(),
            request: None,
            plan: 0,
            input: Default::default(),
            on_mismatch: Default::default(),
        }
    }

    /// The parts that a rank sends and receives.
    fn parts<'a>(&self, rank: u32, list: &'a [u64]) -> [Part<'a>; 2] {
        use Collective as C;
        let is_root = rank == self.root;
        let part = |blocks| Part { payload: Payload::Absent, blocks };
        let at_root = |blocks| if is_root { part(blocks) } else { Part::EMPTY };
        let (whole, equal, each) = (Blocks::Whole(self.bytes), Blocks::Equal(self.bytes), Blocks::Each(list));
        match self.kind {
            C::Barrier => [Part::EMPTY; 2],
            C::Bcast if is_root => [part(whole), Part::EMPTY],
            C::Bcast => [Part::EMPTY, part(whole)],
            C::Gather => [part(whole), at_root(equal)],
            C::Gatherv => [part(whole), at_root(each)],
            C::Scatter => [at_root(equal), part(whole)],
            C::Scatterv => [at_root(each), part(whole)],
            C::Allgather => [part(whole), part(equal)],
            C::Allgatherv => [part(whole), part(each)],
            C::Alltoall => [part(equal); 2],
            C::Alltoallv | C::Alltoallw => [part(each); 2],
            C::Reduce => [part(whole), at_root(whole)],
            C::Allreduce | C::Scan | C::Exscan => [part(whole); 2],
            C::ReduceScatter => [part(Blocks::Whole(self.reduced())), part(each)],
            C::ReduceScatterBlock => [part(equal), part(whole)],
            other => unreachable!("{other} is no collective of all ranks"),
        }
    }

    /// Bytes of the vector that is reduced.
    fn reduced(&self) -> u64 {
        match self.kind {
            Collective::ReduceScatter | Collective::ReduceScatterBlock => u64::from(self.ranks) * self.bytes,
            _ => self.bytes,
        }
    }

    /// A sum of doubles if they fill a block, else of bytes.
    fn reduction(&self) -> Option<Reduction> {
        if !self.kind.reduces() {
            return None;
        }
        let doubles = self.bytes.is_multiple_of(8);
        let (element, basic) = if doubles { (8, Basic::Double) } else { (1, Basic::UnsignedChar) };
        let operator = Operator::Predefined { op: Op::Sum.code(), basic: basic.code() };
        let elements = self.reduced() / u64::from(element);
        Some(Reduction { operator, commutative: true, element, elements })
    }

    /// The function of MPI, such as `MPI_Reduce_scatter`.
    pub(crate) fn function(&self) -> String {
        let name = self.kind.name().replace('-', "_");
        format!("MPI_{}{}", name[..1].to_ascii_uppercase(), &name[1..])
    }
}

#[cfg(test)]
mod tests {
    use mpirage_call::function_names;

    use super::*;

    fn spec(kind: Collective) -> CollectiveSpec {
        CollectiveSpec { kind, ranks: 4, bytes: 24, root: 1 }
    }

    #[test]
    fn every_collective_is_a_function_of_mpi() {
        for kind in Collective::OF_ALL_RANKS {
            let function = spec(kind).function();
            assert!(function_names().iter().any(|&name| name == function), "{function}");
        }
    }

    /// `bytes` is what algorithms are chosen by, where they are chosen by one number.
    #[test]
    fn bytes_are_those_of_the_shape() {
        for kind in Collective::OF_ALL_RANKS {
            let (spec, list) = (spec(kind), spec(kind).list());
            for rank in 0..4 {
                let bytes = spec.call(rank, &list).shape_bytes(rank);
                let counted = !list.is_empty() && !matches!(kind, Collective::Gatherv | Collective::Scatterv);
                let expected = if counted || kind == Collective::Barrier { 0 } else { 24 };
                assert_eq!(bytes, expected, "{kind} {rank}");
            }
        }
    }

    #[test]
    fn what_is_given_is_what_is_got() {
        for kind in
            Collective::OF_ALL_RANKS.into_iter().filter(|kind| !kind.reduces() && *kind != Collective::Bcast)
        {
            let (spec, list) = (spec(kind), spec(kind).list());
            let gets = |from: u32, to: u32| spec.call(to, &list).recv.blocks.of(from as usize).1;
            let gives = |from: u32, to: u32| spec.call(from, &list).send.blocks.of(to as usize).1;
            for (from, to) in (0..4).flat_map(|from| (0..4).map(move |to| (from, to))) {
                let takes_part = match kind {
                    Collective::Gather | Collective::Gatherv => to == 1,
                    Collective::Scatter | Collective::Scatterv => from == 1,
                    _ => true,
                };
                if takes_part {
                    assert_eq!(gives(from, to), gets(from, to), "{kind} {from} {to}");
                }
            }
        }
    }
}
