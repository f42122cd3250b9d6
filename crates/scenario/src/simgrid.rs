//! SimGrid's names for what we call parameters.

use mpirage_models::{FlowParameters, Segment};
use mpirage_mpi::{Overhead, PollCost};
use mpirage_platform::{PlatformError, Setting, Value};
use mpirage_units::{Duration, parse_bandwidth, parse_bytes, parse_duration};

use crate::model::Model;
use crate::network::Network;

/// Settings that mean nothing here: how SimGrid computes, not what.
const IRRELEVANT: [&str; 12] = [
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

/// What polls cost where one of the two settings is given: SimGrid's own number for the other.
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
    let bad = |what: String| setting.place.error(what);
    let number = || text.trim().parse::<f64>().map_err(|_| bad(format!("`{text}` is not a number")));
    let bytes = || parse_bytes(text).map(|bytes| bytes as u64).map_err(|error| bad(error.to_string()));
    let seconds = || parse_duration(text).map_err(|error| bad(error.to_string()));
    match setting.key.as_str() {
        "smpi/lat-factor" => set_factors(flow, &factors(text).map_err(bad)?, Which::Latency),
        "smpi/bw-factor" => set_factors(flow, &factors(text).map_err(bad)?, Which::Bandwidth),
        "network/latency-factor" => set_factors(flow, &[(0, number()?)], Which::Latency),
        "network/bandwidth-factor" => set_factors(flow, &[(0, number()?)], Which::Bandwidth),
        "network/weight-S" => flow.penalty_scale = number()?,
        "network/TCP-gamma" => flow.window = number()?,
        "network/crosstraffic" => flow.cross_traffic = if truth(text).map_err(bad)? { 0.05 } else { 0.0 },
        "network/loopback-bw" => {
            flow.loopback.bandwidth = parse_bandwidth(text).map_err(|e| bad(e.to_string()))?
        }
        "network/loopback-lat" => flow.loopback.latency = seconds()?,
        "smpi/async-small-thresh" => protocol.push_limit = bytes()?,
        "smpi/send-is-detached-thresh" => protocol.eager_limit = bytes()?,
        "smpi/os" => protocol.send_overhead = overhead(text).map_err(bad)?,
        "smpi/ois" => protocol.isend_overhead = overhead(text).map_err(bad)?,
        "smpi/or" => protocol.recv_overhead = overhead(text).map_err(bad)?,
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

/// `65472:11.6436;15424:3.48845;…`, or one number for all sizes.
fn factors(text: &str) -> Result<Vec<(u64, f64)>, String> {
    if let Ok(all) = text.trim().parse::<f64>() {
        return Ok(vec![(0, all)]);
    }
    let mut list = Vec::new();
    for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
        let pair =
            part.split_once(':').and_then(|(b, f)| Some((b.trim().parse().ok()?, f.trim().parse().ok()?)));
        list.push(
            pair.ok_or_else(|| format!("`{part}` is not of the form boundary:factor, as in 65472:11.6436"))?,
        );
    }
    list.sort_by_key(|factor: &(u64, f64)| factor.0);
    if list.is_empty() { Err("no factors".to_owned()) } else { Ok(list) }
}

/// `0:1e-6:2e-10;1420:…`: boundary, seconds, seconds per byte.
fn overhead(text: &str) -> Result<Overhead, String> {
    let mut sections = Vec::new();
    for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
        let numbers: Result<Vec<f64>, _> =
            part.split(':').map(|number| number.trim().parse::<f64>()).collect();
        match numbers.as_deref() {
            Ok([constant]) => sections.push((0, *constant, 0.0)),
            Ok([boundary, constant]) => sections.push((*boundary as u64, *constant, 0.0)),
            Ok([boundary, constant, per_byte]) => sections.push((*boundary as u64, *constant, *per_byte)),
            _ => return Err(format!("`{part}` is not of the form boundary:seconds:seconds-per-byte")),
        }
    }
    sections.sort_by_key(|section| section.0);
    Ok(Overhead { sections })
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
        assert_eq!(factors("65472:11.6;0:2").unwrap(), [(0, 2.0), (65472, 11.6)]);
        assert_eq!(factors("1.5").unwrap(), [(0, 1.5)]);
        assert!(factors("65472=11").is_err());
    }

    #[test]
    fn overheads_are_read_in_simgrids_notation() {
        let read = overhead("0:8.9e-6:7.9e-10;1420:1.4e-5:8.9e-11").unwrap();
        assert_eq!(read.sections, [(0, 8.9e-6, 7.9e-10), (1420, 1.4e-5, 8.9e-11)]);
    }
}
