//! Which bytes a datatype occupies, in packing order, as a tree of loops over runs.
//!
//! ```text
//!   vector(1000000, 1, 2) of double     Repeat 1000000, stride 16
//!                                         Run 0..8
//! ```
//!
//! A vector of a million blocks is one `Repeat`, not a million entries. Trees are built bottom-up
//! by three operations, each of which merges what it can: [`Layout::shift`], [`Layout::repeat`]
//! and [`Layout::sequence`]. Shared subtrees make all of them cheap.
//!
//! Offsets are added with wrapping: [`crate::bounds`] has already checked that every byte lies
//! within 64 bits, so only intermediate sums can wrap, and these cancel.

use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    Empty,
    /// `len` > 0 adjacent bytes.
    Run {
        offset: i64,
        len: i64,
    },
    /// `count` > 1 copies of `body`, the first moved by `offset`, each next one by `stride` more.
    Repeat {
        offset: i64,
        count: i64,
        stride: i64,
        body: Arc<Layout>,
    },
    /// Parts one after the other, all moved by `offset`.
    Sequence {
        offset: i64,
        parts: Arc<[Layout]>,
    },
}

/// Equal runs at equal distances, both in memory and in packed bytes: what a walk meets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Runs {
    /// Bytes of each run.
    pub len: usize,
    pub count: usize,
    /// Displacement in memory of the first run, and from each to the next.
    pub offset: i64,
    pub stride: i64,
    /// The same in packed bytes.
    pub packed: usize,
    pub packed_stride: usize,
}

/// Elements of an array of structs that are walked member by member. Long enough to make tight
/// loops of them, short enough for the cache to keep them from one member to the next.
const TILE: usize = 256;

impl Layout {
    /// The bytes `offset..offset + len`.
    pub(crate) fn run(offset: i64, len: i64) -> Layout {
        if len == 0 { Layout::Empty } else { Layout::Run { offset, len } }
    }

    pub fn shift(&self, by: i64) -> Layout {
        let mut moved = self.clone();
        match &mut moved {
            Layout::Empty => {}
            Layout::Run { offset, .. } | Layout::Repeat { offset, .. } | Layout::Sequence { offset, .. } => {
                *offset = offset.wrapping_add(by);
            }
        }
        moved
    }

    /// `count` copies, each `stride` after the one before.
    pub(crate) fn repeat(&self, count: i64, stride: i64) -> Layout {
        match *self {
            Layout::Empty => return Layout::Empty,
            _ if count == 0 => return Layout::Empty,
            _ if count == 1 => return self.clone(),
            Layout::Run { offset, len } if len == stride => return Layout::Run { offset, len: len * count },
            Layout::Repeat { offset, count: inner, stride: step, ref body }
                if step.checked_mul(inner) == Some(stride) =>
            {
                return Layout::Repeat { offset, count: inner * count, stride: step, body: body.clone() };
            }
            _ => {}
        }
        Layout::Repeat { offset: 0, count, stride, body: Arc::new(self.clone()) }
    }

    /// Parts in packing order.
    pub fn sequence(parts: impl IntoIterator<Item = Layout>) -> Layout {
        let mut joined = find_strides(join_adjacent(parts));
        match joined.len() {
            0 => Layout::Empty,
            1 => joined.remove(0),
            _ => Layout::Sequence { offset: 0, parts: joined.into() },
        }
    }

    /// Visits all runs, with memory counted from `base` and packed bytes from `packed`, and returns
    /// where these end.
    pub fn walk(&self, base: i64, packed: usize, visit: &mut impl FnMut(Runs)) -> usize {
        match self {
            Layout::Empty => packed,
            Layout::Run { offset, len } => {
                let (len, offset) = (*len as usize, base.wrapping_add(*offset));
                visit(Runs { len, count: 1, offset, stride: 0, packed, packed_stride: 0 });
                packed + len
            }
            Layout::Repeat { offset, count, stride, body } => {
                let (base, count) = (base.wrapping_add(*offset), *count as usize);
                match body.plain_runs() {
                    Some(runs) => walk_tiles(runs, count, *stride, base, packed, visit),
                    None => (0..count as i64).fold(packed, |packed, i| {
                        body.walk(base.wrapping_add(i.wrapping_mul(*stride)), packed, visit)
                    }),
                }
            }
            Layout::Sequence { offset, parts } => {
                let base = base.wrapping_add(*offset);
                parts.iter().fold(packed, |packed, part| part.walk(base, packed, visit))
            }
        }
    }

