//! The process topology of a communicator.

use crate::constants::{MPI_CART, MPI_DIST_GRAPH, MPI_ERR_ARG, MPI_ERR_DIMS, MPI_ERR_RANK, MPI_GRAPH};
use crate::ground::error::{MpiError, Result};
use core::ffi::c_int;
use mpirage_data::{Adjacency, Cart, Graph, TopologyError};

/// The topology of a communicator, which defines neighbours.
#[derive(Clone, Debug)]
pub(crate) enum Topology {
    Cart(Cart),
    Graph(Graph),
    /// The edges of this process in a distributed graph.
    DistGraph(Adjacency),
}

/// The ranks with which a rank exchanges data in a neighbourhood collective.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Neighbors {
    pub sources: Edges,
    pub destinations: Edges,
}

/// The edges in one direction. The n-th edge from one rank to another is the n-th of both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edges {
    pub neighbors: Vec<Neighbor>,
    /// How many blocks the buffer has: also those of neighbours that are `MPI_PROC_NULL`.
    pub blocks: usize,
}

/// A neighbour that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Neighbor {
    pub rank: u32,
    /// The index of its block in the buffer.
    pub block: usize,
}

impl Edges {
    fn listed(ranks: &[u32]) -> Edges {
        Edges::of(ranks.iter().copied().map(Some).enumerate())
    }

    /// Blocks of the buffer, and whose they are, in the order of the edges.
    fn of(edges: impl ExactSizeIterator<Item = (usize, Option<u32>)>) -> Edges {
        let blocks = edges.len();
        let neighbors = edges.filter_map(|(block, rank)| Some(Neighbor { rank: rank?, block })).collect();
        Edges { neighbors, blocks }
    }

    /// The neighbours.
    pub fn ranks(&self) -> Vec<u32> {
        self.neighbors.iter().map(|neighbor| neighbor.rank).collect()
    }

    /// Is the n-th block that of the n-th neighbour?
    pub fn is_in_order(&self) -> bool {
        let in_order = self.neighbors.iter().zip(0..).all(|(neighbor, place)| neighbor.block == place);
        in_order && self.neighbors.len() == self.blocks
    }
}

impl Topology {
    /// The result of `MPI_Topo_test`.
    pub fn status(&self) -> c_int {
        match self {
            Topology::Cart(_) => MPI_CART,
            Topology::Graph(_) => MPI_GRAPH,
            Topology::DistGraph(_) => MPI_DIST_GRAPH,
        }
    }

    /// The neighbours of this process, whose rank is `rank`.
    pub fn neighbors(&self, rank: u32) -> Result<Neighbors> {
        let (sources, destinations) = match self {
            Topology::Cart(cart) => {
                let both = cart.neighbors(rank as i32)?;
                // A message sent down arrives from above. So the two messages differ even if both neighbours of a
                // dimension are the same rank.
                let came = (0..both.len()).map(|direction| (direction ^ 1, both[direction ^ 1]));
                (Edges::of(came), Edges::of(both.iter().copied().enumerate()))
            }
            Topology::Graph(graph) => {
                let both = Edges::listed(graph.neighbors(rank as i32)?);
                (both.clone(), both)
            }
            Topology::DistGraph(graph) => (Edges::listed(&graph.sources), Edges::listed(&graph.destinations)),
        };
        Ok(Neighbors { sources, destinations })
    }
}

impl From<TopologyError> for MpiError {
    fn from(error: TopologyError) -> MpiError {
        let class = match error {
            TopologyError::NotPositive { .. }
            | TopologyError::NotDivisible { .. }
            | TopologyError::TooLarge => MPI_ERR_DIMS,
            TopologyError::OutOfRange { what: "rank", .. } => MPI_ERR_RANK,
            TopologyError::OutOfRange { .. }
            | TopologyError::Length { .. }
            | TopologyError::IndexDecreases { .. } => MPI_ERR_ARG,
        };
        MpiError::new(class, error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_asks_both_neighbours_of_each_dimension() {
        let grid = Topology::Cart(Cart::new(&[3, 2], &[false, true]).unwrap());
        let Neighbors { sources, destinations } = grid.neighbors(0).unwrap();
        let pairs =
            |edges: &Edges| edges.neighbors.iter().map(|one| (one.block, one.rank)).collect::<Vec<_>>();
        assert_eq!(pairs(&destinations), [(1, 2), (2, 1), (3, 1)]);
        assert_eq!(pairs(&sources), [(1, 2), (3, 1), (2, 1)]);
        assert_eq!((sources.blocks, destinations.blocks), (4, 4));
        assert!(!sources.is_in_order());
    }

    #[test]
    fn a_distributed_graph_has_directions() {
        let graph = Topology::DistGraph(Adjacency::new(4, &[1, 2], None, &[3], None).unwrap());
        let neighbors = graph.neighbors(0).unwrap();
        assert_eq!((neighbors.sources.ranks(), neighbors.destinations.ranks()), (vec![1, 2], vec![3]));
        assert!(neighbors.sources.is_in_order());
    }

    #[test]
    fn a_rank_outside_is_a_rank_error() {
        let error: MpiError = Cart::new(&[2], &[true]).unwrap().coordinates(2).unwrap_err().into();
        assert_eq!(error.class, MPI_ERR_RANK);
    }
}
