//! Reduce: the root gets the combination of all ranks' vectors.
//!
//! ```text
//!   binomial       as gather, but messages do not grow on the way up
//!   Rabenseifner   reduce-scatter by recursive halving, then gather the pieces
//!
//!     4 ranks, vector ABCD     0<>1 halves  AB | CD  AB | CD
//!                              0<>2 1<>3    A  | C   B  | D     every rank has a quarter, done
//!                              gather back the way it came, towards 0
//! ```
//!
//! The binomial tree and Rabenseifner keep the order of the operands when counted from rank 0. So
//! if the operation does not commute, they work towards rank 0, which passes the result on.
//! Rabenseifner: *Optimization of collective reduction operations* (2004).

use mpirage_call::Algorithm;

use super::pipeline::reduce as pipeline;
use super::{double_tree, halved_rabenseifner as halved, level_pipeline, nothing, swapped, trees, two_level};
use crate::blocks::Blocks;
use crate::data::Data;
use crate::entry::{Table, entry};
use crate::shape::Shape;
use crate::spanning::{Tree, TreeNode};
use crate::step::Schedule;
use crate::team::{Stays, Team};
use crate::tree::{Binomial, SEGMENT, Segments};

pub(crate) const ALGORITHMS: Table = &[
    entry(Algorithm::Binomial, binomial),
    entry(Algorithm::Rabenseifner, rabenseifner),
    entry(Algorithm::HalvingGather, |shape, out| halving_gather(shape, Blocks::cut, out)).any_order(),
    entry(Algorithm::HalvingGatherLongLast, |shape, out| halving_gather(shape, Blocks::with_long_last, out))
        .any_order(),
    entry(Algorithm::HalvedRabenseifner, halved::reduce).any_order(),
    entry(Algorithm::Chain, pipeline::chain).radix(1).segment(SEGMENT).requests(0).any_order(),
    entry(Algorithm::BinaryTree, binary_tree).segment(SEGMENT).any_order(),
    entry(Algorithm::KAry, k_ary).radix(4).segment(SEGMENT).any_order(),
    entry(Algorithm::StridedTree, pipeline::strided_tree).radix(2).segment(0).requests(0).any_order(),
    entry(Algorithm::KNomial, pipeline::k_nomial).radix(2).segment(0).requests(0).only_if(in_order_from_root),
    entry(Algorithm::TreeKAry, trees::k_ary::reduce).radix(2).segment(0).any_order(),
    entry(Algorithm::TreeKNomial1, trees::near_k_nomial::reduce).radix(2).segment(0).any_order(),
    entry(Algorithm::TreeKNomial2, trees::far_k_nomial::reduce).radix(2).segment(0).any_order(),
    entry(Algorithm::SwappedBinomial, swapped::reduce_binomial).only_if(in_order_from_root),
    entry(Algorithm::SwappedChain, swapped::reduce_chain).segment(8 << 10).any_order(),
    entry(Algorithm::InOrderBinary, pipeline::in_order_binary).segment(0).requests(0),
    entry(Algorithm::DoubleTree, double_tree::reduce).segment(SEGMENT).any_order(),
    entry(Algorithm::Nothing, nothing).only_if(|shape| shape.bytes == 0),
    entry(Algorithm::LevelPipeline, level_pipeline::reduce)
        .segment(SEGMENT)
        .parts("default")
        .only_if(level_pipeline::any_order),
    entry(Algorithm::TwoLevel, two_level::reduce).parts("default").only_if(two_level::any_order),
    entry(Algorithm::TwoLevelByLeader, two_level::reduce_by_leader)
        .parts("default")
        .only_if(two_level::any_order),
    entry(Algorithm::Linear, linear).requests(0),
];

/// Operands are combined in the order of ranks from the root on.
fn in_order_from_root(shape: &Shape) -> bool {
    shape.commutative || shape.root == 0
}

