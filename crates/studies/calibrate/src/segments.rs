//! Where the pieces of a piece-wise linear function begin, and how many there are.
//!
//! Dynamic programming over the sorted sizes finds the best borders for each number of pieces. Two criteria decide:
//!
//! - [`Criterion::Bic`]: the largest likelihood of the relative errors, whose variance is that of their piece, as protocols differ
//!   in their noise: Σ n ln(squares / n) over pieces is least. Each further piece must lower Schwarz's criterion, which adds
//!   4 ln N for its two parameters, its variance and its border.
//! - [`Criterion::Correlation`]: the largest product of the pieces' correlation coefficients (Clauss et al. 2011, section 4.1). One
//!   piece nearly always has the largest product, so their number is given: three, as the authors recommend.

use std::ops::Range;

use crate::line::{Bounds, Datum, Line, Sums, refine};

/// How borders are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Criterion {
    /// Schwarz's information criterion.
    #[default]
    Bic,
    /// The product of correlation coefficients.
    Correlation,
}

/// The number of pieces that the authors of the correlation criterion recommend.
const RECOMMENDED: usize = 3;
/// More pieces than any library has protocols.
pub(crate) const MOST_PIECES: usize = 12;
/// Mean squares of relative errors below which nothing is gained: 0.5 %.
const EXACT: f64 = 2.5e-5;
/// Parameters of a piece: intercept, slope, variance, border.
const PARAMETERS: f64 = 4.0;
/// A piece has at least this many sizes, and at least this share of all.
const LEAST_SIZES: usize = 3;
const LEAST_SHARE: usize = 40;

/// A part of a piece-wise linear function.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Piece {
    /// Sizes from here on belong to it.
    pub from: u64,
    /// Its data.
    pub range: Range<usize>,
    /// The line.
    pub line: Line,
}

/// The piece of a size.
pub(crate) fn piece_of(pieces: &[Piece], bytes: u64) -> &Piece {
    let after = pieces.partition_point(|piece| piece.from <= bytes);
    &pieces[after.saturating_sub(1)]
}

/// A search for pieces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Search<'s> {
    pub criterion: Criterion,
    /// How many pieces, if that is given.
    pub pieces: Option<usize>,
    /// How many pieces at most, if that is not given.
    pub most: usize,
    /// Where they begin, if that is given.
    pub breakpoints: &'s [u64],
    pub bounds: Bounds,
}

impl Search<'_> {
    /// The pieces of data that are sorted by size.
    pub fn pieces(&self, data: &[Datum]) -> Vec<Piece> {
        let sums = Sums::of(data);
        let ranges = match self.breakpoints {
            [] => self.found_ranges(data, &sums),
            given => given_ranges(data, given),
        };
        let piece = |range: Range<usize>| {
            let first = sums.line(&range, &self.bounds);
            let line = refine(&data[range.clone()], first, &self.bounds);
            Piece { from: self.border(data, range.start), range, line }
        };
        ranges.into_iter().map(piece).collect()
    }

    /// The lines of known pieces for other data of the same sizes.
    pub fn lines(&self, data: &[Datum], pieces: &[Piece]) -> Vec<Line> {
        pieces.iter().map(|piece| refine(&data[piece.range.clone()], piece.line, &self.bounds)).collect()
    }

    /// The borders of this many pieces in other data of the same sizes.
    pub fn borders(&self, data: &[Datum], count: usize) -> Vec<u64> {
        let ranges = Search { pieces: Some(count), ..*self }.found_ranges(data, &Sums::of(data));
        ranges.iter().map(|range| self.border(data, range.start)).collect()
    }

    /// The size from which on a piece holds that begins with this datum: a given one, or the middle between two sizes.
    fn border(&self, data: &[Datum], start: usize) -> u64 {
        let Some(before) = start.checked_sub(1).map(|at| data[at].bytes) else { return 0 };
        let next = data[start].bytes;
        let given = self.breakpoints.iter().rev().find(|&&limit| before < limit && limit <= next);
        given
            .copied()
            .unwrap_or_else(|| (((before as f64) * (next as f64)).sqrt() as u64 + 1).clamp(before + 1, next))
    }

    fn found_ranges(&self, data: &[Datum], sums: &Sums) -> Vec<Range<usize>> {
        let count = data.len();
        let least = LEAST_SIZES.max(count / LEAST_SHARE);
        let given = self.pieces.or((self.criterion == Criterion::Correlation).then_some(RECOMMENDED));
        let most = given.unwrap_or(self.most).min(count / least).max(1);
        let all = match self.criterion {
            Criterion::Bic => partitions(count, least, most, |range| {
                let n = range.len() as f64;
                n * (sums.squares(range, &self.bounds) / n).max(EXACT).ln()
            }),
            Criterion::Correlation => {
                partitions(count, least, most, |range| -sums.correlation(range).max(1e-9).ln())
            }
        };
        let penalty = PARAMETERS * (count as f64).ln();
        let score = |partition: &Partition| partition.cost + penalty * partition.ranges.len() as f64;
        let best = if given.is_some() {
            all.into_iter().last()
        } else {
            all.into_iter().min_by(|a, b| score(a).total_cmp(&score(b)))
        };
        best.map(|best| best.ranges).unwrap_or_default()
    }
}

/// Pieces with the sum of their costs.
struct Partition {
    cost: f64,
    ranges: Vec<Range<usize>>,
}

