//! The results of `mpirage balance` as a table and as JSON.

use mpirage_mpi::Interval;
use mpirage_simulation::{words::bytes, words::count, words::thousands};
use serde_json::{Value, json};

use mpirage_simulation::{CaseOutcome, Study, decisions};

/// Everything that is shown.
pub struct Table<'a> {
    /// Traces and machines, each with the outcomes of its cases.
    pub results: &'a [(Study, Vec<CaseOutcome>)],
    /// Real seconds that it took.
    pub seconds: f64,
}

/// The columns of the table.
pub const HEAD: [&str; 9] =
    ["ranks", "balancer", "every", "makespan", "against first", "imbalance", "decisions", "moves", "moved"];

impl Table<'_> {
    /// The table.
    pub fn lines(&self) -> Vec<String> {
        let rows = self.all().map(|(study, outcome)| self.row(study, outcome));
        let cells: Vec<Vec<String>> = [HEAD.map(str::to_owned).to_vec()].into_iter().chain(rows).collect();
        let width = |column: usize| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..HEAD.len()).map(width).collect();
        // Names stand at the left of their column, numbers at the right.
        let padded = |(at, cell): (usize, &String)| match HEAD[at] {
            "balancer" => format!("{cell:<width$}", width = widths[at]),
            _ => format!("{cell:>width$}", width = widths[at]),
        };
        let joined = |row: &Vec<String>| row.iter().enumerate().map(padded).collect::<Vec<_>>().join("  ");
        let rows = cells.iter().map(|row| format!("  {}", joined(row)));
        [self.title(), String::new()].into_iter().chain(rows).collect()
    }

    /// The trace and the machine.
    pub fn title(&self) -> String {
        self.results.first().map(|(study, _)| title(study)).unwrap_or_default()
    }

    /// All cases, in the order of the command line.
    pub fn all(&self) -> impl Iterator<Item = (&Study, &CaseOutcome)> {
        self.results.iter().flat_map(|(study, outcomes)| outcomes.iter().map(move |outcome| (study, outcome)))
    }

    /// The cells of a case.
    pub fn row(&self, study: &Study, outcome: &CaseOutcome) -> Vec<String> {
        let every = outcome.case.every.map_or_else(|| "–".to_owned(), |every| every.to_string());
        let first = self.all().next().map_or(outcome.seconds, |(_, first)| first.seconds);
        let against = format!("{:+.1} %", (outcome.seconds / first - 1.0) * 100.0);
        let intervals = &outcome.history.intervals;
        let imbalance = imbalance(intervals).map_or_else(|| "–".to_owned(), |mean| format!("{mean:.2}"));
        vec![
            thousands(study.machine.ranks() as u64),
            outcome.case.balancer.clone(),
            every,
            format!("{:.6} s", outcome.seconds),
            against,
            imbalance,
            thousands(decisions(intervals) as u64),
            thousands(moves(intervals)),
            bytes(moved_bytes(intervals)),
        ]
    }

    /// The same as one object, with the load of each core in each interval.
    pub fn json(&self) -> Value {
        let (study, _) = &self.results[0];
        json!({
            "trace": study.name(),
            "platform": study.machine.spec,
            "model": study.machine.model.name,
            "cores": study.cores.len(),
            "wall_seconds": self.seconds,
            "cases": self.all().map(|(study, outcome)| case_json(study, outcome)).collect::<Vec<_>>(),
        })
    }
}

fn title(study: &Study) -> String {
    let cores = count(study.cores.len() as u64, "core");
    let machine = &study.machine;
    format!("{} on {cores} of {}, model {}", study.name(), machine.spec, machine.model.name)
}

fn case_json(study: &Study, outcome: &CaseOutcome) -> Value {
    let intervals = &outcome.history.intervals;
    let loads = |interval: &Interval| -> Vec<f64> {
        interval.loads.cores().map(|core| interval.loads.get(core)).collect()
    };
    json!({
        "ranks": study.machine.ranks(),
        "balancer": outcome.case.balancer,
        "every": outcome.case.every,
        "simulated_seconds": outcome.seconds,
        "computed_seconds": outcome.history.seconds.iter().sum::<f64>(),
        "computed_seconds_per_rank": outcome.history.seconds,
        "imbalance": imbalance(intervals),
        "mean_load": outcome.mean_load(study.cores.len()),
        "decisions": decisions(intervals),
        "moves": moves(intervals),
        "moved_bytes": moved_bytes(intervals),
        "migration_points": outcome.history.calls,
        "core_seconds_per_interval": intervals.iter().map(loads).collect::<Vec<_>>(),
    })
}

/// The largest load by the mean load, averaged over intervals.
fn imbalance(intervals: &[Interval]) -> Option<f64> {
    let ratios: Vec<f64> = intervals.iter().filter_map(mpirage_simulation::imbalance).collect();
    (!ratios.is_empty()).then(|| ratios.iter().sum::<f64>() / ratios.len() as f64)
}

fn moves(intervals: &[Interval]) -> u64 {
    intervals.iter().map(|interval| u64::from(interval.moved)).sum()
}

fn moved_bytes(intervals: &[Interval]) -> u64 {
    intervals.iter().map(|interval| interval.moved_bytes).sum()
}
