//! Properties of runs that the format cannot express.

use crate::losses::Loss;

pub(super) const SENDS: Loss = Loss(
    "waits for sends have no record in this format: a rank goes on at once after a send that does not block",
);
pub(super) const PAUSES: Loss = Loss("pauses are written as computation, which a faster processor shortens");
pub(super) const PROBES: Loss = Loss("probes have no record in this format and are left out");
pub(super) const EXSCAN: Loss = Loss("MPI_Exscan is written as MPI_Scan");
pub(super) const COMMUNICATORS: Loss = Loss("communicators exist from the start: to make one takes no time");
pub(super) const MIGRATIONS: Loss = Loss("migration points have no record in this format and are left out");
pub(super) const SPEED: Loss = Loss("the speed of the machine that computed is not known: 1 Gf is assumed");
pub(super) const MEMORY: Loss =
    Loss("computation that memory limits is written with its floating-point operations only");
