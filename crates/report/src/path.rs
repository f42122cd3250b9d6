//! The critical path: what had to happen, one after the other, for the run to end when it did.
//!
//! It is followed backwards when the run is over, from the rank that ended last. What a rank did itself is on the path, and where it was
//! held up, the path goes on with whoever held it up:
//!
//! ```text
//! rank 0   ███████ compute ███████ send
//!                                     ╲ transfer
//! rank 1   ██ compute ██ ╌╌ recv ╌╌╌╌╌╌██ compute ██
//!          path of rank 1: compute of 0, transfer, compute of 1
//! ```
//!
//! A call that ends with a message continues with its sender at the instant it was sent; or with the receiver, if the bytes could not
//! move before it was there. Inside collectives every message that is delivered to a rank carries it on ([`walk`]).
//!
//! Of runs that are too long to be kept until they are over, paths are followed from time to time, from all ranks back to where the last time
//! they were; what led there is kept as a tree ([`tree`]), from which everything that no rank's path needs any more is removed.
//!
//! What is approximate: a call during which messages came but which ended a little later is held up by the last of them; and of
//! very long runs, a message that was sent before paths were followed the last time continues where its sender was then, and
//! paths of ranks that have nothing to do with each other are thinned out, neighbours becoming one.

mod circle;
mod tree;
mod walk;

use std::ops::ControlFlow;

use rustc_hash::FxHashMap;

pub(crate) use tree::{Kind, NO_FUNCTION, Segment};
use tree::{Node, Tree};
pub(crate) use walk::Written;
use walk::{Told, Walk};

/// Somebody who is told a path, backwards.
pub(crate) trait Follower {
    /// What comes before all that was told.
    fn part(&mut self, part: Segment);

    /// The parts that were told last come again so many times, each time so long before the last.
    fn laps(&mut self, parts: &[Segment], times: u64, lap: u64);
}

/// The paths that led to where ranks are.
pub(crate) struct Paths {
    tree: Tree,
    /// Until when that of each rank has been followed, and what led it there.
    since: Vec<u64>,
    heads: Vec<u32>,
}

impl Paths {
    pub fn new(ranks: usize) -> Paths {
        Paths { tree: Tree::new(ranks), since: vec![0; ranks], heads: vec![0; ranks] }
    }

    /// Follows the paths of all ranks, which are at these times. What is written is not needed any more.
    pub fn follow(&mut self, written: Written<'_>, at: Vec<u64>) {
        let mut walk = Walk::new(written, &self.since);
        let (ranks, mut parts) = (self.heads.len(), Vec::new());
        // What leads to transfers, by receiver and end: many paths meet.
        let mut known: FxHashMap<(u32, u64), u32> = FxHashMap::default();
        // Where ranks were, and where they are.
        let mut roots = self.heads.clone();
        roots.extend_from_slice(&self.heads);
        for (rank, &time) in at.iter().enumerate() {
            parts.clear();
            let mut met = None;
            let (origin, _) = walk.back(rank as u32, time, false, |told| {
                let Told::Part(part) = told else { return ControlFlow::Continue(()) };
                met = known.get(&(part.rank, part.end)).copied().filter(|_| part.kind == Kind::Transfer);
                if met.is_some() {
                    return ControlFlow::Break(());
                }
                self.tree.take(part, &mut parts);
                ControlFlow::Continue(())
            });
            let mut parent = met.unwrap_or(roots[origin as usize]);
            for &part in parts.iter().rev() {
                parent = self.tree.push(Node::after(parent, part));
                if part.kind == Kind::Transfer {
                    known.insert((part.rank, part.end), parent);
                }
            }
            roots[ranks + rank] = parent;
            if self.tree.is_full() {
                self.tree.make_room(&mut roots, &mut known);
            }
        }
        self.heads.copy_from_slice(&roots[ranks..]);
        self.since = at;
    }

    /// Tells of the path that led a rank to where it was at a time, the last part first.
    pub fn back_from(&self, written: Written<'_>, rank: u32, time: u64, critical: &mut impl Follower) {
        let (origin, since) = Walk::new(written, &self.since).back(rank, time, true, |told| {
            match told {
                Told::Part(part) => critical.part(part),
                Told::Laps { parts, times, lap } => critical.laps(parts, times, lap),
            }
            ControlFlow::Continue(())
        });
        self.tree.back_from(self.heads[origin as usize], since).for_each(|part| critical.part(part));
    }

