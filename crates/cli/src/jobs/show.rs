//! The result of several jobs: a table, and a JSON object.

use mpirage_simulation::words::count;
use mpirage_units::Duration;
use serde::Serialize;

use crate::output::say;

/// The result of a run of several jobs.
#[derive(Clone, Debug, Serialize)]
pub struct JobsFigures {
    /// Simulated seconds until the last job ended.
    pub simulated_seconds: f64,
    /// Seconds that the simulation took on this machine, without the runs of single jobs.
    pub wall_seconds: f64,
    /// Jobs, in the order of their ranks in the run.
    pub jobs: Vec<JobFigures>,
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
#[derive(Clone, Debug, Serialize)]
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
    pub fn compare(&mut self, alone: Option<f64>) {
        self.alone_seconds = alone;
        let comparable = alone.filter(|&alone| alone > 0.0 && self.outcome == "finished");
        self.slowdown = comparable.map(|alone| self.seconds / alone);
    }

    /// Its line of the table.
    fn cells(&self) -> [String; 8] {
        let seconds = |seconds: f64| Duration::from_secs_f64(seconds).to_string();
        [
            self.name.clone(),
            self.ranks.to_string(),
            hosts_in_words(&self.hosts),
            seconds(self.start_seconds),
            seconds(self.seconds),
            self.alone_seconds.map_or("-".to_owned(), seconds),
            self.slowdown.map_or("-".to_owned(), |slowdown| format!("{slowdown:.3}")),
            self.outcome.clone(),
        ]
    }
}

/// The first and the last host, and how many there are.
fn hosts_in_words(hosts: &[String]) -> String {
    let mut distinct: Vec<&String> = Vec::new();
    hosts.iter().for_each(|host| {
        if distinct.last() != Some(&host) && !distinct.contains(&host) {
            distinct.push(host);
        }
    });
    match distinct[..] {
        [] => String::new(),
        [only] => only.clone(),
        [first, last] => format!("{first}, {last}"),
        [first, .., last] => format!("{first} … {last} ({})", distinct.len()),
    }
}

const HEADINGS: [&str; 8] = ["job", "ranks", "hosts", "start", "took", "alone", "slow-down", "outcome"];

impl JobsFigures {
    /// Prints the table on standard error.
    pub fn print(&self) {
        let jobs = count(self.jobs.len() as u64, "job");
        say!("mpirage: {jobs} on {}, model {}, cores: {}", self.platform, self.model, self.cores);
        let rows: Vec<[String; 8]> = std::iter::once(HEADINGS.map(str::to_owned))
            .chain(self.jobs.iter().map(JobFigures::cells))
            .collect();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..HEADINGS.len()).map(width).collect();
        for row in &rows {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
            say!("  {}", cells.collect::<Vec<_>>().join("  ").trim_end());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_named_once() {
        let words =
            |hosts: &[&str]| hosts_in_words(&hosts.iter().map(|host| (*host).to_owned()).collect::<Vec<_>>());
        assert_eq!(words(&["a", "a"]), "a");
        assert_eq!(words(&["a", "b", "a"]), "a, b");
        assert_eq!(words(&["a", "b", "c", "d"]), "a … d (4)");
    }
}