/// The root receives all vectors at once, or one after the other from the last rank on, which keeps the order of operands.
pub(crate) fn linear(shape: &Shape, out: &mut Schedule) {
    if !shape.is_root() {
        return out.send(shape.root, shape.vector());
    }
    if shape.parameters.requests == 1 {
        return one_after_the_other(shape, out);
    }
    for rank in shape.non_roots() {
        out.irecv(rank, shape.bytes);
    }
    out.wait_all();
    out.reduce(u64::from(shape.size - 1) * shape.bytes);
}

/// Operands that do not commute wait until all those of higher ranks are there: the root's own is between them and the lower ones.
fn one_after_the_other(shape: &Shape, out: &mut Schedule) {
    let mut waiting = 0;
    for rank in (0..shape.size).rev().filter(|&rank| rank != shape.root) {
        out.recv(rank, shape.bytes);
        waiting += 1;
        if shape.commutative || rank <= shape.root + 1 {
            out.reduce(waiting * shape.bytes);
            waiting = 0;
        }
    }
}

pub(crate) fn binomial(shape: &Shape, out: &mut Schedule) {
    in_order(shape, out, |team, out| {
        let tree = Binomial::of(team);
        for child in tree.children() {
            out.recv(team.rank(child.top), shape.bytes);
            out.reduce(shape.bytes);
        }
        if let Some(parent) = tree.parent() {
            out.send(team.rank(parent), shape.vector());
        }
    });
}

fn rabenseifner(shape: &Shape, out: &mut Schedule) {
    in_order(shape, out, |team, out| {
        let shrunk = team.shrink(Stays::Even);
        let Some(core) = shrunk.core else {
            return out.send(shrunk.partner.expect("who sits out has a partner"), shape.vector());
        };
        if let Some(bystander) = shrunk.partner {
            out.recv(bystander, shape.bytes);
            out.reduce(shape.bytes);
        }
        let halving = Halving::of(&core, shape, Blocks::cut);
        halving.reduce_scatter(out);
        halving.gather(0, core.rank(0), out);
    });
}

/// As Rabenseifner, but the ranks are counted from 0, so that only the gathering depends on the root. A root that sits out takes
/// the place of member 0 when the pieces are gathered: MPICH.
fn halving_gather<'a>(shape: &Shape<'a>, cut: Cut<'a>, out: &mut Schedule) {
    let team = Team::all(shape);
    let shrunk = team.shrink(Stays::Even);
    let root = team.member_of_core(shape.root, Stays::Even);
    if let Some(core) = shrunk.core {
        if let Some(bystander) = shrunk.partner {
            out.recv(bystander, shape.bytes);
            out.reduce(shape.bytes);
        }
        let halving = Halving::of(&core, shape, cut);
        halving.reduce_scatter(out);
        match root {
            None if core.me == 0 => out.send(shape.root, halving.piece(0, core.size.ilog2())),
            _ => halving.gather(root.unwrap_or(0), shape.root, out),
        }
        return;
    }
    out.send(shrunk.partner.expect("who sits out has a partner"), shape.vector());
    if shape.is_root() {
        let halving = Halving::of(&team.core_as(0, Stays::Even), shape, cut);
        out.recv(halving.core.rank(0), halving.piece(0, halving.core.size.ilog2()).bytes);
        halving.gather(0, shape.root, out);
    }
}

/// Runs a reduction towards member 0 of a team whose order the operation allows.
fn in_order(shape: &Shape, out: &mut Schedule, reduce: impl Fn(&Team, &mut Schedule)) {
    if shape.commutative || shape.root == 0 {
        return reduce(&Team::from_root(shape), out);
    }
    reduce(&Team::all(shape), out);
    out.next_slot();
    if shape.rank == 0 {
        out.send(shape.root, shape.vector());
    } else if shape.is_root() {
        out.recv(0, shape.bytes);
    }
}

