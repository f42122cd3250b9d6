//! The Fortran entry points of `mpi_f08` with buffers, and the names of MPICH's procedures.
//!
//! In `mpi_f08`, a buffer is of assumed rank: the program passes the address of a descriptor, which may be of an array section
//! with gaps. Each such procedure finds out what the descriptor says and calls the translation of the plain one.

use super::parameter::{Shape, has_buffers, has_texts, parameters};
use super::table::{Direction, Function};
use super::wrappers::{Names, Target, declarations, entries, target_name, translated};

/// Procedures whose plain form takes the address of memory; `mpi` has a second form with a `type(C_PTR)`, which is passed the same way.
const WITH_C_POINTERS: [&str; 4] =
    ["mpi_alloc_mem", "mpi_win_allocate", "mpi_win_allocate_shared", "mpi_win_shared_query"];

/// Blocking procedures in which several ranks have parts of a buffer, or two buffers one datatype: sections with gaps are copied.
const COPYING: [&str; 21] = [
    "MPI_Allgather",
    "MPI_Allgatherv",
    "MPI_Allreduce",
    "MPI_Alltoall",
    "MPI_Alltoallv",
    "MPI_Alltoallw",
    "MPI_Exscan",
    "MPI_Gather",
    "MPI_Gatherv",
    "MPI_Neighbor_allgather",
    "MPI_Neighbor_allgatherv",
    "MPI_Neighbor_alltoall",
    "MPI_Neighbor_alltoallv",
    "MPI_Neighbor_alltoallw",
    "MPI_Reduce",
    "MPI_Reduce_local",
    "MPI_Reduce_scatter",
    "MPI_Reduce_scatter_block",
    "MPI_Scan",
    "MPI_Scatter",
    "MPI_Scatterv",
];

fn copies(function: &Function) -> bool {
    COPYING.contains(&function.name.trim_end_matches("_c"))
}

/// Procedures with a buffer for packed data, whose size is in bytes.
fn packs(function: &Function) -> bool {
    ["MPI_Pack", "MPI_Unpack"].contains(&function.name.trim_end_matches("_c").trim_end_matches("_external"))
}

/// Procedures to which the buffer's address says which memory or operation is meant, and those that take one element.
fn needs_only_address(function: &Function) -> bool {
    let ends_access = function.name.starts_with("MPI_File_") && function.name.ends_with("_end");
    let others = ["MPI_Get_address", "MPI_Fetch_and_op", "MPI_Compare_and_swap", "MPI_Win_detach"];
    ends_access || others.contains(&function.name.as_str())
}

/// All names of a procedure whose buffers are addresses: the spellings of several compilers, and those of `mpi_f08` if it has no buffer.
pub fn names(function: &Function) -> Vec<String> {
    let name = function.name.to_lowercase();
    let spellings = |name: &str| {
        let lower = ["", "_", "__"].map(|end| format!("{name}{end}"));
        [lower.to_vec(), vec![name.to_uppercase()]].concat()
    };
    let mut all = [spellings(&name), spellings(&format!("p{name}"))].concat();
    if WITH_C_POINTERS.contains(&name.as_str()) {
        all.extend([spellings(&format!("{name}_cptr")), spellings(&format!("p{name}_cptr"))].concat());
    }
    if !has_buffers(function) {
        all.extend(f08_names(function, "f08"));
    }
    // MPI 4.1's "remove" functions were an extension of MPICH before.
    if name.starts_with("mpi_remove_error_") {
        all.extend(f08_names(function, "f08").map(|name| name.replace("_remove_", "_delete_")));
    }
    all
}

/// `mpi_f08`'s names; those with large counts have no `_c`. The profiling interface is called `pmpir`.
fn f08_names(function: &Function, suffix: &str) -> [String; 2] {
    let name = function.name.to_lowercase();
    let (name, large) = match name.strip_suffix("_c") {
        Some(small) => (small, "large_"),
        None => (name.as_str(), ""),
    };
    let rest = name.trim_start_matches("mpi_");
    ["mpi", "pmpir"].map(|prefix| format!("{prefix}_{rest}_{suffix}_{large}"))
}

