//! The `[model]` table of our own files: a row for each key.

mod readers;

use mpirage_models::{BusNode, FlowParameters, Links, Physics};
use mpirage_mpi::EagerSend;
use mpirage_platform::{PlatformError, Setting, Value};
use mpirage_units::{BANDWIDTH, DIVISOR, Duration, FACTOR, LATENCY, Quantity};

use crate::bus::Bus;
use crate::loggops::LogGops;
use crate::model::{Calibration, Model};
use crate::network::Network;
use crate::physics::{self, at_least_one, fairness, share, trailer};
use crate::smp::Smp;
use crate::values::{bandwidth, bytes, quantity, seconds, truth};
use readers::{
    any_bandwidth, any_bytes, delay, envelope, fan_table, handshake, limit, noise, one_sided, overhead,
    progress, segments, sharing_tolerance,
};

/// The models that have a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    All,
    Flow,
    /// Flows and frames: messages as a library sends them.
    Messages,
    /// Flow models with the physics of a profile.
    Physics,
    Bus,
    Smp,
    LogGops,
}

impl Of {
    fn has(self, network: &Network) -> bool {
        match self {
            Of::All => true,
            Of::Flow | Of::Physics => matches!(network, Network::Flow(_)),
            Of::Messages => matches!(network, Network::Flow(_) | Network::Packet(_)),
            Of::Bus => matches!(network, Network::Bus(_)),
            Of::Smp => matches!(network, Network::Smp(_)),
            Of::LogGops => matches!(network, Network::LogGops(_)),
        }
    }
}

/// A key of the `[model]` table.
struct ModelKey {
    of: Of,
    name: &'static str,
    /// The kind of quantity, if a number without a unit is doubtful.
    doubtful: Option<&'static Quantity>,
    set: fn(&mut Model, &Value) -> Result<(), String>,
}

/// Quantities of which a number without a unit is doubtful, and others.
const TIME: Option<&Quantity> = Some(&LATENCY);
const RATE: Option<&Quantity> = Some(&BANDWIDTH);
const OTHER: Option<&Quantity> = None;

const fn key(
    of: Of,
    name: &'static str,
    doubtful: Option<&'static Quantity>,
    set: fn(&mut Model, &Value) -> Result<(), String>,
) -> ModelKey {
    ModelKey { of, name, doubtful, set }
}

