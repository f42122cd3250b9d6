//! What ranks did when, in tiles: a row for each rank or group of ranks, a column for each stretch of time.
//!
//! How long a run takes is not known before it is over. The columns of a row start narrow and become twice as wide, neighbours
//! being merged, whenever time runs over the last one. In the end they are laid anew over the time that there was, and
//! coarser levels are made from finer ones.
//!
//! Rows are many and long, and ranks take turns: what a rank does is noted first and put into its row a few dozen
//! stretches at a time, while the row is at hand.

use crate::Category;
use crate::category::CATEGORIES;

/// Rows at most; more ranks share rows.
const MOST_ROWS: u32 = 2_048;
/// Columns of the finest level, at most.
const MOST_COLUMNS: usize = 4_096;
/// And at least.
const LEAST_COLUMNS: usize = 512;
/// Tiles of the finest level, about.
const TILES: usize = 1 << 20;
/// Columns of the coarsest level.
const COARSEST: usize = 64;
/// Picoseconds of a column in the beginning: narrower ones would only cost time, for what is so short is shown call by call.
const FIRST_WIDTH: u64 = NANO << 6;
const NANO: u64 = 1_000;

/// Stretches that are put into a row at once.
const AT_ONCE: usize = 24;

/// Time of a tile, in picoseconds, for each category but idleness.
type Tile = [f32; CATEGORIES - 1];

/// What ranks did when.
pub(crate) struct Tiles {
    ranks: u32,
    rows: u32,
    ranks_per_row: u32,
    /// Columns while recording, twice those of the finest level.
    columns: usize,
    /// Picoseconds of a column, by row.
    widths: Vec<u64>,
    tiles: Vec<Tile>,
    /// What has been noted of each rank.
    noted: Vec<Noted>,
}

/// Stretches of a rank's time that are not in its row yet.
#[derive(Clone, Default)]
struct Noted {
    count: u32,
    stretches: [Stretch; AT_ONCE],
}

#[derive(Clone, Copy, Default)]
struct Stretch {
    start: u64,
    /// It ends so much later; nothing noted is longer.
    lasts: u32,
    category: u8,
}

/// All tiles at one width.
#[derive(Debug, PartialEq)]
pub(crate) struct Level {
    pub columns: usize,
    /// The category that fills most of each tile, row by row.
    pub dominant: Vec<u8>,
    /// How much of the tile, from 0 to 255.
    pub share: Vec<u8>,
}

impl Tiles {
    pub fn new(ranks: u32) -> Tiles {
        let ranks_per_row = ranks.div_ceil(MOST_ROWS).max(1);
        let rows = ranks.div_ceil(ranks_per_row);
        let finest =
            (TILES / rows.max(1) as usize).max(1).next_power_of_two().clamp(LEAST_COLUMNS, MOST_COLUMNS);
        let columns = 2 * finest;
        let tiles = vec![Tile::default(); rows as usize * columns];
        let (widths, noted) = (vec![FIRST_WIDTH; rows as usize], vec![Noted::default(); ranks as usize]);
        Tiles { ranks, rows, ranks_per_row, columns, widths, tiles, noted }
    }

    pub fn rows(&self) -> u32 {
        self.rows
    }

    pub fn ranks_per_row(&self) -> u32 {
        self.ranks_per_row
    }

    /// A rank did something from `start` to `end`, in picoseconds.
    #[inline]
    pub fn add(&mut self, rank: u32, category: Category, start: u64, end: u64) {
        if end <= start || category == Category::Idle {
            return;
        }
        let noted = &mut self.noted[rank as usize];
        let Ok(lasts) = u32::try_from(end - start) else {
            self.put(rank, category as u8, start, end);
            return;
        };
        noted.stretches[noted.count as usize] = Stretch { start, lasts, category: category as u8 };
        noted.count += 1;
        if noted.count as usize == AT_ONCE {
            self.settle(rank);
        }
    }

    /// Puts what has been noted of a rank into its row.
    fn settle(&mut self, rank: u32) {
        let count = std::mem::take(&mut self.noted[rank as usize].count);
        for at in 0..count as usize {
            let Stretch { start, lasts, category } = self.noted[rank as usize].stretches[at];
            self.put(rank, category, start, start + u64::from(lasts));
        }
    }

