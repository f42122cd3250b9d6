//! Notes on what happens to whom: in which job something last happened, and which thread woke which.

use mpirage_call::{LineId, RankId};

use super::core::Core;
use crate::due::Due;

/// Something happens in the job of a rank. Beside other jobs, a job whose ranks wait for ever ends when something last happened in it.
#[inline]
pub(super) fn note_activity<M>(core: &mut Core<M>, rank: RankId) {
    if core.jobs.are_several() {
        core.jobs.note_activity(rank, core.now());
    }
}

/// An activity has ended or reached a milestone, and there are several jobs. Where the job is not named, it shows in what follows.
#[inline(never)]
pub(super) fn note_due<M>(core: &mut Core<M>, due: Due) {
    match due {
        Due::Line(line) => note_activity(core, core.ranks.rank_of(line)),
        Due::Transfer(message) => note_activity(core, core.transport.message(message).from),
        Due::Run(run) => note_activity(core, core.collectives.run(run).rank),
        Due::Processor(rank) | Due::Migration(rank) => note_activity(core, rank),
        Due::Work(_)
        | Due::SendComplete(_)
        | Due::Collective(_)
        | Due::Decision
        | Due::File(_)
        | Due::Window(_) => {}
    }
}

/// A line makes calls although `resumed` was resumed: if that is a line of the same rank, its thread has woken this one's.
#[cold]
pub(super) fn note_wake<M>(core: &mut Core<M>, line: LineId, resumed: Option<LineId>) {
    let rank = core.ranks.rank_of(line);
    if let Some(by) = resumed.filter(|&by| core.ranks.rank_of(by) == rank) {
        core.observers.woken(line, by, rank);
    }
}
