//! The vocabulary of time-independent traces: names of actions, and numbers of datatypes.

use mpirage_call::{SendMode, function_names};

/// The action in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the format")]
pub(super) enum Action {
    Init,
    Finalize,
    /// Of communicators, which replay does not know.
    Nothing,
    Location,
    Compute,
    Sleep,
    Migrate,
    /// An iteration begins or ends.
    Iteration {
        begins: bool,
    },
    Send {
        mode: SendMode,
        blocking: bool,
    },
    Recv {
        blocking: bool,
    },
    Sendrecv,
    Wait,
    Waitall,
    Test,
    Barrier,
    Bcast,
    Reduce,
    Allreduce,
    Alltoall,
    Alltoallv,
    Gather,
    Gatherv,
    Scatter,
    Scatterv,
    Allgather,
    Allgatherv,
    ReduceScatter,
    Scan,
    Exscan,
}

/// Longest name.
const LONGEST: usize = 16;

/// The action of this name, in any case, and whether it is a collective that does not block.
#[inline]
pub(super) fn action(name: &[u8]) -> Option<(Action, bool)> {
    match plain(name) {
        Some(action) => Some((action, false)),
        None => in_other_words(name),
    }
}

/// Names in capitals, and those of collectives that do not block.
fn in_other_words(name: &[u8]) -> Option<(Action, bool)> {
    let mut low = [0; LONGEST];
    let low = low.get_mut(..name.len())?;
    for (into, from) in low.iter_mut().zip(name) {
        *into = from.to_ascii_lowercase();
    }
    let low: &[u8] = low;
    if let Some(action) = plain(low) {
        return Some((action, false));
    }
    let action = plain(low.strip_prefix(b"i")?)?;
    is_collective(action).then_some((action, true))
}

#[inline]
fn plain(name: &[u8]) -> Option<Action> {
    use SendMode::{Buffered, Ready, Standard, Synchronous};
    let send = |mode, blocking| Action::Send { mode, blocking };
    Some(match name {
        b"compute" => Action::Compute,
        b"send" => send(Standard, true),
        b"isend" => send(Standard, false),
        b"recv" => Action::Recv { blocking: true },
        b"irecv" => Action::Recv { blocking: false },
        b"wait" => Action::Wait,
        b"waitall" => Action::Waitall,
        b"test" => Action::Test,
        b"sendrecv" => Action::Sendrecv,
        b"barrier" => Action::Barrier,
        b"bcast" => Action::Bcast,
        b"reduce" => Action::Reduce,
        b"allreduce" => Action::Allreduce,
        b"alltoall" => Action::Alltoall,
        b"alltoallv" => Action::Alltoallv,
        b"gather" => Action::Gather,
        b"gatherv" => Action::Gatherv,
        b"scatter" => Action::Scatter,
        b"scatterv" => Action::Scatterv,
        b"allgather" => Action::Allgather,
        b"allgatherv" => Action::Allgatherv,
        b"reducescatter" => Action::ReduceScatter,
        b"scan" => Action::Scan,
        b"exscan" => Action::Exscan,
        b"sleep" => Action::Sleep,
        b"migrate" => Action::Migrate,
        b"iteration_in" => Action::Iteration { begins: true },
        b"iteration_out" => Action::Iteration { begins: false },
        b"location" => Action::Location,
        b"init" => Action::Init,
        b"finalize" => Action::Finalize,
        b"comm_size" | b"comm_split" | b"comm_dup" => Action::Nothing,
        b"ssend" => send(Synchronous, true),
        b"issend" => send(Synchronous, false),
        b"bsend" => send(Buffered, true),
        b"ibsend" => send(Buffered, false),
        b"rsend" => send(Ready, true),
        b"irsend" => send(Ready, false),
        _ => return None,
    })
}

fn is_collective(action: Action) -> bool {
    use Action::*;
    matches!(
        action,
        Barrier
            | Bcast
            | Reduce
            | Allreduce
            | Alltoall
            | Alltoallv
            | Gather
            | Gatherv
            | Scatter
            | Scatterv
            | Allgather
            | Allgatherv
            | ReduceScatter
            | Scan
            | Exscan
    )
}

