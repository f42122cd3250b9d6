//! Properties of runs that the format cannot express.

use crate::losses::Loss;

pub(super) const SYNCHRONOUS: Loss = Loss("synchronous sends are written as standard ones");
pub(super) const PROBES: Loss = Loss("probes have no word in this format and are left out");
pub(super) const ANY_TAG: Loss = Loss(
    "receives with any tag may take messages of collectives or other communicators; `mpirage replay TRACE --trace FILE.goal` writes the messages that came",
);
pub(super) const SOME_OF_A_SET: Loss =
    Loss("waits for some of several messages are written as waits for the first of them");
pub(super) const SPEED: Loss = Loss("the speed of the machine that computed is not known: 1 Gf is assumed");
pub(super) const MEMORY: Loss =
    Loss("computation that memory limits is written with its floating-point operations only");
