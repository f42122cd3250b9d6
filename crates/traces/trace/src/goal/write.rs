//! Schedules written as GOAL text.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::graph::{ANY, Op, OpKind, RankSchedule};
use crate::TraceError;

/// Writes a schedule as text, rank by rank; nothing is kept.
pub struct GoalTextWriter<W> {
    name: PathBuf,
    out: W,
    next: u32,
}

impl<W: Write> GoalTextWriter<W> {
    /// Begins a schedule of this many ranks. `name` is for messages.
    pub fn new(name: &Path, mut out: W, ranks: u32) -> Result<GoalTextWriter<W>, TraceError> {
        writeln!(out, "num_ranks {ranks}").map_err(|error| TraceError::io(name, error))?;
        Ok(GoalTextWriter { name: name.to_owned(), out, next: 0 })
    }

    /// Writes the next rank.
    pub fn rank(&mut self, schedule: &RankSchedule) -> Result<(), TraceError> {
        self.write(schedule).map_err(|error| TraceError::io(&self.name, error))
    }

    /// All ranks have been written. Gives back what was written to.
    pub fn finish(mut self) -> Result<W, TraceError> {
        self.out.flush().map_err(|error| TraceError::io(&self.name, error))?;
        Ok(self.out)
    }

    fn write(&mut self, schedule: &RankSchedule) -> std::io::Result<()> {
        writeln!(self.out, "\nrank {} {{", self.next)?;
        self.next += 1;
        for (op, number) in schedule.ops.iter().zip(1..) {
            write!(self.out, "l{number}: ")?;
            self.op(op)?;
        }
        for dependency in &schedule.dependencies {
            let word = if dependency.start { "irequires" } else { "requires" };
            writeln!(self.out, "l{} {word} l{}", dependency.later + 1, dependency.earlier + 1)?;
        }
        writeln!(self.out, "}}")
    }

    fn op(&mut self, op: &Op) -> std::io::Result<()> {
        let any = |number: u32| if number == ANY { -1 } else { i64::from(number) };
        match op.kind {
            OpKind::Calc => write!(self.out, "calc {}", op.size)?,
            OpKind::Send => write!(self.out, "send {}b to {} tag {}", op.size, any(op.peer), any(op.tag))?,
            OpKind::Recv => write!(self.out, "recv {}b from {} tag {}", op.size, any(op.peer), any(op.tag))?,
        }
        if op.cpu != 0 {
            write!(self.out, " cpu {}", op.cpu)?;
        }
        if op.nic != 0 && op.kind != OpKind::Calc {
            write!(self.out, " nic {}", op.nic)?;
        }
        writeln!(self.out)
    }
}
