//! Readers of values of the `[model]` table that are more than a number.

use mpirage_kernel::{DelaySection, InterfaceDelay};
use mpirage_models::{FanTable, Fans, Limit, Segment};
use mpirage_mpi::{AccessProgress, Envelope, Handshake, LibraryProgress, Noise, Overhead};
use mpirage_platform::Value;
use mpirage_units::{DIVISOR, Duration, FACTOR};

use crate::bus;
use crate::values::{bandwidth, bytes, field, list, quantity, seconds, table};

/// More than a tenth would not be max-min sharing.
pub(super) fn sharing_tolerance(value: &Value) -> Result<f64, String> {
    let tolerance = quantity(value, &FACTOR)?;
    if tolerance > 0.1 {
        return Err(format!("a tolerance of {tolerance} is too much: from 0 (exact) to 0.1"));
    }
    Ok(tolerance)
}

/// `"paper"`, `"constant"`, `"linear"`, `"logarithmic"`, or a list of rows that replace those there are.
pub(super) fn fan_table(value: &Value, before: &FanTable) -> Result<FanTable, String> {
    if let Value::Text(text) = value {
        let mut table = match (text.as_str(), bus::fan(text)) {
            ("paper", _) => FanTable::of_paper(),
            (_, Some(fan)) => FanTable::uniform(fan),
            (other, None) => {
                return Err(format!("`{other}` is none of paper, constant, linear, logarithmic"));
            }
        };
        table.linear_with_root = before.linear_with_root;
        return Ok(table);
    }
    let mut all = before.clone();
    for row in list(value)? {
        let fields = table(row, &["operation", "in", "in-size", "out", "out-size"])?;
        let text = |name: &str| match fields.iter().find(|(key, _)| key == name) {
            Some((_, Value::Text(text))) => Ok(text.as_str()),
            _ => Err(format!("a row needs `{name}`, a text")),
        };
        let kind = text("operation").and_then(|name| {
            bus::operation(name).ok_or_else(|| format!("`{name}` is no collective; write as in \"bcast\""))
        })?;
        let fan = |name| bus::fan(text(name)?).ok_or_else(|| format!("`{name}` is none of 0, CT, LIN, LOG"));
        let size = |name| {
            let known = "CURR, MAX, MIN, MEAN, 2MAX, S+R";
            bus::size(text(name)?).ok_or_else(|| format!("`{name}` is none of {known}"))
        };
        all.set(
            kind,
            Fans { fan_in: (fan("in")?, size("in-size")?), fan_out: (fan("out")?, size("out-size")?) },
        );
    }
    Ok(all)
}

/// A number of links or buses; zero means no limit.
pub(super) fn limit(value: &Value) -> Result<Limit, String> {
    let number = quantity(value, &FACTOR)?;
    match number {
        0.0 => Ok(None),
        whole if whole.fract() == 0.0 && whole < f64::from(u32::MAX) => Ok(Some(whole as u32)),
        _ => Err(format!("{value} is not a number of links or buses")),
    }
}

/// A number of bytes, or `inf` for any.
pub(super) fn any_bytes(value: &Value) -> Result<u64, String> {
    match value {
        Value::Float(f64::INFINITY) => Ok(u64::MAX),
        value => bytes(value),
    }
}

/// A bandwidth, or `inf`: Dimemas knows links that take no time.
pub(super) fn any_bandwidth(value: &Value) -> Result<f64, String> {
    match value {
        Value::Float(f64::INFINITY) => Ok(f64::INFINITY),
        value => bandwidth(value),
    }
}

pub(super) fn segments(value: &Value) -> Result<Vec<Segment>, String> {
    let mut segments = Vec::new();
    for entry in list(value)? {
        let table = table(entry, &["above", "latency", "bandwidth"])?;
        let field = |name: &str| field(table, name);
        let need = |name: &str| field(name).ok_or(format!("a segment needs `{name}`"));
        segments.push(Segment {
            above: bytes(need("above")?)?,
            latency_factor: quantity(need("latency")?, &FACTOR)?,
            bandwidth_factor: quantity(need("bandwidth")?, &DIVISOR)?,
        });
    }
    let increasing = segments.windows(2).all(|pair| pair[0].above < pair[1].above);
    if segments.first().is_some_and(|first| first.above == 0) && increasing {
        Ok(segments)
    } else {
        Err("segments start with above = 0 and go up".to_owned())
    }
}

