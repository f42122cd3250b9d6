//! MPICH's binary interface: `libmpi.so.12`, which Intel MPI's, MVAPICH's and Cray's programs use too, and `libmpich.so.12`, as Debian
//! calls it. The library also has the entry points of Fortran (`fortran`), and so stands for `libmpifort.so.12` too.
//!
//! Handles are 32-bit integers: two bits say how an object came about, four its class, the others are its number. [`mpirage_front`]
//! says how a front works.

pub mod dialect;
mod fortran;
#[path = "../../front/shared/front.rs"]
mod front;
pub mod symbols;

use front::{by_hand, conversions, translations};
