//! Messages keep their boundaries, and lanes take turns.

use mpirage_kernel::{Cargo, Token};
use mpirage_platform::HostId;
use mpirage_units::Duration;

use super::*;
use crate::endpoint::Role;
use crate::sctp::{Sctp, SctpSettings};

/// An end whose send buffer is full, with messages of 1000 bytes: three on lane 0, then one on lane 2 and two on lane 5.
fn waiting() -> (End<Sctp>, SctpSettings) {
    let settings = SctpSettings { lanes: 6, ..SctpSettings::default() };
    let station = Station { host: HostId(0), port: 40_000 };
    let mut end = End::new(Sctp::new(&settings, Role::Active), station, (PathId(0), LaneId(0)));
    for (token, lane) in [0, 0, 0, 2, 5, 5].into_iter().enumerate() {
        end.stream(Lane(lane)).push(Token(token as u64), Cargo::Data, 1000, Duration::ZERO);
    }
    (end, settings)
}

/// The chunks that the other end gets: their lanes, bytes, and whether they are whole messages.
fn chunks(end: &mut End<Sctp>, settings: &SctpSettings) -> Vec<(u16, u16, bool)> {
    let mut other = Sctp::new(settings, Role::Passive);
    let mut chunks = Vec::new();
    // The handshake takes two round trips; then both ends talk until nothing is left.
    for _ in 0..8 {
        while let Some(segment) = end.endpoint.transmit(Time::ZERO, Permission::Everything) {
            let data = segment.header.data().iter();
            chunks.extend(data.map(|chunk| (chunk.lane.0, chunk.bytes, chunk.first && chunk.last)));
            other.receive(Time::ZERO, &segment, false);
        }
        while let Some(segment) = other.transmit(Time::ZERO, Permission::Everything) {
            end.endpoint.receive(Time::ZERO, &segment, false);
        }
    }
    chunks
}

#[test]
fn lanes_take_turns_and_messages_stay_apart() {
    let (mut end, settings) = waiting();
    end.fill(Time::ZERO);
    let expected = [0, 2, 5, 0, 5, 0].map(|lane| (lane, 1000, true));
    assert_eq!(chunks(&mut end, &settings), expected);
}