/// Bytes of the datatypes, by the number that SimGrid gives them (as it is built for 64 bits).
const DATATYPES: [u8; 60] = [
    8, 4, 1, 2, 8, 4, 1, 8, 1,
    1, // double int char short long float byte long-long signed-char unsigned-char
    2, 4, 8, 8, 16, 4, 1, 1, 2,
    4, // ushort unsigned ulong ulong-long long-double wchar bool int8 int16 int32
    8, 1, 2, 4, 8, 8, 16, 32, 8, 8, // int64 uint8 uint16 uint32 uint64 complexes aint offset
    8, 16, 16, 8, 8, 8, 16, 16, 4,
    4, // float-int long-int double-int short-int 2int 2float 2double 2long real real4
    8, 16, 8, 16, 16, 4, 2, 4, 8,
    16, // real8 real16 complex8 complex16 complex32 integer1 integer2 integer4 integer8 integer16
    32, 1, 8, 16, 32, 0, 0, 1, 8,
    8, // long-double-int C++'s bool and complexes, UB LB packed pointer count
];

/// Bytes of a datatype.
pub(super) fn datatype_bytes(number: u64) -> Option<u64> {
    DATATYPES.get(usize::try_from(number).ok()?).map(|&bytes| u64::from(bytes))
}

/// Numbers of MPI functions, for diagnosis and records.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names are those of the functions")]
pub(super) struct Functions {
    pub init: u16,
    pub finalize: u16,
    pub send: [[u16; 2]; 4],
    pub recv: [u16; 2],
    pub sendrecv: u16,
    pub wait: u16,
    pub waitall: u16,
    pub test: u16,
    pub migrate: u16,
    pub control: u16,
    /// In the order of `Collective::ALL`, blocking and not.
    pub collectives: [[u16; 2]; 17],
}

impl Functions {
    pub(super) fn new() -> Functions {
        let of = |name: &str| {
            let found = function_names().iter().position(|&known| known == name);
            found.unwrap_or_else(|| unreachable!("{name} is a function of MPI")) as u16
        };
        let both = |name: &str| {
            let mut low = name.to_owned();
            low[..1].make_ascii_lowercase();
            [of(&format!("MPI_{name}")), of(&format!("MPI_I{low}"))]
        };
        let collectives = [
            "Barrier",
            "Bcast",
            "Gather",
            "Gatherv",
            "Scatter",
            "Scatterv",
            "Allgather",
            "Allgatherv",
            "Alltoall",
            "Alltoallv",
            "Alltoallw",
            "Reduce",
            "Allreduce",
            "Reduce_scatter",
            "Reduce_scatter_block",
            "Scan",
            "Exscan",
        ];
        Functions {
            init: of("MPI_Init"),
            finalize: of("MPI_Finalize"),
            // In the order of `SendMode`.
            send: ["Send", "Ssend", "Rsend", "Bsend"].map(both),
            recv: both("Recv"),
            sendrecv: of("MPI_Sendrecv"),
            wait: of("MPI_Wait"),
            waitall: of("MPI_Waitall"),
            test: of("MPI_Test"),
            migrate: of("MPI_Migrate"),
            control: of("MPI_Pcontrol"),
            collectives: collectives.map(both),
        }
    }
}

#[cfg(test)]
mod tests {
    use mpirage_call::Collective;
    use mpirage_call::function_name;

    use super::*;

    #[test]
    fn names_are_known_in_any_case() {
        assert_eq!(action(b"reduceScatter"), Some((Action::ReduceScatter, false)));
        assert_eq!(action(b"sendRecv"), Some((Action::Sendrecv, false)));
        assert_eq!(
            action(b"Isend"),
            Some((Action::Send { mode: SendMode::Standard, blocking: false }, false))
        );
        assert_eq!(action(b"iallreduce"), Some((Action::Allreduce, true)));
        assert_eq!(
            (action(b"icompute"), action(b"sends"), action(b"a_very_long_name_of_nothing")),
            (None, None, None)
        );
    }

    #[test]
    fn functions_are_those_of_the_collectives() {
        let functions = Functions::new();
        let at = Collective::ALL.iter().position(|&kind| kind == Collective::ReduceScatter).unwrap();
        assert_eq!(function_name(functions.collectives[at][0]), "MPI_Reduce_scatter");
        assert_eq!(function_name(functions.send[SendMode::Buffered as usize][1]), "MPI_Ibsend");
    }

    #[test]
    fn datatypes_have_the_sizes_of_c() {
        assert_eq!([0, 1, 6, 27, 59].map(datatype_bytes), [Some(8), Some(4), Some(1), Some(32), Some(8)]);
        assert_eq!(datatype_bytes(60), None);
    }
}
