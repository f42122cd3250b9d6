//! Shortest paths between the vertices of a zone, counted in links.
//!
//! Two algorithms, because they choose differently among equally short paths and a file says
//! which one it means. Both break ties as SimGrid does. Dijkstra's trees are grown when first
//! asked for, one per source.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::OnceLock;

use super::Routing;

const UNREACHED: u32 = u32::MAX;

/// The predecessor of each vertex on the shortest path from a source.
#[derive(Debug)]
pub(crate) enum Graph {
    Floyd { vertices: usize, before: Vec<u32> },
    Dijkstra(Forest),
}

/// Shortest-path trees, grown when needed.
#[derive(Debug)]
pub(crate) struct Forest {
    /// For each vertex its rank in the order of first mention, by which ties are broken.
    ranks: Vec<u32>,
    edges: Vec<Vec<(u32, u32)>>,
    trees: Vec<OnceLock<Box<[u32]>>>,
}

impl Graph {
    /// Edges are `(from, to, cost)` in file order.
    pub fn new(routing: Routing, vertices: usize, edges: impl Iterator<Item = (u32, u32, u32)>) -> Self {
        match routing {
            Routing::Dijkstra => Self::Dijkstra(Forest::new(vertices, edges)),
            _ => Self::Floyd { vertices, before: floyd(vertices, edges) },
        }
    }

    /// The vertices on the way, both ends included.
    pub(crate) fn path(&self, src: u32, dst: u32) -> Option<Vec<u32>> {
        let before = match self {
            Self::Floyd { vertices, before } => &before[src as usize * vertices..][..*vertices],
            Self::Dijkstra(forest) => forest.tree(src),
        };
        let mut stops = vec![dst];
        let mut at = dst;
        while at != src {
            at = before[at as usize];
            if at == UNREACHED {
                return None;
            }
            stops.push(at);
        }
        stops.reverse();
        Some(stops)
    }
}

fn floyd(vertices: usize, edges: impl Iterator<Item = (u32, u32, u32)>) -> Vec<u32> {
    let mut cost = vec![u32::MAX; vertices * vertices];
    let mut before = vec![UNREACHED; vertices * vertices];
    for (from, to, links) in edges {
        let at = from as usize * vertices + to as usize;
        cost[at] = links;
        before[at] = from;
    }
    for via in 0..vertices {
        let from_via = cost[via * vertices..][..vertices].to_vec();
        for from in 0..vertices {
            let to_via = cost[from * vertices + via];
            if to_via == u32::MAX {
                continue;
            }
            for to in 0..vertices {
                let through = to_via.saturating_add(from_via[to]);
                if through < cost[from * vertices + to] {
                    cost[from * vertices + to] = through;
                    before[from * vertices + to] = before[via * vertices + to];
                }
            }
        }
    }
    before
}

impl Forest {
    fn new(vertices: usize, edges: impl Iterator<Item = (u32, u32, u32)>) -> Self {
        let mut ranks = vec![UNREACHED; vertices];
        let mut next_rank = 0;
        let mut outgoing = vec![Vec::new(); vertices];
        for (from, to, cost) in edges {
            for end in [from, to] {
                if ranks[end as usize] == UNREACHED {
                    ranks[end as usize] = next_rank;
                    next_rank += 1;
                }
            }
            outgoing[from as usize].push((to, cost));
        }
        let trees = std::iter::repeat_with(OnceLock::new).take(vertices).collect();
        Self { ranks, edges: outgoing, trees }
    }

    fn tree(&self, src: u32) -> &[u32] {
        self.trees[src as usize].get_or_init(|| self.grow(src))
    }

    fn grow(&self, src: u32) -> Box<[u32]> {
        let mut before = vec![UNREACHED; self.edges.len()].into_boxed_slice();
        let mut costs = vec![u32::MAX; self.edges.len()];
        let mut queue = BinaryHeap::new();
        costs[src as usize] = 0;
        queue.push(Reverse((0, self.ranks[src as usize], src)));
        while let Some(Reverse((cost, _, from))) = queue.pop() {
            if cost > costs[from as usize] {
                continue;
            }
            for &(to, links) in &self.edges[from as usize] {
                let through = cost.saturating_add(links);
                if through < costs[to as usize] {
                    costs[to as usize] = through;
                    before[to as usize] = from;
                    queue.push(Reverse((through, self.ranks[to as usize], to)));
                }
            }
        }
        before
    }
}
