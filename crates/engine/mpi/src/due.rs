//! The meaning of the kernel's tokens: a kind in the lowest bits, an identifier above them.

use mpirage_call::{LineId, RankId};
use mpirage_kernel::Token;

use crate::ids::{ActivityId, DelayedId, FileActivityId, Id, InstanceId, MessageId, RunId, WorkId};

/// The reason why an activity of the kernel was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// The burst or timer of a line.
    Line(LineId),
    /// The transfer of a message, or its copy.
    Transfer(MessageId),
    /// The cost of a step of a schedule.
    Run(RunId),
    /// A computation beside a rank.
    Work(WorkId),
    /// The completion of a send whose bytes are being copied out.
    SendComplete(DelayedId),
    /// A collective whose duration a formula gives.
    Collective(InstanceId),
    /// The time that a decision of the load balancer takes.
    Decision,
    /// The state of a rank that moves.
    Migration(RankId),
    /// The processor of a rank may be free.
    Processor(RankId),
    /// The transfer of something of a window.
    Window(ActivityId),
    /// A disk, or a transfer, for an access to a file.
    File(FileActivityId),
}

/// Bits of a token that are the kind.
const KIND: u32 = 4;
/// The kind of [`Due::Transfer`].
const TRANSFER: u64 = 1;

impl Due {
    #[inline]
    pub(crate) fn token(self) -> Token {
        let (kind, number) = match self {
            Due::Line(line) => (0, line.index()),
            Due::Transfer(message) => (TRANSFER, message.raw() as usize),
            Due::Run(run) => (2, run.index()),
            Due::Work(work) => (3, work.index()),
            Due::SendComplete(delayed) => (4, delayed.index()),
            Due::Collective(instance) => (5, instance.index()),
            Due::Processor(rank) => (6, rank.index()),
            Due::Window(activity) => (7, activity.index()),
            Due::Decision => (8, 0),
            Due::Migration(rank) => (9, rank.index()),
            Due::File(activity) => (10, activity.index()),
        };
        Token(kind | (number as u64) << KIND)
    }

    /// The message whose transfer or copy a token is for: the commonest kind.
    #[inline(always)]
    pub(crate) fn message(token: Token) -> Option<MessageId> {
        if kind_of(token) == TRANSFER { MessageId::from_raw(number_of(token)) } else { None }
    }

    #[inline]
    pub(crate) fn of(token: Token) -> Due {
        let number = number_of(token);
        let index = number as usize;
        match kind_of(token) {
            0 => Due::Line(LineId::new(number)),
            TRANSFER => Due::Transfer(MessageId::from_raw(number).expect("it is one's")),
            2 => Due::Run(RunId::new(index)),
            3 => Due::Work(WorkId::new(index)),
            4 => Due::SendComplete(DelayedId::new(index)),
            5 => Due::Collective(InstanceId::new(index)),
            6 => Due::Processor(RankId::new(number)),
            7 => Due::Window(ActivityId::new(index)),
            8 => Due::Decision,
            9 => Due::Migration(RankId::new(number)),
            _ => Due::File(FileActivityId::new(index)),
        }
    }
}

#[inline(always)]
fn kind_of(token: Token) -> u64 {
    token.0 & ((1 << KIND) - 1)
}

#[inline(always)]
fn number_of(token: Token) -> u32 {
    (token.0 >> KIND) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_names_what_it_was_made_of() {
        let all = [
            Due::Line(LineId::new(7)),
            Due::Transfer(MessageId::new(0)),
            Due::Run(RunId::new(3)),
            Due::Work(WorkId::new(1 << 20)),
            Due::SendComplete(DelayedId::new(9)),
            Due::Collective(InstanceId::new(2)),
            Due::Processor(RankId::new(u32::MAX)),
            Due::Window(ActivityId::new(4)),
            Due::Decision,
            Due::Migration(RankId::new(5)),
            Due::File(FileActivityId::new(6)),
        ];
        for due in all {
            assert_eq!(Due::of(due.token()), due);
            assert_eq!(
                Due::message(due.token()).map(Due::Transfer),
                Some(due).filter(|due| matches!(due, Due::Transfer(_)))
            );
        }
    }
}
