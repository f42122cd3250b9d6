//! Names of the MPI functions, by their index in the table that the C library is made from.

const TABLE: &str = include_str!("../../../library/abi/functions.txt");

/// Functions that are not in the MPI standard; their indices follow those of the table. `AMPI_Migrate` has the name that the
/// literature uses.
const BEYOND_MPI: [&str; 1] = ["MPI_Migrate"];

/// The compiler reads the table: that would be a fifth of the start of a replay.
static NAMES: [&str; COUNT] = names();
const COUNT: usize = count_prototypes() + BEYOND_MPI.len();

/// The name of the function with this index: `MPI_Send`.
pub fn function_name(index: u16) -> &'static str {
    NAMES.get(usize::from(index)).copied().unwrap_or("an MPI function")
}

/// The names of the functions of the MPI standard, by index.
pub fn standard_function_names() -> &'static [&'static str] {
    &NAMES[..COUNT - BEYOND_MPI.len()]
}

/// All names, by index.
pub fn function_names() -> &'static [&'static str] {
    &NAMES
}

const fn names() -> [&'static str; COUNT] {
    let (mut names, mut found, mut rest) = ([""; COUNT], 0, TABLE.as_bytes());
    while !rest.is_empty() {
        let line;
        (line, rest) = split_line(rest);
        if is_prototype(line) {
            names[found] = name(line);
            found += 1;
        }
    }
    let mut beyond = 0;
    while beyond < BEYOND_MPI.len() {
        names[found + beyond] = BEYOND_MPI[beyond];
        beyond += 1;
    }
    names
}

const fn count_prototypes() -> usize {
    let (mut count, mut rest) = (0, TABLE.as_bytes());
    while !rest.is_empty() {
        let line;
        (line, rest) = split_line(rest);
        count += is_prototype(line) as usize;
    }
    count
}

/// The first line without its end, and what follows it.
const fn split_line(text: &[u8]) -> (&[u8], &[u8]) {
    let mut end = 0;
    while end < text.len() && text[end] != b'\n' {
        end += 1;
    }
    let (line, rest) = text.split_at(end);
    if rest.is_empty() { (line, rest) } else { (line, rest.split_at(1).1) }
}

/// Not a comment, and not a description of parameters.
const fn is_prototype(line: &[u8]) -> bool {
    !line.is_empty() && line[0] != b'#' && line[0] != b' '
}

/// The name of the function in a prototype.
const fn name(prototype: &[u8]) -> &str {
    let mut end = 0;
    while prototype[end] != b'(' {
        end += 1;
    }
    let mut begin = end;
    while begin > 0 && prototype[begin - 1] != b' ' && prototype[begin - 1] != b'*' {
        begin -= 1;
    }
    match str::from_utf8(prototype.split_at(end).0.split_at(begin).1) {
        Ok(name) => name,
        Err(_) => panic!("names are ASCII"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read_in_order() {
        let names = function_names();
        assert_eq!(names[0], "MPI_Abi_get_fortran_booleans");
        assert!(names.iter().all(|name| name.starts_with("MPI_")), "{names:?}");
        let send = names.iter().position(|&name| name == "MPI_Send").unwrap();
        assert_eq!(function_name(send as u16), "MPI_Send");
        assert_eq!(names.last(), Some(&"MPI_Migrate"));
    }
}
