//! Bytes of links in bins of time.
//!
//! All links of one bin lie side by side, since what happens at about one time is told at about one time. In the beginning bins are
//! narrow. When time runs over the last one they become twice as wide, neighbours being merged; when there are so many links
//! that all bins are too much, there are half as many as well.
//!
//! Of a message that takes many bins, the same bytes are in each but the first and the last. There it is noted where they begin and where
//! they end, so that messages that all take the whole run do not cost as many bins each.

use super::FIRST_WIDTH;

/// Room for links, in the beginning: a cache line.
const FEW: usize = 8;
/// Bins of a stretch before its last one, from which on it is long.
const LONG: u64 = 15;
/// Parts of a byte in which steady bytes are counted: whole numbers, so that what ends takes away just what began.
const PARTS: f64 = (1 << 16) as f64;

/// All bins.
#[derive(Clone)]
pub(super) struct Bins {
    /// Picoseconds of a bin: the first width times two to the power of `doubled`.
    width: u64,
    doubled: u32,
    /// Bins of a link, at most.
    row: usize,
    /// Links, and those for which there is room.
    links: usize,
    room: usize,
    /// Bytes by bin and by link, up to the last bin that was used.
    bytes: Vec<f64>,
    /// Where the bins that there are end, in picoseconds.
    end: u64,
    /// Parts of bytes of long stretches by bin and by link, from that bin on; less from where they end. None if there are no such stretches.
    steady: Vec<i64>,
    /// Bins of all links, at most.
    most: usize,
}

impl Bins {
    /// So many bins for each link, and for all of them.
    pub fn new(row: usize, most: usize) -> Bins {
        Bins {
            width: FIRST_WIDTH,
            doubled: 0,
            row: row.max(1),
            links: 0,
            room: FEW,
            bytes: Vec::new(),
            end: 0,
            steady: Vec::new(),
            most,
        }
    }

    /// Picoseconds of a bin.
    pub fn width(&self) -> u64 {
        self.width
    }

    /// There is another link.
    pub fn add_link(&mut self) {
        self.links += 1;
        while self.links * self.row > self.most && self.row > 1 {
            self.widen();
            self.row = self.row.div_ceil(2);
        }
        if self.links > self.room {
            self.make_room();
        }
    }

    /// Room for twice as many links.
    #[cold]
    fn make_room(&mut self) {
        self.settle();
        let wider = 2 * self.room;
        let mut bytes = vec![0.0; self.bytes.len() / self.room * wider];
        for (old, new) in self.bytes.chunks_exact(self.room).zip(bytes.chunks_exact_mut(wider)) {
            new[..self.room].copy_from_slice(old);
        }
        (self.bytes, self.room) = (bytes, wider);
    }

    /// Bins become so wide that they reach to `end`.
    pub fn reach(&mut self, end: u64) {
        while self.bin(end.saturating_sub(1)) >= self.row {
            self.widen();
        }
    }

    /// Adds bytes that move evenly from `start` to `end` to what crossed these links. Bins become as wide as they must.
    /// (Inlined, so that most who know how many links there are need not count them.)
    #[inline(always)]
    pub fn add(&mut self, links: &[u32], start: u64, end: u64, bytes: u64) {
        let until = if end > start { end - 1 } else { start };
        if until >= self.end {
            self.lengthen(until);
        }
        let last = self.bin(until);
        let (mut at, mut begins) = (last * self.room, last as u64 * self.width);
        if start >= begins {
            return self.add_at(at, links, real(bytes));
        }
        let per_pico = real(bytes) / real(end - start);
        self.add_at(at, links, per_pico * real(end - begins));
        let before = begins - start;
        if before > LONG * self.width {
            return self.add_long(last, links, start, per_pico);
        }
        // From the last bin back to the first.
        let inner = per_pico * real(self.width);
        while begins - start > self.width {
            (at, begins) = (at - self.room, begins - self.width);
            self.add_at(at, links, inner);
        }
        self.add_at(at - self.room, links, per_pico * real(begins - start));
    }

