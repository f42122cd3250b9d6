//! Parameters of a network interface that many ranks share, from windows of messages.
//!
//! | key | from |
//! |---|---|
//! | `cross-traffic` | large messages: a window in both directions takes 1 + ε times as long as one in one direction |
//! | `gap` | small messages: the time from one to the next, of the number of pairs whose rate is the highest |
//! | `crowd`, `crowded-gap` | the time from one message to the next of the most pairs, if they take longer than that |
//!
//! A rate says something about the interface only if more senders do not raise it: otherwise it is that of the senders. Likewise, messages that
//! fill the network say nothing about the time between small ones.
//!
//! Intervals are those of repeated runs. One run has none.

use mpirage_plot::size_text;
use mpirage_units::counted;

use crate::bootstrap::Interval;
use crate::measurement::{Measurements, Point, SampleKind, median};

/// Times within this factor are the same.
const SAME: f64 = 1.1;
/// Sizes whose messages take at most this factor of the fastest one's time are small.
const SMALL: f64 = 1.25;
/// Messages fill the network if they take at most this factor of their bytes' time.
const FULL: f64 = 1.05;
/// The sizes from which `cross-traffic` is fitted are at least this part of the largest one.
const LARGE: u64 = 4;

/// A value with its interval, if there are several runs, and the measurements that gave it.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// The value.
    pub value: f64,
    /// Where nine of ten runs lie.
    pub interval: Option<Interval>,
    /// The measurements, for the user.
    pub from: String,
}

/// The time from one message to the next at an interface that many ranks use.
#[derive(Clone, Debug, PartialEq)]
pub struct CrowdedGap {
    /// It holds once more ranks than these have used the interface.
    pub crowd: u32,
    /// By message size.
    pub sections: Vec<GapSection>,
    /// The measurements, for the user.
    pub from: String,
}

/// A straight line between two sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct GapSection {
    /// Sizes from here on belong to it.
    pub from: u64,
    /// Seconds of a message without bytes.
    pub seconds: f64,
    /// Seconds of a byte.
    pub per_byte: f64,
    /// The measured time that it begins with; the last section has none.
    pub measured: Option<GapTime>,
}

/// A measured time from one message to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GapTime {
    /// Message size.
    pub bytes: u64,
    /// The median of all runs.
    pub seconds: f64,
    /// Where nine of ten runs lie.
    pub interval: Option<Interval>,
}

impl CrowdedGap {
    /// The measured times, by message size.
    pub fn times(&self) -> impl Iterator<Item = GapTime> + '_ {
        self.sections.iter().filter_map(|section| section.measured)
    }
}

/// The parameters that the measurements determine, and why they do not determine the others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InterfaceFit {
    /// The part of its bytes that a flow takes from the other direction.
    pub cross_traffic: Option<Fitted>,
    /// Seconds from one message of an interface to the next.
    pub gap: Option<Fitted>,
    /// The same for many ranks.
    pub crowded_gap: Option<CrowdedGap>,
    /// Keys that were not fitted, each with the reason.
    pub not_fitted: Vec<String>,
}

impl InterfaceFit {
    /// A gap that was measured by itself counts if no rates of pairs show one.
    pub(crate) fn of(all: &Measurements, own_gap: Option<Fitted>) -> InterfaceFit {
        let mut fit = InterfaceFit::default();
        if !shows_interfaces(all) {
            fit.gap = own_gap;
            return fit;
        }
        let kinds = [SampleKind::BothWays, SampleKind::Window];
        match cross_traffic(all) {
            Ok((value, from)) => {
                let interval = spread(all, &kinds, |run| cross_traffic(run).ok().map(|(value, _)| value));
                fit.cross_traffic = Some(Fitted { value, interval, from });
            }
            Err(reason) => fit.not_fitted.push(format!("cross-traffic: {reason}")),
        }
        let loads = loads(all);
        match gap(&loads) {
            Ok(best) => fit.fit_gaps(all, &loads, best),
            Err(reason) => {
                let keys =
                    if own_gap.is_some() { "crowd and crowded-gap" } else { "gap, crowd and crowded-gap" };
                fit.not_fitted.push(format!("{keys}: {reason}"));
                fit.gap = own_gap;
            }
        }
        fit
    }

