//! The steps of a rank, and the list of them.

use std::ops::Range;

use mpirage_call::SendStyle;
use mpirage_units::Duration;

use crate::data::{Data, Piece};
use crate::shape::Shape;

/// How many request sets a schedule has.
pub const SETS: usize = 4;

/// One step of one rank. Ranks are ranks of the communicator.
///
/// Sends and receives between a pair of ranks match on `slot`, in order within one slot. Each non-blocking operation belongs to
/// one of [`SETS`] request sets, so that a rank can wait for some of them only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Starts a send.
    Isend {
        /// The receiving rank.
        to: u32,
        /// Size of the message.
        bytes: u64,
        /// Plays the part of the tag.
        slot: u16,
        /// The request set.
        set: u8,
    },
    /// Starts a synchronous send: it is complete when the receiver has begun to receive.
    Issend {
        /// The receiving rank.
        to: u32,
        /// Size of the message.
        bytes: u64,
        /// Plays the part of the tag.
        slot: u16,
        /// The request set.
        set: u8,
    },
    /// Posts a receive.
    Irecv {
        /// The sending rank.
        from: u32,
        /// Size of the message.
        bytes: u64,
        /// Plays the part of the tag.
        slot: u16,
        /// The request set.
        set: u8,
    },
    /// Waits for everything this rank has outstanding.
    WaitAll,
    /// Waits until at most `left` operations of one request set are outstanding.
    Wait {
        /// The request set.
        set: u8,
        /// How many may remain.
        left: u32,
    },
    /// A blocking send, in whatever mode its size implies.
    Send {
        /// The receiving rank.
        to: u32,
        /// Size of the message.
        bytes: u64,
        /// Plays the part of the tag.
        slot: u16,
    },
    /// A blocking synchronous send.
    Ssend {
        /// The receiving rank.
        to: u32,
        /// Size of the message.
        bytes: u64,
        /// Plays the part of the tag.
        slot: u16,
    },
    /// A blocking receive.
    Recv {
        /// The sending rank.
        from: u32,
        /// Size of the message.
        bytes: u64,
        /// Plays the part of the tag.
        slot: u16,
    },
    /// Combines that many bytes with that many others, locally.
    Reduce {
        /// Bytes of one operand.
        bytes: u64,
    },
    /// Combines that many bytes with others while they arrive: a device does so at the speed of the message.
    Combine {
        /// Bytes of one operand.
        bytes: u64,
    },
    /// Lets time pass. Messages under way go on meanwhile.
    Delay {
        /// How long.
        span: Duration,
    },
    /// Copies that many bytes, locally: the rank's own block, packing, rotating.
    Copy {
        /// Bytes copied.
        bytes: u64,
        /// Blocks that lie apart, of which a library makes a datatype; 0 if it copies the bytes in one piece.
        blocks: u32,
    },
}

impl Step {
    /// The same step with another peer, if it has one.
    #[inline]
    pub(crate) fn with_peer(mut self, other: impl FnOnce(u32) -> u32) -> Step {
        if let Some(peer) = self.peer_mut() {
            *peer = other(*peer);
        }
        self
    }

    #[inline]
    fn peer_mut(&mut self) -> Option<&mut u32> {
        match self {
            Step::Isend { to: peer, .. }
            | Step::Issend { to: peer, .. }
            | Step::Irecv { from: peer, .. }
            | Step::Send { to: peer, .. }
            | Step::Ssend { to: peer, .. }
            | Step::Recv { from: peer, .. } => Some(peer),
            Step::WaitAll
            | Step::Wait { .. }
            | Step::Reduce { .. }
            | Step::Combine { .. }
            | Step::Delay { .. }
            | Step::Copy { .. } => None,
        }
    }
}

/// Slots that a phase of an algorithm may use.
const PHASE_SLOTS: u16 = 16;

/// The steps of one rank, in order. Keep it and fill it again: its memory is reused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The rank's steps.
    pub steps: Vec<Step>,
    slot: u16,
    /// The number of the last phase.
    phase: u16,
    /// The request set of the next non-blocking operations.
    set: u8,
    /// Operations of each set that have been started and not waited for, at most.
    outstanding: [u32; SETS],
    /// The steps that are kept; the others are only counted.
    window: Range<usize>,
    count: usize,
    /// The data that each step sends, in an annotated schedule.
    notes: Option<Vec<Vec<Piece>>>,
}

