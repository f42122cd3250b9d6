//! Kinds of MPI functions.

use std::sync::OnceLock;

use mpirage_call::function_names;

/// The kind of an MPI function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// A blocking send.
    Send,
    /// A nonblocking send.
    Isend,
    /// A blocking receive.
    Recv,
    /// A nonblocking receive.
    Irecv,
    /// A send and a receive in one call.
    Sendrecv,
    /// Starts persistent requests.
    Start,
    /// Waits for requests.
    Wait,
    /// Tests requests, or probes for messages.
    Test,
    /// A barrier.
    Barrier,
    /// Another collective.
    Collective,
    /// One-sided communication and windows.
    OneSided,
    /// A function of MPI-IO.
    File,
    /// Any other function.
    Other,
}

/// An MPI function.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Its name, without the suffix of large counts: `MPI_Send` also for `MPI_Send_c`.
    pub name: &'static str,
    /// Its kind.
    pub kind: FunctionKind,
}

/// The function with this index. Its kind is determined at the first use, because a program calls few of all functions.
#[inline]
pub fn function(index: u16) -> Function {
    const UNKNOWN: Function = Function { name: "MPI", kind: FunctionKind::Other };
    static FUNCTIONS: OnceLock<Vec<OnceLock<Function>>> = OnceLock::new();
    let functions = FUNCTIONS.get_or_init(|| vec![OnceLock::new(); function_names().len()]);
    let place = functions.get(usize::from(index));
    place.map_or(UNKNOWN, |place| *place.get_or_init(|| find(function_names()[usize::from(index)])))
}

/// All functions, by index.
pub fn functions() -> impl ExactSizeIterator<Item = Function> {
    (0..function_names().len()).map(|index| function(index as u16))
}

#[cold]
fn find(name: &'static str) -> Function {
    let name = name.strip_suffix("_c").unwrap_or(name);
    Function { name, kind: kind_of(name) }
}

fn kind_of(name: &str) -> FunctionKind {
    let name = name.strip_prefix("MPI_").unwrap_or(name);
    let begins = |word| name.starts_with(word);
    if name.ends_with("_init") || name == "Reduce_local" || begins("T_") || begins("Type_") {
        FunctionKind::Other
    } else if begins("File_") {
        FunctionKind::File
    } else if begins("Win_") {
        FunctionKind::OneSided
    } else {
        kind_of_lower(&name.to_ascii_lowercase())
    }
}

/// As [`kind_of`], for a name without `MPI_` and in lower case.
fn kind_of_lower(name: &str) -> FunctionKind {
    match name {
        _ if is_one_sided(name) => FunctionKind::OneSided,
        "send" | "bsend" | "ssend" | "rsend" => FunctionKind::Send,
        "isend" | "ibsend" | "issend" | "irsend" => FunctionKind::Isend,
        "recv" | "mrecv" => FunctionKind::Recv,
        "irecv" | "imrecv" => FunctionKind::Irecv,
        "start" | "startall" => FunctionKind::Start,
        "wait" | "waitall" | "waitany" | "waitsome" => FunctionKind::Wait,
        "test" | "testall" | "testany" | "testsome" | "probe" | "iprobe" | "mprobe" | "improbe" => {
            FunctionKind::Test
        }
        "barrier" | "ibarrier" => FunctionKind::Barrier,
        _ if name.contains("sendrecv") => FunctionKind::Sendrecv,
        _ if is_collective(name) => FunctionKind::Collective,
        _ => FunctionKind::Other,
    }
}

fn is_one_sided(name: &str) -> bool {
    let plain = name.strip_prefix('r').unwrap_or(name);
    matches!(plain, "put" | "get" | "accumulate" | "get_accumulate" | "fetch_and_op" | "compare_and_swap")
}

fn is_collective(name: &str) -> bool {
    ["bcast", "reduce", "gather", "scatter", "alltoall"].iter().any(|word| name.contains(word))
        || name.ends_with("scan")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_kinds() {
        let kinds = [
            ("MPI_Ssend", FunctionKind::Send),
            ("MPI_Irsend", FunctionKind::Isend),
            ("MPI_Mrecv", FunctionKind::Recv),
            ("MPI_Sendrecv_replace", FunctionKind::Sendrecv),
            ("MPI_Waitsome", FunctionKind::Wait),
            ("MPI_Test_cancelled", FunctionKind::Other),
            ("MPI_Improbe", FunctionKind::Test),
            ("MPI_Ireduce_scatter_block", FunctionKind::Collective),
            ("MPI_Neighbor_alltoallw", FunctionKind::Collective),
            ("MPI_Exscan", FunctionKind::Collective),
            ("MPI_Allreduce_init", FunctionKind::Other),
            ("MPI_Raccumulate", FunctionKind::OneSided),
            ("MPI_Get_count", FunctionKind::Other),
            ("MPI_File_write_all", FunctionKind::File),
            ("MPI_Recv_init", FunctionKind::Other),
        ];
        for (name, kind) in kinds {
            assert_eq!(kind_of(name), kind, "{name}");
        }
        let large = function_names().iter().position(|&name| name == "MPI_Send_c").unwrap();
        assert_eq!(function(large as u16).name, "MPI_Send");
    }
}
