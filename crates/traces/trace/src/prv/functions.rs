//! Functions of MPI, by the values of events.

use std::collections::HashMap;
use std::path::Path;

use mpirage_call::{Collective, SendMode};

use crate::dim::OPERATIONS;
use crate::error::TraceError;

/// Types of events whose values name functions: messages, collectives, others, one-sided ones, files.
pub(super) const TYPES: std::ops::RangeInclusive<u64> = 50_000_001..=50_000_005;

/// A function, as far as a replay cares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Role {
    Send(SendMode),
    SendLater(SendMode),
    Receive,
    ReceiveLater,
    SendReceive,
    /// Starts what was prepared before.
    Start,
    WaitOne,
    WaitAll,
    Collective {
        kind: Collective,
        later: bool,
    },
    /// Takes part in no communication that the trace describes; its time is not the program's.
    Nothing,
    /// Computes.
    Local,
    Refused,
}

/// The names of functions.
pub(super) struct Functions {
    names: HashMap<u64, String>,
}

/// Values of Extrae, for traces without a `.pcf`.
const USUAL: [(u64, &str); 40] = [
    (1, "MPI_Send"),
    (2, "MPI_Recv"),
    (3, "MPI_Isend"),
    (4, "MPI_Irecv"),
    (5, "MPI_Wait"),
    (6, "MPI_Waitall"),
    (7, "MPI_Bcast"),
    (8, "MPI_Barrier"),
    (9, "MPI_Reduce"),
    (10, "MPI_Allreduce"),
    (11, "MPI_Alltoall"),
    (12, "MPI_Alltoallv"),
    (13, "MPI_Gather"),
    (14, "MPI_Gatherv"),
    (15, "MPI_Scatter"),
    (16, "MPI_Scatterv"),
    (17, "MPI_Allgather"),
    (18, "MPI_Allgatherv"),
    (19, "MPI_Comm_rank"),
    (20, "MPI_Comm_size"),
    (21, "MPI_Comm_create"),
    (22, "MPI_Comm_dup"),
    (23, "MPI_Comm_split"),
    (30, "MPI_Scan"),
    (31, "MPI_Init"),
    (32, "MPI_Finalize"),
    (33, "MPI_Bsend"),
    (34, "MPI_Ssend"),
    (35, "MPI_Rsend"),
    (36, "MPI_Ibsend"),
    (37, "MPI_Issend"),
    (38, "MPI_Irsend"),
    (39, "MPI_Test"),
    (40, "MPI_Cancel"),
    (41, "MPI_Sendrecv"),
    (42, "MPI_Sendrecv_replace"),
    (59, "MPI_Waitany"),
    (60, "MPI_Waitsome"),
    (61, "MPI_Probe"),
    (62, "MPI_Iprobe"),
];

impl Functions {
    /// Those that the file `.pcf` beside the trace names, or the usual ones.
    pub(super) fn beside(trace: &Path) -> Result<Functions, TraceError> {
        let file = trace.with_extension("pcf");
        if !file.is_file() {
            return Ok(Functions { names: USUAL.map(|(value, name)| (value, name.to_owned())).into() });
        }
        let text = std::fs::read(&file).map_err(|error| TraceError::io(&file, error))?;
        Ok(Functions { names: names_in(&String::from_utf8_lossy(&text)) })
    }

    /// The name of a function.
    pub(super) fn name(&self, value: u64) -> Option<&str> {
        self.names.get(&value).map(String::as_str)
    }

    /// The meaning of a function; none if it has no name.
    pub(super) fn role(&self, kind: u64, value: u64) -> Option<Role> {
        if kind >= 50_000_004 {
            return Some(Role::Refused);
        }
        self.name(value).map(|name| role_of(name, kind == 50_000_003))
    }
}

/// The labels of the values of functions: those after the types of a block `EVENT_TYPE`.
fn names_in(text: &str) -> HashMap<u64, String> {
    let (mut names, mut wanted, mut values) = (HashMap::new(), false, false);
    for line in text.lines().map(str::trim) {
        let mut words = line.split_whitespace();
        let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        if first == "EVENT_TYPE" {
            (wanted, values) = (false, false);
        } else if first == "VALUES" {
            values = true;
        } else if !values {
            wanted |= second.parse().is_ok_and(|kind: u64| TYPES.contains(&kind));
        } else if let Ok(value @ 1..) = first.parse::<u64>()
            && wanted
        {
            names.insert(value, second.to_owned());
        }
    }
    names
}

/// What the function with this name does. `other` says that it is neither a message nor a collective.
fn role_of(name: &str, other: bool) -> Role {
    use SendMode::{Buffered, Ready, Standard, Synchronous};
    let plain = name.strip_prefix("MPI_").unwrap_or(name).to_ascii_lowercase();
    match plain.as_str() {
        "send" => Role::Send(Standard),
        "bsend" => Role::Send(Buffered),
        "ssend" => Role::Send(Synchronous),
        "rsend" => Role::Send(Ready),
        "isend" => Role::SendLater(Standard),
        "ibsend" => Role::SendLater(Buffered),
        "issend" => Role::SendLater(Synchronous),
        "irsend" => Role::SendLater(Ready),
        "recv" | "mrecv" => Role::Receive,
        "irecv" | "imrecv" => Role::ReceiveLater,
        "sendrecv" | "sendrecv_replace" => Role::SendReceive,
        "start" | "startall" => Role::Start,
        "wait" | "waitany" | "test" | "testany" => Role::WaitOne,
        "waitall" | "waitsome" | "testall" | "testsome" => Role::WaitAll,
        "init" | "init_thread" | "finalize" | "probe" | "iprobe" | "mprobe" | "improbe" | "cancel"
        | "request_free" => Role::Nothing,
        plain => {
            let communicates =
                ["comm_create", "comm_dup", "comm_idup", "comm_split", "comm_free", "cart_create"];
            let communicates = communicates.iter().chain(&["graph_create", "dist_graph_create", "cart_sub"]);
            match collective(name) {
                Some(role) => role,
                None if communicates.into_iter().any(|start| plain.starts_with(start)) => Role::Nothing,
                None if other => Role::Local,
                None if plain.ends_with("_init") => Role::Nothing,
                None => Role::Refused,
            }
        }
    }
}

fn collective(name: &str) -> Option<Role> {
    if let "MPI_Exscan" | "MPI_Iexscan" = name {
        return Some(Role::Collective { kind: Collective::Exscan, later: name == "MPI_Iexscan" });
    }
    OPERATIONS.iter().find_map(|&(kind, now, later)| match name {
        _ if name.eq_ignore_ascii_case(now) => Some(Role::Collective { kind, later: false }),
        _ if name.eq_ignore_ascii_case(later) => Some(Role::Collective { kind, later: true }),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_functions_are_read() {
        let text = "STATES\n0 Idle\n\nEVENT_TYPE\n9 50000001 MPI Point-to-point\n9 50000002 MPI Collective Comm\nVALUES\n\
                    33 MPI_Isend\n8 MPI_Ibcast\n0 Outside MPI\n\nEVENT_TYPE\n9 80000001 Line\nVALUES\n1 main\n";
        let functions = Functions { names: names_in(text) };
        assert_eq!(functions.role(50_000_001, 33), Some(Role::SendLater(SendMode::Standard)));
        let later = Role::Collective { kind: Collective::Bcast, later: true };
        assert_eq!(functions.role(50_000_002, 8), Some(later));
        assert_eq!(
            (functions.role(50_000_001, 1), functions.role(50_000_004, 8)),
            (None, Some(Role::Refused))
        );
    }
}
