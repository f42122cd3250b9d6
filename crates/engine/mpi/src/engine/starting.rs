//! The start of a run.

use mpirage_call::{LineId, RankId};
use mpirage_units::Time;

use super::core::Core;
use crate::due::Due;
use crate::ranks::line::Phase;

/// Jobs of so many ranks start, each at its time.
pub(super) fn start_jobs<M>(core: &mut Core<M>, sizes: &[u32], starts: &[Time]) {
    let mut first = 0;
    for (number, &size) in sizes.iter().enumerate() {
        let start = starts.get(number).copied().unwrap_or(Time::ZERO);
        for line in (first..first + size).map(|rank| LineId::first_of(RankId::new(rank))) {
            if start == Time::ZERO {
                core.turns.resume(line);
            } else {
                core.ranks.line_mut(line).phase = Phase::Unstarted;
                core.wire.start_timer(start.since(Time::ZERO), Due::Line(line));
            }
        }
        first += size;
    }
}
