//! How fast a workload yields its calls, without an engine that carries them out: `read TRACE [TIMES]`.

use std::time::Instant;

use mpirage_call::{Completion, Reply};
use mpirage_trace::{Calls, Step, open};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let spec = arguments.next().ok_or("usage: read TRACE [TIMES]")?;
    let times = arguments.next().map_or(Ok(3), |times| times.parse::<u32>())?;
    let mut reply = Reply::default();
    reply.completions.push(Completion::empty(0));
    for _ in 0..times {
        let began = Instant::now();
        let mut workload = open(&spec)?;
        let opened = began.elapsed();
        let (mut words, mut calls) = (Vec::new(), 0u64);
        let mut going: Vec<u32> = (0..workload.ranks()).collect();
        // All ranks advance together, as they do in a run.
        while !going.is_empty() {
            let mut failed = None;
            going.retain(|&rank| {
                words.clear();
                let step = workload.next(rank, &reply, &mut Calls::new(&mut words));
                calls += count(&words);
                failed = failed.take().or_else(|| step.as_ref().err().map(ToString::to_string));
                matches!(step, Ok(Step::Waits))
            });
            if let Some(problem) = failed {
                return Err(problem.into());
            }
        }
        let seconds = (began.elapsed() - opened).as_secs_f64();
        println!(
            "{calls} calls of {} ranks: opened in {opened:.1?}, read in {seconds:.3} s, {:.1} ns each",
            workload.ranks(),
            seconds / calls as f64 * 1e9
        );
    }
    Ok(())
}

/// Calls say how long they are in the upper half of their first word.
fn count(words: &[u64]) -> u64 {
    let (mut at, mut calls) = (0, 0);
    while at < words.len() {
        at += (words[at] >> 32) as usize;
        calls += 1;
    }
    calls
}
