//! An engine that keeps to a pace: its driver decides when time passes, and lines run meanwhile.
//!
//! [`Engine::advance`] resumes one line after the other and passes time by itself. A driver that emulates resumes a line and
//! goes on; calls come when they come, each at an instant of the driver's choice ([`Engine::move_to`]).
//!
//! Simulated time passes while such a line computes. When its call arrives, only the rest of its burst is still to pass: with a time
//! factor of 4, a burst of 8 ms has taken 2 ms by then, and the call is carried out 6 ms later.

use mpirage_call::LineId;
use mpirage_kernel::Advance;
use mpirage_units::Time;

use super::wiring::Engine;
use crate::memory::Memory;
use crate::turn::Turn;

impl<M: Memory> Engine<M> {
    /// Goes on at this instant until the driver has something to do. None if nothing more happens at this instant.
    pub fn next_turn(&mut self) -> Option<Turn> {
        self.settle()
    }

    /// The next instant at which something happens, unless calls come before. None if nothing is under way.
    pub fn next_instant(&mut self) -> Option<Time> {
        self.calls.core.wire.next_instant()
    }

    /// Moves to the next instant at which something happens.
    pub fn pass_to_next_instant(&mut self) {
        if self.pass_time() == Advance::BeyondTime {
            self.end_beyond_time();
        }
    }

    /// Moves to an instant before the next one, at which calls arrive.
    pub fn move_to(&mut self, instant: Time) {
        self.calls.core.wire.move_to(instant);
    }

    /// The calls of a line that are taken next come after a burst that has begun at this instant.
    pub fn note_start(&mut self, line: LineId, start: Time) {
        self.calls.work.real_time.note_start(line, start);
    }

    /// Nothing is under way and no line runs: the ranks wait for each other.
    pub fn end_in_deadlock(&mut self) {
        let now = self.now();
        self.calls.core.jobs.end_in_deadlock(now);
    }
}
