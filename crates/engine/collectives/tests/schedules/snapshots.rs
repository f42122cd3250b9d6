//! The schedule of every algorithm, written out for 2, 3, 5, 8 and 13 ranks.
//!
//! A change that is meant shows in the diff of `tests/snapshots`: run the test with `UPDATE_SNAPSHOTS=1`.
//!
//! | sign | step |
//! |---|---|
//! | `>3:8`, `<3:8` | blocking send to rank 3, receive from rank 3, of 8 bytes |
//! | `>>3:8`, `<<3:8` | the same without blocking; `>>3:8/1` belongs to request set 1 |
//! | `>!3:8`, `>>!3:8` | synchronous sends |
//! | `wait`, `wait/1`, `wait/1≤2` | waits for all, for set 1, until two of set 1 are left |
//! | `+8`, `=8`, `~8` | reduces, copies 8 bytes, combines 8 while they arrive |
//! | `@600` | lets 600 ps pass |
//! | `*1` after a size | slot 1 |

use std::fmt::Write;

use mpirage_call::{Collective, Method, Settings};
use mpirage_collectives::Performed;
use mpirage_collectives::{Schedule, Step};
use mpirage_snapshot as snapshot;

use crate::common::across::Across;
use crate::common::{Case, all_pairs};

#[test]
fn schedules_of_all_algorithms() {
    for (collective, algorithm) in all_pairs() {
        let defaults = collective.defaults(algorithm).expect("the collective has this algorithm");
        // Short segments, so that a vector has several.
        let settings = Settings { segment: defaults.segment.map(|_| 16), ..Settings::default() };
        let method = Method { algorithm, settings };
        let text: String = [2, 3, 5, 8, 13].iter().map(|&size| written(collective, method, size)).collect();
        snapshot::check(snapshot::file("tests/snapshots", &format!("{collective}.{algorithm}")), &text);
    }
}

/// Between a side of two ranks and one of one, of three, of five.
#[test]
fn schedules_between_two_sides() {
    for collective in Collective::ALL.into_iter().filter(|collective| collective.is_across()) {
        for algorithm in collective.algorithms() {
            let text: String =
                [1, 3, 5].map(|second| written_across(collective, algorithm.into(), second)).concat();
            snapshot::check(snapshot::file("tests/snapshots", &format!("{collective}.{algorithm}")), &text);
        }
    }
}

/// The root, if there is one, is the second rank of the first side.
fn written_across(collective: Collective, method: Method, second: u32) -> String {
    let case = Across::new(collective, [2, second], [40, 24], |i, j| u64::from((i + 2 * j) % 3) * 8);
    let mut text = format!("{method}, 2 and {second} ranks\n");
    for (rank, schedule) in case.root(1).element(8).schedules(method).iter().enumerate() {
        writeln!(text, "{rank:2}{}", steps(schedule)).unwrap();
    }
    text
}

/// The schedules of all ranks, a line each.
fn written(collective: Collective, method: Method, size: u32) -> String {
    let case =
        Case::new(collective, size, 40).root(1).element(8).counts(|i, j| u64::from((i + 2 * j) % 3) * 8);
    let mut text = format!("{method}, {size} ranks\n");
    if !collective.fits(method.algorithm, &case.shape(0)) {
        text += "does not fit\n";
        return text;
    }
    for (rank, schedule) in case.annotated(method).iter().enumerate() {
        writeln!(text, "{rank:2}{}", steps(schedule)).unwrap();
    }
    text
}

fn steps(schedule: &Schedule) -> String {
    schedule.steps.iter().map(|&step| format!(" {}", sign(step))).collect()
}

fn sign(step: Step) -> String {
    let slotted = |slot: u16| if slot > 0 { format!("*{slot}") } else { String::new() };
    let in_set = |set: u8| if set > 0 { format!("/{set}") } else { String::new() };
    match step {
        Step::Send { to, bytes, slot } => format!(">{to}:{bytes}{}", slotted(slot)),
        Step::Ssend { to, bytes, slot } => format!(">!{to}:{bytes}{}", slotted(slot)),
        Step::Recv { from, bytes, slot } => format!("<{from}:{bytes}{}", slotted(slot)),
        Step::Isend { to, bytes, slot, set } => format!(">>{to}:{bytes}{}{}", slotted(slot), in_set(set)),
        Step::Issend { to, bytes, slot, set } => format!(">>!{to}:{bytes}{}{}", slotted(slot), in_set(set)),
        Step::Irecv { from, bytes, slot, set } => format!("<<{from}:{bytes}{}{}", slotted(slot), in_set(set)),
        Step::WaitAll => "wait".to_owned(),
        Step::Wait { set, left: 0 } => format!("wait/{set}"),
        Step::Wait { set, left } => format!("wait/{set}≤{left}"),
        Step::Reduce { bytes } => format!("+{bytes}"),
        Step::Combine { bytes } => format!("~{bytes}"),
        Step::Delay { span } => format!("@{}", span.as_picos()),
        Step::Copy { bytes, blocks: 0 } => format!("={bytes}"),
        Step::Copy { bytes, blocks } => format!("={bytes}/{blocks}"),
    }
}