fn binary_tree(shape: &Shape, out: &mut Schedule) {
    pass_through(shape, &Tree::Complete(2).place(&Team::from_root(shape)), out);
}

pub(crate) fn k_ary(shape: &Shape, out: &mut Schedule) {
    pass_through(shape, &Tree::Complete(shape.parameters.radix).place(&Team::from_root(shape)), out);
}

/// Receives each segment from below while the one before goes up.
fn pass_through(shape: &Shape, place: &TreeNode, out: &mut Schedule) {
    let mut combined = None;
    for segment in Segments::of(shape).all() {
        for &child in &place.children {
            out.irecv(child, segment.bytes);
        }
        if let (Some(before), Some(parent)) = (combined.replace(segment), place.parent) {
            out.isend(parent, before);
        }
        out.wait_all();
        for _ in &place.children {
            out.reduce(segment.bytes);
        }
    }
    if let (Some(last), Some(parent)) = (combined, place.parent) {
        out.send(parent, last);
    }
}

/// How a vector is cut into blocks: their number, the bytes of the vector and of an element.
pub(crate) type Cut<'a> = fn(u32, u64, u64) -> Blocks<'a>;

/// Vector halving, distance doubling: bit `k` of a member's number says which half of its piece
/// it keeps in round `k`.
pub(crate) struct Halving<'a> {
    core: Team,
    blocks: Blocks<'a>,
}

impl<'a> Halving<'a> {
    /// Over the vector of `shape`, by the members of `core`, a power of two.
    pub fn of(core: &Team, shape: &Shape<'a>, cut: Cut<'a>) -> Self {
        Halving { core: *core, blocks: cut(core.size, shape.bytes, shape.element) }
    }

    /// Leaves each member with its piece of the result.
    pub fn reduce_scatter(&self, out: &mut Schedule) {
        for round in self.core.doubling() {
            let with = self.core.rank(round.with);
            let (given, kept) =
                (self.piece(round.with, round.bit + 1), self.piece(self.core.me, round.bit + 1));
            out.exchange(with, given, with, kept.bytes);
            out.reduce(kept.bytes);
        }
    }

    /// The way back: every member gets all pieces.
    pub fn allgather(&self, out: &mut Schedule) {
        for round in self.core.doubling().rev() {
            let with = self.core.rank(round.with);
            let (mine, theirs) =
                (self.piece(self.core.me, round.bit + 1), self.piece(round.with, round.bit + 1));
            out.exchange(with, mine, with, theirs.bytes);
        }
    }

    /// The way back to member `root`, which is `root_rank`: it gets all pieces.
    fn gather(&self, root: u32, root_rank: u32, out: &mut Schedule) {
        for round in self.core.doubling().rev() {
            let with = if round.with == root { root_rank } else { self.core.rank(round.with) };
            if round.with >> round.bit == root >> round.bit {
                return out.send(with, self.piece(self.core.me, round.bit + 1));
            }
            out.recv(with, self.piece(round.with, round.bit + 1).bytes);
        }
    }

    /// The piece left to `member` after that many rounds.
    fn piece(&self, member: u32, rounds: u32) -> Data {
        let length = self.core.size >> rounds;
        let first =
            (0..rounds).filter(|bit| member >> bit & 1 == 1).map(|bit| self.core.size >> (bit + 1)).sum();
        self.blocks.span(first, length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_halve_and_together_are_the_vector() {
        let shape = Shape::new(8).bytes(1237).element(1);
        let halving = Halving::of(&Team::all(&shape), &shape, Blocks::cut);
        for member in 0..8 {
            assert_eq!(halving.piece(member, 0).bytes, 1237);
            for bit in 0..3 {
                let halves = [member, member ^ 1 << bit].map(|m| halving.piece(m, bit + 1).bytes);
                assert_eq!(halving.piece(member, bit).bytes, halves.iter().sum::<u64>());
            }
        }
    }
}
