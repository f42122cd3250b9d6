//! The visible output of a study: the list of its cases, a progress bar, the ranking.

use std::io::IsTerminal;
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use mpirage_simulation::words::count;
use mpirage_sweep::{Analysis, Case, CaseKey, Outcome, Ranked, Results, Study, Watch, measure, quoted};

use crate::output::{self, line, say};

/// Combinations in the ranking.
const SHOWN: usize = 10;
/// Failures that are shown.
const FAILURES: usize = 3;

/// Prints a case: its number, its values, and its command line.
pub fn list(study: &Study, case: &Case) {
    let value = |(parameter, level): (&mpirage_sweep::Parameter, &mpirage_sweep::Level)| {
        format!("{}={}", parameter.name(), level.label())
    };
    let values: Vec<String> = study.parameters().iter().zip(case.combination()).map(value).collect();
    let words = case.spec().words(Path::new("{case}"));
    let command = quoted(std::iter::once("mpirage").chain(words.iter().map(String::as_str)));
    line(format_args!("{:>5}  {}  {command}", case.number(), values.join(" ")));
}

/// Shows how many cases have ended, on a terminal.
pub struct CaseProgress {
    bar: Option<ProgressBar>,
}

impl CaseProgress {
    /// A bar for so many cases; none if standard error is no terminal or `quiet` is set.
    pub fn new(cases: usize, quiet: bool) -> CaseProgress {
        let bar = (!quiet && cases > 0 && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::new(cases as u64);
            bar.set_style(
                ProgressStyle::with_template(
                    "{bar:30} {pos} of {len} cases, {elapsed} gone, {eta} left {msg}",
                )
                .unwrap_or_else(|_| ProgressStyle::default_bar()),
            );
            bar
        });
        CaseProgress { bar }
    }

    /// Shows how many cases have ended.
    pub fn set(&self, ended: usize) {
        self.bar.iter().for_each(|bar| bar.set_position(ended as u64));
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }

    /// Prints a line above the bar.
    pub fn note(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| say!("mpirage: {text}")),
            None => say!("mpirage: {text}"),
        }
    }
}

impl Watch for CaseProgress {
    fn ended(&self, _: &Outcome) {
        self.bar.iter().for_each(|bar| bar.inc(1));
    }

    fn postponed(&self, key: &CaseKey) {
        self.note(&format!("case {} needs more memory than is left and runs again later", key.text()));
    }
}

/// Prints the ranking on standard output, and what there is on standard error.
pub fn print(study: &Study, results: &Results, folder: &Path) {
    if let Some(analysis) = Analysis::new(study, results) {
        print_ranking(study, &analysis);
    }
    let (finished, failed) = (results.finished().count(), results.failed().count());
    let waiting = results.rows().len() - finished - failed;
    let more =
        |number: usize, what: &str| if number > 0 { format!(", {number} {what}") } else { String::new() };
    say!(
        "mpirage: {}: {finished} finished{}{}",
        count(results.rows().len() as u64, "case"),
        more(failed, "failed"),
        more(waiting, "waiting")
    );
    for row in results.failed().take(FAILURES) {
        let (code, reason) = row.failure().unwrap_or_default();
        let first = reason.lines().next().unwrap_or_default();
        say!("  case {} failed with exit code {code}: {first}", row.case().number());
    }
    if failed > 0 {
        say!("  failures        {}; --retry runs them again", folder.join("failures.csv").display());
    }
    say!("  tables          {}", folder.join("results.csv").display());
    say!("  page            {}", folder.join("index.html").display());
}

fn print_ranking(study: &Study, analysis: &Analysis<'_>) {
    let problems = analysis.problems();
    let each = (SHOWN / problems.len().max(1)).max(1);
    let shown = problems.iter().take(SHOWN).flat_map(|problem| problem.ranking.iter().take(each));
    let mut table = vec![heading(study, analysis)];
    table.extend(shown.map(|one| row(analysis.measure(), one)));
    let columns = table[0].len();
    let width = |column: usize| table.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in &table {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}"));
        line(cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    let left = analysis.groups().len() + 1 - table.len();
    if left > 0 {
        line(format_args!("… and {left} more"));
    }
}

fn heading(study: &Study, analysis: &Analysis<'_>) -> Vec<String> {
    let names = study.parameters().iter().map(|parameter| parameter.name().to_owned());
    let name = measure::name(analysis.measure());
    let measure = [&name, "5 to 95 %", "to the best", ""].map(str::to_owned);
    std::iter::once("rank".to_owned()).chain(names).chain(measure).collect()
}

fn row(name: &str, Ranked { group, rank, to_best, is_like_best }: &Ranked<'_, '_>) -> Vec<String> {
    let labels = group.combination().iter().map(|level| level.label().to_owned());
    let interval = group.interval().map(|ends| measure::interval(name, ends));
    let apart = to_best.map_or_else(String::new, |share| format!("{:+.1} %", 100.0 * share));
    let rank = rank.map_or_else(String::new, |rank| rank.to_string());
    let verdict = if *is_like_best { "not distinguishable from the best" } else { "" };
    let measure =
        [measure::shown(name, group.centre()), interval.unwrap_or_default(), apart, verdict.to_owned()];
    std::iter::once(rank).chain(labels).chain(measure).collect()
}

/// Prints doubts about the results.
pub fn warnings(study: &Study, results: &Results) {
    for measure in results.missing_measures(study) {
        output::warn(format_args!(
            "no case has the measure {measure}; does its formula name columns of results.csv?"
        ));
    }
    let doubtful =
        results.finished().filter(|row| row.figure("warnings").is_some_and(|number| number > 0.0)).count();
    if doubtful > 0 {
        output::warn(format_args!(
            "mpirage has doubts about {}; see the column `warnings`, and stderr in cases/",
            count(doubtful as u64, "result")
        ));
    }
}
