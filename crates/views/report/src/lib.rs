//! The report: one HTML page about a run.
//!
//! ```text
//! records ──► Report ──► Container ──► write_page ──► run.html
//!             logs what     JSON and      the page with
//!             happens and   columns       its data,
//!             aggregates it               compressed
//! ```
//!
//! [`Report`] is a [`mpirage_record::Recorder`] with bounded memory. It logs what each rank does and receives. What repeats is only counted
//! (`log`). If the logs still grow too long, they become sums, tiles of time that widen, and a tree of paths that is pruned. The page
//! gets results, not records. `README.md` describes each field.
//!
//! | module | what it has |
//! |---|---|
//! | `report`, `report::finish` | the recorder, and the data of the page made from it |
//! | `log` | the event log: symbols and repetition, reading it backwards, encoding it for the page |
//! | `activity`, `receipt`, `calls`, `envelope`, `logs` | what is logged: activities, messages, kinds of calls |
//! | `aggregator` | the logs of a run, and what is computed from them |
//! | `tiles`, `traffic`, `collectives` | time by category, messages by size and pair, collectives by algorithm |
//! | `path`, `critical` | the critical path, and what lies on it |
//! | `waits`, `last_receipt`, `entries`, `quiet` | wait states and delay costs; who came late to a collective; messages without contention |
//! | `network`, `drawing` | the use of links, and the topology of the machine |
//! | `packets` | queues, drops and retransmissions of packet-level networks |
//! | `names`, `category`, `ranks`, `time` | functions, communicators, categories, ranks and times as the page has them |
//! | `container`, `columns`, `page` | the file |
//! | `figures` | the figures of a file as JSON |

mod activity;
mod aggregator;
mod calls;
mod category;
mod collectives;
mod columns;
mod container;
mod critical;
mod drawing;
mod entries;
mod envelope;
mod figures;
mod last_receipt;
mod log;
mod logs;
mod names;
mod network;
mod packets;
mod page;
mod path;
mod quiet;
mod ranks;
mod receipt;
mod report;
#[cfg(test)]
mod testing;
mod tiles;
mod time;
mod traffic;
mod waits;

pub use aggregator::Budget;
pub use container::Container;
pub use figures::figures_of;
pub use page::{MOST_RUNS, data_of, write_live_page, write_page};
pub use report::{Ending, Report};
