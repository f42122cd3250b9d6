//! NetPIPE: what it prints, and its file `np.out`.
//!
//! ```text
//!   0:       1 bytes  22315 times -->      0.23 Mbps in      33.61 usec
//!        1 0.227000   0.00003361
//! ```
//!
//! The file has bytes, megabits per second and seconds. Times are half a round trip.

use super::lines::{Line, Lines, ReadError};
use crate::measurement::{Measurements, SampleKind};

const ARROW: &str = "-->";

pub(super) fn recognises(text: &str) -> bool {
    let first = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with('#'))
        .unwrap_or_default();
    text.lines().any(|line| line.contains(ARROW) && line.contains("bps in")) || is_row(first)
}

/// Bytes, rate and time of one message: the first two give the third, whatever the unit of the rate.
fn is_row(line: &str) -> bool {
    let numbers: Vec<f64> = line.split_whitespace().map_while(|word| word.parse().ok()).collect();
    let [bytes, rate, seconds, ..] = numbers[..] else { return false };
    let units = [1e6, 1_048_576.0, 1e9];
    units.iter().any(|unit| (rate * unit * seconds / (8.0 * bytes) - 1.0).abs() < 0.02)
}

pub(super) fn read(lines: &Lines<'_>) -> Result<Measurements, ReadError> {
    let mut all = Measurements::default();
    for line in lines.iter().filter(|line| !line.text.starts_with('#')) {
        if line.text.contains(ARROW) {
            printed(&line, &mut all)?;
        } else if line.text.starts_with(|first: char| first.is_ascii_digit()) {
            let words = line.words();
            let [bytes, _, seconds, ..] = words[..] else {
                return Err(line.error("expected bytes, a rate in Mbps and a time in seconds"));
            };
            all.add(SampleKind::PingPong, line.bytes(bytes)?, line.positive(seconds, "time")?);
        }
    }
    Ok(all)
}

/// A line of what it prints.
fn printed(line: &Line<'_>, all: &mut Measurements) -> Result<(), ReadError> {
    let words = line.words();
    let before = |unit: &str| {
        let at = words.iter().rposition(|word| *word == unit).and_then(|at| at.checked_sub(1));
        at.map(|at| words[at])
    };
    let units = [("usec", 1e-6), ("msec", 1e-3), ("nsec", 1e-9), ("sec", 1.0)];
    let time = units.into_iter().find_map(|(unit, seconds)| before(unit).map(|word| (word, seconds)));
    let (Some(bytes), Some((time, unit))) = (before("bytes"), time) else {
        return Err(line.error("expected `… bytes … --> … Mbps in … usec`"));
    };
    all.add(SampleKind::PingPong, line.bytes(bytes)?, line.positive(time, "time")? * unit);
    Ok(())
}
