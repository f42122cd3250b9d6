//! MPICH's binary interface: `libmpi.so.12`, which Intel MPI's, MVAPICH's and Cray's programs use too, and `libmpich.so.12`, as Debian
//! calls it.
//!
//! Handles are 32-bit integers: two bits say how an object came about, four its class, the others are its number. [`mpirage_front`]
//! says how a front works.

pub mod dialect;
#[path = "../../front/shared/front.rs"]
mod front;
pub mod symbols;

use front::{by_hand, conversions, translations};
