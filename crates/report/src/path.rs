//! The critical path: what had to happen, one after the other, for the run to end when it did.
//!
//! It is followed forwards, while the run goes on. Each rank knows the path that led to where it is: what it did itself,
//! and where it was held up, the path of whoever held it up:
//!
//! ```text
//! rank 0   ███████ compute ███████ send
//!                                     ╲ transfer
//! rank 1   ██ compute ██ ╌╌ recv ╌╌╌╌╌╌██ compute ██
//!          path of rank 1: compute of 0, transfer, compute of 1
//! ```
//!
//! A call that ends with a message continues the path of its sender at the instant it was sent; or that of the receiver, if
//! the bytes could not move before it was there. Inside collectives every message that is delivered to a rank carries it
//! on. Of where ranks were earlier, a few recent instants are kept ([`trail`]); what led there is kept as a tree
//! ([`tree`]), from which everything that no rank's path needs any more is removed.
//!
//! What is approximate: a call during which messages came but which ended a little later is held up by the last of them;
//! a message sent longer ago than a rank remembers continues the oldest path it does; paths of ranks that have nothing to do
//! with each other over a very long run are thinned out, neighbours becoming one.

mod trail;
mod tree;

pub(crate) use tree::{Backwards, Kind, NO_FUNCTION, Segment};

use crate::delivered::Delivered;
use trail::Trail;
use tree::{Node, Tree};

/// A message that may have held up a rank.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Held {
    /// When it was delivered; zero if there is none.
    pub delivered: u64,
    /// When its bytes had arrived. Whoever comes later is held up by nobody, even if taking the message needs time.
    arrived: u64,
    /// Until when the other rank was not there yet: it had not sent, or not received.
    pub late: u64,
    /// When the transfer began, and who made it begin.
    began: u64,
    who: u32,
    peer: u32,
}

/// The paths that led to where ranks are.
pub(crate) struct Paths {
    tree: Tree,
    ranks: Vec<Trail>,
}

impl Paths {
    pub fn new(ranks: usize) -> Paths {
        Paths { tree: Tree::new(ranks), ranks: vec![Trail::default(); ranks] }
    }

    /// Something about this rank will be told soon.
    #[inline]
    pub fn expect(&self, rank: u32) {
        // Its first line is all that is needed mostly.
        mpirage_cache::fetch(&self.ranks[rank as usize].latest);
    }

    /// A rank did something by itself.
    #[inline]
    pub fn did(&mut self, rank: u32, kind: Kind, function: u16, end: u64) {
        let (start, parent) = self.ranks[rank as usize].latest;
        if end <= start {
            return;
        }
        let head = self.tree.node_mut(parent);
        if head.rank == rank && head.kind == kind && head.function == function && head.end == start {
            head.end = end;
            self.ranks[rank as usize].prolong(end);
            return;
        }
        self.go_on(rank, Node { parent, rank, peer: rank, start, end, kind, function });
    }

    /// Nothing is known of what a rank did until then.
    #[inline]
    pub fn catch_up(&mut self, rank: u32, until: u64) {
        if until > self.ranks[rank as usize].latest.0 {
            self.did(rank, Kind::Other, NO_FUNCTION, until);
        }
    }

    /// A rank is in a blocking collective from now on.
    pub fn enter_collective(&mut self, rank: u32, function: u16) {
        self.ranks[rank as usize].enter(function);
    }

    /// A message was delivered.
    pub fn message(&mut self, message: &Delivered) {
        let &Delivered { from, sent, inner, awaited, .. } = message;
        let (to, departed) = (message.to(), message.departed());
        let (arrived, delivered) = (message.arrived(), message.delivered());
        // Only the receiver can have made it wait, if it did something at that very instant.
        let receiver_late = departed > sent && self.ranks[to as usize].turned_at(departed);
        let (who, began) = if receiver_late { (to, departed) } else { (from, sent) };
        let held = Held { delivered, arrived, began, who, peer: from, late: sent };
        self.ranks[to as usize].incoming = held;
        if inner {
            self.carry_on(to, held);
        }
        if receiver_late || awaited {
            let late = if receiver_late { departed } else { 0 };
            let held = Held { peer: to, late, ..held };
            self.ranks[from as usize].outgoing = held;
            if inner && receiver_late {
                self.carry_on(from, held);
            }
        }
    }

    /// A message inside a collective carries a rank on that is in it.
    fn carry_on(&mut self, rank: u32, held: Held) {
        let trail = &self.ranks[rank as usize];
        if let Some(function) = trail.inside
            && held.arrived > trail.latest.0
        {
            self.arrive(rank, held, function);
        }
    }

