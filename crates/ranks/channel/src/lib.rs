//! Mailboxes in shared memory between the simulator and the lines of control of its ranks.
//!
//! A line of control is a thread of a rank that makes calls and waits for their answers. Each line has a mailbox. All
//! mailboxes lie in one anonymous memory file that the simulator makes and the ranks inherit, so a run leaves nothing with a
//! name behind. Exactly one side owns a mailbox at a time: the word `turn` says which, and a futex on it puts the other side to
//! sleep. Ownership of the contents follows the turn, so only `turn` needs to be atomic. Ranks that are folded into the
//! simulator's process share one mailbox: they run one at a time, and the simulator empties it at every switch.
//!
//! ```text
//!  header │ outbox: calls │ inbox: reply or service │ stores: bytes to put in memory │ result of a service
//! ```

mod crash_note;
mod folded_rank;
mod layout;
mod line_end;
mod line_requests;
mod mailboxes;
mod ring;
mod variable;
mod worker;

/// By this signal the simulator asks a rank that has not called MPI for a while to let others go on. A program has hardly ever a use
/// for the second last of the real-time signals.
pub const YIELD_SIGNAL: i32 = 62;
/// The signal of the timer that samples the stack of a program.
pub const SAMPLE_SIGNAL: i32 = 61;

pub use crash_note::{CRASH_FRAMES, Crash, CrashPlace};
pub use folded_rank::{
    FileLocks, FoldedLibrary, FoldedRank, FoldedRankInit, LoadError, MakeRank, NameRank, Passing, ReadClock,
    Yielding,
};
pub use layout::{
    Briefing, Disturbed, LongerBursts, SERVICE_BYTES, SHARED_FILE_BYTES, STORE_BYTES, WorldPlace, short_name,
};
pub use line_end::{Attach, ChannelError, FoldedPlace, LineEnd, LineOpener};
pub use line_requests::LineRequest;
pub use mailboxes::{Mailboxes, Waiting, interrupt_waits_when_children_end, kill_with_us};
pub use variable::{CHANNEL_VARIABLE, VERSION, channel_value, simulator_of};
pub use worker::{Report, Task, Worker, WorkerEnd};
