//! A layout cut into pieces that one loop copies each, in packing order.

use crate::kernels::{Places, copy_one, copy_strided, gather_listed, scatter_listed};
use crate::layout::Layout;

/// The most runs of an element that are copied member by member.
pub(crate) const FEW: usize = 8;
/// Elements of an array of structs that are copied member by member. Long enough to make tight
/// loops of them, short enough for the cache to keep them from one member to the next.
const TILE: usize = 256;
/// Packed bytes of a piece of many runs: they fit in the nearest cache.
const PIECE_BYTES: usize = 16 << 10;
/// From this length on, a run is worth a piece of its own.
const LONG_RUN: usize = 1024;

/// Some of the bytes of a layout: adjacent ones where they are packed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'a> {
    /// Where they begin among the packed bytes.
    pub packed: usize,
    pub bytes: usize,
    pub shape: Shape<'a>,
}

/// Where these bytes are in memory. All places are indices in it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape<'a> {
    /// Adjacent.
    Run { first: i64 },
    /// Elements at equal distances that are made of the same few runs.
    Elements { count: usize, places: Places, members: &'a [Member] },
    /// Blocks of equal length.
    Listed { len: usize, base: i64, at: &'a [i64] },
}

/// A run of an element.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Member {
    offset: i64,
    len: usize,
}

impl Piece<'_> {
    /// Copies the piece from memory to `packed`, which are its packed bytes.
    pub(crate) fn gather(&self, memory: &[u8], packed: &mut [u8]) {
        match self.shape {
            Shape::Run { first } => copy_one(&memory[first as usize..][..self.bytes], packed),
            Shape::Elements { count, places, members } => {
                for_members(count, places, members, |len, here, there| {
                    copy_strided(len, count, (memory, here), (packed, there));
                });
            }
            Shape::Listed { len, base, at } => gather_listed(len, (base, at), memory, packed),
        }
    }

    /// The inverse of [`Piece::gather`].
    pub(crate) fn scatter(&self, packed: &[u8], memory: &mut [u8]) {
        match self.shape {
            Shape::Run { first } => copy_one(packed, &mut memory[first as usize..][..self.bytes]),
            Shape::Elements { count, places, members } => {
                for_members(count, places, members, |len, here, there| {
                    copy_strided(len, count, (packed, there), (memory, here));
                });
            }
            Shape::Listed { len, base, at } => scatter_listed(len, (base, at), packed, memory),
        }
    }

    /// The same with fewer bytes than the piece has.
    pub(crate) fn scatter_some(&self, packed: &[u8], memory: &mut [u8]) {
        let mut rest = packed;
        self.for_runs(|first, len| {
            let (now, later) = rest.split_at(len.min(rest.len()));
            if !now.is_empty() {
                memory[first as usize..][..now.len()].copy_from_slice(now);
            }
            rest = later;
        });
    }

    /// Visits place and length of each run.
    pub(crate) fn for_runs(&self, mut visit: impl FnMut(i64, usize)) {
        match self.shape {
            Shape::Run { first } => visit(first, self.bytes),
            Shape::Elements { count, places, members } => (0..count as i64).for_each(|nth| {
                let base = places.first.wrapping_add(places.stride.wrapping_mul(nth));
                members.iter().for_each(|member| visit(base.wrapping_add(member.offset), member.len));
            }),
            Shape::Listed { len, base, at } => at.iter().for_each(|at| visit(base.wrapping_add(*at), len)),
        }
    }
}

/// Visits the members of elements: their length, where they are in memory, and where among the packed bytes.
fn for_members(
    count: usize,
    places: Places,
    members: &[Member],
    mut visit: impl FnMut(usize, Places, Places),
) {
    debug_assert!(count > 0, "a piece has bytes");
    let size = size_of_members(members);
    let mut packed = 0;
    for &Member { offset, len } in members {
        let here = Places { first: places.first.wrapping_add(offset), ..places };
        visit(len, here, Places { first: packed, stride: size as i64 });
        packed += len as i64;
    }
}

fn size_of_members(members: &[Member]) -> usize {
    members.iter().map(|member| member.len).sum()
}

