//! Kinds of MPI functions.

use std::sync::OnceLock;

use mpirage_call::function_names;

/// The kind of an MPI function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
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
    pub kind: Kind,
}

/// The function with this index. Its kind is determined at the first use, because a program calls few of all functions.
#[inline]
pub fn function(index: u16) -> Function {
    const UNKNOWN: Function = Function { name: "MPI", kind: Kind::Other };
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

fn kind_of(name: &str) -> Kind {
    let name = name.strip_prefix("MPI_").unwrap_or(name);
    let begins = |word| name.starts_with(word);
    if name.ends_with("_init") || name == "Reduce_local" || begins("T_") || begins("Type_") {
        Kind::Other
    } else if begins("File_") {
        Kind::File
    } else if begins("Win_") {
        Kind::OneSided
    } else {
        kind_of_lower(&name.to_ascii_lowercase())
    }
}

/// As [`kind_of`], for a name without `MPI_` and in lower case.
fn kind_of_lower(name: &str) -> Kind {
    match name {
        _ if is_one_sided(name) => Kind::OneSided,
        "send" | "bsend" | "ssend" | "rsend" => Kind::Send,
        "isend" | "ibsend" | "issend" | "irsend" => Kind::Isend,
        "recv" | "mrecv" => Kind::Recv,
        "irecv" | "imrecv" => Kind::Irecv,
        "start" | "startall" => Kind::Start,
        "wait" | "waitall" | "waitany" | "waitsome" => Kind::Wait,
        "test" | "testall" | "testany" | "testsome" | "probe" | "iprobe" | "mprobe" | "improbe" => Kind::Test,
        "barrier" | "ibarrier" => Kind::Barrier,
        _ if name.contains("sendrecv") => Kind::Sendrecv,
        _ if is_collective(name) => Kind::Collective,
        _ => Kind::Other,
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
            ("MPI_Ssend", Kind::Send),
            ("MPI_Irsend", Kind::Isend),
            ("MPI_Mrecv", Kind::Recv),
            ("MPI_Sendrecv_replace", Kind::Sendrecv),
            ("MPI_Waitsome", Kind::Wait),
            ("MPI_Test_cancelled", Kind::Other),
            ("MPI_Improbe", Kind::Test),
            ("MPI_Ireduce_scatter_block", Kind::Collective),
            ("MPI_Neighbor_alltoallw", Kind::Collective),
            ("MPI_Exscan", Kind::Collective),
            ("MPI_Allreduce_init", Kind::Other),
            ("MPI_Raccumulate", Kind::OneSided),
            ("MPI_Get_count", Kind::Other),
            ("MPI_File_write_all", Kind::File),
            ("MPI_Recv_init", Kind::Other),
        ];
        for (name, kind) in kinds {
            assert_eq!(kind_of(name), kind, "{name}");
        }
        let large = function_names().iter().position(|&name| name == "MPI_Send_c").unwrap();
        assert_eq!(function(large as u16).name, "MPI_Send");
    }
}
