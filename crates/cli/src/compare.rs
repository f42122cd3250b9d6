//! `mpirage compare`: simulated beside measured times.

use std::path::Path;

use mpirage_calibrate::{
    Comparison, LogErrors, ReadOptions, Record, compare, comparison_page, comparison_plot, percent,
    read_records,
};
use mpirage_units::{Duration, time_text};
use serde_json::{Value, json};

use crate::arguments::CompareArguments;
use crate::conflicts::Conflicts;
use crate::exit::{Failure, TOO_FAR, bad_measurements, usage};
use crate::output::{self, say};
use crate::results::{JsonOutput, open_plot, open_report, write};

/// Bytes of the largest file of times.
const LARGEST: u64 = 1 << 30;
/// Series that are listed one by one.
const LISTED: usize = 40;

/// Compares two files.
pub fn command(arguments: &CompareArguments) -> Result<u8, Failure> {
    conflicts(arguments).check()?;
    if let Some(limit) = arguments.max_error.filter(|limit| !(*limit >= 0.0 && limit.is_finite())) {
        return Err(usage(format!("--max-error {limit}: expected a number of percent")));
    }
    let plot = arguments.plot.as_deref().map(open_plot).transpose()?;
    let report = arguments.report.as_deref().map(|file| open_report("--report", file)).transpose()?;
    let json = JsonOutput::open(&arguments.json)?;
    let comparison =
        compare(&records(&arguments.simulated)?, &records(&arguments.real)?).map_err(bad_measurements)?;
    if !arguments.quiet && !arguments.json.is_shown() {
        print(&comparison);
    }
    if let Some(file) = plot {
        write(file, &comparison_plot(&comparison))?;
    }
    if let Some(file) = report {
        write(file, &comparison_page(&comparison, &title(arguments)))?;
    }
    json.write(&object(&comparison, arguments.max_error))?;
    judge(&comparison.errors(), arguments.max_error)
}

/// `simulated.csv beside measured.csv`.
fn title(arguments: &CompareArguments) -> String {
    let name = |file: &Path| file.file_name().unwrap_or(file.as_os_str()).display().to_string();
    format!("{} beside {}", name(&arguments.simulated), name(&arguments.real))
}

fn judge(errors: &LogErrors, limit: Option<f64>) -> Result<u8, Failure> {
    match limit {
        Some(limit) if 100.0 * errors.mean() > limit => {
            say!("mpirage: the mean error, {}, exceeds --max-error {limit}", percent(errors.mean()));
            Ok(TOO_FAR)
        }
        _ => Ok(0),
    }
}

fn conflicts(arguments: &CompareArguments) -> Conflicts {
    let mut files = Conflicts::default();
    files.input("the simulated times", &arguments.simulated);
    files.input("the measured times", &arguments.real);
    arguments.json.add_to(&mut files);
    arguments.plot.iter().for_each(|file| files.output("--plot", file));
    arguments.report.iter().for_each(|file| files.output("--report", file));
    files
}

fn records(file: &Path) -> Result<Vec<Record>, Failure> {
    let bytes = mpirage_files::read(file, LARGEST).map_err(bad_measurements)?;
    read_records(&file.display().to_string(), &bytes, &ReadOptions::default()).map_err(bad_measurements)
}

fn print(comparison: &Comparison) {
    if comparison.pairs.len() <= LISTED {
        output::line(format_args!("{:<44} {:>10} {:>10} {:>9}", "series", "simulated", "measured", "error"));
        for pair in &comparison.pairs {
            let error = percent((pair.simulated / pair.measured).ln().abs().exp_m1());
            let sign = if pair.simulated < pair.measured { "-" } else { "+" };
            let (simulated, measured) = (time(pair.simulated), time(pair.measured));
            output::line(format_args!(
                "{:<44} {simulated:>10} {measured:>10} {:>9}",
                pair.name(),
                format!("{sign}{error}")
            ));
        }
        output::line("");
    }
    output::line(format_args!("{:<30} {:>7} {:>9} {:>9}", "logarithmic error", "series", "mean", "worst"));
    let row = |name: &str, errors: &LogErrors| {
        let (mean, worst) = (percent(errors.mean()), percent(errors.worst()));
        output::line(format_args!("{name:<30} {:>7} {mean:>9} {worst:>9}", errors.count()));
    };
    for group in comparison.groups() {
        row(&format!("{} {}", group.by, group.name), &group.errors);
    }
    row("all", &comparison.errors());
    comparison.verdict().iter().for_each(output::line);
    let Comparison { only_simulated, only_measured, .. } = comparison;
    if only_simulated + only_measured > 0 {
        output::line(format_args!(
            "in one file only: {only_simulated} simulated, {only_measured} measured series"
        ));
    }
}

fn time(seconds: f64) -> String {
    time_text(Duration::from_secs_f64(seconds))
}

fn object(comparison: &Comparison, limit: Option<f64>) -> Value {
    let errors = |errors: &LogErrors| json!({"mean": errors.mean(), "worst": errors.worst(), "series": errors.count()});
    let all = comparison.errors();
    json!({
        "error": errors(&all),
        "groups": comparison.groups().iter().map(|group| {
            json!({"by": group.by, "name": group.name, "error": errors(&group.errors)})
        }).collect::<Vec<_>>(),
        "series": comparison.pairs.iter().map(|pair| json!({
            "bench": pair.bench,
            "mpi": pair.mpi,
            "topology": pair.topology,
            "ranks": pair.ranks,
            "bytes": pair.bytes,
            "simulated_seconds": pair.simulated,
            "measured_seconds": pair.measured,
            "log_ratio": pair.log_ratio(),
        })).collect::<Vec<_>>(),
        "only_simulated": comparison.only_simulated,
        "only_measured": comparison.only_measured,
        "max_error": limit,
        "within": limit.map(|limit| 100.0 * all.mean() <= limit),
        "version": env!("CARGO_PKG_VERSION"),
    })
}
