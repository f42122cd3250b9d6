//! What ranks did when, in tiles: a row for each rank or group of ranks, a column for each stretch of time.
//!
//! What a rank did is noted stretch by stretch, and laid out over the columns when the run is over. Of runs that are too long
//! for that, what has been noted is put into columns on the way. How long such a run takes is not known then: the columns of a
//! row start narrow and become twice as wide, neighbours being merged, whenever time runs over the last one. In the end they
//! are laid anew over the time that there was. Coarser levels are made from finer ones.

use crate::Category;
use crate::category::CATEGORIES;
use crate::tapes::{Tape, Tapes};

/// Rows at most; more ranks share rows.
const MOST_ROWS: u32 = 2_048;
/// Columns of the finest level, at most.
const MOST_COLUMNS: usize = 4_096;
/// And at least.
const LEAST_COLUMNS: usize = 512;
/// Tiles of the finest level, about.
const TILES: usize = 1 << 20;
/// Columns of the finest level for each stretch of a row that was noted one by one: every call is shown from nearer.
const PER_STRETCH: usize = 2;
/// Columns of the coarsest level.
const COARSEST: usize = 64;
/// Picoseconds of a column in the beginning: narrower ones would only cost time, for what is so short is shown call by call.
const FIRST_WIDTH: u64 = NANO << 6;
const NANO: u64 = 1_000;

/// Stretches that are noted before they are put into rows, of all ranks together: some 10 MiB.
const NOTED: u32 = 1 << 21;
/// And of one rank, at least and at most.
const NOTED_OF_RANK: (u32, u32) = (24, 1 << 20);

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
    /// None as long as all that ranks did is noted.
    tiles: Vec<Tile>,
    /// What has been noted of each rank.
    noted: Vec<Noted>,
    tapes: Tapes,
    most_noted: u32,
}

/// Stretches of a rank's time that are not in its row yet. Each begins where the one before ends.
#[derive(Clone, Copy, Default)]
struct Noted {
    start: u64,
    /// The last, which may become longer yet.
    last: u64,
    /// The others: how long each lasts, and in the last three bits what it is.
    tape: Tape,
    count: u32,
}

