//! The parameters of a model as text.

use mpirage_kernel::{DelaySection, InterfaceDelay};
use mpirage_models::{FlowParameters, Segment};
use mpirage_mpi::{AccessProgress, Envelope, Handshake, LibraryProgress, Noise, Overhead, Protocol};

use crate::model::Model;
use crate::network::Network;
use crate::physics;

impl Model {
    /// The parameters, one per line, as they would be written in the `[model]` table of a platform file.
    pub fn describe(&self) -> Vec<String> {
        let protocol = &self.protocol;
        let mut lines: Vec<_> =
            self.profile.iter().map(|library| format!("profile = \"{}\"", library.name)).collect();
        lines.extend(match &self.network {
            Network::Flow(flow) => describe_flow(flow, protocol),
            Network::Bus(bus) => bus.describe(),
            Network::Smp(smp) => smp.describe(),
            Network::LogGops(loggops) => loggops.describe(),
            // A network of frames has a table of its own.
            Network::Packet(_) | Network::Ideal => Vec::new(),
        });
        if protocol.eager_limit < u64::MAX {
            lines.push(format!("eager-limit = {}", protocol.eager_limit));
        }
        lines.extend([
            format!("clock-cost = \"{}s\"", protocol.clock_cost.as_secs_f64()),
            format!("reduce-seconds-per-byte = {}", protocol.reduce_seconds_per_byte),
            format!("copy-seconds-per-byte = {}", protocol.copy_seconds_per_byte),
            format!("copy-seconds-per-block = {}", protocol.copy_seconds_per_block),
            format!("progress = \"{}\"", describe_progress(protocol.progress)),
            format!("one-sided = \"{}\"", describe_one_sided(protocol.one_sided)),
            format!("atomic-gap = \"{}s\"", protocol.atomic_gap.as_secs_f64()),
            format!("wake-up = \"{}s\"", protocol.wake_up.latest.as_secs_f64()),
        ]);
        if !protocol.noise.is_none() {
            lines.push(describe_noise(&protocol.noise));
        }
        lines
    }
}

fn describe_noise(noise: &Noise) -> String {
    let Noise { computation, message, start, .. } = noise;
    let start = start.as_secs_f64();
    format!("noise = {{ computation = {computation}, message = \"{message}s\", start = \"{start}s\" }}")
}

fn describe_handshake(handshake: Handshake) -> &'static str {
    match handshake {
        Handshake::None => "none",
        Handshake::Grant => "grant",
        Handshake::Confirm => "confirm",
        Handshake::Read => "read",
    }
}

fn describe_progress(progress: LibraryProgress) -> &'static str {
    match progress {
        LibraryProgress::Background => "background",
        LibraryProgress::InCalls => "calls",
    }
}

fn describe_one_sided(progress: AccessProgress) -> &'static str {
    match progress {
        AccessProgress::Interface => "interface",
        AccessProgress::InCalls => "calls",
    }
}

fn describe_flow(flow: &FlowParameters, protocol: &Protocol) -> Vec<String> {
    let FlowParameters { header, window, penalty_scale, cross_traffic, contention, .. } = flow;
    let FlowParameters { sharing_tolerance, loopback, .. } = flow;
    let mut lines = if flow.physics.is_none() { describe_segments(&flow.segments) } else { Vec::new() };
    let envelope = if protocol.envelope == Envelope::AtSend { "at-send" } else { "on-arrival" };
    lines.extend([
        format!("header = {header}"),
        format!("penalty-scale = {penalty_scale}"),
        format!("cross-traffic = {cross_traffic}"),
        format!("contention = {contention}"),
        format!("sharing-tolerance = {sharing_tolerance}"),
        format!("loopback-bandwidth = \"{}Bps\"", loopback.bandwidth),
        format!("loopback-latency = \"{}s\"", loopback.latency),
        format!("push-limit = {}", describe_bytes(protocol.push_limit)),
        format!("envelope = \"{envelope}\""),
        format!("handshake = \"{}\"", describe_handshake(protocol.handshake)),
        format!("send-overhead = {}", describe_overhead(&protocol.send_overhead)),
        format!("isend-overhead = {}", describe_overhead(&protocol.isend_overhead)),
        format!("recv-overhead = {}", describe_overhead(&protocol.recv_overhead)),
        format!("interface-delay = {}", describe_delay(&flow.interface_delay)),
    ]);
    if !flow.crowd.gap.sections().is_empty() {
        lines.push(format!("crowd = {}", flow.crowd.ranks));
        lines.push(format!("crowded-gap = {}", describe_delay(&flow.crowd.gap)));
    }
    // Windows of connections are among the causes.
    lines.extend(window.is_finite().then(|| format!("window = {window}")));
    lines.extend(physics::describe(flow));
    lines
}

fn describe_segments(segments: &[Segment]) -> Vec<String> {
    let lines = segments.iter().map(|Segment { above, latency_factor, bandwidth_factor }| {
        format!("  {{ above = {above}, latency = {latency_factor}, bandwidth = {bandwidth_factor} }},")
    });
    ["segments = [".to_owned()].into_iter().chain(lines).chain(["]".to_owned()]).collect()
}

/// So many bytes, or as many as there are.
fn describe_bytes(bytes: u64) -> String {
    if bytes == u64::MAX { "inf".to_owned() } else { bytes.to_string() }
}

fn describe_overhead(overhead: &Overhead) -> String {
    let sections = overhead.sections.iter();
    let sections: Vec<String> = sections
        .map(|(from, constant, per_byte)| {
            format!("{{ from = {from}, seconds = {constant}, per-byte = {per_byte} }}")
        })
        .collect();
    format!("[{}]", sections.join(", "))
}

fn describe_delay(delay: &InterfaceDelay) -> String {
    let section = |DelaySection { from, seconds, per_byte }: &DelaySection| (*from, *seconds, *per_byte);
    describe_overhead(&Overhead { sections: delay.sections().iter().map(section).collect() })
}
