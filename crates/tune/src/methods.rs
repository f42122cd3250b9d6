//! Which methods are compared.

use std::hash::{DefaultHasher, Hash, Hasher};

use mpirage_collectives::{Algorithm, Choice, Collective, Schedule, Shape, schedule};

use crate::Point;

/// A way to perform a collective: an algorithm with its parameters.
pub type Method = Algorithm;

/// The methods that a search compares.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// Only these algorithms; all if empty. Those that a collective does not have are left out.
    pub algorithms: Vec<Algorithm>,
    /// Sizes of segments, for algorithms that cut vectors.
    pub segments: Vec<u64>,
    /// Radices of trees and exchanges.
    pub radices: Vec<u32>,
}

impl Candidates {
    /// Each algorithm of the collective with its default parameters.
    pub(crate) fn defaults(&self, point: &Point) -> Vec<Method> {
        let wanted =
            |algorithm: &Algorithm| self.algorithms.is_empty() || self.algorithms.contains(algorithm);
        point.collective.algorithms().filter(wanted).collect()
    }

    /// The same algorithms with other parameters.
    pub(crate) fn variants(&self, _point: &Point) -> Vec<Method> {
        Vec::new()
    }
}

/// The algorithm of a method.
pub(crate) fn algorithm(method: &Method) -> Algorithm {
    *method
}

/// The base choice, but with this method.
pub(crate) fn choose(base: &Choice, collective: Collective, method: &Method) -> Choice {
    let mut choice = base.clone();
    // Candidates are algorithms of their collective.
    let _ = choice.set(collective, *method);
    choice
}

/// The method that a choice gives a point.
pub(crate) fn chosen(choice: &Choice, point: &Point) -> Method {
    let counts = point.counts();
    choice.algorithm(point.collective, &point.shape(&counts))
}

/// Methods with the same schedules on all ranks have the same fingerprint.
pub(crate) fn fingerprint(point: &Point, method: &Method) -> u128 {
    let counts = point.counts();
    let shape = point.shape(&counts);
    let mut hashers = [DefaultHasher::new(), DefaultHasher::new()];
    // Two independent halves: the second one hashes something else first.
    1u8.hash(&mut hashers[1]);
    let mut steps = Schedule::default();
    for rank in 0..shape.size {
        schedule(point.collective, *method, &Shape { rank, ..shape }, &mut steps);
        hashers.iter_mut().for_each(|hasher| steps.steps.hash(hasher));
    }
    let [low, high] = hashers.map(|hasher| u128::from(hasher.finish()));
    high << 64 | low
}