    /// The message that held up a call of a rank from `entered` to `left`, if one did.
    #[inline]
    pub fn cause(&self, rank: u32, entered: u64, left: u64) -> Option<Held> {
        let trail = &self.ranks[rank as usize];
        let (incoming, outgoing) = (trail.incoming, trail.outgoing);
        if incoming.delivered == left && left > entered {
            Some(incoming)
        } else if outgoing.delivered == left && left > entered {
            Some(outgoing)
        } else if incoming.delivered > entered && incoming.delivered < left {
            Some(incoming)
        } else {
            None
        }
    }

    /// A call is over, which a message may have held up.
    #[inline]
    pub fn called(&mut self, rank: u32, cause: Option<Held>, kind: Kind, function: u16, left: u64) {
        if let Some(held) = cause
            && held.arrived > self.ranks[rank as usize].latest.0
        {
            self.arrive(rank, held, function);
        }
        self.did(rank, kind, function, left);
        self.ranks[rank as usize].inside = None;
    }

    fn arrive(&mut self, rank: u32, held: Held, function: u16) {
        let Held { who, began, delivered, peer, .. } = held;
        let (parent, kind) = (self.state(who, began), Kind::Transfer);
        self.go_on(rank, Node { parent, rank, peer, start: began, end: delivered, kind, function });
    }

    fn go_on(&mut self, rank: u32, node: Node) {
        let id = self.tree.push(node, &mut self.ranks);
        self.ranks[rank as usize].push(node.end, id);
    }

    /// What led to where a rank was at an instant not long ago.
    fn state(&mut self, rank: u32, at: u64) -> u32 {
        let before = self.ranks[rank as usize].before(at);
        if before.end >= at {
            return before.node;
        }
        // It was in the middle of something: that what came next is part of, or the call it is still in.
        let (kind, function) = match before.next {
            Some(next) => (self.tree.node(next).kind, self.tree.node(next).function),
            None => match self.ranks[rank as usize].inside {
                Some(function) => (Kind::Collective, function),
                None => (Kind::PointToPoint, NO_FUNCTION),
            },
        };
        // Whoever is in the middle of a transfer waits for it.
        let kind = if kind == Kind::Transfer { Kind::PointToPoint } else { kind };
        let middle =
            Node { parent: before.node, rank, peer: rank, start: before.end, end: at, kind, function };
        self.tree.push(middle, &mut self.ranks)
    }

    /// Until when the path of a rank is known.
    pub fn reaches(&self, rank: u32) -> u64 {
        self.ranks[rank as usize].latest.0
    }

    /// The path that led to where a rank is now, backwards; that of nobody is empty.
    pub fn back_from(&self, rank: Option<u32>) -> Backwards<'_> {
        self.tree.back_from(rank.map_or(0, |rank| self.ranks[rank as usize].latest.1))
    }

    /// Has anything been left out because there was too much?
    pub fn is_thinned(&self) -> bool {
        self.tree.is_thinned()
    }
}

#[cfg(test)]
mod tests {
    use mpirage_record::Message;

    use super::*;
    use crate::testing::{inner_message, message};

    impl Paths {
        /// The path that led to where a rank is now, from the beginning.
        fn of(&self, rank: u32) -> Vec<Segment> {
            let mut path: Vec<Segment> = self.back_from(Some(rank)).collect();
            path.reverse();
            path
        }
    }

    fn shape(path: &[Segment]) -> Vec<(u32, Kind, u64, u64)> {
        path.iter().map(|part| (part.rank, part.kind, part.start, part.end)).collect()
    }

    const WAIT: u16 = 7;

    fn tell(paths: &mut Paths, message: &Message) {
        paths.message(&Delivered::of(message));
    }

    fn receive(paths: &mut Paths, rank: u32, entered: u64, left: u64) {
        let cause = paths.cause(rank, entered, left);
        paths.called(rank, cause, Kind::PointToPoint, WAIT, left);
    }

    #[test]
    fn a_late_sender_is_on_the_path() {
        let mut paths = Paths::new(2);
        paths.did(1, Kind::Compute, NO_FUNCTION, 40);
        paths.did(0, Kind::Compute, NO_FUNCTION, 100);
        // Rank 0 goes on computing after its Isend.
        paths.did(0, Kind::PointToPoint, 3, 101);
        paths.did(0, Kind::Compute, NO_FUNCTION, 150);
        tell(&mut paths, &message(0, 1, 8, 101, 160));
        receive(&mut paths, 1, 40, 160);
        paths.did(1, Kind::Compute, NO_FUNCTION, 200);
        let expected = [
            (0, Kind::Compute, 0, 100),
            (0, Kind::PointToPoint, 100, 101),
            (1, Kind::Transfer, 101, 160),
            (1, Kind::Compute, 160, 200),
        ];
        assert_eq!(shape(&paths.of(1)), expected);
        assert_eq!(paths.of(1)[2].function, WAIT);
        assert_eq!(paths.of(1)[2].peer, 0);
        let own =
            [(0, Kind::Compute, 0, 100), (0, Kind::PointToPoint, 100, 101), (0, Kind::Compute, 101, 150)];
        assert_eq!(shape(&paths.of(0)), own);
    }

