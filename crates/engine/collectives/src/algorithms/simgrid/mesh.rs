//! SimGrid's allgather and all-to-all along the dimensions of a mesh.
//!
//! ```text
//!   2dmesh, 6 ranks      0 1 2     rows first: all of a row have what the row has,
//!                        3 4 5     then columns: whole rows to the ranks above and below
//! ```
//!
//! In a phase a rank posts receives from all others of its line, sends to them one after the other, and waits. The all-to-all
//! sends whole vectors until the last dimension, and there only what its receivers want.
//!
//! Faraj, Yuan: *Automatic generation and tuning of MPI collective communication routines* (2005), as SimGrid 3.32 has them in
//! `src/smpi/colls/{allgather,alltoall}`.

use std::ops::Range;

use crate::data::{Data, Piece};
use crate::shape::Shape;
use crate::step::Schedule;

/// Rows of `y` ranks and `x` of them, as square as possible, or none if the number of ranks is a prime above 3.
fn plane(size: u32) -> Option<(u32, u32)> {
    let side = (size.isqrt().max(1)..=size / 2).find(|&side| size.is_multiple_of(side))?;
    Some((side.min(size / side), side.max(size / side)))
}

/// The side of the squares that a box consists of, and how many squares there are.
fn cuboid(size: u32) -> Option<(u32, u32)> {
    let root = (1..=size).take_while(|side| side.pow(3) <= size).last()?;
    let side = (root..=size / 3).find(|&side| size.is_multiple_of(side * side))?;
    Some((side, size / (side * side)))
}

pub(crate) fn is_plane(shape: &Shape) -> bool {
    plane(shape.size).is_some()
}

pub(crate) fn is_cuboid(shape: &Shape) -> bool {
    cuboid(shape.size).is_some()
}

/// Along one line: everyone sends the same to everyone.
fn swap_along(
    line: &[u32],
    me: u32,
    bytes: u64,
    out: &mut Schedule,
    mut send: impl FnMut(u32, &mut Schedule),
) {
    let others = || line.iter().copied().filter(|&rank| rank != me);
    others().for_each(|from| out.irecv(from, bytes));
    others().for_each(|to| send(to, out));
    out.wait_all();
}

/// The lines through a rank: along a row, along a column, and from plane to plane.
struct Lines {
    row: Vec<u32>,
    column: Vec<u32>,
    /// The rank itself is not in it.
    planes: Vec<u32>,
    /// All ranks of the row, and of the plane.
    in_row: Range<u32>,
    in_plane: Range<u32>,
}

impl Lines {
    fn of_plane(shape: &Shape) -> Option<Lines> {
        let (_, width) = plane(shape.size)?;
        let base = shape.rank / width * width;
        Some(Lines {
            row: (base..base + width).collect(),
            column: (shape.rank % width..shape.size).step_by(width as usize).collect(),
            planes: vec![],
            in_row: base..base + width,
            in_plane: 0..shape.size,
        })
    }

    fn of_cuboid(shape: &Shape) -> Option<Lines> {
        let (side, planes) = cuboid(shape.size)?;
        let area = side * side;
        let (plane, row) = (shape.rank / area * area, shape.rank / side * side);
        Some(Lines {
            row: (row..row + side).collect(),
            column: (0..side).map(|i| plane + i * side + shape.rank % side).collect(),
            planes: (1..planes).map(|i| shape.after(i * area)).collect(),
            in_row: row..row + side,
            in_plane: plane..plane + area,
        })
    }
}

pub(crate) fn allgather_plane(shape: &Shape, out: &mut Schedule) {
    allgather(shape, &Lines::of_plane(shape).expect("the shape fits"), out);
}

pub(crate) fn allgather_cuboid(shape: &Shape, out: &mut Schedule) {
    allgather(shape, &Lines::of_cuboid(shape).expect("the shape fits"), out);
}

fn allgather(shape: &Shape, lines: &Lines, out: &mut Schedule) {
    let blocks = |ranks: &Range<u32>| {
        let bytes = u64::from(ranks.end - ranks.start) * shape.bytes;
        Data::blocks(ranks.start, ranks.end - ranks.start, shape.size, bytes)
    };
    let own = shape.rank..shape.rank + 1;
    for (line, data) in [
        (&lines.row, blocks(&own)),
        (&lines.column, blocks(&lines.in_row)),
        (&lines.planes, blocks(&lines.in_plane)),
    ] {
        swap_along(line, shape.rank, data.bytes, out, |to, out| out.send(to, data));
    }
}

pub(crate) fn alltoall_plane(shape: &Shape, out: &mut Schedule) {
    let lines = Lines::of_plane(shape).expect("the shape fits");
    let (row, column) = (&lines.row, &lines.column);
    let vector = u64::from(shape.size) * shape.bytes;
    swap_along(row, shape.rank, vector, out, |to, out| {
        vectors_of(shape.rank..shape.rank + 1, shape, to, out)
    });
    let wanted = row.len() as u64 * shape.bytes;
    swap_along(column, shape.rank, wanted, out, |to, out| blocks_for(&lines.in_row, shape, to, out));
}

pub(crate) fn alltoall_cuboid(shape: &Shape, out: &mut Schedule) {
    let lines = Lines::of_cuboid(shape).expect("the shape fits");
    let vector = u64::from(shape.size) * shape.bytes;
    swap_along(&lines.row, shape.rank, vector, out, |to, out| {
        vectors_of(shape.rank..shape.rank + 1, shape, to, out)
    });
    let row = lines.row.len() as u64;
    swap_along(&lines.column, shape.rank, row * vector, out, |to, out| {
        vectors_of(lines.in_row.clone(), shape, to, out)
    });
    let wanted = row * row * shape.bytes;
    swap_along(&lines.planes, shape.rank, wanted, out, |to, out| blocks_for(&lines.in_plane, shape, to, out));
}

/// Sends the whole input of some ranks.
fn vectors_of(ranks: Range<u32>, shape: &Shape, to: u32, out: &mut Schedule) {
    let count = u64::from(ranks.end - ranks.start) * u64::from(shape.size);
    out.send(to, Data::range(0, count * shape.bytes));
    out.carries(ranks.flat_map(|from| (0..shape.size).map(move |to| Piece::Pair { from, to })));
}

/// Sends the blocks that some ranks have for a rank.
fn blocks_for(ranks: &Range<u32>, shape: &Shape, to: u32, out: &mut Schedule) {
    out.send(to, Data::range(0, u64::from(ranks.end - ranks.start) * shape.bytes));
    out.carries(ranks.clone().map(|from| Piece::Pair { from, to }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meshes_are_as_square_as_possible() {
        assert_eq!(
            [2, 4, 6, 8, 10, 12, 16].map(|size| plane(size).unwrap()),
            [(1, 2), (2, 2), (2, 3), (2, 4), (2, 5), (3, 4), (4, 4)]
        );
        assert_eq!([5, 7, 13].map(plane), [None; 3]);
        assert_eq!(
            [4, 7, 8, 9, 16].map(|size| cuboid(size).unwrap()),
            [(1, 4), (1, 7), (2, 2), (3, 1), (2, 4)]
        );
        assert_eq!([2, 10, 13].map(cuboid), [None; 3]);
    }
}
