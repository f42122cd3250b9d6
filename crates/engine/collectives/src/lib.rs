//! Collectives as schedules in the timing plane.
//!
//! An algorithm is a plain function that writes down, for one rank, the steps this rank performs:
//! sends, receives, waits, local work. Only sizes appear, never data; the simulator runs each
//! rank's list like a tiny program over its point-to-point layer, in a context of its own.
//!
//! ```text
//!   Collective + Shape ──Choice: rules of a library, overrides──> Method = Algorithm + parameters
//!           └────────────── schedule() ────────────────────────────┘
//!                              │
//!        rank 0: Irecv 1, Isend 1, WaitAll, Reduce, Irecv 2, Isend 2, WaitAll, …
//! ```
//!
//! Where to look:
//!
//! | file | what |
//! |---|---|
//! | `step` | [`Step`], and [`Schedule`], the reusable list that algorithms write into |
//! | `data` | [`Data`]: what a message carries, for tests and readers |
//! | `shape`, `nodes` | [`Shape`]: what one rank knows of one call; [`Nodes`]: which ranks share a node |
//! | `symmetry` | which schedules all ranks can share |
//! | `operation`, `shaped` | a collective in one of its two forms; what a collective does with a shape. Names of collectives, algorithms and methods are in `mpirage_call` |
//! | `entry` | the tables of algorithms |
//! | `select`, `selectors/*.rules` | the rules of MPI libraries, the files that they read, and the user's overrides |
//! | `team`, `tree`, `spanning`, `blocks` | vocabulary the algorithms share: who takes part, who is whose parent, who owns which bytes |
//! | `algorithms` | one file per family of collectives, one function per algorithm |
//! | `perform` | which algorithms perform a collective, and [`schedule`] |
//!
//! Invariants, all tested in `tests/` for every algorithm of every collective:
//!
//! - The schedules of all ranks match: every send meets a receive of the same size.
//! - They end, even when every send is synchronous.
//! - **Data.** Every rank ends with exactly the data that its collective promises. In a reduction every contribution is in
//!   the result once, and next to its neighbours if the operation does not commute.
//! - **Causality.** The simulator writes a rank's output when its schedule ends. So no schedule can
//!   end before every rank whose input it depends on has begun ([`waits_for`]). This is
//!   why messages of zero bytes are still messages.
//! - Nothing is decided by a value that another rank does not know, so that all ranks choose alike.
//!
//! Absent: data, time, and the operation of a reduction. A result does not depend on the
//! algorithm chosen here.
//!
//! ```
//! use mpirage_call::Collective;
//! use mpirage_collectives::{Choice, Schedule, Shape, Step, schedule};
//!
//! let shape = Shape::new(2).bytes(8).element(8).in_place(true);
//! let method = Choice::default().method(Collective::Allreduce, &shape);
//! let mut out = Schedule::default();
//! schedule(Collective::Allreduce, method, &shape, &mut out);
//! assert_eq!(method.to_string(), "recursive-doubling");
//! assert_eq!(
//!     out.steps,
//!     [
//!         Step::Irecv { from: 1, bytes: 8, slot: 0, set: 0 },
//!         Step::Isend { to: 1, bytes: 8, slot: 0, set: 0 },
//!         Step::WaitAll,
//!         Step::Reduce { bytes: 8 },
//!     ]
//! );
//! ```

mod algorithms;
mod blocks;
mod data;
mod entry;
mod nodes;
mod operation;
mod perform;
mod performed;
mod select;
mod selectors;
mod shape;
mod shaped;
mod spanning;
mod step;
mod symmetry;
mod team;
mod tree;

pub use data::{Data, Piece};
pub use nodes::{DeviceLinks, Nodes};
pub use operation::Operation;
pub use perform::{schedule, schedule_part};
pub use performed::Performed;
pub use select::mpich;
pub use select::{
    Choice, ChoiceError, Condition, Decision, DynamicError, Flag, Quantity, Relation, Rule, RuleError,
    Selector, SelectorError, write_dynamic_rules,
};
pub use selectors::read_method;
pub use shape::Shape;
pub use shaped::{waits_for, working_set};
pub use step::{SETS, Schedule, Step};
pub use symmetry::{Symmetry, symmetry};
