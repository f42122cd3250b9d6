//! The OSU micro-benchmarks: `osu_latency`, `osu_bw`, `osu_mbw_mr` and their kin.
//!
//! ```text
//! # OSU MPI Latency Test v7.3          # OSU MPI Multiple Bandwidth / Message Rate Test v7.3
//! # Size          Latency (us)         # [ pairs: 4 ] [ window size: 64 ]
//! 1                       1.23         # Size                  MB/s        Messages/s
//! ```
//!
//! A megabyte is 10^6 bytes. Rates are those of all pairs together. Tests of collectives are read as they are; others are skipped by name.

use super::lines::{Line, Lines, ReadError};
use crate::measurement::{Measurements, SampleKind};

/// The table that lines belong to.
#[derive(Clone, Copy)]
enum Columns {
    /// Size, time in units of so many seconds.
    Latency(f64),
    /// Size, megabytes per second.
    Bandwidth,
    /// Size, megabytes per second, messages per second, of so many pairs if a line above says how many.
    Rate(Option<u32>),
}

/// Titles of collectives in which no rank can leave before all have entered, and the names that patterns have for them. Repeated without a
/// pause, others overlap.
const COLLECTIVES: [(&str, &str); 4] = [
    ("Allreduce Latency", "allreduce"),
    ("Allgather Latency", "allgather"),
    ("All-to-All Personalized Exchange Latency", "alltoall"),
    ("Alltoall Latency", "alltoall"),
];

pub(super) fn recognises(text: &str) -> bool {
    text.lines().take(50).any(|line| line.trim_start().starts_with("# OSU "))
        || text.lines().take(50).any(|line| columns(line, None).is_some())
}

pub(super) fn read(lines: &Lines<'_>) -> Result<Measurements, ReadError> {
    let mut all = Measurements::default();
    let mut series = Some(Series::OneWay);
    for part in parts(lines) {
        match part {
            Part::Title(title) => {
                series = series_of(test_of(title));
                if series.is_none() {
                    all.skip(test_of(title));
                }
            }
            Part::Row(line, columns) => {
                let Some(series) = series else { continue };
                let (bytes, seconds) = sample(&line, columns)?;
                let (kind, messages) = kind_of(series, columns, &line)?;
                all.add(kind, bytes, messages * seconds);
            }
        }
    }
    Ok(all)
}

/// The kind of a row, and for how many messages of the rate its time is.
fn kind_of(series: Series, columns: Columns, line: &Line<'_>) -> Result<(SampleKind, f64), ReadError> {
    Ok(match (series, columns) {
        (Series::Collective(name), _) => (SampleKind::Collective(name), 1.0),
        (_, Columns::Latency(_)) => (SampleKind::PingPong, 1.0),
        (Series::BothWays, _) => (SampleKind::BothWays, 2.0),
        (_, Columns::Bandwidth) => (SampleKind::Window, 1.0),
        (_, Columns::Rate(Some(pairs))) => (SampleKind::Rate(pairs), 1.0),
        (_, Columns::Rate(None)) => {
            return Err(line.error(
                "nothing says how many pairs have this rate; keep the line `# [ pairs: N ]` of osu_mbw_mr",
            ));
        }
    })
}

/// A time of any test, also of those that no model is fitted to.
pub(crate) struct TestTime {
    /// The test, such as `MPI Allreduce Latency`.
    pub test: String,
    /// The message size.
    pub bytes: u64,
    /// The seconds of a call, or between messages.
    pub seconds: f64,
}

/// The times of all tests.
pub(super) fn read_all(lines: &Lines<'_>) -> Result<Vec<TestTime>, ReadError> {
    let (mut times, mut test) = (Vec::new(), String::new());
    for part in parts(lines) {
        match part {
            Part::Title(title) => test_of(title).clone_into(&mut test),
            Part::Row(line, columns) => {
                let (bytes, seconds) = sample(&line, columns)?;
                times.push(TestTime { test: test.clone(), bytes, seconds });
            }
        }
    }
    Ok(times)
}

