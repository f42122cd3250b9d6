//! Queues of frames: lists through one table, and the rings in which outputs serve them.
//!
//! A queue holds the frames of one lane that go from one input of a switch to one output. An output serves its queues that are
//! not empty in turn, one frame each.

use crate::ids::{FrameId, PortId};

const NIL: u32 = u32::MAX;

/// A way through a switch: from a link, or from a host, to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Way {
    pub from: Option<PortId>,
    pub to: PortId,
}

/// A queue of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct QueueId(pub u32);

/// The queues of an output and lane that are not empty, in the order in which they are served.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ring {
    first: u32,
    last: u32,
}

impl Ring {
    pub(super) const EMPTY: Ring = Ring { first: NIL, last: NIL };

    pub(super) fn is_empty(&self) -> bool {
        self.first == NIL
    }
}

#[derive(Clone, Copy, Debug)]
struct Queue {
    first: u32,
    last: u32,
    /// The queue behind it in its ring.
    next: u32,
}

/// All queues.
#[derive(Debug, Default)]
pub(super) struct Queues {
    queues: Vec<Queue>,
    /// The frame behind each frame in its queue.
    behind: Vec<u32>,
}

impl Queues {
    /// Adds so many empty queues.
    pub(super) fn add(&mut self, count: usize) {
        let empty = Queue { first: NIL, last: NIL, next: NIL };
        self.queues.resize(self.queues.len() + count, empty);
    }

    pub(super) fn is_empty(&self, id: QueueId) -> bool {
        self.queues[id.0 as usize].first == NIL
    }

    /// A frame joins a queue of the ring.
    pub(super) fn push(&mut self, ring: &mut Ring, id: QueueId, frame: FrameId) {
        let place = frame.0 as usize;
        if self.behind.len() <= place {
            self.behind.resize(place + 1, NIL);
        }
        self.behind[place] = NIL;
        let queue = &mut self.queues[id.0 as usize];
        if queue.first == NIL {
            (queue.first, queue.last) = (frame.0, frame.0);
            self.append(ring, id.0);
        } else {
            self.behind[queue.last as usize] = frame.0;
            queue.last = frame.0;
        }
    }

    /// The frame that is served next.
    pub(super) fn first(&self, ring: &Ring) -> Option<FrameId> {
        (!ring.is_empty()).then(|| FrameId(self.queues[ring.first as usize].first))
    }

    /// Serves that frame; its queue waits for its next turn.
    pub(super) fn pop(&mut self, ring: &mut Ring) -> Option<FrameId> {
        let frame = self.first(ring)?;
        let id = ring.first;
        let queue = &mut self.queues[id as usize];
        queue.first = self.behind[frame.0 as usize];
        let waits = queue.first != NIL;
        ring.first = queue.next;
        if waits {
            self.append(ring, id);
        }
        Some(frame)
    }

    fn append(&mut self, ring: &mut Ring, id: u32) {
        self.queues[id as usize].next = NIL;
        if ring.first == NIL {
            ring.first = id;
        } else {
            self.queues[ring.last as usize].next = id;
        }
        ring.last = id;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_are_served_in_turn_and_frames_in_order() {
        let (mut queues, mut ring) = (Queues::default(), Ring::EMPTY);
        queues.add(3);
        for (queue, frame) in [(0, 10), (0, 11), (0, 12), (2, 20), (1, 30), (2, 21)] {
            queues.push(&mut ring, QueueId(queue), FrameId(frame));
        }
        let served: Vec<u32> = std::iter::from_fn(|| queues.pop(&mut ring)).map(|frame| frame.0).collect();
        assert_eq!(served, [10, 20, 30, 11, 21, 12]);
        assert!(ring.is_empty() && queues.is_empty(QueueId(0)));
        queues.push(&mut ring, QueueId(1), FrameId(11));
        assert_eq!(queues.pop(&mut ring), Some(FrameId(11)));
    }
}
