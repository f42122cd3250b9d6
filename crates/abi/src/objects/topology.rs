//! The process topology of a communicator.

use crate::constants::{MPI_CART, MPI_DIST_GRAPH, MPI_ERR_ARG, MPI_ERR_DIMS, MPI_ERR_RANK, MPI_GRAPH};
use crate::error::{MpiError, Result};
use core::ffi::c_int;
use mpirage_data::{Adjacency, Cart, Graph, TopologyError};

/// Who is whose neighbour.
#[derive(Clone, Debug)]
pub(crate) enum Topology {
    Cart(Cart),
    Graph(Graph),
    /// What this process knows of a distributed graph.
    DistGraph(Adjacency),
}

/// With whom a rank exchanges in a neighbourhood collective, in the order of its buffers; `None` is `MPI_PROC_NULL`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(dead_code)] // until there are neighbourhood collectives
pub(crate) struct Neighbors {
    pub sources: Vec<Option<u32>>,
    pub destinations: Vec<Option<u32>>,
}

impl Topology {
    /// What `MPI_Topo_test` says.
    pub fn status(&self) -> c_int {
        match self {
            Topology::Cart(_) => MPI_CART,
            Topology::Graph(_) => MPI_GRAPH,
            Topology::DistGraph(_) => MPI_DIST_GRAPH,
        }
    }

    /// The neighbours of this process, whose rank is `rank`.
    #[allow(dead_code)] // until there are neighbourhood collectives
    pub fn neighbors(&self, rank: u32) -> Result<Neighbors> {
        let some = |ranks: &[u32]| ranks.iter().copied().map(Some).collect::<Vec<_>>();
        let (sources, destinations) = match self {
            Topology::Cart(cart) => {
                let both = cart.neighbors(rank as i32)?;
                (both.clone(), both)
            }
            Topology::Graph(graph) => {
                let both = some(graph.neighbors(rank as i32)?);
                (both.clone(), both)
            }
            Topology::DistGraph(graph) => (some(&graph.sources), some(&graph.destinations)),
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
        let neighbors = grid.neighbors(0).unwrap();
        assert_eq!(neighbors.sources, [None, Some(2), Some(1), Some(1)]);
        assert_eq!(neighbors.sources, neighbors.destinations);
    }

    #[test]
    fn a_distributed_graph_has_directions() {
        let graph = Topology::DistGraph(Adjacency::new(4, &[1, 2], None, &[3], None).unwrap());
        let neighbors = graph.neighbors(0).unwrap();
        assert_eq!((neighbors.sources.len(), neighbors.destinations), (2, vec![Some(3)]));
    }

    #[test]
    fn a_rank_outside_is_a_rank_error() {
        let error: MpiError = Cart::new(&[2], &[true]).unwrap().coordinates(2).unwrap_err().into();
        assert_eq!(error.class, MPI_ERR_RANK);
    }
}
