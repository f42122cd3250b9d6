//! Profiles: how an MPI library behaves on its transport, under one name.

use mpirage_models::{Fairness, FlowParameters, Framing, Lateness, Physics, Trailer};
use mpirage_mpi::{AccessProgress, EagerSend, Handshake, LibraryProgress, Protocol, WakeUp};
use mpirage_packet::{MessageParameters, PacketParameters};
use mpirage_units::Duration;

use crate::packet::Transport;
use crate::physics::no_factors;

/// The behaviour of a library: its protocol, its messages, its collectives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Profile {
    /// Its name, as users write it.
    pub name: &'static str,
    /// A description of the library.
    pub meaning: &'static str,
    /// The table of collectives that it uses.
    pub collectives: &'static str,
    /// The transport under it.
    pub transport: Transport,
    /// Sends of fewer bytes are eager.
    eager_limit: u64,
    eager: EagerSend,
    handshake: Handshake,
    messages: MessageParameters,
    /// When the library acts on messages that arrive.
    progress: LibraryProgress,
    /// Time that software takes for each message.
    software: Duration,
    noise: Noise,
}

/// How punctual hosts are. Without noise, symmetric exchanges stay in step for ever, which real ones do not.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Noise {
    /// How late a rank wakes up at the most.
    wake_up: Duration,
    /// The share of messages that their receiver notices late ...
    late_share: f64,
    /// ... and by how much at the most.
    late_most: Duration,
}

/// Linux hosts with a processor to spare.
const LINUX: Noise = Noise {
    wake_up: Duration::from_nanos(100_000),
    late_share: 0.01,
    late_most: Duration::from_nanos(1_000_000),
};

/// Interfaces that write into memory by themselves.
const PUNCTUAL: Noise = Noise { wake_up: Duration::ZERO, late_share: 0.0, late_most: Duration::ZERO };

/// All profiles, the default first. The numbers of the TCP ones were measured on Linux (`docs/models.md` says how).
pub const PROFILES: [Profile; 7] = [
    Profile {
        name: "openmpi-tcp",
        meaning: "Open MPI 4.1 (ob1, btl tcp): request, grant, data, FIN from 65,481 bytes on",
        collectives: "openmpi-4.1",
        transport: Transport::Tcp,
        eager_limit: 65_481,
        eager: EagerSend::Buffered,
        handshake: Handshake::Grant,
        messages: MessageParameters { header: 24, control: 80, trailer: 80, trailer_from: 65_481 },
        progress: LibraryProgress::InCalls,
        software: Duration::from_nanos(22_000),
        noise: LINUX,
    },
    Profile {
        name: "mpich-tcp",
        meaning: "MPICH 4.0 (ch4:ucx, UCX over TCP): request, grant, data, answer, notice from 19,523 bytes on",
        collectives: "mpich-4.0",
        transport: Transport::Tcp,
        eager_limit: 19_523,
        eager: EagerSend::Buffered,
        handshake: Handshake::Confirm,
        messages: MessageParameters { header: 24, control: 80, trailer: 0, trailer_from: 0 },
        progress: LibraryProgress::InCalls,
        software: Duration::from_nanos(5_000),
        noise: LINUX,
    },
    Profile {
        name: "mpich-sctp",
        meaning: "MPICH2 over SCTP (Penoff et al. 2010): request, grant, data from 64 KiB on; tags are streams",
        collectives: "mpich-4.0",
        transport: Transport::Sctp,
        eager_limit: 65_536,
        eager: EagerSend::Buffered,
        handshake: Handshake::Grant,
        messages: MessageParameters { header: 40, control: 40, trailer: 0, trailer_from: 0 },
        progress: LibraryProgress::InCalls,
        software: Duration::from_nanos(22_000),
        noise: LINUX,
    },
    Profile {
        name: "rdma",
        meaning: "Open MPI or MPICH with UCX over InfiniBand: remote reads from 8 KiB on, on links with credits",
        collectives: "openmpi-4.1",
        transport: Transport::Infiniband,
        eager_limit: 8_192,
        eager: EagerSend::AtOnce,
        handshake: Handshake::Read,
        messages: MessageParameters { header: 16, control: 48, trailer: 0, trailer_from: 0 },
        progress: LibraryProgress::InCalls,
        software: Duration::from_nanos(400),
        noise: PUNCTUAL,
    },
    Profile {
        name: "ucx-ib",
        meaning: "Open MPI 4 with UCX on ConnectX cards, as measured on EDR and HDR100: remote reads from 16 KiB on",
        collectives: "openmpi-4.1",
        transport: Transport::Infiniband,
        eager_limit: 16_384,
        eager: EagerSend::AtOnce,
        handshake: Handshake::Read,
        messages: MessageParameters { header: 16, control: 64, trailer: 0, trailer_from: 0 },
        progress: LibraryProgress::InCalls,
        software: Duration::from_nanos(800),
        noise: PUNCTUAL,
    },
    Profile {
        name: "ofi-slingshot",
        meaning: "libfabric's CXI provider on Slingshot 11: eager up to 16 KiB and 2049 bytes, then remote reads",
        collectives: "openmpi-5.0",
        transport: Transport::Infiniband,
        eager_limit: 18_434,
        eager: EagerSend::AtOnce,
        handshake: Handshake::Read,
        messages: MessageParameters { header: 16, control: 64, trailer: 0, trailer_from: 0 },
        progress: LibraryProgress::Background,
        software: Duration::from_nanos(1_900),
        noise: PUNCTUAL,
    },
    Profile {
        name: "roce",
        meaning: "Open MPI or MPICH with UCX over RoCEv2: Ethernet with pause frames and DCQCN",
        collectives: "openmpi-4.1",
        transport: Transport::Roce,
        eager_limit: 8_192,
        eager: EagerSend::AtOnce,
        handshake: Handshake::Read,
        messages: MessageParameters { header: 16, control: 48, trailer: 0, trailer_from: 0 },
        progress: LibraryProgress::InCalls,
        software: Duration::from_nanos(600),
        noise: PUNCTUAL,
    },
];