    fn fit_gaps(&mut self, all: &Measurements, loads: &[Load], best: &Load) {
        let interval = spread(all, &[best.kind], |run| Some(Load::of(run, best.kind)?.small));
        let from = format!("{}, small messages", best.name());
        self.gap = Some(Fitted { value: best.small, interval, from });
        match crowded_gap(all, loads, best.small) {
            Ok(crowded) => self.crowded_gap = Some(crowded),
            Err(reason) => self.not_fitted.push(format!("crowd and crowded-gap: {reason}")),
        }
    }
}

fn shows_interfaces(all: &Measurements) -> bool {
    let is_window =
        |kind: &SampleKind| matches!(kind, SampleKind::BothWays | SampleKind::Rate(_) | SampleKind::Window);
    all.kinds().iter().any(is_window)
}

/// Where a value lies, if there are several runs of each benchmark it comes from.
fn spread(
    all: &Measurements,
    kinds: &[SampleKind],
    value: impl Fn(&Measurements) -> Option<f64>,
) -> Option<Interval> {
    let runs = kinds.iter().map(|kind| all.runs(*kind)).min().unwrap_or(0);
    let values: Vec<f64> = (0..runs).filter_map(|nth| value(&all.run(nth))).collect();
    (values.len() > 1).then(|| Interval::of(values))
}

/// The value, and the measurements that gave it.
fn cross_traffic(all: &Measurements) -> Result<(f64, String), String> {
    let (one_way, both_ways) = (all.points(SampleKind::Window), all.points(SampleKind::BothWays));
    if both_ways.is_empty() {
        return Err("there is no osu_bibw".to_owned());
    }
    let pairs: Vec<(Point, Point)> = both_ways
        .iter()
        .filter_map(|both| Some((*both, *one_way.iter().find(|one| one.bytes == both.bytes)?)))
        .collect();
    let Some((largest, _)) = pairs.last().copied() else {
        return Err("osu_bibw needs osu_bw with the same sizes beside it".to_owned());
    };
    if is_rising(&one_way) || is_rising(&both_ways) {
        let size = size_text(largest.bytes);
        return Err(format!("messages of {size} do not fill the network yet; measure larger ones"));
    }
    let large = pairs.iter().filter(|(both, _)| both.bytes * LARGE >= largest.bytes);
    let takes = median(large.map(|(both, one)| both.seconds / one.seconds)) - 1.0;
    let from = size_text(largest.bytes.div_ceil(LARGE));
    Ok((takes.max(0.0), format!("osu_bibw beside osu_bw, messages from {from} on")))
}

/// Does the rate still rise at the largest sizes?
fn is_rising(points: &[Point]) -> bool {
    let [.., before, last] = points else { return true };
    rate(last) > SAME * rate(before)
}

/// Bytes per second.
fn rate(point: &Point) -> f64 {
    point.bytes as f64 / point.seconds
}

/// The times of a number of pairs.
struct Load {
    kind: SampleKind,
    pairs: u32,
    points: Vec<Point>,
    /// The time from one small message to the next.
    small: f64,
}

impl Load {
    fn of(all: &Measurements, kind: SampleKind) -> Option<Load> {
        let pairs = match kind {
            SampleKind::Window => 1,
            SampleKind::Rate(pairs) => pairs,
            _ => return None,
        };
        let points = all.points(kind);
        let fastest = points.iter().map(|point| point.seconds).min_by(f64::total_cmp)?;
        let small = points.iter().map(|point| point.seconds).filter(|seconds| *seconds <= SMALL * fastest);
        Some(Load { kind, pairs, small: median(small), points })
    }

    /// The time of a sender's small message.
    fn of_sender(&self) -> f64 {
        self.small * f64::from(self.pairs)
    }

