//! The two affine models that a piece-wise linear one is compared with (Clauss et al. 2011, section 7.1.1).

use crate::error::LogErrors;
use crate::line::Line;
use crate::measurement::Point;

/// The part of a link's bandwidth that TCP can use.
const TCP_SHARE: f64 = 0.92;

/// The latency of the smallest message, and 92 % of the bandwidth of the route.
pub(crate) fn default_line(points: &[Point], bandwidth: f64) -> Line {
    let slope = 1.0 / (TCP_SHARE * bandwidth);
    Line { intercept: points.first().map_or(0.0, |first| first.seconds), slope }
}

/// The line with the least mean logarithmic error: a grid in log space that closes in on the best point.
pub(crate) fn best_line(points: &[Point], first: Line) -> Line {
    const STEPS: i32 = 6;
    const ROUNDS: usize = 24;
    let mut best = (mean_error(points, &first), first);
    let mut reach = 3.0;
    for _ in 0..ROUNDS {
        let centre = best.1;
        for i in -STEPS..=STEPS {
            for j in -STEPS..=STEPS {
                let factor = |step: i32| (reach * f64::from(step) / f64::from(STEPS)).exp();
                let line = Line { intercept: centre.intercept * factor(i), slope: centre.slope * factor(j) };
                let error = mean_error(points, &line);
                if error < best.0 {
                    best = (error, line);
                }
            }
        }
        reach *= 0.7;
    }
    best.1
}

fn mean_error(points: &[Point], line: &Line) -> f64 {
    LogErrors::of(points.iter().map(|point| (line.at(point.bytes), point.seconds))).mean()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_line_finds_a_line() {
        let point = |bytes: u64| Point {
            bytes,
            seconds: 4e-6 + 3e-9 * bytes as f64,
            quartiles: (0.0, 0.0),
            samples: 1,
        };
        let points: Vec<Point> = (0..20).map(|power| point(1 << power)).collect();
        let best = best_line(&points, default_line(&points, 125e6));
        assert!(
            (best.intercept / 4e-6 - 1.0).abs() < 1e-2 && (best.slope / 3e-9 - 1.0).abs() < 1e-2,
            "{best:?}"
        );
    }
}
