//! Regression with two parameters: the part of a time that is to be explained is `intercept + slope · bytes`.
//!
//! Times span orders of magnitude and their errors are relative, so each point counts by its relative error. [`Sums`] gives the
//! least squares of any range of points at once. [`refine`] then minimises the logarithmic error, with Huber's weights: a point far
//! off pulls no more than one at the edge of the usual scatter.

use std::ops::Range;

use crate::measurement::{Point, median};

/// Scatter in standard deviations up to which a point counts fully (Huber). Smaller than the usual 1.345, towards a regression of
/// medians, as times have two modes rather than a normal distribution.
const USUAL: f64 = 0.5;
/// From the median of absolute deviations to the standard deviation.
const DEVIATION: f64 = 1.4826;
/// Scatter that is never taken for less: what rounding to three digits leaves.
const LEAST_SCATTER: f64 = 1e-3;

/// A measured time, and the part of it that is already explained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Datum {
    /// Message size.
    pub bytes: u64,
    /// The measured time.
    pub total: f64,
    /// The part that is explained otherwise.
    pub explained: f64,
}

impl Datum {
    /// A point of which `explained` seconds are explained.
    pub fn of(point: &Point, explained: f64) -> Datum {
        Datum { bytes: point.bytes, total: point.seconds, explained }
    }

    fn x(&self) -> f64 {
        self.bytes as f64
    }
}

/// A straight line over sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Line {
    /// Seconds of no byte.
    pub intercept: f64,
    /// Seconds of each byte.
    pub slope: f64,
}

impl Line {
    pub fn at(&self, bytes: u64) -> f64 {
        self.intercept + self.slope * bytes as f64
    }

    /// ln measured − ln predicted.
    pub fn log_residual(&self, datum: &Datum) -> f64 {
        (datum.total / (datum.explained + self.at(datum.bytes)).max(f64::MIN_POSITIVE)).ln()
    }
}

/// Lower bounds of lines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    /// The least slope.
    pub slope: f64,
    /// Bytes that every message has besides: the intercept is at least their time.
    pub header: f64,
}

/// Weighted sums over a range of points.
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    w: f64,
    x: f64,
    xx: f64,
    y: f64,
    xy: f64,
    yy: f64,
}

impl Moments {
    fn add(&mut self, x: f64, y: f64, weight: f64) {
        self.w += weight;
        self.x += weight * x;
        self.xx += weight * x * x;
        self.y += weight * y;
        self.xy += weight * x * y;
        self.yy += weight * y * y;
    }

    fn minus(&self, other: &Moments) -> Moments {
        Moments {
            w: self.w - other.w,
            x: self.x - other.x,
            xx: self.xx - other.xx,
            y: self.y - other.y,
            xy: self.xy - other.xy,
            yy: self.yy - other.yy,
        }
    }

    /// The line of least squares within bounds.
    fn line(&self, bounds: &Bounds) -> Line {
        let determinant = self.w * self.xx - self.x * self.x;
        let slope = if determinant > 1e-12 * self.w * self.xx {
            (self.w * self.xy - self.x * self.y) / determinant
        } else {
            0.0
        };
        let slope = slope.max(bounds.slope);
        let intercept = (self.y - slope * self.x) / self.w;
        if intercept >= bounds.header * slope {
            return Line { intercept, slope };
        }
        // Through −header: y = slope · (x + header).
        let h = bounds.header;
        let slope =
            ((self.xy + h * self.y) / (self.xx + 2.0 * h * self.x + h * h * self.w)).max(bounds.slope);
        Line { intercept: h * slope, slope }
    }

    fn squares(&self, Line { intercept: a, slope: b }: Line) -> f64 {
        let mixed = a * a * self.w + 2.0 * a * b * self.x + b * b * self.xx;
        (self.yy - 2.0 * (a * self.y + b * self.xy) + mixed).max(0.0)
    }
}

/// Sums up to each point, from which those of any range follow.
pub(crate) struct Sums {
    relative: Vec<Moments>,
    plain: Vec<Moments>,
}

impl Sums {
    pub fn of(data: &[Datum]) -> Sums {
        let (mut relative, mut plain) = (vec![Moments::default()], vec![Moments::default()]);
        let mut sums = (Moments::default(), Moments::default());
        for datum in data {
            let (x, y) = (datum.x(), datum.total - datum.explained);
            sums.0.add(x, y, 1.0 / (datum.total * datum.total));
            sums.1.add(x, y, 1.0);
            relative.push(sums.0);
            plain.push(sums.1);
        }
        Sums { relative, plain }
    }

