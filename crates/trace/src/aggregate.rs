//! Spatial aggregation: the trace of a fine process grid becomes the trace of a coarser one.
//!
//! A rank of the coarse grid stands for a box of ranks of the fine one. It computes what they compute together. Messages inside the box
//! disappear; messages between two boxes that are sent and received in the same step become one. This is the method of Keller Tesser
//! et al. (2016, hal-01391401), with communication derived from the pattern instead of a second run of the program.
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
mod steps;

pub use grid::{GridError, ProcessGrid};

use mpirage_call::ContextId;

use crate::convert::write_calls;
use crate::{TraceError, TraceWriter, Workload};
use boxes::Boxes;
use collect::Collector;
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
    if owner.len() != workload.ranks() as usize {
        let ranks = workload.ranks();
        return Err(TraceError::Spec(format!(
            "the trace has {ranks} ranks, but a grid of {fine} has {}",
            owner.len()
        )));
    }
    let given = (2..).map(ContextId::new).zip(workload.communicators());
    let communicators = given.chain(workload.traced_communicators()).collect();
    let mut collector = Collector::new(workload.ranks(), communicators);
    write_calls(workload, &mut collector, true, stop)?;
    let steps = Steps::of(&collector.finished()?)?;
    Boxes::new(&owner, coarse.ranks(), steps).write(writer);
    writer.finish()
}
