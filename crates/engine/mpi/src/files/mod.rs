//! Files: accesses under way, and what ranks that open a file share.
//!
//! ```text
//! a rank's access ──► stages, one after the other (a write with gaps reads first)
//!                        └─► legs, all at once: one per disk that holds a part
//!                              read    request ──► disk and data together
//!                              write   disk and data together ──► acknowledgement
//! a collective access ──► a gathering: when all ranks have come, a few of them (aggregators) access the file for all,
//!                         round by round; the others exchange their bytes with them in messages
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `layout` | which part of a file lies on which disk |
//! | `access` | stages and legs |
//! | `gathering` | collective accesses: who accesses what for whom |
//! | `state` | [`state::Files`]: all files of a run |

pub(crate) mod access;
pub(crate) mod gathering;
pub(crate) mod layout;
pub(crate) mod state;

pub(crate) use state::Files;
