//! The wire: all that the engine starts in the kernel.
//!
//! [`Wire`] owns the kernel and the hosts of ranks. Timers, computations, disks and transfers start here and nowhere else, each under the
//! token of its [`Due`]. Transfers of messages, windows and files share connections between end points; their numbers and classes are here.

use std::io;
use std::sync::Arc;

use mpirage_call::RankId;
use mpirage_kernel::{
    Advance, Cargo, Computation, Connection, Departure, Disk, DiskWork, Event, Kernel, NetworkHistory,
    Traffic, Transfer,
};
use mpirage_platform::HostId;
use mpirage_units::{Duration, Time};

use crate::due::Due;
use crate::working_set::WorkingSet;

/// An end point of the network.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    /// A rank, on its host.
    Rank(RankId),
    /// A server of a file system.
    Server { unit: u32, host: HostId },
}

/// The class of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Messages between ranks; windows and files share their connections.
    PointToPoint = 0,
    /// Messages inside collectives.
    Collective = 1,
}

/// Transfers of different streams need not wait for each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stream {
    pub class: Class,
    pub number: u32,
    /// The memory that their operation walks through.
    pub working_set: WorkingSet,
}

impl Stream {
    pub(crate) fn point_to_point(number: u32) -> Stream {
        Stream { class: Class::PointToPoint, number, working_set: WorkingSet::default() }
    }
}

/// The kernel, and the hosts between which it carries.
pub(crate) struct Wire {
    kernel: Kernel,
    /// The host of each rank.
    hosts: Arc<[HostId]>,
}

impl Wire {
    pub(crate) fn new(kernel: Kernel, hosts: Arc<[HostId]>) -> Wire {
        Wire { kernel, hosts }
    }

    /// The kernel, to ask.
    pub(crate) fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The current instant.
    #[inline]
    pub(crate) fn now(&self) -> Time {
        self.kernel.now()
    }

    #[inline]
    pub(crate) fn host(&self, rank: RankId) -> HostId {
        self.hosts[rank.index()]
    }

    /// The hosts of all ranks.
    pub(crate) fn hosts(&self) -> &Arc<[HostId]> {
        &self.hosts
    }

    /// Ranks are on these hosts from now on. Transfers under way go on to the host they were sent to.
    pub(crate) fn set_hosts(&mut self, hosts: Arc<[HostId]>) {
        self.hosts = hosts;
    }

    #[inline]
    pub(crate) fn start_timer(&mut self, span: Duration, due: Due) {
        self.kernel.start_timer(span, due.token());
    }

    /// Starts a computation; with `traffic`, it also reads and writes memory.
    #[inline]
    pub(crate) fn start_compute(&mut self, computation: Computation, traffic: Option<Traffic>, due: Due) {
        match traffic {
            None => self.kernel.start_compute(computation, due.token()),
            Some(traffic) => self.kernel.start_memory_bound(computation, traffic, due.token()),
        }
    }

    pub(crate) fn start_disk(&mut self, disk: Disk, work: DiskWork, due: Due) {
        self.kernel.start_disk(disk, work, due.token());
    }

    /// Starts to carry bytes from one end point to another; without `bytes`, a message of the protocol itself.
    #[inline(always)]
    pub(crate) fn start_transfer(
        &mut self,
        (from, to): (End, End),
        Stream { class, number, working_set }: Stream,
        bytes: Option<u64>,
        due: Due,
    ) -> Departure {
        let (source, from) = self.locate(from);
        let (target, to) = self.locate(to);
        let connection = Connection { source, target, class: class as u32, stream: number };
        let cargo = if bytes.is_some() { Cargo::Data } else { Cargo::Control };
        let data = Transfer::data(from, to, bytes.unwrap_or(0));
        let transfer = Transfer { connection, cargo, working_set: working_set.bytes(), ..data };
        self.kernel.start_transfer(transfer, due.token())
    }

    /// Starts to carry the state of a rank to the host it moves to.
    pub(crate) fn start_migration(&mut self, rank: RankId, (from, to): (HostId, HostId), bytes: u64) {
        self.kernel.start_transfer(Transfer::data(from, to, bytes), Due::Migration(rank).token());
    }

    /// The number and the host of an end point. Servers come after the ranks.
    #[inline(always)]
    fn locate(&self, end: End) -> (u32, HostId) {
        match end {
            End::Rank(rank) => (rank.get(), self.hosts[rank.index()]),
            End::Server { unit, host } => (self.hosts.len() as u32 + unit, host),
        }
    }

    /// See [`Kernel::advance`].
    #[inline]
    pub(crate) fn advance(&mut self, events: &mut Vec<Event>) -> Advance {
        self.kernel.advance(events)
    }

    /// See [`Kernel::move_to`].
    pub(crate) fn move_to(&mut self, instant: Time) {
        self.kernel.move_to(instant);
    }

    /// See [`Kernel::next_instant`].
    pub(crate) fn next_instant(&mut self) -> Option<Time> {
        self.kernel.next_instant()
    }

    /// See [`Kernel::known_instant`].
    pub(crate) fn known_instant(&mut self) -> Option<Time> {
        self.kernel.known_instant()
    }

    /// See [`Kernel::finish_network`].
    pub(crate) fn finish_network(&mut self) -> io::Result<()> {
        self.kernel.finish_network()
    }

    /// See [`Kernel::take_network_history`].
    pub(crate) fn take_network_history(&mut self) -> Option<NetworkHistory> {
        self.kernel.take_network_history()
    }
}
