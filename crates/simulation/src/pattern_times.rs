//! Simulated ping-pongs between the two ranks of a machine, and collectives of all of its ranks.

use mpirage_mpi::Ending;
use mpirage_trace::Generated;

use crate::failure::{Failure, usage};
use crate::machine::Machine;
use crate::replay::Unwatched;
use crate::simulation::Simulation;

/// Round trips of a short and of a long simulation; the difference holds neither the beginning nor the end.
const FEW: u32 = 1;
const MANY: u32 = 11;
/// The same for collectives, which have more messages.
const MANY_COLLECTIVES: u32 = 3;

/// Half a round trip of messages of this size, in seconds.
pub fn ping_pong(machine: &Machine, bytes: u64) -> Result<f64, Failure> {
    let round_trips = each(machine, &format!("pingpong,ranks=2,bytes={bytes}"), MANY)?;
    Ok(round_trips / 2.0)
}

/// A collective of all ranks, by the name of its pattern: the seconds from one to the next.
pub fn collective(machine: &Machine, name: &str, bytes: u64) -> Result<f64, Failure> {
    each(machine, &format!("{name},ranks={},bytes={bytes}", machine.ranks()), MANY_COLLECTIVES)
}

/// The time of an iteration of a pattern.
fn each(machine: &Machine, pattern: &str, many: u32) -> Result<f64, Failure> {
    let all = total(machine, pattern, many)? - total(machine, pattern, FEW)?;
    Ok(all / f64::from(many - FEW))
}

fn total(machine: &Machine, pattern: &str, iterations: u32) -> Result<f64, Failure> {
    let pattern = format!("gen:{pattern},iterations={iterations}");
    let mut workload = Generated::parse(&pattern).map_err(usage)?;
    let replayed = Simulation::new(machine).replay(&mut workload, &mut Unwatched)?;
    match replayed.ending {
        Ending::Finished => Ok(replayed.engine.now().as_secs_f64()),
        ending => Err(usage(format!("{pattern} does not end: {ending:?}"))),
    }
}
