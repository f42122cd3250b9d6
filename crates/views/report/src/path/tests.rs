//! Critical paths of small runs.

use mpirage_record::MessageRecord;
use mpirage_units::Time;

use super::*;
use crate::aggregator::{Aggregator, Awaited, Budget, ReturnedCall};
use crate::calls::CallKey;
use crate::category::Category;
use crate::testing::{inner_message, message, run_on};

const SEND: u16 = 3;
const WAIT: u16 = 7;
const COLLECTIVE: u16 = 5;

fn aggregator(ranks: u32) -> Aggregator {
    Aggregator::new(&run_on(&format!("cluster:{ranks}"), ranks), Budget::default())
}

fn call(
    aggregator: &mut Aggregator,
    rank: u32,
    category: Category,
    function: u16,
    [entered, left]: [u64; 2],
) {
    let key = CallKey::of_site(function, 0);
    let call = ReturnedCall {
        key,
        category,
        bytes: 0,
        entered,
        duration: left - entered,
        awaited: Awaited::Message(None),
    };
    aggregator.call(rank, call);
}

fn receive(aggregator: &mut Aggregator, rank: u32, entered: u64, left: u64) {
    call(aggregator, rank, Category::PointToPoint, WAIT, [entered, left]);
}

fn compute(aggregator: &mut Aggregator, rank: u32, start: u64, end: u64) {
    aggregator.spend(rank, Category::Compute, start..end);
}

/// The path that led to where a rank is now, from the beginning.
fn path(aggregator: &mut Aggregator, rank: u32) -> Vec<Segment> {
    aggregator.finish(0);
    let mut path = Collected::default();
    aggregator.paths().back_from(aggregator.logs(), rank, aggregator.last_end(rank), &mut path);
    let Collected(mut path) = path;
    path.reverse();
    path
}

/// All parts of a path.
#[derive(Default)]
struct Collected(Vec<Segment>);

impl PathConsumer for Collected {
    fn segment(&mut self, segment: Segment) {
        self.0.push(segment);
    }

    fn repeat(&mut self, segments: &[Segment], times: u64, period: Period) {
        assert_eq!(self.0[self.0.len() - segments.len()..], *segments);
        self.0.extend((1..=times).flat_map(|at| segments.iter().map(move |it| it.earlier_by(at * period.0))));
    }
}

fn shape(path: &[Segment]) -> Vec<(u32, SegmentKind, u64, u64)> {
    path.iter().map(|part| (part.rank, part.kind, part.start, part.end)).collect()
}

#[test]
fn a_late_sender_is_on_the_path() {
    let mut aggregator = aggregator(2);
    compute(&mut aggregator, 1, 0, 40);
    compute(&mut aggregator, 0, 0, 100);
    call(&mut aggregator, 0, Category::PointToPoint, SEND, [100, 101]);
    // Rank 0 goes on computing after its Isend.
    compute(&mut aggregator, 0, 101, 150);
    aggregator.message(&message((0, 1), 8, (101, 160)));
    receive(&mut aggregator, 1, 40, 160);
    compute(&mut aggregator, 1, 160, 200);
    let found = path(&mut aggregator, 1);
    let expected = [
        (0, SegmentKind::Compute, 0, 100),
        (0, SegmentKind::PointToPoint, 100, 101),
        (1, SegmentKind::Transfer, 101, 160),
        (1, SegmentKind::Compute, 160, 200),
    ];
    assert_eq!(shape(&found), expected);
    assert_eq!((found[2].function, found[2].peer), (WAIT, 0));
    let own = [
        (0, SegmentKind::Compute, 0, 100),
        (0, SegmentKind::PointToPoint, 100, 101),
        (0, SegmentKind::Compute, 101, 150),
    ];
    assert_eq!(shape(&path(&mut aggregator, 0)), own);
    assert_eq!(aggregator.times()[1].spent[Category::Wait as usize], 61);
}

#[test]
fn a_message_sent_in_the_middle_cuts_what_the_sender_did() {
    let mut aggregator = aggregator(2);
    compute(&mut aggregator, 0, 0, 90);
    aggregator.message(&message((0, 1), 8, (50, 70)));
    receive(&mut aggregator, 1, 0, 70);
    assert_eq!(
        shape(&path(&mut aggregator, 1)),
        [(0, SegmentKind::Compute, 0, 50), (1, SegmentKind::Transfer, 50, 70)]
    );
}

