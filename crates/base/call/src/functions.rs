//! Names of the MPI functions, by their index in the table that the C library is made from.

use std::sync::OnceLock;

const TABLE: &str = include_str!("../../../library/abi/functions.txt");

/// Functions that are not in the MPI standard; their indices follow those of the table. `AMPI_Migrate` has the name that the
/// literature uses.
const BEYOND_MPI: [&str; 1] = ["MPI_Migrate"];

/// The name of the function with this index: `MPI_Send`.
pub fn function_name(index: u16) -> &'static str {
    function_names().get(usize::from(index)).copied().unwrap_or("an MPI function")
}

/// The names of the functions of the MPI standard, by index.
pub fn standard_function_names() -> &'static [&'static str] {
    let all = function_names();
    &all[..all.len() - BEYOND_MPI.len()]
}

/// All names, by index.
pub fn function_names() -> &'static [&'static str] {
    static NAMES: OnceLock<Vec<&'static str>> = OnceLock::new();
    NAMES.get_or_init(names)
}

fn names() -> Vec<&'static str> {
    let prototypes = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', ' ']));
    prototypes.map(name).chain(BEYOND_MPI).collect()
}

/// The name of the function in a prototype.
fn name(prototype: &str) -> &str {
    let bytes = prototype.as_bytes();
    let end = bytes.iter().position(|&byte| byte == b'(').unwrap_or(bytes.len());
    let begin = bytes[..end].iter().rposition(|byte| matches!(byte, b' ' | b'*')).map_or(0, |at| at + 1);
    &prototype[begin..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read_in_order() {
        let names = names();
        assert_eq!(names[0], "MPI_Abi_get_fortran_booleans");
        assert!(names.iter().all(|name| name.starts_with("MPI_")), "{names:?}");
        let send = names.iter().position(|&name| name == "MPI_Send").unwrap();
        assert_eq!(function_name(send as u16), "MPI_Send");
    }
}
