//! Rounds, messages and volume of each algorithm, as the literature says.
//!
//! A message is one round; sends are synchronous, so that a rank that talks to several in turn
//! takes as many rounds. P ranks, of which p are the largest power of two and r the rest.

use mpirage_call::{
    Algorithm::{self, *},
    Collective::{self, *},
};
use mpirage_collectives::Performed;

use crate::common::machine::{Outcome, Sends, run};
use crate::common::{Case, SEGMENT, all_pairs};

/// P, p, r and their logarithms.
struct Numbers {
    ranks: u64,
    power: u64,
    rest: u64,
    log: u64,
    log_up: u64,
}

impl Numbers {
    fn of(ranks: u64) -> Self {
        let log = u64::from(ranks.ilog2());
        let power = 1 << log;
        let log_up = u64::from(ranks.next_power_of_two().ilog2());
        Numbers { ranks, power, rest: ranks - power, log, log_up }
    }

    /// Rounds of the phase before or after the power of two.
    fn extra_rounds(&self) -> u64 {
        self.rest.min(1)
    }

    /// Levels of a binomial tree in which children are served at once: the most bits that a rank's number has.
    fn depth(&self) -> u64 {
        (0..self.ranks).map(|rank| u64::from(rank.count_ones())).max().unwrap_or(0)
    }

    fn others(&self) -> u64 {
        self.ranks - 1
    }

    /// Blocks that move in a binomial tree where a subtree's blocks move together.
    fn subtrees(&self) -> u64 {
        (1..self.ranks).map(|top| (1 << top.trailing_zeros()).min(self.ranks - top)).sum()
    }
}

/// A block that every algorithm can cut evenly: a multiple of all numbers of ranks tried.
const BLOCK: u64 = 16 * 9 * 5 * 7 * 11 * 13;

fn outcome(collective: Collective, algorithm: Algorithm, ranks: u64) -> Outcome {
    let case = Case::new(collective, ranks as u32, BLOCK).root(ranks as u32 - 1);
    run(&case.schedules(algorithm), Sends::Synchronous).unwrap()
}

