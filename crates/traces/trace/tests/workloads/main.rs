//! Workloads of all kinds, replayed. One test program, because each would compile the engine anew.

mod chakra;
mod dimemas;
mod dumpi;
mod generated;
mod goal;
mod nonsense;
mod otf2;
mod paraver;
mod threads;
mod time_independent;

#[path = "../common/mod.rs"]
mod common;
