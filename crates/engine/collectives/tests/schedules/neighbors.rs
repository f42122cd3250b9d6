//! Collectives among neighbours: a message along every edge, whatever the topology.

use mpirage_call::{Algorithm, Collective, Peers};
use mpirage_collectives::Performed;
use mpirage_collectives::{Piece, Schedule, Shape, Step, schedule};
use proptest::prelude::*;

use crate::common::machine::{Sends, run_among_neighbors};

/// The edges of one rank.
#[derive(Clone, Debug, Default)]
struct Edges {
    sources: Vec<u32>,
    destinations: Vec<u32>,
    sent: Vec<u64>,
    received: Vec<u64>,
}

/// The topology with these edges: from, to, bytes. Both ends list the edges between them in the same order, as MPI demands,
/// whatever stands between.
fn topology(size: u32, edges: &[(u32, u32, u64)]) -> Vec<Edges> {
    let mut ranks = vec![Edges::default(); size as usize];
    for &(from, to, bytes) in edges {
        ranks[from as usize].destinations.push(to);
        ranks[from as usize].sent.push(bytes);
        ranks[to as usize].sources.push(from);
        ranks[to as usize].received.push(bytes);
    }
    // The order of the sources is another one than that of the edges.
    for rank in &mut ranks {
        let mut order: Vec<usize> = (0..rank.sources.len()).collect();
        order.sort_by_key(|&index| std::cmp::Reverse(rank.sources[index]));
        rank.received = order.iter().map(|&index| rank.received[index]).collect();
        rank.sources = order.iter().map(|&index| rank.sources[index]).collect();
    }
    ranks
}

fn schedules(collective: Collective, algorithm: Algorithm, ranks: &[Edges]) -> Vec<Schedule> {
    let build = |(rank, edges): (usize, &Edges)| {
        let peers = Peers::Neighbors { sources: &edges.sources, destinations: &edges.destinations };
        let shape = Shape::new(ranks.len() as u32).rank(rank as u32).peers(peers);
        let mut out = Schedule::annotated();
        schedule(collective, algorithm, &shape.counts(&edges.sent, &edges.received), &mut out);
        out
    };
    ranks.iter().enumerate().map(build).collect()
}

/// The n-th message from one rank to another is that of their n-th edge, at both ends.
fn check(collective: Collective, algorithm: Algorithm, ranks: &[Edges]) {
    let schedules = schedules(collective, algorithm, ranks);
    for sends in [Sends::Eager, Sends::Synchronous] {
        let outcome = run_among_neighbors(&schedules, sends).unwrap();
        assert_eq!(outcome.messages, ranks.iter().map(|rank| rank.sources.len()).sum::<usize>());
        for (rank, edges) in ranks.iter().enumerate() {
            for &source in &edges.sources {
                assert!(outcome.heard[rank] >> source & 1 == 1, "{rank} leaves without {source}");
            }
        }
    }
    for (rank, edges) in ranks.iter().enumerate() {
        let steps = &schedules[rank].steps;
        let sent = steps.iter().enumerate().filter_map(|(at, step)| match *step {
            Step::Isend { to, bytes, .. } => Some((to, bytes, schedules[rank].carried(at).to_vec())),
            _ => None,
        });
        let posted = steps.iter().filter_map(|step| match *step {
            Step::Irecv { from, bytes, .. } => Some((from, bytes)),
            _ => None,
        });
        let blocks = (0..).map(|edge| vec![Piece::Block(edge)]);
        let to = edges.destinations.iter().copied().zip(edges.sent.iter().copied()).zip(blocks);
        assert!(sent.eq(to.map(|((to, bytes), block)| (to, bytes, block))));
        assert!(posted.eq(edges.sources.iter().copied().zip(edges.received.iter().copied())));
    }
}

fn all_pairs() -> impl Iterator<Item = (Collective, Algorithm)> {
    let neighborhood = Collective::ALL.into_iter().filter(|collective| collective.is_neighborhood());
    neighborhood.flat_map(|collective| collective.algorithms().map(move |algorithm| (collective, algorithm)))
}

#[test]
fn rings_of_one_two_and_more() {
    for (collective, algorithm) in all_pairs() {
        for size in 1..=9 {
            let down = (0..size).map(|rank| (rank, (rank + size - 1) % size, 8));
            let up = (0..size).map(|rank| (rank, (rank + 1) % size, 5));
            check(collective, algorithm, &topology(size, &down.chain(up).collect::<Vec<_>>()));
        }
    }
}

#[test]
fn one_posts_receives_first_and_the_other_sends() {
    let ring = topology(3, &[(0, 1, 8), (1, 2, 8), (2, 0, 8)]);
    let first = |algorithm| schedules(Collective::NeighborAlltoall, algorithm, &ring)[0].steps[0];
    assert!(matches!(first(Algorithm::Linear), Step::Irecv { from: 2, .. }));
    assert!(matches!(first(Algorithm::SendsFirst), Step::Isend { to: 1, .. }));
}

#[test]
fn a_rank_without_neighbours_does_nothing() {
    let ranks = topology(2, &[(0, 0, 4)]);
    let schedules = schedules(Collective::NeighborAllgather, Algorithm::Linear, &ranks);
    assert_eq!((schedules[0].steps.len(), schedules[1].steps.len()), (3, 0));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Several edges between two ranks and edges to oneself included.
    #[test]
    fn any_graph(
        pair in prop::sample::select(all_pairs().collect::<Vec<_>>()),
        size in 1..=33u32,
        edges in proptest::collection::vec((any::<u32>(), any::<u32>(), 0..100u64), 0..80),
    ) {
        let edges: Vec<_> = edges.into_iter().map(|(from, to, bytes)| (from % size, to % size, bytes)).collect();
        check(pair.0, pair.1, &topology(size, &edges));
    }
}
