//! Bytes of links in bins of time.
//!
//! Each link has a row of bins, all rows are equally long and lie one after the other: to add to a bin, nothing has to be looked
//! up. In the beginning bins are narrow. When time runs over the last one they become twice as wide, neighbours being merged;
//! when there are so many links that all rows are too much, rows become half as long as well.

use super::FIRST_WIDTH;

/// All bins.
pub(super) struct Bins {
    /// Picoseconds of a bin: the first width times a power of two.
    width: u64,
    /// Bins of a link.
    row: usize,
    /// Bytes by link and by bin.
    bytes: Vec<f64>,
    /// Bins of all links, at most.
    most: usize,
}

/// Bytes of a message in bins one after the other.
#[derive(Clone, Copy)]
pub(super) struct Stretch {
    first: usize,
    last: usize,
    /// In the first bin.
    head: f64,
    /// In each between.
    inner: f64,
    /// In the last, if that is another.
    tail: f64,
}

impl Bins {
    /// So many bins for each link, and for all of them.
    pub fn new(row: usize, most: usize) -> Bins {
        Bins { width: FIRST_WIDTH, row: row.max(1), bytes: Vec::new(), most }
    }

    /// Picoseconds of a bin.
    pub fn width(&self) -> u64 {
        self.width
    }

    /// There is another link.
    pub fn add_link(&mut self) {
        self.bytes.resize(self.bytes.len() + self.row, 0.0);
        while self.bytes.len() > self.most && self.row > 1 {
            self.widen();
            self.shorten();
        }
    }

    /// How bytes that move evenly from `start` to `end` fall into bins, which become as wide as they must.
    #[inline]
    pub fn cut(&mut self, start: u64, end: u64, bytes: f64) -> Stretch {
        let until = if end > start { end - 1 } else { start };
        while self.bin(until) >= self.row {
            self.widen();
        }
        let (first, last) = (self.bin(start), self.bin(until));
        if first == last {
            return Stretch { first, last, head: bytes, inner: 0.0, tail: 0.0 };
        }
        let per_pico = bytes / (end - start) as f64;
        Stretch {
            first,
            last,
            head: per_pico * ((first as u64 + 1) * self.width - start) as f64,
            inner: per_pico * self.width as f64,
            tail: per_pico * (end - last as u64 * self.width) as f64,
        }
    }

    /// Adds bytes to what crossed a link.
    #[inline]
    pub fn add(&mut self, link: usize, bytes: Stretch) {
        let Stretch { first, last, head, inner, tail } = bytes;
        let row = &mut self.bytes[link * self.row..][..self.row];
        row[first] += head;
        if first != last {
            row[first + 1..last].iter_mut().for_each(|bin| *bin += inner);
            row[last] += tail;
        }
    }

    /// Bytes that start to move at this time will be added to a link soon.
    #[inline]
    pub fn expect(&self, link: usize, time: u64) {
        if let Some(bin) = self.bytes.get(link * self.row + self.bin(time)) {
            mpirage_cache::fetch(bin);
        }
    }

    /// The bin that a time falls into. Widths are the first one times a power of two, so that there is nothing to divide by.
    #[inline]
    fn bin(&self, time: u64) -> usize {
        ((time / FIRST_WIDTH) >> (self.width / FIRST_WIDTH).trailing_zeros()) as usize
    }

    /// Bins become twice as wide.
    #[cold]
    fn widen(&mut self) {
        self.width *= 2;
        for row in self.bytes.chunks_exact_mut(self.row) {
            let half = row.len().div_ceil(2);
            for pair in 0..half {
                row[pair] = row[2 * pair] + row.get(2 * pair + 1).copied().unwrap_or(0.0);
            }
            row[half..].fill(0.0);
        }
    }

    /// Rows become half as long. Their second halves are empty.
    fn shorten(&mut self) {
        let (links, long, short) = (self.bytes.len() / self.row, self.row, self.row.div_ceil(2));
        for link in 1..links {
            self.bytes.copy_within(link * long..link * long + short, link * short);
        }
        self.bytes.truncate(links * short);
        self.row = short;
    }

    /// Of each link, its bins from the first with bytes to the last with any; and which is the first.
    pub fn rows(&self) -> impl Iterator<Item = (u64, &[f64])> {
        self.bytes.chunks_exact(self.row).map(|row| {
            let first = row.iter().position(|&bytes| bytes > 0.0).unwrap_or(0);
            let end = row.iter().rposition(|&bytes| bytes > 0.0).map_or(first, |last| last + 1);
            (first as u64, &row[first..end])
        })
    }
}
