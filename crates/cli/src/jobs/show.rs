//! The result of several jobs as a table.

use mpirage_simulation::Trust;
use mpirage_simulation::jobs::{JobFigures, JobsFigures};
use mpirage_simulation::words::count;
use mpirage_units::Duration;

use crate::output::say;
use crate::summary;

/// The line of a job in the table.
fn cells(job: &JobFigures) -> [String; 9] {
    let seconds = |seconds: f64| Duration::from_secs_f64(seconds).to_string();
    [
        job.name.clone(),
        job.ranks.to_string(),
        hosts_in_words(&job.hosts),
        seconds(job.start_seconds),
        seconds(job.seconds),
        interval(job),
        job.alone_seconds.map_or("-".to_owned(), seconds),
        job.slowdown.map_or("-".to_owned(), |slowdown| format!("{slowdown:.3}")),
        job.outcome.clone(),
    ]
}

/// Where the real time is in nine of ten cases.
fn interval(job: &JobFigures) -> String {
    let interval = job.trust.as_ref().and_then(Trust::interval);
    interval.unwrap_or_else(|| if job.outcome == "finished" { "unknown" } else { "-" }.to_owned())
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

const HEADINGS: [&str; 9] =
    ["job", "ranks", "hosts", "start", "took", "interval", "alone", "slow-down", "outcome"];

/// Prints the table on standard error.
pub fn print(figures: &JobsFigures) {
    let jobs = count(figures.jobs.len() as u64, "job");
    say!("mpirage: {jobs} on {}, model {}, cores: {}", figures.platform, figures.model, figures.cores);
    let rows: Vec<[String; 9]> =
        std::iter::once(HEADINGS.map(str::to_owned)).chain(figures.jobs.iter().map(cells)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..HEADINGS.len()).map(width).collect();
    for row in &rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        say!("  {}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    figures.energy.iter().for_each(summary::print_energy);
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
