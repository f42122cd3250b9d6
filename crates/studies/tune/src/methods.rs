//! The methods to compare, and those among them that do the same.

use std::hash::{DefaultHasher, Hash, Hasher};

use mpirage_call::{Algorithm, Collective, Method, SendStyle, Settings};
use mpirage_collectives::Performed;
use mpirage_collectives::{Choice, Nodes, Rule, Schedule, Shape, schedule};

use crate::Point;

/// The methods that a search compares: algorithms with their default parameters, and with these.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// Only these algorithms; all if empty. Those that a collective does not have are left out.
    pub algorithms: Vec<Algorithm>,
    /// Sizes of segments, for algorithms that cut vectors; they are tried with whole vectors too.
    pub segments: Vec<u64>,
    /// Radices of trees and exchanges.
    pub radices: Vec<u32>,
    /// Limits of outstanding operations.
    pub requests: Vec<u32>,
    /// Ways to send to several others.
    pub sends: Vec<SendStyle>,
    /// Only methods of which this is true for a call of that shape; all if there is none.
    pub allowed: Option<fn(Collective, Method, &Shape<'_>) -> bool>,
}

impl Candidates {
    /// Each algorithm that can perform the call, with its default parameters.
    pub(crate) fn defaults(&self, collective: Collective, shape: &Shape<'_>) -> Vec<Method> {
        let methods = self.algorithms(collective, shape).map(Method::from);
        methods.filter(|&method| self.allows(collective, method, shape)).collect()
    }

    /// The same algorithms with all combinations of parameters.
    pub(crate) fn variants(&self, collective: Collective, shape: &Shape<'_>) -> Vec<Method> {
        let mut methods = Vec::new();
        for algorithm in self.algorithms(collective, shape) {
            let reads = collective.defaults(algorithm).unwrap_or_default();
            let mut settings = vec![Settings::default()];
            let segments = values(reads.segment, [0].iter().chain(&self.segments));
            settings = combined(&settings, &segments, |one, segment| Settings { segment, ..one });
            let radices = values(reads.radix, &self.radices);
            settings = combined(&settings, &radices, |one, radix| Settings { radix, ..one });
            let requests = values(reads.requests, &self.requests);
            settings = combined(&settings, &requests, |one, requests| Settings { requests, ..one });
            let sends = values(reads.sends, &self.sends);
            settings = combined(&settings, &sends, |one, sends| Settings { sends, ..one });
            methods.extend(settings.into_iter().map(|settings| Method { algorithm, settings }));
        }
        let given = |method: &Method| method.settings != Settings::default();
        methods.retain(|method| given(method) && self.allows(collective, *method, shape));
        methods
    }

    fn algorithms(&self, collective: Collective, shape: &Shape<'_>) -> impl Iterator<Item = Algorithm> {
        // Without being asked for, NCCL's are for accelerators only.
        let accelerators = shape.nodes.is_some_and(|nodes| nodes.links().is_some());
        let wanted = move |algorithm: &Algorithm| match self.algorithms.is_empty() {
            true => accelerators || !algorithm.is_nccls(),
            false => self.algorithms.contains(algorithm),
        };
        let fits = move |algorithm: &Algorithm| wanted(algorithm) && collective.fits(*algorithm, shape);
        collective.algorithms().filter(fits)
    }

    fn allows(&self, collective: Collective, method: Method, shape: &Shape<'_>) -> bool {
        self.allowed.is_none_or(|allowed| allowed(collective, method, shape))
    }
}

/// The values to try of a parameter: its default, which is not given, and the others if the algorithm reads it.
fn values<'a, T: Copy + PartialEq + 'a>(
    default: Option<T>,
    others: impl IntoIterator<Item = &'a T>,
) -> Vec<Option<T>> {
    let others = others.into_iter().map(|&value| Some(value)).filter(|&value| value != default);
    [None].into_iter().chain(others.filter(|_| default.is_some())).collect()
}

/// Each of the settings with each value.
fn combined<T: Copy>(
    settings: &[Settings],
    values: &[Option<T>],
    with: fn(Settings, Option<T>) -> Settings,
) -> Vec<Settings> {
    settings.iter().flat_map(|&one| values.iter().map(move |&value| with(one, value))).collect()
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

/// The data about a point that algorithms see: owns the parts that a shape borrows.
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
