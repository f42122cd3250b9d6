//! Collective operations: their codes, and what the bytes of their records mean.
//!
//! A record has two sums: bytes sent and bytes received. They count what Score-P counts. With n ranks, blocks of b bytes, and rank r:
//!
//! | operation | sent | received |
//! |---|---|---|
//! | bcast, scatter | root: n·b | b |
//! | gather, reduce | b | root: n·b |
//! | allgather, alltoall, allreduce, reduce-scatter-block | n·b | n·b |
//! | reduce-scatter | the sum of all blocks | n times the own block |
//! | allgatherv | n times the own block | the sum of all blocks |
//! | scan | (n − r)·b | (r + 1)·b |
//! | exscan | (n − r − 1)·b | r·b |
//!
//! With `MPI_IN_PLACE`, Score-P leaves out what a rank would send to itself. Archives of mpirage count it, because a reader cannot always tell.

use mpirage_call::{Blocks, Collective, CollectiveCall, Input, Member};

/// The code of an operation that makes a communicator or a window.
pub const CREATE_HANDLE: u8 = 17;

/// All operations, by code.
const OPERATIONS: [Collective; 17] = [
    Collective::Barrier,
    Collective::Bcast,
    Collective::Gather,
    Collective::Gatherv,
    Collective::Scatter,
    Collective::Scatterv,
    Collective::Allgather,
    Collective::Allgatherv,
    Collective::Alltoall,
    Collective::Alltoallv,
    Collective::Alltoallw,
    Collective::Allreduce,
    Collective::Reduce,
    Collective::ReduceScatter,
    Collective::Scan,
    Collective::Exscan,
    Collective::ReduceScatterBlock,
];

/// The code of a collective; none for those among neighbours, which OTF2 does not have.
pub fn code_of(collective: Collective) -> Option<u8> {
    let within = collective.within();
    OPERATIONS.iter().position(|&known| known == within).map(|code| code as u8)
}

/// The collective with this code; none if it is no operation on data.
pub fn collective_of(code: u8) -> Option<Collective> {
    OPERATIONS.get(usize::from(code)).copied()
}

/// The bytes of an operation, as a record has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Bytes sent.
    pub sent: u64,
    /// Bytes received.
    pub received: u64,
}

impl Sizes {
    /// The bytes of a call of a member.
    pub fn of(call: &CollectiveCall<'_>, member: Member) -> Sizes {
        use Collective as C;
        let plain = |(sent, received)| Sizes { sent, received };
        if call.kind.is_across() || call.kind.is_neighborhood() || member.rank >= member.size {
            return plain(call.bytes(member));
        }
        let (n, r, root) = (u64::from(member.size), u64::from(member.rank), call.root == member.rank);
        let own = |blocks: &Blocks<'_>| blocks.of(member.rank as usize).1;
        let total = |blocks: &Blocks<'_>| blocks.total(member.size as usize);
        let (send, recv) = (&call.send.blocks, &call.recv.blocks);
        let vector = call.reduction.map_or(0, |reduction| reduction.elements * u64::from(reduction.element));
        plain(match call.kind {
            C::Barrier => (0, 0),
            C::Bcast => {
                let bytes = send.total(1).max(recv.total(1));
                (if root { n * bytes } else { 0 }, bytes)
            }
            C::Scatter | C::Scatterv if root => (total(send), own(send)),
            C::Scatter | C::Scatterv => (0, recv.total(1)),
            C::Gather | C::Gatherv if root => (own(recv), total(recv)),
            C::Gather | C::Gatherv => (send.total(1), 0),
            C::Reduce => (vector, if root { n * vector } else { 0 }),
            C::Allgather | C::ReduceScatterBlock => (n * own(recv), n * own(recv)),
            C::Allgatherv => (n * own(recv), total(recv)),
            C::Alltoall | C::Alltoallv | C::Alltoallw if call.input == Input::InPlace => {
                (total(recv), total(recv))
            }
            C::Alltoall | C::Alltoallv | C::Alltoallw => (total(send), total(recv)),
            C::Allreduce => (n * vector, n * vector),
            C::ReduceScatter => (total(recv), n * own(recv)),
            C::Scan => ((n - r) * vector, (r + 1) * vector),
            C::Exscan => ((n - r - 1) * vector, r * vector),
            _ => call.bytes(member),
        })
    }

