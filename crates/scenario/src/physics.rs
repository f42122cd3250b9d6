//! The keys of the `[model]` table that give `flow` the physics of a transport instead of factors.

use mpirage_models::{Fairness, FlowParameters, Framing, Lateness, Physics, Segment, Trailer};
use mpirage_platform::Value;
use mpirage_units::{Duration, FACTOR};

use crate::values::quantity;

/// Factors that change nothing.
pub(crate) fn no_factors() -> Vec<Segment> {
    vec![Segment { above: 0, latency_factor: 1.0, bandwidth_factor: 1.0 }]
}

/// Messages of so many bytes are short unless something else is said.
const SHORT: u64 = 4096;

/// A transport that adds nothing.
const NOTHING_ADDED: Physics = Physics {
    framing: Framing { payload: u64::MAX, header: 0, store_and_forward: false },
    control: 0,
    trailer: None,
    software: Duration::ZERO,
    gap: Duration::ZERO,
    burst: SHORT,
    turn: SHORT,
    send_buffer: None,
    initial_window: None,
    lateness: Lateness { share: 0.0, most: Duration::ZERO, seed: 0 },
};

/// The physics of a flow model, which have no factors and share links equally.
pub(crate) fn of(flow: &mut FlowParameters) -> &mut Physics {
    if flow.physics.is_none() {
        (flow.segments, flow.fairness) = (no_factors(), Fairness::Equal);
    }
    flow.physics.get_or_insert(NOTHING_ADDED)
}

/// The parameters as lines of a `[model]` table.
pub(crate) fn describe(flow: &FlowParameters) -> Vec<String> {
    let fairness = if flow.fairness == Fairness::Equal { "equal" } else { "round-trip" };
    let mut lines = vec![format!("fairness = \"{fairness}\"")];
    let Some(physics) = &flow.physics else { return lines };
    let Physics {
        framing,
        control,
        trailer,
        software,
        gap,
        burst,
        turn,
        send_buffer,
        initial_window,
        lateness,
    } = physics;
    if framing.payload < u64::MAX {
        lines.push(format!("frame = {}", framing.payload));
    }
    lines.extend([
        format!("frame-header = {}", framing.header),
        format!("store-and-forward = {}", framing.store_and_forward),
        format!("control = {control}"),
        format!("software = \"{}s\"", software.as_secs_f64()),
        format!("gap = \"{}s\"", gap.as_secs_f64()),
        format!("late-share = {}", lateness.share),
        format!("late-most = \"{}s\"", lateness.most.as_secs_f64()),
    ]);
    lines.extend([format!("burst = {burst}"), format!("turn = {turn}")]);
    if let Some(Trailer { bytes, from }) = trailer {
        lines.extend([format!("trailer = {bytes}"), format!("trailer-from = {from}")]);
    }
    lines.extend(send_buffer.map(|bytes| format!("send-buffer = {bytes}")));
    lines.extend(initial_window.map(|bytes| format!("initial-window = {bytes}")));
    lines
}

/// Factors by size were measured on a whole; the causes of which it consists cannot be added to them.
pub(crate) fn contradiction(flow: &FlowParameters) -> Option<&'static str> {
    (flow.physics.is_some() && flow.segments != no_factors()).then_some(
        "`segments` has factors by size, and the model has a frame, a gap or another cause of them; use one of both",
    )
}

pub(crate) fn trailer(physics: &mut Physics) -> &mut Trailer {
    physics.trailer.get_or_insert(Trailer { bytes: 0, from: 0 })
}

pub(crate) fn fairness(value: &Value) -> Result<Fairness, String> {
    match value {
        Value::Text(text) if text == "equal" => Ok(Fairness::Equal),
        Value::Text(text) if text == "round-trip" => Ok(Fairness::RoundTrip),
        other => Err(format!("{other} is neither \"equal\" nor \"round-trip\"")),
    }
}

pub(crate) fn share(value: &Value) -> Result<f64, String> {
    let share = quantity(value, &FACTOR)?;
    if share <= 1.0 { Ok(share) } else { Err(format!("{share} is no share: it is at most 1")) }
}

pub(crate) fn at_least_one(bytes: u64) -> Result<u64, String> {
    if bytes > 0 { Ok(bytes) } else { Err("it is at least one byte".to_owned()) }
}
