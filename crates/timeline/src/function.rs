//! What kinds of MPI functions there are, as viewers tell them apart.

use std::sync::OnceLock;

use mpirage_call::function_names;

/// What a function does, roughly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A blocking send.
    Send,
    /// A send that returns at once.
    Isend,
    /// A blocking receive.
    Recv,
    /// A receive that returns at once.
    Irecv,
    /// Both at once.
    Sendrecv,
    /// Starts persistent requests.
    Start,
    /// Waits for requests.
    Wait,
    /// Asks whether there is something.
    Test,
    /// Waits for everybody.
    Barrier,
    /// A collective of data.
    Collective,
    /// Puts, gets and windows.
    OneSided,
    /// Files.
    File,
    /// Anything else.
    Other,
}

/// An MPI function.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// `MPI_Send`, also of `MPI_Send_c`.
    pub name: &'static str,
    /// What it does.
    pub kind: Kind,
}

/// The function with this index.
#[inline]
pub fn function(index: u16) -> Function {
    const UNKNOWN: Function = Function { name: "MPI", kind: Kind::Other };
    functions().get(usize::from(index)).copied().unwrap_or(UNKNOWN)
}

/// All functions, by index.
pub fn functions() -> &'static [Function] {
    static FUNCTIONS: OnceLock<Vec<Function>> = OnceLock::new();
    FUNCTIONS.get_or_init(|| {
        let plain = function_names().iter().map(|name| name.strip_suffix("_c").unwrap_or(name));
        plain.map(|name| Function { name, kind: kind_of(name) }).collect()
    })
}

fn kind_of(name: &str) -> Kind {
    let name = name.strip_prefix("MPI_").unwrap_or(name);
    let lower = name.to_ascii_lowercase();
    let one_of = |words: &[&str]| words.contains(&lower.as_str());
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if name.ends_with("_init")
        || name == "Reduce_local"
        || name.starts_with("T_")
        || name.starts_with("Type_")
    {
        Kind::Other
    } else if name.starts_with("File_") {
        Kind::File
    } else if name.starts_with("Win_") || is_one_sided(&lower) {
        Kind::OneSided
    } else if has(&["sendrecv"]) {
        Kind::Sendrecv
    } else if one_of(&["send", "bsend", "ssend", "rsend"]) {
        Kind::Send
    } else if one_of(&["isend", "ibsend", "issend", "irsend"]) {
        Kind::Isend
    } else if one_of(&["recv", "mrecv"]) {
        Kind::Recv
    } else if one_of(&["irecv", "imrecv"]) {
        Kind::Irecv
    } else if one_of(&["start", "startall"]) {
        Kind::Start
    } else if one_of(&["wait", "waitall", "waitany", "waitsome"]) {
        Kind::Wait
    } else if one_of(&["test", "testall", "testany", "testsome", "probe", "iprobe", "mprobe", "improbe"]) {
        Kind::Test
    } else if one_of(&["barrier", "ibarrier"]) {
        Kind::Barrier
    } else if has(&["bcast", "reduce", "gather", "scatter", "alltoall"]) || lower.ends_with("scan") {
        Kind::Collective
    } else {
        Kind::Other
    }
}

fn is_one_sided(lower: &str) -> bool {
    let plain = lower.strip_prefix('r').unwrap_or(lower);
    ["put", "get", "accumulate", "get_accumulate", "fetch_and_op", "compare_and_swap"].contains(&plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_told_apart() {
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
