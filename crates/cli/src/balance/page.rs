//! The page of `mpirage balance --report`: makespans, average load over time, and a heat map of loads for each case.
//!
//! The load of a core is the share of an iteration in which it computes. An iteration ends when the last rank has called `AMPI_Migrate`.

mod heat_map;
mod plots;

use std::fmt::Write;

use mpirage_plot::{charts, escaped};

use super::show::{HEAD, Table};
use heat_map::heat_maps;
use mpirage_simulation::{CaseOutcome, Study};
use mpirage_units::{Duration, counted, time_text};
use plots::{average_loads, by_interval, by_ranks};

const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/heat_map.js");
/// A smaller part of the time is no clear difference.
const CLEAR: f64 = 0.02;
/// Charts side by side.
const COLUMNS: usize = 3;

/// The page as HTML. It links to nothing.
pub fn page(table: &Table<'_>) -> String {
    let title = escaped(&table.title());
    let mut out = format!("<h1>Load balancing</h1>\n{}", mpirage_plot::verdict(&answer(table)));
    let _ = writeln!(out, "<p class=\"lead\">{title}</p>");
    makespans(&mut out, table);
    for (title, compared) in
        [("Makespan by interval", by_interval(table)), ("Makespan by ranks", by_ranks(table))]
    {
        if !compared.is_empty() {
            section(&mut out, title, "Less is better.", &charts(&compared, COLUMNS));
        }
    }
    section(
        &mut out,
        "Average load over time",
        "The share of time for which the cores compute, averaged over all of them. What is missing to 100 % is waiting: for other \
         ranks, messages, decisions and migrations.",
        &charts(&average_loads(table), COLUMNS),
    );
    heat_maps(&mut out, table);
    mpirage_plot::page(&table.title(), STYLE, &out, SCRIPT)
}

/// A case in words, such as "greedy, every 10".
fn case_name(outcome: &CaseOutcome) -> String {
    let name = &outcome.case.balancer;
    outcome.case.every.map_or_else(|| name.clone(), |every| format!("{name}, every {every}"))
}

/// The same with its number of ranks, if cases differ in it.
fn full_name(table: &Table<'_>, study: &Study, outcome: &CaseOutcome) -> String {
    match table.results.len() > 1 {
        true => format!("{}, {}", counted(study.machine.ranks(), "rank"), case_name(outcome)),
        false => case_name(outcome),
    }
}

/// Names the best case, what it gains, and who loses.
fn answer(table: &Table<'_>) -> Vec<String> {
    let all: Vec<_> = table.all().collect();
    let best = all.iter().min_by(|(_, a), (_, b)| a.seconds.total_cmp(&b.seconds));
    let (Some((study, best)), Some((first_study, first))) = (best, all.first()) else { return Vec::new() };
    let name = full_name(table, study, best);
    let before = full_name(table, first_study, first);
    let gain = 1.0 - best.seconds / first.seconds;
    if gain < CLEAR {
        return vec![format!(
            "No case is clearly faster than {before}: the best is {name}, with {:.1} % less.",
            100.0 * gain
        )];
    }
    let load = |(study, outcome): &(&Study, &CaseOutcome)| 100.0 * outcome.mean_load(study.cores.len());
    let mut said = vec![format!(
        "{name} is the fastest: {} instead of {}, {:.1} % less than {before}.",
        seconds(best.seconds),
        seconds(first.seconds),
        100.0 * gain
    )];
    said.push(format!(
        "Cores compute for {:.0} % of the time with it, for {:.0} % without.",
        load(&(study, best)),
        load(&(first_study, first))
    ));
    let slower = all.iter().filter(|(_, outcome)| outcome.seconds > first.seconds * (1.0 + CLEAR));
    let slower: Vec<String> = slower.map(|(study, outcome)| full_name(table, study, outcome)).collect();
    match &slower[..] {
        [] => {}
        [one] => said.push(format!("{one} is slower than {before}.")),
        [one, others @ ..] => {
            said.push(format!("{one} and {} are slower than {before}.", counted(others.len(), "other case")))
        }
    }
    said
}

fn seconds(time: f64) -> String {
    time_text(Duration::from_secs_f64(time))
}

fn makespans(out: &mut String, table: &Table<'_>) {
    out.push_str(
        "<h2>Makespan</h2>\n<p class=\"quiet\">Load: the share of the run for which cores compute. Imbalance: the largest load of a \
         core by the mean, averaged over decisions.</p>\n<table><thead><tr>",
    );
    for head in HEAD {
        let class = if head == "balancer" { "" } else { " class=\"n\"" };
        let _ = write!(out, "<th{class}>{head}</th>");
    }
    out.push_str("<th class=\"n\">load</th><th></th></tr></thead><tbody>\n");
    let seconds = || table.all().map(|(_, outcome)| outcome.seconds);
    let (best, worst) = (seconds().fold(f64::INFINITY, f64::min), seconds().fold(0.0, f64::max));
    for (study, outcome) in table.all() {
        let class = if outcome.seconds == best { " class=\"best\"" } else { "" };
        let _ = write!(out, "<tr{class}>");
        for (head, cell) in HEAD.iter().zip(table.row(study, outcome)) {
            let class = if *head == "balancer" { "" } else { " class=\"n\"" };
            let _ = write!(out, "<td{class}>{}</td>", escaped(&cell));
        }
        let _ = writeln!(
            out,
            "<td class=\"n\">{:.0} %</td><td><div class=\"bar\" style=\"width:{:.1}px\"></div></td></tr>",
            outcome.mean_load(study.cores.len()) * 100.0,
            240.0 * outcome.seconds / worst
        );
    }
    out.push_str("</tbody></table>\n");
}

fn section(out: &mut String, title: &str, text: &str, image: &str) {
    let _ = writeln!(
        out,
        "<h2>{title}</h2>\n<p class=\"quiet\">{}</p>\n<div class=\"charts\">{image}</div>",
        escaped(text)
    );
}
