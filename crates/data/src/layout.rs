//! Which bytes a datatype occupies, in packing order, as a tree of loops over runs.
//!
//! A vector of a million blocks is one `Repeat`, not a million entries. Trees are built bottom-up
//! by three operations, each of which merges what it can: [`Layout::shift`], [`Layout::repeat`]
//! and [`Layout::sequence`]. Shared subtrees make all of them cheap.
//!
//! Offsets are added with wrapping: [`crate::bounds`] has already checked that every byte lies
//! within 64 bits, so only intermediate sums can wrap, and these cancel.

use std::ops::ControlFlow;
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

/// Equal runs at equal distances: what a walk over a layout meets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Runs {
    /// Displacement of the first run.
    pub offset: i64,
    /// Bytes of each run.
    pub len: usize,
    pub count: usize,
    pub stride: i64,
}

impl Layout {
    /// The bytes `offset..offset + len`.
    pub fn run(offset: i64, len: i64) -> Layout {
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
    pub fn repeat(&self, count: i64, stride: i64) -> Layout {
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
        let mut joined = fold_strides(join_adjacent(parts));
        match joined.len() {
            0 => Layout::Empty,
            1 => joined.remove(0),
            _ => Layout::Sequence { offset: 0, parts: joined.into() },
        }
    }

    /// Visits all runs in packing order until the visitor breaks.
    pub fn walk(&self, base: i64, visit: &mut impl FnMut(Runs) -> ControlFlow<()>) -> ControlFlow<()> {
        match self {
            Layout::Empty => ControlFlow::Continue(()),
            Layout::Run { offset, len } => {
                visit(Runs { offset: base.wrapping_add(*offset), len: *len as usize, count: 1, stride: 0 })
            }
            Layout::Repeat { offset, count, stride, body } => {
                let base = base.wrapping_add(*offset);
                if let Layout::Run { offset, len } = **body {
                    let (count, len) = (*count as usize, len as usize);
                    return visit(Runs { offset: base.wrapping_add(offset), len, count, stride: *stride });
                }
                (0..*count).try_for_each(|i| body.walk(base.wrapping_add(i.wrapping_mul(*stride)), visit))
            }
            Layout::Sequence { offset, parts } => {
                parts.iter().try_for_each(|part| part.walk(base.wrapping_add(*offset), visit))
            }
        }
    }
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
fn fold_strides(parts: Vec<Layout>) -> Vec<Layout> {
    let mut folded = Vec::with_capacity(parts.len());
    let mut rest = &parts[..];
    while let Some(first) = rest.first() {
        match regular_prefix(rest) {
            Some((count, stride)) => {
                folded.push(first.repeat(count as i64, stride));
                rest = &rest[count..];
            }
            None => {
                folded.push(first.clone());
                rest = &rest[1..];
            }
        }
    }
    folded
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
