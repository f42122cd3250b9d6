//! Properties of runs that the format cannot express.

use crate::losses::Loss;

pub(super) const MODES: Loss =
    Loss("synchronous, ready and buffered sends are marked as such; SimGrid takes them for standard sends");
pub(super) const NON_BLOCKING: Loss = Loss(
    "collectives that do not block: SimGrid cannot replay them, and outside of MPI_COMM_WORLD they are written as if they did, which may be a deadlock; a trace FILE.mpirage is exact",
);
pub(super) const PROBES: Loss = Loss("probes have no word in this format and are left out");
pub(super) const CANCELS: Loss =
    Loss("requests that were cancelled have no word in this format: a replay will wait for them");
pub(super) const EXPANDED: Loss =
    Loss("collectives outside of MPI_COMM_WORLD are written as the messages they consist of");
pub(super) const ANY_TAG: Loss =
    Loss("receives with any tag outside of MPI_COMM_WORLD may take messages of other communicators");
pub(super) const ORDER: Loss = Loss(
    "waits for a later one of several requests with the same peer and tag are written as waits for the first",
);
pub(super) const PLANS: Loss =
    Loss("persistent collectives are taken to be started in the same order by all ranks");
pub(super) const ELEMENTS: Loss = Loss(
    "reduced elements of which no datatype of this format has the size are marked as such; SimGrid takes them for bytes",
);
pub(super) const OPERATORS: Loss =
    Loss("operators that do not commute are marked as such; SimGrid takes them for operators that do");
pub(super) const IN_PLACE: Loss =
    Loss("contributions in place (MPI_IN_PLACE) are marked as such; SimGrid takes them for others");
pub(super) const SPEED: Loss =
    Loss("the speed of the machine that computation was measured on is not known: 1 Gf is assumed");
