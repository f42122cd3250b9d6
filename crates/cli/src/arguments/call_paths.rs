//! Call paths of MPI calls.

use clap::Args;
use mpirage_simulation::CALLERS_IN_REPORTS;

/// How many callers of a call name its path.
#[derive(Args, Clone, Debug)]
pub struct CallPathArgument {
    /// Tell calls apart by the path on which the program made them, up to N callers: in reports, traces and messages [default: only the call tree of reports has paths]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=64), help_heading = "Results")]
    pub call_paths: Option<u32>,
}

impl CallPathArgument {
    /// Callers that are recorded.
    pub fn callers(&self, reported: bool) -> u32 {
        self.call_paths.unwrap_or(if reported { CALLERS_IN_REPORTS } else { 0 })
    }
}
