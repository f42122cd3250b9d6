//! Bytes of links in bins of time.
//!
//! In the beginning bins are narrow. When time runs over the last one they become twice as wide, neighbours being merged; when there are
//! so many links that all bins are too much, there are half as many as well.

use super::FIRST_WIDTH;

/// Bins of a cache line.
const LINE: usize = 8;

/// All bins.
pub(super) struct Bins {
    /// Picoseconds of a bin: the first width times two to the power of `doubled`.
    width: u64,
    doubled: u32,
    /// Bins of a link, at most; and from one link to the next.
    row: usize,
    stride: usize,
    /// Bins that have been used.
    used: usize,
    links: usize,
    /// Bytes by link and by bin.
    bytes: Vec<f64>,
    /// Bins of all links, at most.
    most: usize,
}

/// Bytes of a message in bins one after the other.
#[derive(Clone, Copy)]
pub(super) struct Stretch {
    first: usize,
    bins: usize,
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
        let row = row.max(1);
        Bins {
            width: FIRST_WIDTH,
            doubled: 0,
            row,
            stride: stride(row),
            used: 0,
            links: 0,
            bytes: Vec::new(),
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
            self.shorten();
        }
        self.bytes.resize(self.links * self.stride, 0.0);
    }

    /// Bins become twice as wide, and half as many.
    #[cold]
    fn shorten(&mut self) {
        self.widen();
        self.row = self.row.div_ceil(2);
        let old = std::mem::replace(&mut self.stride, stride(self.row));
        for link in 0..self.links.min(self.bytes.len() / old) {
            self.bytes.copy_within(link * old..link * old + self.row, link * self.stride);
            self.bytes[link * self.stride + self.row..(link + 1) * self.stride].fill(0.0);
        }
        self.bytes.truncate((self.links - 1) * self.stride);
    }

    /// Bins become so wide that they reach to `end`.
    pub fn reach(&mut self, end: u64) {
        while self.bin(end.saturating_sub(1)) >= self.row {
            self.widen();
        }
    }

    /// How bytes that move evenly from `start` to `end` fall into bins, which become as wide as they must.
    #[inline]
    pub fn cut(&mut self, start: u64, end: u64, bytes: f64) -> Stretch {
        let until = if end > start { end - 1 } else { start };
        let mut last = self.bin(until);
        if last >= self.used {
            last = self.lengthen(until);
        }
        let first = self.bin(start);
        if first == last {
            return Stretch { first, bins: 1, head: bytes, inner: 0.0, tail: 0.0 };
        }
        let per_pico = bytes / (end - start) as f64;
        Stretch {
            first,
            bins: last - first + 1,
            head: per_pico * ((first as u64 + 1) * self.width - start) as f64,
            inner: per_pico * self.width as f64,
            tail: per_pico * (end - last as u64 * self.width) as f64,
        }
    }

    /// Uses bins up to a time; gives the last.
    #[cold]
    fn lengthen(&mut self, until: u64) -> usize {
        self.reach(until + 1);
        let last = self.bin(until);
        self.used = self.used.max(last + 1);
        last
    }

    /// Something will be added soon to a link that may not be there, at about this time.
    #[inline]
    pub fn expect(&self, link: usize, time: u64) {
        if let Some(bytes) = self.bytes.get(link * self.stride + self.bin(time)) {
            mpirage_cache::fetch(bytes);
        }
    }

    /// Adds bytes to what crossed a link.
    #[inline]
    pub fn add(&mut self, link: usize, bytes: Stretch) {
        let Stretch { first, bins, head, inner, tail } = bytes;
        let row = &mut self.bytes[link * self.stride + first..][..bins];
        row[0] += head;
        if let [_, between @ .., last] = row {
            between.iter_mut().for_each(|bytes| *bytes += inner);
            *last += tail;
        }
    }

    /// The bin that a time falls into. Widths are the first one times a power of two, so that there is nothing to divide by.
    #[inline]
    fn bin(&self, time: u64) -> usize {
        ((time / FIRST_WIDTH) >> self.doubled) as usize
    }

    /// Bins become twice as wide.
    #[cold]
    fn widen(&mut self) {
        self.width *= 2;
        self.doubled += 1;
        let used = self.used;
        for row in self.bytes.chunks_exact_mut(self.stride) {
            for pair in 0..used / 2 {
                row[pair] = row[2 * pair] + row[2 * pair + 1];
            }
            if used % 2 == 1 {
                row[used / 2] = row[used - 1];
            }
            row[used.div_ceil(2)..used].fill(0.0);
        }
        self.used = used.div_ceil(2);
    }

    /// Of each link, its bins from the first with bytes to the last with any; and which is the first.
    pub fn rows(&self) -> impl Iterator<Item = (u64, &[f64])> {
        self.bytes.chunks_exact(self.stride).map(|row| {
            let some = |bytes: &f64| *bytes > 0.0;
            let row = &row[..self.used];
            let first = row.iter().position(some).unwrap_or(0);
            let end = row.iter().rposition(some).map_or(first, |last| last + 1);
            (first as u64, &row[first..end])
        })
    }
}

/// From one link to the next. Not a power of two: what happens at one time would be in a few sets of the caches.
fn stride(row: usize) -> usize {
    let lines = row.div_ceil(LINE);
    (lines | 1) * LINE
}
