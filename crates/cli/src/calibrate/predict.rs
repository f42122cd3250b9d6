//! Simulated ping-pongs between the two ranks of a machine.

use std::io::Write;

use anyhow::Context;
use mpirage_calibrate::Calibration;
use mpirage_simulation::{Machine, ping_pong};

use super::{unreadable, with_two_hosts};
use crate::arguments::MachineArguments;
use crate::exit::Failure;

/// A deviation that rounding explains.
pub const SAME: f64 = 1e-3;
/// Sizes at which the written model is checked.
const CHECKS: usize = 100;

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
    let mut machine = Machine::new(&arguments.request(), 2).map_err(|failure| unreadable(failure.error))?;
    machine.model.without_noise();
    let mut worst = 0.0f64;
    let step = calibration.points.len().div_ceil(CHECKS);
    for point in calibration.points.iter().step_by(step) {
        let simulated = ping_pong(&machine, point.bytes)?;
        worst = worst.max((simulated / calibration.predict(point.bytes)).ln().abs());
    }
    Ok(worst.exp_m1())
}
