//! Resuming a rank and passing the turn, round robin over many of them.
//!
//! The program does nothing else, so this is the price of a switch: the coroutine's, `errno`, floating-point
//! control, streams; with many ranks mostly cache misses.

use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::process::Command;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_main};
use mpirage_fold::{Environment, FoldedRanks, Image, Libraries, Linked, Options, Stop, c_library, pass_turn};

const SOURCE: &str = "void turn(void); int main(void) { for (;;) turn(); }";

extern "C" fn turn() {
    pass_turn();
}

fn compile() -> PathBuf {
    let directory = std::env::temp_dir().join(format!("mpirage-bench-switch-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    let (source, program) = (directory.join("turn.c"), directory.join("turn"));
    std::fs::write(&source, SOURCE).expect("a file");
    let status =
        Command::new("gcc").args(["-O2", "-fPIC", "-shared"]).arg(&source).arg("-o").arg(&program).status();
    assert!(status.is_ok_and(|status| status.success()), "gcc");
    program
}

fn link(program: &Path) -> Linked {
    let image = Image::open(program).expect("a program");
    let libraries = Libraries::load(&image, &|_| false).expect("its libraries");
    let mut resolve = |name: &str, version: Option<&str>| match name {
        "turn" => Some(turn as *const () as usize),
        _ => c_library(name).or_else(|| libraries.find(name, version)),
    };
    image.link(&mut resolve).expect("all symbols")
}

fn switch(criterion: &mut Criterion) {
    let program = compile();
    let linked = link(&program);
    let mut group = criterion.benchmark_group("switch");
    for ranks in [2, 1_000, 16_384, 100_000] {
        let mut folded = FoldedRanks::new(Options { ranks, stack: None, mapped: None }).expect("room");
        for _ in 0..ranks {
            folded.add(&linked, &[CString::default()], &Environment::new(Vec::new())).expect("room");
        }
        (0..ranks).for_each(|rank| assert_eq!(folded.resume(rank), Stop::Yielded));
        group.throughput(Throughput::Elements(ranks as u64));
        group.bench_function(BenchmarkId::from_parameter(ranks), |bencher| {
            bencher.iter(|| {
                for rank in 0..ranks {
                    folded.fetch(rank + 2);
                    assert_eq!(folded.resume(rank), Stop::Yielded);
                }
            });
        });
    }
    group.finish();
    if let Some(directory) = program.parent() {
        std::fs::remove_dir_all(directory).expect("our own directory");
    }
}

/// All of them.
mod benches {
    #![allow(missing_docs, reason = "generated")]
    criterion::criterion_group! {
        name = switches;
        config = criterion::Criterion::default()
            .sample_size(10)
            .warm_up_time(std::time::Duration::from_millis(500))
            .measurement_time(std::time::Duration::from_secs(2));
        targets = super::switch
    }
}

criterion_main!(benches::switches);