/// Rounds, messages, bytes (in units of `BLOCK`, times P so as to stay whole), if theory has a
/// closed form for this number of ranks.
fn theory(collective: Collective, algorithm: Algorithm, n: &Numbers) -> Option<(u64, u64, u64)> {
    let all_pairs = n.ranks * n.others();
    let shrunk = n.power * n.log + 2 * n.rest;
    let even = n.ranks.is_multiple_of(2);
    let power_of_two = n.rest == 0;
    let whole = |bytes: u64| bytes * n.ranks;
    let row = match (collective, algorithm) {
        (Barrier, Dissemination) => (n.log_up, n.ranks * n.log_up, 0),
        (Barrier, RecursiveDoubling | RecursiveExchange | SurplusDoubling) => {
            (n.log + 2 * n.extra_rounds(), shrunk, 0)
        }
        (Barrier, Linear) => (2, 2 * n.others(), 0),
        (Barrier, Binomial) => (2 * n.log_up, 2 * n.others(), 0),
        (Barrier, DoubleRing) => (2 * n.ranks, 2 * n.ranks, 0),

        (Bcast | Reduce, Linear) => (1, n.others(), whole(n.others())),
        (Bcast, SwappedBinomial) => (n.depth(), n.others(), whole(n.others())),
        (Reduce, SwappedBinomial) => (n.log_up, n.others(), whole(n.others())),
        (Bcast | Reduce, Binomial) => (n.log_up, n.others(), whole(n.others())),
        (Bcast, ScatterAllgather | ScatterRing) => {
            (n.log_up + n.others(), n.others() + all_pairs, n.subtrees() + all_pairs)
        }
        (Bcast, ScatterDoubling | ScatterSubtrees) if power_of_two => {
            (2 * n.log, n.others() + n.ranks * n.log, n.subtrees() + all_pairs)
        }
        (Reduce, Rabenseifner | HalvedRabenseifner | HalvingGather | HalvingGatherLongLast)
            if power_of_two =>
        {
            (2 * n.log, n.ranks * n.log + n.others(), all_pairs + n.ranks / 2 * n.log)
        }

        (Gather | Scatter | Gatherv | Scatterv, Linear) => (1, n.others(), whole(n.others())),
        (Gatherv | Scatterv, Sparse) | (Gatherv, SparseSynchronous) => (1, n.others(), whole(n.others())),
        (Gather, LinearSync) => (2 * n.others() + 1, 3 * n.others(), whole(n.others())),
        (Gather | Scatter, Binomial) => (n.log_up, n.others(), whole(n.subtrees())),

        (Allgather | Allgatherv, Ring | Pairwise) => (n.others(), all_pairs, whole(all_pairs)),
        (Allgather | Allgatherv, PairwiseExchange) if power_of_two => {
            (n.others(), all_pairs, whole(all_pairs))
        }
        (Allgather | Allgatherv, Bruck) => (n.log_up, n.ranks * n.log_up, whole(all_pairs)),
        (Allgather | Allgatherv, Linear | RankOrder | RightFirst) => (1, all_pairs, whole(all_pairs)),
        (Allgather | Allgatherv, NeighborExchange) if even => {
            (n.ranks / 2, n.ranks * n.ranks / 2, whole(all_pairs))
        }
        (Allgather | Allgatherv, RecursiveDoubling | RecursiveExchange) if power_of_two => {
            (n.log, shrunk, whole(all_pairs))
        }
        (Allgather | Allgatherv, GatherBcast) => {
            (2 * n.log_up, 2 * n.others(), whole(n.subtrees() + all_pairs))
        }

        (Alltoall | Alltoallv | Alltoallw, PairwiseExchange) => {
            (n.ranks - u64::from(power_of_two), all_pairs, whole(all_pairs))
        }
        (Alltoall | Alltoallv | Alltoallw, RankOrder) | (Alltoallv | Alltoallw, Sparse) => {
            (1, all_pairs, whole(all_pairs))
        }
        (Alltoall | Alltoallv | Alltoallw, AscendingExchange) => {
            (2 * n.ranks - 3, all_pairs, whole(all_pairs))
        }
        (Alltoall | Alltoallv | Alltoallw, Linear | Batched) => (1, all_pairs, whole(all_pairs)),
        (Alltoall | Alltoallv | Alltoallw, Pairwise | BothWays | BothWaysRight) => {
            (n.others(), all_pairs, whole(all_pairs))
        }
        (Alltoall, Bruck) => {
            let hops: u64 = (0..n.ranks).map(|distance| u64::from(distance.count_ones())).sum();
            (n.log_up, n.ranks * n.log_up, whole(n.ranks * hops))
        }

        (Allreduce, RecursiveDoubling | RecursiveExchange | RecursiveMultiplying) => {
            (n.log + 2 * n.extra_rounds(), shrunk, whole(shrunk))
        }
        (Allreduce, Rabenseifner | RabenseifnerLongLast | KReduceScatterAllgather) => (
            2 * n.log + 2 * n.extra_rounds(),
            2 * n.power * n.log + 2 * n.rest,
            whole(2 * n.rest + 2 * (n.power - 1)),
        ),
        (Allreduce, HalvedRabenseifner) if power_of_two => {
            (2 * n.log, 2 * n.ranks * n.log, whole(2 * n.others()))
        }
        (Allreduce, Ring) => (2 * n.others(), 2 * all_pairs, whole(2 * n.others())),
        (Allreduce, BinomialTrees) => (n.log_up + n.depth(), 2 * n.others(), whole(2 * n.others())),
        (Allreduce, ReduceBcast) => (2 * n.log_up, 2 * n.others(), whole(2 * n.others())),
        (Allreduce, Linear) => (2, 2 * n.others(), whole(2 * n.others())),

        (ReduceScatter | ReduceScatterBlock, Pairwise | Ring | OverlappedRing) => {
            (n.others(), all_pairs, whole(all_pairs))
        }
        (ReduceScatter | ReduceScatterBlock, RecursiveHalving | MirroredHalving) if power_of_two => {
            (n.log, shrunk, whole(all_pairs))
        }
        (ReduceScatter | ReduceScatterBlock, RecursiveDoubling | SubtreeDoubling) if power_of_two => {
            (n.log, shrunk, whole(n.ranks * (n.ranks * n.log - n.others())))
        }
        (ReduceScatterBlock, Butterfly) if power_of_two => (n.log, shrunk, whole(all_pairs)),
        (ReduceScatter, Butterfly) if power_of_two => {
            // Ranks whose bits are not the same in both directions swap their results.
            let mirrored = |rank: u64| rank.reverse_bits() >> (64 - n.log);
            let swapped = (0..n.ranks).filter(|&rank| mirrored(rank) != rank).count() as u64;
            (n.log + swapped.min(1), shrunk + swapped, whole(all_pairs + swapped))
        }
        (ReduceScatter | ReduceScatterBlock, ReduceThenScatter) => {
            (n.log_up + 1, 2 * n.others(), whole(all_pairs + n.others()))
        }

        (Scan | Exscan, Linear) => (n.others(), n.others(), whole(n.others())),
        (Scan, Dissemination) => {
            let messages = (0..n.log_up).map(|round| n.ranks - (1 << round)).sum();
            (n.log_up, messages, whole(messages))
        }
        (Scan | Exscan, RecursiveDoubling) => {
            let partner = |rank: u64, bit: u64| (rank ^ (1 << bit)) < n.ranks;
            let swaps = |rank| (0..n.log_up).filter(|&bit| partner(rank, bit)).count() as u64;
            let messages = (0..n.ranks).map(swaps).sum();
            (n.log_up, messages, whole(messages))
        }
        _ => return None,
    };
    Some(row)
}

