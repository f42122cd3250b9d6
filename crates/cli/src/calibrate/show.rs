//! The result of `mpirage calibrate` as tables and as JSON.

use mpirage_calibrate::{
    Calibration, CrowdedGap, Fitted, GapSection, GapTime, InterfaceFit, Interval, LogErrors, Measurements,
    OverheadFit, PieceFit, SampleKind, percent,
};
use mpirage_plot::size_text;
use mpirage_units::{Duration, time_text};
use serde_json::{Value, json};

use super::predict::Predicted;
use crate::output;

/// Everything that is shown.
pub struct Results<'a> {
    /// The fit.
    pub calibration: &'a Calibration,
    /// The measurements that it was fitted to.
    pub measurements: &'a Measurements,
    /// The origin of the measurements, the machine and the model, in one line.
    pub title: &'a str,
    /// How far a replayed ping-pong is from the fit.
    pub replayed: f64,
    /// Measured collectives beside simulated ones.
    pub collectives: Vec<Predicted>,
    /// The model, if it has no gap, so that gaps are fitted in vain.
    pub unused_gaps: Option<&'a String>,
}

impl Results<'_> {
    /// Prints the tables.
    pub fn print(&self) {
        output::line(self.title);
        self.series().iter().for_each(|(kind, samples, sizes)| {
            output::line(format_args!("  {:<14} {samples:>8} samples, {sizes} sizes", kind.name()));
        });
        self.segments();
        self.overheads();
        self.interface();
        self.scores();
        self.predicted();
    }

    /// The kinds that were measured, with their numbers of samples and sizes.
    fn series(&self) -> Vec<(SampleKind, usize, usize)> {
        let of = |kind| {
            let points = self.measurements.points(kind);
            (kind, points.iter().map(|point| point.samples).sum(), points.len())
        };
        self.measurements.kinds().into_iter().map(of).collect()
    }

    fn segments(&self) {
        if self.calibration.segments.is_empty() {
            return;
        }
        output::line(
            "\nsegments           sizes     latency     bandwidth   factor on latency         factor on bandwidth",
        );
        for segment in &self.calibration.segments {
            let [(latency, one), (bandwidth, other)] = self.calibration.factors(segment);
            output::line(format_args!(
                "  from {:<12} {:>5}  {:>10}  {:>7.1} MB/s   {:<24}  {}",
                size_text(segment.from),
                segment.sizes,
                time(segment.latency),
                1e-6 / segment.per_byte,
                interval(latency, one),
                interval(bandwidth, other)
            ));
        }
    }

    fn overheads(&self) {
        let Calibration { send_overhead, isend_overhead, recv_overhead, interface_delay, limits, .. } =
            self.calibration;
        let all = [
            ("send", send_overhead),
            ("isend", isend_overhead),
            ("recv", recv_overhead),
            ("delay", interface_delay),
        ];
        if all.iter().any(|(_, fitted)| fitted.is_some()) {
            output::line("\noverheads");
        }
        for (name, fitted) in all {
            let Some(fitted) = fitted else { continue };
            let sizes =
                [8, 1024, 16384].map(|bytes| format!("{} {}", size_text(bytes), time(fitted.at(bytes))));
            let sections = fitted.sections.len();
            let from = self.origin(name);
            output::line(format_args!("  {name:<6} {sections} sections; {}{from}", sizes.join(", ")));
        }
        for (name, limit) in [("eager limit", limits.eager), ("push limit", limits.push)] {
            limit.iter().for_each(|&limit| output::line(format_args!("{name} {}", size_text(limit))));
        }
    }

    /// The measurements behind an overhead that no call showed.
    fn origin(&self, overhead: &str) -> &'static str {
        let has = |kind| !self.measurements.points(kind).is_empty();
        match overhead {
            "isend" if !has(SampleKind::Isend) => "; from windows of one pair",
            "recv" if self.measurements.has_windows() && self.calibration.interface_delay.is_some() => {
                "; from windows in both directions"
            }
            "delay" => "; from what ping-pongs lack",
            _ => "",
        }
    }

    fn interface(&self) {
        let InterfaceFit { cross_traffic, gap, crowded_gap, not_fitted } = &self.calibration.interface;
        if cross_traffic.is_some() || gap.is_some() || !not_fitted.is_empty() {
            output::line("\ninterface");
        }
        if let Some(Fitted { value, interval, from }) = cross_traffic {
            let spread = runs(*interval, |value| format!("{value:.3}"));
            output::line(format_args!("  cross-traffic {value:.3} ({spread}); from {from}"));
        }
        if let Some(Fitted { value, interval, from }) = gap {
            output::line(format_args!("  gap {} ({}); from {from}", time(*value), runs(*interval, time)));
        }
        crowded_gap.iter().for_each(crowded);
        if let (Some(model), true) = (self.unused_gaps, gap.is_some()) {
            output::line(format_args!(
                "  model {model} has no interface, so that gaps stand in comments; --mpi-profile names a model with one"
            ));
        }
        not_fitted.iter().for_each(|reason| output::line(format_args!("  not fitted: {reason}")));
    }

    fn predicted(&self) {
        if let Some(Predicted { ranks, .. }) = self.collectives.first() {
            output::line(format_args!(
                "\ncollectives of {ranks} ranks, simulated; nothing is fitted to them"
            ));
        }
        for Predicted { name, errors, .. } in &self.collectives {
            output::line(format_args!("  {name:<20} {}, {} sizes", both(errors), errors.count()));
        }
        if self.collectives.is_empty() {
            let is_collective = |kind: &SampleKind| matches!(kind, SampleKind::Collective(_));
            for kind in self.measurements.kinds().into_iter().filter(is_collective) {
                output::line(format_args!(
                    "not simulated: {}: only osu_mbw_mr says how many ranks there are; add that of the same ranks",
                    kind.name()
                ));
            }
        }
    }

    fn scores(&self) {
        let held_out = !self.calibration.held_out.is_empty();
        let more = if held_out { "   left out: mean    worst    classes of ten sizes" } else { "" };
        output::line(format_args!("\nlogarithmic error         mean    worst{more}"));
        for score in self.calibration.scores() {
            let mut line = format!("  {:<20} {}", score.model, both(&score.fitted));
            if held_out {
                let classes = percent(score.held_out_classes.mean());
                line += &format!("          {}    {classes:>7}", both(&score.held_out));
            }
            output::line(line);
        }
        output::line(format_args!(
            "neighbouring sizes scatter by {}; a replayed ping-pong differs from the fit by at most {}",
            percent(self.calibration.noise()),
            percent(self.replayed)
        ));
    }

    /// The result as one object.
    pub fn json(&self) -> Value {
        let Calibration { limits, points, held_out, .. } = self.calibration;
        let InterfaceFit { cross_traffic, gap, crowded_gap, not_fitted } = &self.calibration.interface;
        json!({
            "title": self.title,
            "measured": self.series().iter().map(|(kind, samples, sizes)| {
                json!({"series": kind.name(), "samples": samples, "sizes": sizes})
            }).collect::<Vec<_>>(),
            "segments": self.calibration.segments.iter().map(|segment| self.segment(segment)).collect::<Vec<_>>(),
            "send_overhead": self.calibration.send_overhead.as_ref().map(overhead),
            "isend_overhead": self.calibration.isend_overhead.as_ref().map(overhead),
            "recv_overhead": self.calibration.recv_overhead.as_ref().map(overhead),
            "eager_limit": limits.eager,
            "push_limit": limits.push,
            "interface_delay": self.calibration.interface_delay.as_ref().map(overhead),
            "cross_traffic": cross_traffic.as_ref().map(|fit| fitted("share", fit)),
            "gap": gap.as_ref().map(|fit| fitted("seconds", fit)),
            "crowded_gap": crowded_gap.as_ref().map(crowded_json),
            "not_fitted": not_fitted,
            "collectives": self.collectives.iter().map(|one| json!({
                "collective": one.name, "ranks": one.ranks, "error": errors(&one.errors),
            })).collect::<Vec<_>>(),
            "errors": self.calibration.scores().iter().map(|score| json!({
                "model": score.model,
                "fitted": errors(&score.fitted),
                "left_out": errors(&score.held_out),
                "left_out_classes": errors(&score.held_out_classes),
            })).collect::<Vec<_>>(),
            "noise": self.calibration.noise(),
            "replayed": self.replayed,
            "points": points.iter().chain(held_out).map(|point| json!({
                "bytes": point.bytes,
                "seconds": point.seconds,
                "fit": self.calibration.predict(point.bytes),
                "left_out": held_out.contains(point),
            })).collect::<Vec<_>>(),
            "notes": self.calibration.notes,
            "skipped": self.measurements.skipped(),
            "version": env!("CARGO_PKG_VERSION"),
        })
    }

    fn segment(&self, segment: &PieceFit) -> Value {
        let [(latency, one), (bandwidth, other)] = self.calibration.factors(segment);
        json!({
            "from": segment.from,
            "from_interval": segment.from_interval.map(bounds),
            "sizes": segment.sizes,
            "seconds": segment.latency,
            "seconds_per_byte": segment.per_byte,
            "latency_factor": latency,
            "latency_factor_interval": bounds(one),
            "bandwidth_factor": bandwidth,
            "bandwidth_factor_interval": bounds(other),
        })
    }
}

