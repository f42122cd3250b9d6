//! Max-min fair sharing of resources among flows, with progress in simulated time.
//!
//! A *resource* has a capacity; a *flow* has work to do, uses some resources (each with a weight), and
//! progresses at a rate x that weighted max-min fairness decides. This crate knows nothing else: a resource
//! may be a link or a core, a flow a message or a computation.
//!
//! **The solution.** Write x = λ/p, where p is the flow's penalty and λ its *level*. In the fair solution every
//! flow either runs at its bound or has a *bottleneck*: a full resource on which no other flow has a higher level.
//!
//! Two solvers share the work, and [`Sharing`] decides which flows go where:
//!
//! - `component`: flows that share resources only with each other are a component. Small or regular ones are solved whole and from
//!   scratch at each change.
//! - `incremental`: the others. A change repairs only the bottlenecks that it reaches, and all flows of a bottleneck share one
//!   virtual clock, so that a new level concerns one date.
//!
//! The incremental solver may have a tolerance ([`Sharing::with_tolerance`]): a bottleneck then keeps its level although it has a little
//! room. Levels still sink exactly, so capacities hold. With a tolerance for sinking too, a newcomer on a link that carries a little
//! too much would get nothing.
//!
//! Messages of the same footprint, such as all those between two hosts, always have the same level. They are one flow with several
//! messages, so that the cost of a message does not depend on how many there are.
//!
//! | file | what it holds |
//! |---|---|
//! | `sharing`  | [`Sharing`], the interface: it wires the parts below |
//! | `flow`, `flows`, `resource` | footprints, flows, and the table of flows |
//! | `messages`, `ended` | the messages of each flow, and those that have ended |
//! | `component/` | components: how they are gathered, solved and ended |
//! | `incremental/` | the incremental solver |
//! | `list`, `heap`, `virtual_date` | an intrusive list; a heap whose items know their places; dates on virtual clocks |
//! | [`oracle`] | the definition, naive and from scratch, for tests |
//!
//! Invariants: this crate never reads a clock, never iterates over a hash map, and allocates only when there are
//! more flows, on a resource or in all, than ever before.

mod component;
mod ended;
mod flow;
mod flows;
mod heap;
mod incremental;
mod list;
mod messages;
pub mod oracle;
mod resource;
mod sharing;
mod virtual_date;

pub use flow::{FlowId, Footprint};
pub use resource::{ResourceId, SharingPolicy};
pub use sharing::Sharing;

/// Levels closer than this, relatively, are the same level: differences are rounding.
const TOLERANCE: f64 = 1e-12;

/// Is level `a` above level `b` by more than rounding?
fn above(a: f64, b: f64) -> bool {
    a > b + b * TOLERANCE
}
