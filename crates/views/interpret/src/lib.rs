//! The meaning of records: the part that the writers of files (`timeline`) and the report page share.
//!
//! | module | what it knows |
//! |---|---|
//! | [`RunInfo`] | program, platform and placement: everything about a run that is known before it starts |
//! | [`function`] | the kind of each MPI function |
//! | [`arguments`] | peer, bytes, tag and communicator of a call |
//! | [`comms`] | the members of each communicator |
//! | [`Sites`], [`CallSites`] | source locations of calls |
//! | [`links`] | bytes on each link over time |

pub mod arguments;
pub mod comms;
pub mod function;
pub mod links;
mod run_info;
mod sites;
// Always compiled: as a feature of tests it would have them build the crates above a second time.
#[doc(hidden)]
pub mod testing;

pub use links::LinkUse;
pub use run_info::RunInfo;
pub use sites::{CALLED_FROM, CallSites, Copies, Sites};
