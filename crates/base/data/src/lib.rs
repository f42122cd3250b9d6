//! The pure-data half of MPI: datatypes, reduction operators, groups and process topologies.
//!
//! Used by the library a program links to and by the simulator alike. Nothing here knows of C,
//! pointers, handles or time; nothing communicates.
//!
//! | module | what |
//! |---|---|
//! | [`basic`] | the predefined datatypes: one table |
//! | [`datatype`] | what a datatype knows: size, bounds, signature |
//! | [`construct`], [`mod@array`] | how datatypes are made of others |
//! | [`contents`] | how a datatype was made |
//! | [`pack`] | moving typed data to and from bytes |
//! | [`op`] | predefined reduction operators |
//! | [`group`] | ordered sets of processes |
//! | [`topology`] | grids and graphs of processes |
//!
//! ```
//! use mpirage_data::{Basic, Datatype, Op, Origin, op};
//!
//! let column = Datatype::basic(Basic::Int).vector(3, 1, 4)?;
//! let matrix: Vec<u8> = (0..12i32).flat_map(i32::to_ne_bytes).collect();
//! let mut packed = Vec::new();
//! column.pack(1, &matrix, Origin(0), &mut packed);
//! let mut sum = packed.clone();
//! op::apply(Op::Sum, Basic::Int, &mut sum, &packed)?;
//! assert_eq!(sum, [0, 8, 16].map(i32::to_ne_bytes).concat());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod array;
pub mod basic;
mod body;
mod bounds;
mod code;
pub mod construct;
pub mod contents;
pub mod datatype;
mod error;
pub mod group;
mod kernels;
mod layout;
pub mod op;
pub mod pack;
mod pieces;
mod signature;
pub mod topology;

pub use basic::{Basic, Class};
pub use contents::{Codes, Combiner, Constructor, Contents, DarrayDimension, Distribution, Interface, Order};
pub use datatype::Datatype;
pub use error::DatatypeError;
pub use group::{Comparison, Group, GroupError, RankRange};
pub use op::{Op, OpError, apply};
pub use pack::Origin;
pub use signature::TypeSignature;
pub use topology::{Adjacency, Cart, Edge, Graph, Shift, SubGrid, TopologyError, dims_create};
