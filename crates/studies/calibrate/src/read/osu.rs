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
    let (mut table, mut usable) = (None, true);
    for line in lines.iter() {
        if let Some(title) = line.text.strip_prefix("# OSU ") {
            usable = is_of_pairs(title);
            table = None;
            if !usable {
                all.skip(title.split(" Test").next().unwrap_or(title));
            }
        } else if line.text.starts_with('#') {
            table = columns(line.text).filter(|_| usable).or(table);
        } else if let Some(columns) = table.filter(|_| is_row(line.text)) {
            row(&line, columns, &mut all)?;
        }
    }
    Ok(all)
}

/// Is it a test of pairs of ranks that send and receive? Both directions together are the gap of neither.
fn is_of_pairs(title: &str) -> bool {
    let test = title.split(" Test").next().and_then(|test| test.split_once(' '));
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
    let words = line.words();
    let bytes = line.bytes(words[0])?;
    let word = |at: usize| {
        words.get(at).copied().ok_or_else(|| line.error(format!("has {} columns only", words.len())))
    };
    match columns {
        Columns::Latency(unit) => {
            all.add(SampleKind::PingPong, bytes, line.positive(word(1)?, "time")? * unit)
        }
        Columns::Bandwidth => {
            all.add(SampleKind::Gap, bytes, bytes as f64 / (line.positive(word(1)?, "bandwidth")? * 1e6));
        }
        Columns::Rate => all.add(SampleKind::Gap, bytes, 1.0 / line.positive(word(2)?, "message rate")?),
    }
    Ok(())
}
