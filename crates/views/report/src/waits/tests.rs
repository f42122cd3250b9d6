//! Waits of a few ranks, by hand.

use super::*;
use crate::calls::CallKey;
use crate::envelope::Envelope;

/// Kinds of calls: a receive from the rank before, a send to the rank after.
struct Rig {
    waits: Waits,
    calls: Calls,
}

impl Rig {
    fn new(ranks: usize) -> Rig {
        Rig { waits: Waits::new(ranks), calls: Calls::new(None, ranks as u32) }
    }

    fn call(&mut self, rank: u32, site: u64, (entered, left): (u64, u64), wait: Option<(State, u32, u64)>) {
        let call = self.calls.number(&CallKey::collective(0, site, &Envelope::default()));
        let wait = wait.map_or(Wait::NONE, |(state, cause, until)| Wait {
            state,
            cause,
            waited: until - entered,
            ..Wait::NONE
        });
        let timed = TimedCall { rank, call, entered, duration: left - entered, communicates: true };
        self.waits.returned(&timed, &wait, &self.calls);
    }

    /// Delay costs: rank, kind of call, what it did, picoseconds.
    fn causes(&mut self) -> Vec<(u32, u32, Doing, u64)> {
        self.waits.finish();
        let mut causes: Vec<_> = self
            .waits
            .tables
            .causes
            .iter()
            .map(|(&Cause { rank, call, doing }, sum)| (rank, call, doing, sum.picos))
            .collect();
        causes.sort_unstable();
        causes
    }
}

#[test]
fn a_late_sender_is_blamed_for_what_it_computed() {
    let mut rig = Rig::new(2);
    rig.waits.spent(0, 0, 100);
    rig.waits.spent(1, 0, 30);
    rig.call(0, 10, (100, 100), None);
    rig.call(1, 20, (30, 110), Some((State::LateSender, 0, 100)));
    assert_eq!(rig.waits.tables.ranks[1][State::LateSender as usize], 70);
    assert_eq!(rig.waits.tables.ranks[1][State::Transfer as usize], 10);
    assert_eq!(rig.causes(), [(0, 1, Doing::Computing, 70)]);
    let lines: Vec<_> = rig.waits.tables.lines.iter().map(|(&line, sum)| (line, sum.picos)).collect();
    assert_eq!(lines, [(Line { waiter: 2, cause: 1, state: State::LateSender }, 70)]);
}

#[test]
fn a_call_that_has_not_returned_is_named_later() {
    let mut rig = Rig::new(2);
    rig.waits.spent(0, 0, 100);
    rig.call(1, 20, (30, 110), Some((State::LateSender, 0, 100)));
    rig.call(0, 10, (100, 120), None);
    assert_eq!(rig.causes(), [(0, 2, Doing::Computing, 70)]);
    let lines: Vec<_> = rig.waits.tables.lines.iter().map(|(line, _)| line.cause).collect();
    assert_eq!(lines, [2]);
}

#[test]
fn blame_passes_through_a_chain() {
    let mut rig = Rig::new(3);
    rig.waits.spent(0, 0, 100);
    rig.call(0, 10, (100, 100), None);
    // Rank 1 waits for rank 0 until 100, computes until 130, and rank 2 waits for it from 20 on.
    rig.waits.spent(1, 0, 40);
    rig.call(1, 20, (40, 105), Some((State::LateSender, 0, 100)));
    rig.waits.spent(1, 105, 130);
    rig.call(1, 30, (130, 130), None);
    rig.waits.spent(2, 0, 20);
    rig.call(2, 40, (20, 135), Some((State::LateSender, 1, 130)));
    // Of rank 2's 110: 20 + 25 computation of rank 1, 5 in its receive, 60 of rank 0. Rank 1's own wait of 60 is due to rank 0.
    let expected = [
        (0, 1, Doing::Computing, 120),
        (1, 2, Doing::Computing, 20),
        (1, 2, Doing::InCall, 5),
        (1, 3, Doing::Computing, 25),
    ];
    assert_eq!(rig.causes(), expected);
}

#[test]
fn contention_is_the_end_of_a_call() {
    let mut rig = Rig::new(2);
    let call = rig.calls.number(&CallKey::collective(0, 1, &Envelope::default()));
    let timed = TimedCall { rank: 1, call, entered: 0, duration: 100, communicates: true };
    let wait = Wait { contention: 60, waited: 50, route: (0, 1), ..Wait::NONE };
    rig.waits.returned(&timed, &wait, &rig.calls);
    let of = |state: State| rig.waits.tables.ranks[1][state as usize];
    assert_eq!([State::Other, State::Transfer, State::Contention].map(of), [50, 0, 50]);
}
