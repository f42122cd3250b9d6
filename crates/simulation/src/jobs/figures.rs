//! The figures of several jobs.

use serde::Serialize;

use crate::energy::EnergyFigures;
use crate::trust::Trust;

/// The result of a run of several jobs.
#[derive(Clone, Debug, Serialize)]
pub struct JobsFigures {
    /// Simulated seconds until the last job ended.
    pub simulated_seconds: f64,
    /// Seconds that the simulation took on this machine, without the runs of single jobs.
    pub wall_seconds: f64,
    /// Jobs, in the order of their ranks in the run.
    pub jobs: Vec<JobFigures>,
    /// The energy of the run, if the platform says what hosts or links burn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<EnergyFigures>,
    /// The network model.
    pub model: String,
    /// The machine.
    pub platform: String,
    /// How ranks share cores: `own`, `fair` or `round-robin`.
    pub cores: &'static str,
    /// Doubts about the result.
    pub warnings: Vec<String>,
    /// The version of mpirage.
    pub version: String,
    /// The command line, word by word.
    pub command: Vec<String>,
}

/// The result of one job.
#[derive(Clone, Debug, Default, Serialize)]
pub struct JobFigures {
    /// Its name.
    pub name: String,
    /// The program with its arguments, or the trace.
    pub what: String,
    /// How it ended, as in the result of `mpirage run`.
    pub outcome: String,
    /// Why it did not finish, in words.
    pub explanation: Option<String>,
    /// The number of its ranks.
    pub ranks: u32,
    /// Its first rank in the run, which messages name.
    pub first_rank: u32,
    /// The host of each rank.
    pub hosts: Vec<String>,
    /// Simulated seconds from the start of the run to the start of the job.
    pub start_seconds: f64,
    /// Simulated seconds that it took.
    pub seconds: f64,
    /// How far to trust that time; none if it did not finish, or shares cores with other jobs: nothing like that was measured.
    pub trust: Option<Trust>,
    /// Simulated seconds that it takes alone on the same hosts.
    pub alone_seconds: Option<f64>,
    /// How many times longer it took than alone.
    pub slowdown: Option<f64>,
    /// Messages delivered, those of collectives included.
    pub messages: u64,
    /// Bytes of these messages.
    pub bytes: u64,
    /// MPI calls.
    pub calls: u64,
}

impl JobFigures {
    /// Adds what the job took alone.
    pub(super) fn compare(&mut self, alone: Option<f64>) {
        self.alone_seconds = alone;
        let comparable = alone.filter(|&alone| alone > 0.0 && self.outcome == "finished");
        self.slowdown = comparable.map(|alone| self.seconds / alone);
    }
}