    fn put(&mut self, rank: u32, category: u8, start: u64, end: u64) {
        let row = (rank / self.ranks_per_row) as usize;
        if end > self.widths[row] * self.columns as u64 {
            self.widen(row, end);
        }
        let (width, kind) = (self.widths[row], usize::from(category) - 1);
        let tiles = &mut self.tiles[row * self.columns..][..self.columns];
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

    /// The columns of a row become so much wider that they reach to `end`.
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

    /// The levels of a run that lasted until `end`, the coarsest first.
    pub fn levels(&mut self, end: u64) -> Vec<Level> {
        for rank in 0..self.ranks {
            self.settle(rank);
        }
        let mut columns = self.columns / 2;
        let mut tiles = self.laid_over(end, columns);
        let mut levels = vec![self.level(&tiles, columns, end)];
        while columns > COARSEST {
            columns /= 2;
            tiles = tiles.chunks_exact(2).map(|pair| sum(pair[0], pair[1])).collect();
            levels.push(self.level(&tiles, columns, end));
        }
        levels.reverse();
        levels
    }

    /// So many columns from zero to `end`.
    fn laid_over(&self, end: u64, columns: usize) -> Vec<Tile> {
        let mut laid = vec![Tile::default(); self.rows as usize * columns];
        if end == 0 {
            return laid;
        }
        let rows = self.tiles.chunks_exact(self.columns).zip(&self.widths);
        for ((row, &width), out) in rows.zip(laid.chunks_exact_mut(columns)) {
            // In units of the recorded columns.
            let wide = end as f64 / width as f64 / columns as f64;
            for (at, out) in out.iter_mut().enumerate() {
                let (from, to) = (at as f64 * wide, (at + 1) as f64 * wide);
                let mut column = from as usize;
                while (column as f64) < to && column < row.len() {
                    let part = to.min((column + 1) as f64) - from.max(column as f64);
                    for (out, time) in out.iter_mut().zip(row[column]) {
                        *out += time * part as f32;
                    }
                    column += 1;
                }
            }
        }
        laid
    }

    fn level(&self, tiles: &[Tile], columns: usize, end: u64) -> Level {
        let wide = end as f64 / columns as f64;
        let mut level = Level { columns, dominant: Vec::new(), share: Vec::new() };
        for (row, tiles) in (0..self.rows).zip(tiles.chunks_exact(columns)) {
            let ranks = self.ranks_per_row.min(self.ranks - row * self.ranks_per_row);
            let capacity = (wide * f64::from(ranks)) as f32;
            for tile in tiles {
                let (category, share) = dominant(tile, capacity);
                level.dominant.push(category);
                level.share.push(share);
            }
        }
        level
    }
}

fn sum(a: Tile, b: Tile) -> Tile {
    std::array::from_fn(|kind| a[kind] + b[kind])
}

/// The category that fills most of a tile, and how much of it in 255ths.
fn dominant(tile: &Tile, capacity: f32) -> (u8, u8) {
    let busy: f32 = tile.iter().sum();
    let (mut category, mut most) = (0, capacity - busy);
    for (kind, &time) in (1..).zip(tile) {
        // Rounding makes nobody idle who is not.
        if time > 0.0 && time >= most {
            (category, most) = (kind, time);
        }
    }
    let share = if capacity > 0.0 { most / capacity } else { 1.0 };
    (category, (share.clamp(0.0, 1.0) * 255.0).round() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_show_what_fills_them() {
        let mut tiles = Tiles::new(2);
        let end = 64 * 64_000 * 100;
        tiles.add(0, Category::Compute, 0, end / 2);
        tiles.add(0, Category::Wait, end / 2, end);
        tiles.add(1, Category::Collective, end / 4, end / 4 * 3);
        let levels = tiles.levels(end);
        let coarse = &levels[0];
        assert_eq!((coarse.columns, levels.last().unwrap().columns), (64, 4_096));
        assert!(levels.windows(2).all(|pair| pair[1].columns == 2 * pair[0].columns));
        let row = |row: usize| &coarse.dominant[64 * row..64 * (row + 1)];
        assert_eq!([0, 31, 32, 63].map(|at| row(0)[at]), [1, 1, 4, 4]);
        assert_eq!([0, 15, 16, 47, 48].map(|at| row(1)[at]), [0, 0, 3, 3, 0]);
        assert!(coarse.share.iter().all(|&share| share == 255));
    }

    #[test]
    fn the_end_need_not_be_known() {
        // The same, told at once and in small pieces while columns widen.
        let (mut whole, mut pieces) = (Tiles::new(1), Tiles::new(1));
        let end = 3_000_000_000_000;
        whole.add(0, Category::Compute, 0, end / 3);
        whole.add(0, Category::PointToPoint, end / 3, end);
        for piece in 0..30_000 {
            let category = if piece < 10_000 { Category::Compute } else { Category::PointToPoint };
            pieces.add(0, category, end / 30_000 * piece, end / 30_000 * (piece + 1));
        }
        let (whole, pieces) = (whole.levels(end), pieces.levels(end));
        assert!(whole.iter().zip(&pieces).all(|(a, b)| a.dominant == b.dominant));
        assert_eq!(whole[0].dominant[0..64], [[1; 21].as_slice(), &[2; 43]].concat());
        assert_eq!(whole[0].share[0], 255);
    }

    #[test]
    fn many_ranks_share_rows() {
        let mut tiles = Tiles::new(5_000);
        assert_eq!((tiles.rows(), tiles.ranks_per_row()), (1_667, 3));
        for rank in 0..5_000 {
            let category = if rank % 3 == 0 { Category::Wait } else { Category::Compute };
            tiles.add(rank, category, 0, 1_000_000);
        }
        let levels = tiles.levels(1_000_000);
        assert!(levels[0].dominant[..1_666 * 64].iter().all(|&category| category == 1));
        assert_eq!(levels[0].share[0], 170);
        assert_eq!(levels[0].share[1_666 * 64], 128, "the last row has two ranks");
    }
}
