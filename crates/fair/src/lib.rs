//! Max-min fair sharing of resources among flows, with progress in simulated time.
//!
//! A *resource* has a capacity; a *flow* has work to do, uses some resources (each with a weight), and
//! progresses at a rate x that weighted max-min fairness decides. This crate knows nothing else: a resource
//! may be a link or a core, a flow a message or a computation.
//!
//! **The solution.** Write x = λ/p, where p is the flow's penalty and λ its *level*. In the fair solution every
//! flow either runs at its bound or has a *bottleneck*, its home: a full resource on which no other flow has a higher level.
//! All flows at home on r share one level μ_r, and that is what makes the engine fast:
//!
//! ```text
//!     clock of r:  V_r(t) = ∫ μ_r dt          a flow joins at V and is done at  F = V + work·p
//!
//!     home r ── members ordered by F ──▶ only the first has a date:  now + (F − V_r)/μ_r
//! ```
//!
//! When a flow joins or leaves, the slope of one clock changes; its other members are not touched.
//!
//! Messages of the same footprint, such as all those between two hosts, always have the same level. They are one flow with several
//! messages (a *class*), so that a message more or less costs the same however many there are.
//!
//! Where flows fall apart into pieces that share nothing with each other, even that is more than needed: small or regular
//! pieces (*components*) are solved whole, each time anew.
//!
//! | file | what it holds |
//! |---|---|
//! | `sharing`  | [`Sharing`], the interface |
//! | `flow`, `flows`, `resource` | the two kinds of things, and a resource's account |
//! | `class`    | messages of the same footprint: one flow |
//! | `component`, `component_end` | pieces of traffic: how they are gathered, and how they end |
//! | `component_fill` | the solve of one component, from scratch |
//! | `filling`  | the incremental solve: progressive filling of what a change can reach |
//! | `deciding` | which level a full resource gives, and to which flows |
//! | `moves`    | how a flow is freed, settled, or given a new bottleneck during a solve |
//! | `reservation` | proofs that a resource is not full, so that no solve need look at it |
//! | `progress` | completion dates |
//! | `list`, `heap` | an intrusive list; a heap whose items know their places |
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
pub use resource::{Kind, ResourceId};
pub use sharing::Sharing;

/// Levels closer than this, relatively, are the same level: differences are rounding.
const TOLERANCE: f64 = 1e-12;

/// Is level `a` above level `b` by more than rounding?
fn above(a: f64, b: f64) -> bool {
    a > b + b * TOLERANCE
}
