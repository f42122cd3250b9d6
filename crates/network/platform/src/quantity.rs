//! Quantities in SimGrid's own notation: lists of speeds, prefixes that are spelled out, zeros for "none".

use mpirage_units::{SPEED, WORK};

/// Whether a quantity is 0, in whatever unit.
pub(crate) fn is_zero(text: &str) -> bool {
    let number = text.trim().trim_end_matches(|c: char| c.is_ascii_alphabetic());
    WORK.read(number).is_ok_and(|read| read.value() == 0.0)
}

/// The speeds of all performance states, such as `2Gf, 1.5Gf, 800Mf`.
pub(crate) fn speeds(text: &str) -> Result<Vec<f64>, String> {
    let speed = |text: &str| {
        let read = WORK.read(text).map(|read| read.value());
        read.or_else(|error| {
            SPEED.read(text).map_or_else(|better| Err(better.to_string()), |_| Err(error.to_string()))
        })
    };
    spelled(text).iter().map(|text| speed(text)).collect()
}

fn spelled(text: &str) -> Vec<String> {
    text.split(',').map(|speed| abbreviated(speed.trim())).collect()
}

/// The speed of one performance state out of a list such as `2Gf, 1.5Gf, 800Mf`, and what is doubtful about it. Others may
/// be 0: a host that is off.
pub(crate) fn speed_in_state(text: &str, state: usize) -> Result<(f64, Option<String>), String> {
    speeds(text)?;
    let speed = spelled(text);
    let speed = speed
        .get(state)
        .ok_or_else(|| format!("`{text}` has no speed for performance state {state}, counted from 0"))?;
    let read = SPEED.read(speed).map_err(|error| error.to_string())?;
    Ok((read.value(), read.unlikely_doubt()))
}

/// SimGrid also spells the prefixes out: `2gigaflops`.
fn abbreviated(speed: &str) -> String {
    let spelled_out =
        [("kilo", "k"), ("mega", "M"), ("giga", "G"), ("tera", "T"), ("peta", "P"), ("exa", "E")];
    let found = spelled_out.iter().find(|(long, _)| speed.ends_with(&format!("{long}flops")));
    found.map_or_else(|| speed.to_owned(), |(long, short)| speed.replace(long, short))
}
