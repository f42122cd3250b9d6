//! Watches programs: shows progress and passes output on.

use std::io::Write;

use mpirage_rank::{SoFar, Watch};

use crate::exit::Failure;
use crate::output;
use crate::program_output::ProgramOutput;
use crate::progress::Progress;

/// Watches a session.
pub struct SessionWatch {
    /// The progress display.
    pub progress: Progress,
    /// Receives the output of ranks.
    pub output: ProgramOutput,
}

/// The output of programs that have ended.
pub struct PassedOn {
    /// Could all of it be written?
    pub written: Result<(), Failure>,
    /// Does it end without a newline?
    pub ends_within_line: bool,
}

impl SessionWatch {
    /// Ends the display and the output.
    pub fn finish(mut self) -> PassedOn {
        let written = output::written(self.output.finish());
        self.progress.finish();
        PassedOn { written, ends_within_line: self.output.ends_within_line() }
    }
}

impl Watch for SessionWatch {
    fn progress(&mut self, so_far: SoFar) {
        Watch::progress(&mut self.progress, so_far);
    }

    fn output(&mut self, rank: u32) -> Box<dyn Write + '_> {
        Box::new(self.output.of(rank))
    }

    fn slow_rank(&mut self, rank: u32, seconds: f64, place: Option<&str>) {
        self.progress.slow_rank(rank, seconds, place);
    }
}
