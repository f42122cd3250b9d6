//! Files of this machine as MPI sees them: descriptors, views, data representations, and accesses.
//!
//! ```text
//! program's memory ─pack─► packed bytes ─Representation─► bytes of the file ─View─► places in the file
//! ```
//!
//! A rank reads and writes its files itself, with the system's calls. The simulator only says when: an access asks first, and moves
//! bytes when it is answered, so that reads and writes of all ranks happen in the order of simulated time.

pub(crate) mod access;
pub(crate) mod descriptor;
pub(crate) mod representation;
pub(crate) mod view;
