//! Descriptions of what blocked ranks wait for.

use mpirage_call::{ContextId, WINDOW_COMPLETE, WINDOW_POSTED, function_name, is_meeting_tag, tag_in_words};
use mpirage_mpi::{BlockedRank, CommunicatorPurpose, Memory, Origin, OwnWork, Want};

use crate::diagnosis::{Diagnosis, Places};

/// Operations of one call that are shown; of the others, only their number.
const WANTS_SHOWN: usize = 4;
/// Ranks of one operation that are named.
const RANKS_NAMED: usize = 8;

impl<M: Memory, P: Places> Diagnosis<'_, M, P> {
    /// All that a blocked rank waits for.
    pub(crate) fn wanted(&self, blocked: &BlockedRank) -> String {
        let (wants, call) = (&blocked.wants, Origin::of(&blocked.stamp));
        let shown: Vec<String> = wants.iter().take(WANTS_SHOWN).map(|want| self.want(want, call)).collect();
        match wants.len() {
            0 => "nothing that mpirage knows".to_owned(),
            count if count > WANTS_SHOWN => format!("{} and {} more", shown.join(", "), count - WANTS_SHOWN),
            _ => shown.join(", "),
        }
    }

    /// One operation that `call` waits for, or that it has started.
    pub(crate) fn want(&self, want: &Want, call: Origin) -> String {
        match want {
            Want::Receiver { to, tag, context } if is_meeting_tag(*tag) => {
                meeting(Some(*to), call, &self.communicator(*context))
            }
            Want::Receiver { to, tag, context } => {
                format!("rank {to} to receive ({}, {})", tag_in_words(*tag), self.communicator(*context))
            }
            Want::Message { from, tag: Some(tag), context } if is_meeting_tag(*tag) => {
                meeting(*from, call, &self.communicator(*context))
            }
            Want::Message { from: Some(from), tag: Some(tag), context } if self.is_window(*context) => {
                let function = notice_sender(*tag);
                format!("rank {from} to call {function} ({})", self.communicator(*context))
            }
            Want::Message { from, tag, context } => {
                let from = from.map_or("any rank".to_owned(), |from| format!("rank {from}"));
                let tag = tag.map_or("any tag".to_owned(), tag_in_words);
                format!("a message from {from} ({tag}, {})", self.communicator(*context))
            }
            Want::Lock { target, holders, context } => self.lock(*target, holders, *context),
            Want::Accesses { targets, away, context } => self.accesses(targets, away, *context),
            Want::Members { what, missing, context } if missing.is_empty() => {
                format!("messages within {what} ({})", self.communicator(*context))
            }
            Want::Members { what, missing, context } => {
                format!("{} to enter {what} ({})", ranks_named(missing), self.communicator(*context))
            }
            Want::Own(OwnWork::Computation) => "a computation of its own".to_owned(),
            Want::Own(OwnWork::FileAccess) => "its access to a file".to_owned(),
            Want::Own(OwnWork::Migration) => "ranks that move to other cores".to_owned(),
        }
    }

    fn is_window(&self, context: ContextId) -> bool {
        self.engine.diagnosis().purpose(context) == CommunicatorPurpose::Window
    }

    fn lock(&self, target: Option<u32>, holders: &[u32], context: ContextId) -> String {
        let (holding, hold) = (ranks_named(holders), if holders.len() == 1 { "holds" } else { "hold" });
        let window = self.communicator(context);
        match target {
            Some(target) => format!("the lock of rank {target}, which {holding} {hold} ({window})"),
            None => format!("the locks of all ranks, of which {holding} {hold} some ({window})"),
        }
    }

    fn accesses(&self, targets: &[u32], away: &[u32], context: ContextId) -> String {
        let (targets, window) = (ranks_named(targets), self.communicator(context));
        let late = match away {
            [] => String::new(),
            [one] => format!(", which rank {one} carries out in its next MPI call"),
            many => format!(", which {} carry out in their next MPI calls", ranks_named(many)),
        };
        format!("accesses to the memory of {targets}{late} ({window})")
    }
}

/// Ranks meet to make a communicator. `peer` is the other one, if it is known.
fn meeting(peer: Option<u32>, call: Origin, communicator: &str) -> String {
    let peer = peer.map_or("a rank".to_owned(), |peer| format!("rank {peer}"));
    match function_name(call.function()) {
        "MPI_Comm_accept" => format!("{peer} to connect to its port with MPI_Comm_connect"),
        "MPI_Comm_connect" => format!("{peer} to call MPI_Comm_accept with the same port"),
        function if function.starts_with("MPI_Comm_spawn") => {
            format!("the processes it starts, such as {peer}, to call MPI_Init")
        }
        "MPI_Init" | "MPI_Init_thread" => format!("{peer}, which started it, to go on in MPI_Comm_spawn"),
        function => format!("{peer} to call {function} ({communicator})"),
    }
}

/// The function that sends a notice with this tag in a window.
fn notice_sender(tag: i32) -> &'static str {
    match tag {
        WINDOW_POSTED => "MPI_Win_post",
        WINDOW_COMPLETE => "MPI_Win_complete",
        _ => "a function of windows",
    }
}

/// `rank 3`, or `ranks 3, 4, …`.
fn ranks_named(ranks: &[u32]) -> String {
    let names: Vec<String> = ranks.iter().take(RANKS_NAMED).map(u32::to_string).collect();
    let s = if ranks.len() == 1 { "" } else { "s" };
    let more = if ranks.len() > RANKS_NAMED { ", …" } else { "" };
    format!("rank{s} {}{more}", names.join(", "))
}
