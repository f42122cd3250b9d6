//! Open MPI's binary interface: `libmpi.so.40`, of Open MPI 3 to 5.
//!
//! Handles are pointers. The predefined ones are addresses of data symbols; their first word is the handle's number in the MPI 5 ABI,
//! so a program that has a copy of the symbol of its own (copy relocations) has the number too. Objects that the program makes have
//! addresses that no object has: their number, and a bit that is in no address. [`mpirage_front`] says how a front works.
//!
//! The library also has the entry points of Fortran (`fortran`), and so stands for `libmpi_mpifh.so.40` too.

pub mod dialect;
mod fortran;
#[path = "../../front/shared/front.rs"]
mod front;
pub mod symbols;

use front::{by_hand, conversions, translations};
