//! The `[model]` table of our own files.

use mpirage_models::{DelaySection, FanTable, Fans, FlowParameters, InterfaceDelay, Limit, Links, Segment};
use mpirage_mpi::{AccessProgress, Envelope, Handshake, LibraryProgress, Noise, Overhead, Protocol};
use mpirage_platform::{PlatformError, Setting, Value};
use mpirage_units::{BANDWIDTH, DIVISOR, Duration, FACTOR, LATENCY};

use crate::bus::{self, Bus};
use crate::loggops::LogGops;
use crate::model::{Calibration, Model};
use crate::network::Network;
use crate::physics;
use crate::smp::Smp;
use crate::values::{bandwidth, bytes, field, list, quantity, seconds, table, truth};

/// Keys of all models.
const COMMON: [&str; 9] = [
    "eager-limit",
    "clock-cost",
    "reduce-seconds-per-byte",
    "copy-seconds-per-byte",
    "progress",
    "one-sided",
    "atomic-gap",
    "wake-up",
    "noise",
];

/// Keys of flow models.
const FLOW: [&str; 18] = [
    "segments",
    "calibrated-bandwidth",
    "calibrated-latency",
    "header",
    "window",
    "penalty-scale",
    "cross-traffic",
    "contention",
    "sharing-tolerance",
    "loopback-bandwidth",
    "loopback-latency",
    "push-limit",
    "envelope",
    "handshake",
    "send-overhead",
    "isend-overhead",
    "recv-overhead",
    "interface-delay",
];

/// Keys of `bus`.
const BUS: [&str; 11] = [
    "latency",
    "bandwidth",
    "buses",
    "input-links",
    "output-links",
    "half-duplex-links",
    "within-latency",
    "within-bandwidth",
    "within-buses",
    "collectives",
    "linear-with-root",
];

/// Keys of `smp`.
const SMP: [&str; 6] = [
    "memory-latency",
    "memory-bandwidth",
    "network-latency",
    "network-bandwidth",
    "call-cost",
    "buffer-cost",
];

/// Keys of `loggops`: the letters of the model.
const LOGGOPS: [&str; 5] = ["L", "o", "g", "G", "O"];

/// Applies one setting. False if it is of another model. Warns of quantities that are hardly meant.
pub(crate) fn apply(
    setting: &Setting,
    model: &mut Model,
    warnings: &mut Vec<String>,
) -> Result<bool, PlatformError> {
    let Setting { key, value, place } = setting;
    let problem = |problem: String| place.error(format!("`{key}`: {problem}"));
    let applied = apply_value(key, value, model).map_err(problem)?;
    let doubt = applied.then(|| doubt(key, value)).flatten();
    warnings.extend(doubt.map(|doubt| format!("{}:{}: `{key}`: {doubt}", place.file(), place.line())));
    Ok(applied)
}

/// Keys of bandwidths and of times, for which a number without a unit is doubtful.
const BANDWIDTHS: [&str; 6] = [
    "bandwidth",
    "within-bandwidth",
    "loopback-bandwidth",
    "calibrated-bandwidth",
    "memory-bandwidth",
    "network-bandwidth",
];
const TIMES: [&str; 21] = [
    "atomic-gap",
    "latency",
    "within-latency",
    "loopback-latency",
    "calibrated-latency",
    "memory-latency",
    "network-latency",
    "clock-cost",
    "call-cost",
    "buffer-cost",
    "send-overhead",
    "isend-overhead",
    "recv-overhead",
    "software",
    "gap",
    "late-most",
    "L",
    "o",
    "g",
    "G",
    "O",
];

/// What is doubtful about a quantity that was accepted.
fn doubt(key: &str, value: &Value) -> Option<String> {
    let kind = match key {
        _ if BANDWIDTHS.contains(&key) => BANDWIDTH,
        _ if TIMES.contains(&key) => LATENCY,
        _ => return None,
    };
    let text = match value {
        Value::Text(text) => text.clone(),
        Value::Integer(_) | Value::Float(_) => value.to_string(),
        _ => return None,
    };
    kind.read(&text).ok()?.doubt()
}

