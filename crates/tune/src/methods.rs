//! Which methods are compared, and which of them are the same.

use std::hash::{DefaultHasher, Hash, Hasher};

use mpirage_collectives::{
    Algorithm, Choice, Collective, Method, Nodes, Rule, Schedule, Settings, Shape, schedule,
};

use crate::Point;

/// The methods that a search compares.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// Only these algorithms; all if empty. Those that a collective does not have are left out.
    pub algorithms: Vec<Algorithm>,
    /// Sizes of segments, for algorithms that cut vectors; they are tried with whole vectors too.
    pub segments: Vec<u64>,
    /// Radices of trees and exchanges.
    pub radices: Vec<u32>,
    /// Only methods of which this is true; all if there is none.
    pub allowed: Option<fn(Collective, &Method) -> bool>,
}

impl Candidates {
    /// Each algorithm that can perform the call, with its default parameters.
    pub(crate) fn defaults(&self, collective: Collective, shape: &Shape<'_>) -> Vec<Method> {
        let methods = self.algorithms(collective, shape).map(Method::from);
        methods.filter(|method| self.allows(collective, method)).collect()
    }

    /// The same algorithms with all combinations of parameters.
    pub(crate) fn variants(&self, collective: Collective, shape: &Shape<'_>) -> Vec<Method> {
        let mut methods = Vec::new();
        for algorithm in self.algorithms(collective, shape) {
            let reads = collective.defaults(algorithm).unwrap_or_default();
            for segment in values(reads.segment, [0].iter().chain(&self.segments)) {
                for radix in values(reads.radix, &self.radices) {
                    let settings = Settings { segment, radix, ..Settings::default() };
                    methods.push(Method { algorithm, settings });
                }
            }
        }
        methods.retain(|method| method.settings != Settings::default() && self.allows(collective, method));
        methods
    }

    fn algorithms(&self, collective: Collective, shape: &Shape<'_>) -> impl Iterator<Item = Algorithm> {
        let wanted =
            |algorithm: &Algorithm| self.algorithms.is_empty() || self.algorithms.contains(algorithm);
        let fits = move |algorithm: &Algorithm| wanted(algorithm) && collective.fits(*algorithm, shape);
        collective.algorithms().filter(fits)
    }

    fn allows(&self, collective: Collective, method: &Method) -> bool {
        self.allowed.is_none_or(|allowed| allowed(collective, method))
    }
}

/// The values to try of a parameter: none but "not given" if the algorithm does not read it.
fn values<'a, T: Copy + 'a>(read: Option<T>, values: impl IntoIterator<Item = &'a T>) -> Vec<Option<T>> {
    match read {
        Some(_) => values.into_iter().map(|&value| Some(value)).collect(),
        None => vec![None],
    }
}

/// The base choice, but with this method for all calls of a collective.
pub(crate) fn choose(base: &Choice, collective: Collective, method: Method) -> Choice {
    let mut choice = base.clone();
    // Candidates are methods of their collective, so there is such a rule.
    if let Ok(rule) = Rule::new(collective.into(), Vec::new(), method) {
        choice.push(rule);
    }
    choice
}

/// Methods with the same schedules on all ranks have the same fingerprint.
pub(crate) fn fingerprint(collective: Collective, method: Method, shape: &Shape<'_>) -> u128 {
    let mut hashers = [DefaultHasher::new(), DefaultHasher::new()];
    // Two independent halves: the second one hashes something else first.
    1u8.hash(&mut hashers[1]);
    let mut steps = Schedule::default();
    for rank in 0..shape.size {
        schedule(collective, method, &Shape { rank, ..*shape }, &mut steps);
        hashers.iter_mut().for_each(|hasher| steps.steps.hash(hasher));
    }
    let [low, high] = hashers.map(|hasher| u128::from(hasher.finish()));
    high << 64 | low
}

/// What algorithms see of a point: owns what a shape borrows.
pub(crate) struct Seen {
    counts: Vec<u64>,
    nodes: Nodes,
}

impl Seen {
    pub(crate) fn new(point: &Point, nodes: Nodes) -> Seen {
        Seen { counts: point.counts(), nodes }
    }

    pub(crate) fn shape(&self, point: &Point) -> Shape<'_> {
        point.shape(&self.counts).nodes(Some(&self.nodes))
    }
}
