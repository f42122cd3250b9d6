//! Copies of many blocks of equal length between two memories, as fast as the memories allow.
//!
//! There are three loops, and blocks of three kinds:
//!
//! | loop | where the blocks lie |
//! |---|---|
//! | [`copy_one`] | there is one |
//! | [`copy_strided`] | at equal distances on both sides |
//! | [`gather_listed`], [`scatter_listed`] | at listed displacements on one side, adjacent on the other |
//!
//! | block | how it is copied |
//! |---|---|
//! | [`Fixed`] | 1, 2, 4, 8 or 16 bytes: one load and one store |
//! | [`Ends`] | up to 64 bytes: the first and the last bytes, which may overlap |
//! | [`Long`] | any other length: the C library's `memcpy` |
//!
//! Each loop is compiled for each block, so that the length is a constant in it. All indices are checked; where distances are equal,
//! once for all blocks.

/// Where equal blocks lie in a memory: the index of the first, and the distance from each to the next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places {
    pub first: i64,
    pub stride: i64,
}

/// Copies `count` blocks of `len` bytes.
///
/// # Panics
/// If a block is not within its memory.
#[inline]
pub(crate) fn copy_strided(len: usize, count: usize, from: (&[u8], Places), to: (&mut [u8], Places)) {
    if count > 0 {
        for_length(len, Strided { count, from, to });
    }
}

/// Copies a single block; blocks of a few bytes without a call.
#[inline]
pub(crate) fn copy_one(from: &[u8], to: &mut [u8]) {
    for_length(from.len(), Single { from, to });
}

/// Copies a block of `len` bytes from each of `at`, counted from `base`, to adjacent bytes.
///
/// # Panics
/// If a block is not within `memory`, or `packed` is too short.
pub(crate) fn gather_listed(len: usize, (base, at): (i64, &[i64]), memory: &[u8], packed: &mut [u8]) {
    for_length(len, Gather { base, at, memory, packed });
}

/// The inverse of [`gather_listed`].
pub(crate) fn scatter_listed(len: usize, (base, at): (i64, &[i64]), packed: &[u8], memory: &mut [u8]) {
    for_length(len, Scatter { base, at, packed, memory });
}

/// Index of a place in memory. A negative one becomes too large to be an index, and so panics where it is used.
#[inline(always)]
fn index(base: i64, displacement: i64) -> usize {
    base.wrapping_add(displacement) as usize
}

/// How a block of a certain length is copied.
trait Block: Copy {
    fn len(self) -> usize;
    /// Copies the first bytes of `from` to those of `to`.
    fn copy(self, from: &[u8], to: &mut [u8]);
}

/// `N` bytes.
#[derive(Clone, Copy)]
struct Fixed<const N: usize>;

/// From `N` to twice `N` bytes.
#[derive(Clone, Copy)]
struct Ends<const N: usize>(usize);

/// Any number of bytes.
#[derive(Clone, Copy)]
struct Long(usize);

impl<const N: usize> Block for Fixed<N> {
    #[inline(always)]
    fn len(self) -> usize {
        N
    }

    #[inline(always)]
    fn copy(self, from: &[u8], to: &mut [u8]) {
        to[..N].copy_from_slice(&from[..N]);
    }
}

impl<const N: usize> Block for Ends<N> {
    #[inline(always)]
    fn len(self) -> usize {
        self.0
    }

    #[inline(always)]
    fn copy(self, from: &[u8], to: &mut [u8]) {
        let (from, to) = (&from[..self.0], &mut to[..self.0]);
        to[..N].copy_from_slice(&from[..N]);
        to[self.0 - N..].copy_from_slice(&from[self.0 - N..]);
    }
}

impl Block for Long {
    #[inline(always)]
    fn len(self) -> usize {
        self.0
    }

    #[inline(always)]
    fn copy(self, from: &[u8], to: &mut [u8]) {
        to[..self.0].copy_from_slice(&from[..self.0]);
    }
}

/// A loop over blocks.
trait Loop {
    fn run<B: Block>(self, block: B);
}

/// Chooses the block, once per loop.
#[inline]
fn for_length(len: usize, each: impl Loop) {
    match len {
        0 => {}
        1 => each.run(Fixed::<1>),
        2 => each.run(Fixed::<2>),
        3 => each.run(Ends::<2>(len)),
        4 => each.run(Fixed::<4>),
        5..=7 => each.run(Ends::<4>(len)),
        8 => each.run(Fixed::<8>),
        9..=15 => each.run(Ends::<8>(len)),
        16 => each.run(Fixed::<16>),
        17..=32 => each.run(Ends::<16>(len)),
        33..=64 => each.run(Ends::<32>(len)),
        _ => each.run(Long(len)),
    }
}

/// One block.
struct Single<'a> {
    from: &'a [u8],
    to: &'a mut [u8],
}