    #[test]
    fn a_message_sent_in_the_middle_cuts_what_the_sender_did() {
        let mut paths = Paths::new(2);
        // Two stretches of computation, an Isend without duration between them.
        paths.did(0, Kind::Compute, NO_FUNCTION, 50);
        paths.did(0, Kind::Compute, NO_FUNCTION, 90);
        tell(&mut paths, &message(0, 1, 8, 50, 70));
        receive(&mut paths, 1, 0, 70);
        assert_eq!(shape(&paths.of(1)), [(0, Kind::Compute, 0, 50), (1, Kind::Transfer, 50, 70)]);
    }

    #[test]
    fn a_late_receiver_holds_up_the_sender() {
        let mut paths = Paths::new(2);
        paths.did(0, Kind::Compute, NO_FUNCTION, 10);
        paths.did(1, Kind::Compute, NO_FUNCTION, 60);
        // A rendezvous: sent at 10, the receiver is there at 60, delivered at 80.
        let sent = mpirage_units::Time::from_picos(10);
        tell(&mut paths, &Message { sent, awaited: true, ..message(0, 1, 1 << 20, 60, 80) });
        let cause = paths.cause(0, 10, 80).unwrap();
        assert_eq!(cause.late, 60);
        paths.called(0, Some(cause), Kind::PointToPoint, 1, 80);
        assert_eq!(shape(&paths.of(0)), [(1, Kind::Compute, 0, 60), (0, Kind::Transfer, 60, 80)]);
        receive(&mut paths, 1, 60, 80);
        assert_eq!(shape(&paths.of(1)), [(1, Kind::Compute, 0, 60), (1, Kind::Transfer, 60, 80)]);
    }

    #[test]
    fn a_collective_passes_the_path_on() {
        // A chain 0 → 1 → 2 inside one collective; rank 1 is the last to come.
        let mut paths = Paths::new(3);
        for (rank, entered) in [(0, 10), (2, 20), (1, 50)] {
            paths.did(rank, Kind::Compute, NO_FUNCTION, entered);
            paths.enter_collective(rank, 5);
        }
        tell(&mut paths, &inner_message(0, 1, 10, 55));
        // Rank 1 combines from 55 to 58, then sends.
        tell(&mut paths, &inner_message(1, 2, 58, 65));
        for (rank, left) in [(1, 58), (2, 65)] {
            let cause = paths.cause(rank, 0, left);
            paths.called(rank, cause, Kind::Collective, 5, left);
        }
        let expected = [
            (0, Kind::Compute, 0, 10),
            (1, Kind::Transfer, 10, 55),
            (1, Kind::Collective, 55, 58),
            (2, Kind::Transfer, 58, 65),
        ];
        assert_eq!(shape(&paths.of(2)), expected);
    }

    #[test]
    fn a_message_that_was_there_holds_nobody_up() {
        let mut paths = Paths::new(2);
        paths.did(0, Kind::Compute, NO_FUNCTION, 10);
        paths.did(1, Kind::Compute, NO_FUNCTION, 60);
        // It arrives at 30; the receiver comes at 60 and needs until 62 to take it.
        let arrived = mpirage_units::Time::from_picos(30);
        tell(&mut paths, &Message { arrived, ..message(0, 1, 8, 10, 62) });
        receive(&mut paths, 1, 60, 62);
        assert_eq!(shape(&paths.of(1)), [(1, Kind::Compute, 0, 60), (1, Kind::PointToPoint, 60, 62)]);
        // The same inside a collective.
        paths.enter_collective(1, 5);
        tell(&mut paths, &Message { arrived, ..inner_message(0, 1, 10, 64) });
        assert_eq!(paths.of(1).last().unwrap().end, 62);
    }

    #[test]
    fn long_runs_keep_what_matters() {
        // Two ranks that take turns, many more times than there is room for, and one on its own.
        let mut paths = Paths::new(3);
        let mut now = 0;
        let rounds = 1_500_000u64;
        for round in 0..rounds {
            let (from, to) = if round % 2 == 0 { (0, 1) } else { (1, 0) };
            paths.did(from, Kind::Compute, NO_FUNCTION, now + 60);
            tell(&mut paths, &message(from, to, 8, now + 60, now + 100));
            receive(&mut paths, to, now, now + 100);
            let kind = if round % 2 == 0 { Kind::Compute } else { Kind::Other };
            paths.did(2, kind, NO_FUNCTION, now + 50);
            now += 100;
        }
        let path = paths.of(1.min(rounds as u32 % 2));
        assert_eq!(path.first().unwrap().start, 0);
        assert!(path.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert_eq!(path.last().unwrap().end, now);
        assert!(paths.is_thinned());
        assert!(path.len() < 2 << 20);
    }
}
