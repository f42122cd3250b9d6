//! `mpirage compare`: simulated beside measured times.

use std::path::Path;

use mpirage_calibrate::{Comparison, LogErrors, Pair, ReadOptions, Record, compare, percent, read_records};
use mpirage_plot::{Colour, Look, Panel, Point, Series, size_text, svg};
use mpirage_units::{Duration, counted, time_text};
use serde_json::{Value, json};

use crate::arguments::CompareArguments;
use crate::conflicts::Conflicts;
use crate::exit::{Failure, TOO_FAR, bad_measurements, usage};
use crate::output::{self, say};
use crate::results::{JsonOutput, open_plot, write};

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
    let json = JsonOutput::open(&arguments.json)?;
    let comparison =
        compare(&records(&arguments.simulated)?, &records(&arguments.real)?).map_err(bad_measurements)?;
    if !arguments.quiet && !arguments.json.is_shown() {
        print(&comparison);
    }
    if let Some(file) = plot {
        write(file, &drawing(&comparison))?;
    }
    json.write(&object(&comparison, arguments.max_error))?;
    judge(&comparison.errors(), arguments.max_error)
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
                name(pair),
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
    verdict(comparison).into_iter().for_each(output::line);
    let Comparison { only_simulated, only_measured, .. } = comparison;
    if only_simulated + only_measured > 0 {
        output::line(format_args!(
            "in one file only: {only_simulated} simulated, {only_measured} measured series"
        ));
    }
}

/// A mean difference below this says nothing about its direction.
const CLEAR: f64 = 0.02;

/// How far the simulation is off, in which direction, and where most.
fn verdict(comparison: &Comparison) -> Option<String> {
    let ratios = || comparison.pairs.iter().map(Pair::log_ratio);
    let worst = comparison
        .pairs
        .iter()
        .max_by(|one, other| one.log_ratio().abs().total_cmp(&other.log_ratio().abs()))?;
    let mean = ratios().sum::<f64>() / comparison.pairs.len() as f64;
    let direction = match mean.abs() < CLEAR {
        true => "neither too slow nor too fast on average".to_owned(),
        false => format!(
            "too {} by {} on average",
            if mean > 0.0 { "slow" } else { "fast" },
            percent(mean.abs().exp_m1())
        ),
    };
    Some(format!(
        "the simulation is {} off, {direction}; most in {}: {} too {}",
        percent(comparison.errors().mean()),
        name(worst),
        percent(worst.log_ratio().abs().exp_m1()),
        if worst.log_ratio() > 0.0 { "slow" } else { "fast" }
    ))
}

/// `ompi pingpong, 16 ranks, 1 KiB`.
fn name(pair: &Pair) -> String {
    let words: Vec<&str> =
        [&pair.topology, &pair.mpi, &pair.bench].into_iter().filter_map(Option::as_deref).collect();
    let ranks = pair.ranks.map(|ranks| counted(ranks, "rank"));
    let parts = [Some(words.join(" ")).filter(|words| !words.is_empty()), ranks, pair.bytes.map(size_text)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "the run".to_owned() } else { parts.join(", ") }
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

/// A panel for each benchmark and library; runs without a size stand at one byte.
fn drawing(comparison: &Comparison) -> String {
    let heading = |pair: &Pair| {
        let words: Vec<&str> =
            [&pair.topology, &pair.mpi, &pair.bench].into_iter().filter_map(Option::as_deref).collect();
        if words.is_empty() { "times".to_owned() } else { words.join(" ") }
    };
    let panels: Vec<Panel> = comparison
        .pairs
        .chunk_by(|one, next| heading(one) == heading(next))
        .map(|pairs| Panel {
            heading: heading(&pairs[0]),
            series: vec![
                series("measured", Colour::Red, pairs, |pair| pair.measured),
                series("simulated", Colour::Blue, pairs, |pair| pair.simulated),
            ],
        })
        .collect();
    svg("simulated and measured times", &panels)
}

fn series(title: &str, colour: Colour, pairs: &[Pair], seconds: fn(&Pair) -> f64) -> Series {
    let point = |pair: &Pair| Point {
        bytes: pair.bytes.unwrap_or(1),
        seconds: seconds(pair),
        text: format!("{}: {title}, {}", name(pair), time(seconds(pair))),
        label: String::new(),
    };
    Series {
        name: title.to_owned(),
        colour,
        look: Look::LineAndDots,
        points: pairs.iter().map(point).collect(),
    }
}
