//! Simulated ping-pongs between the two ranks of a machine.

use mpirage_mpi::Ending;
use mpirage_trace::Generated;

use crate::failure::{Failure, usage};
use crate::machine::Machine;
use crate::replay::Unwatched;
use crate::simulation::Simulation;

/// Round trips of a short and of a long simulation; the difference holds neither the beginning nor the end.
const FEW: u32 = 1;
const MANY: u32 = 11;
/// Half a round trip of messages of this size, in seconds.
pub fn ping_pong(machine: &Machine, bytes: u64) -> Result<f64, Failure> {
    let round_trips = total(machine, bytes, MANY)? - total(machine, bytes, FEW)?;
    Ok(round_trips / f64::from(2 * (MANY - FEW)))
}

fn total(machine: &Machine, bytes: u64, iterations: u32) -> Result<f64, Failure> {
    let pattern = format!("gen:pingpong,ranks=2,bytes={bytes},iterations={iterations}");
    let mut workload = Generated::parse(&pattern).map_err(usage)?;
    let replayed = Simulation::new(machine).replay(&mut workload, &mut Unwatched)?;
    match replayed.ending {
        Ending::Finished => Ok(replayed.engine.now().as_secs_f64()),
        ending => Err(usage(format!("a ping-pong of {bytes} bytes does not end: {ending:?}"))),
    }
}
