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
    verdict(&figures.jobs).into_iter().for_each(|text| say!("  {text}"));
}

/// A slow-down below this is none.
const CLEAR: f64 = 1.02;

/// Who suffers most from the others, in a sentence; nothing if jobs did not run alone.
fn verdict(jobs: &[JobFigures]) -> Option<String> {
    let slowdown = |job: &JobFigures| job.slowdown.unwrap_or(0.0);
    let most = jobs
        .iter()
        .filter(|job| job.slowdown.is_some())
        .max_by(|one, other| slowdown(one).total_cmp(&slowdown(other)))?;
    let alone = most.alone_seconds.unwrap_or(0.0);
    let within = most.trust.as_ref().and_then(|trust| trust.low_seconds).is_some_and(|low| alone >= low);
    let times = format!("{:.2} times as long as alone", slowdown(most));
    Some(match slowdown(most) < CLEAR {
        true => "no job takes clearly longer than alone".to_owned(),
        false if within => {
            format!("no clear slow-down: {} takes {times}, and that is within its interval", most.name)
        }
        false => format!("{} suffers most: it takes {times}", most.name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_job_that_suffers_most_is_named() {
        let job = |name: &str, slowdown: Option<f64>| JobFigures {
            name: name.to_owned(),
            seconds: slowdown.unwrap_or(1.0),
            alone_seconds: slowdown.map(|_| 1.0),
            slowdown,
            ..JobFigures::default()
        };
        assert_eq!(verdict(&[job("a", None)]), None);
        let said = |one, other| verdict(&[job("a", Some(one)), job("b", Some(other))]).unwrap();
        assert_eq!(said(1.0, 1.01), "no job takes clearly longer than alone");
        assert_eq!(said(1.1, 1.5), "b suffers most: it takes 1.50 times as long as alone");
    }

    #[test]
    fn hosts_are_named_once() {
        let words =
            |hosts: &[&str]| hosts_in_words(&hosts.iter().map(|host| (*host).to_owned()).collect::<Vec<_>>());
        assert_eq!(words(&["a", "a"]), "a");
        assert_eq!(words(&["a", "b", "a"]), "a, b");
        assert_eq!(words(&["a", "b", "c", "d"]), "a … d (4)");
    }
}
