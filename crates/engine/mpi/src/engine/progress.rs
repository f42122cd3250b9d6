//! Progress of rendezvous: a library answers requests and grants while its rank waits in MPI or asks.
//!
//! With [`LibraryProgress::InCalls`], what arrives for a rank that computes stays unnoticed until it looks: when a call of it blocks, and at each
//! test or probe. `MPI_Isend` and `MPI_Irecv` do not look. So a grant follows the request that a late rank sends in the same instant.

use mpirage_call::LineId;
use mpirage_kernel::Milestone;

use super::core::Core;
use crate::ids::MessageId;
use crate::memory::Memory;
use crate::protocol::LibraryProgress;
use crate::transport::{Reception, acting_rank};

/// A transfer of a message ends. True if that changes nothing for now, because the rank that must act is in no call.
pub(super) fn is_unnoticed<M: Memory>(core: &mut Core<M>, id: MessageId) -> bool {
    if core.protocol().progress == LibraryProgress::Background {
        return false;
    }
    match acting_rank(core.transport.message(id), core.protocol().handshake) {
        Some(rank) if core.ranks.is_away(rank) => {
            core.transport.unnoticed.push(rank, id);
            true
        }
        _ => false,
    }
}

/// The library of a line's rank looks for what has arrived.
#[inline]
pub(super) fn look<M: Memory>(core: &mut Core<M>, line: LineId) {
    if !core.transport.unnoticed.is_empty() {
        notice(core, line);
    }
}

#[inline(never)]
fn notice<M: Memory>(core: &mut Core<M>, line: LineId) {
    let rank = core.ranks.rank_of(line);
    let arrived = core.transport.unnoticed.take(rank);
    if arrived.is_empty() {
        return;
    }
    for &id in &arrived {
        let (transport, mut env) = core.transport();
        let reception = transport.transfer_event(&mut env, id, Milestone::Ended);
        debug_assert!(reception == Reception::None, "processors have no handshakes");
        core.take_events();
    }
    core.transport.unnoticed.give_back(rank, arrived);
}