    /// The blocks that a member sends and receives, and the length of its vector if the operation combines vectors. Blocks that may
    /// differ are taken to be equal: the record has only their sum. `lists` has room for two lists of blocks.
    pub fn cut<'l>(
        self,
        kind: Collective,
        is_root: bool,
        member: Member,
        lists: &'l mut [Vec<u64>; 2],
    ) -> ([Blocks<'l>; 2], u64) {
        use Collective as C;
        let Sizes { sent, received } = self;
        let (n, r) = (u64::from(member.size).max(1), u64::from(member.rank));
        let [out, into] = lists;
        let whole = Blocks::Whole;
        let none = Blocks::Whole(0);
        match kind {
            C::Barrier => ([none, none], 0),
            C::Bcast => {
                // Of a root that counts only what it sends.
                let bytes = if is_root && received == 0 { sent } else { received };
                (if is_root { [whole(bytes), none] } else { [none, whole(bytes)] }, 0)
            }
            C::Gather if is_root => {
                let block = block_at_root(received, sent, n);
                ([whole(block), Blocks::Equal(block)], 0)
            }
            C::Gatherv if is_root => {
                let blocks = even(total_at_root(received, sent, n), member, into);
                ([whole(blocks.of(member.rank as usize).1), blocks], 0)
            }
            C::Gather | C::Gatherv => ([whole(sent), none], 0),
            C::Scatter if is_root => {
                let block = block_at_root(sent, received, n);
                ([Blocks::Equal(block), whole(block)], 0)
            }
            C::Scatterv if is_root => {
                let blocks = even(total_at_root(sent, received, n), member, out);
                ([blocks, whole(blocks.of(member.rank as usize).1)], 0)
            }
            C::Scatter | C::Scatterv => ([none, whole(received)], 0),
            C::Reduce => {
                let vector = if is_root && sent == 0 { block_at_root(received, sent, n) } else { sent };
                ([whole(vector), whole(if is_root { vector } else { 0 })], vector)
            }
            C::Allgather => {
                let block = block(received, n);
                ([whole(block), Blocks::Equal(block)], 0)
            }
            C::Alltoall => ([Blocks::Equal(block(sent, n)), Blocks::Equal(block(received, n))], 0),
            C::Allgatherv => {
                let blocks = even(received, member, into);
                ([whole(blocks.of(member.rank as usize).1), blocks], 0)
            }
            C::Alltoallv | C::Alltoallw => ([even(sent, member, out), even(received, member, into)], 0),
            C::ReduceScatterBlock => {
                let block = block(received, n);
                ([whole(block * n), Blocks::Equal(block)], block * n)
            }
            C::ReduceScatter => ([whole(sent), even(sent, member, into)], sent),
            C::Allreduce => {
                let vector = block(received, n);
                ([whole(vector), whole(vector)], vector)
            }
            C::Scan => {
                let vector = block(received, r + 1);
                ([whole(vector), whole(vector)], vector)
            }
            C::Exscan => {
                // The first rank receives nothing, the last one sends nothing.
                let vector = received.checked_div(r).unwrap_or(sent / n.saturating_sub(1).max(1));
                ([whole(vector), whole(vector)], vector)
            }
            _ => ([whole(sent), whole(received)], 0),
        }
    }
}

/// A block of which a sum has `count`. If that does not divide the sum, the rank has left out its own (`MPI_IN_PLACE`).
fn block(sum: u64, count: u64) -> u64 {
    match count {
        0 | 1 => sum,
        _ if sum.is_multiple_of(count) => sum / count,
        _ => sum.div_ceil(count - 1),
    }
}

/// A block of a root, whose own block is `own`: zero if it has left it out (`MPI_IN_PLACE`).
fn block_at_root(sum: u64, own: u64, count: u64) -> u64 {
    if own == 0 && count > 1 { sum.div_ceil(count - 1) } else { block(sum, count) }
}

