//! Values of the keys of the `[packet]` table, read and shown.

use mpirage_packet::{CongestionAlgorithm, Forwarding, QueueLimit, Red, Routing};
use mpirage_platform::Value;
use mpirage_units::{DURATION, Duration, FACTOR, Quantity};

use crate::values::{bytes, field, list, quantity, table};

/// A list of names, or one text with commas between them.
pub(super) fn names(value: &Value) -> Result<Vec<String>, String> {
    if let Value::Text(text) = value {
        return Ok(text.split(',').map(|name| name.trim().to_owned()).collect());
    }
    let name = |entry: &Value| entry.as_text().map(str::to_owned).ok_or(format!("{entry} is no name"));
    list(value)?.iter().map(name).collect()
}

pub(super) fn whole(value: &Value, least: u32, most: u32) -> Result<u32, String> {
    let number = bytes(value)?;
    match u32::try_from(number).ok().filter(|number| (least..=most).contains(number)) {
        Some(number) => Ok(number),
        None => Err(format!("{number} is not a whole number from {least} to {most}")),
    }
}

pub(super) fn at_least_one(value: &Value) -> Result<u64, String> {
    match bytes(value)? {
        0 => Err("0 bytes let nothing pass".to_owned()),
        bytes => Ok(bytes),
    }
}

pub(super) fn optional_bytes(value: &Value) -> Result<Option<u64>, String> {
    if *value == Value::Boolean(false) { Ok(None) } else { bytes(value).map(Some) }
}

/// A number of packets; `None`, if the rule of the standard holds.
pub(super) fn packets_or_rule(value: &Value) -> Result<Option<u32>, String> {
    if *value == Value::Boolean(false) { Ok(None) } else { whole(value, 1, 1 << 20).map(Some) }
}

pub(super) fn probability(value: &Value) -> Result<f64, String> {
    let share = quantity(value, &FACTOR)
        .map_err(|_| format!("{value} is no probability; write a number from 0 to 1, for example 0.01"))?;
    if share <= 1.0 { Ok(share) } else { Err(format!("{share} is no probability: it is more than 1")) }
}

pub(super) fn duration(value: &Value) -> Result<Duration, String> {
    const KIND: &Quantity = &DURATION;
    quantity(value, KIND).map(Duration::from_secs_f64)
}

pub(super) fn show_time(span: Duration) -> String {
    format!("\"{}s\"", span.as_secs_f64())
}

pub(super) fn forwarding(value: &Value) -> Result<Forwarding, String> {
    match value.as_text() {
        Some("store-and-forward") => Ok(Forwarding::StoreAndForward),
        Some("cut-through") => Ok(Forwarding::CutThrough),
        _ => Err(format!("{value} is neither \"store-and-forward\" nor \"cut-through\"")),
    }
}

pub(super) fn routing(value: &Value) -> Result<Routing, String> {
    const ROUTES: u32 = 16;
    match value.as_text() {
        Some("static") => Ok(Routing::Static),
        Some("ecmp") => Ok(Routing::Ecmp(ROUTES)),
        Some("adaptive") => Ok(Routing::Adaptive(ROUTES)),
        _ => Err(format!("{value} is none of \"static\", \"ecmp\", \"adaptive\"")),
    }
}

pub(super) fn algorithm(value: &Value) -> Result<CongestionAlgorithm, String> {
    match value.as_text() {
        Some("cubic") => Ok(CongestionAlgorithm::Cubic),
        Some("reno") => Ok(CongestionAlgorithm::Reno),
        _ => Err(format!("{value} is neither \"cubic\" nor \"reno\"")),
    }
}

pub(super) fn queue_limit(value: &Value) -> Result<QueueLimit, String> {
    if let Value::Table(_) = value {
        let frames = field(table(value, &["frames"])?, "frames").ok_or("a queue needs bytes or `frames`")?;
        return whole(frames, 1, u32::MAX).map(QueueLimit::Frames);
    }
    match bytes(value)? {
        0 => Err("a queue of 0 bytes lets nothing pass".to_owned()),
        bytes => Ok(QueueLimit::Bytes(bytes)),
    }
}

pub(super) fn show_limit(limit: QueueLimit) -> String {
    match limit {
        QueueLimit::Bytes(bytes) => bytes.to_string(),
        QueueLimit::Frames(frames) => format!("{{ frames = {frames} }}"),
    }
}

pub(super) fn red(value: &Value) -> Result<Option<Red>, String> {
    if *value == Value::Boolean(false) {
        return Ok(None);
    }
    let fields = table(value, &["low", "high", "probability", "weight"])?;
    let need = |name: &str| field(fields, name).ok_or(format!("early detection needs `{name}`"));
    let red = Red {
        low: bytes(need("low")?)? as f64,
        high: bytes(need("high")?)? as f64,
        probability: probability(need("probability")?)?,
        weight: field(fields, "weight").map_or(Ok(0.002), probability)?,
    };
    if red.low < red.high { Ok(Some(red)) } else { Err("`low` is not below `high`".to_owned()) }
}
