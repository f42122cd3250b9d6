//! What a rank does: steps, and the list of them.

use std::ops::Range;

/// One step of one rank. Ranks are ranks of the communicator.
///
/// Sends and receives between a pair of ranks match on `slot`, in order within one slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Starts a send; the next [`Step::WaitAll`] waits for it.
    Isend {
        /// The receiving rank.
        to: u32,
        /// Size of the message.
        bytes: u64,
        /// Plays the part of the tag.
        slot: u16,
    },
    /// Posts a receive; the next [`Step::WaitAll`] waits for it.
    Irecv {
        /// The sending rank.
        from: u32,
        /// Size of the message.
        bytes: u64,
        /// Plays the part of the tag.
        slot: u16,
    },
    /// Waits for everything this rank has outstanding.
    WaitAll,
    /// A blocking send, in whatever mode its size implies.
    Send {
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
    /// Copies that many bytes, locally: the rank's own block, packing, rotating.
    Copy {
        /// Bytes copied.
        bytes: u64,
    },
}

/// The steps of one rank, in order. Keep it and fill it again: its memory is reused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// What the rank does.
    pub steps: Vec<Step>,
    slot: u16,
    /// Has a send or receive been started that no wait covers yet?
    outstanding: bool,
    /// Which steps are kept; the others are only counted.
    window: Range<usize>,
    count: usize,
}

impl Default for Schedule {
    fn default() -> Self {
        Schedule { steps: Vec::new(), slot: 0, outstanding: false, window: 0..usize::MAX, count: 0 }
    }
}

impl Schedule {
    /// Forgets the steps, keeps the memory.
    pub fn clear(&mut self) {
        self.clear_for(0..usize::MAX);
    }

    /// Forgets the steps and will keep only those with a number in `window`.
    pub(crate) fn clear_for(&mut self, window: Range<usize>) {
        self.steps.clear();
        self.slot = 0;
        self.outstanding = false;
        self.window = window;
        self.count = 0;
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

    /// Messages from here on use the next slot: the second half of an algorithm made of two.
    pub fn next_slot(&mut self) {
        self.slot += 1;
    }

    /// Appends a non-blocking send.
    pub fn isend(&mut self, to: u32, bytes: u64) {
        self.outstanding = true;
        self.push(Step::Isend { to, bytes, slot: self.slot });
    }

    /// Appends a non-blocking receive.
    pub fn irecv(&mut self, from: u32, bytes: u64) {
        self.outstanding = true;
        self.push(Step::Irecv { from, bytes, slot: self.slot });
    }

    /// Appends a wait for everything outstanding; none if nothing is.
    pub fn wait_all(&mut self) {
        if std::mem::take(&mut self.outstanding) {
            self.push(Step::WaitAll);
        }
    }

    /// Appends a blocking send.
    pub fn send(&mut self, to: u32, bytes: u64) {
        self.push(Step::Send { to, bytes, slot: self.slot });
    }

    /// Appends a blocking receive.
    pub fn recv(&mut self, from: u32, bytes: u64) {
        self.push(Step::Recv { from, bytes, slot: self.slot });
    }

    /// Sends and receives at once, which cannot deadlock: `MPI_Sendrecv`.
    pub(crate) fn exchange(&mut self, to: u32, sent: u64, from: u32, received: u64) {
        self.irecv(from, received);
        self.isend(to, sent);
        self.wait_all();
    }

    /// Appends a reduction; none if there is nothing to reduce.
    pub fn reduce(&mut self, bytes: u64) {
        if bytes > 0 {
            self.push(Step::Reduce { bytes });
        }
    }

    /// Appends a copy; none if there is nothing to copy.
    pub fn copy(&mut self, bytes: u64) {
        if bytes > 0 {
            self.push(Step::Copy { bytes });
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
        schedule.isend(1, 0);
        schedule.wait_all();
        schedule.wait_all();
        assert_eq!(schedule.steps, [Step::Isend { to: 1, bytes: 0, slot: 0 }, Step::WaitAll]);
    }

    #[test]
    fn clearing_keeps_the_memory_and_restarts_the_slots() {
        let mut schedule = Schedule::default();
        schedule.next_slot();
        schedule.exchange(1, 2, 3, 4);
        let capacity = schedule.steps.capacity();
        schedule.clear();
        schedule.send(5, 6);
        assert_eq!(schedule.steps, [Step::Send { to: 5, bytes: 6, slot: 0 }]);
        assert_eq!(schedule.steps.capacity(), capacity);
    }
}
