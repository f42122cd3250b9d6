//! The results of `mpirage tune` as a table, as plots of characters, and as JSON.

use mpirage_call::Collective;
use mpirage_collectives::Rule;
use mpirage_simulation::{Machine, collective_error, words::count, words::thousands};
use mpirage_tune::{Row, Timed, size_text, sketch};
use mpirage_units::time_text;
use serde_json::{Value, json};

use super::program::Program;
use crate::output;

/// Columns of a terminal whose width is not known.
const WIDTH: usize = 80;

/// Columns of a table that have names of methods, and stand at the left; the others have numbers.
pub const NAMES: [usize; 2] = [1, 3];

/// Other parameters are tried of algorithms that are at most this many times slower than the best one.
pub const NEAR: f64 = 4.0;

/// Everything that is shown.
pub struct Results<'a> {
    /// The name of the base choice.
    pub base: String,
    /// The machine.
    pub machine: &'a Machine,
    /// One row for each collective, communicator size and size.
    pub rows: &'a [Row],
    /// The rules that follow from them.
    pub rules: Vec<Rule>,
    /// The program that makes these calls, if there is one.
    pub program: Option<&'a Program>,
    /// The program's time with the rules, in seconds.
    pub tuned_seconds: Option<f64>,
    /// Calls in a row in each simulation.
    pub calls: u32,
    /// Real seconds that it took.
    pub seconds: f64,
    /// Say nothing but errors and warnings?
    pub quiet: bool,
}

