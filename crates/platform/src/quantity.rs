//! Quantities of platform files, read and checked: what is not positive is not a quantity.

use mpirage_units::{ParseUnitError, parse_bandwidth, parse_duration, parse_speed};

/// Bytes per second, positive.
pub(crate) fn bandwidth(text: &str) -> Result<f64, String> {
    positive(text, parse_bandwidth(text), "a bandwidth of 0 moves nothing")
}

/// Seconds, not negative.
pub(crate) fn latency(text: &str) -> Result<f64, String> {
    parse_duration(text).map_err(|error| error.to_string())
}

/// Flop/s, positive.
pub(crate) fn speed(text: &str) -> Result<f64, String> {
    positive(text, parse_speed(text), "a host of speed 0 never finishes anything")
}

fn positive(text: &str, parsed: Result<f64, ParseUnitError>, if_zero: &str) -> Result<f64, String> {
    match parsed {
        Ok(value) if value > 0.0 => Ok(value),
        Ok(_) => Err(format!("`{text}`: {if_zero}")),
        Err(error) => Err(error.to_string()),
    }
}

/// Whether a quantity is 0, in whatever unit.
pub(crate) fn is_zero(text: &str) -> bool {
    let number = text.trim().trim_end_matches(|c: char| c.is_ascii_alphabetic());
    number.parse() == Ok(0.0)
}

/// The speed of one performance state out of a list. Others may be 0: a host that is off.
pub(crate) fn speed_in_state(text: &str, state: usize) -> Result<f64, String> {
    let speeds = speeds(text)?;
    match speeds.get(state) {
        Some(speed) if *speed > 0.0 => Ok(*speed),
        Some(_) => Err(format!("`{text}`: a host of speed 0 never finishes anything")),
        None => Err(format!("`{text}` has no speed for performance state {state}, counted from 0")),
    }
}

/// The speeds of a list such as `2Gf, 1.5Gf, 800Mf`, one per performance state. SimGrid also spells
/// the prefixes out: `2gigaflops`.
fn speeds(text: &str) -> Result<Vec<f64>, String> {
    let one = |text: &str| parse_speed(&abbreviated(text.trim())).map_err(|error| error.to_string());
    text.split(',').map(one).collect()
}

fn abbreviated(speed: &str) -> String {
    let spelled_out =
        [("kilo", "k"), ("mega", "M"), ("giga", "G"), ("tera", "T"), ("peta", "P"), ("exa", "E")];
    let found = spelled_out.iter().find(|(long, _)| speed.ends_with(&format!("{long}flops")));
    found.map_or_else(|| speed.to_owned(), |(long, short)| speed.replace(long, short))
}