pub(super) fn overhead(value: &Value) -> Result<Overhead, String> {
    if !matches!(value, Value::List(_)) {
        return Ok(Overhead { sections: vec![(0, seconds(value)?, 0.0)] });
    }
    let mut sections = Vec::new();
    for entry in list(value)? {
        let table = table(entry, &["from", "seconds", "per-byte"])?;
        let field = |name: &str| field(table, name);
        let from = field("from").map_or(Ok(0), bytes)?;
        let constant = field("seconds").map_or(Ok(0.0), seconds)?;
        sections.push((from, constant, field("per-byte").map_or(Ok(0.0), seconds)?));
    }
    sections.sort_by_key(|section| section.0);
    Ok(Overhead { sections })
}

/// A delay is written as an overhead is.
pub(super) fn delay(value: &Value) -> Result<InterfaceDelay, String> {
    let section = |(from, seconds, per_byte)| DelaySection { from, seconds, per_byte };
    Ok(InterfaceDelay::new(overhead(value)?.sections.into_iter().map(section).collect()))
}

pub(super) fn envelope(value: &Value) -> Result<Envelope, String> {
    match value {
        Value::Text(text) if text == "at-send" => Ok(Envelope::AtSend),
        Value::Text(text) if text == "on-arrival" => Ok(Envelope::OnArrival),
        other => Err(format!("{other} is neither \"at-send\" nor \"on-arrival\"")),
    }
}

/// `true` and `false` are what files of the first version say.
pub(super) fn handshake(value: &Value) -> Result<Handshake, String> {
    match value {
        Value::Boolean(true) => Ok(Handshake::Grant),
        Value::Boolean(false) => Ok(Handshake::None),
        Value::Text(text) => match text.as_str() {
            "none" => Ok(Handshake::None),
            "grant" => Ok(Handshake::Grant),
            "confirm" => Ok(Handshake::Confirm),
            "read" => Ok(Handshake::Read),
            _ => Err(format!("{text:?} is none of none, grant, confirm, read")),
        },
        other => Err(format!("{other} is none of \"none\", \"grant\", \"confirm\", \"read\"")),
    }
}

/// Fields that are not given stay as they were.
pub(super) fn noise(value: &Value, before: &Noise) -> Result<Noise, String> {
    let fields = table(value, &["computation", "message", "start"])?;
    let mut noise = *before;
    if let Some(spread) = field(fields, "computation") {
        noise.computation = quantity(spread, &FACTOR)?;
        if noise.computation > 1.0 {
            return Err(format!("`computation` is a relative spread, 0.02 for 2 %, not {spread}"));
        }
    }
    noise.message = field(fields, "message").map_or(Ok(noise.message), seconds)?;
    if let Some(start) = field(fields, "start") {
        noise.start = Duration::from_secs_f64(seconds(start)?);
    }
    Ok(noise)
}

pub(super) fn one_sided(value: &Value) -> Result<AccessProgress, String> {
    match value {
        Value::Text(text) if text == "interface" => Ok(AccessProgress::Interface),
        Value::Text(text) if text == "calls" => Ok(AccessProgress::InCalls),
        other => Err(format!("{other} is neither \"interface\" nor \"calls\"")),
    }
}

pub(super) fn progress(value: &Value) -> Result<LibraryProgress, String> {
    match value {
        Value::Text(text) if text == "background" => Ok(LibraryProgress::Background),
        Value::Text(text) if text == "calls" => Ok(LibraryProgress::InCalls),
        other => Err(format!("{other} is neither \"background\" nor \"calls\"")),
    }
}
