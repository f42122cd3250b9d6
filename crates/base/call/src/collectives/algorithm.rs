//! The names of algorithms.

use std::fmt;

/// Generates the type, its documentation, its names and the help text from one table.
macro_rules! algorithms {
    ($($variant:ident $name:literal $info:literal)*) => {
        /// A way to perform a collective. One name may serve several collectives;
        /// `Performed::algorithms` of `mpirage_collectives` says which.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Algorithm {
            $(#[doc = $info] $variant,)*
        }

        impl Algorithm {
            /// All algorithms.
            pub const ALL: &[Algorithm] = &[$(Algorithm::$variant),*];

            /// As it is written in options and reports.
            pub fn name(self) -> &'static str {
                match self { $(Algorithm::$variant => $name,)* }
            }

            /// A description in one line.
            pub fn info(self) -> &'static str {
                match self { $(Algorithm::$variant => $info,)* }
            }
        }
    };
}

algorithms! {
    Linear "linear" "every rank with the root, or with every other, directly and at once"
    SendsFirst "sends-first" "as linear, but all sends are posted before the first receive"
    Binomial "binomial" "a binomial tree: log P rounds, whole subtrees at a time"
    BinaryTree "binary-tree" "a binary tree with the vector in segments behind each other"
    DoubleTree "double-tree" "half the vector through each of two trees; who is inside one is a leaf of the other"
    Chain "chain" "one rank after the other, in as many chains as the radix says, with the vector in segments"
    StridedTree "strided-tree" "a tree of that radix with strided subtrees, the vector in segments, all children served at once"
    StridedBinomial "strided-binomial" "a binomial tree with strided subtrees, all children served at once, the nearest first"
    KNomial "k-nomial" "a k-nomial tree: parent without its lowest digit to the base k; all children served at once"
    SwappedBinomial "swapped-binomial" "a binomial tree in which the root and rank 0 change places"
    SwappedChain "swapped-chain" "a chain in which the root and rank 0 change places, the vector in even segments"
    BinomialTrees "binomial-trees" "a binomial reduction to rank 0 and a strided binomial broadcast from there"
    InOrderBinary "in-order-binary" "a binary tree towards the last rank that keeps the order of operands"
    SplitBinary "split-binary" "half the vector through each half of a binary tree, then pairs swap their halves"
    Dissemination "dissemination" "in round k send to rank + 2^k: log P rounds for any number of ranks"
    RecursiveDoubling "recursive-doubling" "swap all you have with rank ^ 2^k: log P rounds"
    RecursiveExchange "recursive-exchange" "recursive doubling with a radix k: each rank with k-1 others per round, log_k P rounds"
    RecursiveMultiplying "recursive-multiplying" "recursive doubling with groups of k of the lowest ranks, to which the highest ones report"
    KReduceScatterAllgather "k-reduce-scatter-allgather" "reduce-scatter, then allgather, each by recursive exchange with that radix"
    RecursiveHalving "recursive-halving" "swap halves of what is left, farthest partner first: log P rounds"
    Rabenseifner "rabenseifner" "reduce-scatter by halving, then (all)gather: 2 log P rounds, 2 n bytes"
    RabenseifnerLongLast "rabenseifner-long-last" "as rabenseifner, but the last piece has all elements that do not divide evenly"
    HalvedRabenseifner "halved-rabenseifner" "Rabenseifner that halves the work of surplus ranks too"
    Butterfly "butterfly" "swap halves of what is left, nearest partner first, then swap blocks: keeps the order of operands"
    SubtreeDoubling "subtree-doubling" "recursive doubling of subtrees; ranks without a partner are served by neighbours"
    SurplusDoubling "surplus-doubling" "recursive doubling of the lowest ranks, to which the highest ones report"
    Ring "ring" "one block to the right neighbour per round: P-1 rounds per pass"
    OverlappedRing "overlapped-ring" "ring that posts the next receive before it waits; blocks in segments"
    DoubleRing "double-ring" "a token goes around twice: 2 P messages one after the other"
    Pairwise "pairwise" "in round i send to rank + i, receive from rank - i: P-1 rounds, each block once"
    PairwiseExchange "pairwise-exchange" "in round i swap with rank ^ i, or as in a tournament if P is no power of two"
    Batched "batched" "linear, but with so many operations at a time"
    BothWays "both-ways" "in round i to rank - i, then to rank + i: P/2 rounds, for data in place"
    BothWaysRight "both-ways-right" "as both-ways, but to rank + i first"
    RankOrder "rank-order" "linear, with partners in the order of their ranks"
    RightFirst "right-first" "linear, to the right neighbour first and from the left one"
    Sparse "sparse" "linear, in the order of ranks, without empty messages"
    LinearSync "linear-sync" "the root asks each rank in turn for its block"
    Bruck "bruck" "many blocks per message to rank ± 2^k, then rotate: log P rounds for any number of ranks"
    NeighborExchange "neighbor-exchange" "two blocks left and right in turn: P/2 rounds; ring if P is odd"
    ScatterAllgather "scatter-allgather" "van de Geijn: scatter the vector, allgather it around the ring"
    ScatterDoubling "scatter-doubling" "scatter the vector, allgather it by recursive doubling"
    ScatterSubtrees "scatter-subtrees" "scatter the vector in chunks of one size, allgather it by doubling of subtrees"
    ScatterRing "scatter-ring" "scatter the vector in chunks of one size, allgather it around the ring"
    Composed "composed" "two collectives one after the other, by the methods of a table: parts=TABLE"
    Nothing "nothing" "no messages, for calls that move no bytes"
    GatherBcast "gather-bcast" "gather at rank 0, broadcast from there, both binomial"
    ReduceBcast "reduce-bcast" "reduce to rank 0, broadcast from there, both binomial"
    ReduceThenScatter "reduce-then-scatter" "binomial reduction to rank 0, which sends each rank its block"
    RemoteSendLocalBcast "remote-send-local-bcast" "the root sends to the other side's leader, which broadcasts there"
    RemoteSendLocalScatter "remote-send-local-scatter" "the root sends all blocks to the other side's leader, which scatters them there"
    LocalGatherRemoteSend "local-gather-remote-send" "a leader gathers the blocks of its side and sends them to the root"
    LocalReduceRemoteSend "local-reduce-remote-send" "reduce to the leader of a side, which sends the result to the root"
    LocalBarrierRemoteBcast "local-barrier-remote-bcast" "a barrier of each side, then each leader tells the other side, one after the other"
    LocalGatherRemoteBcast "local-gather-remote-bcast" "gather at the leaders, which broadcast to the other side, one after the other"
    RemoteGatherLocalBcast "remote-gather-local-bcast" "the leaders gather from the other side, one after the other, and broadcast to their own"
    GatherExchangeBcast "gather-exchange-bcast" "gather at the leaders, which swap and broadcast to their sides"
    ReduceExchangeBcast "reduce-exchange-bcast" "reduce to the leaders, which swap and broadcast to their sides"
    RemoteReduceLocalScatter "remote-reduce-local-scatter" "reduce to the leaders, which swap one after the other and scatter to their sides"
    SparseSynchronous "sparse-synchronous" "as sparse, by synchronous sends: none is complete before its receive has begun"
    AscendingExchange "ascending-exchange" "swap with rank 0, 1, 2, … in turn: no buffer besides the one that is swapped"
    HalvingGather "halving-gather" "reduce-scatter by halving of ranks counted from 0, then gather the pieces towards the root"
    HalvingGatherLongLast "halving-gather-long-last" "as halving-gather, but the last piece has all elements that do not divide evenly"
    MirroredHalving "mirrored-halving" "swap halves of the blocks in bit-reversed order, nearest partner first: keeps the order of operands"
    KAry "k-ary" "the complete tree of that radix, level by level, with the vector in segments behind each other"
    TreeKAry "tree-k-ary" "the complete tree of that radix; all receives are posted first, a reduction takes one child after the other"
    TreeKNomial1 "tree-k-nomial-1" "the same with a k-nomial tree in which the first child of a rank is the next rank"
    TreeKNomial2 "tree-k-nomial-2" "the same with a k-nomial tree in which the farthest child comes first"
    TwoLevel "two-level" "the ranks of a node among each other, then one leader of each node, then the ranks of a node"
    LevelPipeline "level-pipeline" "two levels with the vector in segments: one is inside the nodes while the next is between them"
    TwoLevelByLeader "two-level-by-leader" "as two-level, but the root exchanges the vector with a leader by a message of its own"
    NcclRing "nccl/ring" "NCCL's rings, one for each rail, with the vector in chunks of all channels"
    NcclTree "nccl/tree" "NCCL's double binary tree of nodes, with a chain of ranks inside each"
    NcclPat "nccl/pat" "NCCL's parallel aggregated trees: binomial trees of all ranks, far steps first, many blocks a message; one rank on each node"
    NcclGrouped "nccl/grouped" "NCCL's sends and receives of a group: all at once, to rank + 1 first"
    NcclTuned "nccl/tuned" "NCCL's algorithm, protocol and channels with the smallest time that NCCL predicts"
    NcclTuned23 "nccl/tuned-2.23" "the same as NCCL 2.23 predicts, which has nccl/pat"
    SimgridMpichSmp "simgrid/mpich-smp" "dissemination on each node and between leaders, then one byte down each node"
    SimgridNtsl "simgrid/ntsl" "segments of 8 KiB along a chain, with all receives posted first"
    SimgridNtsb "simgrid/ntsb" "segments of 8 KiB down a binary tree below rank 0, with all receives posted first"
    SimgridFlattreePipeline "simgrid/flattree-pipeline" "segments of 8 KiB from the root to one rank after the other"
    SimgridSmpLinear "simgrid/smp-linear" "as NTSL along the first ranks of all nodes, and along each node"
    SimgridSmpBinary "simgrid/smp-binary" "as NTSB between the first ranks of all nodes, and on each node"
    SimgridSmpBinomial "simgrid/smp-binomial" "binomial trees between the first ranks of all nodes, and on each node"
    SimgridSmpBinomialPipeline "simgrid/smp-binomial-pipeline" "as SMP_binomial, with segments of 4,096 elements behind each other"
    SimgridSmpRdb "simgrid/smp-rdb" "binomial on each node, recursive doubling between the first ranks"
    SimgridSmpRsagLr "simgrid/smp-rsag-lr" "binomial on each node, a ring of the first ranks"
    SimgridSmpRsagRab "simgrid/smp-rsag-rab" "binomial on each node, rabenseifner between the first ranks"
    SimgridLr "simgrid/lr" "a ring over whole elements for each rank; the others through rank 0"
    SimgridRab "simgrid/rab" "Rabenseifner's own code: surplus pairs share their work, pieces are halved anew"
    SimgridRab1 "simgrid/rab1" "recursive halving of a lengthened vector, farthest partner first; then all at once"
    SimgridRab2 "simgrid/rab2" "all-to-all of parts, then each rank sends its result to all others"
    SimgridRedbcast "simgrid/redbcast" "all to rank 0 at once, then a binomial broadcast"
    SimgridScatterGather "simgrid/scatter-gather" "rabenseifner with ranks counted from 0 on, whatever the root"
    SimgridTwoLevel "simgrid/mvapich2-two-level" "on each node, between leaders, on each node, as SimGrid has it from MVAPICH2"
    SimgridTwoLevelDirect "simgrid/mvapich2-two-level-direct" "to the leaders one after the other, then binomial on each node"
    SimgridTwoLevelBinomial "simgrid/mvapich2-two-level-binomial" "binomial between leaders, then on each node"
    SimgridOmpiBinomial "simgrid/ompi-binomial" "a binomial tree, the smallest subtree first"
    SimgridKnomial "simgrid/mvapich2-knomial" "a 4-nomial tree: the farthest three children at once, then the next three"
    SimgridIntraNode "simgrid/mvapich2-intra-node" "to the leaders and from each leader to its node, for vectors of medium length"
    SimgridRabRdb "simgrid/rab-rdb" "rabenseifner whose last block has all elements that do not divide evenly"
    SimgridMvapich2Rs "simgrid/mvapich2-rs" "as rab-rdb; recursive doubling if there are too few elements"
    SimgridMpichRing "simgrid/mpich-ring" "ring with blocks in parts of at least 256 KiB"
    SimgridDoubleRing "simgrid/ompi-doublering" "a token goes around twice; nobody waits until it is received"
    SimgridDoubling "simgrid/ompi-recursivedoubling" "recursive doubling of the lowest ranks, to which the highest ones report"
    SimgridChain "simgrid/ompi-chain" "P/2 chains with segments of 64 KiB"
    SimgridPipeline "simgrid/ompi-pipeline" "a chain with segments that depend on the size"
    SimgridSplitBinary "simgrid/ompi-split-bintree" "split-binary with segments of 1 KiB or 8 KiB"
    SimgridRingSegmented "simgrid/ompi-ring-segmented" "overlapped-ring with segments of 1 MiB; lr if some rank has less"
    SimgridLinearSync "simgrid/ompi-linear-sync" "linear-sync whose first part is 1 KiB or 32 KiB"
    SimgridMesh2d "simgrid/2dmesh" "all with all of a row, then of a column"
    SimgridMesh3d "simgrid/3dmesh" "all with all of a row, then of a column, then of a line across planes"
    SimgridRdb "simgrid/rdb" "recursive doubling of any number of ranks: those without a partner get it from those with one"
    SimgridRhv "simgrid/rhv" "with the rank of reversed bits, then recursive halving backwards"
    SimgridNtslrNb "simgrid/ntslr-nb" "ring, with all receives posted first"
    SimgridLooselyLr "simgrid/loosely-lr" "rings between ranks of equal position on all nodes, each block around its node when it has come"
    SimgridSmpNts "simgrid/smp-nts" "around each node, a ring of the first ranks, and along each node what comes"
    SimgridSmpSimple "simgrid/smp-simple" "around each node, all first ranks with each other, then everything to each rank of a node"
    SimgridMvapich2Smp "simgrid/mvapich2-smp" "gather on each node, allgather between leaders, broadcast on each node"
    SimgridGb "simgrid/gb" "all to rank 0 at once, then a binomial broadcast"
    SimgridNeighborExchange "simgrid/ompi-neighborexchange" "neighbor-exchange; pairwise if P is odd"
    SimgridPairLightBarrier "simgrid/pair-light-barrier" "in round i swap with rank ^ i, and one byte between rounds"
    SimgridPairMpiBarrier "simgrid/pair-mpi-barrier" "in round i swap with rank ^ i, and a barrier before each"
    SimgridPairOneBarrier "simgrid/pair-one-barrier" "a barrier, then in round i swap with rank ^ i"
    SimgridRingLightBarrier "simgrid/ring-light-barrier" "in round i send to rank + i, and one byte between rounds"
    SimgridRingMpiBarrier "simgrid/ring-mpi-barrier" "in round i send to rank + i, and a barrier before each"
    SimgridRingOneBarrier "simgrid/ring-one-barrier" "a barrier, then in round i send to rank + i"
    SimgridPairOrRing "simgrid/pair-or-ring" "pairwise-exchange for a power of two, else pairwise"
    SimgridNoncomm "simgrid/mpich-noncomm" "recursive halving, nearest partner first, with operands in order"
    SimgridDefault "simgrid/default" "reduce-scatter: through rank 0 if all blocks are equal, else as SimGrid's MPICH selector; scan: to all higher ranks"
}

