//! Models of machines: how long a transfer and a computation take.
//!
//! * [`FlowNetwork`]: piece-wise linear point-to-point times with max-min contention (Clauss et al., *Single node on-line
//!   simulation of MPI applications with SMPI*, IPDPS 2011, sections 4 and 6).
//!   Its parameters make it `flow`, `flow:affine`, `flow:no-contention` or `simgrid`.
//! * [`ChangingNetwork`]: the same with links that change at dates, and [`ChangingCores`]: cores that do.
//! * [`StreamNetwork`]: the same sharing under byte streams, with frames, interfaces and buffers instead of factors.
//! * [`Hybrid`]: one network for places of interest, another for the rest.
//! * [`BusNetwork`]: nodes with a few links on a few buses (Girona, Labarta, Badia, *Validation of Dimemas communication
//!   model for MPI collective operations*, EuroPVM/MPI 2000), and [`FanTable`], its formula for collectives.
//! * [`Uncontended`]: latency and bandwidth, nothing else; `smp` and `loggops` are built on it.
//! * [`NodeMemory`]: messages between ranks of a host, and computation that reads memory.
//! * [`NoisyNetwork`]: any of the networks, with random delays.
//! * [`StripedNetwork`]: any of the networks, with large messages on all interfaces of a host.
//! * [`DiskArray`]: disks, shared by the accesses under way.
//! * [`MeteredCores`], [`MeteredNetwork`], [`MeteredMemory`]: any of them, with the energy of hosts, links and memory.
//! * [`GovernedCores`]: cores whose performance states a [`Governor`] changes.
//! * [`Cores`]: processor cores, shared when there are more ranks than cores.

mod bus;
mod changes;
mod changing_cores;
mod changing_network;
mod cores;
mod energy;
mod fans;
mod flow;
mod flow_parameters;
mod hybrid;
mod memory;
mod noisy;
mod paths;
mod resources;
mod round_robin_cores;
mod route_cache;
mod scaled_host;
mod serial_cores;
mod star_routes;
mod storage;
mod stream;
mod striped;
mod uncontended;

pub use bus::{BusNetwork, BusNode, BusParameters, Limit, Links};
pub use changing_cores::ChangingCores;
pub use changing_network::ChangingNetwork;
pub use cores::Cores;
pub use energy::{CoreUse, GovernedCores, Governor, MeteredCores, MeteredMemory, MeteredNetwork};
pub use fans::{Exchanged, Fan, FanSize, FanTable, Fans, KINDS, Level, steps};
pub use flow::FlowNetwork;
pub use flow_parameters::{Crowd, Fairness, FlowParameters, Loopback, Segment};
pub use hybrid::{Detail, Hybrid};
pub use memory::{Binding, MemoryUse, NodeMemory};
pub use noisy::NoisyNetwork;
pub use round_robin_cores::RoundRobinCores;
pub use serial_cores::SerialCores;
pub use storage::DiskArray;
pub use stream::{Framing, Lateness, Physics, StreamNetwork, Trailer};
pub use striped::StripedNetwork;
pub use uncontended::{Uncontended, Wire};
