//! Bytes of links in bins of time.
//!
//! The bins of a link are adjacent in memory. They start narrow. When time passes the last bin, all bins double in width, by merging
//! neighbours. When all links together have too many bins, the number of bins per link is halved as well.
//!
//! A transfer over many bins adds the same bytes to each but the first and the last. Only the begin and the end of these bins are stored, so
//! that a transfer that takes the whole run does not cost a step per bin.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::FIRST_WIDTH;

/// A transfer over more bins than this is long.
const LONG: u64 = 15;
/// The rate of long transfers is counted in these parts of a byte, as integers, so that the end of a transfer cancels its begin exactly.
const PARTS: f64 = (1 << 16) as f64;

/// All bins.
#[derive(Clone)]
pub(super) struct Bins {
    /// Picoseconds of a bin: the first width times two to the power of `doubled`.
    width: u64,
    doubled: u32,
    /// Bins of a link, and of all links at most.
    row: usize,
    most: usize,
    links: usize,
    /// Bytes by link and by bin.
    bytes: Vec<f64>,
    /// The end of the last bin, in picoseconds.
    end: u64,
    /// Changes of the rate of long transfers, by link and by bin. Empty if there are no long transfers.
    steady: Vec<i64>,
    /// The bytes per bin of repeated transfers, which many links share.
    shares: Vec<(u32, f64)>,
    known: FxHashMap<Often, Range<usize>>,
}

/// Bytes that move evenly from `start` to `end`, `times` times, each time `after` picoseconds later.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Often {
    pub start: u64,
    pub end: u64,
    pub bytes: u64,
    pub times: u32,
    pub after: u64,
}

/// Entries of `shares`: 1 MiB.
const MOST_SHARES: usize = 1 << 16;

/// Bins at most.
pub(super) struct Limits {
    pub per_link: usize,
    pub total: usize,
}

impl Bins {
    pub fn new(Limits { per_link, total }: Limits) -> Bins {
        let (row, most) = (per_link.max(1), total);
        let end = FIRST_WIDTH * row as u64;
        Bins {
            width: FIRST_WIDTH,
            doubled: 0,
            row,
            most,
            links: 0,
            bytes: Vec::new(),
            end,
            steady: Vec::new(),
            shares: Vec::new(),
            known: FxHashMap::default(),
        }
    }

    /// Picoseconds of a bin.
    pub fn width(&self) -> u64 {
        self.width
    }

    /// Adds a link.
    pub fn add_link(&mut self) {
        self.links += 1;
        while self.links * self.row > self.most && self.row > 1 {
            self.widen();
            self.shorten();
        }
        self.bytes.resize(self.links * self.row, 0.0);
    }

    /// Halves the number of bins per link; the upper half is empty.
    fn shorten(&mut self) {
        let short = self.row.div_ceil(2);
        for link in 0..self.bytes.len() / self.row {
            self.bytes.copy_within(link * self.row..link * self.row + short, link * short);
        }
        self.bytes.truncate(self.bytes.len() / self.row * short);
        self.row = short;
        self.end = self.width.saturating_mul(short as u64);
    }

    /// Widens bins until they reach `end`.
    pub fn reach(&mut self, end: u64) {
        while self.end < end {
            self.widen();
        }
    }

    /// Adds bytes that move evenly over `time` to these links. It is inlined because most callers know the number of links at compile time.
    #[inline(always)]
    pub fn add(&mut self, links: &[u32], time: Range<u64>, bytes: u64) {
        let Range { start, end } = time;
        let until = if end > start { end - 1 } else { start };
        if until >= self.end {
            self.reach(until + 1);
        }
        let last = self.bin(until);
        let (mut bin, mut begins) = (last, last as u64 * self.width);
        if start >= begins {
            return self.add_at(bin, links, real(bytes));
        }
        let per_pico = real(bytes) / real(end - start);
        self.add_at(bin, links, per_pico * real(end - begins));
        let before = begins - start;
        if before > LONG * self.width {
            return self.add_long(last, links, start, per_pico);
        }
        // From the last bin back to the first.
        let inner = per_pico * real(self.width);
        while begins - start > self.width {
            (bin, begins) = (bin - 1, begins - self.width);
            self.add_at(bin, links, inner);
        }
        self.add_at(bin - 1, links, per_pico * real(begins - start));
    }

    /// Adds repeated transfers to these links.
    pub fn add_often(&mut self, links: &[u32], often: Often) {
        let Often { start, end, bytes, times, after } = often;
        self.reach(end.saturating_add(after.saturating_mul(u64::from(times).saturating_sub(1))));
        if end.saturating_sub(start) > LONG * self.width {
            let starts = (0..u64::from(times)).map(|time| start + time * after);
            return starts.for_each(|again| self.add(links, again..again + (end - start), bytes));
        }
        let shares = self.shares_of(often);
        for &link in links {
            let row = &mut self.bytes[link as usize * self.row..][..self.row];
            for &(bin, bytes) in &self.shares[shares.clone()] {
                row[bin as usize] += bytes;
            }
        }
    }

