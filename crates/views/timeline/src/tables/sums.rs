//! Sums over what a rank did.

use mpirage_units::{Duration, Time};

use super::table::Cell;

/// The sums of one rank.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    end: Time,
    computing: Duration,
    in_mpi: Duration,
    paused: Duration,
    beside: Duration,
    calls: u64,
    sent_messages: u64,
    sent_bytes: u64,
    received_messages: u64,
    received_bytes: u64,
    unexpected: u64,
}

impl Sums {
    pub fn call(&mut self, [start, end]: [Time; 2]) {
        self.calls += 1;
        self.in_mpi += end.since(start);
        self.end = self.end.max(end);
    }

    pub fn burst(&mut self, [start, end]: [Time; 2], beside: bool) {
        *if beside { &mut self.beside } else { &mut self.computing } += end.since(start);
        self.end = self.end.max(end);
    }

    pub fn pause(&mut self, [start, end]: [Time; 2]) {
        self.paused += end.since(start);
        self.end = self.end.max(end);
    }

    pub fn sent(&mut self, bytes: u64) {
        self.sent_messages += 1;
        self.sent_bytes += bytes;
    }

    pub fn received(&mut self, bytes: u64, unexpected: bool) {
        self.received_messages += 1;
        self.unexpected += u64::from(unexpected);
        self.received_bytes += bytes;
    }

    /// The rank ended.
    pub fn end(&mut self, at: Time) {
        self.end = at;
    }

    /// The row of a rank on a host, whose name is a text of the pool.
    pub fn row(&self, rank: u32, host: Cell) -> [Cell; 13] {
        [
            Cell::number(rank),
            host,
            Cell::time(self.end),
            Cell::span(self.computing),
            Cell::span(self.in_mpi),
            Cell::span(self.paused),
            Cell::span(self.beside),
            Cell::count(self.calls),
            Cell::count(self.sent_messages),
            Cell::count(self.sent_bytes),
            Cell::count(self.received_messages),
            Cell::count(self.received_bytes),
            Cell::count(self.unexpected),
        ]
    }
}
