//! Checks of MPI programs.
//!
//! The MPI library of a checked run says more about its calls than the simulator needs: the types of data, and mistakes that it
//! sees itself ([`mpirage_call::Call::Declare`], `Observe`, `Finding`). [`Checker`] is a recorder that reads these and all other
//! calls of all ranks, and compares them:
//!
//! ```text
//! messages      pairs sends with receives; compares their type signatures
//! collectives   compares what the members of a collective give and get
//! windows       finds conflicting accesses of one epoch
//! causality     which messages could a wildcard receive have got instead? (clocks: vector clocks)
//! report        findings with source lines; groups them, and merges those of several runs
//! text, sarif   forms of a report
//! ```
//!
//! Nothing here runs a program: a driver starts runs, and hands the findings of each to a [`Report`].

mod access;
mod causality;
mod checker;
mod clocks;
mod collectives;
mod messages;
mod owner;
mod raw;
mod report;
mod sarif;
mod text;
mod wildcard;
mod windows;

pub use causality::Alternative;
pub use checker::Checker;
pub use raw::{CallSite, RawFinding, Related};
pub use report::{CodePlace, Finding, RelatedPlace, Report};
pub use sarif::sarif;
pub use text::text;
pub use wildcard::Decided;
