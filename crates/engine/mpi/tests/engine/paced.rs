//! An engine that is paced: calls arrive while time stands still or passes, and only the rest of a burst is waited for.

use std::cell::RefCell;
use std::rc::Rc;

use mpirage_call::wire::encode_call;
use mpirage_call::{Burst, Call, LineId, Stamp};
use mpirage_mpi::{Bursts, Ending, Engine, NoMemory, Segment, Turn};
use mpirage_record::Summary;
use mpirage_units::Time;

use crate::common::{engine_that_counts, one_switch, recv, send};

const LINES: [LineId; 2] = [LineId::new(0), LineId::new(1)];

/// Two ranks on a switch, both of which have been resumed.
struct Pair {
    engine: Engine<NoMemory>,
    summary: Rc<RefCell<Summary>>,
}

impl Pair {
    fn new() -> Pair {
        let summary = Rc::default();
        let recorder = Box::new(Rc::clone(&summary));
        let engine = engine_that_counts(one_switch(2), "flow:factors", "", &[2], Bursts::Measured, recorder);
        let mut pair = Pair { engine, summary };
        assert_eq!(LINES.map(|_| pair.engine.next_turn()), LINES.map(|line| Some(Turn::Resume(line))));
        assert_eq!(pair.engine.next_turn(), None);
        pair
    }

    /// A line, which has run since the start, makes a call at this instant, after a burst.
    fn call_after(&mut self, line: LineId, micros: u64, call: &Call<'_>, burst: Burst) {
        self.engine.move_to(at(micros));
        self.engine.note_start(line, Time::ZERO);
        self.engine.take_calls(line, |_, words| {
            let mut buffer = [0; 64];
            let stamp = Stamp { burst, ..Stamp::default() };
            let length = encode_call(&stamp, call, &mut buffer).unwrap();
            words.extend_from_slice(&buffer[..length]);
            Segment::default()
        });
    }

    fn call(&mut self, line: LineId, micros: u64, call: &Call<'_>) {
        self.call_after(line, micros, call, Burst::NONE);
    }

    /// Passes time, as far as it goes without calls; the lines that are resumed, and when.
    fn pass_time(&mut self) -> Vec<(LineId, Time)> {
        let mut resumed = Vec::new();
        loop {
            while let Some(turn) = self.engine.next_turn() {
                match turn {
                    Turn::Resume(line) => resumed.push((line, self.engine.now())),
                    other => panic!("{other:?}"),
                }
            }
            if self.engine.next_instant().is_none() {
                return resumed;
            }
            self.engine.pass_to_next_instant();
        }
    }
}

fn at(micros: u64) -> Time {
    Time::from_picos(micros * 1_000_000)
}

#[test]
fn a_line_is_held_for_what_has_not_passed_of_its_burst() {
    let mut pair = Pair::new();
    // With a time factor of 4, 8 ms of computation are 2 ms of scaled real time.
    pair.call_after(LINES[0], 2_000, &Call::Init, Burst::serial(8_000_000));
    assert_eq!(pair.engine.next_instant(), Some(at(8_000)));
    assert_eq!(pair.pass_time(), [(LINES[0], at(8_000))]);
    assert_eq!(pair.summary.borrow().computed_picos, u128::from(at(8_000).as_picos()));
}

#[test]
fn calls_of_one_line_are_carried_out_while_another_is_held() {
    let mut pair = Pair::new();
    pair.call_after(LINES[0], 1_000, &Call::Init, Burst::serial(4_000_000));
    pair.call(LINES[1], 2_500, &Call::Init);
    assert_eq!(pair.pass_time(), [(LINES[1], at(2_500)), (LINES[0], at(4_000))]);
}

#[test]
fn a_burst_that_took_longer_than_it_counts_for_holds_nobody() {
    let mut pair = Pair::new();
    pair.call_after(LINES[0], 3_000, &Call::Init, Burst::serial(2_500_000));
    assert_eq!(pair.pass_time(), [(LINES[0], at(3_000))]);
}

#[test]
fn nothing_under_way_and_no_line_that_runs_is_a_deadlock() {
    let mut pair = Pair::new();
    for line in LINES {
        pair.call(line, 5, &recv(Some(1 - line.get()), Some(0), 8, None));
    }
    assert_eq!((pair.pass_time(), pair.engine.next_instant()), (vec![], None));
    pair.engine.end_in_deadlock();
    assert_eq!(pair.engine.next_turn(), Some(Turn::End));
    assert_eq!(pair.engine.take_ending(), Ending::Deadlock);
}

/// Sends at zero, receives so much later: is the message unexpected?
fn is_unexpected(bytes: u64, receive: u64) -> bool {
    let mut pair = Pair::new();
    pair.call(LINES[0], 0, &send(1, 0, bytes, None));
    while pair.engine.next_turn().is_some() {}
    while pair.engine.next_instant().is_some_and(|instant| instant <= at(receive)) {
        pair.engine.pass_to_next_instant();
        while pair.engine.next_turn().is_some() {}
    }
    pair.call(LINES[1], receive, &recv(Some(0), Some(0), bytes, None));
    pair.pass_time();
    pair.engine.close_records();
    let summary = pair.summary.borrow().clone();
    assert_eq!(summary.messages, 1);
    summary.unexpected == 1
}

#[test]
fn a_message_is_unexpected_if_it_arrives_before_its_receive_is_posted() {
    assert!(!is_unexpected(1_000, 0), "the receive comes while the message is on its way");
    assert!(!is_unexpected(1_000, 20));
    assert!(is_unexpected(1_000, 2_000), "the message has arrived");
    // Its request reaches the receiver at once, and its bytes only move when the receive is there.
    assert!(is_unexpected(10_000_000, 2_000));
}