const CATEGORY_BITS: u32 = 3;
const CATEGORY: u64 = (1 << CATEGORY_BITS) - 1;

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
        let (widths, noted) = (vec![FIRST_WIDTH; rows as usize], vec![Noted::default(); ranks as usize]);
        let most_noted = (NOTED / ranks.max(1)).clamp(NOTED_OF_RANK.0, NOTED_OF_RANK.1);
        Tiles {
            ranks,
            rows,
            ranks_per_row,
            columns,
            widths,
            tiles: Vec::new(),
            noted,
            tapes: Tapes::new(),
            most_noted,
        }
    }

    pub fn rows(&self) -> u32 {
        self.rows
    }

    pub fn ranks_per_row(&self) -> u32 {
        self.ranks_per_row
    }

    /// Something that this rank did will be told of soon.
    #[inline]
    pub fn expect(&self, rank: u32) {
        mpirage_cache::fetch(&self.noted[rank as usize]);
    }

    /// And very soon.
    #[inline]
    pub fn expect_end(&self, rank: u32) {
        self.tapes.expect(self.noted[rank as usize].tape);
    }

    /// A rank did something for so many picoseconds, from where it was told of last.
    #[inline]
    pub fn add(&mut self, rank: u32, category: Category, lasts: u64) {
        let noted = &mut self.noted[rank as usize];
        if noted.last & CATEGORY == category as u64 {
            noted.last += lasts << CATEGORY_BITS;
            return;
        }
        let last = std::mem::replace(&mut noted.last, lasts << CATEGORY_BITS | category as u64);
        self.tapes.put(&mut noted.tape, last);
        noted.count += 1;
        if noted.count == self.most_noted {
            self.settle(rank);
        }
    }

    /// Category, start and end of each stretch that has been noted of a rank.
    fn stretches(&self, rank: u32) -> impl Iterator<Item = (u8, u64, u64)> {
        let Noted { start, last, tape, .. } = self.noted[rank as usize];
        self.tapes.read(tape).chain([last]).scan(start, |now, stretch| {
            let start = *now;
            *now += stretch >> CATEGORY_BITS;
            Some(((stretch & CATEGORY) as u8, start, *now))
        })
    }

    /// Puts what has been noted of a rank into its row.
    #[cold]
    fn settle(&mut self, rank: u32) {
        if self.tiles.is_empty() {
            self.tiles = vec![Tile::default(); self.rows as usize * self.columns];
        }
        let mut start = self.noted[rank as usize].start;
        for (category, from, end) in self.stretches(rank).collect::<Vec<_>>() {
            if category != Category::Idle as u8 {
                self.put(rank, category, from, end);
            }
            start = end;
        }
        let noted = &mut self.noted[rank as usize];
        self.tapes.clear(&mut noted.tape);
        *noted = Noted { start, ..Noted::default() };
    }

    fn put(&mut self, rank: u32, category: u8, start: u64, end: u64) {
        let row = (rank / self.ranks_per_row) as usize;
        if end > self.widths[row] * self.columns as u64 {
            self.widen(row, end);
        }
        let (width, kind) = (self.widths[row], usize::from(category) - 1);
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
        if !self.tiles.is_empty() {
            (0..self.ranks).for_each(|rank| self.settle(rank));
        }
        let widest = self.finest();
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
                true => self.lay_out(at, end, &mut row),
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

    /// Columns of the finest level: no more than it takes to tell apart what ranks did.
    fn finest(&self) -> usize {
        let most = self.columns / 2;
        if !self.tiles.is_empty() {
            return most;
        }
        let noted: u64 = self.noted.iter().map(|noted| u64::from(noted.count)).sum();
        let of_row = noted / u64::from(self.rows.max(1));
        (PER_STRETCH * of_row as usize).next_power_of_two().clamp(LEAST_COLUMNS.min(most), most)
    }

    /// What the ranks of a row did, in columns from zero to `end`.
    fn lay_out(&self, row: u32, end: u64, out: &mut Row) {
        let (columns, wide) = (out.columns(), end as f64 / out.columns() as f64);
        let ranks = row * self.ranks_per_row..self.ranks.min((row + 1) * self.ranks_per_row);
        for (category, start, end) in ranks.flat_map(|rank| self.stretches(rank)) {
            if category == Category::Idle as u8 || end == start {
                continue;
            }
            let times = &mut out.times[usize::from(category) - 1];
            let (from, to) = (start as f64 / wide, end as f64 / wide);
            let (first, last) = (from as usize, (to as usize).min(columns - 1));
            if first >= last {
                times[last] += (end - start) as f32;
                continue;
            }
            times[first] += ((first + 1) as f64 * wide - start as f64) as f32;
            for time in &mut times[first + 1..last] {
                *time += wide as f32;
            }
            times[last] += (end as f64 - last as f64 * wide) as f32;
        }
    }

    /// What has been put into the columns of a row, in columns from zero to `end`.
    fn lay_anew(&self, row: u32, end: u64, out: &mut Row) {
        let width = self.widths[row as usize];
        let row = &self.tiles[row as usize * self.columns..][..self.columns];
        // In units of the recorded columns.
        let wide = end as f64 / width as f64 / out.columns() as f64;
        for at in 0..out.columns() {
            let (from, to) = (at as f64 * wide, (at + 1) as f64 * wide);
            let mut column = from as usize;
            while (column as f64) < to && column < row.len() {
                let part = to.min((column + 1) as f64) - from.max(column as f64);
                for (out, time) in out.times.iter_mut().zip(row[column]) {
                    out[at] += time * part as f32;
                }
                column += 1;
            }
        }
    }
}

impl Level {
    fn new(columns: usize, rows: u32) -> Level {
        let room = columns * rows as usize;
        Level { columns, dominant: Vec::with_capacity(room), share: Vec::with_capacity(room) }
    }

    /// Adds a row; a tile that is full holds `capacity` picoseconds.
    fn push(&mut self, row: &Row, capacity: f64) {
        let (done, columns, capacity) = (self.dominant.len(), row.columns(), capacity as f32);
        self.dominant.resize(done + columns, 0);
        self.share.resize(done + columns, 0);
        let tiles = self.dominant[done..].chunks_mut(LANES).zip(self.share[done..].chunks_mut(LANES));
        for (nth, (kinds, shares)) in tiles.enumerate() {
            let from = nth * LANES;
            let times = row.times.each_ref().map(|times| lanes(&times[from..]));
            let (kind, share) = dominant(&times, capacity);
            kinds.copy_from_slice(&kind[..kinds.len()]);
            shares.copy_from_slice(&share[..shares.len()]);
        }
    }
}

/// Tiles that are looked at together.
const LANES: usize = 16;

/// The first of these, and nothing where there are no more.
#[inline]
fn lanes(times: &[f32]) -> [f32; LANES] {
    match times.first_chunk() {
        Some(lanes) => *lanes,
        None => std::array::from_fn(|lane| times.get(lane).copied().unwrap_or(0.0)),
    }
}

