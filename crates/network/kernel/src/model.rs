//! The traits that models implement for the kernel.
//!
//! The kernel tells a model when an activity starts and asks it when the next one ends. A model never reads a clock, never
//! schedules, never calls upward. Extend by wrapping: a tap or a fault injector is a model that holds a model.
//!
//! All kinds of models pass time in the same way ([`Model`]); each kind has its own way to start an activity.

use std::io;

use mpirage_platform::{HostId, Interface, LinkId, StorageId};
use mpirage_units::{Duration, Time};

use crate::energy::{HostsEnergy, LinksEnergy};
use crate::history::NetworkHistory;

/// Names an activity to the caller that started it; means nothing to the kernel and the models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Token(pub u64);

/// How far an activity has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Milestone {
    /// The bytes of a transfer that had to wait start to move.
    Departed,
    /// The network holds all bytes of a transfer: the sender may reuse its buffer. Optional; only some networks report it.
    BufferFree,
    /// The activity is over: the bytes have arrived, the work is done, the timer has expired.
    Ended,
    /// The network has given the transfer up: it will never end.
    Failed,
}

/// An activity has reached a milestone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The activity.
    pub token: Token,
    /// The milestone.
    pub milestone: Milestone,
}

impl Event {
    /// The activity is over.
    #[inline]
    pub fn ended(token: Token) -> Event {
        Event { token, milestone: Milestone::Ended }
    }

    /// A transfer that had to wait starts to move.
    pub fn departed(token: Token) -> Event {
        Event { token, milestone: Milestone::Departed }
    }
}

/// Common to all kinds of models: activities end as time passes.
pub trait Model {
    /// The next instant at which `collect` has something to report; never before `now`.
    fn next(&mut self, now: Time) -> Option<Time>;
    /// Moves on to `now` and appends what happens at that instant, in the order in which activities were started.
    fn collect(&mut self, now: Time, events: &mut Vec<Event>);
}

/// The connection that a transfer belongs to. The caller numbers end points and classes; a packet-level network opens one
/// transport connection for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Connection {
    /// The end point that sends.
    pub source: u32,
    /// The end point that receives.
    pub target: u32,
    /// Transfers of different classes never share a connection where the network tells classes apart.
    pub class: u32,
    /// Transfers of different streams need not wait for each other. A network with fewer streams maps several to one.
    pub stream: u32,
}

/// The content of a transfer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cargo {
    /// Bytes of a message.
    #[default]
    Data,
    /// A message of the protocol itself, such as a request to send.
    Control,
}

/// Bytes to be carried from one host to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The host that sends.
    pub from: HostId,
    /// The host that receives; may be the same.
    pub to: HostId,
    /// The number of bytes.
    pub bytes: u64,
    /// Bytes of memory that the operation walks through which they are part of; 0 if it is they alone.
    pub working_set: u64,
    /// The connection that carries them.
    pub connection: Connection,
    /// Data or control.
    pub cargo: Cargo,
    /// The interface it uses at each host, the sender's first: the kernel sets them from the end points.
    pub interfaces: [u8; 2],
}

impl Transfer {
    /// Data on a connection that the model does not tell apart from others.
    pub fn data(from: HostId, to: HostId, bytes: u64) -> Transfer {
        Transfer {
            from,
            to,
            bytes,
            working_set: 0,
            connection: Connection::default(),
            cargo: Cargo::Data,
            interfaces: [0; 2],
        }
    }

    /// The interface that sends.
    #[inline]
    pub fn sends(&self) -> Interface {
        Interface { host: self.from, nth: self.interfaces[0] }
    }

    /// The interface that receives.
    #[inline]
    pub fn receives(&self) -> Interface {
        Interface { host: self.to, nth: self.interfaces[1] }
    }
}

/// When the bytes of a transfer start to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// At once.
    Now,
    /// When what they need is free: `collect` reports [`Milestone::Departed`] then.
    Later,
}

/// How long transfers take.
pub trait NetworkModel: Model {
    /// A transfer starts.
    fn start(&mut self, now: Time, transfer: Transfer, token: Token) -> Departure;

    /// The network that this one holds, if it is one that changes what another does. That one answers most of the questions below.
    fn inner(&self) -> Option<&dyn NetworkModel> {
        None
    }

    /// The same, to change it.
    fn inner_mut(&mut self) -> Option<&mut dyn NetworkModel> {
        None
    }

    /// A time that every transfer between the first interfaces of two hosts takes at least; zero if the network does not know. A transfer
    /// that starts changes nothing about others before it has passed.
    fn least_latency(&self, _from: HostId, _to: HostId) -> Duration {
        Duration::ZERO
    }

