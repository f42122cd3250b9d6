//! The categories of ranks over time, in tiles: a row for each rank or group of ranks, a column for each interval of time.
//!
//! When the run is over, the log of activities is distributed over the columns. If the log does not fit into memory, its parts are put
//! into columns during the run. The length of the run is not known then: the columns of a row start narrow, and double in width, by merging
//! neighbours, whenever time passes the last one. At the end they are redistributed over the length of the run. Each coarser level is made
//! from the next finer one.

use mpirage_units::Time;

use crate::activity::{ActivityConsumer, ActivityLog};
use crate::category::{CATEGORIES, Category};
use crate::log::Period;

/// Rows at most. If there are more ranks, several share a row.
const MAX_ROWS: u32 = 2_048;
/// Columns of the finest level, at most and at least.
const MAX_COLUMNS: usize = 4_096;
const MIN_COLUMNS: usize = 512;
/// Tiles of the finest level, approximately.
const TILES: usize = 1 << 20;
/// Columns of the finest level for each change of category in a row; at higher zoom the page shows single calls.
const COLUMNS_PER_CHANGE: usize = 2;
/// Columns of the coarsest level.
const COARSEST: usize = 64;
/// Picoseconds of a column at the beginning. Narrower columns would cost time and show nothing that single calls do not.
const FIRST_WIDTH: u64 = NANO << 6;
const NANO: u64 = 1_000;

/// The time of a tile in each category but idle, in picoseconds.
type Tile = [f32; CATEGORIES - 1];

/// The categories of ranks over time.
#[derive(Clone)]
pub(crate) struct Tiles {
    ranks: u32,
    rows: u32,
    ranks_per_row: u32,
    /// Columns during the run: twice those of the finest level.
    columns: usize,
    /// Picoseconds of a column, by row.
    widths: Vec<u64>,
    /// Empty as long as the log has everything.
    tiles: Vec<Tile>,
}

/// All tiles of one width.
#[derive(Debug, PartialEq)]
pub(crate) struct Level {
    pub columns: usize,
    /// The category that fills most of each tile, row by row.
    pub dominant: Vec<u8>,
    /// The part of the tile that it fills, from 0 to 255.
    pub share: Vec<u8>,
}

impl Tiles {
    pub fn new(ranks: u32) -> Tiles {
        let ranks_per_row = ranks.div_ceil(MAX_ROWS).max(1);
        let rows = ranks.div_ceil(ranks_per_row);
        let finest =
            (TILES / rows.max(1) as usize).max(1).next_power_of_two().clamp(MIN_COLUMNS, MAX_COLUMNS);
        let columns = 2 * finest;
        let widths = vec![FIRST_WIDTH; rows as usize];
        Tiles { ranks, rows, ranks_per_row, columns, widths, tiles: Vec::new() }
    }

    pub fn rows(&self) -> u32 {
        self.rows
    }

    pub fn ranks_per_row(&self) -> u32 {
        self.ranks_per_row
    }

    /// Adds time of a rank to its row.
    pub fn put(&mut self, rank: u32, category: Category, start: u64, end: u64) {
        if self.tiles.is_empty() {
            self.tiles = vec![Tile::default(); self.rows as usize * self.columns];
        }
        let row = (rank / self.ranks_per_row) as usize;
        if end > self.widths[row] * self.columns as u64 {
            self.widen(row, end);
        }
        let (width, kind) = (self.widths[row], category as usize - 1);
        let tiles = &mut self.tiles[row * self.columns..][..self.columns];
        if end == start {
            return;
        }
        // Widths are nanoseconds times a power of two.
        let shift = (width / NANO).trailing_zeros();
        let (first, last) = ((start / NANO) >> shift, ((end - 1) / NANO) >> shift);
        if first == last {
            tiles[first as usize][kind] += (end - start) as f32;
            return;
        }
        for column in first..=last {
            let inside = end.min((column + 1) * width) - start.max(column * width);
            tiles[column as usize][kind] += inside as f32;
        }
    }

    /// Widens the columns of a row until they reach `end`.
    #[cold]
    fn widen(&mut self, row: usize, end: u64) {
        let mut factor = 2;
        while self.widths[row] * self.columns as u64 * (factor as u64) < end {
            factor *= 2;
        }
        self.widths[row] *= factor as u64;
        let tiles = &mut self.tiles[row * self.columns..][..self.columns];
        for column in 0..tiles.len() {
            let old = (column * factor).min(tiles.len())..((column + 1) * factor).min(tiles.len());
            tiles[column] = tiles[old].iter().fold(Tile::default(), |a, &b| sum(a, b));
        }
    }

