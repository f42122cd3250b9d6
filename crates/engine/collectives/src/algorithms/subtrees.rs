//! Recursive doubling for any number of ranks: subtrees of 1, 2, 4, … members swap what they have.
//!
//! ```text
//!   6 members, distance 4    0<>4  1<>5   2 and 3 have no partner
//!                            0>2   1>3    so they get what 0 and 1 have received, in ⌈log⌉ more rounds
//! ```
//!
//! Broadcasts scatter the vector in chunks of one size first; the last members may have none.
//! Thakur, Rabenseifner, Gropp: *Optimization of collective communication operations in MPICH* (2005); Open MPI has the same.

use super::allgather;
use crate::blocks::Blocks;
use crate::data::{Data, Piece};
use crate::shape::Shape;
use crate::step::Schedule;
use crate::team::{Team, doubling_distances};
use crate::tree::Binomial;

/// The action of a member in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    /// Swaps with the member of the other subtree.
    Swap { with: u32 },
    /// Passes on the data that its subtree has received.
    Give { to: u32 },
    /// Gets the data that its subtree has received.
    Take { from: u32 },
}

/// A round: the subtrees that swap begin at these members, and are so long at most.
struct Round {
    mine: u32,
    theirs: u32,
    length: u32,
    deeds: Vec<Deed>,
}

fn rounds(me: u32, size: u32) -> impl Iterator<Item = Round> {
    doubling_distances(size).map(move |length| {
        let (mine, theirs) = (me & !(length - 1), (me ^ length) & !(length - 1));
        let with = me ^ length;
        let mut deeds = vec![];
        if with < size {
            deeds.push(Deed::Swap { with });
        }
        if theirs + length > size && theirs < size {
            // Members of the other subtree, which is cut off by the end: so many of this one have a partner.
            let partners = size - theirs;
            for distance in doubling_distances(length).rev() {
                let (other, top) = (me ^ distance, me & !(2 * distance - 1));
                match (me < top + partners, other < top + partners) {
                    (true, false) if other > me => deeds.push(Deed::Give { to: other }),
                    (false, true) if other < me => deeds.push(Deed::Take { from: other }),
                    _ => {}
                }
            }
        }
        Round { mine, theirs, length, deeds }
    })
}

/// Scatters down a binomial tree, and gathers by doubling.
pub(crate) fn bcast(shape: &Shape, out: &mut Schedule) {
    let team = Team::from_root(shape);
    let chunks = scatter_chunks(shape, &team, out);
    let span = |first: u32, length: u32| chunks.span(first, length.min(team.size - first));
    for round in rounds(team.me, team.size) {
        let (mine, theirs) = (span(round.mine, round.length), round.theirs);
        for deed in round.deeds {
            match deed {
                Deed::Swap { with } => {
                    let with = team.rank(with);
                    out.exchange(with, mine, with, span(theirs, round.length).bytes);
                }
                Deed::Give { to } => out.send(team.rank(to), span(theirs, round.length)),
                Deed::Take { from } => out.recv(team.rank(from), span(theirs, round.length).bytes),
            }
        }
    }
}

/// Scatters down a binomial tree, and gathers around the ring.
pub(crate) fn bcast_ring(shape: &Shape, out: &mut Schedule) {
    let team = Team::from_root(shape);
    let chunks = scatter_chunks(shape, &team, out);
    allgather::around_the_ring(&team, &chunks, out);
}

/// Leaves each member with its chunk. Members without one get no message.
fn scatter_chunks<'a>(shape: &Shape<'a>, team: &Team, out: &mut Schedule) -> Blocks<'a> {
    let chunks = Blocks::chunks(shape.size, shape.bytes, shape.element);
    let tree = Binomial::of(team);
    let below = |top, size| Some(chunks.span(top, size)).filter(|data| data.bytes > 0);
    if let (Some(parent), Some(own)) = (tree.parent(), below(tree.own().top, tree.own().size)) {
        out.recv(team.rank(parent), own.bytes);
    }
    for child in tree.children().rev() {
        below(child.top, child.size).into_iter().for_each(|data| out.send(team.rank(child.top), data));
    }
    out.next_slot();
    chunks
}

/// In each round a rank swaps all blocks but those of its own subtree, which it keeps for itself, and combines what it gets.
pub(crate) fn reduce_scatter(shape: &Shape, out: &mut Schedule) {
    let blocks = shape.blocks();
    let size = shape.size;
    let but = |first: u32, length: u32| {
        let end = (first + length).min(size);
        (blocks.all().bytes - blocks.span(first, end - first).bytes, (0..first).chain(end..size))
    };
    for round in rounds(shape.rank, size).filter(|round| !round.deeds.is_empty()) {
        let ((sent, given), (kept, taken)) = (but(round.mine, round.length), but(round.theirs, round.length));
        for deed in &round.deeds {
            match *deed {
                Deed::Swap { with } => {
                    out.irecv(with, kept);
                    out.isend(with, Data::range(0, sent));
                    out.carries(given.clone().map(Piece::Block));
                    out.wait_all();
                }
                Deed::Give { to } => {
                    out.send(to, Data::range(0, kept));
                    out.carries(taken.clone().map(Piece::Received));
                }
                Deed::Take { from } => out.recv(from, kept),
            }
        }
        out.reduce(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_without_a_partner_are_served_by_their_neighbours() {
        let deeds = |me| rounds(me, 6).map(|round| round.deeds).collect::<Vec<_>>();
        assert_eq!(deeds(0)[2], [Deed::Swap { with: 4 }, Deed::Give { to: 2 }]);
        assert_eq!(
            deeds(3),
            [vec![Deed::Swap { with: 2 }], vec![Deed::Swap { with: 1 }], vec![Deed::Take { from: 1 }]]
        );
        assert_eq!(deeds(5), [vec![Deed::Swap { with: 4 }], vec![], vec![Deed::Swap { with: 1 }]]);
    }
}
