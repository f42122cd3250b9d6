//! Bytes of links in bins of time.
//!
//! All links of one bin lie side by side, since what happens at about one time is told at about one time. In the beginning bins are
//! narrow. When time runs over the last one they become twice as wide, neighbours being merged; when there are so many links
//! that all bins are too much, there are half as many as well.

use super::FIRST_WIDTH;

/// Room for links, in the beginning.
const FEW: usize = 64;
/// Links whose bins are put together at once: those of a cache line.
const TOGETHER: usize = 8;

/// All bins.
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
    /// Bins of all links, at most.
    most: usize,
}

/// Bytes of a message in bins one after the other.
#[derive(Clone, Copy)]
pub(super) struct Stretch {
    /// Where the links of the first bin are.
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
        Bins { width: FIRST_WIDTH, doubled: 0, row: row.max(1), links: 0, room: FEW, bytes: Vec::new(), most }
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

    /// How bytes that move evenly from `start` to `end` fall into bins, which become as wide as they must.
    #[inline]
    pub fn cut(&mut self, start: u64, end: u64, bytes: f64) -> Stretch {
        let until = if end > start { end - 1 } else { start };
        let mut last = self.bin(until);
        if self.bytes.len() <= last * self.room {
            last = self.lengthen(until);
        }
        let first = self.bin(start);
        if first == last {
            return Stretch { first: first * self.room, bins: 1, head: bytes, inner: 0.0, tail: 0.0 };
        }
        let per_pico = bytes / (end - start) as f64;
        Stretch {
            first: first * self.room,
            bins: last - first + 1,
            head: per_pico * ((first as u64 + 1) * self.width - start) as f64,
            inner: per_pico * self.width as f64,
            tail: per_pico * (end - last as u64 * self.width) as f64,
        }
    }

    /// Makes bins up to a time; gives the last.
    #[cold]
    fn lengthen(&mut self, until: u64) -> usize {
        self.reach(until + 1);
        let bins = (self.bin(until) + 1).max(self.bytes.len() / self.room);
        self.bytes.resize(bins * self.room, 0.0);
        self.bin(until)
    }

    /// Adds bytes to what crossed a link.
    #[inline]
    pub fn add(&mut self, link: usize, bytes: Stretch) {
        let Stretch { first, bins, head, inner, tail } = bytes;
        let mut at = first + link;
        self.bytes[at] += head;
        if bins > 1 {
            for _ in 2..bins {
                at += self.room;
                self.bytes[at] += inner;
            }
            self.bytes[at + self.room] += tail;
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
        let (room, bins) = (self.room, self.bytes.len() / self.room);
        for pair in 0..bins / 2 {
            self.bytes.copy_within(2 * pair * room..(2 * pair + 1) * room, pair * room);
            let (merged, second) = self.bytes.split_at_mut((2 * pair + 1) * room);
            let merged = &mut merged[pair * room..][..room];
            merged.iter_mut().zip(&*second).for_each(|(sum, more)| *sum += more);
        }
        if bins % 2 == 1 {
            self.bytes.copy_within((bins - 1) * room..bins * room, bins / 2 * room);
        }
        self.bytes.truncate(bins.div_ceil(2) * room);
    }

    /// Of each link, its bins from the first with bytes to the last with any; and which is the first.
    pub fn rows(&self) -> Vec<(u64, Vec<f64>)> {
        let mut rows = Vec::with_capacity(self.links);
        for from in (0..self.links).step_by(TOGETHER) {
            let row = || (0, Vec::with_capacity(self.bytes.len() / self.room));
            let mut together: Vec<(u64, Vec<f64>)> =
                std::iter::repeat_with(row).take(TOGETHER.min(self.links - from)).collect();
            for (bin, bytes) in (0..).zip(self.bytes.chunks_exact(self.room)) {
                for ((first, row), &bytes) in together.iter_mut().zip(&bytes[from..]) {
                    if bytes > 0.0 {
                        if row.is_empty() {
                            *first = bin;
                        }
                        row.resize((bin - *first) as usize, 0.0);
                        row.push(bytes);
                    }
                }
            }
            rows.append(&mut together);
        }
        rows
    }
}
