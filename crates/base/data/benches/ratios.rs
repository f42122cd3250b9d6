//! Packing and reductions as ratios to `memcpy` and to the loop that a program would write.
//!
//! `cargo bench -p mpirage-data --bench ratios [-- TEXT]` (also a part of `make bench`); TEXT chooses cases by their names. Each number is the best of many short turns in which all columns
//! take part, since the speed of a machine changes from second to second. A ratio is time divided by time: 1.0 is as fast, 2.0 takes twice as long.
#![allow(missing_docs)]

#[path = "ratios/packing.rs"]
mod packing;
#[path = "ratios/reducing.rs"]
mod reducing;

use std::time::{Duration, Instant};

/// Bytes of a case: in the nearest caches, and in memory.
const SIZES: [(&str, usize); 2] = [("16 KiB", 16 << 10), ("16 MiB", 16 << 20)];
const TURNS: usize = 11;
const TURN: Duration = Duration::from_millis(1);

fn main() {
    let chosen = std::env::args().skip(1).find(|word| !word.starts_with("--")).unwrap_or_default();
    for (name, bytes) in SIZES {
        println!("{name}: {:27} memcpy   times of memcpy  times of plain loops", "");
        println!("{:34} {:>9} {:>8} {:>8} {:>10} {:>8}", "datatype", "", "pack", "unpack", "pack", "unpack");
        packing::cases(bytes)
            .iter()
            .filter(|case| case.name.contains(&chosen))
            .for_each(|case| case.measure());
        println!("{:34} {:>9} {:>8} {:>8} {:>10}", "operator", "", "reduce", "", "reduce");
        reducing::cases(bytes)
            .into_iter()
            .filter(|case| case.name.contains(&chosen))
            .for_each(|case| case.measure());
        println!();
    }
}

/// Nanoseconds of each, the best of all turns.
fn in_turns(works: &mut [&mut dyn FnMut()]) -> Vec<f64> {
    let mut best = vec![f64::INFINITY; works.len()];
    for _ in 0..TURNS {
        for (best, work) in best.iter_mut().zip(works.iter_mut()) {
            *best = best.min(one_turn(work));
        }
    }
    best
}

/// Nanoseconds per call, of as many calls as a turn has time for.
fn one_turn(work: &mut dyn FnMut()) -> f64 {
    let (start, mut calls) = (Instant::now(), 0);
    while start.elapsed() < TURN {
        work();
        calls += 1;
    }
    start.elapsed().as_nanos() as f64 / f64::from(calls)
}
