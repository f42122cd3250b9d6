//! Schedules of all algorithms, and how algorithms are chosen.

mod across_sides;
mod choice;
mod every_algorithm;
mod exact;
mod nccl;
mod neighbors;
mod openmpi_rules;
mod simgrid;
mod snapshots;
mod theory;

#[path = "../common/mod.rs"]
mod common;