impl Default for Schedule {
    fn default() -> Self {
        Schedule {
            steps: Vec::new(),
            slot: 0,
            phase: 0,
            set: 0,
            outstanding: [0; SETS],
            window: 0..usize::MAX,
            count: 0,
            notes: None,
        }
    }
}

impl Schedule {
    /// A schedule that keeps the content of its messages.
    pub fn annotated() -> Self {
        Schedule { notes: Some(Vec::new()), ..Schedule::default() }
    }

    /// The data that a step sends, in an annotated schedule. Empty for other steps.
    pub fn carried(&self, step: usize) -> &[Piece] {
        self.notes.as_ref().and_then(|notes| notes.get(step)).map_or(&[], |pieces| pieces)
    }

    /// Forgets the steps, keeps the memory.
    pub fn clear(&mut self) {
        self.clear_for(0..usize::MAX);
    }

    /// Forgets the steps and will keep only those with a number in `window`.
    pub(crate) fn clear_for(&mut self, window: Range<usize>) {
        self.steps.clear();
        (self.slot, self.phase, self.set, self.outstanding) = (0, 0, 0, [0; SETS]);
        self.window = window;
        self.count = 0;
        if let Some(notes) = &mut self.notes {
            notes.clear();
        }
    }

    /// Were steps written beyond the window?
    pub(crate) fn goes_on(&self) -> bool {
        self.count > self.window.end
    }

    fn push(&mut self, step: Step) {
        if self.window.contains(&self.count) {
            self.steps.push(step);
        }
        self.count += 1;
    }

    /// Keeps what the last step sends.
    fn note(&mut self, pieces: impl FnOnce() -> Vec<Piece>) {
        if let Some(notes) = &mut self.notes {
            notes.resize(self.steps.len().max(1) - 1, Vec::new());
            notes.push(pieces());
        }
    }

    /// Messages from here on use the next slot: the second half of an algorithm made of two.
    pub fn next_slot(&mut self) {
        self.slot += 1;
    }

    /// Non-blocking operations from here on belong to this request set.
    pub fn set(&mut self, set: u8) {
        assert!(usize::from(set) < SETS, "there is no request set {set}");
        self.set = set;
    }

    fn start(&mut self) {
        self.outstanding[usize::from(self.set)] += 1;
    }

    /// Appends a non-blocking send.
    pub fn isend(&mut self, to: u32, data: Data) {
        self.start();
        self.push(Step::Isend { to, bytes: data.bytes, slot: self.slot, set: self.set });
        self.note(|| data.pieces());
    }

    /// Appends a non-blocking send with so many bytes on the wire besides the data.
    pub(crate) fn isend_padded(&mut self, to: u32, data: Data, padding: u64) {
        self.start();
        self.push(Step::Isend { to, bytes: data.bytes + padding, slot: self.slot, set: self.set });
        self.note(|| {
            let mut pieces = data.pieces();
            pieces.extend((padding > 0).then_some(Piece::Padding(padding)));
            pieces
        });
    }

    /// Appends a non-blocking synchronous send.
    pub fn issend(&mut self, to: u32, data: Data) {
        self.start();
        self.push(Step::Issend { to, bytes: data.bytes, slot: self.slot, set: self.set });
        self.note(|| data.pieces());
    }

    /// Appends a non-blocking receive.
    pub fn irecv(&mut self, from: u32, bytes: u64) {
        self.start();
        self.push(Step::Irecv { from, bytes, slot: self.slot, set: self.set });
    }

    /// Appends a wait for everything outstanding; none if nothing is.
    pub fn wait_all(&mut self) {
        if std::mem::take(&mut self.outstanding) != [0; SETS] {
            self.push(Step::WaitAll);
        }
    }

    /// Appends a wait until at most `left` operations of a request set are outstanding; none if no more can be.
    pub fn wait(&mut self, set: u8, left: u32) {
        let outstanding = &mut self.outstanding[usize::from(set)];
        if *outstanding > left {
            *outstanding = left;
            self.push(Step::Wait { set, left });
        }
    }

    /// Appends a blocking send.
    pub fn send(&mut self, to: u32, data: Data) {
        self.push(Step::Send { to, bytes: data.bytes, slot: self.slot });
        self.note(|| data.pieces());
    }