    /// Has anything been left out because there was too much?
    pub fn is_thinned(&self) -> bool {
        self.tree.is_thinned()
    }
}

#[cfg(test)]
mod tests {
    use mpirage_record::Message;
    use mpirage_units::Time;

    use super::*;
    use crate::books::Books;
    use crate::category::Category;
    use crate::report::Budget;
    use crate::testing::{inner_message, message, run_on};

    const SEND: u16 = 3;
    const WAIT: u16 = 7;
    const COLLECTIVE: u16 = 5;

    fn books(ranks: u32) -> Books {
        Books::new(&run_on(&format!("cluster:{ranks}"), ranks), Budget::default())
    }

    fn call(books: &mut Books, rank: u32, category: Category, function: u16, [entered, left]: [u64; 2]) {
        let phrase = books.phrases.of_function(function);
        books.call(rank, phrase, category, entered, left - entered, None);
    }

    fn receive(books: &mut Books, rank: u32, entered: u64, left: u64) {
        call(books, rank, Category::PointToPoint, WAIT, [entered, left]);
    }

    fn compute(books: &mut Books, rank: u32, start: u64, end: u64) {
        books.did(rank, Category::Compute, start, end - start);
    }

    /// The path that led to where a rank is now, from the beginning.
    fn path(books: &mut Books, rank: u32) -> Vec<Segment> {
        books.close(0);
        let mut path = Heard::default();
        books.paths.back_from(books.written(), rank, books.reaches(rank), &mut path);
        let Heard(mut path) = path;
        path.reverse();
        path
    }

    /// All parts of a path.
    #[derive(Default)]
    struct Heard(Vec<Segment>);

    impl Follower for Heard {
        fn part(&mut self, part: Segment) {
            self.0.push(part);
        }

        fn laps(&mut self, parts: &[Segment], times: u64, lap: u64) {
            assert_eq!(self.0[self.0.len() - parts.len()..], *parts);
            self.0.extend(
                (1..=times).flat_map(|lap_of| parts.iter().map(move |part| part.before(lap_of * lap))),
            );
        }
    }

    fn shape(path: &[Segment]) -> Vec<(u32, Kind, u64, u64)> {
        path.iter().map(|part| (part.rank, part.kind, part.start, part.end)).collect()
    }

    #[test]
    fn a_late_sender_is_on_the_path() {
        let mut books = books(2);
        compute(&mut books, 1, 0, 40);
        compute(&mut books, 0, 0, 100);
        call(&mut books, 0, Category::PointToPoint, SEND, [100, 101]);
        // Rank 0 goes on computing after its Isend.
        compute(&mut books, 0, 101, 150);
        books.message(&message(0, 1, 8, 101, 160));
        receive(&mut books, 1, 40, 160);
        compute(&mut books, 1, 160, 200);
        let found = path(&mut books, 1);
        let expected = [
            (0, Kind::Compute, 0, 100),
            (0, Kind::PointToPoint, 100, 101),
            (1, Kind::Transfer, 101, 160),
            (1, Kind::Compute, 160, 200),
        ];
        assert_eq!(shape(&found), expected);
        assert_eq!((found[2].function, found[2].peer), (WAIT, 0));
        let own =
            [(0, Kind::Compute, 0, 100), (0, Kind::PointToPoint, 100, 101), (0, Kind::Compute, 101, 150)];
        assert_eq!(shape(&path(&mut books, 0)), own);
        assert_eq!(books.ranks[1].spent[Category::Wait as usize], 61);
    }

    #[test]
    fn a_message_sent_in_the_middle_cuts_what_the_sender_did() {
        let mut books = books(2);
        compute(&mut books, 0, 0, 90);
        books.message(&message(0, 1, 8, 50, 70));
        receive(&mut books, 1, 0, 70);
        assert_eq!(shape(&path(&mut books, 1)), [(0, Kind::Compute, 0, 50), (1, Kind::Transfer, 50, 70)]);
    }

