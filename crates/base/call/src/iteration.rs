//! Iterations that a program marks (SimGrid's `AMPI_Iteration_in` and `_out`): a region of timelines.

use crate::Call;

/// The level of `MPI_Pcontrol` that begins an iteration; its negative ends one.
pub const ITERATION: i32 = i32::MAX;

/// An iteration begins or ends.
pub fn iteration_mark(begins: bool) -> Call<'static> {
    if begins {
        Call::Control { level: ITERATION, name: "iteration" }
    } else {
        Call::Control { level: -ITERATION, name: "" }
    }
}
