//! The engine without programs. One test program, because each would compile the engine anew.

mod files;
mod in_place;
mod lines_and_jobs;
mod loggops_oracle;
mod node;
mod paced;
mod peers;
mod protocol;
mod release;
mod windows;

#[allow(dead_code)] // other tests use the rest
#[path = "../common/mod.rs"]
mod common;