    #[test]
    fn a_late_receiver_holds_up_the_sender() {
        let mut books = books(2);
        compute(&mut books, 0, 0, 10);
        compute(&mut books, 1, 0, 60);
        // A rendezvous: sent at 10, the receiver is there at 60, delivered at 80.
        let sent = Time::from_picos(10);
        books.message(&Message { sent, awaited: true, held: true, ..message(0, 1, 1 << 20, 60, 80) });
        call(&mut books, 0, Category::PointToPoint, SEND, [10, 80]);
        receive(&mut books, 1, 60, 80);
        let expected = [(1, Kind::Compute, 0, 60), (0, Kind::Transfer, 60, 80)];
        assert_eq!(shape(&path(&mut books, 0)), expected);
        assert_eq!(books.ranks[0].spent[Category::Wait as usize], 50);
        let expected = [(1, Kind::Compute, 0, 60), (1, Kind::Transfer, 60, 80)];
        assert_eq!(shape(&path(&mut books, 1)), expected);
    }

    #[test]
    fn a_collective_passes_the_path_on() {
        // A chain 0 → 1 → 2 inside one collective; rank 1 is the last to come, and combines from 55 to 58 before it sends.
        let mut books = books(3);
        for (rank, entered) in [(0, 10), (2, 20), (1, 50)] {
            compute(&mut books, rank, 0, entered);
        }
        books.message(&inner_message(0, 1, 10, 55));
        call(&mut books, 1, Category::Collective, COLLECTIVE, [50, 58]);
        books.message(&inner_message(1, 2, 58, 65));
        call(&mut books, 2, Category::Collective, COLLECTIVE, [20, 65]);
        let expected = [
            (0, Kind::Compute, 0, 10),
            (1, Kind::Transfer, 10, 55),
            (1, Kind::Collective, 55, 58),
            (2, Kind::Transfer, 58, 65),
        ];
        assert_eq!(shape(&path(&mut books, 2)), expected);
    }

    #[test]
    fn a_message_that_was_there_holds_nobody_up() {
        let mut books = books(2);
        compute(&mut books, 0, 0, 10);
        compute(&mut books, 1, 0, 60);
        // It arrives at 30; the receiver comes at 60 and needs until 62 to take it. The same inside a collective, until 64.
        let arrived = Time::from_picos(30);
        books.message(&Message { arrived, ..message(0, 1, 8, 10, 62) });
        receive(&mut books, 1, 60, 62);
        books.message(&Message { arrived, ..inner_message(0, 1, 10, 64) });
        call(&mut books, 1, Category::Collective, COLLECTIVE, [62, 64]);
        let expected =
            [(1, Kind::Compute, 0, 60), (1, Kind::PointToPoint, 60, 62), (1, Kind::Collective, 62, 64)];
        assert_eq!(shape(&path(&mut books, 1)), expected);
    }

    #[test]
    fn messages_that_take_no_time_lead_nowhere_else_for_ever() {
        let mut books = books(2);
        for (rank, other) in [(0, 1), (1, 0)] {
            books.message(&message(other, rank, 8, 50, 50));
        }
        (0..2).for_each(|rank| receive(&mut books, rank, 0, 50));
        let found = path(&mut books, 0);
        assert_eq!(
            (found.first().map(|part| part.start), found.last().map(|part| part.end)),
            (Some(0), Some(50))
        );
    }

    /// Two ranks that take turns, and one on its own, so many times; of any duration, or always the same.
    fn turns(budget: Budget, rounds: u64, same: bool) -> (Books, u64) {
        let mut books = Books::new(&run_on("cluster:3", 3), budget);
        let mut now = 0;
        for round in 0..rounds {
            let (from, to) = if round % 2 == 0 { (0, 1) } else { (1, 0) };
            let long = if same { 60 } else { 1 + round * round % 977 };
            compute(&mut books, from, now, now + long);
            books.message(&message(from, to, 8, now + long, now + long + 40));
            receive(&mut books, to, now, now + long + 40);
            compute(&mut books, 2, now, now + 1 + long / 2);
            now += long + 40;
        }
        (books, now)
    }