/// All keys, in the order in which messages name them.
const KEYS: &[ModelKey] = &[
    key(Of::All, "eager-limit", OTHER, |model, value| put(&mut model.protocol.eager_limit, bytes(value)?)),
    key(Of::All, "clock-cost", TIME, |model, value| {
        put(&mut model.protocol.clock_cost, Duration::from_secs_f64(seconds(value)?))
    }),
    key(Of::All, "reduce-seconds-per-byte", OTHER, |model, value| {
        put(&mut model.protocol.reduce_seconds_per_byte, seconds(value)?)
    }),
    key(Of::All, "copy-seconds-per-byte", OTHER, |model, value| {
        put(&mut model.protocol.copy_seconds_per_byte, seconds(value)?)
    }),
    key(Of::All, "copy-seconds-per-block", OTHER, |model, value| {
        put(&mut model.protocol.copy_seconds_per_block, seconds(value)?)
    }),
    key(Of::All, "progress", OTHER, |model, value| put(&mut model.protocol.progress, progress(value)?)),
    key(Of::All, "one-sided", OTHER, |model, value| put(&mut model.protocol.one_sided, one_sided(value)?)),
    key(Of::All, "atomic-gap", TIME, |model, value| {
        put(&mut model.protocol.atomic_gap, Duration::from_secs_f64(seconds(value)?))
    }),
    key(Of::All, "wake-up", OTHER, |model, value| {
        put(&mut model.protocol.wake_up.latest, Duration::from_secs_f64(seconds(value)?))
    }),
    key(Of::All, "noise", OTHER, |model, value| {
        let noise = noise(value, &model.protocol.noise)?;
        put(&mut model.protocol.noise, noise)
    }),
    key(Of::Flow, "segments", OTHER, |model, value| put(&mut flow(model).segments, segments(value)?)),
    key(Of::Flow, "calibrated-bandwidth", RATE, |model, value| {
        put(&mut calibration(model).bandwidth, Some(bandwidth(value)?))
    }),
    key(Of::Flow, "calibrated-latency", TIME, |model, value| {
        put(&mut calibration(model).latency, Some(seconds(value)?))
    }),
    key(Of::Flow, "header", OTHER, |model, value| put(&mut flow(model).header, bytes(value)?)),
    key(Of::Flow, "window", OTHER, |model, value| put(&mut flow(model).window, quantity(value, &DIVISOR)?)),
    key(Of::Flow, "penalty-scale", OTHER, |model, value| {
        put(&mut flow(model).penalty_scale, quantity(value, &FACTOR)?)
    }),
    key(Of::Flow, "cross-traffic", OTHER, |model, value| {
        put(&mut flow(model).cross_traffic, quantity(value, &FACTOR)?)
    }),
    key(Of::Flow, "contention", OTHER, |model, value| put(&mut flow(model).contention, truth(value)?)),
    key(Of::Flow, "sharing-tolerance", OTHER, |model, value| {
        put(&mut flow(model).sharing_tolerance, sharing_tolerance(value)?)
    }),
    key(Of::Flow, "loopback-bandwidth", RATE, |model, value| {
        put(&mut flow(model).loopback.bandwidth, bandwidth(value)?)
    }),
    key(Of::Flow, "loopback-latency", TIME, |model, value| {
        put(&mut flow(model).loopback.latency, seconds(value)?)
    }),
    key(Of::Messages, "push-limit", OTHER, |model, value| {
        put(&mut model.protocol.push_limit, any_bytes(value)?)
    }),
    key(Of::Flow, "envelope", OTHER, |model, value| put(&mut model.protocol.envelope, envelope(value)?)),
    key(Of::Messages, "handshake", OTHER, |model, value| {
        put(&mut model.protocol.handshake, handshake(value)?)
    }),
    key(Of::Messages, "send-overhead", TIME, |model, value| {
        put(&mut model.protocol.send_overhead, overhead(value)?)
    }),
    key(Of::Messages, "isend-overhead", TIME, |model, value| {
        put(&mut model.protocol.isend_overhead, overhead(value)?)
    }),
    key(Of::Messages, "recv-overhead", TIME, |model, value| {
        put(&mut model.protocol.recv_overhead, overhead(value)?)
    }),
    key(Of::Messages, "interface-delay", OTHER, |model, value| {
        let delay = delay(value)?;
        match &mut model.network {
            Network::Packet(packet) => packet.set_interface_delay(delay),
            _ => flow(model).interface_delay = delay,
        }
        Ok(())
    }),
    key(Of::Physics, "frame", OTHER, |model, value| {
        put(&mut physics(model).framing.payload, at_least_one(bytes(value)?)?)
    }),
    key(Of::Physics, "frame-header", OTHER, |model, value| {
        put(&mut physics(model).framing.header, bytes(value)?)
    }),
    key(Of::Physics, "store-and-forward", OTHER, |model, value| {
        put(&mut physics(model).framing.store_and_forward, truth(value)?)
    }),
    key(Of::Physics, "control", OTHER, |model, value| put(&mut physics(model).control, bytes(value)?)),
    key(Of::Physics, "trailer", OTHER, |model, value| put(&mut trailer(physics(model)).bytes, bytes(value)?)),
    key(Of::Physics, "trailer-from", OTHER, |model, value| {
        put(&mut trailer(physics(model)).from, bytes(value)?)
    }),
    key(Of::Messages, "software", TIME, |model, value| {
        let software = Duration::from_secs_f64(seconds(value)?);
        match &mut model.network {
            Network::Packet(packet) => packet.set_software(software),
            _ => physics(model).software = software,
        }
        Ok(())
    }),
    key(Of::Physics, "gap", TIME, |model, value| {
        put(&mut physics(model).gap, Duration::from_secs_f64(seconds(value)?))
    }),
    key(Of::Flow, "crowd", OTHER, |model, value| {
        let ranks = u32::try_from(at_least_one(bytes(value)?)?)
            .map_err(|_| "are more ranks than there can be".to_owned())?;
        put(&mut flow(model).crowd.ranks, ranks)
    }),
    key(Of::Flow, "crowded-gap", OTHER, |model, value| put(&mut flow(model).crowd.gap, delay(value)?)),
    key(Of::Physics, "burst", OTHER, |model, value| {
        put(&mut physics(model).burst, at_least_one(bytes(value)?)?)
    }),
    key(Of::Physics, "turn", OTHER, |model, value| {
        put(&mut physics(model).turn, at_least_one(bytes(value)?)?)
    }),
    key(Of::Physics, "send-buffer", OTHER, |model, value| {
        physics(model).send_buffer = Some(at_least_one(bytes(value)?)?);
        put(&mut model.protocol.eager, EagerSend::Buffered)
    }),
    key(Of::Physics, "initial-window", OTHER, |model, value| {
        put(&mut physics(model).initial_window, Some(at_least_one(bytes(value)?)?))
    }),
    key(Of::Physics, "late-share", OTHER, |model, value| {
        put(&mut physics(model).lateness.share, share(value)?)
    }),
    key(Of::Physics, "late-most", TIME, |model, value| {
        put(&mut physics(model).lateness.most, Duration::from_secs_f64(seconds(value)?))
    }),
    key(Of::Physics, "fairness", OTHER, |model, value| put(&mut flow(model).fairness, fairness(value)?)),
    key(Of::Bus, "latency", TIME, |model, value| {
        all_nodes(model, seconds(value)?, |node, latency| node.latency = latency)
    }),
    key(Of::Bus, "bandwidth", RATE, |model, value| {
        put(&mut bus(model).network.bandwidth, any_bandwidth(value)?)
    }),
    key(Of::Bus, "buses", OTHER, |model, value| put(&mut bus(model).network.buses, limit(value)?)),
    key(Of::Bus, "input-links", OTHER, |model, value| {
        all_nodes(model, limit(value)?, |node, inputs| {
            node.links = Links::Duplex { inputs, outputs: node.links.outputs() };
        })
    }),
    key(Of::Bus, "output-links", OTHER, |model, value| {
        all_nodes(model, limit(value)?, |node, outputs| {
            node.links = Links::Duplex { inputs: node.links.inputs(), outputs };
        })
    }),
    key(Of::Bus, "half-duplex-links", OTHER, |model, value| {
        let links = limit(value)?.ok_or("half-duplex links are at least one")?;
        all_nodes(model, links, |node, links| node.links = Links::HalfDuplex(links))
    }),
    key(Of::Bus, "within-latency", TIME, |model, value| {
        all_nodes(model, seconds(value)?, |node, latency| node.within_latency = latency)
    }),
    key(Of::Bus, "within-bandwidth", RATE, |model, value| {
        all_nodes(model, any_bandwidth(value)?, |node, bandwidth| node.within_bandwidth = bandwidth)
    }),
    key(Of::Bus, "within-buses", OTHER, |model, value| {
        all_nodes(model, limit(value)?, |node, buses| node.within_buses = buses)
    }),
    key(Of::Bus, "collectives", OTHER, |model, value| {
        let fans = fan_table(value, &bus(model).collectives)?;
        put(&mut bus(model).collectives, fans)
    }),
    key(Of::Bus, "linear-with-root", OTHER, |model, value| {
        put(&mut bus(model).collectives.linear_with_root, Some(truth(value)?))
    }),
    key(Of::Smp, "memory-latency", TIME, |model, value| put(&mut smp(model).memory.latency, seconds(value)?)),
    key(Of::Smp, "memory-bandwidth", RATE, |model, value| {
        put(&mut smp(model).memory.bandwidth, bandwidth(value)?)
    }),
    key(Of::Smp, "network-latency", TIME, |model, value| {
        put(&mut smp(model).network.latency, seconds(value)?)
    }),
    key(Of::Smp, "network-bandwidth", RATE, |model, value| {
        put(&mut smp(model).network.bandwidth, bandwidth(value)?)
    }),
    key(Of::Smp, "call-cost", TIME, |model, value| put(&mut smp(model).call_cost, seconds(value)?)),
    key(Of::Smp, "buffer-cost", TIME, |model, value| put(&mut smp(model).buffer_cost, seconds(value)?)),
    key(Of::LogGops, "L", TIME, |model, value| put(&mut loggops(model).latency, seconds(value)?)),
    key(Of::LogGops, "o", TIME, |model, value| put(&mut loggops(model).overhead, seconds(value)?)),
    key(Of::LogGops, "g", TIME, |model, value| put(&mut loggops(model).gap, seconds(value)?)),
    key(Of::LogGops, "G", TIME, |model, value| put(&mut loggops(model).gap_per_byte, seconds(value)?)),
    key(Of::LogGops, "O", TIME, |model, value| put(&mut loggops(model).overhead_per_byte, seconds(value)?)),
];

