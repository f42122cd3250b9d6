//! The `[model]` table of our own files.

use mpirage_models::Segment;
use mpirage_mpi::{Envelope, Overhead};
use mpirage_platform::{PlatformError, Setting, Value};
use mpirage_units::{Duration, parse_bandwidth, parse_bytes, parse_duration};

use crate::model::Model;

/// Every key.
const KEYS: [&str; 18] = [
    "segments",
    "header",
    "window",
    "penalty-scale",
    "cross-traffic",
    "contention",
    "loopback-bandwidth",
    "loopback-latency",
    "eager-limit",
    "push-limit",
    "envelope",
    "handshake",
    "send-overhead",
    "isend-overhead",
    "recv-overhead",
    "clock-cost",
    "reduce-seconds-per-byte",
    "copy-seconds-per-byte",
];

/// Applies one setting.
pub(crate) fn apply(setting: &Setting, model: &mut Model) -> Result<(), PlatformError> {
    apply_value(&setting.key, &setting.value, model).map_err(|problem| setting.place.error(problem))
}

fn apply_value(key: &str, value: &Value, model: &mut Model) -> Result<(), String> {
    let Model { flow, protocol, .. } = model;
    match key {
        "segments" => flow.segments = segments(value)?,
        "header" => flow.header = bytes(value)?,
        "window" => flow.window = positive(number(value)?)?,
        "penalty-scale" => flow.penalty_scale = number(value)?,
        "cross-traffic" => flow.cross_traffic = number(value)?,
        "contention" => flow.contention = truth(value)?,
        "loopback-bandwidth" => {
            flow.loopback.bandwidth = positive(quantity(value, |t| parse_bandwidth(t).ok())?)?
        }
        "loopback-latency" => flow.loopback.latency = seconds(value)?,
        "eager-limit" => protocol.eager_limit = bytes(value)?,
        "push-limit" => protocol.push_limit = bytes(value)?,
        "envelope" => protocol.envelope = envelope(value)?,
        "handshake" => protocol.handshake = truth(value)?,
        "send-overhead" => protocol.send_overhead = overhead(value)?,
        "isend-overhead" => protocol.isend_overhead = overhead(value)?,
        "recv-overhead" => protocol.recv_overhead = overhead(value)?,
        "clock-cost" => protocol.clock_cost = Duration::from_secs_f64(seconds(value)?),
        "reduce-seconds-per-byte" => protocol.reduce_seconds_per_byte = number(value)?,
        "copy-seconds-per-byte" => protocol.copy_seconds_per_byte = number(value)?,
        _ => return Err(format!("the model has no parameter `{key}`; it has {}", KEYS.join(", "))),
    }
    Ok(())
}

fn segments(value: &Value) -> Result<Vec<Segment>, String> {
    let mut segments = Vec::new();
    for entry in list(value)? {
        let table = table(entry, &["above", "latency", "bandwidth"])?;
        let field = |name: &str| table.iter().find(|(key, _)| key == name).map(|(_, value)| value);
        let need = |name: &str| field(name).ok_or(format!("a segment needs `{name}`"));
        segments.push(Segment {
            above: bytes(need("above")?)?,
            latency_factor: number(need("latency")?)?,
            bandwidth_factor: positive(number(need("bandwidth")?)?)?,
        });
    }
    let increasing = segments.windows(2).all(|pair| pair[0].above < pair[1].above);
    if segments.first().is_some_and(|first| first.above == 0) && increasing {
        Ok(segments)
    } else {
        Err("segments start with above = 0 and go up".to_owned())
    }
}

fn overhead(value: &Value) -> Result<Overhead, String> {
    if let Ok(constant) = seconds(value) {
        return Ok(Overhead { sections: vec![(0, constant, 0.0)] });
    }
    let mut sections = Vec::new();
    for entry in list(value)? {
        let table = table(entry, &["from", "seconds", "per-byte"])?;
        let field = |name: &str| table.iter().find(|(key, _)| key == name).map(|(_, value)| value);
        let from = field("from").map_or(Ok(0), bytes)?;
        let constant = field("seconds").map_or(Ok(0.0), seconds)?;
        sections.push((from, constant, field("per-byte").map_or(Ok(0.0), number)?));
    }
    sections.sort_by_key(|section| section.0);
    Ok(Overhead { sections })
}

