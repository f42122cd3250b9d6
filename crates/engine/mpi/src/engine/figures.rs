//! Answers what a rank asks about itcore.

use mpirage_call::{Figure, LineId};

use super::core::Core;
use crate::memory::Memory;
use crate::transport::queue_lengths;

/// Puts a number that is kept of the line's rank into its reply.
pub(super) fn observe<M: Memory>(core: &mut Core<M>, line: LineId, figure: u32) {
    let rank = core.ranks.rank_of(line);
    let counted = core.observers.figures(rank);
    let number = match Figure::from_code(figure) {
        Some(Figure::MessagesSent) => counted.sent.messages,
        Some(Figure::BytesSent) => counted.sent.bytes,
        Some(Figure::MessagesReceived) => counted.received.messages,
        Some(Figure::BytesReceived) => counted.received.bytes,
        Some(Figure::UnexpectedMessages) => queue_lengths(&core.transport, rank).unexpected as u64,
        Some(Figure::PostedReceives) => queue_lengths(&core.transport, rank).posted as u64,
        Some(Figure::ComputationPicos) => counted.computation.as_picos(),
        None => 0,
    };
    core.ranks.line_mut(line).reply.number = Some(number);
}