    /// Appends a send, blocking or not as the parameters of the algorithm say; a wait has to follow the last one.
    pub(crate) fn send_to_one_of_many(&mut self, shape: &Shape, to: u32, data: Data) {
        match shape.parameters.sends {
            SendStyle::InOrder => self.send(to, data),
            SendStyle::AtOnce => self.isend(to, data),
        }
    }

    /// Appends a blocking synchronous send.
    pub fn ssend(&mut self, to: u32, data: Data) {
        self.push(Step::Ssend { to, bytes: data.bytes, slot: self.slot });
        self.note(|| data.pieces());
    }

    /// Appends a blocking receive.
    pub fn recv(&mut self, from: u32, bytes: u64) {
        self.push(Step::Recv { from, bytes, slot: self.slot });
    }

    /// Sends and receives at once, which cannot deadlock: `MPI_Sendrecv`.
    pub(crate) fn exchange(&mut self, to: u32, sent: Data, from: u32, received: u64) {
        self.irecv(from, received);
        self.isend(to, sent);
        self.wait_all();
    }

    /// Says what the last message carries, where that is no range of bytes or blocks.
    pub(crate) fn carries(&mut self, pieces: impl IntoIterator<Item = Piece>) {
        if let Some(last) = self.notes.as_mut().and_then(|notes| notes.last_mut()) {
            *last = pieces.into_iter().collect();
        }
    }

    /// Runs an algorithm of some ranks of the communicator: rank `i` of what `build` appends is `ranks[i]`. It may use further
    /// slots; afterwards all ranks are in the same one again, those that do not take part too.
    pub(crate) fn among(&mut self, ranks: &[u32], build: impl FnOnce(&mut Schedule)) {
        let (first, before) = (self.steps.len(), (self.slot, self.phase));
        build(self);
        (self.slot, self.phase) = before;
        for step in &mut self.steps[first..] {
            *step = step.with_peer(|peer| ranks[peer as usize]);
        }
    }

    /// Appends the next phase of an algorithm. Its slots are its own, however many of them each rank uses: ranks that do different things in
    /// one phase agree on the slots of the next one, also those that do nothing in it.
    pub(crate) fn phase(&mut self, build: impl FnOnce(&mut Schedule)) {
        self.phase += 1;
        let before = (self.slot, self.phase);
        self.slot = self.phase * PHASE_SLOTS;
        build(self);
        (self.slot, self.phase) = before;
    }

    /// A phase in which this rank does nothing.
    pub(crate) fn skip_phase(&mut self) {
        self.phase(|_| {});
    }

    /// As [`Schedule::among`], for ranks that follow each other, with other names for what messages carry.
    pub(crate) fn within(
        &mut self,
        ranks: Range<u32>,
        label: impl Fn(Piece) -> Piece,
        build: impl FnOnce(&mut Schedule),
    ) {
        let first = self.steps.len();
        build(self);
        for step in &mut self.steps[first..] {
            *step = step.with_peer(|peer| ranks.start + peer);
        }
        for pieces in self.notes.iter_mut().flat_map(|notes| notes.iter_mut().skip(first)) {
            *pieces = std::mem::take(pieces).into_iter().map(&label).collect();
        }
    }

    /// Appends steps with other names for what their messages carry; one piece may become several.
    pub(crate) fn relabelled(
        &mut self,
        label: impl Fn(&Piece) -> Vec<Piece>,
        build: impl FnOnce(&mut Schedule),
    ) {
        let first = self.steps.len();
        build(self);
        for pieces in self.notes.iter_mut().flat_map(|notes| notes.iter_mut().skip(first)) {
            *pieces = pieces.iter().flat_map(&label).collect();
        }
    }

    /// Runs an algorithm of a part of the vector that begins at `offset`. The next part may use the same slots, since messages between two
    /// ranks are matched in order.
    pub(crate) fn part(&mut self, offset: u64, build: impl FnOnce(&mut Schedule)) {
        let (first, before) = (self.steps.len(), (self.slot, self.phase));
        build(self);
        (self.slot, self.phase) = before;
        let notes = self.notes.iter_mut().flat_map(|notes| notes.iter_mut().skip(first));
        for piece in notes.flatten() {
            if let Piece::Bytes(range) = piece {
                *range = range.start + offset..range.end + offset;
            }
        }
    }