/// What ranks of one row did: for each category but idleness, its time in each column.
#[derive(Default)]
struct Row {
    times: [Vec<f32>; CATEGORIES - 1],
}

impl Row {
    fn columns(&self) -> usize {
        self.times[0].len()
    }

    /// So many columns, and nothing in them.
    fn clear(&mut self, columns: usize) {
        for times in &mut self.times {
            times.clear();
            times.resize(columns, 0.0);
        }
    }

    /// Makes one of two neighbours each.
    fn halve(&mut self) {
        for times in &mut self.times {
            for at in 0..times.len() / 2 {
                times[at] = times[2 * at] + times[2 * at + 1];
            }
            times.truncate(times.len() / 2);
        }
    }
}

fn sum(a: Tile, b: Tile) -> Tile {
    std::array::from_fn(|kind| a[kind] + b[kind])
}

/// The category that fills most of each tile, and how much of it, from 0 to 255. Without branches, for many tiles at once.
#[inline]
fn dominant(times: &[[f32; LANES]; CATEGORIES - 1], capacity: f32) -> ([u8; LANES], [u8; LANES]) {
    let mut most = [capacity; LANES];
    for times in times {
        for lane in 0..LANES {
            most[lane] -= times[lane];
        }
    }
    let mut category = [0_i32; LANES];
    for (kind, times) in (1..).zip(times) {
        for lane in 0..LANES {
            // Rounding makes nobody idle who is not.
            let more = (times[lane] > 0.0) & (times[lane] >= most[lane]);
            category[lane] = if more { kind } else { category[lane] };
            most[lane] = if more { times[lane] } else { most[lane] };
        }
    }
    // Without capacity this is no number, and no share.
    let share = most.map(|most| (most / capacity * 255.0 + 0.5).clamp(0.0, 255.0) as u8);
    (category.map(|kind| kind as u8), share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_show_what_fills_them() {
        let mut tiles = Tiles::new(2);
        let end = 64 * 64_000 * 100;
        tiles.add(0, Category::Compute, end / 2);
        tiles.add(0, Category::Wait, end / 2);
        tiles.add(1, Category::Idle, end / 4);
        tiles.add(1, Category::Collective, end / 2);
        let levels = tiles.levels(end);
        let coarse = &levels[0];
        assert_eq!((coarse.columns, levels.last().unwrap().columns), (64, 512));
        assert!(levels.windows(2).all(|pair| pair[1].columns == 2 * pair[0].columns));
        let row = |row: usize| &coarse.dominant[64 * row..64 * (row + 1)];
        assert_eq!([0, 31, 32, 63].map(|at| row(0)[at]), [1, 1, 4, 4]);
        assert_eq!([0, 15, 16, 47, 48].map(|at| row(1)[at]), [0, 0, 3, 3, 0]);
        assert!(coarse.share.iter().all(|&share| share == 255));
    }

    #[test]
    fn the_end_need_not_be_known() {
        // The same, noted to the end and put into columns that widen on the way.
        let (mut noted, mut put) = (Tiles::new(1), Tiles::new(1));
        put.most_noted = 24;
        let end = 3_000_000_000_000;
        for piece in 0..30_000 {
            let category = match (piece < 10_000, piece % 3) {
                (_, 0) => Category::Wait,
                (true, _) => Category::Compute,
                (false, _) => Category::PointToPoint,
            };
            noted.add(0, category, end / 30_000);
            put.add(0, category, end / 30_000);
        }
        assert!(noted.tiles.is_empty() && !put.tiles.is_empty());
        let (noted, put) = (noted.levels(end), put.levels(end));
        let coarse = [&noted[0], &put[0]];
        assert_eq!(coarse[0].dominant, coarse[1].dominant);
        assert!(coarse[0].share.iter().zip(&coarse[1].share).all(|(a, b)| a.abs_diff(*b) <= 1));
        assert_eq!(coarse[0].dominant[0..64], [[1; 21].as_slice(), &[2; 43]].concat());
        assert_eq!(coarse[0].share[0], 170);
    }

    #[test]
    fn many_ranks_share_rows() {
        let mut tiles = Tiles::new(5_000);
        assert_eq!((tiles.rows(), tiles.ranks_per_row()), (1_667, 3));
        for rank in 0..5_000 {
            let category = if rank % 3 == 0 { Category::Wait } else { Category::Compute };
            tiles.add(rank, category, 1_000_000);
        }
        let levels = tiles.levels(1_000_000);
        assert!(levels[0].dominant[..1_666 * 64].iter().all(|&category| category == 1));
        assert_eq!(levels[0].share[0], 170);
        assert_eq!(levels[0].share[1_666 * 64], 128, "the last row has two ranks");
    }
}
