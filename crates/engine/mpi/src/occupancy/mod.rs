//! Occupation of processors and network interfaces: LogGOPS.
//!
//! In this model each rank has a processor that does one thing at a time: it computes, it sends (o + (s−1)·O), it takes a
//! message that has arrived (o + (s−1)·max(O, G)). Each host has a network interface that lets g + (s−1)·G pass between two
//! sends, and between two messages it takes. What cannot start waits.
//!
//! ```text
//!            o                L                  o + (s−1)·G
//! rank 0  ▓▓▓▓▓▓▓▓──────────────────────┐
//! rank 1                                └─▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓ delivered
//!         send: bytes leave         visible, matched
//! ```
//!
//! [`Occupancy`] is what the rest of the engine sees. Ranks that are programs compete for [`Processors`]; ranks that are
//! graphs for [`Graphs`], in the order of LogGOPSim; in other models nothing is ever occupied.

mod costs;
mod graphs;
mod processors;

use std::sync::Arc;

use mpirage_call::RankId;
use mpirage_platform::HostId;
use mpirage_units::{Duration, Time};

use crate::ids::MessageId;
use crate::protocol::Protocol;

pub(crate) use graphs::{ExecutionUnit, GraphEvent, GraphItem, Graphs, Served};
pub(crate) use processors::{Job, Processors, Start};

/// The ranks that occupy processors.
#[derive(Debug)]
pub(crate) enum Occupancy {
    /// None: the model has no processors.
    None,
    /// Ranks that are programs.
    Processors(Box<Processors>),
    /// Ranks that are graphs.
    Graphs(Box<Graphs>),
}

impl Occupancy {
    pub(crate) fn new(protocol: &Protocol, hosts: &Arc<[HostId]>) -> Occupancy {
        match protocol.processor {
            Some(costs) => Occupancy::Processors(Box::new(Processors::new(costs, Arc::clone(hosts)))),
            None => Occupancy::None,
        }
    }

    /// All ranks are graphs. False if there are no processors for which they compete.
    pub(crate) fn run_graphs(&mut self, protocol: &Protocol, hosts: &Arc<[HostId]>) -> bool {
        let Some(costs) = protocol.processor else { return false };
        *self = Occupancy::Graphs(Box::new(Graphs::new(costs, Arc::clone(hosts))));
        true
    }

    #[inline]
    pub(crate) fn processors(&mut self) -> Option<&mut Processors> {
        if let Occupancy::Processors(processors) = self { Some(processors) } else { None }
    }

    #[inline]
    pub(crate) fn graphs(&mut self) -> Option<&mut Graphs> {
        if let Occupancy::Graphs(graphs) = self { Some(graphs) } else { None }
    }

    #[inline]
    pub(crate) fn has_graphs(&self) -> bool {
        matches!(self, Occupancy::Graphs(_))
    }

    /// Has no rank a processor to wait for?
    #[inline]
    pub(crate) fn is_none(&self) -> bool {
        matches!(self, Occupancy::None)
    }

    /// The next in the order of all that happens; zero where that order decides nothing.
    pub(crate) fn next_turn(&mut self) -> u64 {
        match self {
            Occupancy::None => 0,
            Occupancy::Processors(processors) => processors.next_turn(),
            Occupancy::Graphs(graphs) => graphs.next_turn(),
        }
    }

    /// A message of a rank has matched a receive, or a receive its message: what the rank does next counts from here.
    pub(crate) fn count_from_match(&mut self, rank: RankId) -> Option<u64> {
        let processors = self.processors()?;
        let turn = processors.next_turn();
        processors.count_from(rank, turn);
        Some(turn)
    }

    /// The wait of a rank is over: the rank goes on as soon as its processor is free.
    pub(crate) fn free_rank(&mut self, rank: RankId, now: Time) {
        if let Some(processors) = self.processors() {
            processors.free_rank(rank, now);
        }
    }

    /// How long a processor is still busy with a message: so long its rank cannot go on, not even to post a receive.
    pub(crate) fn busy_with_message(&mut self, rank: RankId, now: Time) -> Duration {
        self.processors().map_or(Duration::ZERO, |processors| processors.busy_with_message(rank, now))
    }

    /// How long a rank whose wait is over cannot go on, because its processor was busy when the wait ended.
    pub(crate) fn busy_after_wait(&mut self, rank: RankId, now: Time) -> Duration {
        self.processors().map_or(Duration::ZERO, |processors| processors.busy_after_wait(rank, now))
    }

    /// A message of a graph and a receive have matched; `waited` if the sender waited for that.
    pub(crate) fn graph_matched(&mut self, id: MessageId, ends: (RankId, RankId), waited: bool, now: Time) {
        if let Some(graphs) = self.graphs() {
            graphs.matched(id, ends, waited, now);
        }
    }
}