#[test]
fn a_late_receiver_holds_up_the_sender() {
    let mut aggregator = aggregator(2);
    compute(&mut aggregator, 0, 0, 10);
    compute(&mut aggregator, 1, 0, 60);
    // A rendezvous: sent at 10, the receiver is there at 60, delivered at 80.
    let sent = Time::from_picos(10);
    aggregator.message(&MessageRecord {
        sent,
        awaited: true,
        held: true,
        ..message((0, 1), 1 << 20, (60, 80))
    });
    call(&mut aggregator, 0, Category::PointToPoint, SEND, [10, 80]);
    receive(&mut aggregator, 1, 60, 80);
    let expected = [(1, SegmentKind::Compute, 0, 60), (0, SegmentKind::Transfer, 60, 80)];
    assert_eq!(shape(&path(&mut aggregator, 0)), expected);
    assert_eq!(aggregator.times()[0].spent[Category::Wait as usize], 50);
    let expected = [(1, SegmentKind::Compute, 0, 60), (1, SegmentKind::Transfer, 60, 80)];
    assert_eq!(shape(&path(&mut aggregator, 1)), expected);
}

#[test]
fn a_collective_passes_the_path_on() {
    // A chain 0 → 1 → 2 inside one collective; rank 1 is the last to come, and combines from 55 to 58 before it sends.
    let mut aggregator = aggregator(3);
    for (rank, entered) in [(0, 10), (2, 20), (1, 50)] {
        compute(&mut aggregator, rank, 0, entered);
    }
    aggregator.message(&inner_message((0, 1), (10, 55)));
    call(&mut aggregator, 1, Category::Collective, COLLECTIVE, [50, 58]);
    aggregator.message(&inner_message((1, 2), (58, 65)));
    call(&mut aggregator, 2, Category::Collective, COLLECTIVE, [20, 65]);
    let expected = [
        (0, SegmentKind::Compute, 0, 10),
        (1, SegmentKind::Transfer, 10, 55),
        (1, SegmentKind::Collective, 55, 58),
        (2, SegmentKind::Transfer, 58, 65),
    ];
    assert_eq!(shape(&path(&mut aggregator, 2)), expected);
}

#[test]
fn a_message_that_has_arrived_is_not_waited_for() {
    let mut aggregator = aggregator(2);
    compute(&mut aggregator, 0, 0, 10);
    compute(&mut aggregator, 1, 0, 60);
    // It arrives at 30; the receiver comes at 60 and needs until 62 to take it. The same inside a collective, until 64.
    let arrived = Time::from_picos(30);
    aggregator.message(&MessageRecord { arrived, ..message((0, 1), 8, (10, 62)) });
    receive(&mut aggregator, 1, 60, 62);
    aggregator.message(&MessageRecord { arrived, ..inner_message((0, 1), (10, 64)) });
    call(&mut aggregator, 1, Category::Collective, COLLECTIVE, [62, 64]);
    let expected = [
        (1, SegmentKind::Compute, 0, 60),
        (1, SegmentKind::PointToPoint, 60, 62),
        (1, SegmentKind::Collective, 62, 64),
    ];
    assert_eq!(shape(&path(&mut aggregator, 1)), expected);
}

#[test]
fn messages_that_take_no_time_lead_nowhere_else_for_ever() {
    let mut aggregator = aggregator(2);
    for (rank, other) in [(0, 1), (1, 0)] {
        aggregator.message(&message((other, rank), 8, (50, 50)));
    }
    (0..2).for_each(|rank| receive(&mut aggregator, rank, 0, 50));
    let found = path(&mut aggregator, 0);
    assert_eq!(
        (found.first().map(|part| part.start), found.last().map(|part| part.end)),
        (Some(0), Some(50))
    );
}