impl Layout {
    /// Visits all pieces, with memory counted from `base` and packed bytes from `packed`, and returns
    /// where these end.
    pub(crate) fn walk(&self, base: i64, packed: usize, visit: &mut impl FnMut(Piece<'_>)) -> usize {
        match self {
            Layout::Empty => packed,
            &Layout::Run { offset, len } => run(base.wrapping_add(offset), len as usize, packed, visit),
            Layout::Repeat { offset, count, stride, body } => {
                let places = Places { first: base.wrapping_add(*offset), stride: *stride };
                body.walk_copies(*count as usize, places, packed, visit)
            }
            Layout::Sequence { offset, parts } => {
                let base = base.wrapping_add(*offset);
                parts.iter().fold(packed, |packed, part| part.walk(base, packed, visit))
            }
            Layout::Listed { offset, len, at } => {
                walk_listed(*len as usize, (base.wrapping_add(*offset), at), packed, visit)
            }
        }
    }

    /// Visits the pieces of `count` copies at `places`. The pieces of an array need no layout of their own this way.
    pub(crate) fn walk_copies(
        &self,
        count: usize,
        places: Places,
        packed: usize,
        visit: &mut impl FnMut(Piece<'_>),
    ) -> usize {
        let Places { first, stride } = places;
        match self {
            Layout::Empty => return packed,
            _ if count == 0 => return packed,
            &Layout::Run { offset, len } if len == stride => {
                return run(first.wrapping_add(offset), len as usize * count, packed, visit);
            }
            Layout::Repeat { offset, count: inner, stride: step, body }
                if step.checked_mul(*inner) == Some(stride) =>
            {
                let places = Places { first: first.wrapping_add(*offset), stride: *step };
                return body.walk_copies(*inner as usize * count, places, packed, visit);
            }
            _ if count == 1 => return self.walk(first, packed, visit),
            _ => {}
        }
        if let Some(members) = Members::of(self) {
            return walk_tiles(members.get(), count, places, packed, visit);
        }
        let copies = (0..count as i64).map(|nth| first.wrapping_add(stride.wrapping_mul(nth)));
        if let Layout::Repeat { offset, count: inner, stride, body } = self
            && let Some(members) = Members::of(body)
        {
            // Two loops, as a part of an array has them: the members are the same each time.
            return copies.fold(packed, |packed, base| {
                let places = Places { first: base.wrapping_add(*offset), stride: *stride };
                walk_tiles(members.get(), *inner as usize, places, packed, visit)
            });
        }
        copies.fold(packed, |packed, base| self.walk(base, packed, visit))
    }
}

fn run(first: i64, bytes: usize, packed: usize, visit: &mut impl FnMut(Piece<'_>)) -> usize {
    visit(Piece { packed, bytes, shape: Shape::Run { first } });
    packed + bytes
}

fn walk_listed(
    len: usize,
    (base, at): (i64, &[i64]),
    packed: usize,
    visit: &mut impl FnMut(Piece<'_>),
) -> usize {
    at.chunks((PIECE_BYTES / len).max(1)).fold(packed, |packed, at| {
        let bytes = at.len() * len;
        visit(Piece { packed, bytes, shape: Shape::Listed { len, base, at } });
        packed + bytes
    })
}

/// Walks elements made of a few runs each, a tile at a time. Within a tile the loop over elements is the
/// inner one, which is several times faster than one run after the other.
fn walk_tiles(
    members: &[Member],
    count: usize,
    places: Places,
    packed: usize,
    visit: &mut impl FnMut(Piece<'_>),
) -> usize {
    let size = size_of_members(members);
    let most = if members.len() == 1 { usize::MAX } else { TILE };
    let tile = if count <= most && count * size <= PIECE_BYTES {
        count
    } else {
        (PIECE_BYTES / size).clamp(1, most)
    };
    let (mut start, mut packed) = (0, packed);
    while start < count {
        let count = tile.min(count - start);
        let first = places.first.wrapping_add(places.stride.wrapping_mul(start as i64));
        let shape = Shape::Elements { count, places: Places { first, ..places }, members };
        visit(Piece { packed, bytes: count * size, shape });
        (start, packed) = (start + count, packed + count * size);
    }
    packed
}

/// The runs of an element, if they are few and short.
#[derive(Default)]
struct Members {
    list: [Member; FEW],
    number: usize,
}

impl Members {
    /// None if they are many or long.
    fn of(layout: &Layout) -> Option<Members> {
        let mut members = Members::default();
        members.hold(layout, 0).then_some(members)
    }

    fn get(&self) -> &[Member] {
        &self.list[..self.number]
    }

    /// Adds the runs of a layout; says whether they are few and short.
    fn hold(&mut self, layout: &Layout, base: i64) -> bool {
        match layout {
            Layout::Empty => true,
            &Layout::Run { offset, len } => self.hold_run(base.wrapping_add(offset), len as usize),
            Layout::Repeat { offset, count, stride, body } => {
                let at = |nth: i64| base.wrapping_add(*offset).wrapping_add(stride.wrapping_mul(nth));
                *count <= FEW as i64 && (0..*count).all(|nth| self.hold(body, at(nth)))
            }
            Layout::Sequence { offset, parts } => {
                parts.len() <= FEW && parts.iter().all(|part| self.hold(part, base.wrapping_add(*offset)))
            }
            Layout::Listed { .. } => false,
        }
    }

    fn hold_run(&mut self, offset: i64, len: usize) -> bool {
        let Some(place) = self.list.get_mut(self.number).filter(|_| len < LONG_RUN) else { return false };
        *place = Member { offset, len };
        self.number += 1;
        true
    }
}