#[test]
fn rounds_messages_and_volume() {
    for (collective, algorithm) in all_pairs() {
        for ranks in 2..=16 {
            let Some((rounds, messages, volume)) = theory(collective, algorithm, &Numbers::of(ranks)) else {
                continue;
            };
            let seen = outcome(collective, algorithm, ranks);
            let what = format!("{collective} {algorithm} on {ranks}");
            assert_eq!(seen.messages as u64, messages, "messages of {what}");
            assert_eq!(seen.volume * ranks, volume * BLOCK, "volume of {what}");
            assert_eq!(u64::from(seen.rounds), rounds, "rounds of {what}");
        }
    }
}

/// Theory is asked about every algorithm, except the segmented ones, which have a test below, and those made of others.
#[test]
fn no_algorithm_is_forgotten() {
    const TREES: [Algorithm; 12] = [
        SwappedChain,
        Chain,
        BinaryTree,
        DoubleTree,
        StridedTree,
        StridedBinomial,
        KNomial,
        InOrderBinary,
        SplitBinary,
        TreeKAry,
        TreeKNomial1,
        TreeKNomial2,
    ];
    let elsewhere = |(collective, algorithm): &(Collective, Algorithm)| {
        TREES.contains(algorithm)
            || matches!(
                (collective, algorithm),
                (_, Composed | Nothing | TwoLevel | TwoLevelByLeader | LevelPipeline | KAry)
                    | (Allreduce, OverlappedRing)
            )
    };
    // SimGrid's own are compared with SimGrid; NCCL's have a file of their own.
    for (collective, algorithm) in
        all_pairs().filter(|pair| !elsewhere(pair) && !pair.1.is_simgrids() && !pair.1.is_nccls())
    {
        assert!(theory(collective, algorithm, &Numbers::of(8)).is_some(), "{collective} {algorithm}");
    }
}

#[test]
fn a_chain_is_full_after_one_round_per_rank() {
    for collective in [Bcast, Reduce] {
        for (ranks, segments) in [(2, 1), (2, 7), (5, 1), (9, 20)] {
            let case = Case::new(collective, ranks, u64::from(segments) * SEGMENT).element(8).root(1);
            let seen = run(&case.schedules(Chain), Sends::Synchronous).unwrap();
            assert_eq!(seen.messages, (segments * (ranks - 1)) as usize);
            assert_eq!(seen.rounds, ranks - 1 + segments - 1, "{collective} {ranks} {segments}");
        }
    }
}