/// Two ranks that take turns, and one on its own, so many times; of any duration, or always the same.
fn turns(budget: Budget, rounds: u64, same: bool) -> (Aggregator, u64) {
    let mut aggregator = Aggregator::new(&run_on("cluster:3", 3), budget);
    let mut now = 0;
    for round in 0..rounds {
        let (from, to) = if round % 2 == 0 { (0, 1) } else { (1, 0) };
        let long = if same { 60 } else { 1 + round * round % 977 };
        compute(&mut aggregator, from, now, now + long);
        aggregator.message(&message((from, to), 8, (now + long, now + long + 40)));
        receive(&mut aggregator, to, now, now + long + 40);
        compute(&mut aggregator, 2, now, now + 1 + long / 2);
        now += long + 40;
    }
    (aggregator, now)
}

#[test]
fn long_runs_keep_what_matters() {
    for (rounds, same) in [(50_000, false), (1_500_000, true)] {
        let (mut aggregator, now) =
            turns(Budget { calls: 1_000, messages: 1_000, rows: 10_000 }, rounds, same);
        let path = path(&mut aggregator, rounds as u32 % 2);
        assert_eq!((path[0].start, path.last().map(|part| part.end)), (0, Some(now)));
        assert!(path.windows(2).all(|pair| pair[0].end == pair[1].start));
        let transfers: u64 = path
            .iter()
            .filter(|part| part.kind == SegmentKind::Transfer)
            .map(|part| part.end - part.start)
            .sum();
        assert_eq!(transfers, 40 * rounds, "{same}");
    }
}

/// Ranks in a ring, each waiting for the one before it, and computing twice for another while; after half of the time for yet another, or
/// never for the same.
fn ring(budget: Budget, ranks: u32, rounds: u64, same: bool) -> Aggregator {
    let mut aggregator = Aggregator::new(&run_on(&format!("cluster:{ranks}"), ranks), budget);
    let mut clocks = vec![0; ranks as usize];
    for round in 0..rounds {
        let long = |rank: u32| match same {
            true => 50 + u64::from(rank) * if round < rounds / 2 { 7 } else { 3 },
            false => 20 + (round * round + 1) * u64::from(rank * rank + 3) % 9_973,
        };
        let before = clocks.clone();
        for rank in 0..ranks {
            let [begin, end] = [0, long(rank)].map(|after| before[rank as usize] + after);
            compute(&mut aggregator, rank, begin, begin + 9);
            aggregator.spend(rank, Category::Other, begin + 9..end);
        }
        for rank in 0..ranks {
            let from = (rank + ranks - 1) % ranks;
            let sent = before[from as usize] + long(from);
            let ready = before[rank as usize] + long(rank);
            let delivered = (sent + 11).max(ready + 1);
            let arrived = Time::from_picos(sent + 11);
            aggregator.message(&MessageRecord { arrived, ..message((from, rank), 8, (sent, delivered)) });
            receive(&mut aggregator, rank, ready, delivered);
            clocks[rank as usize] = delivered;
        }
    }
    aggregator
}

#[test]
fn circles_change_nothing() {
    let (turns, _) = turns(Budget::default(), 2_000, true);
    let ring = |ranks, rounds| ring(Budget::default(), ranks, rounds, true);
    for (mut aggregator, rank) in [(turns, 0), (ring(5, 300), 3), (ring(2, 1_000), 1), (ring(13, 200), 0)] {
        let laps = path(&mut aggregator, rank);
        let mut one_by_one = Vec::new();
        let mut circles = 0;
        let time = aggregator.last_end(rank);
        for at_once in [false, true] {
            Walk::new(aggregator.logs(), &[0; 16]).back(rank, time, at_once, |step| {
                match step {
                    Step::Segment(part) if !at_once => one_by_one.push(part),
                    Step::Repeat { .. } => circles += 1,
                    Step::Segment(_) => {}
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
    let (mut aggregator, now) =
        turns(Budget { calls: 1_000, messages: 1_000, rows: 10_000 }, 1_500_000, false);
    let path = path(&mut aggregator, 0);
    assert_eq!((path[0].start, path.last().map(|part| part.end)), (0, Some(now)));
    assert!(path.windows(2).all(|pair| pair[0].end == pair[1].start));
    assert!(aggregator.paths().is_thinned() && path.len() < 2 << 20);
}
