//! The inside of a host: sockets, NUMA domains, memory, and how messages between its ranks are copied.
//!
//! A platform has one such description or none; it holds for all hosts. Cores are numbered socket by socket, and within
//! a socket domain by domain: with 2 sockets of 2 domains of 4 cores, core 5 is in domain 1 of socket 0.

/// A NUMA domain of a host; domains are numbered from 0, socket by socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DomainId(pub u32);

/// A core of a host; cores are numbered from 0, domain by domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CoreId(pub u32);

/// A socket of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SocketId(pub u32);

/// The contents of a `[node]` table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeSpec {
    /// Sockets of a host, at least one.
    pub sockets: u32,
    /// NUMA domains of a socket, at least one.
    pub domains_per_socket: u32,
    /// Bytes per second that the memory of a socket reads and writes, shared evenly by its domains.
    pub memory_bandwidth: f64,
    /// Bytes per second that one core can read and write; infinite if the memory is the only limit.
    pub core_bandwidth: f64,
    /// Bytes per second from one socket to another, each direction apart; infinite if nothing is said.
    pub socket_bandwidth: f64,
    /// Seconds that a message takes besides its copies.
    pub latency: NodeLatency,
    /// How messages are copied.
    pub copies: CopyModes,
}

/// Seconds that a message within a host takes besides its copies, by distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeLatency {
    /// Both ranks are in one NUMA domain.
    pub domain: f64,
    /// In different domains of a socket.
    pub socket: f64,
    /// On different sockets.
    pub host: f64,
}

/// How a message gets from one rank's memory into another's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CopyModes {
    /// Bytes per second that one core copies from memory to memory.
    pub bandwidth: f64,
    /// The same within caches.
    pub cache_bandwidth: f64,
    /// Messages of at most so many bytes are copied within caches.
    pub cache: u64,
    /// Messages of at most so many bytes travel within the notice to the receiver ...
    pub inline: u64,
    /// ... the others take so many seconds more, if they pass the shared buffer.
    pub buffer_latency: f64,
    /// Through a shared buffer, sender and receiver copy pieces of so many bytes in turn.
    pub fragment: u64,
    /// Bytes of the shared buffer, which the pieces of a rank's messages use one after the other.
    pub buffer: u64,
    /// Do caches read what a copy overwrites, before it is written?
    pub write_allocate: bool,
    /// The copy that avoids the buffer, if there is one.
    pub single: Option<SingleCopy>,
}

impl CopyModes {
    /// How often the memory moves a byte that a copy writes.
    pub fn writes(&self) -> f64 {
        if self.write_allocate { 2.0 } else { 1.0 }
    }
}

/// The receiver copies a message straight out of the sender's memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SingleCopy {
    /// The mechanism.
    pub mechanism: Mechanism,
    /// Messages of at least so many bytes are copied this way.
    pub from: u64,
    /// Seconds to begin: the request, and the system call or the mapping.
    pub latency: f64,
    /// Bytes per second of one core.
    pub bandwidth: f64,
}

/// The mechanism by which a process reads the memory of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mechanism {
    /// Linux's cross-memory attach: a system call per message.
    Cma,
    /// Pages of other processes are mapped.
    Xpmem,
}

impl Mechanism {
    /// As in files.
    pub fn name(self) -> &'static str {
        match self {
            Mechanism::Cma => "cma",
            Mechanism::Xpmem => "xpmem",
        }
    }

    /// The smallest message that libraries copy this way by default: Open MPI's sm leaves eager messages of up to 4 KiB,
    /// or of up to 32 KiB if it can map memory.
    pub(crate) fn usual_from(self) -> u64 {
        match self {
            Mechanism::Cma => 4 << 10,
            Mechanism::Xpmem => 32 << 10,
        }
    }

    /// UCX's assumption: 500 ns for a copy by the kernel, 60 ns for a mapping that it has made before.
    pub(crate) fn usual_latency(self) -> f64 {
        match self {
            Mechanism::Cma => 500e-9,
            Mechanism::Xpmem => 60e-9,
        }
    }
}

impl NodeSpec {
    /// NUMA domains of a host.
    pub fn domains(&self) -> u32 {
        self.sockets * self.domains_per_socket
    }

    /// Bytes per second of the memory of one domain.
    pub fn domain_bandwidth(&self) -> f64 {
        self.memory_bandwidth / f64::from(self.domains_per_socket)
    }

    /// The domain of a core of a host with so many cores.
    pub fn domain_of(&self, core: CoreId, cores: u32) -> DomainId {
        DomainId(core.0 / (cores / self.domains()).max(1))
    }

    /// The socket of a domain.
    pub fn socket_of(&self, domain: DomainId) -> SocketId {
        SocketId(domain.0 / self.domains_per_socket)
    }

    /// Seconds that a message between two domains takes besides its copies.
    pub fn latency_between(&self, from: DomainId, to: DomainId) -> f64 {
        if from == to {
            self.latency.domain
        } else if self.socket_of(from) == self.socket_of(to) {
            self.latency.socket
        } else {
            self.latency.host
        }
    }

    /// Can so many cores be dealt evenly to the domains?
    pub(crate) fn divides(&self, cores: u32) -> bool {
        cores.is_multiple_of(self.domains())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_belong_to_domains_and_domains_to_sockets() {
        let node = NodeSpec {
            sockets: 2,
            domains_per_socket: 2,
            memory_bandwidth: 100e9,
            core_bandwidth: f64::INFINITY,
            socket_bandwidth: 60e9,
            latency: NodeLatency { domain: 1.0, socket: 2.0, host: 3.0 },
            copies: CopyModes {
                bandwidth: 10e9,
                cache_bandwidth: 20e9,
                cache: 0,
                inline: 0,
                buffer_latency: 0.0,
                fragment: 32 << 10,
                buffer: 32 << 10,
                write_allocate: false,
                single: None,
            },
        };
        let domain = |core| node.domain_of(CoreId(core), 16);
        assert_eq!([0, 3, 4, 8, 15].map(|core| domain(core).0), [0, 0, 1, 2, 3]);
        assert_eq!([0, 1, 2, 3].map(|domain| node.socket_of(DomainId(domain)).0), [0, 0, 1, 1]);
        let latency = |from, to| node.latency_between(domain(from), domain(to));
        assert_eq!([latency(0, 3), latency(0, 4), latency(7, 8)], [1.0, 2.0, 3.0]);
        assert_eq!((node.domains(), node.domain_bandwidth()), (4, 50e9));
    }
}
