//! Moving data between typed memory and contiguous bytes.
//!
//! Memory is a slice and the index in it of the buffer address, since displacements may be
//! negative. [`Datatype::span`] tells a caller with a raw pointer which slice that is:
//!
//! ```text
//!   memory  [..............................]
//!            ^ span.0        ^ origin      ^ span.1      (both relative to the origin)
//! ```

use crate::datatype::Datatype;
use crate::layout::{Layout, Runs};

/// Where a buffer's address lies in the memory that holds it: bytes may lie before it, since bounds may be negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin(pub usize);

impl Datatype {
    /// Appends the data of `count` elements to `out`.
    ///
    /// # Panics
    /// If `memory` does not hold [`Datatype::span`] of `count` around `origin`.
    pub fn pack(&self, count: usize, memory: &[u8], origin: Origin, out: &mut Vec<u8>) {
        let layout = self.array_layout(count);
        if let Layout::Run { offset, len } = layout {
            let start = (origin.0 as i64 + offset) as usize;
            out.extend_from_slice(&memory[start..start + len as usize]);
            return;
        }
        let filled = out.len();
        out.resize(filled + self.size() * count, 0);
        layout.walk(origin.0 as i64, filled, &mut |runs| gather(runs, memory, out));
    }

    /// Fills up to `count` elements from `packed`, and returns the bytes used: fewer than the
    /// elements need if `packed` is shorter, and then the whole basics it holds. Where elements
    /// overlap, which MPI forbids, either may win.
    ///
    /// # Panics
    /// If `memory` does not hold [`Datatype::span`] of `count` around `origin`.
    pub fn unpack(&self, count: usize, packed: &[u8], memory: &mut [u8], origin: Origin) -> usize {
        let used = self.usable(count, packed.len());
        let packed = &packed[..used];
        let reached = if used == 0 { 0 } else { used.div_ceil(self.size()) };
        self.array_layout(reached)
            .walk(origin.0 as i64, 0, &mut |runs| scatter_available(runs, packed, memory));
        used
    }

    /// The stretches of memory of `count` elements in the order in which they are packed: displacement and length of each.
    pub fn stretches(&self, count: usize) -> Vec<(i64, usize)> {
        let mut found = Vec::new();
        self.array_layout(count).walk(0, 0, &mut |runs| {
            let place = |i| (runs.packed_index(i), runs.index(i) as i64, runs.len);
            found.extend((0..runs.count).map(place));
        });
        found.sort_unstable();
        let mut joined: Vec<(i64, usize)> = Vec::new();
        for (_, offset, length) in found {
            match joined.last_mut() {
                Some((first, so_far)) if *first + *so_far as i64 == offset => *so_far += length,
                _ => joined.push((offset, length)),
            }
        }
        joined
    }

    fn array_layout(&self, count: usize) -> Layout {
        let count = i64::try_from(count).expect("a slice holds fewer elements");
        self.body().layout.repeat(count, self.extent())
    }

    /// Bytes of whole basics, of at most `count` elements, in `available` bytes.
    fn usable(&self, count: usize, available: usize) -> usize {
        let wanted = self.size().saturating_mul(count);
        if available >= wanted { wanted } else { self.body().prefix(available).size as usize }
    }
}

impl Runs {
    /// Index in memory of the `i`-th run. A negative one becomes too large to be an index, and so
    /// panics where it is used.
    fn index(&self, i: usize) -> usize {
        self.offset.wrapping_add(self.stride.wrapping_mul(i as i64)) as usize
    }

    /// Index in packed bytes of the `i`-th run.
    fn packed_index(&self, i: usize) -> usize {
        self.packed + self.packed_stride * i
    }

    /// How many runs lie wholly within the first `bytes` of the packed ones.
    fn whole_within(&self, bytes: usize) -> usize {
        match bytes.checked_sub(self.packed + self.len) {
            None => 0,
            Some(_) if self.packed_stride == 0 => self.count,
            Some(beyond_first) => self.count.min(beyond_first / self.packed_stride + 1),
        }
    }
}

/// Copies runs from memory. Those of the length of one number or a few are copied without a call.
fn gather(runs: Runs, memory: &[u8], packed: &mut [u8]) {
    match runs.len {
        1 => gather_blocks::<1>(runs, memory, packed),
        2 => gather_blocks::<2>(runs, memory, packed),
        4 => gather_blocks::<4>(runs, memory, packed),
        8 => gather_blocks::<8>(runs, memory, packed),
        12 => gather_blocks::<12>(runs, memory, packed),
        16 => gather_blocks::<16>(runs, memory, packed),
        24 => gather_blocks::<24>(runs, memory, packed),
        len => (0..runs.count).for_each(|i| {
            let (from, to) = (runs.index(i), runs.packed_index(i));
            packed[to..to + len].copy_from_slice(&memory[from..from + len]);
        }),
    }
}