    /// Appends a reduction; none if there is nothing to reduce.
    pub fn reduce(&mut self, bytes: u64) {
        if bytes > 0 {
            self.push(Step::Reduce { bytes });
        }
    }

    /// Appends a reduction of bytes while they arrive; none if there is nothing to reduce.
    pub(crate) fn combine(&mut self, bytes: u64) {
        if bytes > 0 {
            self.push(Step::Combine { bytes });
        }
    }

    /// Appends a time that passes; none if it is zero.
    pub(crate) fn delay(&mut self, span: Duration) {
        if !span.is_zero() {
            self.push(Step::Delay { span });
        }
    }

    /// Appends a copy; none if there is nothing to copy.
    pub fn copy(&mut self, bytes: u64) {
        if bytes > 0 {
            self.push(Step::Copy { bytes, blocks: 0 });
        }
    }

    /// Appends a copy of blocks that lie apart.
    pub fn pack(&mut self, bytes: u64, blocks: u32) {
        if bytes > 0 {
            self.push(Step::Copy { bytes, blocks });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An all-to-all of thousands of ranks holds millions of steps.
    #[test]
    fn a_step_is_two_words() {
        assert_eq!(size_of::<Step>(), 16);
    }

    #[test]
    fn a_wait_without_requests_is_left_out() {
        let mut schedule = Schedule::default();
        schedule.wait_all();
        schedule.isend(1, Data::NOTHING);
        schedule.wait_all();
        schedule.wait_all();
        assert_eq!(schedule.steps, [Step::Isend { to: 1, bytes: 0, slot: 0, set: 0 }, Step::WaitAll]);
    }

    #[test]
    fn clearing_keeps_the_memory_and_restarts_the_slots() {
        let mut schedule = Schedule::default();
        schedule.next_slot();
        schedule.exchange(1, Data::range(0, 2), 3, 4);
        let capacity = schedule.steps.capacity();
        schedule.clear();
        schedule.send(5, Data::range(0, 6));
        assert_eq!(schedule.steps, [Step::Send { to: 5, bytes: 6, slot: 0 }]);
        assert_eq!(schedule.steps.capacity(), capacity);
    }

    #[test]
    fn a_wait_for_a_set_is_left_out_when_so_many_cannot_be_outstanding() {
        let mut schedule = Schedule::default();
        schedule.set(2);
        schedule.irecv(1, 0);
        schedule.irecv(2, 0);
        schedule.wait(2, 2);
        schedule.wait(1, 0);
        schedule.wait(2, 1);
        schedule.wait(2, 1);
        assert_eq!(schedule.steps[2..], [Step::Wait { set: 2, left: 1 }]);
        schedule.wait_all();
        assert_eq!(schedule.steps.len(), 4, "one is still outstanding");
    }

    #[test]
    fn notes_follow_the_steps() {
        let mut schedule = Schedule::annotated();
        schedule.recv(1, 8);
        schedule.send(2, Data::range(4, 4));
        schedule.reduce(4);
        schedule.isend(3, Data::pair(0, 3, 4));
        assert_eq!(schedule.carried(0), []);
        assert_eq!(schedule.carried(1), [Piece::Bytes(4..8)]);
        assert_eq!(schedule.carried(3), [Piece::Pair { from: 0, to: 3 }]);
    }

    #[test]
    fn parts_of_a_vector_carry_their_own_bytes() {
        let mut schedule = Schedule::annotated();
        schedule.send(1, Data::range(0, 4));
        schedule.part(4, |out| {
            out.next_slot();
            out.send(1, Data::range(0, 2));
        });
        schedule.send(2, Data::range(0, 4));
        assert_eq!(schedule.carried(1), [Piece::Bytes(4..6)]);
        assert_eq!(schedule.carried(2), [Piece::Bytes(0..4)]);
        assert_eq!(schedule.steps[2], Step::Send { to: 2, bytes: 4, slot: 0 });
    }

    #[test]
    fn an_algorithm_of_some_ranks_names_them_as_the_communicator_does() {
        let mut schedule = Schedule::default();
        schedule.recv(0, 1);
        schedule.among(&[5, 7], |out| out.send(1, Data::range(0, 1)));
        let (recv, send) =
            (Step::Recv { from: 0, bytes: 1, slot: 0 }, Step::Send { to: 7, bytes: 1, slot: 0 });
        assert_eq!(schedule.steps, [recv, send]);
    }
}
