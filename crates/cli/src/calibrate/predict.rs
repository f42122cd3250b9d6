//! Simulated ping-pongs between the two ranks of a machine.

use std::io::Write;

use anyhow::Context;
use mpirage_calibrate::Calibration;
use mpirage_mpi::{Bursts, Ending, Engine, NoMemory};
use mpirage_record::{Message, Record, Recorder};
use mpirage_replay::Watch;
use mpirage_trace::Generated;

use super::{unreadable, with_two_hosts};
use crate::arguments::MachineArguments;
use crate::exit::{Failure, usage};
use crate::machine::Machine;

/// A deviation that rounding explains.
pub const SAME: f64 = 1e-3;
/// Round trips of a short and of a long simulation; the difference holds neither the beginning nor the end.
const FEW: u32 = 1;
const MANY: u32 = 11;
/// Sizes at which the written model is checked.
const CHECKS: usize = 100;

/// Half a round trip of messages of this size, in seconds.
pub fn ping_pong(machine: &Machine, bytes: u64) -> Result<f64, Failure> {
    let round_trips = total(machine, bytes, MANY)? - total(machine, bytes, FEW)?;
    Ok(round_trips / f64::from(2 * (MANY - FEW)))
}

fn total(machine: &Machine, bytes: u64, iterations: u32) -> Result<f64, Failure> {
    let setup = machine.setup(1.0, Bursts::None, Box::new(Unrecorded));
    let mut engine = Engine::new(setup, NoMemory);
    let pattern = format!("gen:pingpong,ranks=2,bytes={bytes},iterations={iterations}");
    let mut workload = Generated::parse(&pattern).map_err(usage)?;
    match mpirage_replay::run(&mut engine, &mut workload, &mut Unwatched) {
        Ok(Ending::Finished) => Ok(engine.now().as_secs_f64()),
        Ok(ending) => Err(usage(format!("a ping-pong of {bytes} bytes does not end: {ending:?}"))),
        Err(error) => Err(usage(error)),
    }
}

/// How far ping-pongs that are simulated with the text of a model are from those of its fit, as the largest part.
pub fn deviation(
    arguments: &MachineArguments,
    text: &str,
    calibration: &Calibration,
) -> Result<f64, Failure> {
    let mut file =
        tempfile::Builder::new().suffix(".toml").tempfile().context("cannot write a temporary file")?;
    file.write_all(text.as_bytes()).context("cannot write a temporary file")?;
    let model = file.path().display().to_string();
    let arguments = MachineArguments { model, ..with_two_hosts(arguments) };
    let mut machine = Machine::new(&arguments, 2).map_err(|failure| unreadable(failure.error))?;
    machine.model.without_noise();
    let mut worst = 0.0f64;
    let step = calibration.points.len().div_ceil(CHECKS);
    for point in calibration.points.iter().step_by(step) {
        let simulated = ping_pong(&machine, point.bytes)?;
        worst = worst.max((simulated / calibration.predict(point.bytes)).ln().abs());
    }
    Ok(worst.exp_m1())
}

/// A ping-pong is short: nobody looks on.
struct Unwatched;

impl Watch for Unwatched {
    fn progress(&mut self, _: f64, _: usize) -> bool {
        false
    }
}

/// Only the end counts.
struct Unrecorded;

impl Recorder for Unrecorded {
    fn record(&mut self, _: &Record<'_>) {}

    fn messages(&mut self, _: &[Message]) {}
}
