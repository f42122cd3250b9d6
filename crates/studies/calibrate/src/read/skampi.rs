//! SKaMPI 5.
//!
//! ```text
//! # SKaMPI Version 5.0 rev. 355
//! begin result "Pingpong_Send_Recv"
//! count= 1        4       6.6       0.1       54       3.1       6.6
//! end result "Pingpong_Send_Recv"
//! ```
//!
//! After the variables: bytes, microseconds, standard error, repetitions, times of the processes. A ping-pong goes forth and
//! back.

use super::lines::{Line, Lines, ReadError};
use crate::measurement::{Measurements, SampleKind};

pub(super) fn recognises(text: &str) -> bool {
    text.lines()
        .any(|line| line.trim_start_matches(['#', ' ']).starts_with("SKaMPI") || result_name(line).is_some())
}

pub(super) fn read(lines: &Lines<'_>) -> Result<Measurements, ReadError> {
    let mut all = Measurements::default();
    let mut inside = None;
    for line in lines.iter() {
        if let Some(name) = result_name(line.text) {
            let wanted = name.to_ascii_lowercase().contains("pingpong");
            inside = wanted.then_some(());
            if !wanted {
                all.skip(name);
            }
        } else if line.text.trim_start_matches(['#', ' ']).starts_with("end result") {
            inside = None;
        } else if inside.is_some() && !line.text.starts_with('#') {
            row(&line, &mut all)?;
        }
    }
    Ok(all)
}

/// The name in `begin result "name"`, which some versions write as a comment.
fn result_name(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(['#', ' ']).strip_prefix("begin result")?;
    Some(rest.trim().trim_matches('"'))
}

fn row(line: &Line<'_>, all: &mut Measurements) -> Result<(), ReadError> {
    let words = line.words();
    // Variables are pairs, such as `count= 1`; the columns come after the last of them.
    let start = words.iter().rposition(|word| word.ends_with('=')).map_or(0, |at| at + 2);
    let [bytes, time, ..] = words.get(start..).unwrap_or_default() else {
        return Err(line.error("expected variables, a size in bytes and a time in microseconds"));
    };
    let round_trip = line.positive(time, "time")? * 1e-6;
    all.add(SampleKind::PingPong, line.bytes(bytes)?, round_trip / 2.0);
    Ok(())
}