    /// The levels of a run that ended at `end`, the coarsest first. `activities` has everything, with that many changes of category, unless
    /// tiles were filled during the run.
    pub fn levels(&self, end: Time, activities: &ActivityLog, changes: u64) -> Vec<Level> {
        let end = end.as_picos();
        let widest = self.finest(changes);
        let mut levels = Vec::new();
        let mut columns = COARSEST.min(widest);
        while columns <= widest {
            levels.push(Level::new(columns, self.rows));
            columns *= 2;
        }
        let mut row = Row::default();
        for at in 0..self.rows {
            row.clear(widest);
            match self.tiles.is_empty() {
                true => self.lay_out(at, activities, end, &mut row),
                false => self.lay_anew(at, end, &mut row),
            }
            let ranks = self.ranks_per_row.min(self.ranks - at * self.ranks_per_row);
            for (nth, level) in levels.iter_mut().rev().enumerate() {
                if nth > 0 {
                    row.halve();
                }
                level.push(&row, end as f64 / level.columns as f64 * f64::from(ranks));
            }
        }
        levels
    }

    /// Columns of the finest level: no more than are needed to tell the changes of category apart.
    fn finest(&self, changes: u64) -> usize {
        let most = self.columns / 2;
        if !self.tiles.is_empty() {
            return most;
        }
        let of_row = changes / u64::from(self.rows.max(1));
        (COLUMNS_PER_CHANGE * of_row as usize).next_power_of_two().clamp(MIN_COLUMNS.min(most), most)
    }

    /// Distributes the activities of a row's ranks over columns from zero to `end`.
    fn lay_out(&self, row: u32, activities: &ActivityLog, end: u64, out: &mut Row) {
        for rank in row * self.ranks_per_row..self.ranks.min((row + 1) * self.ranks_per_row) {
            let brush = Brush::new(out.columns, end);
            activities.consume(rank as usize, &mut 0, &mut Distribution { brush, row: out });
        }
    }

    /// Distributes what the columns of a row hold over columns from zero to `end`.
    fn lay_anew(&self, row: u32, end: u64, out: &mut Row) {
        let width = self.widths[row as usize];
        let row = &self.tiles[row as usize * self.columns..][..self.columns];
        // The width of a new column, in old columns.
        let wide = end as f64 / width as f64 / out.columns as f64;
        for at in 0..out.columns {
            let (from, to) = (at as f64 * wide, (at + 1) as f64 * wide);
            let mut column = from as usize;
            while (column as f64) < to && column < row.len() {
                let part = to.min((column + 1) as f64) - from.max(column as f64);
                for (kind, time) in (1..CATEGORIES).zip(row[column]) {
                    if time > 0.0 {
                        out.of(kind)[at] += time * part as f32;
                    }
                }
                column += 1;
            }
        }
    }
}

/// Distributes activities over the columns of a row.
struct Distribution<'a> {
    brush: Brush,
    row: &'a mut Row,
}

impl ActivityConsumer for Distribution<'_> {
    #[inline]
    fn spend(&mut self, category: Category, from: u64, until: u64, times: u32) {
        let columns = self.row.of(category as usize);
        match times {
            1 => self.brush.lay(columns, from, until),
            times => columns[self.brush.column] += real(until - from) as f32 * times as f32,
        }
    }

    /// Those that end in the column in which the previous interval ended.
    fn iterations_at_once(&self, now: u64, Period(period): Period) -> u64 {
        self.brush.until.saturating_sub(now).saturating_sub(1).checked_div(period).unwrap_or(1)
    }
}

/// Distributes intervals of time over columns, one after the other.
struct Brush {
    per_column: f64,
    wide: f64,
    last_column: usize,
    /// The column in which the previous interval ended, and the time from which on intervals end in a later column.
    column: usize,
    until: u64,
}

impl Brush {
    fn new(columns: usize, end: u64) -> Brush {
        let per_column = columns as f64 / end as f64;
        let mut brush =
            Brush { per_column, wide: 1.0 / per_column, last_column: columns - 1, column: 0, until: 0 };
        brush.until = brush.next_column_from(0);
        brush
    }

    /// Distributes an interval that begins where the previous one ended, or later. Most short ones end in the same column.
    #[inline]
    fn lay(&mut self, times: &mut [f32], start: u64, end: u64) {
        if end < self.until {
            times[self.column] += real(end - start) as f32;
        } else {
            self.lay_far(times, start, end);
        }
    }

    /// Distributes an interval that ends in another column.
    #[inline(never)]
    fn lay_far(&mut self, times: &mut [f32], start: u64, end: u64) {
        let (first, last) = (self.column_of(start), self.column_of(end));
        (self.column, self.until) = (last, self.next_column_from(last));
        if first >= last {
            times[last] += real(end - start) as f32;
            return;
        }
        times[first] += ((first + 1) as f64 * self.wide - real(start)) as f32;
        for time in &mut times[first + 1..last] {
            *time += self.wide as f32;
        }
        times[last] += (real(end) - last as f64 * self.wide) as f32;
    }

