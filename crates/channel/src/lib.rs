//! A mailbox in shared memory between the simulator and one rank.
//!
//! All mailboxes lie in one anonymous memory file that the simulator makes and the ranks inherit,
//! so nothing with a name can be left behind. Exactly one side owns a mailbox at a time: the word
//! `turn` says which, and a futex on it puts the other side to sleep. Ownership of the contents
//! follows the turn, so nothing but `turn` needs to be atomic. Ranks folded into the simulator's process share one mailbox:
//! they run one at a time, and what it holds is taken at every switch.
//!
//! ```text
//!  header │ outbox: calls, or what a service gives back │ inbox: reply or service │ stores: bytes to put in memory
//! ```

mod berth;
mod crash_note;
mod fleet;
mod layout;
mod rank_end;

pub use berth::{Berth, FileLocks, FoldedLibrary, FoldedRank, MakeRank, NameRank, Passing, ReadClock};
pub use crash_note::{CRASH_FRAMES, Crash, CrashPlace};
pub use fleet::{Fleet, Waiting, interrupt_waits_when_children_end, kill_with_us};
pub use layout::{Briefing, Disturbed, SERVICE_BYTES, SHARED_FILE_BYTES, STORE_BYTES};
pub use rank_end::{Attach, ChannelError, FoldedPlace, RankEnd};

/// Environment variable by which a rank finds the memory file: `descriptor:rank`.
pub const CHANNEL_VARIABLE: &str = "MPIRAGE_CHANNEL";
