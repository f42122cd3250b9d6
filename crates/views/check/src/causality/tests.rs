//! Other messages that wildcard receives of small runs could have got.

use super::*;
use crate::messages::End;
use mpirage_call::WORLD;

fn channel(from: u32, to: u32) -> Channel {
    Channel { context: WORLD, from, to, tag: 0 }
}

fn send(causality: &mut Causality, from: u32, to: u32) -> usize {
    causality.add(from, Event::Send(channel(from, to)))
}

fn receive(causality: &mut Causality, rank: u32, wanted: Option<u32>, from: u32, sent: usize) {
    let pattern = Pattern { context: WORLD, from: wanted, tag: None };
    let event = causality.add(rank, Event::Post(pattern, CallSite::default()));
    let end = |event| End { call: CallSite::default(), event, signature: None, data: String::new() };
    causality.pair(&Pair { channel: channel(from, rank), send: end(sent), receive: end(event) });
    causality.end(rank, event, Some(from));
}

fn others(causality: &Causality) -> Vec<(u32, u32, u32)> {
    let found = causality.alternatives(&Comms::new(3), &[]);
    found.iter().map(|one| (one.rank, one.wildcard, one.other)).collect()
}

#[test]
fn two_independent_senders_are_candidates_of_the_first_receive_only() {
    let mut causality = Causality::new(3);
    let (first, second) = (send(&mut causality, 1, 0), send(&mut causality, 2, 0));
    receive(&mut causality, 0, None, 1, first);
    receive(&mut causality, 0, None, 2, second);
    assert_eq!(others(&causality), [(0, 0, 2)]);
}

#[test]
fn only_receives_after_a_decided_one_have_alternatives() {
    let mut causality = Causality::new(4);
    let sent: Vec<usize> = (1..4).map(|rank| send(&mut causality, rank, 0)).collect();
    for rank in 1..4 {
        receive(&mut causality, 0, None, rank, sent[rank as usize - 1]);
    }
    let after = |wildcard| {
        let found = causality.alternatives(&Comms::new(4), &[Decided { rank: 0, wildcard }]);
        found.iter().map(|one| (one.wildcard, one.other)).collect::<Vec<_>>()
    };
    assert_eq!(after(0), [(1, 3)]);
    assert_eq!(after(1), []);
}

#[test]
fn a_message_that_follows_from_the_receive_is_no_candidate() {
    let mut causality = Causality::new(3);
    let first = send(&mut causality, 1, 0);
    receive(&mut causality, 0, None, 1, first);
    let go = send(&mut causality, 0, 2);
    receive(&mut causality, 2, Some(0), 0, go);
    let second = send(&mut causality, 2, 0);
    receive(&mut causality, 0, None, 2, second);
    assert_eq!(others(&causality), []);
}

#[test]
fn a_barrier_orders_messages() {
    let mut causality = Causality::new(3);
    let first = send(&mut causality, 1, 0);
    receive(&mut causality, 0, None, 1, first);
    (0..3).for_each(|rank| causality.enter(rank, 9, None));
    let second = send(&mut causality, 2, 0);
    receive(&mut causality, 0, None, 2, second);
    assert_eq!(others(&causality), []);
}

#[test]
fn a_synchronous_send_waits_for_its_receive() {
    let mut causality = Causality::new(3);
    let first = send(&mut causality, 1, 0);
    receive(&mut causality, 0, None, 1, first);
    causality.begin_send(1, first, None, true);
    let go = send(&mut causality, 1, 2);
    receive(&mut causality, 2, Some(1), 1, go);
    let second = send(&mut causality, 2, 0);
    receive(&mut causality, 0, None, 2, second);
    assert_eq!(others(&causality), []);
}

/// Posts a wildcard receive that does not wait.
fn post(causality: &mut Causality, request: u32) -> usize {
    let pattern = Pattern { context: WORLD, from: None, tag: None };
    let event = causality.add(0, Event::Post(pattern, CallSite::default()));
    causality.begin_receive(0, RequestId::new(request), event);
    event
}

fn end(causality: &mut Causality, event: usize, from: u32, sent: usize) {
    let one = |event| End { call: CallSite::default(), event, signature: None, data: String::new() };
    causality.pair(&Pair { channel: channel(from, 0), send: one(sent), receive: one(event) });
    causality.end(0, event, Some(from));
}

#[test]
fn a_message_that_follows_from_a_probed_one_is_no_candidate() {
    let mut causality = Causality::new(3);
    let first = send(&mut causality, 1, 0);
    receive(&mut causality, 0, None, 1, first);
    let answer = send(&mut causality, 0, 1);
    let probe = causality.add(1, Event::Poll);
    causality.probed(probe, channel(0, 1));
    let go = send(&mut causality, 1, 2);
    receive(&mut causality, 1, Some(0), 0, answer);
    receive(&mut causality, 2, Some(1), 1, go);
    let second = send(&mut causality, 2, 0);
    receive(&mut causality, 0, None, 2, second);
    assert_eq!(others(&causality), []);
}

#[test]
fn a_receive_that_waits_beside_must_get_its_own_message() {
    let mut causality = Causality::new(4);
    let sent: Vec<usize> = (1..4).map(|rank| send(&mut causality, rank, 0)).collect();
    let posted: Vec<usize> = (0..3).map(|request| post(&mut causality, request)).collect();
    (0..3).for_each(|at| end(&mut causality, posted[at], at as u32 + 1, sent[at]));
    let found = causality.alternatives(&Comms::new(4), &[]);
    let found: Vec<_> = found.into_iter().map(|one| (one.wildcard, one.other, one.beside)).collect();
    assert_eq!(found, [(0, 2, vec![]), (0, 3, vec![]), (1, 3, vec![(0, 1)])]);
}

#[test]
fn a_run_without_a_chosen_message_is_impossible() {
    let mut causality = Causality::new(3);
    let first = send(&mut causality, 1, 0);
    receive(&mut causality, 0, None, 1, first);
    post(&mut causality, 7);
    let possible = |wildcard, complete| {
        causality.is_possible(&[Decided { rank: 0, wildcard }], |_, request| {
            complete && request == RequestId::new(7)
        })
    };
    assert!(possible(0, false) && possible(1, true));
    assert!(!possible(1, false) && !possible(2, true));
}

#[test]
fn a_run_in_which_a_later_receive_was_preferred_is_impossible() {
    let mut causality = Causality::new(3);
    let early = post(&mut causality, 0);
    let first = send(&mut causality, 1, 0);
    receive(&mut causality, 0, Some(1), 1, first);
    let go = send(&mut causality, 0, 2);
    receive(&mut causality, 2, Some(0), 0, go);
    let second = send(&mut causality, 2, 0);
    end(&mut causality, early, 2, second);
    assert!(!causality.is_possible(&[Decided { rank: 0, wildcard: 0 }], |_, _| true));
}

#[test]
fn nothing_follows_if_the_program_has_not_completed_the_receive_that_was_not_preferred() {
    let mut causality = Causality::new(3);
    post(&mut causality, 0);
    let possible =
        |causality: &Causality| causality.is_possible(&[Decided { rank: 0, wildcard: 0 }], |_, _| true);
    assert!(possible(&causality));
    let first = send(&mut causality, 1, 0);
    receive(&mut causality, 0, Some(1), 1, first);
    assert!(!possible(&causality));
}
