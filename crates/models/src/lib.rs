//! Models of machines: how long a transfer and a computation take.
//!
//! * [`FlowNetwork`]: piece-wise linear point-to-point times with max-min contention (paper 1, sections 4 and 6).
//!   Its parameters make it `flow`, `flow:affine`, `flow:no-contention` or `simgrid`.
//! * [`Cores`]: processor cores, shared when there are more ranks than cores.

mod cores;
mod flow;
mod route_cache;

pub use cores::Cores;
pub use flow::{FlowNetwork, FlowParameters, Loopback, Segment};
