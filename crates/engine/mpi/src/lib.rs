//! MPI: communicators, matching, protocols, collectives as schedules.
//!
//! [`Engine`] is a state machine without threads, files or a clock of its own. Its driver hands it the
//! [`mpirage_call::Call`]s that a line of a rank has made ([`Engine::take_calls`]) and asks what comes next
//! ([`Engine::advance`]): a line to resume with its reply, or the end of the run.
//!
//! Two planes:
//! * **timing**: sizes move through the kernel's models. A collective is, for each rank, a schedule of
//!   sends, receives and reductions that runs over the same point-to-point layer.
//! * **data**: bytes move from memory to memory through [`Memory`]: a message when it is delivered, a
//!   collective in one exchange when its ranks leave.
//!
//! Parts own their state and know nothing of each other's; the engine wires them ([`engine`]):
//!
//! ```text
//!                       engine     carries out calls, says whose turn it is
//!    ┌──────────┬──────────┼───────────┬───────────┐
//! ranks     collective  transport  occupancy   observe
//! lines,    instances,  messages,  processors  recorder,
//! requests, schedules,  receives,  of LogGOPS  ideal clocks
//! waits     communica-  matching
//!           tors
//! ```
//!
//! Nothing here recurses: whatever can go on is put into a queue of tasks and goes on from there, in order.

mod collective;
mod data_plane;
mod due;
mod engine;
mod figures;
mod files;
mod ideal;
mod ids;
mod memory;
mod migration;
mod noise;
mod observe;
mod occupancy;
mod origin;
mod protocol;
mod ranks;
mod statistics;
mod transport;
mod turn;
mod windows;
mod wire;
mod working_set;

pub use collective::formula::{CollectiveTimes, Gathering};
pub use collective::nodes::nodes_of;
pub use engine::{
    BalancingRefused, BlockedRank, Bursts, CommunicatorPurpose, Costs, Counts, Diagnosis, Engine, Leftover,
    MatchChoice, OwnWork, Setup, Spawned, Want, waiting_cycle,
};
pub use files::state::FileStatistics;
pub use memory::{FARTHEST, Memory, NoMemory, RankAddress, UserReduction};
pub use migration::{Balancing, CorePlace, Interval, IterationLoads, IterationRow, MigrationHistory};
pub use noise::Noise;
pub use origin::Origin;
pub use protocol::{
    AccessProgress, EagerSend, Envelope, Handshake, LibraryProgress, Overhead, PollCost, ProcessorCosts,
    Protocol, ReceiveStartup, Rendezvous, SendCost, Startup, StartupCost, TransferMode, WakeUp,
};
pub use ranks::job::JobId;
pub use turn::{Ending, Segment, Turn};
