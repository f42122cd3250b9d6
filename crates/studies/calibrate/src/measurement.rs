//! Measured times: samples of several kinds, and the median of each size.

use std::collections::{BTreeMap, BTreeSet};

/// The measured quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SampleKind {
    /// Half of the time that a message needs to go forth and back.
    PingPong,
    /// The time of a message while another one comes the other way.
    Exchange,
    /// The time of a call of `MPI_Send`.
    Send,
    /// The time of a call of `MPI_Isend`.
    Isend,
    /// The time of a call of `MPI_Recv` whose message has arrived before.
    Recv,
    /// The time from one message of an interface to the next, if it sends as many as it can.
    Gap,
    /// The time of a message in a window that one rank sends to another.
    Window,
    /// The time of two messages, one each way, in windows that two ranks send to each other at the same time.
    BothWays,
    /// The time from one message to the next of this number of pairs of ranks, whose senders are all on one host.
    Rate(u32),
    /// The time of a collective, by the name that patterns have for it.
    Collective(&'static str),
}

impl SampleKind {
    /// Its name in tables.
    pub fn name(self) -> String {
        match self {
            SampleKind::PingPong => "ping-pong".to_owned(),
            SampleKind::Exchange => "exchange".to_owned(),
            SampleKind::Send => "MPI_Send".to_owned(),
            SampleKind::Isend => "MPI_Isend".to_owned(),
            SampleKind::Recv => "MPI_Recv".to_owned(),
            SampleKind::Gap => "message rate".to_owned(),
            SampleKind::Window => "window".to_owned(),
            SampleKind::BothWays => "both ways".to_owned(),
            SampleKind::Rate(pairs) => format!("rate, {}", mpirage_units::counted(pairs, "pair")),
            SampleKind::Collective(name) => name.to_owned(),
        }
    }
}

/// One measured time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The measured quantity.
    pub kind: SampleKind,
    /// Message size.
    pub bytes: u64,
    /// The time, which is positive.
    pub seconds: f64,
}

/// All that was measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measurements {
    samples: Vec<Sample>,
    skipped: Vec<String>,
}

impl Measurements {
    /// Adds a sample.
    pub(crate) fn add(&mut self, kind: SampleKind, bytes: u64, seconds: f64) {
        self.samples.push(Sample { kind, bytes, seconds });
    }

    /// Notes that a series is not used, once.
    pub(crate) fn skip(&mut self, series: &str) {
        if !self.skipped.iter().any(|known| known == series) {
            self.skipped.push(series.to_owned());
        }
    }

    /// Adds those of another file.
    pub fn extend(&mut self, other: Measurements) {
        self.samples.extend(other.samples);
        other.skipped.iter().for_each(|series| self.skip(series));
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// All samples, in the order of the files.
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// The series of the files that calibration does not use.
    pub fn skipped(&self) -> &[String] {
        &self.skipped
    }

    /// The kinds that were measured, in order.
    pub fn kinds(&self) -> Vec<SampleKind> {
        let kinds: BTreeSet<SampleKind> = self.samples.iter().map(|sample| sample.kind).collect();
        kinds.into_iter().collect()
    }

    /// The most pairs whose rate was measured, if there is one.
    pub fn most_pairs(&self) -> Option<u32> {
        let pairs = |kind| if let SampleKind::Rate(pairs) = kind { Some(pairs) } else { None };
        self.kinds().into_iter().filter_map(pairs).max()
    }

    /// The medians of a kind, by size.
    pub fn points(&self, kind: SampleKind) -> Vec<Point> {
        self.by_size(kind).into_iter().map(|(bytes, times)| Point::of(bytes, times)).collect()
    }

    /// How often each size of a kind was measured at least; each of them is a run.
    pub(crate) fn runs(&self, kind: SampleKind) -> usize {
        self.by_size(kind).values().map(Vec::len).min().unwrap_or(0)
    }

    /// One run of each benchmark: the n-th time of each kind and size, or the last one if there are fewer.
    pub(crate) fn run(&self, nth: usize) -> Measurements {
        let mut one = Measurements::default();
        for kind in self.kinds() {
            for (bytes, times) in self.by_size(kind) {
                one.add(kind, bytes, times[nth.min(times.len() - 1)]);
            }
        }
        one
    }

    /// The times of a kind, by size.
    fn by_size(&self, kind: SampleKind) -> BTreeMap<u64, Vec<f64>> {
        let mut by_size: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        for sample in self.samples.iter().filter(|sample| sample.kind == kind) {
            by_size.entry(sample.bytes).or_default().push(sample.seconds);
        }
        by_size
    }
}

/// The measurements of one kind and size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Message size.
    pub bytes: u64,
    /// Their median.
    pub seconds: f64,
    /// The first and the third quartile.
    pub quartiles: (f64, f64),
    /// How many there are.
    pub samples: usize,
}

/// Samples of a size from which on their spread says something.
const ENOUGH: usize = 5;
/// The quartiles of a normal distribution are so many standard deviations apart.
const QUARTILES: f64 = 1.349;

impl Point {
    fn of(bytes: u64, mut times: Vec<f64>) -> Point {
        times.sort_by(f64::total_cmp);
        let at = |part: f64| quantile(&times, part);
        Point { bytes, seconds: at(0.5), quartiles: (at(0.25), at(0.75)), samples: times.len() }
    }

    /// The standard deviation of the logarithm, from the quartiles; none if there are too few samples.
    pub fn spread(&self) -> Option<f64> {
        let (low, high) = self.quartiles;
        (self.samples >= ENOUGH).then(|| (high / low).ln() / QUARTILES)
    }
}

/// A quantile of sorted values, interpolated.
pub(crate) fn quantile(sorted: &[f64], part: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = part * last as f64;
    let (below, share) = (place.floor() as usize, place.fract());
    let above = (below + 1).min(last);
    sorted[below] * (1.0 - share) + sorted[above] * share
}

/// The median of values in any order.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    quantile(&sorted, 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_its_median() {
        let mut all = Measurements::default();
        for seconds in [1.0, 2.0, 300.0] {
            all.add(SampleKind::PingPong, 8, seconds);
        }
        all.add(SampleKind::Isend, 8, 0.5);
        let points = all.points(SampleKind::PingPong);
        assert_eq!((points.len(), points[0].bytes, points[0].seconds, points[0].samples), (1, 8, 2.0, 3));
        assert_eq!(points[0].spread(), None);
    }

    #[test]
    fn quantiles_are_interpolated() {
        assert_eq!([0.0, 0.25, 0.5, 1.0].map(|part| quantile(&[1.0, 2.0, 3.0], part)), [1.0, 1.5, 2.0, 3.0]);
    }
}
