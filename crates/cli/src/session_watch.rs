//! Watches programs: shows progress, passes output on, and reads their symbols once they are loaded.

use std::io::Write;
use std::ops::Range;
use std::rc::Rc;

use mpirage_rank::{Ranks, Watch};
use mpirage_simulation::{ProgramSymbols, SourceLines, symbols_of};

use crate::program_output::ProgramOutput;
use crate::progress::Progress;

/// The ranks of each program, and where its source lines are looked up.
pub type LinesOfPrograms = Vec<(Range<u32>, Rc<SourceLines>)>;

/// Watches a session.
pub struct SessionWatch {
    /// The progress display.
    pub progress: Progress,
    /// Receive the symbols when programs are loaded.
    pub lines: LinesOfPrograms,
    /// Receives the output of ranks.
    pub output: ProgramOutput,
}

impl Watch for SessionWatch {
    fn progress(&mut self, simulated: f64, ended: usize) {
        Watch::progress(&mut self.progress, simulated, ended);
    }

    fn loaded(&mut self, ranks: &mut Ranks) {
        if let [(_, lines)] = &self.lines[..] {
            return lines.set(ProgramSymbols::of(ranks));
        }
        for (own, lines) in &self.lines {
            lines.set(symbols_of(ranks, own));
        }
    }

    fn output(&mut self, rank: u32) -> Box<dyn Write + '_> {
        Box::new(self.output.of(rank))
    }

    fn slow_rank(&mut self, rank: u32, seconds: f64, place: Option<&str>) {
        self.progress.slow_rank(rank, seconds, place);
    }
}
