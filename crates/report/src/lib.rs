//! The report: one page about a run, to be opened in a browser.
//!
//! ```text
//! records ──► Report ──► Container ──► write_page ──► run.html
//!             writes down  JSON and      the page and
//!             while the    columns       its data, compressed
//!             run goes on, aggregates at the end
//! ```
//!
//! [`Report`] is a [`mpirage_record::Recorder`] with bounded memory: what happened is kept as long as it is not too much, and where it is, it
//! becomes sums, tiles of time that widen, and a tree of paths that is pruned. The page is told results, not records; it
//! computes nothing that is not here. `README.md` says what each field means.
//!
//! | module | what it has |
//! |---|---|
//! | `report`, `names`, `terms` | who is told, and how calls are told apart |
//! | `phrases`, `deed`, `came`, `chronicle`, `by_rank`, `books` | what happened, and where it is kept and added up |
//! | `result` | what the page is told |
//! | `category` | what a rank can be doing |
//! | `tiles`, `events`, `arrows`, `told`, `shapes`, `columns` | the timeline from afar and from near |
//! | `sites`, `collectives`, `traffic` | calls by place, collectives by algorithm, messages by size and by pair |
//! | `path`, `critical` | the critical path, and what lies on it |
//! | `network`, `drawing` | the use of links, and the shape of the machine |
//! | `container`, `gzip`, `base64`, `page` | how it becomes a file |

mod arrows;
mod base64;
mod books;
mod by_rank;
mod came;
mod category;
mod chronicle;
mod collectives;
mod columns;
mod container;
mod critical;
mod deed;
mod drawing;
mod events;
mod gzip;
mod names;
mod network;
mod page;
mod path;
mod phrases;
mod report;
mod result;
mod shapes;
mod sites;
mod terms;
#[cfg(test)]
mod testing;
mod tiles;
mod told;
mod traffic;

pub(crate) use category::Category;
pub use container::Container;
pub use page::{data_of, write_page};
pub use report::{Budget, Ending, Report};

/// Picoseconds as seconds.
fn seconds(picos: u64) -> f64 {
    mpirage_units::Time::from_picos(picos).as_secs_f64()
}
