//! The names of algorithms.

use std::fmt;

/// Generates the type, its documentation, its names and the help text from one table.
macro_rules! algorithms {
    ($($variant:ident $name:literal $info:literal)*) => {
        /// A way to perform a collective. One name may serve several collectives;
        /// [`Collective::algorithms`](crate::Collective::algorithms) says which.
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
    RecursiveHalving "recursive-halving" "swap halves of what is left, farthest partner first: log P rounds"
    Rabenseifner "rabenseifner" "reduce-scatter by halving, then (all)gather: 2 log P rounds, 2 n bytes"
    HalvedRabenseifner "halved-rabenseifner" "Rabenseifner that halves the work of surplus ranks too"
    Butterfly "butterfly" "swap halves of what is left, nearest partner first, then swap blocks: keeps the order of operands"
    SubtreeDoubling "subtree-doubling" "recursive doubling of subtrees; ranks without a partner are served by neighbours"
    SurplusDoubling "surplus-doubling" "recursive doubling of the lowest ranks, to which the highest ones report"
    Ring "ring" "one block to the right neighbour per round: P-1 rounds per pass"
    OverlappedRing "overlapped-ring" "ring that posts the next receive before it waits; blocks in segments"
    DoubleRing "double-ring" "a token goes around twice: 2 P messages one after the other"
    Pairwise "pairwise" "in round i send to rank + i, receive from rank - i: P-1 rounds, each block once"
    PairwiseExchange "pairwise-exchange" "in round i swap with rank ^ i, or as in a tournament if P is no power of two"
    Batched "batched" "linear, but with 32 partners at a time"
    BothWays "both-ways" "in round i to rank - i, then to rank + i: P/2 rounds, for data in place"
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
    MirroredHalving "mirrored-halving" "swap halves of the blocks in bit-reversed order, nearest partner first: keeps the order of operands"
    KAry "k-ary" "the complete tree of that radix, level by level, with the vector in segments behind each other"
    TwoLevel "two-level" "the ranks of a node among each other, then one leader of each node, then the ranks of a node"
    TwoLevelByLeader "two-level-by-leader" "as two-level, but the root exchanges the vector with a leader by a message of its own"
}

impl Algorithm {
    /// Does it treat ranks on one node differently from others?
    pub(crate) fn reads_nodes(self) -> bool {
        matches!(self, Algorithm::TwoLevel | Algorithm::TwoLevelByLeader)
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