    /// The line of a range of points.
    pub fn line(&self, range: &Range<usize>, bounds: &Bounds) -> Line {
        self.relative(range).line(bounds)
    }

    /// The squares of relative errors that the best line of a range leaves.
    pub fn squares(&self, range: &Range<usize>, bounds: &Bounds) -> f64 {
        let moments = self.relative(range);
        moments.squares(moments.line(bounds))
    }

    /// The correlation coefficient of sizes and times in a range.
    pub fn correlation(&self, range: &Range<usize>) -> f64 {
        let m = self.plain[range.end].minus(&self.plain[range.start]);
        let covariance = m.w * m.xy - m.x * m.y;
        let (x, y) = (m.w * m.xx - m.x * m.x, m.w * m.yy - m.y * m.y);
        if x <= 0.0 || y <= 0.0 { 0.0 } else { (covariance / (x * y).sqrt()).clamp(0.0, 1.0) }
    }

    fn relative(&self, range: &Range<usize>) -> Moments {
        self.relative[range.end].minus(&self.relative[range.start])
    }
}

/// The line that minimises the logarithmic error of points, from a first guess.
pub(crate) fn refine(data: &[Datum], first: Line, bounds: &Bounds) -> Line {
    const ROUNDS: usize = 30;
    /// A step in log space that is still nearly linear.
    const STEP: f64 = 0.5;
    let mut line = first;
    for _ in 0..ROUNDS {
        let usual = USUAL * scatter(data, &line);
        let mut moments = Moments::default();
        for datum in data {
            let residual = line.log_residual(datum).clamp(-STEP, STEP);
            let predicted = datum.explained + line.at(datum.bytes);
            let huber = (usual / residual.abs()).min(1.0);
            let wanted = predicted * (1.0 + residual) - datum.explained;
            moments.add(datum.x(), wanted, huber / (predicted * predicted));
        }
        let next = moments.line(bounds);
        if !(next.intercept.is_finite() && next.slope.is_finite()) {
            break;
        }
        line = next;
    }
    line
}

/// The standard deviation of log residuals, from their median.
fn scatter(data: &[Datum], line: &Line) -> f64 {
    let middle = median(data.iter().map(|datum| line.log_residual(datum).abs()));
    (DEVIATION * middle).max(LEAST_SCATTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: Bounds = Bounds { slope: 0.0, header: 0.0 };

    fn data(time: impl Fn(u64) -> f64) -> Vec<Datum> {
        let datum = |bytes| Datum { bytes, total: time(bytes), explained: 1e-6 };
        (0..20).map(|power| datum(1 << power)).collect()
    }

    #[test]
    fn a_line_is_found_again() {
        let data = data(|bytes| 1e-6 + 5e-6 + 1e-9 * bytes as f64);
        let sums = Sums::of(&data);
        let line = sums.line(&(0..data.len()), &FREE);
        assert!((line.intercept - 5e-6).abs() < 1e-12 && (line.slope - 1e-9).abs() < 1e-15, "{line:?}");
        assert!(sums.squares(&(0..data.len()), &FREE) < 1e-9);
        assert!(sums.correlation(&(0..data.len())) > 0.999_999);
    }

    #[test]
    fn outliers_hardly_count() {
        let mut data = data(|bytes| 6e-6 + 1e-9 * bytes as f64);
        data[3].total *= 40.0;
        data[12].total *= 15.0;
        let plain = Sums::of(&data).line(&(0..data.len()), &FREE);
        let line = refine(&data, plain, &FREE);
        assert!(
            (line.intercept / 5e-6 - 1.0).abs() < 0.02 && (line.slope / 1e-9 - 1.0).abs() < 0.02,
            "{line:?}"
        );
    }

    #[test]
    fn bounds_hold() {
        let data = data(|bytes| 6e-6 - 1e-12 * bytes as f64);
        let line = Sums::of(&data).line(&(0..data.len()), &Bounds { slope: 1e-12, header: 16.0 });
        assert_eq!(line.slope, 1e-12);
        assert!(line.intercept >= 16e-12);
    }
}
