//! The result of `mpirage calibrate` as tables and as JSON.

use mpirage_calibrate::{
    Calibration, Interval, LogErrors, Measurements, OverheadFit, PieceFit, SampleKind, percent,
};
use mpirage_plot::size_text;
use mpirage_units::{Duration, time_text};
use serde_json::{Value, json};

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
}

const KINDS: [SampleKind; 6] = [
    SampleKind::PingPong,
    SampleKind::Exchange,
    SampleKind::Send,
    SampleKind::Isend,
    SampleKind::Recv,
    SampleKind::Gap,
];

impl Results<'_> {
    /// Prints the tables.
    pub fn print(&self) {
        output::line(self.title);
        self.series().iter().for_each(|(kind, samples, sizes)| {
            output::line(format_args!("  {:<14} {samples:>8} samples, {sizes} sizes", kind.name()));
        });
        self.segments();
        self.overheads();
        self.scores();
    }

    /// The kinds that were measured, with their numbers of samples and sizes.
    fn series(&self) -> Vec<(SampleKind, usize, usize)> {
        let of = |kind| {
            let points = self.measurements.points(kind);
            (kind, points.iter().map(|point| point.samples).sum(), points.len())
        };
        KINDS.into_iter().map(of).filter(|(_, _, sizes)| *sizes > 0).collect()
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
        let Calibration { send_overhead, isend_overhead, recv_overhead, limits, gap, .. } = self.calibration;
        let all = [("send", send_overhead), ("isend", isend_overhead), ("recv", recv_overhead)];
        if all.iter().any(|(_, fitted)| fitted.is_some()) {
            output::line("\noverheads");
        }
        for (name, fitted) in all {
            let Some(fitted) = fitted else { continue };
            let sizes =
                [8, 1024, 16384].map(|bytes| format!("{} {}", size_text(bytes), time(fitted.at(bytes))));
            let sections = fitted.sections.len();
            output::line(format_args!("  {name:<6} {sections} sections; {}", sizes.join(", ")));
        }
        for (name, limit) in [("eager limit", limits.eager), ("push limit", limits.push)] {
            limit.iter().for_each(|&limit| output::line(format_args!("{name} {}", size_text(limit))));
        }
        if let Some((gap, spread)) = gap {
            output::line(format_args!("gap {} ({} to {})", time(*gap), time(spread.low), time(spread.high)));
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
        let Calibration { limits, gap, points, held_out, .. } = self.calibration;
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
            "gap": gap.map(|(gap, spread)| json!({"seconds": gap, "interval": bounds(spread)})),
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
            "seconds_interval": bounds(section.latency_interval),
            "seconds_per_byte": section.per_byte,
            "seconds_per_byte_interval": bounds(section.per_byte_interval),
        })
    };
    json!({"sections": fitted.sections.iter().map(section).collect::<Vec<_>>(), "unknown_from": fitted.unknown_from})
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
