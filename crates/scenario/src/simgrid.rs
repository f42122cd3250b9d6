//! SimGrid's names for what we call parameters.

use mpirage_models::{FlowParameters, Segment};
use mpirage_mpi::{Overhead, PollCost};
use mpirage_platform::{PlatformError, Setting, Value};
use mpirage_units::{BANDWIDTH, BYTES, DIVISOR, DURATION, Duration, FACTOR, Quantity};

use crate::model::Model;
use crate::network::Network;

/// Settings that mean nothing here: how SimGrid computes, not what.
const IRRELEVANT: [&str; 14] = [
    "path",
    "plugin",
    "maxmin/",
    "precision/",
    "contexts/",
    "tracing",
    "smpi/privatization",
    "smpi/simulate-computation",
    "smpi/host-speed",
    "smpi/display-timing",
    "smpi/cpu-threshold",
    "network/optim",
    "network/maxmin-selective-update",
    "cpu/",
];

/// Is it a name of SimGrid's? Most have a slash, ours have none.
pub(crate) fn is_name(key: &str) -> bool {
    key.contains('/') || ["path", "plugin", "tracing"].contains(&key)
}

/// Does a setting give factors by size?
pub(crate) fn sets_factors(key: &str) -> bool {
    const FACTORS: [&str; 5] = [
        "smpi/lat-factor",
        "smpi/bw-factor",
        "network/latency-factor",
        "network/bandwidth-factor",
        "network/model",
    ];
    FACTORS.contains(&key)
}

/// SimGrid's setting for the cost of a receive.
const RECEIVE_OVERHEAD: &str = "smpi/or";

/// The cost of polls after one of the two settings is applied; the other keeps its value, by default SimGrid's own.
fn poll_with(poll: PollCost, key: &str, step: Duration) -> PollCost {
    let usual = Duration::from_nanos(100_000);
    let (test, probe) = match poll {
        PollCost::First { test, probe } => (test, probe),
        PollCost::Proportional { .. } => (usual, usual),
    };
    if key == "smpi/test" {
        PollCost::First { test: step, probe }
    } else {
        PollCost::First { test, probe: step }
    }
}