/// The parameters of a transport in the flow model.
struct Streaming {
    framing: Framing,
    burst: u64,
    turn: u64,
    send_buffer: Option<u64>,
    initial_window: Option<u64>,
    cross_traffic: f64,
    window: f64,
}

/// Cables of at least so many bytes per second, or of less latency from host to host in seconds, carry remote accesses and not TCP.
const FAST: f64 = 2.5e9;
const NEAR: f64 = 5e-6;

impl Transport {
    /// The network of built-in platforms for this transport. `None`: cables of gigabit Ethernet.
    pub(crate) fn usual_network(self) -> Option<&'static str> {
        match self {
            Transport::Tcp | Transport::Sctp => None,
            Transport::Infiniband => Some("hdr200"),
            Transport::Roce => Some("roce100"),
        }
    }

    /// Sockets have no remote accesses: the target's library carries them out, in its calls.
    fn access_progress(self) -> AccessProgress {
        match self {
            Transport::Tcp | Transport::Sctp => AccessProgress::InCalls,
            Transport::Infiniband | Transport::Roce => AccessProgress::Interface,
        }
    }

    /// The numbers of TCP were measured on Linux; those of the others follow from their headers.
    fn streaming(self) -> Streaming {
        let frames = |payload, header, store_and_forward| Framing { payload, header, store_and_forward };
        match self {
            // 66 bytes for every second frame go back. The kernel keeps 33 KB at its first window.
            Transport::Tcp | Transport::Sctp => Streaming {
                framing: frames(1448, 66, true),
                burst: 7240,
                turn: 2896,
                send_buffer: Some(33_000),
                initial_window: Some(10 * 1448),
                cross_traffic: 0.022,
                window: 4_194_304.0,
            },
            Transport::Infiniband => Streaming {
                framing: frames(4096, 30, false),
                burst: 4096,
                turn: 4096,
                send_buffer: None,
                initial_window: None,
                cross_traffic: 0.008,
                window: f64::INFINITY,
            },
            Transport::Roce => Streaming {
                framing: frames(4096, 78, false),
                burst: 4096,
                turn: 4096,
                send_buffer: None,
                initial_window: None,
                cross_traffic: 0.02,
                window: f64::INFINITY,
            },
        }
    }
}

impl Profile {
    /// The profile of that name.
    pub fn named(name: &str) -> Option<&'static Profile> {
        PROFILES.iter().find(|profile| profile.name == name)
    }

    /// The library that is assumed on cables of this latency (from host to host) and bandwidth, for a program that is built for MPICH or
    /// for another one.
    pub(crate) fn for_cables(latency: f64, bandwidth: f64, mpich: bool) -> &'static Profile {
        let name = match (bandwidth >= FAST || latency < NEAR, mpich) {
            (true, _) => "ucx-ib",
            (false, true) => "mpich-tcp",
            (false, false) => "openmpi-tcp",
        };
        Profile::named(name).unwrap_or(&PROFILES[0])
    }

    /// The protocol of the library on a network of frames.
    pub(crate) fn protocol(&self, base: Protocol) -> Protocol {
        let &Profile { eager_limit, eager, handshake, progress, .. } = self;
        let wake_up = WakeUp { latest: self.noise.wake_up, ..base.wake_up };
        let one_sided = self.transport.access_progress();
        Protocol { eager_limit, eager, handshake, push_limit: u64::MAX, progress, one_sided, wake_up, ..base }
    }

    /// The physics of the library on its transport, for flows.
    pub(crate) fn flow(&self, base: FlowParameters, seed: u64) -> FlowParameters {
        let MessageParameters { header, control, trailer, trailer_from } = self.messages;
        let Streaming { framing, burst, turn, send_buffer, initial_window, cross_traffic, window } =
            self.transport.streaming();
        let trailer = Trailer { bytes: trailer.into(), from: trailer_from };
        let physics = Physics {
            framing,
            control: control.into(),
            trailer: (trailer.bytes > 0).then_some(trailer),
            software: self.software,
            gap: Duration::ZERO,
            burst,
            turn,
            send_buffer,
            initial_window,
            lateness: Lateness { share: self.noise.late_share, most: self.noise.late_most, seed },
        };
        let (segments, fairness) = (no_factors(), Fairness::Equal);
        let (header, physics) = (header.into(), Some(physics));
        FlowParameters { segments, header, window, fairness, cross_traffic, physics, ..base }
    }

    /// The parameters of hosts and messages.
    pub(crate) fn shape(&self, parameters: &mut PacketParameters) {
        parameters.messages = self.messages;
        parameters.hosts.software = self.software;
        parameters.hosts.late_share = self.noise.late_share;
        parameters.hosts.late_most = self.noise.late_most;
    }
}
