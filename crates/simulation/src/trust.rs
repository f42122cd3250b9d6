//! How far a simulated time can be trusted: the interval that holds the real one in nine of ten cases that were measured.
//!
//! The network's error is that of series of the same kind in `make validate`, which writes `trust/validated.csv`. Computation's error is what repeated runs differed
//! there, or differ here. `docs/trust.md` explains both to users.

use mpirage_record::Summary;
use mpirage_scenario::Evidence;
use mpirage_units::{Duration, time_text};
use serde::Serialize;

use crate::figures::Figures;
use crate::machine::Machine;

/// The errors of series, by model and kind of traffic.
const VALIDATED: &str = include_str!("trust/validated.csv");
/// Kinds of what was compared.
const COLLECTIVES: &str = "collectives";
const COMPUTATION: &str = "computation";
/// Messages of at most so many bytes are small.
const SMALL: u64 = 4096;
/// The error of computation that is scaled by published results of other programs. No measurement: an assumption, as text and documents say.
const SCALED: f64 = 0.3;
/// A part of the result that is smaller than this may be wrong altogether.
const NEGLIGIBLE: f64 = 0.01;
/// A computation that puts the result off by less than this is no reason for an alarm.
const SMALL_PART: f64 = 0.05;

/// How far a simulated time can be trusted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trust {
    /// The least time that the errors allow; none if an error is unknown.
    pub low_seconds: Option<f64>,
    /// The longest.
    pub high_seconds: Option<f64>,
    /// Of messages and waiting.
    pub network: Part,
    /// Of the busiest rank's computation.
    pub computation: Part,
}

/// A part of the result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// Its share of the simulated time.
    pub share: f64,
    /// How much longer it takes in reality, or how much less, as a fraction; none if that is unknown.
    pub error: Option<f64>,
    /// How that is known, or why it is not.
    pub because: String,
}

/// How the computation of a run was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Measurement {
    /// By another run, if at all.
    #[default]
    Earlier,
    /// By several runs that differed so much, as a fraction.
    Repeated(f64),
    /// By this run, on a machine that had nothing else to do.
    Alone,
    /// By this run, while other programs wanted the processors.
    Beside,
}

/// An error, with how it is known or why it is not.
struct Known {
    error: Option<f64>,
    because: String,
}

impl Known {
    fn error(error: f64, because: impl Into<String>) -> Known {
        Known { error: Some(error), because: because.into() }
    }

    fn unknown(because: &str) -> Known {
        Known { error: None, because: because.to_owned() }
    }

    fn of(self, share: f64) -> Part {
        Part { share, error: self.error, because: self.because }
    }
}

impl Trust {
    /// Of a run that took time on a machine.
    pub fn of(figures: &Figures, machine: &Machine, summary: &Summary) -> Option<Trust> {
        let seconds = figures.simulated_seconds;
        if figures.outcome != "finished" || seconds <= 0.0 {
            return None;
        }
        let computes = figures.efficiency.map_or(0.0, |efficiency| efficiency.communication);
        let network = network_error(figures, machine, summary).of(1.0 - computes);
        let computation = computation_error(figures, machine, computes).of(computes);
        let far = network.far().zip(computation.far()).map(|(one, other)| one.hypot(other));
        let (low_seconds, high_seconds) =
            (far.map(|far| seconds / (1.0 + far)), far.map(|far| seconds * (1.0 + far)));
        Some(Trust { low_seconds, high_seconds, network, computation })
    }

    /// `388 to 414 µs; network ± 5 %, computation ± 1 %`.
    pub fn describe(&self) -> String {
        let parts: Vec<String> = [("network", &self.network), ("computation", &self.computation)]
            .into_iter()
            .filter(|(_, part)| part.share >= NEGLIGIBLE)
            .map(|(name, part)| part.describe(name))
            .collect();
        let parts = parts.join(", ");
        match self.interval() {
            Some(interval) => format!("{interval}; {parts}"),
            None => parts,
        }
    }

    /// `388 to 414 µs`.
    pub fn interval(&self) -> Option<String> {
        let text = |seconds: f64| time_text(Duration::from_secs_f64(seconds));
        let (low, high) = (text(self.low_seconds?), text(self.high_seconds?));
        Some(match (low.split_once(' '), high.split_once(' ')) {
            (Some((low, unit)), Some((high, same))) if unit == same => format!("{low} to {high} {unit}"),
            _ => format!("{low} to {high}"),
        })
    }
}

impl Part {
    /// How far this part can put the result off, as a fraction of it.
    fn far(&self) -> Option<f64> {
        match self.error {
            Some(error) => Some(error * self.share),
            None => (self.share < NEGLIGIBLE).then_some(self.share),
        }
    }

