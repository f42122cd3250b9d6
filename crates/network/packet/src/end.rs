//! One end of a connection, as its host sees it: a socket.

use mpirage_kernel::Token;
use mpirage_units::Time;
use smallvec::SmallVec;

use crate::capture::Station;
use crate::endpoint::{Endpoint, Lane, Permission};
use crate::ids::{LaneId, PathId};
use crate::stream::Stream;

/// A socket: the endpoint of a protocol, the messages that it is to send, and its share of the host's queue.
/// It begins with a cache line, so that prefetching it is a fixed number of instructions.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct End<E> {
    pub endpoint: E,
    /// Its host and the number of its port.
    pub station: Station,
    /// Where its frames go.
    pub path: PathId,
    /// The virtual lane of its frames.
    pub lane: LaneId,
    /// Frames that it has sent.
    pub sent: u16,
    /// Frames with data that it has in the host's queue.
    pub queued: u32,
    /// The instant at which its timer is set to go off; [`Time::MAX`] if it is not.
    pub timer: Time,
    /// Has it been reported that its connection has failed?
    pub failed: bool,
    lanes: SmallVec<[Stream; 1]>,
    /// The lane whose turn it is to write.
    turn: usize,
}

impl<E: Endpoint> End<E> {
    pub(crate) fn new(endpoint: E, station: Station, (path, lane): (PathId, LaneId)) -> End<E> {
        End {
            endpoint,
            station,
            path,
            lane,
            sent: 0,
            queued: 0,
            timer: Time::MAX,
            failed: false,
            lanes: SmallVec::new(),
            turn: 0,
        }
    }

    /// The messages of a lane.
    pub(crate) fn stream(&mut self, lane: Lane) -> &mut Stream {
        let at = usize::from(lane.0);
        if self.lanes.len() <= at {
            self.lanes.resize_with(at + 1, Stream::default);
        }
        &mut self.lanes[at]
    }

    /// Writes as much of the messages into the send buffer as there is room for. Lanes take turns, message by message where the
    /// protocol knows messages.
    pub(crate) fn fill(&mut self, now: Time) {
        let Some(mut at) = self.next_lane() else { return };
        let mut room = self.endpoint.room();
        while room > 0 {
            let stream = &mut self.lanes[at];
            let bytes = if E::keeps_messages() { stream.unwritten_of_first() } else { stream.unwritten() };
            let bytes = bytes.min(room);
            self.endpoint.write(now, Lane(at as u16), bytes);
            stream.write(bytes);
            room -= bytes;
            self.turn = at + 1;
            match self.next_lane() {
                Some(next) => at = next,
                None => return,
            }
        }
    }

    /// The next lane with something to write, from the one whose turn it is.
    fn next_lane(&self) -> Option<usize> {
        let turn = self.turn.min(self.lanes.len());
        let (before, after) = self.lanes.split_at(turn);
        let waits = |stream: &Stream| stream.unwritten() > 0;
        after.iter().position(waits).map(|at| turn + at).or_else(|| before.iter().position(waits))
    }

    /// A message that has not arrived.
    pub(crate) fn first_message(&self) -> Option<Token> {
        self.lanes.iter().find_map(Stream::first)
    }

    /// Loads its messages into the cache.
    pub(crate) fn prefetch_lanes(&self) {
        mpirage_prefetch::fetch(&self.lanes);
    }

    /// Its permission to send while `most` of its frames with data may be in the host's queue.
    pub(crate) fn permission(&self, most: u32) -> Permission {
        if self.queued < most { Permission::Everything } else { Permission::NoData }
    }

    /// Lanes with messages that have been written since last asked.
    pub(crate) fn lanes(&mut self) -> &mut [Stream] {
        &mut self.lanes
    }
}

#[cfg(test)]
mod tests;
