//! The bytes that a datatype occupies, in packing order, as a tree of loops over runs.
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

use crate::pieces::FEW;

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
    /// Many runs of equal length at irregular displacements, all moved by `offset`.
    Listed {
        offset: i64,
        len: i64,
        at: Arc<[i64]>,
    },
}

/// Runs that a part of a sequence stands for on average, if loops among them are worth it.
const WORTH_LOOPS: usize = 4;
/// The most units of a run of a list, on average. More are copied faster as a run.
const FEW_UNITS: i64 = 4;
/// The most bytes of such a run, on average.
const SHORT_RUN: i64 = 256;

impl Layout {
    /// The bytes `offset..offset + len`.
    pub(crate) fn run(offset: i64, len: i64) -> Layout {
        if len == 0 { Layout::Empty } else { Layout::Run { offset, len } }
    }

    pub fn shift(&self, by: i64) -> Layout {
        let mut moved = self.clone();
        match &mut moved {
            Layout::Empty => {}
            Layout::Run { offset, .. }
            | Layout::Repeat { offset, .. }
            | Layout::Sequence { offset, .. }
            | Layout::Listed { offset, .. } => *offset = offset.wrapping_add(by),
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
        let runs = join_adjacent(parts);
        let mut joined = find_strides(&runs);
        if joined.len() > runs.len() / WORTH_LOOPS
            && let Some(list) = list_units(&runs)
        {
            return list;
        }
        match joined.len() {
            0 => Layout::Empty,
            1 => joined.remove(0),
            _ => Layout::Sequence { offset: 0, parts: joined.into() },
        }
    }

    /// Offset and length, if it is a run.
    fn as_run(&self) -> Option<(i64, i64)> {
        match *self {
            Layout::Run { offset, len } => Some((offset, len)),
            _ => None,
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

/// Makes a loop of many equal runs at equal distances, as regular index lists have them.
fn find_strides(parts: &[Layout]) -> Vec<Layout> {
    let mut found = Vec::with_capacity(parts.len());
    let mut rest = parts;
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
    (count > FEW).then_some((count, stride))
}

/// A list of many irregular runs, cut into units of which every run has a few.
fn list_units(parts: &[Layout]) -> Option<Layout> {
    let runs: Vec<(i64, i64)> = parts.iter().map(Layout::as_run).collect::<Option<_>>()?;
    let unit = runs.iter().fold(0, |unit, &(_, len)| greatest_common_divisor(unit, len));
    let bytes: i64 = runs.iter().map(|&(_, len)| len).sum();
    let number = runs.len() as i64;
    if runs.len() <= FEW || bytes > number.saturating_mul(SHORT_RUN) || bytes / unit > number * FEW_UNITS {
        return None;
    }
    let units = |(at, len): (i64, i64)| (0..len / unit).map(move |nth| at.wrapping_add(nth * unit));
    Some(Layout::Listed { offset: 0, len: unit, at: runs.into_iter().flat_map(units).collect() })
}

fn greatest_common_divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
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

    #[test]
    fn many_irregular_runs_become_a_list_of_units() {
        let runs = (1..100).map(|i| Layout::run(i * i * 8, if i % 2 == 0 { 8 } else { 4 }));
        let at: Vec<i64> =
            (1..100).flat_map(|i| [i * i * 8, i * i * 8 + 4].into_iter().take(2 - i as usize % 2)).collect();
        assert_eq!(Layout::sequence(runs), Layout::Listed { offset: 0, len: 4, at: at.into() });
    }

    #[test]
    fn long_runs_become_no_list() {
        let runs: Vec<_> = (1..100).map(|i| Layout::run(i * i * 1000, 1000)).collect();
        assert!(matches!(Layout::sequence(runs), Layout::Sequence { .. }));
    }
}
