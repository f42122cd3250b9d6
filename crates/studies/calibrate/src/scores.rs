//! How well a calibration and two affine models describe the measurements.

use crate::error::LogErrors;
use crate::fit::{Calibration, TimeModel};
use crate::measurement::{Point, median};

/// Neighbouring sizes that are judged together, where one size has too much noise.
const CLASS: usize = 10;
/// Sizes within this factor are neighbours.
const NEIGHBOURS: f64 = 1.5;

/// The errors of one model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// The model.
    pub model: &'static str,
    /// On the sizes that were fitted.
    pub fitted: LogErrors,
    /// On those that were left out.
    pub held_out: LogErrors,
    /// On those that were left out, where the median of ten neighbouring sizes counts once.
    pub held_out_classes: LogErrors,
}

impl Calibration {
    /// The errors of the fitted model, of the best affine one, and of the default affine one.
    pub fn scores(&self) -> Vec<Score> {
        let score = |(model, time): (&'static str, TimeModel<'_>)| Score {
            model,
            fitted: errors(&self.points, &time),
            held_out: errors(&self.held_out, &time),
            held_out_classes: class_errors(&self.held_out, &time),
        };
        self.models().into_iter().map(score).collect()
    }

    /// The mean scatter of neighbouring sizes around each other: what no function of the size explains.
    pub fn noise(&self) -> f64 {
        let middle = |three: &[Point]| {
            let [one, two, three] = [three[0], three[1], three[2]].map(|point| point.seconds.ln());
            // The scatter of the middle one and that of the mean of its neighbours.
            (two - (one + three) / 2.0).abs() / 1.5f64.sqrt()
        };
        let near = |three: &&[Point]| three[2].bytes as f64 <= NEIGHBOURS * three[0].bytes as f64;
        let scatter: Vec<f64> = self.points.windows(3).filter(near).map(middle).collect();
        // A sum of nothing is −0.
        (scatter.iter().sum::<f64>() / scatter.len().max(1) as f64).exp_m1().max(0.0)
    }
}

fn errors(points: &[Point], model: impl Fn(u64) -> f64) -> LogErrors {
    LogErrors::of(points.iter().map(|point| (model(point.bytes), point.seconds)))
}

/// Errors of classes of neighbouring sizes: the median of each class.
fn class_errors(points: &[Point], model: impl Fn(u64) -> f64) -> LogErrors {
    let mut errors = LogErrors::default();
    for class in points.chunks(CLASS) {
        errors.add(median(class.iter().map(|point| (model(point.bytes) / point.seconds).ln())));
    }
    errors
}