/// MPICH's names of a procedure with descriptors.
pub fn names_of_mpich(function: &Function) -> Vec<String> {
    f08_names(function, "f08ts").to_vec()
}

/// The names of a procedure with descriptors in our `mpi_f08`, which passes characters with their length in another way.
pub fn standard_names(function: &Function) -> Vec<String> {
    let name = function.name.to_lowercase();
    if has_texts(function) {
        Vec::new()
    } else {
        ["", "p"].map(|start| format!("{start}{name}_f08ts_")).to_vec()
    }
}

/// The entry points of `mpi_f08` with descriptors.
pub fn wrappers(functions: &[Function], target: Target, names: Names) -> String {
    let wanted = translated(functions, target)
        .filter(|(_, function)| has_buffers(function) && !names(function).is_empty());
    wanted.map(|(index, function)| wrapper(index, function, target, &names(function))).collect()
}

fn wrapper(index: usize, function: &Function, target: Target, names: &[String]) -> String {
    let name = format!("{}_f08ts", function.name.to_lowercase());
    let entries = entries(index, names, &name);
    let list = declarations(function, target);
    let sections: String = buffers(function).iter().map(|buffer| section(function, buffer)).collect();
    let values: Vec<String> = list.iter().map(|declared| value(function, declared)).collect();
    format!(
        "{entries}unsafe extern \"C-unwind\" fn {name}({}) {{\n    \
         // SAFETY: the program passes what the standard says, and descriptors for buffers.\n    \
         unsafe {{\n{sections}        {}({});\n    }}\n}}\n",
        list.join(", "),
        target_name(function),
        values.join(", ")
    )
}

/// A buffer, with the parameters that say how much of it is meant.
struct Buffer {
    name: String,
    /// Does the procedure store there?
    stored: bool,
    extent: Option<(String, String)>,
}

/// The buffers of a function. Operands of a reduction share a count and a datatype, which then describe neither alone.
fn buffers(function: &Function) -> Vec<Buffer> {
    let list = parameters(function);
    let is_buffer = |at: usize| list.get(at).is_some_and(|(_, shape)| *shape == Shape::Buffer);
    let extent = |at: usize| {
        let (count, shape) = list.get(at + 1)?;
        let (datatype, handle) = list.get(at + 2)?;
        let is_pair =
            *shape == Shape::Value && *handle == Shape::Handle && datatype.of.base == "MPI_Datatype";
        let describes_it = is_pair && !copies(function) && !(at > 0 && is_buffer(at - 1));
        describes_it.then(|| (count.name.clone(), datatype.name.clone()))
    };
    (0..list.len())
        .filter(|&at| is_buffer(at))
        .map(|at| {
            let argument = list[at].0;
            let stored = argument.meaning.direction != Direction::In;
            Buffer { name: argument.name.clone(), stored, extent: extent(at) }
        })
        .collect()
}

fn section(function: &Function, buffer: &Buffer) -> String {
    let (name, of) = (&buffer.name, &function.name);
    let made = match &buffer.extent {
        Some((count, datatype)) => {
            format!("of_elements(\"{of}\", {name}_, i64::from(*{count}_), handle({datatype}_))")
        }
        None if copies(function) || packs(function) => {
            format!("copied(\"{of}\", {name}_, {})", buffer.stored)
        }
        None if needs_only_address(function) => format!("at({name}_)"),
        None => format!("without_gaps(\"{of}\", {name}_)"),
    };
    format!("        let {name}_section = Section::{made};\n")
}

/// The argument that the plain procedure gets for a parameter.
fn value(function: &Function, declared: &str) -> String {
    let parameter = declared.split(':').next().unwrap_or(declared);
    let name = parameter.trim_end_matches('_');
    for buffer in buffers(function) {
        let buffer_name = &buffer.name;
        match &buffer.extent {
            _ if *buffer_name == name => return format!("{name}_section.address()"),
            Some((count, _)) if count == name => return format!("{buffer_name}_section.count({parameter})"),
            Some((_, datatype)) if datatype == name => {
                return format!("{buffer_name}_section.datatype({parameter})");
            }
            _ => {}
        }
    }
    parameter.to_owned()
}