    /// The column of a time.
    #[inline]
    fn column_of(&self, time: u64) -> usize {
        ((real(time) * self.per_column) as usize).min(self.last_column)
    }

    /// A time up to which, at least, intervals end in this column.
    #[inline]
    fn next_column_from(&self, column: usize) -> u64 {
        if column == self.last_column {
            return u64::MAX;
        }
        // A few picoseconds less, because products are rounded.
        let until = (column + 1) as f64 * self.wide;
        (until * (1.0 - 4.0 * f64::EPSILON)) as u64
    }
}

/// A time as a floating-point number. No time is so large that its sign bit is set, and signed integers convert in one instruction.
#[inline]
fn real(time: u64) -> f64 {
    time as i64 as f64
}

impl Level {
    fn new(columns: usize, rows: u32) -> Level {
        let room = columns * rows as usize;
        Level { columns, dominant: Vec::with_capacity(room), share: Vec::with_capacity(room) }
    }

    /// Adds a row. A full tile holds `capacity` picoseconds.
    fn push(&mut self, row: &Row, capacity: f64) {
        let (done, columns, capacity) = (self.dominant.len(), row.columns, capacity as f32);
        self.dominant.resize(done + columns, 0);
        self.share.resize(done + columns, 0);
        if capacity <= 0.0 {
            return;
        }
        let times: Vec<(f32, &[[f32; LANES]])> = row.all().collect();
        let (kinds, shares) = (&mut self.dominant[done..], &mut self.share[done..]);
        let tiles = kinds.as_chunks_mut().0.iter_mut().zip(shares.as_chunks_mut().0);
        for (nth, (kinds, shares)) in tiles.enumerate() {
            (*kinds, *shares) = dominant(&times, nth, capacity);
        }
    }
}

/// Tiles that are processed together. The columns of a row are a multiple of it.
const LANES: usize = 16;
const _: () = assert!(COARSEST.is_multiple_of(LANES) && MIN_COLUMNS.is_multiple_of(COARSEST));

/// A row: for each category but idle, its time in each column.
#[derive(Default)]
struct Row {
    columns: usize,
    times: [Vec<f32>; CATEGORIES - 1],
    /// Whether a rank has spent time in the category.
    there: [bool; CATEGORIES - 1],
    /// Memory for a row of half as many columns.
    half: Vec<f32>,
}

impl Row {
    /// Empties the row and sets the number of columns.
    fn clear(&mut self, columns: usize) {
        self.columns = columns;
        self.there = [false; CATEGORIES - 1];
    }

    /// The times of a category.
    #[inline]
    fn of(&mut self, category: usize) -> &mut [f32] {
        let (there, times) = (&mut self.there[category - 1], &mut self.times[category - 1]);
        if !*there {
            *there = true;
            start(times, self.columns);
        }
        times
    }

    /// The categories that occur, by number, and their times.
    fn all(&self) -> impl Iterator<Item = (f32, &[[f32; LANES]])> {
        let there = self.times.iter().zip(1u8..).zip(self.there).filter(|(_, there)| *there);
        there.map(|((times, kind), _)| (f32::from(kind), times.as_chunks().0))
    }

    /// Merges each two neighbouring columns.
    fn halve(&mut self) {
        self.columns /= 2;
        for (times, _) in self.times.iter_mut().zip(self.there).filter(|(_, there)| *there) {
            self.half.clear();
            self.half.extend(times.as_chunks().0.iter().map(|[a, b]| a + b));
            std::mem::swap(times, &mut self.half);
        }
    }
}

/// Sets all columns to no time.
#[cold]
fn start(times: &mut Vec<f32>, columns: usize) {
    times.clear();
    times.resize(columns, 0.0);
}

fn sum(a: Tile, b: Tile) -> Tile {
    std::array::from_fn(|kind| a[kind] + b[kind])
}

/// The category that fills most of each tile, and the part that it fills, from 0 to 255 in 63 steps. The loops have no branches, so that the
/// compiler turns them into vector instructions.
#[inline]
fn dominant(times: &[(f32, &[[f32; LANES]])], nth: usize, capacity: f32) -> ([u8; LANES], [u8; LANES]) {
    let (mut most, mut category) = ([capacity; LANES], [0.0; LANES]);
    for (_, times) in times {
        for lane in 0..LANES {
            most[lane] -= times[nth][lane];
        }
    }
    // Rounding must not make a rank idle, and a category without time must not win.
    for idle in &mut most {
        *idle = larger(*idle, f32::MIN_POSITIVE);
    }
    for &(kind, times) in times {
        for lane in 0..LANES {
            let time = times[nth][lane];
            // Categories are in ascending order.
            category[lane] = larger(category[lane], if time >= most[lane] { kind } else { 0.0 });
            most[lane] = larger(most[lane], time);
        }
    }
    let (mut kinds, mut shares) = ([0; LANES], [0; LANES]);
    for lane in 0..LANES {
        kinds[lane] = whole(category[lane]);
        // Twice as many steps as the page has shades. More steps would only make the page larger.
        let share = most[lane] / capacity * 63.0 + 0.5;
        let share = whole(if share < 63.0 { share } else { 63.0 });
        shares[lane] = share << 2 | share >> 4;
    }
    (kinds, shares)
}

