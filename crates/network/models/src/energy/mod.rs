//! Energy: models that hold other models and count the joules of what these do.
//!
//! * [`MeteredCores`] knows which cores of a host work, and integrates the power of the host.
//! * [`MeteredNetwork`] counts the bytes that each link carries.
//! * [`MeteredMemory`] counts the bytes that the memory of each host moves.
//!
//! `SampledLinks` counts links as SimGrid does, for the model `simgrid`.
//!
//! They change no date. [`GovernedCores`] do: a [`Governor`] changes the speed of their hosts. A platform without power has none of them.

mod cores;
mod governed;
mod governor;
mod history;
mod hosts;
mod memory;
mod network;
mod sampled_links;

pub use cores::{CoreUse, MeteredCores};
pub use governed::GovernedCores;
pub use governor::Governor;
pub use memory::MeteredMemory;
pub use network::MeteredNetwork;
pub(crate) use sampled_links::SampledLinks;
