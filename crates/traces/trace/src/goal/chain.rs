//! Operations one after the other, as a program issues them, written as a graph.

use super::graph::{Dependency, Op, RankSchedule};

/// Where a chain of operations stands: what its next operation waits for.
///
/// ```text
///   MPI_Irecv, MPI_Isend, MPI_Waitall, compute:      recv ◂┄ send        ┄ waits for its start
///                                                      ▲      ▲
///                                                      └─ calc ┘         ─ waits for its end
/// ```
#[derive(Clone, Debug, Default)]
pub(super) struct Chain {
    awaited: Vec<Awaited>,
}

#[derive(Clone, Copy, Debug)]
struct Awaited {
    op: u32,
    /// Its start, not its end.
    start: bool,
}

impl Chain {
    /// Appends an operation whose end the next one waits for.
    pub fn block(&mut self, schedule: &mut RankSchedule, op: Op) -> u32 {
        self.append(schedule, op, false)
    }

    /// Appends an operation whose start the next one waits for.
    pub fn start(&mut self, schedule: &mut RankSchedule, op: Op) -> u32 {
        self.append(schedule, op, true)
    }

    fn append(&mut self, schedule: &mut RankSchedule, op: Op, start: bool) -> u32 {
        let later = schedule.ops.len() as u32;
        schedule.ops.push(op);
        let waits = self.awaited.drain(..);
        schedule.dependencies.extend(waits.map(|Awaited { op: earlier, start }| Dependency {
            later,
            earlier,
            start,
        }));
        self.awaited.push(Awaited { op: later, start });
        later
    }

    /// The next operation waits for the end of this one too.
    pub fn wait_for(&mut self, op: u32) {
        match self.awaited.iter_mut().find(|awaited| awaited.op == op) {
            Some(awaited) => awaited.start = false,
            None => self.awaited.push(Awaited { op, start: false }),
        }
    }

    /// The operations whose end the next one waits for.
    pub fn ends(&self) -> impl Iterator<Item = u32> + '_ {
        self.awaited.iter().filter(|awaited| !awaited.start).map(|awaited| awaited.op)
    }
}
