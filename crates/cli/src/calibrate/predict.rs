//! Simulations with the model that was fitted: ping-pongs between two ranks, and collectives that nothing was fitted to.

use std::io::Write;

use anyhow::Context;
use mpirage_calibrate::{Calibration, LogErrors, Measurements, SampleKind};
use mpirage_simulation::{Machine, collective, ping_pong};

use super::{unreadable, with_two_hosts};
use crate::arguments::MachineArguments;
use crate::exit::Failure;

/// A deviation that rounding explains.
pub const SAME: f64 = 1e-3;
/// Sizes at which the written model is checked.
const CHECKS: usize = 100;

/// The text of a model as a file that a machine can be made with.
pub struct Written<'a> {
    file: tempfile::NamedTempFile,
    arguments: &'a MachineArguments,
}

/// Measured collectives beside those that are simulated with the fitted model.
pub struct Predicted {
    /// The name of the collective.
    pub name: String,
    /// How many ranks take part.
    pub ranks: u32,
    /// Simulated beside measured times of all sizes.
    pub errors: LogErrors,
}

impl Written<'_> {
    /// Writes the text of a model.
    pub fn new<'a>(arguments: &'a MachineArguments, text: &str) -> Result<Written<'a>, Failure> {
        let mut file =
            tempfile::Builder::new().suffix(".toml").tempfile().context("cannot write a temporary file")?;
        file.write_all(text.as_bytes()).context("cannot write a temporary file")?;
        Ok(Written { file, arguments })
    }

    /// The machine with this model and so many ranks, placed as the arguments say.
    fn machine(&self, arguments: MachineArguments, ranks: u32) -> Result<Machine, Failure> {
        let arguments = MachineArguments { model: self.file.path().display().to_string(), ..arguments };
        let mut machine =
            Machine::new(&arguments.request(), ranks).map_err(|failure| unreadable(failure.error))?;
        machine.model.without_noise();
        Ok(machine)
    }

    /// How far simulated ping-pongs are from those of the fit, as the largest part.
    pub fn deviation(&self, calibration: &Calibration) -> Result<f64, Failure> {
        let machine = self.machine(with_two_hosts(self.arguments), 2)?;
        let mut worst = 0.0f64;
        let step = calibration.points.len().div_ceil(CHECKS);
        for point in calibration.points.iter().step_by(step) {
            let simulated = ping_pong(&machine, point.bytes)?;
            worst = worst.max((simulated / calibration.predict(point.bytes)).ln().abs());
        }
        Ok(worst.exp_m1())
    }

    /// The collectives that were measured, with the ranks of the largest measured message rate; half of them are on each of two hosts unless
    /// the user places them.
    pub fn collectives(&self, measurements: &Measurements) -> Result<Vec<Predicted>, Failure> {
        let Some(pairs) = measurements.most_pairs() else { return Ok(Vec::new()) };
        let names = measurements.kinds().into_iter().filter_map(|kind| match kind {
            SampleKind::Collective(name) => Some(name),
            _ => None,
        });
        names.map(|name| self.collective(measurements, name, pairs)).collect()
    }

    fn collective(
        &self,
        measurements: &Measurements,
        name: &'static str,
        pairs: u32,
    ) -> Result<Predicted, Failure> {
        let ppn = if super::is_placed(self.arguments) { self.arguments.ppn } else { Some(pairs) };
        let machine = self.machine(MachineArguments { ppn, ..self.arguments.clone() }, 2 * pairs)?;
        let mut times = Vec::new();
        for point in measurements.points(SampleKind::Collective(name)) {
            times.push((collective(&machine, name, point.bytes)?, point.seconds));
        }
        Ok(Predicted { name: name.to_owned(), ranks: 2 * pairs, errors: LogErrors::of(times) })
    }
}
