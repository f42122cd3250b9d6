//! How sure the parameters of a piece-wise linear fit are.
//!
//! The residual bootstrap (Efron 1979): new data are the fit with residuals of the same piece, drawn at random; the parameters that
//! are fitted to many such data show how much chance is in them. Scatter between neighbouring sizes counts, which repetitions of one
//! size do not show.

use mpirage_units::{Consumer, Random};

use crate::line::{Datum, Line};
use crate::measurement::quantile;
use crate::segments::{Piece, Search};

/// The generator of this module.
const DRAWS: Consumer = Consumer(0x6361_6c69);
/// Data sets that are drawn for parameters, and for borders, which take longer.
const REPLICATES: usize = 200;
const BORDER_REPLICATES: usize = 60;
/// The part of results below and above the interval.
const TAIL: f64 = 0.05;

/// Where nine of ten results lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Five percent are below.
    pub low: f64,
    /// Five percent are above.
    pub high: f64,
}

impl Interval {
    pub(crate) fn of(mut values: Vec<f64>) -> Interval {
        values.sort_by(f64::total_cmp);
        Interval { low: quantile(&values, TAIL), high: quantile(&values, 1.0 - TAIL) }
    }

    /// The interval of a function of the value; increasing or decreasing.
    pub(crate) fn map(self, function: impl Fn(f64) -> f64) -> Interval {
        let (one, other) = (function(self.low), function(self.high));
        Interval { low: one.min(other), high: one.max(other) }
    }
}

/// Intervals of the parameters of a piece.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PieceIntervals {
    /// The interval of the latency: the intercept of the line, less the time of headers.
    pub latency: Interval,
    pub slope: Interval,
    /// Of its beginning, if that was found.
    pub from: Option<Interval>,
}

/// The intervals of all pieces; `header` is the number of bytes whose time is not part of the latency.
pub(crate) fn intervals(
    search: &Search<'_>,
    data: &[Datum],
    pieces: &[Piece],
    seed: u64,
) -> Vec<PieceIntervals> {
    let mut random = Random::new(seed, DRAWS);
    let header = search.bounds.header;
    let mut lines: Vec<Vec<Line>> = vec![Vec::with_capacity(REPLICATES); pieces.len()];
    let mut borders: Vec<Vec<f64>> = vec![Vec::new(); pieces.len()];
    let found = search.breakpoints.is_empty() && pieces.len() > 1;
    for replicate in 0..REPLICATES {
        let drawn = draw(data, pieces, &mut random);
        for (at, line) in search.lines(&drawn, pieces).into_iter().enumerate() {
            lines[at].push(line);
        }
        if found && replicate < BORDER_REPLICATES {
            let starts = search.borders(&drawn, pieces.len());
            starts.iter().enumerate().for_each(|(at, start)| borders[at].push(*start as f64));
        }
    }
    let of = |(at, lines): (usize, Vec<Line>)| PieceIntervals {
        latency: Interval::of(lines.iter().map(|line| line.intercept - header * line.slope).collect()),
        slope: Interval::of(lines.iter().map(|line| line.slope).collect()),
        from: (found && at > 0).then(|| Interval::of(borders[at].clone())),
    };
    lines.into_iter().enumerate().map(of).collect()
}

/// The fit with residuals of the same piece.
fn draw(data: &[Datum], pieces: &[Piece], random: &mut Random) -> Vec<Datum> {
    let mut drawn = data.to_vec();
    for Piece { range, line, .. } in pieces {
        let residuals: Vec<f64> = data[range.clone()].iter().map(|datum| line.log_residual(datum)).collect();
        for datum in &mut drawn[range.clone()] {
            let residual = residuals[(random.unit() * residuals.len() as f64) as usize];
            datum.total = (datum.explained + line.at(datum.bytes)) * residual.exp();
        }
    }
    drawn
}