    /// The place in `shares` of repeated transfers.
    fn shares_of(&mut self, often: Often) -> Range<usize> {
        if let Some(known) = self.known.get(&often) {
            return known.clone();
        }
        if self.shares.len() > MOST_SHARES {
            self.forget();
        }
        let from = self.shares.len();
        often.share(self.width, self.doubled, &mut self.shares);
        self.known.insert(often, from..self.shares.len());
        from..self.shares.len()
    }

    fn forget(&mut self) {
        self.shares.clear();
        self.known.clear();
    }

    /// Adds the part of a long transfer that falls into the bins before the last.
    fn add_long(&mut self, last: usize, links: &[u32], start: u64, per_pico: f64) {
        let first = self.bin(start);
        let head = per_pico * real((first as u64 + 1) * self.width - start);
        let inner = per_pico * real(self.width);
        // The first bin gets the rounding error.
        let steady = (inner * PARTS) as i64;
        let rest = (inner - steady as f64 / PARTS) * (last - first - 1) as f64;
        self.add_at(first, links, head + rest);
        self.steady.resize(self.bytes.len(), 0);
        for &link in links {
            self.steady[link as usize * self.row + first + 1] += steady;
            self.steady[link as usize * self.row + last] -= steady;
        }
    }

    /// Adds bytes to a bin of these links.
    #[inline(always)]
    fn add_at(&mut self, bin: usize, links: &[u32], bytes: f64) {
        for &link in links {
            self.bytes[link as usize * self.row + bin] += bytes;
        }
    }

    /// Adds long transfers to their bins.
    fn settle(&mut self) {
        let rows = self.bytes.chunks_exact_mut(self.row).zip(self.steady.chunks_exact(self.row));
        for (bytes, changes) in rows {
            add_steady(bytes, changes);
        }
        self.steady.clear();
    }

    #[inline]
    fn bin(&self, time: u64) -> usize {
        bin(time, self.doubled)
    }

    /// Doubles the width of bins.
    #[cold]
    fn widen(&mut self) {
        self.settle();
        self.forget();
        self.width *= 2;
        self.doubled += 1;
        self.end = self.width.saturating_mul(self.row as u64);
        for row in self.bytes.chunks_exact_mut(self.row) {
            let half = row.len().div_ceil(2);
            for bin in 0..half {
                row[bin] = row[2 * bin] + row.get(2 * bin + 1).unwrap_or(&0.0);
            }
            row[half..].fill(0.0);
        }
    }

    /// The bins of each link, without empty ones at both ends; and the number of the first of these.
    pub fn rows(&self) -> Vec<(u64, Vec<f64>)> {
        (0..self.links).map(|link| self.used_row(link)).collect()
    }

    fn used_row(&self, link: usize) -> (u64, Vec<f64>) {
        let mut row = self.bytes[link * self.row..][..self.row].to_vec();
        if let Some(changes) = self.steady.get(link * self.row..(link + 1) * self.row) {
            add_steady(&mut row, changes);
        }
        let used = |bytes: &f64| *bytes > 0.0;
        row.truncate(row.iter().rposition(used).map_or(0, |last| last + 1));
        let first = row.iter().position(used).unwrap_or(0);
        row.drain(..first);
        (first as u64, row)
    }
}

/// The bin of a time, for bins whose width has doubled so often: a shift instead of a division by the width.
#[inline]
fn bin(time: u64, doubled: u32) -> usize {
    ((time / FIRST_WIDTH) >> doubled) as usize
}

impl Often {
    /// The bytes of each bin, for bins of this width, which has doubled so often.
    fn share(self, width: u64, doubled: u32, shares: &mut Vec<(u32, f64)>) {
        let Often { mut start, end, bytes, times, after } = self;
        let (mut end, bytes) = (end.max(start), real(bytes));
        let per_pico = if end > start { bytes / real(end - start) } else { 0.0 };
        let mut left = u64::from(times);
        while left > 0 {
            let mut at = bin(end.saturating_sub(1).max(start), doubled) as u32;
            let mut begins = u64::from(at) * width;
            let mut together = 1;
            if start >= begins {
                // All repetitions that lie within the bin.
                let room = begins + width - end;
                if room >= after {
                    together = (room.checked_div(after).unwrap_or(left) + 1).min(left);
                }
                shares.push((at, bytes * real(together)));
            } else {
                shares.push((at, per_pico * real(end - begins)));
                while begins - start > width {
                    (at, begins) = (at - 1, begins - width);
                    shares.push((at, per_pico * real(width)));
                }
                shares.push((at - 1, per_pico * real(begins - start)));
            }
            left -= together;
            (start, end) = (start + together * after, end + together * after);
        }
    }
}

/// Adds long transfers to the bins of a link.
fn add_steady(bytes: &mut [f64], changes: &[i64]) {
    let mut steady = 0;
    for (bytes, change) in bytes.iter_mut().zip(changes) {
        steady += change;
        *bytes += steady as f64 / PARTS;
    }
}

/// An integer as a floating-point number. None here is so large that its sign bit is set, and signed integers convert in one
/// instruction.
#[inline]
fn real(number: u64) -> f64 {
    number as i64 as f64
}
