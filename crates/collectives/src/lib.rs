//! Collectives as schedules in the timing plane.
//!
//! An algorithm is a plain function that writes down, for one rank, the steps this rank performs:
//! sends, receives, waits, local work. Only sizes appear, never data; the simulator runs each
//! rank's list like a tiny program over its point-to-point layer, in a context of its own.
//!
//! ```text
//!   Collective + Shape ──default_algorithm / Choice──> Algorithm
//!           └────────────── schedule() ──────────────────┘
//!                              │
//!        rank 0: Irecv 1, Isend 1, WaitAll, Reduce, Irecv 2, Isend 2, WaitAll, …
//! ```
//!
//! Where to look:
//!
//! | file | what |
//! |---|---|
//! | `step` | [`Step`], and [`Schedule`], the reusable list that algorithms write into |
//! | `shape` | [`Shape`]: what one rank knows of one call |
//! | `symmetry` | which schedules all ranks can share |
//! | `collective`, `algorithm` | the names of both, and which goes with which |
//! | `choice` | the default rules and the user's overrides |
//! | `team`, `tree`, `blocks` | vocabulary the algorithms share: who takes part, who is whose parent, who owns which bytes |
//! | `barrier`, `bcast`, … | one file per family of collectives, one function per algorithm |
//! | `double_tree` | the one algorithm that needs a file of its own |
//!
//! Invariants, all tested in `tests/` for every algorithm of every collective:
//!
//! - The schedules of all ranks match: every send meets a receive of the same size.
//! - They end, even when every send is synchronous.
//! - **Causality.** The simulator writes a rank's output when its schedule ends. So no schedule can
//!   end before every rank whose input it depends on has begun ([`Collective::waits_for`]). This is
//!   why messages of zero bytes are still messages.
//! - Nothing is decided by a value that another rank does not know, so that all ranks choose alike.
//!
//! What is absent: data, time, and the operation of a reduction. A result does not depend on the
//! algorithm chosen here.
//!
//! ```
//! use mpirage_collectives::{Collective, Schedule, Shape, Step, default_algorithm, schedule};
//!
//! let shape = Shape::new(2).bytes(8).element(8).in_place(true);
//! let algorithm = default_algorithm(Collective::Allreduce, &shape);
//! let mut out = Schedule::default();
//! schedule(Collective::Allreduce, algorithm, &shape, &mut out);
//! assert_eq!(algorithm.name(), "recursive-doubling");
//! assert_eq!(
//!     out.steps,
//!     [
//!         Step::Irecv { from: 1, bytes: 8, slot: 0 },
//!         Step::Isend { to: 1, bytes: 8, slot: 0 },
//!         Step::WaitAll,
//!         Step::Reduce { bytes: 8 },
//!     ]
//! );
//! ```

mod algorithm;
mod allgather;
mod allreduce;
mod alltoall;
mod barrier;
mod bcast;
mod blocks;
mod choice;
mod collective;
mod double_tree;
mod gather;
mod reduce;
mod reduce_scatter;
mod scan;
mod scatter;
mod shape;
mod step;
mod symmetry;
mod team;
mod tree;

pub use algorithm::Algorithm;
pub use choice::{Choice, ChoiceError, default_algorithm};
pub use collective::{Collective, schedule, schedule_part};
pub use shape::Shape;
pub use step::{Schedule, Step};
pub use symmetry::{Member, Symmetry, symmetry};
