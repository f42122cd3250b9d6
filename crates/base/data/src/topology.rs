//! Virtual topologies: who is a neighbour of whom, as pure functions of ranks.

mod cart;
mod dims;
mod graph;

use thiserror::Error;

pub use cart::{Cart, Shift, SubGrid};
pub use dims::dims_create;
pub use graph::{Adjacency, Edge, Graph};

/// A topology that cannot be, or a question beyond its borders.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TopologyError {
    /// A size that should be positive.
    #[error("{what} must be positive, but is {value}")]
    NotPositive {
        /// The argument.
        what: &'static str,
        /// Its value.
        value: i64,
    },
    /// A rank, coordinate, dimension or index outside its interval.
    #[error("{what} {value} is outside 0..{limit}")]
    OutOfRange {
        /// The argument that is outside.
        what: &'static str,
        /// Its value.
        value: i64,
        /// The first value beyond.
        limit: i64,
    },
    /// Two lists of one call that should be of one length.
    #[error("{found} {what} given where {expected} are needed")]
    Length {
        /// The list.
        what: &'static str,
        /// Entries needed.
        expected: usize,
        /// Entries given.
        found: usize,
    },
    /// Dimensions fixed by the user that do not divide the number of processes.
    #[error("{nodes} processes cannot be divided by the dimensions given, whose product is {product}")]
    NotDivisible {
        /// Processes.
        nodes: i64,
        /// Product of the dimensions.
        product: i64,
    },
    /// More processes than a rank can number.
    #[error("the grid has more than 2^31 processes")]
    TooLarge,
    /// A graph's index list that goes down.
    #[error("the index of node {node} is {index}, less than the one before")]
    IndexDecreases {
        /// The node.
        node: usize,
        /// Its index.
        index: i64,
    },
}

fn below(what: &'static str, value: i64, limit: i64) -> Result<u32, TopologyError> {
    if (0..limit).contains(&value) {
        Ok(value as u32)
    } else {
        Err(TopologyError::OutOfRange { what, value, limit })
    }
}

fn same_length(what: &'static str, expected: usize, found: usize) -> Result<(), TopologyError> {
    if expected == found { Ok(()) } else { Err(TopologyError::Length { what, expected, found }) }
}