impl Loop for Single<'_> {
    #[inline]
    fn run<B: Block>(self, block: B) {
        block.copy(self.from, self.to);
    }
}

/// Blocks at equal distances.
struct Strided<'a> {
    /// At least one.
    count: usize,
    from: (&'a [u8], Places),
    to: (&'a mut [u8], Places),
}

impl Loop for Strided<'_> {
    #[inline]
    fn run<B: Block>(self, block: B) {
        let Strided { count, from: (from, source), to: (to, target) } = self;
        match (source.step(block), target.step(block)) {
            (Some(step), Some(stride)) => {
                let (source, target) = (source.first as usize, target.first as usize);
                let (most, last) = from[source..].split_at((count - 1) * step);
                let (most_to, last_to) = to[target..].split_at_mut((count - 1) * stride);
                for (from, to) in most.chunks_exact(step).zip(most_to.chunks_exact_mut(stride)) {
                    block.copy(from, to);
                }
                block.copy(last, last_to);
            }
            _ => (0..count as i64).for_each(|nth| {
                let (from, to) = (&from[source.nth(nth)..], &mut to[target.nth(nth)..]);
                block.copy(from, to);
            }),
        }
    }
}

impl Places {
    /// The stride, if blocks follow each other without overlapping.
    #[inline(always)]
    fn step(self, block: impl Block) -> Option<usize> {
        usize::try_from(self.stride).ok().filter(|&stride| stride >= block.len())
    }

    #[inline(always)]
    fn nth(self, nth: i64) -> usize {
        index(self.first, self.stride.wrapping_mul(nth))
    }
}

/// Blocks at listed displacements, to adjacent bytes.
struct Gather<'a> {
    base: i64,
    at: &'a [i64],
    memory: &'a [u8],
    packed: &'a mut [u8],
}

impl Loop for Gather<'_> {
    #[inline]
    fn run<B: Block>(self, block: B) {
        let packed = &mut self.packed[..self.at.len() * block.len()];
        for (&at, to) in self.at.iter().zip(packed.chunks_exact_mut(block.len())) {
            block.copy(&self.memory[index(self.base, at)..], to);
        }
    }
}

/// Adjacent bytes, to blocks at listed displacements.
struct Scatter<'a> {
    base: i64,
    at: &'a [i64],
    packed: &'a [u8],
    memory: &'a mut [u8],
}

impl Loop for Scatter<'_> {
    #[inline]
    fn run<B: Block>(self, block: B) {
        let packed = &self.packed[..self.at.len() * block.len()];
        for (&at, from) in self.at.iter().zip(packed.chunks_exact(block.len())) {
            block.copy(from, &mut self.memory[index(self.base, at)..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every length up to one that `memcpy` copies, with every stride from overlapping to wide, forwards and backwards.
    #[test]
    fn strided_copies_are_those_of_single_bytes() {
        let memory: Vec<u8> = (0..=255).cycle().take(2000).collect();
        for len in 1..70_usize {
            for stride in [-80, -3, 0, 1, len as i64, len as i64 + 1, 99] {
                let source = Places { first: 700, stride };
                let target = Places { first: 5, stride: len as i64 + 2 };
                let mut copied = vec![0; 700];
                copy_strided(len, 7, (&memory, source), (&mut copied, target));
                let mut expected = vec![0; 700];
                for (nth, byte) in (0..7).flat_map(|nth| (0..len).map(move |byte| (nth, byte))) {
                    expected[5 + nth * (len + 2) + byte] =
                        memory[(700 + nth as i64 * stride) as usize + byte];
                }
                assert_eq!(copied, expected, "{len} bytes, stride {stride}");
            }
        }
    }

    #[test]
    fn listed_blocks_return_to_their_places() {
        let memory: Vec<u8> = (0..=255).cycle().take(1000).collect();
        let at = [300, -90, 100, 610, 5];
        for len in 1..70 {
            let mut packed = vec![0; at.len() * len];
            gather_listed(len, (100, &at), &memory, &mut packed);
            let expected: Vec<u8> =
                at.iter().flat_map(|at| &memory[(100 + at) as usize..][..len]).copied().collect();
            assert_eq!(packed, expected);
            let mut back = vec![0; 1000];
            scatter_listed(len, (100, &at), &packed, &mut back);
            at.iter()
                .map(|at| (100 + at) as usize)
                .for_each(|at| assert_eq!(back[at..at + len], memory[at..at + len]));
        }
    }

    #[test]
    #[should_panic]
    fn the_last_block_must_be_within_the_memory() {
        let places = Places { first: 0, stride: 8 };
        copy_strided(8, 3, (&[0; 23], places), (&mut [0; 24], places));
    }

    #[test]
    #[should_panic]
    fn blocks_before_the_memory_are_refused() {
        gather_listed(4, (0, &[-4]), &[0; 8], &mut [0; 4]);
    }
}
