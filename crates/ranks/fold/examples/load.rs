//! Loads a program many times, runs all ranks to their ends, and says what that took.
//!
//! `load PROGRAM RANKS [copied|mapped] [TURNS]`: the program may call `turn()`; with TURNS, only that many rounds are made.

use std::ffi::CString;
use std::path::Path;
use std::time::Instant;

use mpirage_fold::{Environment, FoldedRanks, Image, Libraries, Options, Stop, c_library, pass_turn};

extern "C" fn turn() {
    pass_turn();
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let ranks: usize = arguments[2].parse()?;
    let mapped = arguments.get(3).and_then(|way| ["copied", "mapped"].iter().position(|name| name == way));
    let turns: usize = arguments.get(4).map_or(Ok(usize::MAX), |turns| turns.parse())?;
    let start = cpu();
    let image = Image::open(Path::new(&arguments[1]))?;
    let libraries = Libraries::load(&image, &|_| false)?;
    let linked = image.link(&mut |name, version| match name {
        "turn" => Some(turn as *const () as usize),
        _ => c_library(name).or_else(|| libraries.find(name, version)),
    })?;
    let mut folded = FoldedRanks::new(Options { ranks, stack: None, mapped: mapped.map(|way| way == 1) })?;
    let name = CString::new(arguments[1].as_str())?;
    let environment = Environment::inherited();
    let before = resident();
    for _ in 0..ranks {
        folded.add(&linked, std::slice::from_ref(&name), &environment)?;
    }
    let loaded = cpu();
    let mut rounds = 0;
    let running = Instant::now();
    while rounds < turns
        && (0..ranks)
            .filter(|&rank| {
                folded.fetch(rank + 2);
                folded.resume(rank) == Stop::Yielded
            })
            .count()
            > 0
    {
        rounds += 1;
    }
    let ended = cpu();
    println!(
        "{ranks} ranks: loaded in {:.3} s, run in {:.3} s CPU ({:.3} s, {rounds} rounds, {:.1} ns each), {:.1} KiB each resident",
        loaded - start,
        ended - loaded,
        running.elapsed().as_secs_f64(),
        (ended - loaded) * 1e9 / (rounds.max(1) * ranks) as f64,
        (resident() - before) as f64 / ranks as f64,
    );
    drop(folded);
    println!("given back in {:.3} s", cpu() - ended);
    Ok(())
}

/// Seconds of processor time so far.
fn cpu() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the system fills in the struct.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Resident memory in KiB.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    status.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or(0) * 4
}
