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

use std::os::fd::RawFd;

use mpirage_call::LineId;

mod crash_note;
mod folded_rank;
mod layout;
mod line_end;
mod line_requests;
mod mailboxes;

pub use crash_note::{CRASH_FRAMES, Crash, CrashPlace};
pub use folded_rank::{
    FileLocks, FoldedLibrary, FoldedRank, FoldedRankInit, MakeRank, NameRank, Passing, ReadClock,
};
pub use layout::{
    Briefing, Disturbed, SERVICE_BYTES, SHARED_FILE_BYTES, STORE_BYTES, WorldPlace, short_name,
};
pub use line_end::{Attach, ChannelError, FoldedPlace, LineEnd, LineOpener};
pub use line_requests::LineRequest;
pub use mailboxes::{Mailboxes, Waiting, interrupt_waits_when_children_end, kill_with_us};

/// Environment variable by which a rank finds the memory file and its first line's mailbox: `descriptor:line`.
pub const CHANNEL_VARIABLE: &str = "MPIRAGE_CHANNEL";

/// The memory file and the line that the value of [`CHANNEL_VARIABLE`] names.
pub(crate) fn parse_variable(value: &str) -> Option<(RawFd, LineId)> {
    let mut parts = value.split(':');
    let (file, line): (RawFd, u32) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    (file >= 0).then_some((file, LineId::new(line)))
}

/// The value of [`CHANNEL_VARIABLE`] for a rank that this process starts: the memory file, the line, and this process.
pub fn channel_value(file: RawFd, line: LineId) -> String {
    format!("{file}:{line}:{}", std::process::id())
}

/// The process of the simulator that a value of [`CHANNEL_VARIABLE`] names.
pub fn simulator_of(value: &str) -> Option<u32> {
    value.split(':').nth(2)?.parse().ok()
}
