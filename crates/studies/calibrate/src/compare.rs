//! Simulated beside measured times, series by series.
//!
//! A series is what the columns that both files have in common tell apart: benchmark, library, network, ranks, bytes. Its time is
//! the median over repetitions of the slowest rank.

use std::collections::BTreeMap;

use mpirage_plot::size_text;
use mpirage_units::counted;
use thiserror::Error;

use crate::error::{LogErrors, percent};
use crate::measurement::median;
use crate::record::Record;

/// The key of a series; a column that one file does not have is none in all series.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Series {
    topology: Option<String>,
    mpi: Option<String>,
    bench: Option<String>,
    ranks: Option<u64>,
    bytes: Option<u64>,
}

/// A series with both its times.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The benchmark, if files name it.
    pub bench: Option<String>,
    /// The library, likewise.
    pub mpi: Option<String>,
    /// The network, likewise.
    pub topology: Option<String>,
    /// Ranks, likewise.
    pub ranks: Option<u64>,
    /// Message size, likewise.
    pub bytes: Option<u64>,
    /// The simulated time.
    pub simulated: f64,
    /// The measured time.
    pub measured: f64,
}

impl Pair {
    /// ln simulated − ln measured.
    pub fn log_ratio(&self) -> f64 {
        (self.simulated / self.measured).ln()
    }

    /// Network, library and benchmark, such as `ompi pingpong`; empty if files name none.
    pub fn subject(&self) -> String {
        let words = [&self.topology, &self.mpi, &self.bench];
        words.into_iter().filter_map(Option::as_deref).collect::<Vec<_>>().join(" ")
    }

    /// `ompi pingpong, 16 ranks, 1 KiB`.
    pub fn name(&self) -> String {
        let ranks = self.ranks.map(|ranks| counted(ranks, "rank"));
        let subject = Some(self.subject()).filter(|subject| !subject.is_empty());
        let parts: Vec<String> = [subject, ranks, self.bytes.map(size_text)].into_iter().flatten().collect();
        if parts.is_empty() { "the run".to_owned() } else { parts.join(", ") }
    }
}

/// The errors of some series.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The column by which series were grouped, such as `bench`.
    pub by: &'static str,
    /// Their common value in that column, such as `ring`.
    pub name: String,
    /// Their errors.
    pub errors: LogErrors,
}

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// All series that both files have.
    pub pairs: Vec<Pair>,
    /// How many series only the simulated file has.
    pub only_simulated: usize,
    /// How many series only the measured file has.
    pub only_measured: usize,
}

/// Why files cannot be compared.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum CompareError {
    /// No series is in both.
    #[error("no series is in both files: {simulated} are simulated, {measured} are measured, by {columns}")]
    NothingInCommon {
        /// Series of the one file.
        simulated: usize,
        /// Series of the other.
        measured: usize,
        /// The columns by which they differ.
        columns: String,
    },
}

/// Compares the times of two files.
pub fn compare(simulated: &[Record], measured: &[Record]) -> Result<Comparison, CompareError> {
    let columns = Columns::common(simulated, measured);
    let (one, other) = (columns.series(simulated), columns.series(measured));
    let both =
        one.iter().filter_map(|(series, &simulated)| Some(pair(series, simulated, *other.get(series)?)));
    let pairs: Vec<Pair> = both.collect();
    if pairs.is_empty() {
        let (simulated, measured) = (one.len(), other.len());
        return Err(CompareError::NothingInCommon { simulated, measured, columns: columns.names() });
    }
    let (only_simulated, only_measured) = (one.len() - pairs.len(), other.len() - pairs.len());
    Ok(Comparison { pairs, only_simulated, only_measured })
}

fn pair(series: &Series, simulated: f64, measured: f64) -> Pair {
    let Series { topology, mpi, bench, ranks, bytes } = series.clone();
    Pair { bench, mpi, topology, ranks, bytes, simulated, measured }
}

/// A mean difference below this says nothing about its direction.
const CLEAR: f64 = 0.02;

impl Comparison {
    /// How far the simulation is off, in which direction, and where most.
    pub fn verdict(&self) -> Option<String> {
        let size = |pair: &Pair| pair.log_ratio().abs();
        let worst = self.pairs.iter().max_by(|one, other| size(one).total_cmp(&size(other)))?;
        Some(format!(
            "the simulation is {} off, {}; most in {}: {} too {}",
            percent(self.errors().mean()),
            self.direction(),
            worst.name(),
            percent(size(worst).exp_m1()),
            slow_or_fast(worst.log_ratio())
        ))
    }

    fn direction(&self) -> String {
        let mean = self.pairs.iter().map(Pair::log_ratio).sum::<f64>() / self.pairs.len() as f64;
        if mean.abs() < CLEAR {
            return "neither too slow nor too fast on average".to_owned();
        }
        format!("too {} by {} on average", slow_or_fast(mean), percent(mean.abs().exp_m1()))
    }

    /// The errors of all series.
    pub fn errors(&self) -> LogErrors {
        errors(self.pairs.iter())
    }

