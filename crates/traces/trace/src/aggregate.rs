//! Spatial aggregation: the trace of a fine process grid becomes the trace of a coarser one.
//!
//! A rank of the coarse grid stands for a box of ranks of the fine one. It computes what they compute together. Messages inside the box
//! disappear; messages between two boxes that are sent and received in the same step become one. This is the method of Keller Tesser
//! et al. (2016, hal-01391401), with communication derived from the pattern. [`aggregate_computation`] takes communication from a second run of the
//! program, as they do.
//!
//! ```text
//! fine calls ─► collect ─► steps (Lamport clocks) ─► boxes: sums and merged messages ─► coarse calls
//! ```
//!
//! Steps order all events: (iteration, level), where a migration point ends an iteration and a message is received on a higher level
//! than it was sent on. A coarse rank goes through its steps in this order, so the coarse trace cannot deadlock.

mod boxes;
mod collect;
mod grid;
mod hybrid;
mod steps;

pub use grid::{GridError, ProcessGrid};

use mpirage_call::ContextId;

use crate::convert::write_calls;
use crate::{TraceError, TraceWriter, Workload};
use boxes::Boxes;
use collect::Collector;
use hybrid::{Grafted, Profile, check_ranks};
use steps::Steps;

/// Writes the trace of `coarse` that follows from the workload, which has the process grid `fine`, and finishes it. Ends with
/// [`TraceError::Stopped`] once `stop` gives true.
pub fn aggregate(
    workload: &mut dyn Workload,
    (fine, coarse): (&ProcessGrid, &ProcessGrid),
    writer: &mut dyn TraceWriter,
    stop: &dyn Fn() -> bool,
) -> Result<(), TraceError> {
    let owner = fine.coarsen(coarse).map_err(|error| TraceError::Spec(error.to_string()))?;
    check_ranks(workload, owner.len() as u32, fine)?;
    let given = (2..).map(ContextId::new).zip(workload.communicators());
    let communicators = given.chain(workload.traced_communicators()).collect();
    let mut collector = Collector::new(workload.ranks(), communicators);
    write_calls(workload, &mut collector, true, stop)?;
    let steps = Steps::of(&collector.finished()?)?;
    Boxes::new(&owner, coarse.ranks(), steps).write(writer);
    writer.finish()
}

/// The same with the calls of a run on the coarse grid, which `communication` opens: it is read twice. Of the fine workload only computation
/// and migration points count.
pub fn aggregate_computation(
    workload: &mut dyn Workload,
    (fine, coarse): (&ProcessGrid, &ProcessGrid),
    communication: &dyn Fn() -> Result<Box<dyn Workload>, TraceError>,
    writer: &mut dyn TraceWriter,
    stop: &dyn Fn() -> bool,
) -> Result<(), TraceError> {
    let owner = fine.coarsen(coarse).map_err(|error| TraceError::Spec(error.to_string()))?;
    check_ranks(workload, owner.len() as u32, fine)?;
    let mut profile = Profile::new(workload.ranks());
    write_calls(workload, &mut profile, true, stop)?;
    let wanted = profile.of_boxes(&owner, coarse.ranks())?;
    let mut calls = communication()?;
    check_ranks(calls.as_ref(), coarse.ranks(), coarse)?;
    let mut own = Profile::new(coarse.ranks());
    write_calls(calls.as_mut(), &mut own, true, stop)?;
    let mut grafted = Grafted::new(writer, wanted, own)?;
    write_calls(communication()?.as_mut(), &mut grafted, true, stop)?;
    grafted.finish()
}
