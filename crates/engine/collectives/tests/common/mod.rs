//! Shared by the tests: cases, and an abstract machine that runs the schedules of all ranks.

pub mod across;
pub mod machine;
pub mod memory;

use mpirage_call::{Algorithm, Collective, Method, SendStyle, Settings};
use mpirage_collectives::Performed;
use mpirage_collectives::{Nodes, Schedule, Shape, schedule};

/// Short, so that small cases have several.
pub const SEGMENT: u64 = 1024;

/// One collective call as all ranks make it.
#[derive(Clone, Debug)]
pub struct Case {
    pub collective: Collective,
    pub size: u32,
    pub root: u32,
    pub bytes: u64,
    pub element: u64,
    pub commutative: bool,
    pub nodes: Option<Nodes>,
    /// `sent[i][j]`: bytes from i to j. The v-variants that have one count per rank read row 0.
    sent: Vec<Vec<u64>>,
    received: Vec<Vec<u64>>,
}

impl Case {
    pub fn new(collective: Collective, size: u32, bytes: u64) -> Self {
        Case {
            collective,
            size,
            root: 0,
            bytes,
            element: 1,
            commutative: true,
            nodes: None,
            sent: vec![],
            received: vec![],
        }
        .counts(|_, _| bytes)
    }

    pub fn root(self, root: u32) -> Self {
        Case { root, ..self }
    }

    pub fn element(self, element: u64) -> Self {
        Case { element, ..self }
    }

    pub fn commutative(self, commutative: bool) -> Self {
        Case { commutative, ..self }
    }

    /// On these hosts, one for each rank.
    pub fn on(self, hosts: impl IntoIterator<Item = u32>) -> Self {
        Case { nodes: Some(Nodes::new(hosts)), ..self }
    }

    pub fn counts(self, bytes: impl Fn(u32, u32) -> u64) -> Self {
        let table = |of: &dyn Fn(u32, u32) -> u64| {
            (0..self.size).map(|i| (0..self.size).map(|j| of(i, j)).collect()).collect()
        };
        let (sent, received) = (table(&|i, j| bytes(i, j)), table(&|i, j| bytes(j, i)));
        Case { sent, received, ..self }
    }

    /// `rank`'s view of the call: no counts where MPI gives it none, an element of its own
    /// where MPI allows that, and its own idea of being in place.
    pub fn shape(&self, rank: u32) -> Shape<'_> {
        use Collective::*;
        let common = &self.sent[0][..];
        let shape = Shape::new(self.size)
            .rank(rank)
            .root(self.root)
            .bytes(self.bytes)
            .element(if self.collective.reduces() { self.element } else { self.element + u64::from(rank) })
            .in_place(rank % 2 == 1)
            .commutative(self.commutative)
            .nodes(self.nodes.as_ref());
        match self.collective {
            Gatherv if rank == self.root => shape.bytes(common[rank as usize]).counts(&[], common),
            Scatterv if rank == self.root => shape.bytes(common[rank as usize]).counts(common, &[]),
            Gatherv | Scatterv => shape.bytes(common[rank as usize]),
            Allgatherv | ReduceScatter => shape.counts(&[], common),
            Alltoallv | Alltoallw => shape.counts(&self.sent[rank as usize], &self.received[rank as usize]),
            _ => shape,
        }
    }

    /// The schedules of all ranks, by an algorithm with segments of [`SEGMENT`] if it has any.
    pub fn schedules(&self, algorithm: Algorithm) -> Vec<Schedule> {
        self.schedules_by(with_segments(self.collective, algorithm, SEGMENT), &Schedule::default())
    }

    /// The schedules of all ranks, by an algorithm that can cut its vector, also if it leaves it whole by default.
    pub fn segmented(&self, algorithm: Algorithm) -> Vec<Schedule> {
        let settings = Settings { segment: Some(SEGMENT), ..Settings::default() };
        self.schedules_by(Method { algorithm, settings }, &Schedule::default())
    }

    /// The schedules of all ranks, with what they carry.
    pub fn annotated(&self, method: Method) -> Vec<Schedule> {
        self.schedules_by(method, &Schedule::annotated())
    }

    fn schedules_by(&self, method: Method, empty: &Schedule) -> Vec<Schedule> {
        let build = |rank| {
            let mut out = empty.clone();
            schedule(self.collective, method, &self.shape(rank), &mut out);
            out
        };
        (0..self.size).map(build).collect()
    }

    /// Bytes from one rank to each, or the counts that all ranks have in common.
    pub fn sent_by(&self, rank: u32) -> &[u64] {
        &self.sent[rank as usize]
    }

    pub fn common_counts(&self) -> &[u64] {
        &self.sent[0]
    }
}

/// Collectives of all ranks of a communicator. Those among neighbours and between sides have tests of their own.
pub fn of_all_ranks() -> impl Iterator<Item = Collective> {
    Collective::ALL.into_iter().filter(|collective| !collective.is_across() && !collective.is_neighborhood())
}

/// Every collective of all ranks with every algorithm that performs it.
pub fn all_pairs() -> impl Iterator<Item = (Collective, Algorithm)> {
    of_all_ranks().flat_map(|collective| collective.algorithms().map(move |a| (collective, a)))
}

fn with_segments(collective: Collective, algorithm: Algorithm, segment: u64) -> Method {
    let defaults = collective.defaults(algorithm).expect("the collective has this algorithm");
    let settings = Settings {
        segment: defaults.segment.filter(|&whole| whole > 0).map(|_| segment),
        ..Settings::default()
    };
    Method { algorithm, settings }
}

/// Every algorithm of every collective with all kinds of parameters: short segments and none, several radices, limits of
/// requests, both ways to send.
pub fn all_methods() -> impl Iterator<Item = (Collective, Method)> {
    all_pairs().flat_map(|(collective, algorithm)| {
        let defaults = collective.defaults(algorithm).expect("the collective has this algorithm");
        let segments = choices(defaults.segment, &[0, 24]);
        let radices = choices(defaults.radix, &[2, 3, 4, 7]);
        let requests = choices(defaults.requests, &[0, 1, 4]);
        let sends = choices(defaults.sends, &[SendStyle::InOrder, SendStyle::AtOnce]);
        let mut methods = vec![];
        for &segment in &segments {
            for &radix in &radices {
                for &requests in &requests {
                    for &sends in &sends {
                        let settings = Settings { segment, radix, requests, sends, ..Settings::NONE };
                        methods.push((collective, Method { algorithm, settings }));
                    }
                }
            }
        }
        methods
    })
}

/// A parameter that the algorithm reads takes each of the values.
fn choices<T: Copy>(default: Option<T>, values: &[T]) -> Vec<Option<T>> {
    match default {
        Some(_) => values.iter().copied().map(Some).collect(),
        None => vec![None],
    }
}