#[inline]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The whole part of a number from 0 to 255: the low bits of a float so large that it has no fraction.
#[inline]
fn whole(number: f32) -> u8 {
    const LARGE: f32 = (1 << (f32::MANTISSA_DIGITS - 1)) as f32;
    let large = number + LARGE;
    (large.to_bits() - u32::from(large - LARGE > number)) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::activity::Activity;

    /// A log of activities: rank, category, start and end.
    fn log_of(ranks: usize, activities: &[(u32, Category, u64, u64)]) -> (ActivityLog, u64) {
        let mut log = ActivityLog::new(ranks);
        for &(rank, category, start, end) in activities {
            let (gap, duration) = (start - log.end(rank), end - start);
            log.push_event(rank, Activity { gap, duration, category, ..Activity::default() });
        }
        log.settle();
        (log, activities.len() as u64)
    }

    #[test]
    fn tiles_show_what_fills_them() {
        let tiles = Tiles::new(2);
        let end = 64 * 64_000 * 100;
        let (log, changes) = log_of(
            2,
            &[
                (0, Category::Compute, 0, end / 2),
                (0, Category::Wait, end / 2, end),
                (1, Category::Compute, 0, end / 4),
                (1, Category::Collective, end / 4, end / 4 * 3),
            ],
        );
        let levels = tiles.levels(Time::from_picos(end), &log, changes);
        let coarse = &levels[0];
        assert_eq!((coarse.columns, levels.last().unwrap().columns), (64, 512));
        assert!(levels.windows(2).all(|pair| pair[1].columns == 2 * pair[0].columns));
        let row = |row: usize| &coarse.dominant[64 * row..64 * (row + 1)];
        assert_eq!([0, 31, 32, 63].map(|at| row(0)[at]), [1, 1, 4, 4]);
        assert_eq!([0, 15, 16, 47, 48].map(|at| row(1)[at]), [1, 1, 3, 3, 0]);
        assert!(coarse.share.iter().all(|&share| share == 255));
    }

    #[test]
    fn the_end_need_not_be_known() {
        // The same from the log, and from columns that widen during the run.
        let end = 3_000_000_000_000;
        let activities: Vec<_> = (0..30_000)
            .map(|piece| {
                let category = match (piece < 10_000, piece % 3) {
                    (_, 0) => Category::Wait,
                    (true, _) => Category::Compute,
                    (false, _) => Category::PointToPoint,
                };
                (0, category, end / 30_000 * piece, end / 30_000 * (piece + 1))
            })
            .collect();
        let (log, changes) = log_of(1, &activities);
        let mut put = Tiles::new(1);
        for (rank, category, start, end) in activities {
            put.put(rank, category, start, end);
        }
        let coarse = [
            Tiles::new(1).levels(Time::from_picos(end), &log, changes).remove(0),
            put.levels(Time::from_picos(end), &ActivityLog::new(1), 0).remove(0),
        ];
        assert_eq!(coarse[0].dominant, coarse[1].dominant);
        assert!(coarse[0].share.iter().zip(&coarse[1].share).all(|(a, b)| a.abs_diff(*b) <= 1));
        assert_eq!(coarse[0].dominant[0..64], [[1; 21].as_slice(), &[2; 43]].concat());
        assert_eq!(coarse[0].share[0], 170);
    }

    #[test]
    fn many_ranks_share_rows() {
        let tiles = Tiles::new(5_000);
        assert_eq!((tiles.rows(), tiles.ranks_per_row()), (1_667, 3));
        let activities = (0..5_000).map(|rank| {
            let category = if rank % 3 == 0 { Category::Wait } else { Category::Compute };
            (rank, category, 0, 1_000_000)
        });
        let (log, changes) = log_of(5_000, &activities.collect::<Vec<_>>());
        let levels = tiles.levels(Time::from_picos(1_000_000), &log, changes);
        assert!(levels[0].dominant[..1_666 * 64].iter().all(|&category| category == 1));
        assert_eq!(levels[0].share[0], 170);
        assert_eq!(levels[0].share[1_666 * 64], 130, "the last row has two ranks");
    }
}