/// Applies one setting. False if it is of another model. Warns of quantities that are hardly meant.
pub(crate) fn apply(
    setting: &Setting,
    model: &mut Model,
    warnings: &mut Vec<String>,
) -> Result<bool, PlatformError> {
    let Setting { key, value, place } = setting;
    let problem = |problem: String| place.error(format!("`{key}`: {problem}"));
    let Some(known) = KEYS.iter().find(|known| known.name == key && known.of.has(&model.network)) else {
        return other_models(key, &model.network).map_err(problem);
    };
    (known.set)(model, value).map_err(problem)?;
    let doubt = known.doubtful.and_then(|quantity| doubt(quantity, value));
    warnings.extend(doubt.map(|doubt| format!("{}:{}: `{key}`: {doubt}", place.file(), place.line())));
    Ok(true)
}

/// The key is of another model, or of none.
fn other_models(key: &str, network: &Network) -> Result<bool, String> {
    if KEYS.iter().any(|known| known.name == key) {
        return Ok(false);
    }
    let own = KEYS.iter().filter(|known| known.of != Of::All && known.of.has(network));
    let common = KEYS.iter().filter(|known| known.of == Of::All);
    let known: Vec<&str> = own.chain(common).map(|known| known.name).collect();
    Err(format!("the model has no parameter `{key}`; it has {}", known.join(", ")))
}