    /// The runs of a layout without loops, and what their offsets are relative to.
    fn plain_runs(&self) -> Option<(i64, &[Layout])> {
        match self {
            Layout::Run { .. } => Some((0, std::slice::from_ref(self))),
            Layout::Sequence { offset, parts } if parts.iter().all(|part| part.as_run().is_some()) => {
                Some((*offset, parts))
            }
            _ => None,
        }
    }

    /// Offset and length, if it is a run.
    fn as_run(&self) -> Option<(i64, usize)> {
        match *self {
            Layout::Run { offset, len } => Some((offset, len as usize)),
            _ => None,
        }
    }
}

/// Walks `count` elements made of a few runs each. Within a tile the loop over elements is the
/// inner one, which leaves packing order but is several times faster than one run after the other.
fn walk_tiles(
    (offset, runs): (i64, &[Layout]),
    count: usize,
    stride: i64,
    base: i64,
    packed: usize,
    visit: &mut impl FnMut(Runs),
) -> usize {
    let runs = || runs.iter().filter_map(Layout::as_run);
    let size: usize = runs().map(|(_, len)| len).sum();
    for start in (0..count).step_by(TILE) {
        let base = base.wrapping_add(offset).wrapping_add(stride.wrapping_mul(start as i64));
        let count = TILE.min(count - start);
        let mut packed = packed + start * size;
        for (offset, len) in runs() {
            visit(Runs {
                len,
                count,
                offset: base.wrapping_add(offset),
                stride,
                packed,
                packed_stride: size,
            });
            packed += len;
        }
    }
    packed + count * size
}

/// Drops empty parts and makes one run of two that touch.
fn join_adjacent(parts: impl IntoIterator<Item = Layout>) -> Vec<Layout> {
    let mut joined: Vec<Layout> = Vec::new();
    for part in parts {
        match (joined.last_mut(), part) {
            (_, Layout::Empty) => {}
            (Some(Layout::Run { offset, len }), Layout::Run { offset: next, len: more })
                if offset.wrapping_add(*len) == next =>
            {
                *len += more;
            }
            (_, part) => joined.push(part),
        }
    }
    joined
}

/// Makes a loop of three or more equal runs at equal distances, as regular index lists have them.
fn find_strides(parts: Vec<Layout>) -> Vec<Layout> {
    let mut found = Vec::with_capacity(parts.len());
    let mut rest = &parts[..];
    while let Some(first) = rest.first() {
        match regular_prefix(rest) {
            Some((count, stride)) => {
                found.push(first.repeat(count as i64, stride));
                rest = &rest[count..];
            }
            None => {
                found.push(first.clone());
                rest = &rest[1..];
            }
        }
    }
    found
}

/// Length and stride of the regular series of runs at the head of `parts`, if it is worth a loop.
fn regular_prefix(parts: &[Layout]) -> Option<(usize, i64)> {
    let [Layout::Run { offset: first, len }, Layout::Run { offset: second, .. }, _, ..] = *parts else {
        return None;
    };
    let stride = second.wrapping_sub(first);
    let follows = |i: usize, part: &Layout| {
        let expected = first.wrapping_add(stride.wrapping_mul(i as i64));
        matches!(part, Layout::Run { offset, len: l } if *offset == expected && *l == len)
    };
    let count = parts.iter().enumerate().take_while(|&(i, part)| follows(i, part)).count();
    (count >= 3).then_some((count, stride))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touching_runs_become_one() {
        let layout = Layout::sequence([Layout::run(0, 8), Layout::Empty, Layout::run(8, 4)]);
        assert_eq!(layout, Layout::run(0, 12));
        assert_eq!(Layout::run(4, 8).repeat(3, 8), Layout::run(4, 24));
    }

    #[test]
    fn nested_loops_of_one_stride_become_one() {
        let row = Layout::run(0, 4).repeat(10, 8);
        assert_eq!(row.repeat(1_000_000, 80), Layout::run(0, 4).repeat(10_000_000, 8));
    }

    #[test]
    fn a_regular_index_list_becomes_a_loop() {
        let list = Layout::sequence((0..100_000).map(|i| Layout::run(i * 12, 4)));
        assert_eq!(list, Layout::run(0, 4).repeat(100_000, 12));
    }

    #[test]
    fn an_irregular_list_keeps_its_order() {
        let parts = [Layout::run(40, 4), Layout::run(0, 4), Layout::run(8, 2)];
        let Layout::Sequence { parts: kept, .. } = Layout::sequence(parts.clone()) else { panic!() };
        assert_eq!(kept[..], parts);
    }
}
