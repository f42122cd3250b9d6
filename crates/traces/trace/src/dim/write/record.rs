//! Records of a task, and their text.

use std::fmt::Write as _;

use super::super::head::WAIT;

/// A record.
#[derive(Clone, Copy, Debug)]
pub(super) enum Record {
    /// Nanoseconds.
    Burst(u64),
    Send(DimMessage),
    Receive(DimMessage),
    Collective(Collected),
    /// A receive that was cancelled: there is no line for it.
    TakenBack,
}

/// A message; a negative peer or tag stands for any.
#[derive(Clone, Copy, Debug)]
pub(super) struct DimMessage {
    pub peer: i64,
    pub bytes: u64,
    pub tag: i64,
    pub comm: u32,
    pub how: u32,
}

/// A collective.
#[derive(Clone, Copy, Debug)]
pub(super) struct Collected {
    pub operation: u32,
    pub comm: u32,
    pub is_root: bool,
    pub sent: u64,
    pub received: u64,
    pub how: u32,
}

impl Record {
    /// The wait for what this record starts. Receives and collectives have the same number for it.
    pub(super) fn wait(self) -> Record {
        match self {
            Record::Receive(message) => Record::Receive(DimMessage { how: WAIT, ..message }),
            Record::Collective(collected) => Record::Collective(Collected { how: WAIT, ..collected }),
            other => other,
        }
    }
}

/// Appends the lines of a task.
pub(super) fn append(task: usize, records: &[Record], into: &mut String) {
    for record in records {
        // Writing to a string does not fail.
        let _ = match *record {
            Record::TakenBack => Ok(()),
            Record::Burst(nanos) => {
                writeln!(into, "1:{task}:0:{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000)
            }
            Record::Send(DimMessage { peer, bytes, tag, comm, how }) => {
                writeln!(into, "2:{task}:0:{peer}:-1:{bytes}:{tag}:{comm}:{how}")
            }
            Record::Receive(DimMessage { peer, bytes, tag, comm, how }) => {
                writeln!(into, "3:{task}:0:{peer}:-1:{bytes}:{tag}:{comm}:{how}")
            }
            Record::Collective(Collected { operation, comm, is_root, sent, received, how }) => {
                let root = u32::from(is_root);
                writeln!(into, "10:{task}:0:{operation}:{comm}:{root}:0:{sent}:{received}:{how}")
            }
        };
    }
}
