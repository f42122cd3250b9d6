//! The Intel MPI Benchmarks: PingPong, PingPing, Sendrecv and Uniband.
//!
//! ```text
//! # Benchmarking PingPong
//! # #processes = 2
//!        #bytes #repetitions      t[usec]   Mbytes/sec
//!             0         1000         0.61         0.00
//! ```
//!
//! The time of PingPong is half a round trip. Other benchmarks have `t_min`, `t_max` and `t_avg`; the average counts.

use super::lines::{Lines, ReadError};
use crate::measurement::{Measurements, SampleKind};

const BENCHMARK: &str = "# Benchmarking";

pub(super) fn recognises(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with(BENCHMARK))
}

pub(super) fn read(lines: &Lines<'_>) -> Result<Measurements, ReadError> {
    let mut all = Measurements::default();
    let mut kind = None;
    let mut columns: Vec<&str> = Vec::new();
    for line in lines.iter() {
        if let Some(name) = line.text.strip_prefix(BENCHMARK) {
            kind = kind_of(name.trim());
            columns.clear();
            if kind.is_none() {
                all.skip(name.trim());
            }
        } else if line.text.starts_with("#bytes") {
            columns = line.words();
        } else if !line.text.starts_with('#')
            && let Some(kind) = kind.filter(|_| !columns.is_empty())
        {
            let words = line.words();
            let Ok(bytes) = words[0].parse() else { continue };
            let column = |names: &[&str]| {
                names.iter().find_map(|name| columns.iter().position(|column| column == name))
            };
            let names: &[&str] =
                if kind == SampleKind::Gap { &["Msg/sec"] } else { &["t[usec]", "t_avg[usec]"] };
            let at = column(names)
                .ok_or_else(|| line.error(format!("the table has no column {}", names.join(" or "))))?;
            let word =
                words.get(at).ok_or_else(|| line.error(format!("has {} columns only", words.len())))?;
            let value = line.positive(word, if kind == SampleKind::Gap { "message rate" } else { "time" })?;
            all.add(kind, bytes, if kind == SampleKind::Gap { 1.0 / value } else { value * 1e-6 });
        }
    }
    Ok(all)
}

fn kind_of(benchmark: &str) -> Option<SampleKind> {
    match benchmark {
        "PingPong" | "PingPongSpecificSource" | "PingPongAnySource" => Some(SampleKind::PingPong),
        "PingPing" | "PingPingSpecificSource" | "PingPingAnySource" | "Sendrecv" => {
            Some(SampleKind::Exchange)
        }
        "Uniband" => Some(SampleKind::Gap),
        _ => None,
    }
}