fn overhead(fitted: &OverheadFit) -> Value {
    let section = |section: &PieceFit| {
        json!({
            "from": section.from,
            "seconds": section.latency,
            "seconds_interval": (section.sizes > 0).then(|| bounds(section.latency_interval)),
            "seconds_per_byte": section.per_byte,
            "seconds_per_byte_interval": (section.sizes > 0).then(|| bounds(section.per_byte_interval)),
        })
    };
    json!({"sections": fitted.sections.iter().map(section).collect::<Vec<_>>(), "unknown_from": fitted.unknown_from})
}

/// The gap of many ranks at the sizes that were measured.
fn crowded(fit: &CrowdedGap) {
    let has_interval = fit.times().any(|time| time.interval.is_some());
    let one = |GapTime { bytes, seconds, interval }: GapTime| {
        let spread = if has_interval { format!(" ({})", runs(interval, time)) } else { String::new() };
        format!("{} {}{spread}", size_text(bytes), time(seconds))
    };
    let times: Vec<String> = fit.times().map(one).collect();
    let spread = if has_interval { String::new() } else { format!(" ({})", runs(None, time)) };
    output::line(format_args!("  crowd {}; from {}", fit.crowd, fit.from));
    output::line(format_args!("  crowded-gap {}{spread}; from {}", times.join(", "), fit.from));
}