/// For each number of pieces up to `most` the partition of `count` data that costs least; pieces have `least` data or more.
fn partitions(
    count: usize,
    least: usize,
    most: usize,
    cost: impl Fn(&Range<usize>) -> f64,
) -> Vec<Partition> {
    // best[end] is the least cost of data before `end`, for the current number of pieces; came[k][end] is where the last begins.
    let mut best: Vec<f64> =
        (0..=count).map(|end| if end >= least { cost(&(0..end)) } else { f64::INFINITY }).collect();
    let mut came: Vec<Vec<usize>> = vec![vec![0; count + 1]];
    let mut found = vec![Partition { cost: best[count], ranges: ranges_of(&came, count) }];
    let costs: Vec<Vec<f64>> = if most == 1 { Vec::new() } else { all_costs(count, least, cost) };
    for _ in 1..most {
        let mut next = vec![f64::INFINITY; count + 1];
        let mut from = vec![0; count + 1];
        for end in least..=count {
            for start in least..=end - least.min(end) {
                let sum = best[start] + costs[end][start];
                if sum < next[end] {
                    (next[end], from[end]) = (sum, start);
                }
            }
        }
        came.push(from);
        best = next;
        if best[count].is_finite() {
            found.push(Partition { cost: best[count], ranges: ranges_of(&came, count) });
        }
    }
    found
}

/// The cost of every range, by its end, then its start.
fn all_costs(count: usize, least: usize, cost: impl Fn(&Range<usize>) -> f64) -> Vec<Vec<f64>> {
    let up_to = |end: usize| (0..=end.saturating_sub(least)).map(|start| cost(&(start..end))).collect();
    (0..=count).map(|end| if end < least { Vec::new() } else { up_to(end) }).collect()
}

/// Follows the beginnings of pieces from the end.
fn ranges_of(came: &[Vec<usize>], count: usize) -> Vec<Range<usize>> {
    let mut end = count;
    let mut ranges: Vec<Range<usize>> = came
        .iter()
        .rev()
        .map(|from| {
            let range = from[end]..end;
            end = range.start;
            range
        })
        .collect();
    ranges.reverse();
    ranges
}

/// Pieces that begin at given sizes. A piece with a single size, or none, belongs to its neighbour.
fn given_ranges(data: &[Datum], breakpoints: &[u64]) -> Vec<Range<usize>> {
    let starts = breakpoints.iter().map(|&limit| data.partition_point(|datum| datum.bytes < limit));
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for end in starts.chain([data.len()]) {
        if end.saturating_sub(start) >= 2 {
            ranges.push(start..end);
            start = end;
        }
    }
    match ranges.last_mut() {
        Some(last) => last.end = data.len(),
        None => ranges.push(0..data.len()),
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { slope: 0.0, header: 0.0 };

    fn search(criterion: Criterion, breakpoints: &[u64]) -> Search<'_> {
        Search { criterion, pieces: None, most: MOST_PIECES, breakpoints, bounds: BOUNDS }
    }

    /// Three protocols, with 2 % of noise.
    fn data(noise: f64) -> Vec<Datum> {
        let sizes = (0..22).flat_map(|power| [1u64 << power, 3 << power]);
        let datum = |(at, bytes): (usize, u64)| {
            let time = match bytes {
                0..2000 => 10e-6 + 5e-9 * bytes as f64,
                2000..65536 => 20e-6 + 2e-9 * bytes as f64,
                _ => 140e-6 + 1e-9 * bytes as f64,
            };
            let factor = 1.0 + noise * (mpirage_units::draw(1, [at as u64, 0]) - 0.5);
            Datum { bytes, total: time * factor, explained: 0.0 }
        };
        let mut all: Vec<u64> = sizes.collect();
        all.sort_unstable();
        all.into_iter().enumerate().map(datum).collect()
    }

    #[test]
    fn three_protocols_are_three_pieces() {
        for noise in [0.0, 0.04] {
            let pieces = search(Criterion::Bic, &[]).pieces(&data(noise));
            let starts: Vec<u64> = pieces.iter().map(|piece| piece.from).collect();
            assert_eq!(starts.len(), 3, "{noise}: {starts:?}");
            assert!((1024..=2048).contains(&starts[1]) && (49152..=65536).contains(&starts[2]), "{starts:?}");
            assert!((pieces[2].line.slope / 1e-9 - 1.0).abs() < 0.03, "{pieces:?}");
        }
    }

    #[test]
    fn a_straight_line_stays_one_piece() {
        let mut data = data(0.04);
        data.iter_mut().enumerate().for_each(|(at, datum)| {
            datum.total =
                (8e-6 + 1e-9 * datum.bytes as f64) * (1.0 + 0.05 * mpirage_units::draw(2, [at as u64, 0]));
        });
        assert_eq!(search(Criterion::Bic, &[]).pieces(&data).len(), 1);
    }

    #[test]
    fn correlation_gives_three_pieces_unless_asked() {
        let data = data(0.02);
        assert_eq!(search(Criterion::Correlation, &[]).pieces(&data).len(), 3);
        let two = Search { pieces: Some(2), ..search(Criterion::Correlation, &[]) };
        assert_eq!(two.pieces(&data).len(), 2);
    }

    #[test]
    fn given_borders_are_kept() {
        let pieces = search(Criterion::Bic, &[2000, 65536, 1 << 40]).pieces(&data(0.02));
        assert_eq!(pieces.iter().map(|piece| piece.from).collect::<Vec<_>>(), [0, 2000, 65536]);
        assert_eq!(piece_of(&pieces, 1999).from, 0);
        assert_eq!(piece_of(&pieces, 2000).from, 2000);
    }

    #[test]
    fn partitions_cost_the_least() {
        // The cost of a range is the square of its length off 4.
        let cost = |range: &Range<usize>| (range.len() as f64 - 4.0).powi(2);
        let best = partitions(12, 2, 4, cost);
        assert_eq!(best[2].ranges, [0..4, 4..8, 8..12]);
        assert_eq!(best[2].cost, 0.0);
    }
}
