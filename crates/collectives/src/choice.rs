//! The choice of an algorithm: the default rules, and the user's overrides.
//!
//! The defaults are MPICH's classic ones, with its thresholds in bytes: few rounds while latency
//! dominates, few bytes when bandwidth does. Thakur, Rabenseifner, Gropp: *Optimization of
//! collective communication operations in MPICH* (2005).
//!
//! All ranks must choose alike, so a rule reads only what all ranks know. In gatherv and scatterv
//! only the root knows the counts, in alltoallv no rank knows them all: these have one default.

use thiserror::Error;

use crate::algorithm::Algorithm::{self, *};
use crate::collective::Collective::{self, *};
use crate::shape::Shape;

const KIB: u64 = 1024;

/// The default algorithm for this call.
pub fn default_algorithm(collective: Collective, shape: &Shape) -> Algorithm {
    let shape = collective.normalized(shape);
    match collective {
        Barrier => Dissemination,
        Bcast => bcast(&shape),
        Gather | Scatter => Binomial,
        Gatherv | Scatterv | Alltoallv | Alltoallw => Linear,
        Allgather | Allgatherv => allgather(&shape),
        Alltoall => alltoall(&shape),
        Reduce => reduction(&shape, Binomial),
        Allreduce => reduction(&shape, RecursiveDoubling),
        ReduceScatter | ReduceScatterBlock => reduce_scatter(&shape),
        Scan | Exscan => RecursiveDoubling,
    }
}

fn bcast(shape: &Shape) -> Algorithm {
    match shape.bytes {
        _ if shape.size < 8 => Binomial,
        ..=12_287 => Binomial,
        ..=524_287 if shape.size.is_power_of_two() => ScatterDoubling,
        _ => ScatterAllgather,
    }
}

fn allgather(shape: &Shape) -> Algorithm {
    match shape.blocks().total() {
        ..=524_287 if shape.size.is_power_of_two() => RecursiveDoubling,
        ..=81_919 => Bruck,
        _ => Ring,
    }
}

fn alltoall(shape: &Shape) -> Algorithm {
    match shape.bytes {
        ..=256 if shape.size >= 8 => Bruck,
        ..=32_768 => Linear,
        _ => Pairwise,
    }
}

/// Rabenseifner cuts the vector. MPICH does that only for the operations of MPI, which commute: an
/// operation of the user's may want its vector whole.
fn reduction(shape: &Shape, short: Algorithm) -> Algorithm {
    let pieces = 1 << shape.size.ilog2();
    let long = shape.bytes > 2 * KIB && shape.elements() >= pieces;
    if long && shape.commutative { Rabenseifner } else { short }
}

fn reduce_scatter(shape: &Shape) -> Algorithm {
    match shape.blocks().total() {
        _ if !shape.commutative => RecursiveDoubling,
        bytes if bytes < 512 * KIB => RecursiveHalving,
        _ => Pairwise,
    }
}

/// The user's choice of algorithms, instead of the defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// At most one algorithm per collective: the last one given.
    overrides: Vec<(Collective, Algorithm)>,
}

impl Choice {
    /// Reads `allreduce=recursive-doubling,alltoall=linear`. An empty text chooses nothing.
    pub fn parse(text: &str) -> Result<Self, ChoiceError> {
        let mut choice = Choice::default();
        for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let (collective, algorithm) = parse_item(item)?;
            choice.set(collective, algorithm)?;
        }
        Ok(choice)
    }

    /// From now on performs `collective` with `algorithm`.
    pub fn set(&mut self, collective: Collective, algorithm: Algorithm) -> Result<(), ChoiceError> {
        if !collective.knows(algorithm) {
            return Err(ChoiceError::NotForCollective { collective, algorithm });
        }
        self.overrides.retain(|&(known, _)| known != collective);
        self.overrides.push((collective, algorithm));
        Ok(())
    }

    /// The algorithm for a call: the user's, or the default.
    pub fn algorithm(&self, collective: Collective, shape: &Shape) -> Algorithm {
        let chosen = self.overrides.iter().find(|&&(known, _)| known == collective);
        chosen.map_or_else(|| default_algorithm(collective, shape), |&(_, algorithm)| algorithm)
    }
}

impl std::str::FromStr for Choice {
    type Err = ChoiceError;

    fn from_str(text: &str) -> Result<Self, ChoiceError> {
        Choice::parse(text)
    }
}

/// Why a choice of algorithms cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ChoiceError {
    /// Not of the form `collective=algorithm`.
    #[error("`{0}` is not of the form collective=algorithm, as in allreduce=ring")]
    NoEquals(String),
    /// There is no such collective.
    #[error("there is no collective `{0}`; there are {list}", list = list(Collective::ALL.map(Collective::name)))]
    UnknownCollective(String),
    /// There is no algorithm of that name at all.
    #[error("{collective} has no algorithm `{name}`; it has {list}", list = names(*collective))]
    UnknownAlgorithm {
        /// The collective it was wanted for.
        collective: Collective,
        /// The name as given.
        name: String,
    },
    /// The algorithm exists, but for other collectives.
    #[error("{collective} has no algorithm `{algorithm}`; it has {list}", list = names(*collective))]
    NotForCollective {
        /// The collective it was wanted for.
        collective: Collective,
        /// The algorithm that does not perform it.
        algorithm: Algorithm,
    },
}

fn parse_item(item: &str) -> Result<(Collective, Algorithm), ChoiceError> {
    let (left, right) = item.split_once('=').ok_or_else(|| ChoiceError::NoEquals(item.to_owned()))?;
    let (left, right) = (spelled(left), spelled(right));
    let Some(collective) = Collective::from_name(&left) else {
        return Err(ChoiceError::UnknownCollective(left));
    };
    let unknown = || ChoiceError::UnknownAlgorithm { collective, name: right.clone() };
    Ok((collective, Algorithm::from_name(&right).ok_or_else(unknown)?))
}

/// `Reduce_scatter` is as good as `reduce-scatter`.
fn spelled(name: &str) -> String {
    name.trim().to_ascii_lowercase().replace('_', "-")
}

fn names(collective: Collective) -> String {
    list(collective.algorithms().map(Algorithm::name))
}

fn list(names: impl IntoIterator<Item = &'static str>) -> String {
    names.into_iter().collect::<Vec<_>>().join(", ")
}
