//! Runs and messages for tests.

use mpirage_interpret::RunInfo;
pub(crate) use mpirage_interpret::testing::message;
use mpirage_record::{MessageRecord, Scope};

/// A run of so many ranks on a built-in platform.
pub(crate) fn run_on(platform: &str, ranks: u32) -> RunInfo {
    RunInfo { collective_messages: true, ..mpirage_interpret::testing::run_on(platform, ranks) }
}

/// A message of the first collective.
pub(crate) fn inner_message(ranks: (u32, u32), times: (u64, u64)) -> MessageRecord {
    MessageRecord { scope: Scope::Collective(0), tag: 0, ..message(ranks, 8, times) }
}
