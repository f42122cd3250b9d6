//! Messages by sender and receiver, and by size.

use mpirage_interpret::links::Transfers;
use serde_json::{Value, json};

use crate::container::Container;

/// Rows and columns of the matrix, at most; more ranks share them.
const MOST_CELLS: u32 = 256;
/// Classes of sizes: zero, and one for each power of two.
const CLASSES: usize = 65;

/// Sums over the messages of a run.
#[derive(Clone)]
pub(crate) struct Traffic {
    cells: u32,
    ranks_per_cell: u32,
    /// The row, or column, of each rank.
    places: Vec<u16>,
    /// Bytes and messages, row by row; a row is a sender.
    matrix: Vec<[u64; 2]>,
    /// Bytes and messages of each size; of the program, and inside collectives.
    sizes: [[[u64; 2]; CLASSES]; 2],
}

impl Traffic {
    pub fn new(ranks: u32) -> Traffic {
        let ranks_per_cell = ranks.div_ceil(MOST_CELLS).max(1);
        let cells = ranks.div_ceil(ranks_per_cell);
        let matrix = vec![[0; 2]; (cells * cells) as usize];
        let places = (0..ranks).map(|rank| (rank / ranks_per_cell) as u16).collect();
        Traffic { cells, ranks_per_cell, places, matrix, sizes: [[[0; 2]; CLASSES]; 2] }
    }

    /// Adds messages of the program, or messages inside a collective.
    #[inline]
    pub fn add(&mut self, transfers: &Transfers, in_collective: bool) {
        let &Transfers { from, to, bytes, times, .. } = transfers;
        let place = |rank: u32| usize::from(self.places[rank as usize]);
        let cell = &mut self.matrix[place(from) * self.cells as usize + place(to)];
        let size = &mut self.sizes[usize::from(in_collective)][class(bytes)];
        for [all_bytes, messages] in [cell, size] {
            *all_bytes += bytes * u64::from(times);
            *messages += u64::from(times);
        }
    }

    pub fn ranks(&self) -> u32 {
        self.places.len() as u32
    }

    pub fn write(&self, out: &mut Container) {
        out.set("matrix", json!({"cells": self.cells, "ranks_per_cell": self.ranks_per_cell}));
        out.section("matrix_bytes", self.matrix.iter().map(|cell| cell[0] as f64));
        out.section("matrix_messages", self.matrix.iter().map(|cell| cell[1] as f64));
        out.set("sizes", self.histogram());
    }

    fn histogram(&self) -> Value {
        let [own, inner] = &self.sizes;
        let used: Vec<usize> = (0..CLASSES).filter(|&class| own[class][1] + inner[class][1] > 0).collect();
        let classes = match (used.first(), used.last()) {
            (Some(&first), Some(&last)) => first..last + 1,
            _ => 0..0,
        };
        let column = |of: &dyn Fn(usize) -> u64| classes.clone().map(of).collect::<Vec<u64>>();
        json!({
            "from": column(&from),
            "messages": column(&|class| own[class][1] + inner[class][1]),
            "bytes": column(&|class| own[class][0] + inner[class][0]),
            "collective_messages": column(&|class| inner[class][1]),
            "collective_bytes": column(&|class| inner[class][0]),
        })
    }
}

/// The class of a size: 0 for no bytes, 1 for one byte, 2 for two or three, and so on.
fn class(bytes: u64) -> usize {
    (u64::BITS - bytes.leading_zeros()) as usize
}

/// The smallest size of a class.
fn from(class: usize) -> u64 {
    match class {
        0 => 0,
        class => 1 << (class - 1),
    }
}

#[cfg(test)]
mod tests {
    use mpirage_units::{Duration, Time};

    use super::*;

    #[test]
    fn sizes_are_powers_of_two() {
        for bytes in [0, 1, 2, 3, 4, 1023, 1024, u64::MAX] {
            assert!(from(class(bytes)) <= bytes);
            assert!(class(bytes) == 64 || from(class(bytes) + 1) > bytes, "{bytes}");
        }
    }

    #[test]
    fn ranks_share_cells() {
        let mut traffic = Traffic::new(1_024);
        let (time, period) = (Time::ZERO, Duration::ZERO);
        let mut add = |from, to, bytes, times| {
            let transfers = Transfers { from, to, bytes, departed: time, arrived: time, times, period };
            traffic.add(&transfers, false);
        };
        add(0, 1_023, 25, 4);
        add(3, 1_020, 50, 1);
        assert_eq!((traffic.cells, traffic.ranks_per_cell), (256, 4));
        assert_eq!(traffic.matrix[255], [150, 5]);
        let sizes = traffic.histogram();
        assert_eq!((&sizes["from"], &sizes["messages"]), (&json!([16, 32]), &json!([4, 1])));
    }
}
