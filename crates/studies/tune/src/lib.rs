//! Finds the fastest method of each collective on a simulated machine.
//!
//! ```text
//!  sizes × collectives  ┐                                        ┌ rows: best, base, loss
//!  calls of a program   ┴─> points ──search──> one engine per ───┼ rules for a library
//!                                 (threads)    point and method  └ plots
//! ```
//!
//! A *point* is a call: a collective, the ranks that make it, and its bytes. A *method* is an algorithm with its
//! parameters. Each pair of both is simulated alone on an idle machine: all ranks enter at time 0, and the time of the pair is
//! the time at which the last rank leaves. Several calls in a row (`repeat`) count as their mean.
//!
//! | file | what |
//! |---|---|
//! | `sizes` | the sizes that a user names |
//! | `point` | a call, and what algorithms see of it |
//! | `methods` | which methods are candidates, and which of them are one |
//! | `simulate` | the time of one point with one method |
//! | `search` | all of them, on several cores |
//! | `rules` | what follows for a library: which method from which size on |
//! | `calls` | the collective calls of a program |
//! | `sketch`, `plot` | results as text and as SVG |
//!
//! Results do not depend on the number of cores: each simulation has an engine of its own, and results are put in the order of
//! the points. Nothing here prints, reads or writes files.

mod calls;
mod methods;
mod plot;
mod point;
mod rules;
pub mod schedules;
mod search;
mod simulate;
mod sizes;
mod sketch;

pub use calls::{CallCounter, CallGroup};
pub use methods::Candidates;
pub use mpirage_plot::size_text;
pub use plot::svg;
pub use point::Point;
pub use rules::{Threshold, rules, rules_by_size, thresholds, tuned};
pub use search::{Observer, Progress, Row, Search, Timed};
pub use simulate::TuneError;
pub use sizes::{SizesError, parse_sizes};
pub use sketch::sketch;