    /// Can it put the result off by more than the noise that results have anyway?
    pub(crate) fn matters(&self) -> bool {
        self.far().is_none_or(|far| far > SMALL_PART)
    }

    fn describe(&self, name: &str) -> String {
        match self.error {
            Some(0.0) => format!("{name} taken as exact"),
            Some(error) => format!("{name} ± {} %", percent(error)),
            None => format!("{name} unknown: {}", self.because),
        }
    }
}

/// `4`, `0.5`, `0`: percent of an error.
fn percent(error: f64) -> String {
    let percent = 100.0 * error;
    if (0.05..0.95).contains(&percent) { format!("{percent:.1}") } else { format!("{percent:.0}") }
}

/// How far the time of a collective of so many bytes may be off on a machine, if that is known.
pub fn collective_error(machine: &Machine, bytes: u64) -> Option<f64> {
    Some(validated(evidence(machine).ok()?.name(), COLLECTIVES, size(bytes <= SMALL)))
}

/// The error of the network's part of a result.
fn network_error(figures: &Figures, machine: &Machine, summary: &Summary) -> Known {
    if figures.files.is_some() {
        return Known::unknown("the times of files were compared with no measurement");
    }
    if machine.model.network == mpirage_scenario::Network::Ideal || summary.messages == 0 {
        return Known::error(0.0, "no message takes time");
    }
    match evidence(machine) {
        Ok(evidence) => Traffic::of(figures.ranks, summary).error_of(evidence),
        Err(why) => Known::unknown(why),
    }
}

/// The measurements that are like this machine, or why there are none.
fn evidence(machine: &Machine) -> Result<Evidence, &'static str> {
    match machine.virtual_processors {
        Some(_) => Err("ranks share cores"),
        None => machine.model.evidence(&machine.platform, &machine.placement),
    }
}

/// The error of the computation in a result.
fn computation_error(figures: &Figures, machine: &Machine, share: f64) -> Known {
    if share == 0.0 {
        return Known::error(0.0, "no rank computes");
    }
    if figures.computation_ratio.is_none() {
        return Known::error(0.0, "declared by the program, or in the trace");
    }
    let is_nominal = |&host: &_| machine.platform.host(host).speed.is_nominal();
    if machine.placement.hosts.iter().any(is_nominal) {
        return Known::unknown("scaled by a nominal speed");
    }
    let (measured, how) = measurement_error(figures, share);
    match machine.has_cores_like_this_one() {
        true => Known::error(measured, how),
        false => Known::error(
            SCALED.hypot(measured),
            format!(
                "{how}; scaled to another processor, of which every program gains alike within 30 % by assumption"
            ),
        ),
    }
}

/// The error of measuring computation on this machine, and how it is known.
fn measurement_error(figures: &Figures, share: f64) -> (f64, &'static str) {
    let length = length(share * figures.simulated_seconds);
    let noise = figures.disturbed.map_or(0.0, |disturbed| disturbed.unusual_share / share);
    match figures.measurement {
        Measurement::Earlier => (0.0, "recorded by an earlier run"),
        Measurement::Repeated(spread) => (spread, "the spread of the measuring runs"),
        Measurement::Alone => (validated("alone", COMPUTATION, length) + noise, "measured on this machine"),
        Measurement::Beside => (
            validated("beside", COMPUTATION, length) + noise,
            "measured beside other programs on this machine",
        ),
    }
}

/// The class of so many seconds of computation.
fn length(seconds: f64) -> &'static str {
    match seconds {
        _ if seconds < 1e-3 => "under 1 ms",
        _ if seconds < 1e-2 => "1 to 10 ms",
        _ if seconds < 1e-1 => "10 to 100 ms",
        _ => "over 100 ms",
    }
}

/// The messages of a run, as far as they decide which measurements are like it.
struct Traffic {
    /// The share of messages that are part of collectives.
    collective: f64,
    /// Do more than two ranks send?
    crowded: bool,
    /// Are messages small on average?
    small: bool,
}

impl Traffic {
    fn of(ranks: usize, summary: &Summary) -> Traffic {
        let messages = summary.messages as f64;
        Traffic {
            collective: summary.collective as f64 / messages,
            crowded: ranks > 2,
            small: summary.bytes <= SMALL * summary.messages,
        }
    }

