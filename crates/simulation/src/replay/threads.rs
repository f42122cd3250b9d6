//! Workloads whose ranks have several threads that call MPI.
//!
//! When a line is resumed, its thread may wake others of its rank, as in a run of a program (`rank/src/threads.rs`). All of them make their next
//! calls then, in the order of their numbers.

use std::collections::HashMap;

use mpirage_call::{LineId, RankId};
use mpirage_mpi::{Engine, NoMemory, Segment};
use mpirage_trace::{Calls, Step, TraceError, Workload};

/// The lines of threads. The first threads of ranks have the lines of their ranks.
#[derive(Default)]
pub(super) struct Threads {
    /// Lines of further threads, by number.
    lines: HashMap<u32, LineId>,
    /// Numbers of further threads, by line.
    numbers: HashMap<LineId, u32>,
    woken: Vec<u32>,
    made: Vec<Made>,
}

/// The next calls of a thread.
struct Made {
    thread: u32,
    line: LineId,
    calls: Vec<u64>,
    step: Step,
}

impl Threads {
    /// Takes the next calls of the thread of a line, and of those that it wakes. Gives how many ranks have ended.
    pub(super) fn resume(
        &mut self,
        engine: &mut Engine<NoMemory>,
        workload: &mut dyn Workload,
        line: LineId,
    ) -> Result<usize, TraceError> {
        self.woken.push(self.numbers.get(&line).copied().unwrap_or(line.get()));
        // The lowest number first: lines are opened in the order in which threads are numbered.
        while let Some(first) = (0..self.woken.len()).min_by_key(|&at| self.woken[at]) {
            let thread = self.woken.swap_remove(first);
            let line = self.line(engine, workload, thread);
            let mut calls = Vec::new();
            let step = workload.next(thread, engine.reply(line), &mut Calls::new(&mut calls))?;
            self.made.push(Made { thread, line, calls, step });
            workload.take_woken(&mut self.woken);
        }
        self.made.sort_by_key(|made| made.thread);
        let mut ended = 0;
        for Made { thread, line, calls, step } in self.made.drain(..) {
            if step == Step::Sleeps {
                continue;
            }
            // A rank has ended when its first thread has.
            ended += usize::from(step == Step::Ended && thread < workload.ranks());
            engine.answer(line, |_, words| {
                words.extend_from_slice(&calls);
                Segment { wrote: false, ended: step == Step::Ended }
            });
        }
        Ok(ended)
    }

    /// The line of a thread, which is opened when the thread is woken for the first time.
    fn line(&mut self, engine: &mut Engine<NoMemory>, workload: &dyn Workload, thread: u32) -> LineId {
        let Some(further) = thread.checked_sub(workload.ranks()) else { return LineId::new(thread) };
        *self.lines.entry(thread).or_insert_with(|| {
            let rank = RankId::new(workload.threads()[further as usize]);
            let line = engine.open_running_line(rank);
            self.numbers.insert(line, thread);
            line
        })
    }
}