/// Applies one `<config>` property.
pub(crate) fn apply(
    setting: &Setting,
    model: &mut Model,
    warnings: &mut Vec<String>,
) -> Result<(), PlatformError> {
    let Model { network, protocol, .. } = model;
    let Network::Flow(flow) = network else {
        let (file, line, key) = (setting.place.file(), setting.place.line(), &setting.key);
        warnings.push(format!("{file}:{line}: {key} is not of this model and is left aside"));
        return Ok(());
    };
    // In our own files numbers may stand without quotes.
    let text = &match &setting.value {
        Value::Text(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Boolean(truth) => truth.to_string(),
        Value::List(_) | Value::Table(_) => {
            return Err(setting
                .place
                .error(format!("{} is to be a text, as SimGrid writes it", setting.key)));
        }
    };
    let bad = |what: String| setting.place.error(format!("{}: {what}", setting.key));
    let number = |kind: &Quantity| read(kind, text).map_err(bad);
    let bytes = || BYTES.read_whole(text).map_err(|error| bad(error.to_string()));
    let seconds = || number(&DURATION);
    match setting.key.as_str() {
        "smpi/lat-factor" => set_factors(flow, &factors(text, &FACTOR).map_err(bad)?, Which::Latency),
        "smpi/bw-factor" => set_factors(flow, &factors(text, &DIVISOR).map_err(bad)?, Which::Bandwidth),
        // One number in SimGrid 3.32; versions after it take a list, too.
        "network/latency-factor" => {
            set_factors(flow, &factors(text, &FACTOR).map_err(bad)?, Which::Latency);
        }
        "network/bandwidth-factor" => {
            set_factors(flow, &factors(text, &DIVISOR).map_err(bad)?, Which::Bandwidth);
        }
        "network/weight-S" => flow.penalty_scale = number(&FACTOR)?,
        // A window of 0 bounds nothing; any other is a divisor, like the window of our own files.
        "network/TCP-gamma" if number(&FACTOR)? == 0.0 => flow.window = f64::INFINITY,
        "network/TCP-gamma" => flow.window = number(&DIVISOR)?,
        "network/crosstraffic" => flow.cross_traffic = if truth(text).map_err(bad)? { 0.05 } else { 0.0 },
        "network/loopback-bw" => flow.loopback.bandwidth = number(&BANDWIDTH)?,
        "network/loopback-lat" => flow.loopback.latency = seconds()?,
        "smpi/async-small-thresh" => protocol.push_limit = bytes()?,
        "smpi/send-is-detached-thresh" => protocol.eager_limit = bytes()?,
        "smpi/os" => protocol.send_overhead = overhead(text).map_err(bad)?,
        "smpi/ois" => protocol.isend_overhead = overhead(text).map_err(bad)?,
        RECEIVE_OVERHEAD => protocol.recv_overhead = overhead(text).map_err(bad)?,
        "smpi/wtime" => protocol.clock_cost = Duration::from_secs_f64(seconds()?),
        "smpi/test" | "smpi/iprobe" => {
            let step = Duration::from_secs_f64(seconds()?);
            protocol.poll = poll_with(protocol.poll, &setting.key, step);
        }
        "network/model" => network_model(text, flow).map_err(bad)?,
        key if IRRELEVANT.iter().any(|start| key.starts_with(start)) => {}
        key => {
            let (file, line) = (setting.place.file(), setting.place.line());
            warnings.push(format!(
                "{file}:{line}: SimGrid's setting {key} has no counterpart here and is left aside"
            ));
        }
    }
    Ok(())
}

/// A receive costs something in SimGrid only if its sender did not wait for it.
pub(crate) fn limit_receives<'a>(mut settings: impl Iterator<Item = &'a Setting>, model: &mut Model) {
    if settings.any(|setting| setting.key == RECEIVE_OVERHEAD) {
        let protocol = &mut model.protocol;
        protocol.recv_overhead = std::mem::take(&mut protocol.recv_overhead).below(protocol.eager_limit);
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Which {
    Latency,
    Bandwidth,
}

fn network_model(text: &str, flow: &mut FlowParameters) -> Result<(), String> {
    let (latency_factor, bandwidth_factor, scale) = match text.trim() {
        "SMPI" => return Ok(()),
        "CM02" => (1.0, 1.0, 0.0),
        "LV08" => (13.01, 0.97, 20537.0),
        other => return Err(format!("SimGrid's network model {other} is not there; use SMPI, LV08 or CM02")),
    };
    flow.segments = vec![Segment { above: 0, latency_factor, bandwidth_factor }];
    flow.penalty_scale = scale;
    Ok(())
}

/// Replaces one of the two factors; the boundaries of both become boundaries of segments.
fn set_factors(flow: &mut FlowParameters, factors: &[(u64, f64)], which: Which) {
    let old = flow.segments.clone();
    let factor_at = |boundary: u64| factors.iter().rev().find(|f| f.0 <= boundary).map_or(1.0, |f| f.1);
    let old_at = |boundary: u64| *old.iter().rev().find(|s| s.above <= boundary).unwrap_or(&old[0]);
    // Boundaries that only the replaced factor had are kept: they do no harm.
    let mut boundaries: Vec<u64> = old.iter().map(|s| s.above).chain(factors.iter().map(|f| f.0)).collect();
    boundaries.sort_unstable();
    boundaries.dedup();
    let segment = |above: u64| {
        let mut segment = Segment { above, ..old_at(above) };
        match which {
            Which::Latency => segment.latency_factor = factor_at(above),
            Which::Bandwidth => segment.bandwidth_factor = factor_at(above),
        }
        segment
    };
    flow.segments = boundaries.into_iter().map(segment).collect();
}

fn read(kind: &Quantity, text: &str) -> Result<f64, String> {
    kind.read(text).map(|read| read.value()).map_err(|error| error.to_string())
}

/// `65472:11.6436;15424:3.48845;…`, or one number for all sizes.
fn factors(text: &str, kind: &Quantity) -> Result<Vec<(u64, f64)>, String> {
    if !text.contains(':') {
        return Ok(vec![(0, read(kind, text)?)]);
    }
    let mut list = Vec::new();
    for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
        let (boundary, factor) = part
            .split_once(':')
            .ok_or_else(|| format!("`{part}` is not of the form boundary:factor, as in 65472:11.6436"))?;
        list.push((boundary_of(boundary)?, read(kind, factor)?));
    }
    list.sort_by_key(|factor: &(u64, f64)| factor.0);
    if list.is_empty() { Err("no factors".to_owned()) } else { Ok(list) }
}

/// `0:1e-6:2e-10;1420:…`: boundary, seconds, seconds per byte.
fn overhead(text: &str) -> Result<Overhead, String> {
    let mut sections = Vec::new();
    for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
        let seconds = |text: &str| read(&DURATION, text);
        sections.push(match part.split(':').collect::<Vec<_>>()[..] {
            [constant] => (0, seconds(constant)?, 0.0),
            [boundary, constant] => (boundary_of(boundary)?, seconds(constant)?, 0.0),
            [boundary, constant, per_byte] => {
                (boundary_of(boundary)?, seconds(constant)?, seconds(per_byte)?)
            }
            _ => return Err(format!("`{part}` is not of the form boundary:seconds:seconds-per-byte")),
        });
    }
    sections.sort_by_key(|section| section.0);
    // SimGrid's sections begin above their boundaries, and the first holds for all below it too.
    for (nth, section) in sections.iter_mut().enumerate() {
        section.0 = if nth == 0 { 0 } else { section.0 + 1 };
    }
    Ok(Overhead { sections })
}

