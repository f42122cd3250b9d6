//! The results of `mpirage balance` as a table and as JSON.

use mpirage_mpi::Interval;
use serde_json::{Value, json};

use super::cases::{CaseOutcome, Study};
use crate::words::{bytes, count, thousands};

/// Everything that is shown.
pub struct Table<'a> {
    /// Trace and machine.
    pub study: &'a Study<'a>,
    /// One for each case.
    pub outcomes: &'a [CaseOutcome],
    /// Real seconds that it took.
    pub seconds: f64,
}

impl Table<'_> {
    /// The table.
    pub fn lines(&self) -> Vec<String> {
        let machine = &self.study.machine;
        let ranks = count(machine.ranks() as u64, "rank");
        let cores = count(self.study.cores.len() as u64, "core");
        let title = format!(
            "{}: {ranks} on {cores} of {}, model {}",
            self.study.arguments.trace, machine.spec, machine.model.name
        );
        let head =
            ["balancer", "every", "makespan", "against first", "imbalance", "decisions", "moves", "moved"];
        let rows = self.outcomes.iter().map(|outcome| self.row(outcome));
        let cells: Vec<Vec<String>> = [head.map(str::to_owned).to_vec()].into_iter().chain(rows).collect();
        let width = |column: usize| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..head.len()).map(width).collect();
        // Names stand at the left of their column, numbers at the right.
        let padded = |(at, cell): (usize, &String)| match at {
            0 => format!("{cell:<width$}", width = widths[at]),
            _ => format!("{cell:>width$}", width = widths[at]),
        };
        let joined = |row: &Vec<String>| row.iter().enumerate().map(padded).collect::<Vec<_>>().join("  ");
        let rows = cells.iter().map(|row| format!("  {}", joined(row)));
        [title, String::new()].into_iter().chain(rows).collect()
    }

    fn row(&self, outcome: &CaseOutcome) -> Vec<String> {
        let every = outcome.case.every.map_or_else(|| "–".to_owned(), |every| every.to_string());
        let first = self.outcomes.first().map_or(outcome.seconds, |first| first.seconds);
        let against = format!("{:+.1} %", (outcome.seconds / first - 1.0) * 100.0);
        let intervals = &outcome.history.intervals;
        let imbalance = imbalance(intervals).map_or_else(|| "–".to_owned(), |mean| format!("{mean:.2}"));
        vec![
            outcome.case.balancer.clone(),
            every,
            format!("{:.6} s", outcome.seconds),
            against,
            imbalance,
            thousands(intervals.len() as u64),
            thousands(moves(intervals)),
            bytes(moved_bytes(intervals)),
        ]
    }

    /// The same as one object, with the load of each core in each interval.
    pub fn json(&self) -> Value {
        let machine = &self.study.machine;
        json!({
            "trace": self.study.arguments.trace,
            "platform": machine.spec,
            "model": machine.model.name,
            "ranks": machine.ranks(),
            "cores": self.study.cores.len(),
            "wall_seconds": self.seconds,
            "cases": self.outcomes.iter().map(case_json).collect::<Vec<_>>(),
        })
    }
}

fn case_json(outcome: &CaseOutcome) -> Value {
    let intervals = &outcome.history.intervals;
    let loads = |interval: &Interval| -> Vec<f64> {
        interval.loads.cores().map(|core| interval.loads.get(core)).collect()
    };
    json!({
        "balancer": outcome.case.balancer,
        "every": outcome.case.every,
        "simulated_seconds": outcome.seconds,
        "computed_seconds": outcome.history.seconds.iter().sum::<f64>(),
        "computed_seconds_per_rank": outcome.history.seconds,
        "imbalance": imbalance(intervals),
        "decisions": intervals.len(),
        "moves": moves(intervals),
        "moved_bytes": moved_bytes(intervals),
        "migration_points": outcome.history.calls,
        "core_seconds_per_interval": intervals.iter().map(loads).collect::<Vec<_>>(),
    })
}

/// The largest load by the mean load, averaged over intervals.
fn imbalance(intervals: &[Interval]) -> Option<f64> {
    let loaded = intervals.iter().filter(|interval| interval.loads.average() > 0.0);
    let ratios: Vec<f64> = loaded.map(|interval| interval.loads.max() / interval.loads.average()).collect();
    (!ratios.is_empty()).then(|| ratios.iter().sum::<f64>() / ratios.len() as f64)
}

fn moves(intervals: &[Interval]) -> u64 {
    intervals.iter().map(|interval| u64::from(interval.moved)).sum()
}

fn moved_bytes(intervals: &[Interval]) -> u64 {
    intervals.iter().map(|interval| interval.moved_bytes).sum()
}