impl Results<'_> {
    /// The machine and the base choice, in a line.
    pub fn title(&self) -> String {
        let Machine { spec, model, .. } = self.machine;
        let ranks = count(self.machine.ranks() as u64, "rank");
        format!("{ranks} on {spec}, model {}, compared with {}", model.name, self.base)
    }

    /// The heading of a section.
    pub fn heading(&self, rows: &[Row]) -> String {
        let point = &rows[0].point;
        let bytes = match point.collective {
            Collective::Barrier => "",
            Collective::Bcast
            | Collective::Reduce
            | Collective::Allreduce
            | Collective::Scan
            | Collective::Exscan => ", sizes of the vector",
            Collective::Alltoall | Collective::Alltoallv | Collective::Alltoallw => {
                ", sizes of the block of a pair of ranks"
            }
            _ => ", sizes of the block of a rank",
        };
        format!("{}, {}{bytes}", point.collective, count(point.ranks().into(), "rank"))
    }

    /// Prints tables, plots and a summary.
    pub fn print(&self) {
        output::line(self.title());
        for rows in sections(self.rows) {
            output::line(format_args!("\n{}", self.heading(rows)));
            self.table(rows).iter().for_each(output::line);
            if let Some(lines) = sketch(rows, &self.base, terminal_width()) {
                output::line("");
                lines.iter().for_each(output::line);
            }
        }
        output::line("");
        self.findings().iter().chain(&self.effort()).for_each(output::line);
    }

    /// The head of a table and its rows.
    pub fn cells(&self, rows: &[Row]) -> Vec<Vec<String>> {
        let mut head = ["size", "best", "time", &self.base, "time", "loss"].map(str::to_owned).to_vec();
        if self.program.is_some() {
            head.extend(["calls", "time in it"].map(str::to_owned));
        }
        [head].into_iter().chain(rows.iter().map(|row| self.line(row))).collect()
    }

    fn table(&self, rows: &[Row]) -> Vec<String> {
        let cells = self.cells(rows);
        let widths: Vec<usize> = (0..cells[0].len())
            .map(|column| cells.iter().map(|line| line[column].chars().count()).max().unwrap_or(0))
            .collect();
        let padded = |(at, cell): (usize, &String)| match NAMES.contains(&at) {
            true => format!("{cell:<width$}", width = widths[at]),
            false => format!("{cell:>width$}", width = widths[at]),
        };
        let joined = |line: &Vec<String>| line.iter().enumerate().map(padded).collect::<Vec<_>>().join("  ");
        cells.iter().map(|line| format!("  {}", joined(line).trim_end())).collect()
    }

    fn line(&self, row: &Row) -> Vec<String> {
        let timed = |timed: &Timed| [timed.method.to_string(), time_text(timed.time)];
        let size = if row.point.collective == Collective::Barrier {
            "–".to_owned()
        } else {
            size_text(row.point.bytes)
        };
        let mut cells = vec![size];
        cells.extend(timed(&row.best));
        cells.extend(timed(&row.base));
        cells.push(match self.is_distinguishable(row) {
            Some(false) => format!("{} ≈", percent(row.loss())),
            _ => percent(row.loss()),
        });
        let group =
            self.program.and_then(|program| program.groups.iter().find(|group| group.point == row.point));
        cells.extend(group.map(|group| thousands(group.calls)));
        cells.extend(group.map(|group| {
            // The mean of the ranks, as a part of the program's time.
            let seconds = group.time.as_secs_f64() / self.machine.ranks() as f64;
            percent(self.program.map_or(0.0, |program| seconds / program.seconds.max(f64::MIN_POSITIVE)))
        }));
        cells
    }

    /// Do the times of the best method and the base differ by more than their errors? `None` if the errors are unknown.
    fn is_distinguishable(&self, row: &Row) -> Option<bool> {
        let error = collective_error(self.machine, row.point.bytes)?;
        Some(row.loss() == 0.0 || 1.0 + row.loss() > (1.0 + error).powi(2))
    }

    /// By how much the base choice and the program can become faster.
    pub fn findings(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let worst = self.rows.iter().max_by(|one, other| one.loss().total_cmp(&other.loss()));
        if let Some(worst) = worst.filter(|worst| worst.loss() > 0.0) {
            lines.push(format!(
                "{} loses {} in the mean, {} at most ({}, {})",
                self.base,
                percent(self.mean_loss()),
                percent(worst.loss()),
                worst.point.collective,
                size_text(worst.point.bytes)
            ));
        } else {
            lines.push(format!("{} is the best of the simulated methods everywhere", self.base));
        }
        if let (Some(program), Some(tuned)) = (self.program, self.tuned_seconds) {
            lines.push(format!(
                "{}: {:.6} s with {}, {tuned:.6} s with the best methods: {} less",
                program.name,
                program.seconds,
                self.base,
                percent(1.0 - tuned / program.seconds.max(f64::MIN_POSITIVE))
            ));
        }
        if self.rows.iter().any(|row| self.is_distinguishable(row) == Some(false)) {
            lines.push("≈ the two methods are not distinguishable: their times differ by less than both may be off (docs/trust.md)".to_owned());
        }
        lines
    }

    /// How much the search did.
    fn effort(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let tried: usize = self.rows.iter().map(|row| row.all.len()).sum();
        lines.push(format!("{} compared in {:.1} s", count(tried as u64, "method"), self.seconds));
        let skipped: usize = self.rows.iter().map(|row| row.skipped).sum();
        if skipped > 0 {
            lines.push(format!(
                "{} skipped: other parameters of algorithms that are over {} times slower than the best one; --exhaustive tries them",
                thousands(skipped as u64),
                NEAR
            ));
        }
        lines
    }

    /// The geometric mean of all rows.
    fn mean_loss(&self) -> f64 {
        let sum: f64 = self.rows.iter().map(|row| row.loss().ln_1p()).sum();
        (sum / self.rows.len().max(1) as f64).exp_m1()
    }

    /// The result as one object.
    pub fn json(&self) -> Value {
        let timed =
            |timed: &Timed| json!({"method": timed.method.to_string(), "seconds": timed.time.as_secs_f64()});
        let row = |row: &Row| {
            let mut value = json!({
                "collective": row.point.collective.name(),
                "ranks": row.point.ranks(),
                "bytes": row.point.bytes,
                "best": timed(&row.best),
                "base": timed(&row.base),
                "loss": row.loss(),
                "distinguishable": self.is_distinguishable(row),
                "methods": row.all.iter().map(timed).collect::<Vec<_>>(),
                "skipped": row.skipped,
            });
            let group =
                self.program.and_then(|program| program.groups.iter().find(|group| group.point == row.point));
            if let (Some(group), Some(object)) = (group, value.as_object_mut()) {
                object.insert("calls".to_owned(), group.calls.into());
                object.insert("rank_seconds".to_owned(), group.time.as_secs_f64().into());
            }
            value
        };
        json!({
            "platform": self.machine.spec,
            "model": self.machine.model.name,
            "ranks": self.machine.ranks(),
            "base": self.base,
            "repeat": self.calls,
            "mean_loss": self.mean_loss(),
            "rows": self.rows.iter().map(row).collect::<Vec<_>>(),
            "rules": self.rules.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "program": self.program.map(|program| json!({
                "name": program.name,
                "seconds": program.seconds,
                "tuned_seconds": self.tuned_seconds,
            })),
            "warnings": self.machine.warnings,
            "wall_seconds": self.seconds,
            "version": env!("CARGO_PKG_VERSION"),
        })
    }
}

/// Rows of one collective on communicators of one size.
pub fn sections(rows: &[Row]) -> impl Iterator<Item = &[Row]> {
    let section = |row: &Row| (row.point.collective, row.point.ranks());
    rows.chunk_by(move |one, next| section(one) == section(next))
}

/// `0 %`, `3.4 %`, `240 %`.
fn percent(part: f64) -> String {
    let percent = 100.0 * part;
    if percent.abs() < 0.05 {
        return "0 %".to_owned();
    }
    if percent.abs() < 9.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

/// Columns of the terminal, or of the one that the environment describes.
fn terminal_width() -> usize {
    let terminal = rustix::termios::tcgetwinsize(rustix::stdio::stdout()).ok();
    let columns = terminal.map(|size| usize::from(size.ws_col)).filter(|&columns| columns > 0);
    let variable = || std::env::var("COLUMNS").ok()?.parse().ok();
    columns.or_else(variable).unwrap_or(WIDTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_short() {
        assert_eq!([0.0, 0.0004, 0.034, 0.0996, 2.4].map(percent), ["0 %", "0 %", "3.4 %", "10 %", "240 %"]);
    }
}