    fn at(&self, bytes: u64) -> Option<f64> {
        self.points.iter().find(|point| point.bytes == bytes).map(|point| point.seconds)
    }

    fn name(&self) -> String {
        format!("osu_mbw_mr of {}", counted(self.pairs, "pair"))
    }
}

/// The loads by their number of pairs. One pair is that of osu_mbw_mr, or else that of osu_bw.
fn loads(all: &Measurements) -> Vec<Load> {
    let mut loads: Vec<Load> = all.kinds().into_iter().filter_map(|kind| Load::of(all, kind)).collect();
    loads.sort_by_key(|load| (load.pairs, load.kind == SampleKind::Window));
    loads.dedup_by_key(|load| load.pairs);
    loads
}

/// The load with the highest rate of small messages, if it is the interface that limits it.
fn gap(loads: &[Load]) -> Result<&Load, String> {
    let Some(most) = loads.last().filter(|load| load.pairs > 1) else {
        return Err(
            "there is no osu_mbw_mr of several pairs; the rate of one pair is that of its sender".to_owned()
        );
    };
    let Some(before) = loads.len().checked_sub(2).map(|at| &loads[at]) else {
        let name = most.name();
        return Err(format!(
            "there is {name} alone, so nothing says whether its senders or the interface limit the rate; add osu_bw, or other numbers of pairs"
        ));
    };
    let fastest = loads.iter().min_by(|one, other| one.small.total_cmp(&other.small)).unwrap_or(most);
    if fastest.pairs == most.pairs && most.of_sender() < SAME * before.of_sender() {
        return Err(format!(
            "each sender of {} is as fast as with {}, so the interface is not the limit; measure more pairs",
            most.name(),
            counted(before.pairs, "pair")
        ));
    }
    Ok(fastest)
}

/// The table of the most pairs, where they take longer than fewer ones and than their bytes.
fn crowded_gap(all: &Measurements, loads: &[Load], gap: f64) -> Result<CrowdedGap, String> {
    let [few @ .., most] = loads else { return Err("there is one number of pairs only".to_owned()) };
    let Some(before) = few.last() else { return Err("there is one number of pairs only".to_owned()) };
    let fill = loads.iter().flat_map(|load| &load.points).map(rate).fold(0.0, f64::max);
    let is_crowded = |point: &&Point| {
        let sender = before.at(point.bytes).map_or(0.0, |seconds| seconds * f64::from(before.pairs));
        point.seconds * f64::from(most.pairs) > SAME * sender
            && point.seconds > FULL * point.bytes as f64 / fill
    };
    let crowded: Vec<Point> = most.points.iter().take_while(is_crowded).copied().collect();
    let uncrowded = few.iter().rev().find(|load| load.small <= SAME * gap).unwrap_or(before);
    let is_slower = |point: &Point| point.seconds > SAME * uncrowded.at(point.bytes).unwrap_or(gap);
    if !crowded.iter().any(is_slower) {
        return Err(format!(
            "not needed: {} is as fast as {}",
            most.name(),
            counted(uncrowded.pairs, "pair")
        ));
    }
    let end = most.points.get(crowded.len()).map(|point| point.bytes);
    let times = |bytes| spread(all, &[most.kind], |run| Load::of(run, most.kind)?.at(bytes));
    let sections = sections(&crowded, end.map(|bytes| (bytes, gap)), times);
    Ok(CrowdedGap { crowd: uncrowded.pairs, sections, from: most.name() })
}