/// The interval of repeated runs, which a single one does not have.
fn runs(interval: Option<Interval>, text: impl Fn(f64) -> String) -> String {
    match interval {
        Some(Interval { low, high }) => format!("{} to {}", text(low), text(high)),
        None => "one run: no interval".to_owned(),
    }
}

fn fitted(unit: &str, fit: &Fitted) -> Value {
    json!({unit: fit.value, "interval": fit.interval.map(bounds), "from": fit.from})
}

fn crowded_json(fit: &CrowdedGap) -> Value {
    let section = |section: &GapSection| {
        json!({
            "from": section.from,
            "seconds": section.seconds,
            "seconds_per_byte": section.per_byte,
            "interval": section.measured.and_then(|time| time.interval).map(bounds),
        })
    };
    json!({"crowd": fit.crowd, "from": fit.from, "sections": fit.sections.iter().map(section).collect::<Vec<_>>()})
}

fn bounds(interval: Interval) -> Value {
    json!([interval.low, interval.high])
}

fn errors(errors: &LogErrors) -> Value {
    json!({"mean": errors.mean(), "worst": errors.worst(), "count": errors.count()})
}

fn both(errors: &LogErrors) -> String {
    format!("{:>9}{:>9}", percent(errors.mean()), percent(errors.worst()))
}

fn interval(value: f64, Interval { low, high }: Interval) -> String {
    format!("{value:.3} ({low:.3} to {high:.3})")
}

fn time(seconds: f64) -> String {
    time_text(Duration::from_secs_f64(seconds.max(0.0)))
}
