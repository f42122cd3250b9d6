//! Bytes of links in bins of time.
//!
//! All links of one bin lie side by side, since what happens at about one time is told at about one time. In the beginning bins are
//! narrow. When time runs over the last one they become twice as wide, neighbours being merged; when there are so many links
//! that all bins are too much, there are half as many as well.
//!
//! Of a message that takes many bins, the same bytes are in each but the first and the last. There it is noted where they begin and where
//! they end, so that messages that all take the whole run do not cost as many bins each.

use super::FIRST_WIDTH;

/// Room for links, in the beginning.
const FEW: usize = 64;
/// Links whose bins are put together at once: those of a cache line.
const TOGETHER: usize = 8;

/// Bins of a stretch, from which on it is long.
const LONG: usize = 8;
/// Parts of a byte in which steady bytes are counted: whole numbers, so that what ends takes away just what began.
const PARTS: f64 = (1 << 16) as f64;

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
    /// Parts of bytes of long stretches by bin and by link, from that bin on; less from where they end. None if there are no such stretches.
    steady: Vec<i64>,
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
    /// Instead of those between, if there are many.
    steady: i64,
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

    /// How bytes that move evenly from `start` to `end` fall into bins, which become as wide as they must.
    #[inline]
    pub fn cut(&mut self, start: u64, end: u64, bytes: f64) -> Stretch {
        let until = if end > start { end - 1 } else { start };
        let mut last = self.bin(until);
        if self.bytes.len() <= last * self.room {
            last = self.lengthen(until);
        }
        let first = self.bin(start);
        let (bins, first_at) = (last - first + 1, first * self.room);
        if bins == 1 {
            return Stretch { first: first_at, bins, head: bytes, inner: 0.0, tail: 0.0, steady: 0 };
        }
        let per_pico = bytes / (end - start) as f64;
        let head = per_pico * ((first as u64 + 1) * self.width - start) as f64;
        let inner = per_pico * self.width as f64;
        let tail = per_pico * (end - last as u64 * self.width) as f64;
        let stretch = Stretch { first: first_at, bins, head, inner, tail, steady: 0 };
        if bins > LONG { self.steadily(stretch) } else { stretch }
    }

    /// The same for a long one. What whole numbers cannot say goes to the first bin.
    fn steadily(&mut self, stretch: Stretch) -> Stretch {
        if self.steady.len() < self.bytes.len() {
            self.steady.resize(self.bytes.len(), 0);
        }
        let steady = (stretch.inner * PARTS) as i64;
        let rest = (stretch.inner - steady as f64 / PARTS) * (stretch.bins - 2) as f64;
        Stretch { steady, head: stretch.head + rest, ..stretch }
    }

    /// Makes bins up to a time; gives the last.
    #[cold]
    fn lengthen(&mut self, until: u64) -> usize {
        self.reach(until + 1);
        let bins = (self.bin(until) + 1).max(self.bytes.len() / self.room);
        self.bytes.resize(bins * self.room, 0.0);
        if !self.steady.is_empty() {
            self.steady.resize(self.bytes.len(), 0);
        }
        self.bin(until)
    }

    /// Adds bytes to what crossed a link.
    #[inline]
    pub fn add(&mut self, link: usize, bytes: Stretch) {
        let Stretch { first, bins, head, inner, tail, steady } = bytes;
        let mut at = first + link;
        self.bytes[at] += head;
        if bins > LONG {
            let last = at + (bins - 1) * self.room;
            self.bytes[last] += tail;
            self.steady[at + self.room] += steady;
            self.steady[last] -= steady;
        } else if bins > 1 {
            for _ in 2..bins {
                at += self.room;
                self.bytes[at] += inner;
            }
            self.bytes[at + self.room] += tail;
        }
    }

    /// Adds long stretches to the bins they take.
    fn settle(&mut self) {
        let mut steady = vec![0; if self.steady.is_empty() { 0 } else { self.room }];
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
            let mut steady = [0; TOGETHER];
            for (bin, bytes) in (0..).zip(self.bytes.chunks_exact(self.room)) {
                let changes = self.steady.get(bin as usize * self.room + from..).unwrap_or_default();
                steady.iter_mut().zip(changes).for_each(|(steady, change)| *steady += change);
                for (((first, row), &bytes), &steady) in together.iter_mut().zip(&bytes[from..]).zip(&steady)
                {
                    let bytes = bytes + steady as f64 / PARTS;
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