/// Straight lines between points, and a constant from the end on.
fn sections(
    points: &[Point],
    end: Option<(u64, f64)>,
    spread_at: impl Fn(u64) -> Option<Interval>,
) -> Vec<GapSection> {
    let nodes: Vec<(u64, f64)> = points.iter().map(|point| (point.bytes, point.seconds)).chain(end).collect();
    let section = |(at, (bytes, seconds)): (usize, &(u64, f64))| {
        let slope = nodes.get(at + 1).map_or(0.0, |(after, next)| (next - seconds) / (after - bytes) as f64);
        // Neither part may be negative: such a line becomes a constant, or one from the origin, and a step follows.
        let per_byte = slope.min(seconds / (*bytes).max(1) as f64).max(0.0);
        GapSection {
            from: if at == 0 { 0 } else { *bytes },
            seconds: (seconds - per_byte * *bytes as f64).max(0.0),
            per_byte,
            measured: (at < points.len()).then(|| GapTime {
                bytes: *bytes,
                seconds: *seconds,
                interval: spread_at(*bytes),
            }),
        }
    };
    nodes.iter().enumerate().map(section).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: [u64; 6] = [8, 64, 512, 1 << 18, 1 << 19, 1 << 20];

    /// Senders need 200 ns, the interface 50 ns, and 70 ns with 32 ranks; the network moves 10 GB/s.
    fn measured(loads: &[u32]) -> Measurements {
        let mut all = Measurements::default();
        for bytes in SIZES {
            let fill = bytes as f64 / 10e9;
            for &pairs in loads {
                let interface = if pairs >= 32 { 70e-9 } else { 50e-9 };
                all.add(SampleKind::Rate(pairs), bytes, fill.max(interface).max(200e-9 / f64::from(pairs)));
            }
        }
        all
    }

    #[test]
    fn the_gap_is_that_of_the_interface() {
        let fit = InterfaceFit::of(&measured(&[1, 2, 8]), None);
        let gap = fit.gap.unwrap();
        assert!((gap.value - 50e-9).abs() < 1e-12 && gap.interval.is_none(), "{gap:?}");
        assert_eq!(fit.crowded_gap, None);
        assert_eq!(
            fit.not_fitted,
            [
                "cross-traffic: there is no osu_bibw",
                "crowd and crowded-gap: not needed: osu_mbw_mr of 8 pairs is as fast as 2 pairs"
            ]
        );
    }

    #[test]
    fn rates_of_senders_are_no_gap() {
        let reason = |loads: &[u32]| InterfaceFit::of(&measured(loads), None).not_fitted[1].clone();
        assert!(reason(&[1]).starts_with("gap, crowd and crowded-gap: there is no osu_mbw_mr of several"));
        assert!(reason(&[1, 2]).contains("each sender of osu_mbw_mr of 2 pairs is as fast as with 1 pair"));
        assert!(reason(&[8]).contains("there is osu_mbw_mr of 8 pairs alone"));
    }

    #[test]
    fn many_ranks_take_longer() {
        let fit = InterfaceFit::of(&measured(&[1, 4, 8, 32]), None);
        let crowded = fit.crowded_gap.unwrap();
        let first = &crowded.sections[0];
        assert_eq!((crowded.crowd, first.from), (8, 0));
        assert!((first.seconds + 8.0 * first.per_byte - 70e-9).abs() < 1e-12, "{crowded:?}");
        let last = crowded.sections.last().unwrap();
        assert!(
            (last.from, last.measured.is_none()) == (1 << 18, true) && (last.seconds - 50e-9).abs() < 1e-12
        );
    }

    #[test]
    fn both_directions_take_from_each_other() {
        let run = |both_ways: f64| {
            let mut all = Measurements::default();
            for bytes in SIZES {
                let seconds = 1e-6 + bytes as f64 / 10e9;
                all.add(SampleKind::Window, bytes, seconds);
                all.add(SampleKind::BothWays, bytes, both_ways * seconds);
            }
            all
        };
        let mut all = run(1.2);
        let fitted = InterfaceFit::of(&all, None).cross_traffic.unwrap();
        assert!((fitted.value - 0.2).abs() < 1e-9 && fitted.interval.is_none(), "{fitted:?}");
        all.extend(run(1.3));
        let interval = InterfaceFit::of(&all, None).cross_traffic.unwrap().interval.unwrap();
        assert!(interval.low > 0.2 && interval.high < 0.3, "{interval:?}");
    }
}
