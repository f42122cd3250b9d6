//! The OSU micro-benchmarks: `osu_latency`, `osu_bw`, `osu_mbw_mr` and their kin.
//!
//! ```text
//! # OSU MPI Latency Test v7.3          # OSU MPI Multiple Bandwidth / Message Rate Test v7.3
//! # Size          Latency (us)         # [ pairs: 4 ] [ window size: 64 ]
//! 1                       1.23         # Size                  MB/s        Messages/s
//! ```
//!
//! A megabyte is 10^6 bytes. Rates are those of all pairs together: the time from one message of an interface to the next.

use super::lines::{Line, Lines, ReadError};
use crate::measurement::{Measurements, SampleKind};

/// The table that lines belong to.
#[derive(Clone, Copy)]
enum Columns {
    /// Size, time in units of so many seconds.
    Latency(f64),
    /// Size, megabytes per second.
    Bandwidth,
    /// Size, megabytes per second, messages per second.
    Rate,
}

pub(super) fn recognises(text: &str) -> bool {
    text.lines().take(50).any(|line| line.trim_start().starts_with("# OSU "))
        || text.lines().take(50).any(|line| columns(line).is_some())
}

pub(super) fn read(lines: &Lines<'_>) -> Result<Measurements, ReadError> {
    let mut all = Measurements::default();
    let mut usable = true;
    for part in parts(lines) {
        match part {
            Part::Title(title) => {
                usable = is_of_pairs(title);
                if !usable {
                    all.skip(test_of(title));
                }
            }
            Part::Row(line, columns) if usable => row(&line, columns, &mut all)?,
            Part::Row(..) => {}
        }
    }
    Ok(all)
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
                let (_, bytes, seconds) = sample(&line, columns)?;
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
    let mut table = None;
    lines.iter().filter_map(move |line| {
        if let Some(title) = line.text.strip_prefix("# OSU ") {
            table = None;
            return Some(Part::Title(title));
        }
        if line.text.starts_with('#') {
            table = columns(line.text).or(table);
            return None;
        }
        table.filter(|_| is_row(line.text)).map(|columns| Part::Row(line, columns))
    })
}

/// `MPI Allreduce Latency`, without the version.
fn test_of(title: &str) -> &str {
    title.split(" Test").next().unwrap_or(title)
}

/// Is it a test of pairs of ranks that send and receive? Both directions together are the gap of neither.
fn is_of_pairs(title: &str) -> bool {
    let test = test_of(title).split_once(' ');
    // `MPI` and `MPI-CUDA` send and receive, `MPI_Put` does not.
    test.is_some_and(|(library, test)| {
        !library.contains('_')
            && matches!(test, "Latency" | "Multi Latency" | "Bandwidth" | "Multiple Bandwidth / Message Rate")
    })
}

fn is_row(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit() || first == '-')
}

/// The columns that a heading names.
fn columns(heading: &str) -> Option<Columns> {
    let heading = heading.trim_start().strip_prefix('#')?.trim_start().strip_prefix("Size")?;
    if heading.contains("Messages/s") {
        return Some(Columns::Rate);
    }
    if heading.contains("MB/s") {
        return Some(Columns::Bandwidth);
    }
    let units = [("(us)", 1e-6), ("(ms)", 1e-3), ("(ns)", 1e-9), ("(s)", 1.0)];
    let unit = units.into_iter().find(|(unit, _)| heading.contains(unit)).map(|(_, seconds)| seconds);
    heading.contains("Latency").then_some(Columns::Latency(unit.unwrap_or(1e-6)))
}

fn row(line: &Line<'_>, columns: Columns, all: &mut Measurements) -> Result<(), ReadError> {
    let (kind, bytes, seconds) = sample(line, columns)?;
    all.add(kind, bytes, seconds);
    Ok(())
}

fn sample(line: &Line<'_>, columns: Columns) -> Result<(SampleKind, u64, f64), ReadError> {
    let words = line.words();
    let bytes = line.bytes(words[0])?;
    let number = |at: usize, what: &str| {
        let missing = || line.error(format!("has {} columns only", words.len()));
        line.positive(words.get(at).copied().ok_or_else(missing)?, what)
    };
    Ok(match columns {
        Columns::Latency(unit) => (SampleKind::PingPong, bytes, number(1, "time")? * unit),
        Columns::Bandwidth => (SampleKind::Gap, bytes, bytes as f64 / (number(1, "bandwidth")? * 1e6)),
        Columns::Rate => (SampleKind::Gap, bytes, 1.0 / number(2, "message rate")?),
    })
}