    /// The network's statistics so far, if it keeps any.
    fn statistics(&self) -> Option<NetworkStatistics> {
        self.inner()?.statistics()
    }

    /// The energy of links up to an instant, if the network counts it.
    fn energy(&self, until: Time) -> Option<LinksEnergy> {
        self.inner()?.energy(until)
    }

    /// The names of links whose frames wait for each other in a circle, so that they never move on. Asked when the run cannot go on.
    fn circle(&self) -> Option<Vec<String>> {
        self.inner()?.circle()
    }

    /// Why the network gave a transfer up, if it knows more than that nothing came back.
    fn failure(&self) -> Option<String> {
        self.inner()?.failure()
    }

    /// From now on the network records its queues and connections over time, if it has any. Called before the first transfer.
    fn record_history(&mut self) {
        if let Some(inner) = self.inner_mut() {
            inner.record_history();
        }
    }

    /// The recorded history; `None` if recording is off or nothing is recorded.
    fn take_history(&mut self) -> Option<NetworkHistory> {
        self.inner_mut()?.take_history()
    }

    /// The run is over: completes what the network writes.
    fn finish(&mut self) -> io::Result<()> {
        self.inner_mut().map_or(Ok(()), |inner| inner.finish())
    }
}

/// The counters of a network.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NetworkStatistics {
    /// Counts of the whole network, by name.
    pub totals: Vec<(&'static str, u64)>,
    /// Every link that has carried something.
    pub links: Vec<LinkStatistics>,
}

/// The counters of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkStatistics {
    /// The link.
    pub link: LinkId,
    /// Frames that it carried.
    pub frames: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Frames for which the queue in front of it had no room.
    pub dropped: u64,
    /// Frames that it lost.
    pub lost: u64,
    /// Frames that the queue marked.
    pub marked: u64,
    /// The most bytes that waited in the queue.
    pub most_waiting: u64,
}

/// Work for the cores of a host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Computation {
    /// The host that computes.
    pub host: HostId,
    /// The core it runs on, for models that bind computations to cores; other models choose a core themselves.
    pub core: u32,
    /// The time that one core takes for it.
    pub seconds: f64,
    /// The number of cores that can work on it at the same time: the threads that share it. At least one.
    pub threads: f64,
}

/// How long computations take.
pub trait ComputeModel: Model {
    /// A computation starts.
    fn start(&mut self, now: Time, computation: Computation, token: Token);

    /// The energy of hosts up to an instant, if the model counts it.
    fn energy(&self, _until: Time) -> Option<HostsEnergy> {
        None
    }
}

/// The memory traffic of a computation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traffic {
    /// The end point that computes, as in [`Connection`].
    pub end_point: u32,
    /// Bytes read and written.
    pub bytes: f64,
    /// Bytes per second as fast as the cores ask for them: those of the computation if memory never made it wait.
    pub rate: f64,
    /// The number of cores that read and write at the same time. At least one.
    pub cores: f64,
}

/// How long the memory of hosts takes: for messages that stay within a host, and for computations that say what they read.
pub trait MemoryModel: Model {
    /// Does it carry transfers within a host? Else the network does.
    fn carries_transfers(&self) -> bool {
        true
    }

    /// A transfer within a host starts.
    fn start_copy(&mut self, now: Time, transfer: Transfer, token: Token);

    /// A computation starts that reads and writes memory.
    fn start_traffic(&mut self, now: Time, traffic: Traffic, token: Token);

    /// The joules of memory by host, if the model counts them.
    fn energy(&self) -> Option<Vec<(HostId, f64)>> {
        None
    }
}

/// A disk of a storage: of a local one, the disk of the host with this number; of one with servers, that of the server with this
/// number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Disk {
    /// The storage.
    pub storage: StorageId,
    /// The number of the disk in the storage.
    pub unit: u32,
}

/// An operation of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiskWork {
    /// Reads so many bytes, in so many pieces.
    Read {
        /// Bytes.
        bytes: u64,
        /// Pieces, at least one.
        pieces: u32,
    },
    /// So many bytes are written, in so many pieces.
    Write {
        /// Bytes.
        bytes: u64,
        /// Pieces, at least one.
        pieces: u32,
    },
    /// So many operations on directories.
    Metadata {
        /// Operations.
        operations: u32,
    },
}

/// How long disks take.
pub trait StorageModel: Model {
    /// A disk begins with something.
    fn start(&mut self, now: Time, disk: Disk, work: DiskWork, token: Token);
}