fn apply_value(key: &str, value: &Value, model: &mut Model) -> Result<bool, String> {
    let Model { network, protocol, calibration, .. } = model;
    match key {
        "eager-limit" => protocol.eager_limit = bytes(value)?,
        "clock-cost" => protocol.clock_cost = Duration::from_secs_f64(seconds(value)?),
        "reduce-seconds-per-byte" => protocol.reduce_seconds_per_byte = seconds(value)?,
        "copy-seconds-per-byte" => protocol.copy_seconds_per_byte = seconds(value)?,
        "progress" => protocol.progress = progress(value)?,
        "one-sided" => protocol.one_sided = one_sided(value)?,
        "atomic-gap" => protocol.atomic_gap = Duration::from_secs_f64(seconds(value)?),
        "noise" => protocol.noise = noise(value, &protocol.noise)?,
        "wake-up" => protocol.wake_up.latest = Duration::from_secs_f64(seconds(value)?),
        _ => {
            return match network {
                Network::Flow(_) if key == "calibrated-bandwidth" => {
                    calibration.get_or_insert(Calibration::UNKNOWN).bandwidth = Some(bandwidth(value)?);
                    Ok(true)
                }
                Network::Flow(_) if key == "calibrated-latency" => {
                    calibration.get_or_insert(Calibration::UNKNOWN).latency = Some(seconds(value)?);
                    Ok(true)
                }
                Network::Flow(flow) if FLOW.contains(&key) => apply_flow(key, value, flow, protocol),
                Network::Flow(flow) if physics::KEYS.contains(&key) => {
                    physics::apply(key, value, flow, protocol)
                }
                Network::Bus(bus) if BUS.contains(&key) => apply_bus(key, value, bus),
                Network::Smp(smp) if SMP.contains(&key) => apply_smp(key, value, smp),
                Network::LogGops(loggops) if LOGGOPS.contains(&key) => apply_loggops(key, value, loggops),
                _ => not_of(key, network),
            };
        }
    }
    Ok(true)
}

/// The key is of another model, or of none.
fn not_of(key: &str, network: &Network) -> Result<bool, String> {
    let own: &[&str] = match network {
        Network::Flow(_) => &FLOW,
        Network::Bus(_) => &BUS,
        Network::Smp(_) => &SMP,
        Network::LogGops(_) => &LOGGOPS,
        Network::Packet(_) | Network::Ideal => &[],
    };
    if [&FLOW[..], &physics::KEYS, &BUS, &SMP, &LOGGOPS].iter().any(|keys| keys.contains(&key)) {
        return Ok(false);
    }
    let causes: &[&str] = if matches!(network, Network::Flow(_)) { &physics::KEYS } else { &[] };
    let known = [own, causes, &COMMON].concat().join(", ");
    Err(format!("the model has no parameter `{key}`; it has {known}"))
}

