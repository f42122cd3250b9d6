//! A plot of times over sizes in characters.
//!
//! ```text
//! bcast
//!   4.42 ms │                  ×
//!           │               ×  ·
//!           │      ×  ×  ×
//!   10.1 µs │*  *
//!           └──────────────────
//!            8 B              1 MiB     × default  · best  * both
//! ```

use crate::Row;
use mpirage_plot::size_text;
use mpirage_units::time_text;

/// Lines of a plot.
const LINES: usize = 8;
/// Characters of a size.
const COLUMN: usize = 3;
/// Characters left of the axis.
const MARGIN: usize = 10;

/// The plot of one collective on one communicator, as lines; `base` names the choice that is compared with the best. None if
/// it is wider than `width`, or has fewer than three sizes.
pub fn sketch(rows: &[Row], base: &str, width: usize) -> Option<Vec<String>> {
    let (first, last) = (rows.first()?, rows.last()?);
    if rows.len() < 3 || MARGIN + 3 + COLUMN * rows.len() > width {
        return None;
    }
    let scale = Scale::of(rows);
    let mut cells = vec![vec![' '; COLUMN * rows.len()]; LINES];
    for (at, row) in rows.iter().enumerate() {
        let (base, best) = (scale.line(seconds(row.base.time)), scale.line(seconds(row.best.time)));
        cells[base][at * COLUMN] = '×';
        cells[best][at * COLUMN] = if base == best { '*' } else { '·' };
    }
    let mut lines = Vec::with_capacity(LINES + 2);
    for (at, cells) in cells.iter().enumerate() {
        let label = match at {
            0 => time_text(mpirage_units::Duration::from_secs_f64(scale.high)),
            _ if at == LINES - 1 => time_text(mpirage_units::Duration::from_secs_f64(scale.low)),
            _ => String::new(),
        };
        let text: String = cells.iter().collect();
        lines.push(format!("{label:>MARGIN$} │{}", text.trim_end()));
    }
    lines.push(format!("{:MARGIN$} └{}", "", "─".repeat(COLUMN * rows.len())));
    let (left, right) = (size_text(first.point.bytes), size_text(last.point.bytes));
    let gap = (COLUMN * rows.len()).saturating_sub(left.chars().count() + right.chars().count()).max(1);
    let legend = format!("× {base}, · best, * both");
    lines.push(format!("{:MARGIN$}  {left}{}{right}   {legend}", "", " ".repeat(gap)));
    Some(lines)
}

/// A logarithmic axis.
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    fn of(rows: &[Row]) -> Scale {
        let times = || rows.iter().flat_map(|row| [row.base.time, row.best.time]).map(seconds);
        Scale { low: times().fold(f64::INFINITY, f64::min), high: times().fold(0.0, f64::max) }
    }

    /// The line of a time, from the top.
    fn line(&self, time: f64) -> usize {
        let range = (self.high / self.low).ln();
        let up = if range > 0.0 { (time / self.low).ln() / range } else { 0.0 };
        LINES - 1 - (up * (LINES - 1) as f64).round() as usize
    }
}

/// At least a picosecond, so that there is a logarithm.
fn seconds(time: mpirage_units::Duration) -> f64 {
    time.as_picos().max(1) as f64 * 1e-12
}
