//! Simulated times that can be computed by hand. One test program, because each would compile the engine anew.

mod analytic;
mod exactness;

#[allow(dead_code)] // other tests use the rest
#[path = "../../../engine/mpi/tests/common/mod.rs"]
mod common;