impl Algorithm {
    /// Does it treat ranks on one node differently from others?
    pub fn reads_nodes(self) -> bool {
        matches!(
            self,
            Algorithm::TwoLevel
                | Algorithm::NcclRing
                | Algorithm::NcclTree
                | Algorithm::NcclPat
                | Algorithm::NcclGrouped
                | Algorithm::NcclTuned
                | Algorithm::NcclTuned23
                | Algorithm::TwoLevelByLeader
                | Algorithm::LevelPipeline
                | Algorithm::SimgridMpichSmp
                | Algorithm::SimgridSmpLinear
                | Algorithm::SimgridSmpBinary
                | Algorithm::SimgridSmpBinomial
                | Algorithm::SimgridSmpBinomialPipeline
                | Algorithm::SimgridSmpRdb
                | Algorithm::SimgridSmpRsagLr
                | Algorithm::SimgridSmpRsagRab
                | Algorithm::SimgridTwoLevel
                | Algorithm::SimgridIntraNode
                | Algorithm::SimgridSplitBinary
                | Algorithm::SimgridTwoLevelDirect
                | Algorithm::SimgridTwoLevelBinomial
                | Algorithm::SimgridLooselyLr
                | Algorithm::SimgridSmpNts
                | Algorithm::SimgridSmpSimple
                | Algorithm::SimgridMvapich2Smp
        )
    }

    /// Is it one that only SimGrid has?
    pub fn is_simgrids(self) -> bool {
        self.name().starts_with("simgrid/")
    }

    /// Is it one of NCCL's?
    pub fn is_nccls(self) -> bool {
        self.name().starts_with("nccl/")
    }

    /// The algorithm of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|algorithm| algorithm.name() == name)
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