fn envelope(value: &Value) -> Result<Envelope, String> {
    match value {
        Value::Text(text) if text == "at-send" => Ok(Envelope::AtSend),
        Value::Text(text) if text == "on-arrival" => Ok(Envelope::OnArrival),
        other => Err(format!("{other} is neither \"at-send\" nor \"on-arrival\"")),
    }
}

fn list(value: &Value) -> Result<&[Value], String> {
    match value {
        Value::List(values) => Ok(values),
        other => Err(format!("{other} is not a list of tables")),
    }
}

fn table<'v>(value: &'v Value, known: &[&str]) -> Result<&'v [(String, Value)], String> {
    let Value::Table(fields) = value else { return Err(format!("{value} is not a table")) };
    match fields.iter().find(|(key, _)| !known.contains(&key.as_str())) {
        Some((key, _)) => Err(format!("unknown key `{key}`; there are {}", known.join(", "))),
        None => Ok(fields),
    }
}

fn truth(value: &Value) -> Result<bool, String> {
    match value {
        Value::Boolean(truth) => Ok(*truth),
        other => Err(format!("{other} is neither true nor false")),
    }
}

fn number(value: &Value) -> Result<f64, String> {
    let number = match value {
        Value::Integer(number) => *number as f64,
        Value::Float(number) => *number,
        other => return Err(format!("{other} is not a number")),
    };
    if number >= 0.0 { Ok(number) } else { Err(format!("{value} is negative")) }
}

fn positive(number: f64) -> Result<f64, String> {
    if number > 0.0 { Ok(number) } else { Err("it must be more than zero".to_owned()) }
}

fn quantity(value: &Value, parse: impl Fn(&str) -> Option<f64>) -> Result<f64, String> {
    match value {
        Value::Text(text) => parse(text).ok_or_else(|| format!("`{text}` has no unit that fits here")),
        other => number(other),
    }
}

fn bytes(value: &Value) -> Result<u64, String> {
    quantity(value, |text| parse_bytes(text).ok()).map(|bytes| bytes as u64)
}

fn seconds(value: &Value) -> Result<f64, String> {
    quantity(value, |text| parse_duration(text).ok())
}

#[cfg(test)]
mod tests {
    use mpirage_platform::Platform;

    use super::*;

    fn model_of(table: &str) -> Result<Model, String> {
        let text = format!(
            "[cluster]\nhosts = 2\nspeed = \"1Gf\"\nbandwidth = \"1Gbps\"\nlatency = \"1us\"\n[model]\n{table}\n"
        );
        let platform = Platform::from_text("test.toml", &text).map_err(|error| error.to_string())?;
        let resolved = Model::resolve("flow", platform.settings(), (1e-6, 1e8));
        resolved.map(|(model, _)| model).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_described_is_what_is_read() {
        let model = model_of("eager-limit = \"4KiB\"\nhandshake = true\nsend-overhead = \"2us\"").unwrap();
        assert_eq!((model.protocol.eager_limit, model.protocol.handshake), (4096, true));
        let again = model_of(&model.describe().join("\n")).unwrap();
        assert_eq!(again, model);
    }

    #[test]
    fn mistakes_are_shown_where_they_stand() {
        let error = model_of("eager-limt = 5").unwrap_err();
        assert!(
            error.contains("test.toml") && error.contains("eager-limt") && error.contains("eager-limit"),
            "{error}"
        );
        assert!(
            model_of("segments = [{ above = 5, latency = 1, bandwidth = 1 }]")
                .unwrap_err()
                .contains("above = 0")
        );
        assert!(model_of("contention = 1").unwrap_err().contains("neither true nor false"));
    }
}