/// A warning about a quantity that was accepted but is doubtful.
fn doubt(kind: &Quantity, value: &Value) -> Option<String> {
    let text = match value {
        Value::Text(text) => text.clone(),
        Value::Integer(_) | Value::Float(_) => value.to_string(),
        _ => return None,
    };
    kind.read(&text).ok()?.doubt()
}

fn put<T>(place: &mut T, value: T) -> Result<(), String> {
    *place = value;
    Ok(())
}

fn flow(model: &mut Model) -> &mut FlowParameters {
    let Network::Flow(flow) = &mut model.network else { unreachable!("a key of flow models") };
    flow
}

fn calibration(model: &mut Model) -> &mut Calibration {
    model.calibration.get_or_insert(Calibration::UNKNOWN)
}

/// The physics of a flow model. The first key of them replaces its factors.
fn physics(model: &mut Model) -> &mut Physics {
    physics::of(flow(model))
}

fn bus(model: &mut Model) -> &mut Bus {
    let Network::Bus(bus) = &mut model.network else { unreachable!("a key of bus") };
    bus
}

fn smp(model: &mut Model) -> &mut Smp {
    let Network::Smp(smp) = &mut model.network else { unreachable!("a key of smp") };
    smp
}

fn loggops(model: &mut Model) -> &mut LogGops {
    let Network::LogGops(loggops) = &mut model.network else { unreachable!("a key of loggops") };
    loggops
}

/// A key of nodes is about all of them.
fn all_nodes<T: Copy>(model: &mut Model, value: T, set: impl Fn(&mut BusNode, T)) -> Result<(), String> {
    bus(model).network.all_nodes(value, set);
    Ok(())
}

#[cfg(test)]
mod tests {
    use mpirage_platform::Platform;

    use super::*;
    use mpirage_mpi::Handshake;

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
        assert_eq!(again, Model { profile_is_assumed: false, ..model });
        for name in ["flow:factors", "flow:affine"] {
            let model = named_model_of(name, "").unwrap();
            assert_eq!(named_model_of(name, &model.describe().join("\n")).unwrap(), model);
        }
    }

    #[test]
    fn noise_is_read_and_described() {
        let model = model_of("noise = { computation = 0.02, message = \"1us\", start = \"0.1ms\" }").unwrap();
        assert_eq!((model.protocol.noise.computation, model.protocol.noise.message), (0.02, 1e-6));
        assert!(model.is_random() && !model_of("").unwrap().is_random());
        let again = model_of(&model.describe().join("\n")).unwrap();
        assert_eq!(again, Model { profile_is_assumed: false, ..model });
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
