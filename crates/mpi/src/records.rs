//! What recorders are told.

use mpirage_call::wire::{HeadKind, NonblockingCall, decode_call, decode_receive, head_kind};
use mpirage_call::{Call, Reply, Stamp};
use mpirage_record::{Details, Message, Record, Recorder};
use mpirage_units::Time;

use crate::engine::Engine;
use crate::memory::Memory;
use crate::rank::{Phase, RankState};

/// Messages that are kept before the recorder is told of them: so few that they are still near then, whatever was copied meanwhile.
const KEPT: usize = 16;

/// Whom the engine tells.
///
/// Messages are delivered one after the other, each with a copy of its bytes, and whatever is stored between two copies waits
/// until the first of them has been stored. So of a message only what it was is written down; the recorder is told of many at
/// once, or before it is told of anything else: for it nothing is out of order.
pub(crate) struct Telling {
    recorder: Box<dyn Recorder>,
    kept: Vec<Message>,
}

impl Telling {
    pub(crate) fn new(recorder: Box<dyn Recorder>) -> Telling {
        Telling { recorder, kept: Vec::with_capacity(KEPT) }
    }

    /// Something happened.
    #[inline]
    pub(crate) fn record(&mut self, record: &Record<'_>) {
        self.tell_kept();
        self.recorder.record(record);
    }

    /// An MPI function is over.
    #[inline]
    pub(crate) fn call(
        &mut self,
        rank: u32,
        stamp: &Stamp,
        entered: Time,
        left: Time,
        details: Option<Details<'_>>,
    ) {
        self.tell_kept();
        self.recorder.call(rank, stamp, entered, left, details);
    }

    /// A send or a receive with a request is over; it took no time.
    #[inline]
    pub(crate) fn post(&mut self, rank: u32, at: Time, call: &NonblockingCall, reply: &Reply) {
        self.tell_kept();
        self.recorder.post(rank, at, call, reply);
    }

    /// A message was delivered.
    #[inline]
    pub(crate) fn message(&mut self, message: Message) {
        if self.kept.len() == KEPT {
            self.tell_kept();
        }
        self.kept.push(message);
    }

    #[inline]
    fn tell_kept(&mut self) {
        if !self.kept.is_empty() {
            self.recorder.messages(&self.kept);
            self.kept.clear();
        }
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        self.tell_kept();
    }
}

impl<M: Memory> Engine<M> {
    /// The call a rank is in is over.
    pub(crate) fn record_call(&mut self, rank: u32) {
        let RankState { stamp, entered, in_function, inbox, .. } = &self.ranks[rank as usize];
        if !in_function {
            let (start, end) = (*entered, self.kernel.now());
            if end > start {
                self.recorder.record(&Record::Pause { rank, start, end });
            }
        } else if !self.detailed {
            self.recorder.call(rank, stamp, *entered, self.kernel.now(), None);
        } else if inbox.is_empty() {
            // Its words are being read right now.
            self.unrecorded = true;
        } else {
            self.record_again(rank);
        }
    }

    /// The same for an MPI function of which it is at hand what it asked.
    pub(crate) fn record_details(&mut self, rank: u32, call: &Call<'_>) {
        let RankState { stamp, entered, reply, .. } = &self.ranks[rank as usize];
        let details = Some(Details { call, reply });
        self.recorder.call(rank, stamp, *entered, self.kernel.now(), details);
    }

    /// The same where that is to be read again, since the function has blocked: most were waits or receives.
    fn record_again(&mut self, rank: u32) {
        let RankState { stamp, entered, inbox, current, reply, wait, .. } = &self.ranks[rank as usize];
        let words = &inbox[*current..];
        let mut tell = |call: Option<&Call<'_>>| {
            let details = call.map(|call| Details { call, reply });
            self.recorder.call(rank, stamp, *entered, self.kernel.now(), details);
        };
        let sort = head_kind(words);
        if sort == HeadKind::Wait {
            tell(Some(&Call::Wait { how: wait.how, poll: false, requests: &wait.requests }));
        } else if sort == HeadKind::Collective && !self.collectives_again {
            tell(None);
        } else if let Some(receive) = &decode_receive(words) {
            tell(Some(receive));
        } else {
            // By reference: a call is large.
            tell(decode_call(words).as_ref().ok().map(|(_, call, _)| call));
        }
    }

    /// A rank is no more.
    pub(crate) fn record_end(&mut self, rank: u32) {
        let state = &self.ranks[rank as usize];
        let blocked = match state.phase {
            Phase::Waiting | Phase::Harvesting | Phase::Probing(_) | Phase::InCollective(_) => {
                Some((state.entered, state.stamp.function, state.stamp.site))
            }
            _ => None,
        };
        let at = if state.phase == Phase::Gone { state.end } else { self.kernel.now() };
        let ideal = self.ideal.as_ref().map(|_| state.ideal);
        self.recorder.record(&Record::End { rank, at, blocked, ideal });
    }

    /// The run is over, whatever the reason: tells recorders of the ranks that are still there.
    pub fn close_records(&mut self) {
        for rank in 0..self.ranks.len() as u32 {
            if self.ranks[rank as usize].phase != Phase::Gone {
                self.record_end(rank);
            }
        }
        self.recorder.tell_kept();
    }
}
