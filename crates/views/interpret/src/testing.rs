//! Runs and messages for tests.

use std::sync::Arc;

use mpirage_call::WORLD;
use mpirage_platform::{HostId, Platform, UNMEASURED_SPEED};
use mpirage_record::{MessageRecord, Scope};
use mpirage_units::Time;

use crate::RunInfo;

/// A run of `ranks` ranks on a built-in platform. Ranks are placed round robin over the hosts.
///
/// # Panics
/// If `platform` is not the name of a built-in platform.
pub fn run_on(platform: &str, ranks: u32) -> RunInfo {
    let platform = Arc::new(Platform::load(platform, ranks).expect("a built-in platform"));
    let hosts = platform.host_count();
    RunInfo {
        program: "halo".to_owned(),
        placement: (0..ranks).map(|rank| HostId(rank % hosts)).collect(),
        platform,
        measured_on: UNMEASURED_SPEED,
        facts: vec![("model".to_owned(), "flow".to_owned())],
        sites: None,
        collective_messages: false,
    }
}

/// A message in `MPI_COMM_WORLD` that departs when it is sent and is delivered when it arrives, in picoseconds.
pub fn message((from, to): (u32, u32), bytes: u64, (sent, delivered): (u64, u64)) -> MessageRecord {
    let [sent, delivered] = [sent, delivered].map(Time::from_picos);
    MessageRecord {
        from,
        to,
        bytes,
        tag: 7,
        scope: Scope::Comm(WORLD),
        sent,
        departed: sent,
        arrived: delivered,
        delivered,
        awaited: false,
        held: false,
        unexpected: false,
    }
}
