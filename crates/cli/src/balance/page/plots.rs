//! The charts of the page: makespan by interval and by ranks, average load over time.

use std::collections::BTreeSet;

use mpirage_plot::{AxisLook, Chart, Line, Mark, Scale, short_number};
use mpirage_units::counted;

use super::super::show::Table;
use super::case_name;
use mpirage_simulation::{CaseOutcome, Study};

/// Points of a line over time; more hide each other.
const MOST_POINTS: usize = 100;

/// Makespan by interval, a chart for each number of ranks, if balancers were asked at several intervals.
pub fn by_interval(table: &Table<'_>) -> Vec<Chart> {
    let intervals: BTreeSet<u32> = table.all().filter_map(|(_, outcome)| outcome.case.every).collect();
    if intervals.len() < 2 {
        return Vec::new();
    }
    let chart = |(study, outcomes): &(Study, Vec<CaseOutcome>)| {
        let marks = |name: &str| {
            let own = outcomes.iter().filter(|outcome| outcome.case.balancer == name);
            let mark = |outcome: &CaseOutcome| match outcome.case.every {
                Some(every) => vec![makespan(f64::from(every), outcome)],
                // A balancer that never moves a rank is a level to compare with.
                None => intervals.iter().map(|every| makespan(f64::from(*every), outcome)).collect(),
            };
            own.flat_map(mark).collect()
        };
        Chart {
            heading: format!(
                "{} on {}",
                counted(study.machine.ranks(), "rank"),
                counted(study.cores.len(), "core")
            ),
            x: axis("calls of AMPI_Migrate between decisions"),
            y: axis("makespan (s)"),
            lines: lines(table, marks),
        }
    };
    table.results.iter().map(chart).collect()
}

/// Makespan by ranks, a chart for each interval, if the trace was aggregated.
pub fn by_ranks(table: &Table<'_>) -> Vec<Chart> {
    if table.results.len() < 2 {
        return Vec::new();
    }
    let intervals: BTreeSet<u32> = table.all().filter_map(|(_, outcome)| outcome.case.every).collect();
    let intervals: Vec<Option<u32>> = match intervals.is_empty() {
        true => vec![None],
        false => intervals.into_iter().map(Some).collect(),
    };
    let ranks: BTreeSet<u32> = table.results.iter().map(|(study, _)| study.machine.ranks() as u32).collect();
    let ranks: Vec<f64> = ranks.into_iter().map(f64::from).collect();
    let chart = |every: &Option<u32>| {
        let marks = |name: &str| {
            let is_shown = |outcome: &CaseOutcome| {
                outcome.case.balancer == name
                    && (outcome.case.every.is_none() || outcome.case.every == *every)
            };
            let shown = table.all().filter(|(_, outcome)| is_shown(outcome));
            shown.map(|(study, outcome)| makespan(study.machine.ranks() as f64, outcome)).collect()
        };
        let heading = every.map_or_else(|| "all ranks stay".to_owned(), |every| format!("every {every}"));
        let x = AxisLook::new("ranks", Scale::Logarithmic).at(&ranks);
        Chart { heading, x, y: axis("makespan (s)"), lines: lines(table, marks) }
    };
    intervals.iter().map(chart).collect()
}

/// The mean load of all cores over time, a chart for each number of ranks and interval.
pub fn average_loads(table: &Table<'_>) -> Vec<Chart> {
    let longest = table.all().map(|(_, outcome)| outcome.seconds).fold(0.0, f64::max);
    let chart = |study: &Study, outcomes: &[CaseOutcome], every: Option<u32>| {
        let marks = |name: &str| {
            let own = |outcome: &&CaseOutcome| {
                outcome.case.balancer == name && (outcome.case.every.is_none() || outcome.case.every == every)
            };
            outcomes.iter().filter(own).flat_map(over_time).collect()
        };
        let ranks = if table.results.len() > 1 {
            format!("{}, ", counted(study.machine.ranks(), "rank"))
        } else {
            String::new()
        };
        let interval = every.map_or_else(|| "all ranks stay".to_owned(), |every| format!("every {every}"));
        Chart {
            heading: format!("{ranks}{interval}"),
            x: AxisLook { covers: Some((0.0, longest)), ..axis("simulated time (s)") },
            y: AxisLook { covers: Some((0.0, 100.0)), ..axis("mean load of cores (%)") },
            lines: lines(table, marks),
        }
    };
    let mut all = Vec::new();
    for (study, outcomes) in table.results {
        let intervals: BTreeSet<u32> = outcomes.iter().filter_map(|outcome| outcome.case.every).collect();
        if intervals.is_empty() {
            all.push(chart(study, outcomes, None));
        }
        all.extend(intervals.into_iter().map(|every| chart(study, outcomes, Some(every))));
    }
    all
}

/// The mean load of a case: iterations are joined until there are few enough points.
fn over_time(outcome: &CaseOutcome) -> Vec<Mark> {
    let rows = outcome.history.iterations.rows();
    let per_point = rows.len().div_ceil(MOST_POINTS).max(1);
    let mut start = 0.0;
    let mark = |(at, rows): (usize, &[mpirage_mpi::IterationRow])| {
        let end = rows.last().map_or(start, |row| row.end.as_secs_f64());
        let cores = rows[0].core_seconds.len() as f64;
        let busy: f64 = rows.iter().flat_map(|row| &row.core_seconds).sum();
        let (from, seconds) = (start, end - start);
        start = end;
        let load = if seconds > 0.0 { 100.0 * busy / cores / seconds } else { 0.0 };
        let first = (at * per_point) as u32 * outcome.history.iterations.iterations_per_row;
        let text = format!(
            "{}: {load:.0} % from iteration {first} on, {} s",
            case_name(outcome),
            short_number(from)
        );
        Mark { x: from + seconds / 2.0, y: load, interval: None, text }
    };
    rows.chunks(per_point).enumerate().map(mark).collect()
}

fn makespan(x: f64, outcome: &CaseOutcome) -> Mark {
    let text = format!("{}: {:.6} s", case_name(outcome), outcome.seconds);
    Mark { x, y: outcome.seconds, interval: None, text }
}

fn axis(title: &str) -> AxisLook {
    AxisLook::new(title, Scale::Linear)
}

/// A line for each balancer; a balancer has the same colour in all charts.
fn lines(table: &Table<'_>, marks: impl Fn(&str) -> Vec<Mark>) -> Vec<Line> {
    let mut names: Vec<&str> = Vec::new();
    for (_, outcome) in table.all() {
        if !names.contains(&outcome.case.balancer.as_str()) {
            names.push(&outcome.case.balancer);
        }
    }
    let line = |(colour, name): (usize, &&str)| Line {
        name: (*name).to_owned(),
        colour,
        joined: true,
        faint: false,
        marks: marks(name),
    };
    names.iter().enumerate().map(line).filter(|line| !line.marks.is_empty()).collect()
}
