//! A scenario: everything a run depends on, resolved and checked before it starts.
//!
//! The user's options and the contents of files become values here, once: the [`Model`] (network parameters and
//! MPI protocol) and the [`Placement`] of ranks on hosts. Crates below this one read no settings.

mod built;
mod bus;
mod describe;
mod dimemas;
mod doubts;
mod evidence;
mod faults;
mod fit;
mod keys;
mod loggops;
mod measured_flow;
mod model;
mod network;
mod packet;
mod physics;
mod placement;
mod profile;
mod simgrid;
mod smp;
mod values;

pub use bus::Bus;
pub use dimemas::{Dimemas, REFERENCE_SPEED};
pub use doubts::Situation;
pub use evidence::Evidence;
pub use loggops::LogGops;
pub use model::{Calibration, MODELS, Model, ModelError, ModelName, ModelRequest};
pub use network::Network;
pub use packet::{PACKET_KEYS, Packet, PacketKey, Transport};
pub use placement::{Bind, Mapping, Placement, PlacementError, Slots};
pub use profile::{PROFILES, Profile};
pub use smp::Smp;