#[test]
fn a_binary_tree_is_full_after_one_round_per_level() {
    for collective in [Bcast, Reduce] {
        for (ranks, levels, segments) in [(3, 1, 4), (7, 2, 10), (12, 3, 1)] {
            let case = Case::new(collective, ranks, u64::from(segments) * SEGMENT).element(8).root(2);
            let seen = run(&case.schedules(BinaryTree), Sends::Synchronous).unwrap();
            assert_eq!(seen.messages, (segments * (ranks - 1)) as usize);
            assert_eq!(seen.rounds, levels + segments - 1, "{collective} {ranks} {segments}");
        }
    }
}

/// Each link of a tree carries the vector once.
#[test]
fn trees_carry_every_segment_once_per_link() {
    for (collective, algorithms) in [
        (Bcast, &[StridedTree, StridedBinomial, KNomial][..]),
        (Reduce, &[StridedTree, KNomial, InOrderBinary]),
    ] {
        for (&algorithm, (ranks, segments)) in
            algorithms.iter().flat_map(|a| [(2, 3), (8, 1), (13, 5)].map(|numbers| (a, numbers)))
        {
            let case = Case::new(collective, ranks, u64::from(segments) * SEGMENT).element(8).root(ranks - 1);
            let seen = run(&case.segmented(algorithm), Sends::Synchronous).unwrap();
            assert_eq!(seen.messages, (segments * (ranks - 1)) as usize, "{algorithm}");
            assert_eq!(seen.volume, u64::from(ranks - 1) * case.bytes, "{algorithm}");
        }
    }
}

/// A split tree carries half of the vector, and pairs swap halves: all but the root send half a vector there, or the root does.
#[test]
fn a_split_tree_carries_halves() {
    for (ranks, segments) in [(3, 4), (8, 10), (13, 2)] {
        let case = Case::new(Bcast, ranks, u64::from(2 * segments) * SEGMENT).root(1);
        let seen = run(&case.segmented(SplitBinary), Sends::Synchronous).unwrap();
        let swaps = ranks - 1;
        assert_eq!(seen.messages, (segments * (ranks - 1) + swaps) as usize, "{ranks}");
        assert_eq!(seen.volume, u64::from(ranks - 1) * case.bytes, "{ranks}");
    }
}

/// Segments of blocks go around one after the other to be combined; whole blocks go around once more.
#[test]
fn a_segmented_ring_takes_a_turn_per_segment() {
    for (ranks, segments) in [(2, 3), (5, 4), (9, 1)] {
        let case = Case::new(Allreduce, ranks, u64::from(ranks * segments) * SEGMENT);
        let seen = run(&case.segmented(OverlappedRing), Sends::Synchronous).unwrap();
        assert_eq!(seen.messages, ((segments + 1) * (ranks - 1) * ranks) as usize);
        assert_eq!(seen.volume, 2 * u64::from(ranks - 1) * case.bytes);
        assert_eq!(seen.rounds, (segments + 1) * (ranks - 1));
    }
}

/// A collective composed of two sends the messages of both.
#[test]
fn parts_are_performed_one_after_the_other() {
    for ranks in [2, 5, 8, 13] {
        let messages = |collective, algorithm| outcome(collective, algorithm, ranks).messages;
        let tree = messages(Reduce, Binomial);
        assert_eq!(messages(Gather, Binomial), tree);
        // The default table: Rabenseifner for long vectors, scatter and ring from 8 ranks on.
        let bcast = if ranks < 8 { messages(Bcast, Binomial) } else { messages(Bcast, ScatterAllgather) };
        let reduce = messages(Reduce, Rabenseifner);
        assert_eq!(messages(Allreduce, Composed), reduce + bcast);
        assert_eq!(messages(Allgather, Composed), tree + bcast);
        assert_eq!(messages(Allgatherv, Composed), messages(Gatherv, Linear) + bcast);
        assert_eq!(messages(ReduceScatterBlock, Composed), reduce + tree);
        assert_eq!(messages(ReduceScatter, Composed), reduce + messages(Scatterv, Linear));
    }
}

