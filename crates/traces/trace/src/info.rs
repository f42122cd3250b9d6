//! Statistics of a workload: calls, message sizes, the communication matrix.

use std::collections::HashMap;

use mpirage_call::{Call, ContextId, Member, Peers, Reply, SELF, Stamp, WORLD, Work, function_name};
use mpirage_units::Duration;

use crate::convert::write_calls;
use crate::writer::TraceWriter;
use crate::{Computation, TraceError, Workload};

/// Rows and columns of the communication matrix at the most.
const CELLS: u32 = 64;

/// Statistics of a workload.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Info {
    /// Number of ranks.
    pub ranks: u32,
    /// Number of threads that call MPI: as many as ranks if each has one.
    pub threads: u32,
    /// MPI functions and how often they are called, the most frequent first.
    pub calls: Vec<(&'static str, u64)>,
    /// All calls.
    pub total_calls: u64,
    /// Point-to-point messages.
    pub messages: u64,
    /// Bytes of point-to-point messages.
    pub message_bytes: u64,
    /// `sizes[k]` counts messages of `2^(k-1)` to `2^k - 1` bytes; `sizes[0]` counts empty ones.
    pub sizes: Vec<u64>,
    /// Calls of collectives.
    pub collectives: u64,
    /// Bytes that ranks contribute to collectives.
    pub collective_bytes: u64,
    /// Computation declared as floating-point operations.
    pub flops: f64,
    /// Computation measured, in nanoseconds.
    pub nanos: u128,
    /// How the traced run charged computation.
    pub computation: Computation,
    /// Time in which ranks slept, in picoseconds.
    pub paused_picos: u128,
    /// Messages between groups of ranks.
    pub matrix: Matrix,
    /// Messages to a receiver that only a run can tell, because its communicator is made during the run.
    pub elsewhere: u64,
}

/// The communication matrix. Many ranks are grouped, so that it stays small.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix {
    /// Ranks that share a row and a column.
    pub ranks_per_cell: u32,
    /// Rows and columns.
    pub side: u32,
    /// Messages and bytes: row (sender) by row.
    pub cells: Vec<(u64, u64)>,
}

impl Matrix {
    fn new(ranks: u32) -> Matrix {
        let ranks_per_cell = ranks.div_ceil(CELLS).max(1);
        let side = ranks.div_ceil(ranks_per_cell);
        Matrix { ranks_per_cell, side, cells: vec![(0, 0); (side * side) as usize] }
    }

    /// Messages and bytes from one group to another.
    pub fn cell(&self, (from, to): (u32, u32)) -> (u64, u64) {
        self.cells[(from * self.side + to) as usize]
    }

    fn add(&mut self, from: u32, to: u32, bytes: u64) {
        let (row, column) = (from / self.ranks_per_cell, to / self.ranks_per_cell);
        if let Some((messages, sum)) = self.cells.get_mut((row * self.side + column) as usize) {
            *messages += 1;
            *sum += bytes;
        }
    }
}

/// Counts the calls of a workload without running it.
pub fn info(workload: &mut dyn Workload) -> Result<Info, TraceError> {
    let ranks = workload.ranks();
    let threads = ranks + workload.threads().len() as u32;
    let (computation, matrix) = (workload.computation(), Matrix::new(ranks));
    let info = Info { ranks, threads, computation, matrix, ..Info::default() };
    let mut collector = InfoCollector { info, by_function: Vec::new(), communicators: HashMap::new() };
    write_calls(workload, &mut collector, false, &|| false)?;
    Ok(collector.result())
}

struct InfoCollector {
    info: Info,
    by_function: Vec<u64>,
    communicators: HashMap<ContextId, Vec<u32>>,
}

impl InfoCollector {
    fn result(mut self) -> Info {
        let counted = self.by_function.iter().enumerate().filter(|(_, times)| **times > 0);
        let mut calls: Vec<_> =
            counted.map(|(function, &times)| (function_name(function as u16), times)).collect();
        // Ties in the order of names: nothing depends on how functions are numbered.
        calls.sort_unstable_by_key(|&(name, times)| (std::cmp::Reverse(times), name));
        self.info.calls = calls;
        self.info
    }

    fn world(&self, rank: u32, context: ContextId, peer: u32) -> Option<u32> {
        match context {
            WORLD => Some(peer),
            SELF => Some(rank),
            other => self.communicators.get(&other)?.get(peer as usize).copied(),
        }
    }

    /// The rank's place in a communicator, and how many ranks that has.
    fn place(&self, rank: u32, context: ContextId) -> (u32, u32) {
        let Some(members) = self.communicators.get(&context) else { return (0, 1) };
        let place = members.iter().position(|&member| member == rank);
        (place.unwrap_or(0) as u32, members.len() as u32)
    }

    fn message(&mut self, rank: u32, context: ContextId, to: u32, bytes: u64) {
        let info = &mut self.info;
        info.messages += 1;
        info.message_bytes += bytes;
        let class = (u64::BITS - bytes.leading_zeros()) as usize;
        if info.sizes.len() <= class {
            info.sizes.resize(class + 1, 0);
        }
        info.sizes[class] += 1;
        match self.world(rank, context, to) {
            Some(to) => self.info.matrix.add(rank, to, bytes),
            None => self.info.elsewhere += 1,
        }
    }
}

impl TraceWriter for InfoCollector {
    fn computed(&mut self, _: u32, work: Work) {
        match work {
            Work::Flops(flops) | Work::Roofline { flops, .. } => self.info.flops += flops,
            Work::Nanos(nanos) => self.info.nanos += u128::from(nanos),
            Work::Threads(burst) => self.info.nanos += u128::from(burst.nanos()),
        }
    }

    fn paused(&mut self, _: u32, span: Duration) {
        self.info.paused_picos += u128::from(span.as_picos());
    }

    fn called(&mut self, rank: u32, stamp: &Stamp, call: &Call<'_>, _: &Reply, _: Duration) {
        let function = usize::from(stamp.function);
        if self.by_function.len() <= function {
            self.by_function.resize(function + 1, 0);
        }
        self.by_function[function] += 1;
        self.info.total_calls += 1;
        if let Call::FailedPoll { span } = *call {
            self.paused(rank, span);
        }
        if let Call::Send { context, to, bytes, .. } = *call {
            self.message(rank, context, to, bytes);
        }
        if let Call::Collective(collective) = call {
            let (seat, size) = match (collective.context, collective.peers) {
                (WORLD, _) => (rank, self.info.ranks),
                (other, Peers::OtherSide { .. }) => self.place(rank, other),
                // Where the rank is does not matter.
                (other, _) => (0, self.communicators.get(&other).map_or(1, Vec::len) as u32),
            };
            self.info.collectives += 1;
            self.info.collective_bytes += collective.bytes(Member { rank: seat, size }).0;
        }
    }

    fn communicator(&mut self, context: ContextId, members: &[u32]) {
        self.communicators.insert(context, members.to_vec());
    }

    /// The calls of a thread are those of its rank.
    fn open_thread(&mut self, rank: u32) -> Option<u32> {
        Some(rank)
    }

    fn stores_accesses(&self) -> bool {
        true
    }

    fn finish(&mut self) -> Result<(), TraceError> {
        Ok(())
    }
}
