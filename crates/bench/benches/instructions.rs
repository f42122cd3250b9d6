//! Instructions per pattern of communication, counted by valgrind: repeatable on a busy machine.
//!
//! `cargo bench -p mpirage-scenario --bench instructions` needs valgrind and `cargo install gungraun-runner` of the same
//! version as the crate. Divide by the messages in the name; `docs/performance.md` has the table.
#![allow(missing_docs)] // of what the macros make

use std::hint::black_box;

use gungraun::{library_benchmark, library_benchmark_group, main};
use mpirage_call::{Algorithm, Collective};
use mpirage_collectives::{Schedule, Shape, schedule};
use mpirage_kernel::Agenda;
use mpirage_units::{Duration, Time};

#[allow(dead_code)] // tests use the rest
#[path = "../../engine/mpi/tests/common/mod.rs"]
mod common;

use common::patterns::{Pattern, Stage};

/// Ranks that have played a few rounds.
fn warm(pattern: Pattern, ranks: u32) -> Stage {
    let mut stage = Stage::new(pattern, ranks);
    stage.play(4);
    stage
}

#[library_benchmark]
#[bench::ping_pong_2_messages(warm(Pattern::PingPong, 2))]
#[bench::halo_1024_messages(warm(Pattern::Halo, 256))]
#[bench::allreduce_2048_messages(warm(Pattern::Allreduce, 256))]
#[bench::alltoall_4032_messages(warm(Pattern::Alltoall, 64))]
#[bench::matching_128_messages(warm(Pattern::Tags, 2))]
fn one_round(mut stage: Stage) -> Stage {
    stage.play(1);
    stage
}

/// An agenda of a thousand dates.
fn busy_agenda() -> Agenda<u32> {
    let mut agenda = Agenda::new();
    (0..1000).for_each(|nth| agenda.push(Time::from_picos(u64::from(nth * 7919 % 1000)), nth));
    agenda
}

#[library_benchmark]
#[bench::a_thousand_dates(busy_agenda())]
fn a_hundred_entries(mut agenda: Agenda<u32>) -> Agenda<u32> {
    for _ in 0..100 {
        let now = agenda.next().unwrap_or_default();
        if let Some(what) = agenda.pop_at(now) {
            agenda.push(now + Duration::from_picos(1500 + u64::from(what)), what);
        }
    }
    agenda
}

#[library_benchmark]
#[bench::allreduce_of_1024(Collective::Allreduce, Algorithm::RecursiveDoubling)]
#[bench::alltoall_of_1024(Collective::Alltoall, Algorithm::Linear)]
fn one_schedule(collective: Collective, algorithm: Algorithm) -> usize {
    let mut steps = Schedule::default();
    schedule(collective, algorithm, &Shape::new(1024).rank(5).bytes(8), black_box(&mut steps));
    steps.steps.len()
}

library_benchmark_group!(name = patterns, benchmarks = one_round);
library_benchmark_group!(name = parts, benchmarks = [a_hundred_entries, one_schedule]);
main!(library_benchmark_groups = [patterns, parts]);