/// A part of the text: a title, or a row of a table.
enum Part<'t> {
    Title(&'t str),
    Row(Line<'t>, Columns),
}

fn parts<'t>(lines: &Lines<'t>) -> impl Iterator<Item = Part<'t>> {
    let (mut table, mut pairs) = (None, None);
    lines.iter().filter_map(move |line| {
        if let Some(title) = line.text.strip_prefix("# OSU ") {
            (table, pairs) = (None, None);
            return Some(Part::Title(title));
        }
        if line.text.starts_with('#') {
            pairs = pairs_of(line.text).or(pairs);
            table = columns(line.text, pairs).or(table);
            return None;
        }
        table.filter(|_| is_row(line.text)).map(|columns| Part::Row(line, columns))
    })
}

/// `MPI Allreduce Latency`, without the version.
fn test_of(title: &str) -> &str {
    title.split(" Test").next().unwrap_or(title)
}

/// The measurements of a test.
#[derive(Clone, Copy)]
enum Series {
    /// Messages that one rank of a pair sends at a time.
    OneWay,
    /// Windows of both ranks of a pair at the same time.
    BothWays,
    Collective(&'static str),
}

/// The series of a test, if there is a use for it: `MPI` and `MPI-CUDA` send and receive, `MPI_Put` does not.
fn series_of(test: &str) -> Option<Series> {
    let (library, test) = test.split_once(' ').filter(|(library, _)| !library.contains('_'))?;
    let collective = || COLLECTIVES.iter().find(|(title, _)| *title == test).map(|(_, name)| *name);
    match (library, test) {
        (_, "Latency" | "Multi Latency" | "Bandwidth" | "Multiple Bandwidth / Message Rate") => {
            Some(Series::OneWay)
        }
        (_, "Bi-Directional Bandwidth") => Some(Series::BothWays),
        _ => collective().map(Series::Collective),
    }
}

/// The number in `# [ pairs: 4 ] [ window size: 64 ]`.
fn pairs_of(comment: &str) -> Option<u32> {
    let (_, rest) = comment.split_once("pairs:")?;
    rest.split_whitespace().next()?.parse().ok().filter(|pairs| *pairs > 0)
}

fn is_row(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit() || first == '-')
}

/// The columns that a heading names.
fn columns(heading: &str, pairs: Option<u32>) -> Option<Columns> {
    let heading = heading.trim_start().strip_prefix('#')?.trim_start().strip_prefix("Size")?;
    if heading.contains("Messages/s") {
        return Some(Columns::Rate(pairs));
    }
    if heading.contains("MB/s") {
        return Some(Columns::Bandwidth);
    }
    let units = [("(us)", 1e-6), ("(ms)", 1e-3), ("(ns)", 1e-9), ("(s)", 1.0)];
    let unit = units.into_iter().find(|(unit, _)| heading.contains(unit)).map(|(_, seconds)| seconds);
    heading.contains("Latency").then_some(Columns::Latency(unit.unwrap_or(1e-6)))
}

/// The bytes of a row, and the seconds of a call or from one message to the next.
fn sample(line: &Line<'_>, columns: Columns) -> Result<(u64, f64), ReadError> {
    let words = line.words();
    let bytes = line.bytes(words[0])?;
    let number = |at: usize, what: &str| {
        let missing = || line.error(format!("has {} columns only", words.len()));
        line.positive(words.get(at).copied().ok_or_else(missing)?, what)
    };
    let seconds = match columns {
        Columns::Latency(unit) => number(1, "time")? * unit,
        Columns::Bandwidth => bytes as f64 / (number(1, "bandwidth")? * 1e6),
        Columns::Rate(_) => 1.0 / number(2, "message rate")?,
    };
    Ok((bytes, seconds))
}