/// The sum of all blocks at a root.
fn total_at_root(sum: u64, own: u64, count: u64) -> u64 {
    if own == 0 && count > 1 { sum.saturating_add(sum / (count - 1)) } else { sum }
}

/// Blocks as even as can be with this sum.
fn even(sum: u64, member: Member, list: &mut Vec<u64>) -> Blocks<'_> {
    list.clear();
    let size = u64::from(member.size).max(1);
    let (each, more) = (sum / size, sum % size);
    let mut offset = 0;
    for rank in 0..size {
        let length = each + u64::from(rank < more);
        list.extend([offset, length]);
        offset += length;
    }
    Blocks::Each(list)
}

#[cfg(test)]
mod tests {
    use mpirage_call::Peers;
    use mpirage_call::{Operator, Part, Payload, Reduction, WORLD};
    use proptest::prelude::*;

    use super::*;

    fn call<'a>(kind: Collective, root: u32, blocks: [Blocks<'a>; 2], vector: u64) -> CollectiveCall<'a> {
        let part = |blocks| Part { payload: Payload::Absent, blocks };
        let operator = Operator::Predefined { op: 0, basic: 0 };
        let reduction = Reduction { operator, commutative: true, element: 1, elements: vector };
        CollectiveCall {
            kind,
            context: WORLD,
            root,
            peers: Peers::All,
            send: part(blocks[0]),
            recv: part(blocks[1]),
            reduction: kind.reduces().then_some(reduction),
            request: None,
            plan: 0,
            input: Default::default(),
            on_mismatch: Default::default(),
        }
    }

    #[test]
    fn codes_are_those_of_otf2() {
        let codes = [
            Collective::Alltoallw,
            Collective::Allreduce,
            Collective::Exscan,
            Collective::ReduceScatterBlock,
        ];
        assert_eq!(codes.map(code_of), [10, 11, 15, 16].map(Some));
        assert_eq!(code_of(Collective::InterBcast), Some(1));
        assert_eq!((code_of(Collective::NeighborAlltoall), collective_of(CREATE_HANDLE)), (None, None));
    }

    proptest! {
        /// A record of equal blocks is enough to make the same call.
        #[test]
        fn equal_blocks_come_back(code in 0u8..17, size in 1u32..20, rank in 0u32..20, root in 0u32..20, bytes in 0u64..1000) {
            let (rank, root) = (rank % size, root % size);
            let (kind, member) = (collective_of(code).unwrap(), Member { rank, size });
            let is_root = rank == root;
            let full = match kind {
                Collective::Gather | Collective::Allgather => Sizes { sent: bytes, received: bytes * u64::from(size) },
                Collective::Scatter => Sizes { sent: bytes * u64::from(size), received: bytes },
                // Only the sum is known.
                _ => Sizes { sent: bytes * u64::from(size), received: bytes * u64::from(size) },
            };
            let (mut lists, mut again) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
            let (blocks, vector) = full.cut(kind, is_root, member, &mut lists);
            let first = call(kind, root, blocks, vector);
            let sizes = Sizes::of(&first, member);
            let (blocks, vector) = sizes.cut(kind, is_root, member, &mut again);
            let second = call(kind, root, blocks, vector);
            // An exclusive scan of one rank moves no data, so its sizes are lost.
            if kind != Collective::Exscan || size > 1 {
                prop_assert_eq!(first, second);
            }
        }

        #[test]
        fn any_sizes_give_sound_calls(code in 0u8..17, size in 1u32..9, rank in 0u32..9, sent: u32, received: u32) {
            let member = Member { rank: rank % size, size };
            let (mut lists, kind) = ([Vec::new(), Vec::new()], collective_of(code).unwrap());
            let sizes = Sizes { sent: sent.into(), received: received.into() };
            let (blocks, vector) = sizes.cut(kind, rank % size == 0, member, &mut lists);
            prop_assert!(call(kind, 0, blocks, vector).is_sound(member));
        }
    }
}