    /// The same for what falls into the bins before the last, which are many.
    fn add_long(&mut self, last: usize, links: &[u32], start: u64, per_pico: f64) {
        let first = self.bin(start);
        let head = per_pico * real((first as u64 + 1) * self.width - start);
        let inner = per_pico * real(self.width);
        // What whole numbers cannot say goes to the first bin.
        let steady = (inner * PARTS) as i64;
        let rest = (inner - steady as f64 / PARTS) * (last - first - 1) as f64;
        self.add_at(first * self.room, links, head + rest);
        self.steady.resize(self.bytes.len(), 0);
        for &link in links {
            self.steady[(first + 1) * self.room + link as usize] += steady;
            self.steady[last * self.room + link as usize] -= steady;
        }
    }

    /// Adds bytes to the bins of these links, where the bin begins.
    #[inline(always)]
    fn add_at(&mut self, at: usize, links: &[u32], bytes: f64) {
        for &link in links {
            self.bytes[at + link as usize] += bytes;
        }
    }

    /// Makes bins up to a time.
    #[cold]
    fn lengthen(&mut self, until: u64) {
        self.reach(until + 1);
        let bins = (self.bin(until) + 1).max(self.bytes.len() / self.room);
        self.bytes.resize(bins * self.room, 0.0);
        self.end = (bins as u64).saturating_mul(self.width);
    }

    /// Adds long stretches to the bins they take.
    fn settle(&mut self) {
        if self.steady.is_empty() {
            return;
        }
        let mut steady = vec![0; self.room];
        let bins = self.bytes.chunks_exact_mut(self.room).zip(self.steady.chunks_exact(self.room));
        for (bytes, changes) in bins {
            for ((bytes, change), steady) in bytes.iter_mut().zip(changes).zip(&mut steady) {
                *steady += change;
                *bytes += *steady as f64 / PARTS;
            }
        }
        self.steady.clear();
    }

    /// The bin that a time falls into. Widths are the first one times a power of two, so that there is nothing to divide by.
    #[inline]
    fn bin(&self, time: u64) -> usize {
        ((time / FIRST_WIDTH) >> self.doubled) as usize
    }

    /// Bins become twice as wide.
    #[cold]
    fn widen(&mut self) {
        self.settle();
        self.width *= 2;
        self.doubled += 1;
        let (room, bins) = (self.room, self.bytes.len() / self.room);
        for pair in 0..bins / 2 {
            merge(&mut self.bytes[..2 * (pair + 1) * room], pair, room);
        }
        if bins % 2 == 1 {
            self.bytes.copy_within((bins - 1) * room..bins * room, bins / 2 * room);
        }
        self.bytes.truncate(bins.div_ceil(2) * room);
        self.end = (bins.div_ceil(2) as u64).saturating_mul(self.width);
    }

    /// Of each link, its bins from the first with bytes to the last with any; and which is the first.
    pub fn rows(&self) -> Vec<(u64, Vec<f64>)> {
        (0..self.links).map(|link| trimmed(self.row(link))).collect()
    }

    /// All bins of a link.
    fn row(&self, link: usize) -> Vec<f64> {
        let bytes = self.bytes.chunks_exact(self.room).map(|bin| bin[link]);
        if self.steady.is_empty() {
            return bytes.collect();
        }
        let (mut steady, mut changes) = (0, self.steady.chunks_exact(self.room));
        let with_steady = bytes.map(|bytes| {
            steady += changes.next().map_or(0, |bin| bin[link]);
            bytes + steady as f64 / PARTS
        });
        with_steady.collect()
    }
}

/// Bins of a pair, which are the last of these, become one in its place.
fn merge(bytes: &mut [f64], pair: usize, room: usize) {
    let (before, second) = bytes.split_at_mut((2 * pair + 1) * room);
    if pair == 0 {
        return before.iter_mut().zip(second).for_each(|(sum, more)| *sum += *more);
    }
    let (before, first) = before.split_at_mut(2 * pair * room);
    let both = first.iter().zip(&*second);
    before[pair * room..].iter_mut().zip(both).for_each(|(sum, (first, second))| *sum = first + second);
}

/// Without the zeros at both ends; and how many there were in the beginning.
fn trimmed(mut row: Vec<f64>) -> (u64, Vec<f64>) {
    let used = |bytes: &f64| *bytes > 0.0;
    row.truncate(row.iter().rposition(used).map_or(0, |last| last + 1));
    let first = row.iter().position(used).unwrap_or(0);
    row.drain(..first);
    (first as u64, row)
}

/// A whole number as a real one. None here is so large that it would be a negative one; of others there is an instruction.
#[inline]
fn real(number: u64) -> f64 {
    number as i64 as f64
}
