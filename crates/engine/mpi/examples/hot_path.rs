//! Measures the cost of a simulated message, without ranks: `hot_path PATTERN RANKS ROUNDS [MODEL]`.
//!
//! Plays a pattern of communication on one switch and prints nanoseconds of processor time per message and memory per
//! rank. For instructions per message, count those of `measured` alone:
//!
//! ```text
//! valgrind --tool=callgrind --toggle-collect='*measured*' target/release/examples/hot_path halo 1024 5
//! ```
#![allow(missing_docs)]

#[allow(dead_code)] // tests use the rest
#[path = "../tests/common/mod.rs"]
mod common;

use common::one_switch;
use common::patterns::{Pattern, Stage};

const USAGE: &str = "usage: hot_path PATTERN RANKS ROUNDS [MODEL]";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((pattern, ranks, rounds, model)) = parse(&arguments) else {
        let names: Vec<_> = Pattern::ALL.iter().map(|(name, _)| *name).collect();
        eprintln!("{USAGE}\npatterns: {}", names.join(", "));
        std::process::exit(2);
    };
    let before = resident_kib();
    let mut stage = Stage::on(one_switch(ranks as usize), model, pattern, ranks);
    stage.play(2);
    let resident = resident_kib() - before;
    let start = processor_nanos();
    measured(&mut stage, rounds);
    let nanos = processor_nanos() - start;
    let messages = pattern.messages(ranks) * rounds as u64;
    println!(
        "{:20} {ranks:6} ranks {messages:8} messages {:7.0} ns/message {:7.2} KiB/rank, simulated {} s",
        arguments[0],
        nanos as f64 / messages as f64,
        resident as f64 / f64::from(ranks),
        stage.engine.now().as_secs_f64(),
    );
}

/// Not inlined, so that a profiler can tell it apart.
#[inline(never)]
fn measured(stage: &mut Stage, rounds: usize) {
    stage.play(rounds);
}

fn parse(arguments: &[String]) -> Option<(Pattern, u32, usize, &str)> {
    let pattern = Pattern::from_name(arguments.first()?)?;
    let model = arguments.get(3).map_or("simgrid", String::as_str);
    Some((pattern, arguments.get(1)?.parse().ok()?, arguments.get(2)?.parse().ok()?, model))
}

/// Time this thread has been on a processor.
fn processor_nanos() -> u64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|nanos| nanos.parse().ok()).unwrap_or(0)
}

fn resident_kib() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4
}