    fn error_of(&self, evidence: Evidence) -> Known {
        let size = size(self.small);
        let crowded = self.crowded || evidence == Evidence::FatNodes;
        let others = if crowded { "contention" } else { "point-to-point" };
        let shares = [(COLLECTIVES, self.collective), (others, 1.0 - self.collective)];
        let errors = shares.map(|(kind, share)| share * validated(evidence.name(), kind, size));
        let kind = if self.collective > 0.5 { COLLECTIVES } else { others };
        let because = format!("nine of ten measured series ({}: {kind}, {size} messages)", evidence.name());
        Known::error(errors.iter().sum(), because)
    }
}

fn size(is_small: bool) -> &'static str {
    if is_small { "small" } else { "large" }
}

/// The error that nine of ten series of a kind do not exceed.
fn validated(model: &str, kind: &str, size: &str) -> f64 {
    let row = format!("{model},{kind},{size},");
    let figures = VALIDATED.lines().find_map(|line| line.strip_prefix(&row));
    let nine_in_ten = figures.and_then(|figures| figures.split(',').nth(2)?.parse().ok());
    nine_in_ten.expect("trust/validated.csv has every kind of every model")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::Efficiency;
    use crate::machine::MachineRequest;

    #[test]
    fn every_kind_was_validated() {
        for evidence in [Evidence::Flow, Evidence::NoOptions, Evidence::Packet, Evidence::Factors] {
            for kind in ["point-to-point", "contention", "collectives"] {
                for size in [size(true), size(false)] {
                    let error = validated(evidence.name(), kind, size);
                    assert!(error > 0.0 && error < 3.0, "{evidence:?} {kind} {size}: {error}");
                }
            }
        }
        for kind in ["contention", COLLECTIVES] {
            for size in [size(true), size(false)] {
                assert!(validated(Evidence::FatNodes.name(), kind, size) > 0.0, "{kind} {size}");
            }
        }
        for seconds in [1e-4, 5e-3, 0.05, 1.0] {
            for how in ["alone", "beside"] {
                assert!(validated(how, COMPUTATION, length(seconds)) > 0.0, "{how} {seconds}");
            }
        }
    }

    fn trusted(platform: &str, model: &str, computes: f64) -> Trust {
        let request = MachineRequest {
            platform: Some(platform.to_owned()),
            model: model.to_owned(),
            ..MachineRequest::default()
        };
        let machine = Machine::new(&request, 4).expect("a machine");
        let summary = Summary { messages: 10, bytes: 80, ..Summary::default() };
        let efficiency = Efficiency { parallel: computes, load_balance: 1.0, communication: computes };
        let figures = Figures {
            outcome: "finished".to_owned(),
            simulated_seconds: 2e-3,
            ranks: 4,
            efficiency: (computes > 0.0).then_some(efficiency),
            computation_ratio: (computes > 0.0).then_some(1.0),
            measurement: Measurement::Repeated(0.01),
            ..Figures::default()
        };
        Trust::of(&figures, &machine, &summary).expect("it took time")
    }

    #[test]
    fn the_interval_grows_with_the_parts() {
        let network = trusted("cluster:4", "flow", 0.0);
        let error = validated("flow", "contention", "small");
        assert!((network.high_seconds.expect("known") - 2e-3 * (1.0 + error)).abs() < 1e-12);
        let both = trusted("cluster:4", "flow", 0.9);
        assert!(both.high_seconds < network.high_seconds && both.low_seconds > network.low_seconds);
        assert!(both.describe().ends_with("computation ± 1 %"), "{}", both.describe());
    }

    #[test]
    fn what_nobody_measured_is_unknown() {
        let affine = trusted("cluster:4", "flow:affine", 0.0);
        assert_eq!((affine.low_seconds, affine.network.error), (None, None));
        assert_eq!(affine.describe(), "network unknown: this model was compared with no real network");
        let crowded = trusted("cluster:2,cores=2", "flow", 0.0);
        assert!(crowded.describe().starts_with("network unknown: several ranks share a host"), "{crowded:?}");
        assert!(trusted("cluster:2,cores=2", "flow", 0.995).low_seconds.is_some());
        let fat = trusted("cluster:2,cores=2,sockets=1", "flow", 0.0);
        assert_eq!(fat.network.error, Some(validated("fat-nodes", "contention", "small")));
    }

    #[test]
    fn intervals_share_their_unit() {
        let part = || Known::error(0.05, "").of(1.0);
        let trust = |low: f64, high: f64| Trust {
            low_seconds: Some(low),
            high_seconds: Some(high),
            network: part(),
            computation: Known::error(0.0, "").of(0.0),
        };
        assert_eq!(trust(388e-6, 414e-6).describe(), "388 to 414 µs; network ± 5 %");
        assert_eq!(trust(990e-6, 1.01e-3).interval().expect("known"), "990 µs to 1.01 ms");
    }
}