    /// The errors by benchmark, by library and by size, where there are several.
    pub fn groups(&self) -> Vec<Group> {
        let by_text = |by, name: fn(&Pair) -> Option<String>| {
            self.grouped(by, move |pair| name(pair).map(|name| (0, name)))
        };
        let by_size = self.grouped("bytes", |pair| pair.bytes.map(|bytes| (bytes, bytes.to_string())));
        let mut groups = by_text("bench", |pair| pair.bench.clone());
        groups.extend(by_text("mpi", |pair| pair.mpi.clone()));
        groups.extend(by_text("topology", |pair| pair.topology.clone()));
        groups.extend(by_size);
        groups
    }

    /// Groups in the order of a number, then of their names.
    fn grouped(&self, by: &'static str, key: impl Fn(&Pair) -> Option<(u64, String)>) -> Vec<Group> {
        let mut groups: BTreeMap<(u64, String), LogErrors> = BTreeMap::new();
        for pair in &self.pairs {
            if let Some(key) = key(pair) {
                groups.entry(key).or_default().add(pair.log_ratio());
            }
        }
        groups.into_iter().map(|((_, name), errors)| Group { by, name, errors }).collect()
    }
}

fn slow_or_fast(log_ratio: f64) -> &'static str {
    if log_ratio > 0.0 { "slow" } else { "fast" }
}

fn errors<'p>(pairs: impl Iterator<Item = &'p Pair>) -> LogErrors {
    LogErrors::of(pairs.map(|pair| (pair.simulated, pair.measured)))
}

/// The columns by which series differ.
struct Columns {
    topology: bool,
    mpi: bool,
    bench: bool,
    ranks: bool,
    bytes: bool,
}

impl Columns {
    /// Those that all records of both files have.
    fn common(one: &[Record], other: &[Record]) -> Columns {
        let all = |has: fn(&Record) -> bool| one.iter().chain(other).all(has);
        Columns {
            topology: all(|record| record.topology.is_some()),
            mpi: all(|record| record.mpi.is_some()),
            bench: all(|record| record.bench.is_some()),
            ranks: all(|record| record.ranks.is_some()),
            bytes: all(|record| record.bytes.is_some()),
        }
    }

    fn names(&self) -> String {
        let Columns { topology, mpi, bench, ranks, bytes } = *self;
        let names =
            [("topology", topology), ("mpi", mpi), ("bench", bench), ("ranks", ranks), ("bytes", bytes)];
        let names: Vec<&str> = names.iter().filter(|(_, there)| *there).map(|(name, _)| *name).collect();
        if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
    }

    fn key(&self, record: &Record) -> Series {
        Series {
            topology: record.topology.clone().filter(|_| self.topology),
            mpi: record.mpi.clone().filter(|_| self.mpi),
            bench: record.bench.clone().filter(|_| self.bench),
            ranks: record.ranks.filter(|_| self.ranks),
            bytes: record.bytes.filter(|_| self.bytes),
        }
    }

    /// The time of each series.
    fn series(&self, records: &[Record]) -> BTreeMap<Series, f64> {
        let mut repeats: BTreeMap<Series, BTreeMap<(u64, usize), f64>> = BTreeMap::new();
        for (at, record) in records.iter().enumerate() {
            // Records without a repetition are repetitions of their own.
            let repeat = record.repeat.map_or((0, at), |repeat| (repeat, usize::MAX));
            let slowest = repeats.entry(self.key(record)).or_default().entry(repeat).or_default();
            *slowest = slowest.max(record.seconds);
        }
        repeats.into_iter().map(|(series, repeats)| (series, median(repeats.into_values()))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(bench: &str, bytes: u64, rank: u64, repeat: u64, seconds: f64) -> Record {
        Record {
            bench: Some(bench.to_owned()),
            bytes: Some(bytes),
            rank: Some(rank),
            repeat: Some(repeat),
            seconds,
            ..Record::default()
        }
    }

    #[test]
    fn a_series_is_the_median_of_its_slowest_ranks() {
        let measured = [(0, 1.0), (0, 4.0), (1, 5.0), (1, 2.0), (2, 60.0)];
        let measured: Vec<Record> = measured
            .iter()
            .enumerate()
            .map(|(at, (repeat, seconds))| record("ring", 8, at as u64, *repeat, *seconds))
            .collect();
        let simulated = [record("ring", 8, 0, 0, 10.0), record("halo", 8, 0, 0, 1.0)];
        let result = compare(&simulated, &measured).unwrap();
        assert_eq!((result.pairs[0].measured, result.only_simulated, result.only_measured), (5.0, 1, 0));
        assert_eq!(result.errors().mean(), 1.0);
        let groups: Vec<_> = result.groups().iter().map(|group| (group.by, group.name.clone())).collect();
        assert_eq!(groups, [("bench", "ring".to_owned()), ("bytes", "8".to_owned())]);
    }

    #[test]
    fn files_without_common_series_are_refused() {
        let error = compare(&[record("ring", 8, 0, 0, 1.0)], &[record("ring", 9, 0, 0, 1.0)]).unwrap_err();
        assert!(error.to_string().contains("bench, bytes"), "{error}");
    }
}