fn boundary_of(text: &str) -> Result<u64, String> {
    BYTES.read_whole(text).map_err(|error| error.to_string())
}

fn truth(text: &str) -> Result<bool, String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "1" | "yes" | "true" | "on" => Ok(true),
        "0" | "no" | "false" | "off" => Ok(false),
        other => Err(format!("`{other}` is neither yes nor no")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_read_in_simgrids_notation() {
        assert_eq!(factors("65472:11.6;0:2", &FACTOR).unwrap(), [(0, 2.0), (65472, 11.6)]);
        assert_eq!(factors("1.5", &DIVISOR).unwrap(), [(0, 1.5)]);
        assert!(factors("65472=11", &FACTOR).is_err());
    }

    #[test]
    fn numbers_that_are_none_are_refused() {
        for bad in ["nan", "-1", "inf", "0:nan", "0:-2", "-5:1", "0:1e999", "", ":", "0:", "nan:1", "1.5:1"] {
            assert!(factors(bad, &DIVISOR).is_err(), "{bad}");
            assert!(factors(bad, &FACTOR).is_err(), "{bad}");
        }
        for bad in ["nan", "-1", "0:inf", "0:-2", "0:0:nan", "0:0:-1e-9", "-1:0:0", "1e30:0:0", "0:0:0:0"] {
            assert!(overhead(bad).is_err(), "{bad}");
        }
        assert!(factors("0:0", &DIVISOR).is_err() && factors("0:0", &FACTOR).is_ok());
    }

    #[test]
    fn settings_of_simgrid_itself_are_known_by_name() {
        let names = ["tracing", "path", "plugin", "smpi/or"];
        assert!(names.into_iter().all(is_name) && !is_name("eager-limit"));
    }

    #[test]
    fn overheads_are_read_in_simgrids_notation() {
        let read = overhead("0:8.9e-6:7.9e-10;1420:1.4e-5:8.9e-11").unwrap();
        assert_eq!(read.sections, [(0, 8.9e-6, 7.9e-10), (1421, 1.4e-5, 8.9e-11)]);
    }
}
