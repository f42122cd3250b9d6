//! Errors in the arguments of a datatype constructor.

use thiserror::Error;

/// A datatype that cannot exist.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DatatypeError {
    /// A count, size or block length below zero.
    #[error("{what} must not be negative, but is {value}")]
    Negative {
        /// The argument.
        what: &'static str,
        /// Its value.
        value: i64,
    },
    /// Two arrays of one call that should be of one length.
    #[error("{what} has {found} entries where {expected} are needed")]
    Length {
        /// The array.
        what: &'static str,
        /// Entries needed.
        expected: usize,
        /// Entries given.
        found: usize,
    },
    /// An entry outside the interval the standard gives it.
    #[error("{what} is {value}, outside {low}..={high}")]
    OutOfRange {
        /// The argument.
        what: &'static str,
        /// Its value.
        value: i64,
        /// Smallest value allowed.
        low: i64,
        /// Largest value allowed.
        high: i64,
    },
    /// A grid that does not have as many places as there are processes.
    #[error("the process grid has {grid} places for {processes} processes")]
    Grid {
        /// Product of the grid's sides.
        grid: i64,
        /// Processes announced.
        processes: i64,
    },
    /// Sizes or displacements that leave 64 bits.
    #[error("the datatype is too large: a size or displacement exceeds 64 bits")]
    Overflow,
}