fn apply_flow(
    key: &str,
    value: &Value,
    flow: &mut FlowParameters,
    protocol: &mut Protocol,
) -> Result<bool, String> {
    match key {
        "segments" => flow.segments = segments(value)?,
        "header" => flow.header = bytes(value)?,
        "window" => flow.window = quantity(value, &DIVISOR)?,
        "penalty-scale" => flow.penalty_scale = quantity(value, &FACTOR)?,
        "cross-traffic" => flow.cross_traffic = quantity(value, &FACTOR)?,
        "contention" => flow.contention = truth(value)?,
        "sharing-tolerance" => flow.sharing_tolerance = sharing_tolerance(value)?,
        "loopback-bandwidth" => flow.loopback.bandwidth = bandwidth(value)?,
        "loopback-latency" => flow.loopback.latency = seconds(value)?,
        "push-limit" => protocol.push_limit = bytes(value)?,
        "envelope" => protocol.envelope = envelope(value)?,
        "handshake" => protocol.handshake = handshake(value)?,
        "send-overhead" => protocol.send_overhead = overhead(value)?,
        "isend-overhead" => protocol.isend_overhead = overhead(value)?,
        "recv-overhead" => protocol.recv_overhead = overhead(value)?,
        "interface-delay" => flow.interface_delay = delay(value)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// More than a tenth would not be max-min sharing.
fn sharing_tolerance(value: &Value) -> Result<f64, String> {
    let tolerance = quantity(value, &FACTOR)?;
    if tolerance > 0.1 {
        return Err(format!("a tolerance of {tolerance} is too much: from 0 (exact) to 0.1"));
    }
    Ok(tolerance)
}

/// What is said of a node is said of all.
fn apply_bus(key: &str, value: &Value, bus: &mut Bus) -> Result<bool, String> {
    let network = &mut bus.network;
    match key {
        "latency" => network.all_nodes(seconds(value)?, |node, latency| node.latency = latency),
        "bandwidth" => network.bandwidth = any_bandwidth(value)?,
        "buses" => network.buses = limit(value)?,
        "input-links" => network.all_nodes(limit(value)?, |node, inputs| {
            node.links = Links::Duplex { inputs, outputs: node.links.outputs() };
        }),
        "output-links" => network.all_nodes(limit(value)?, |node, outputs| {
            node.links = Links::Duplex { inputs: node.links.inputs(), outputs };
        }),
        "half-duplex-links" => {
            let links = limit(value)?.ok_or("half-duplex links are at least one")?;
            network.all_nodes(links, |node, links| node.links = Links::HalfDuplex(links));
        }
        "within-latency" => network.all_nodes(seconds(value)?, |node, latency| node.within_latency = latency),
        "within-bandwidth" => {
            network.all_nodes(any_bandwidth(value)?, |node, bandwidth| node.within_bandwidth = bandwidth);
        }
        "within-buses" => network.all_nodes(limit(value)?, |node, buses| node.within_buses = buses),
        "collectives" => bus.collectives = fan_table(value, &bus.collectives)?,
        "linear-with-root" => bus.collectives.linear_with_root = truth(value)?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn apply_smp(key: &str, value: &Value, smp: &mut Smp) -> Result<bool, String> {
    match key {
        "memory-latency" => smp.memory.latency = seconds(value)?,
        "memory-bandwidth" => smp.memory.bandwidth = bandwidth(value)?,
        "network-latency" => smp.network.latency = seconds(value)?,
        "network-bandwidth" => smp.network.bandwidth = bandwidth(value)?,
        "call-cost" => smp.call_cost = seconds(value)?,
        "buffer-cost" => smp.buffer_cost = seconds(value)?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn apply_loggops(key: &str, value: &Value, loggops: &mut LogGops) -> Result<bool, String> {
    let seconds = seconds(value)?;
    match key {
        "L" => loggops.latency = seconds,
        "o" => loggops.overhead = seconds,
        "g" => loggops.gap = seconds,
        "G" => loggops.gap_per_byte = seconds,
        "O" => loggops.overhead_per_byte = seconds,
        _ => return Ok(false),
    }
    Ok(true)
}

/// `"paper"`, `"constant"`, `"linear"`, `"logarithmic"`, or a list of rows that replace those there are.
fn fan_table(value: &Value, before: &FanTable) -> Result<FanTable, String> {
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
fn limit(value: &Value) -> Result<Limit, String> {
    let number = quantity(value, &FACTOR)?;
    match number {
        0.0 => Ok(None),
        whole if whole.fract() == 0.0 && whole < f64::from(u32::MAX) => Ok(Some(whole as u32)),
        _ => Err(format!("{value} is not a number of links or buses")),
    }
}

/// A bandwidth, or `inf`: Dimemas knows links that take no time.
fn any_bandwidth(value: &Value) -> Result<f64, String> {
    match value {
        Value::Float(f64::INFINITY) => Ok(f64::INFINITY),
        value => bandwidth(value),
    }
}

fn segments(value: &Value) -> Result<Vec<Segment>, String> {
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

fn overhead(value: &Value) -> Result<Overhead, String> {
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
fn delay(value: &Value) -> Result<InterfaceDelay, String> {
    let section = |(from, seconds, per_byte)| DelaySection { from, seconds, per_byte };
    Ok(InterfaceDelay::new(overhead(value)?.sections.into_iter().map(section).collect()))
}

fn envelope(value: &Value) -> Result<Envelope, String> {
    match value {
        Value::Text(text) if text == "at-send" => Ok(Envelope::AtSend),
        Value::Text(text) if text == "on-arrival" => Ok(Envelope::OnArrival),
        other => Err(format!("{other} is neither \"at-send\" nor \"on-arrival\"")),
    }
}

/// `true` and `false` are what files of the first version say.
fn handshake(value: &Value) -> Result<Handshake, String> {
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

/// What is not said stays as it was.
fn noise(value: &Value, before: &Noise) -> Result<Noise, String> {
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

fn one_sided(value: &Value) -> Result<AccessProgress, String> {
    match value {
        Value::Text(text) if text == "interface" => Ok(AccessProgress::Interface),
        Value::Text(text) if text == "calls" => Ok(AccessProgress::InCalls),
        other => Err(format!("{other} is neither \"interface\" nor \"calls\"")),
    }
}

fn progress(value: &Value) -> Result<LibraryProgress, String> {
    match value {
        Value::Text(text) if text == "background" => Ok(LibraryProgress::Background),
        Value::Text(text) if text == "calls" => Ok(LibraryProgress::InCalls),
        other => Err(format!("{other} is neither \"background\" nor \"calls\"")),
    }
}

#[cfg(test)]
mod tests {
    use mpirage_platform::Platform;

    use super::*;

    fn model_of(table: &str) -> Result<Model, String> {
        named_model_of("flow", table)
    }

    fn named_model_of(name: &str, table: &str) -> Result<Model, String> {
        let text = format!(
            "[cluster]\nhosts = 2\nspeed = \"1Gf\"\nbandwidth = \"1Gbps\"\nlatency = \"1us\"\n[model]\n{table}\n"
        );
        let platform = Platform::from_text("test.toml", &text).map_err(|error| error.to_string())?;
        let resolved = Model::resolve(name, platform.settings(), (1e-6, 1e8));
        resolved.map(|(model, _)| model).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_described_is_what_is_read() {
        let model = model_of("eager-limit = \"4KiB\"\nhandshake = true\nsend-overhead = \"2us\"").unwrap();
        assert_eq!((model.protocol.eager_limit, model.protocol.handshake), (4096, Handshake::Grant));
        let again = model_of(&model.describe().join("\n")).unwrap();
        assert_eq!(again, model);
    }

    #[test]
    fn noise_is_read_and_described() {
        let model = model_of("noise = { computation = 0.02, message = \"1us\", start = \"0.1ms\" }").unwrap();
        assert_eq!((model.protocol.noise.computation, model.protocol.noise.message), (0.02, 1e-6));
        assert!(model.is_random() && !model_of("").unwrap().is_random());
        assert_eq!(model_of(&model.describe().join("\n")).unwrap(), model);
        for (wrong, named) in [
            ("noise = { computation = 2 }", "relative spread"),
            ("noise = { mesage = \"1us\" }", "unknown key `mesage`"),
            ("noise = 0.1", "is not a table"),
        ] {
            let error = model_of(wrong).unwrap_err();
            assert!(error.contains(named), "{error}");
        }
    }

    #[test]
    fn every_model_is_read_as_it_is_described() {
        let tables = [
            ("bus", "buses = 4\nhalf-duplex-links = 1\nlatency = \"25us\"\nlinear-with-root = true"),
            ("bus", "collectives = \"logarithmic\"\nwithin-buses = 2\neager-limit = 7"),
            (
                "bus",
                "collectives = [{ operation = \"MPI_Bcast\", in = \"0\", in-size = \"MIN\", out = \"CT\", out-size = \"S+R\" }]",
            ),
            ("smp", "memory-bandwidth = \"2GBps\"\ncall-cost = \"1us\""),
            ("loggops", "L = \"1us\"\no = 3e-6\ng = 0\nG = \"1ns\"\nO = 2e-9"),
        ];
        for (name, table) in tables {
            let model = named_model_of(name, table).unwrap();
            assert_ne!(model, named_model_of(name, "").unwrap(), "{table}");
            assert_eq!(named_model_of(name, &model.describe().join("\n")).unwrap(), model, "{table}");
        }
        assert!(named_model_of("bus", "collectives = \"tree\"").unwrap_err().contains("logarithmic"));
        assert!(named_model_of("smp", "memory-bandwith = 1").unwrap_err().contains("memory-bandwidth"));
    }

    #[test]
    fn parameters_of_other_models_are_left_aside_with_a_warning() {
        let settings = mpirage_platform::ModelSettings::from_text("p", "[model]\nbuses = 3\n").unwrap();
        let (_, warnings) = Model::resolve("flow", &settings, (1e-6, 1e8)).unwrap();
        assert!(warnings[0].contains("p:2: buses"), "{warnings:?}");
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