#[test]
fn two_trees_take_half_as_long_as_one() {
    for collective in [Bcast, Reduce] {
        for (ranks, levels, segments) in [(2, 1, 6), (8, 3, 10), (15, 4, 100), (33, 5, 20)] {
            let case = Case::new(collective, ranks, u64::from(segments) * SEGMENT).element(8).root(1);
            let seen = run(&case.schedules(DoubleTree), Sends::Synchronous).unwrap();
            assert_eq!(seen.messages, (segments * (ranks - 1)) as usize);
            assert_eq!(seen.volume, u64::from(ranks - 1) * case.bytes);
            assert!(seen.rounds <= levels + 1 + segments / 2, "{collective} {ranks}: {}", seen.rounds);
            // No rank sends more than the vector and one segment per lane.
            assert!(seen.sent.iter().all(|&sent| sent <= case.bytes + 2 * SEGMENT), "{:?}", seen.sent);
        }
    }
}

/// A vector that nothing divides: no byte is lost or sent twice where it is cut.
#[test]
fn uneven_cuts_lose_nothing() {
    const PRIME: u64 = 10_007;
    let volume = |collective, algorithm, ranks| {
        let case = Case::new(collective, ranks, PRIME).root(ranks / 2);
        run(&case.schedules(algorithm), Sends::Eager).unwrap().volume
    };
    for ranks in 2..=16 {
        let n = Numbers::of(ranks.into());
        for algorithm in [Chain, BinaryTree, DoubleTree] {
            assert_eq!(volume(Bcast, algorithm, ranks), n.others() * PRIME, "{algorithm} on {ranks}");
            assert_eq!(volume(Reduce, algorithm, ranks), n.others() * PRIME, "{algorithm} on {ranks}");
        }
        assert_eq!(volume(Allreduce, Ring, ranks), 2 * n.others() * PRIME);
        assert_eq!(volume(Allreduce, Rabenseifner, ranks), 2 * (n.rest + n.power - 1) * PRIME);
    }
}

#[test]
fn batches_keep_each_other_apart() {
    let seen = outcome(Alltoall, Batched, 60);
    assert_eq!((seen.rounds, seen.messages), (2, 60 * 59));
}

/// A reduction of P vectors to one needs at least P-1 combinations, and trees need no more.
#[test]
fn reductions_combine_as_often_as_they_must() {
    for ranks in 2..=16 {
        for algorithm in Reduce.algorithms().filter(|&algorithm| algorithm != Nothing) {
            assert_eq!(outcome(Reduce, algorithm, ranks).reduced, (ranks - 1) * BLOCK, "{algorithm}");
        }
        for algorithm in [Rabenseifner, HalvedRabenseifner, Ring, OverlappedRing, ReduceBcast, Linear] {
            assert_eq!(outcome(Allreduce, algorithm, ranks).reduced, (ranks - 1) * BLOCK, "{algorithm}");
        }
        assert_eq!(outcome(Scan, Linear, ranks).reduced, (ranks - 1) * BLOCK);
        assert_eq!(outcome(Exscan, Linear, ranks).reduced, (ranks - 2) * BLOCK);
        let doubling = |scan| outcome(scan, RecursiveDoubling, ranks).reduced;
        assert_eq!(doubling(Scan) - doubling(Exscan), (ranks - 1) * BLOCK, "the first sum is only stored");
        for algorithm in [RecursiveHalving, Butterfly, Pairwise, Ring, OverlappedRing, ReduceThenScatter] {
            let reduced = outcome(ReduceScatterBlock, algorithm, ranks).reduced;
            assert_eq!(reduced, ranks * (ranks - 1) * BLOCK, "{algorithm}");
        }
    }
}
