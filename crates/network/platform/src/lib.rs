//! Platforms: hosts, links, and the route between any two hosts.
//!
//! Files in, validated data out. A [`Platform`] is loaded from a built-in name, a TOML file of
//! ours or a SimGrid XML file, and checked then and there: its users need not check again.
//!
//! ```
//! use mpirage_platform::{HostId, Platform};
//!
//! let platform = Platform::load("fat-tree:4x4", 1)?;
//! let mut links = Vec::new();
//! let latency = platform.route(HostId(0), HostId(15), &mut links);
//! assert_eq!(links.len(), 4);
//! assert!((latency - 200e-6).abs() < 1e-12);
//! # Ok::<(), mpirage_platform::PlatformError>(())
//! ```
//!
//! Where things are:
//!
//! | module | what it does |
//! |---|---|
//! | [`load`](Platform::load), `builtin` | what the user typed → which reader |
//! | `toml`, `xml` | files → calls of the `builder`, with the line of every mistake |
//! | `builder` | pieces → a platform |
//! | `platform` | the platform itself |
//! | `zone` | its parts, and routes through several of them |
//! | `fabric` | regular topologies by formula: nothing is stored per host or per pair |
//! | `preset` | networks by name, from published measurements |
//! | `node` | the inside of hosts: sockets, memory, copies |
//! | `accelerators` | hosts that are accelerators: which of them share a node |
//! | `coordinates` | latencies from where hosts are |
//! | `profile` | values that change at dates |
//! | `power` | watts of hosts and links |
//! | `storage` | where files are: disks, servers, mount points |
//! | `core_speed` | how fast cores do declared and measured work |
//! | `classes` | links by class, and what they connect |
//! | `measure` | bisection, diameter, latency by links |
//! | `describe`, `check`, `taper` | a platform in words, and what looks wrong about it |
//!
//! The formats are described in [`mod@format`].
//!
//! Absent: no table of all pairs, no clock, no model. Model settings of a file are kept
//! as written in [`ModelSettings`].

mod accelerators;
mod builder;
mod builtin;
mod check;
mod classes;
mod coordinates;
mod core_speed;
mod describe;
mod error;
mod fabric;
mod host;
mod interface;
mod link;
mod links;
mod load;
mod measure;
mod node;
mod places;
mod platform;
mod power;
mod preset;
mod profile;
mod quantity;
mod settings;
mod storage;
mod suggest;
mod taper;
mod toml;
mod topology;
mod xml;
mod zone;

#[doc = include_str!("../FORMAT.md")]
pub mod format {}

pub use accelerators::Accelerators;
pub use builtin::{BUILTINS, Builtin};
pub use classes::LinkClass;
pub use coordinates::{distance, has_coordinates};
pub use core_speed::{CoreSpeed, UNMEASURED_SPEED};
pub use error::{FilePlace, PlatformError, Source};
pub use host::HostId;
pub use interface::{HostInterfaces, Interface, InterfacePolicy, InterfaceSwitches};
pub use link::{LinkEnd, LinkId, Sharing};
pub use load::NetworkNames;
pub use measure::{Diameter, HopClass, Method, NetworkFigures};
pub use node::{CopyModes, CoreId, DomainId, Mechanism, NodeLatency, NodeSpec, SingleCopy, SocketId};
pub use places::{NetworkPlace, SwitchPlace};
pub use platform::{Host, Link, Platform, SwitchPort};
pub use power::{HostPower, LinkPower, PowerState, PowerTable};
pub use preset::{NetworkPreset, NetworkSource};
pub use profile::{Changing, Dates, Profile, Profiles};
pub use settings::{ModelSettings, Setting, Value};
pub use storage::{DiskSpec, Disks, StorageId, StorageSpec, Storages, Stripes};
pub use taper::GroupTaper;
pub use topology::Topology;
