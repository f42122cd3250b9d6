//! Runs and messages for tests.

use std::sync::Arc;

use mpirage_call::WORLD;
use mpirage_interpret::RunInfo;
use mpirage_platform::{HostId, Platform};
use mpirage_record::{Message, Scope};
use mpirage_units::Time;

/// A run of so many ranks on a built-in platform, one rank per host as long as there are hosts.
pub(crate) fn run_on(platform: &str, ranks: u32) -> RunInfo {
    let platform = Arc::new(Platform::load(platform, ranks).unwrap());
    let hosts = platform.host_count();
    RunInfo {
        program: "halo".to_owned(),
        placement: (0..ranks).map(|rank| HostId(rank % hosts)).collect(),
        platform,
        facts: Vec::new(),
        sites: None,
        collective_messages: true,
    }
}

/// A message of the world that is sent and departs, arrives and is delivered.
pub(crate) fn message(from: u32, to: u32, bytes: u64, sent: u64, delivered: u64) -> Message {
    let [departed, arrived] = [sent, delivered].map(Time::from_picos);
    let (sent, delivered, scope) = (departed, arrived, Scope::Comm(WORLD));
    Message {
        from,
        to,
        bytes,
        tag: 7,
        scope,
        sent,
        departed,
        arrived,
        delivered,
        awaited: false,
        held: false,
    }
}

/// A message of the first collective.
pub(crate) fn inner_message(from: u32, to: u32, sent: u64, delivered: u64) -> Message {
    Message { scope: Scope::Collective(0), tag: 0, ..message(from, to, 8, sent, delivered) }
}
