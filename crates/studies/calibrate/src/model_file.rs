//! A calibration as a model file, which `--model FILE.toml` reads. Intervals stand in comments.

use std::fmt::Write;

use crate::bootstrap::Interval;
use crate::error::percent;
use crate::fit::{Calibration, FitKind, OverheadFit, PieceFit};
use crate::interface::{CrowdedGap, GapSection, InterfaceFit};

/// The contents of the file besides the fitted parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelFile<'f> {
    /// The preset that the parameters change.
    pub base: &'f str,
    /// The library whose physics stays, if there is one.
    pub profile: Option<&'f str>,
    /// The origin of the measurements, for the first lines.
    pub origin: &'f [String],
    /// Does the base model have a gap?
    pub has_gap: bool,
}

/// The text of the file.
pub fn write_model(calibration: &Calibration, file: &ModelFile<'_>) -> String {
    let mut out = String::new();
    file.origin.iter().for_each(|line| push(&mut out, &format!("# {line}")));
    for score in calibration.scores() {
        let (mean, worst) = (percent(score.fitted.mean()), percent(score.fitted.worst()));
        push(
            &mut out,
            &format!("# Ping-pong, logarithmic error: {} mean {mean}, worst {worst}.", score.model),
        );
    }
    push(&mut out, "# In parentheses: where nine of ten values lie (bootstrap).");
    push(&mut out, "[model]");
    push(&mut out, &format!("base = \"{}\"", file.base));
    if let Some(profile) = file.profile {
        push(&mut out, &format!("profile = \"{profile}\""));
    }
    if calibration.kind == FitKind::Factors {
        segments(&mut out, calibration);
    }
    protocol(&mut out, calibration);
    interface(&mut out, &calibration.interface, file.has_gap);
    out
}

fn push(out: &mut String, line: &str) {
    let _ = writeln!(out, "{line}");
}

fn segments(out: &mut String, calibration: &Calibration) {
    let route = &calibration.route;
    push(out, &format!("calibrated-bandwidth = \"{}Bps\"", route.bandwidth));
    push(out, &format!("calibrated-latency = \"{}s\"", route.latency));
    push(out, &format!("header = {}", route.header));
    push(out, "segments = [");
    for segment in &calibration.segments {
        let [(latency, latency_interval), (bandwidth, bandwidth_interval)] = calibration.factors(segment);
        push(
            out,
            &format!(
                "  # {}; {} sizes; latency {}, bandwidth {}",
                start(segment),
                segment.sizes,
                short(latency, latency_interval),
                short(bandwidth, bandwidth_interval)
            ),
        );
        // Segments begin above a number of bytes on the wire.
        let above = if segment.from == 0 { 0 } else { segment.from + route.header - 1 };
        push(out, &format!("  {{ above = {above}, latency = {latency}, bandwidth = {bandwidth} }},"));
    }
    push(out, "]");
}

/// `from 1420 B (1380 to 1450)`.
fn start(piece: &PieceFit) -> String {
    let interval = piece.from_interval.map(|Interval { low, high }| format!(" ({low:.0} to {high:.0})"));
    format!("from {} B{}", piece.from, interval.unwrap_or_default())
}

/// `0.1683 (0.16 to 0.17)`.
fn short(value: f64, Interval { low, high }: Interval) -> String {
    format!("{value:.4} ({low:.4} to {high:.4})")
}

fn protocol(out: &mut String, calibration: &Calibration) {
    let Calibration { send_overhead, isend_overhead, recv_overhead, interface_delay, limits, kind, .. } =
        calibration;
    if let Some(limit) = limits.eager {
        push(out, &format!("eager-limit = {limit}"));
    }
    if let Some(limit) = limits.push {
        push(out, &format!("push-limit = {limit}"));
    }
    let overheads = [
        ("send-overhead", send_overhead),
        ("isend-overhead", isend_overhead),
        ("recv-overhead", recv_overhead),
    ];
    for (key, fitted) in overheads {
        match fitted {
            Some(fitted) => overhead(out, key, fitted),
            // Factors without overheads hold the whole time, whatever the platform says of overheads.
            None if *kind == FitKind::Factors => push(out, &format!("{key} = []")),
            None => {}
        }
    }
    if let Some(fitted) = interface_delay {
        if recv_overhead.is_none() {
            push(out, "recv-overhead = []");
        }
        overhead(out, "interface-delay", fitted);
    }
}

fn overhead(out: &mut String, key: &str, fitted: &OverheadFit) {
    push(out, &format!("{key} = ["));
    for section in &fitted.sections {
        let PieceFit { from, latency, latency_interval, per_byte, per_byte_interval, .. } = section;
        let fit = format!(
            "{} sizes; seconds {}, per byte {}",
            section.sizes,
            scientific(*latency, *latency_interval),
            scientific(*per_byte, *per_byte_interval)
        );
        let fit = if section.sizes > 0 { &fit } else { "assumed, the network hides it" };
        push(out, &format!("  # {}; {fit}", start(section)));
        push(out, &format!("  {{ from = {from}, seconds = {latency:e}, per-byte = {per_byte:e} }},"));
    }
    if let Some(from) = fitted.unknown_from {
        push(out, "  # calls wait for the other side from here on");
        push(out, &format!("  {{ from = {from}, seconds = 0.0, per-byte = 0.0 }},"));
    }
    push(out, "]");
}

fn scientific(value: f64, Interval { low, high }: Interval) -> String {
    format!("{value:.3e} ({low:.2e} to {high:.2e})")
}

/// The keys of the interface. Models without a gap refuse some of them, which become comments.
fn interface(out: &mut String, fit: &InterfaceFit, has_gap: bool) {
    if let Some(cross) = &fit.cross_traffic {
        push(out, &format!("# from {}{}", cross.from, runs(cross.interval)));
        push(out, &format!("cross-traffic = {}", cross.value));
    }
    let mut gaps = String::new();
    if let Some(gap) = &fit.gap {
        push(&mut gaps, &format!("# from {}{}", gap.from, runs(gap.interval)));
        push(&mut gaps, &format!("gap = \"{}s\"", gap.value));
    }
    if let Some(crowded) = &fit.crowded_gap {
        crowded_gap(&mut gaps, crowded);
    }
    let comment = if has_gap { "" } else { "# measured: " };
    gaps.lines().for_each(|line| push(out, &format!("{comment}{line}")));
    fit.not_fitted.iter().for_each(|reason| push(out, &format!("# not fitted: {reason}")));
}

fn crowded_gap(out: &mut String, fit: &CrowdedGap) {
    let has_interval = fit.times().any(|time| time.interval.is_some());
    let spread = if has_interval { String::new() } else { runs(None) };
    push(out, &format!("# from {}{spread}", fit.from));
    push(out, &format!("crowd = {}", fit.crowd));
    push(out, "crowded-gap = [");
    for GapSection { from, seconds, per_byte, measured } in &fit.sections {
        let interval = measured.and_then(|time| time.interval);
        let spread = interval.map(|interval| format!(" #{}", runs(Some(interval)))).unwrap_or_default();
        push(out, &format!("  {{ from = {from}, seconds = {seconds:e}, per-byte = {per_byte:e} }},{spread}"));
    }
    push(out, "]");
}

/// ` (3.1e-8 to 3.2e-8)`; one run has no interval.
fn runs(interval: Option<Interval>) -> String {
    match interval {
        Some(Interval { low, high }) => format!(" ({low:.3e} to {high:.3e})"),
        None => " (one run: no interval)".to_owned(),
    }
}