    #[test]
    fn long_runs_keep_what_matters() {
        for (rounds, same) in [(50_000, false), (1_500_000, true)] {
            let (mut books, now) =
                turns(Budget { calls: 1_000, messages: 1_000, rows: 10_000 }, rounds, same);
            let path = path(&mut books, rounds as u32 % 2);
            assert_eq!((path[0].start, path.last().map(|part| part.end)), (0, Some(now)));
            assert!(path.windows(2).all(|pair| pair[0].end == pair[1].start));
            let transfers: u64 = path
                .iter()
                .filter(|part| part.kind == Kind::Transfer)
                .map(|part| part.end - part.start)
                .sum();
            assert_eq!(transfers, 40 * rounds, "{same}");
        }
    }

    /// Ranks in a ring, each waiting for the one before it, and computing twice for another while; after half of the time for yet another, or
    /// never for the same.
    fn ring(budget: Budget, ranks: u32, rounds: u64, same: bool) -> Books {
        let mut books = Books::new(&run_on(&format!("cluster:{ranks}"), ranks), budget);
        let mut clocks = vec![0; ranks as usize];
        for round in 0..rounds {
            let long = |rank: u32| match same {
                true => 50 + u64::from(rank) * if round < rounds / 2 { 7 } else { 3 },
                false => 20 + (round * round + 1) * u64::from(rank * rank + 3) % 9_973,
            };
            let before = clocks.clone();
            for rank in 0..ranks {
                let [begin, end] = [0, long(rank)].map(|after| before[rank as usize] + after);
                compute(&mut books, rank, begin, begin + 9);
                books.did(rank, Category::Other, begin + 9, end - begin - 9);
            }
            for rank in 0..ranks {
                let from = (rank + ranks - 1) % ranks;
                let sent = before[from as usize] + long(from);
                let ready = before[rank as usize] + long(rank);
                let delivered = (sent + 11).max(ready + 1);
                let arrived = Time::from_picos(sent + 11);
                books.message(&Message { arrived, ..message(from, rank, 8, sent, delivered) });
                receive(&mut books, rank, ready, delivered);
                clocks[rank as usize] = delivered;
            }
        }
        books
    }

    #[test]
    fn circles_change_nothing() {
        let (turns, _) = turns(Budget::default(), 2_000, true);
        let ring = |ranks, rounds| ring(Budget::default(), ranks, rounds, true);
        for (mut books, rank) in [(turns, 0), (ring(5, 300), 3), (ring(2, 1_000), 1), (ring(13, 200), 0)] {
            let laps = path(&mut books, rank);
            let mut one_by_one = Vec::new();
            let mut circles = 0;
            let time = books.reaches(rank);
            for at_once in [false, true] {
                Walk::new(books.written(), &[0; 16]).back(rank, time, at_once, |told| {
                    match told {
                        Told::Part(part) if !at_once => one_by_one.push(part),
                        Told::Laps { .. } => circles += 1,
                        Told::Part(_) => {}
                    }
                    ControlFlow::Continue(())
                });
            }
            one_by_one.reverse();
            assert_eq!(laps, one_by_one);
            assert!(circles > 0 && laps[0].start == 0, "{circles}");
        }
    }

    #[test]
    fn paths_that_are_followed_on_the_way_are_the_same() {
        let few = Budget { calls: 100, messages: 100, rows: 1_000 };
        for ranks in [2, 7, 16] {
            let [mut on_the_way, mut at_the_end] =
                [few, Budget::default()].map(|budget| ring(budget, ranks, 3_000, false));
            for rank in [0, ranks - 1] {
                assert_eq!(
                    shape(&path(&mut on_the_way, rank)),
                    shape(&path(&mut at_the_end, rank)),
                    "{rank} of {ranks}"
                );
            }
        }
    }

    #[test]
    fn paths_of_very_long_runs_are_thinned_out() {
        let (mut books, now) =
            turns(Budget { calls: 1_000, messages: 1_000, rows: 10_000 }, 1_500_000, false);
        let path = path(&mut books, 0);
        assert_eq!((path[0].start, path.last().map(|part| part.end)), (0, Some(now)));
        assert!(path.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert!(books.paths.is_thinned() && path.len() < 2 << 20);
    }
}