fn gather_blocks<const N: usize>(runs: Runs, memory: &[u8], packed: &mut [u8]) {
    for i in 0..runs.count {
        let (from, to) = (runs.index(i), runs.packed_index(i));
        packed[to..to + N].copy_from_slice(&memory[from..from + N]);
    }
}

/// The inverse of [`gather`].
fn scatter(runs: Runs, packed: &[u8], memory: &mut [u8]) {
    match runs.len {
        1 => scatter_blocks::<1>(runs, packed, memory),
        2 => scatter_blocks::<2>(runs, packed, memory),
        4 => scatter_blocks::<4>(runs, packed, memory),
        8 => scatter_blocks::<8>(runs, packed, memory),
        12 => scatter_blocks::<12>(runs, packed, memory),
        16 => scatter_blocks::<16>(runs, packed, memory),
        24 => scatter_blocks::<24>(runs, packed, memory),
        len => (0..runs.count).for_each(|i| {
            let (from, to) = (runs.packed_index(i), runs.index(i));
            memory[to..to + len].copy_from_slice(&packed[from..from + len]);
        }),
    }
}

fn scatter_blocks<const N: usize>(runs: Runs, packed: &[u8], memory: &mut [u8]) {
    for i in 0..runs.count {
        let (from, to) = (runs.packed_index(i), runs.index(i));
        memory[to..to + N].copy_from_slice(&packed[from..from + N]);
    }
}

/// Scatters the runs that `packed` reaches, and what it has of the one it ends in.
fn scatter_available(runs: Runs, packed: &[u8], memory: &mut [u8]) {
    let whole = runs.whole_within(packed.len());
    scatter(Runs { count: whole, ..runs }, packed, memory);
    let next = runs.packed_index(whole);
    if whole < runs.count && next < packed.len() {
        let (rest, to) = (&packed[next..], runs.index(whole));
        memory[to..to + rest.len()].copy_from_slice(rest);
    }
}

#[cfg(test)]
mod tests {
    use super::Origin;
    use crate::{Basic, Datatype};

    fn bytes(n: u8) -> Vec<u8> {
        (0..n).collect()
    }

    #[test]
    fn a_column_of_a_matrix() {
        let column = Datatype::basic(Basic::Short).vector(3, 1, 4).unwrap();
        let mut packed = Vec::new();
        column.pack(1, &bytes(24), Origin(2), &mut packed);
        assert_eq!(packed, [2, 3, 10, 11, 18, 19]);
    }

    #[test]
    fn displacements_may_be_negative() {
        let backwards = Datatype::basic(Basic::Short).vector(3, 1, -2).unwrap();
        let (first, end) = backwards.span(1).unwrap();
        assert_eq!((first, end), (-8, 2));
        let mut packed = Vec::new();
        backwards.pack(1, &bytes(10), Origin(8), &mut packed);
        assert_eq!(packed, [8, 9, 4, 5, 0, 1]);
    }

    #[test]
    fn a_short_message_fills_whole_basics_only() {
        let pairs = Datatype::basic(Basic::Int).vector(2, 1, 2).unwrap();
        let mut memory = vec![0xff; 24];
        let used = pairs.unpack(2, &bytes(11), &mut memory, Origin(0));
        assert_eq!(used, 8);
        assert_eq!(&memory[..4], [0, 1, 2, 3]);
        assert_eq!(&memory[8..12], [4, 5, 6, 7]);
        assert!(memory[12..].iter().all(|&byte| byte == 0xff));
    }

    #[test]
    fn a_short_message_may_end_within_a_run() {
        let two = Datatype::structure(&[1, 1], &[0, 4], &[Basic::Int.into(), Basic::Float.into()]).unwrap();
        let mut memory = vec![0xff; 8];
        assert_eq!(two.unpack(1, &bytes(7), &mut memory, Origin(0)), 4);
        assert_eq!(memory, [0, 1, 2, 3, 0xff, 0xff, 0xff, 0xff]);
    }

    #[test]
    #[should_panic]
    fn memory_before_the_slice_is_refused() {
        Datatype::basic(Basic::Short).vector(3, 1, -2).unwrap().pack(
            1,
            &bytes(10),
            Origin(4),
            &mut Vec::new(),
        );
    }
}
