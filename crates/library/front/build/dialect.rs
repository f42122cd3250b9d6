//! `dialect.txt` of a front, read: the constants of another MPI library.

use std::collections::HashMap;

use super::table::{Constant, Group, GroupKind, Value};

/// The constants of another library.
pub struct Dialect {
    /// Integers by name.
    pub integers: HashMap<String, i64>,
    /// Handles in the order of the table.
    pub handles: Vec<Handle>,
    /// Functions beyond the standard.
    pub functions: Vec<Extension>,
}

/// A predefined handle.
pub struct Handle {
    /// Its name in the MPI 5 ABI, if it has one there.
    pub name: Option<String>,
    /// The other library's value: a number, or a data symbol with its size and the handle in Fortran.
    pub value: HandleValue,
}

#[allow(dead_code)] // each interface has one of them
pub enum HandleValue {
    Number(u64),
    Symbol { name: String, size: usize, fortran: i64 },
}

/// A function beyond the standard.
pub struct Extension {
    pub name: String,
    pub does: Does,
}

pub enum Does {
    /// The same as a function of the standard.
    Same(String),
    /// Returns a number.
    Returns(i64),
    /// Ends the run: it is not there yet.
    Nothing,
}

/// Reads the table.
pub fn dialect(table: &str) -> Dialect {
    let mut read = Dialect { integers: HashMap::new(), handles: Vec::new(), functions: Vec::new() };
    let mut section = "";
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if line.starts_with('[') {
            section = line;
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        match section {
            "[int]" => drop(read.integers.insert(words[0].to_owned(), number(words[1]))),
            "[handles]" => read.handles.push(handle(&words)),
            "[functions]" => read.functions.push(extension(&words)),
            _ => panic!("a line outside a section: {line}"),
        }
    }
    read
}

fn handle(words: &[&str]) -> Handle {
    let name = (words[0] != "-").then(|| words[0].to_owned());
    let value = match words {
        [_, value] => HandleValue::Number(number(value) as u64),
        [_, symbol, size, fortran] => HandleValue::Symbol {
            name: (*symbol).to_owned(),
            size: number(size) as usize,
            fortran: number(fortran),
        },
        _ => panic!("not a handle: {words:?}"),
    };
    Handle { name, value }
}

fn extension(words: &[&str]) -> Extension {
    let does = match words[1] {
        "-" => Does::Nothing,
        same if same.starts_with("MPI_") => Does::Same(same.to_owned()),
        value => Does::Returns(number(value)),
    };
    Extension { name: words[0].to_owned(), does }
}

/// `MPI_LB` and `MPI_UB`, which the MPI 5 ABI does not have: numbers for them that the library knows (`abi/src/functions/types/bounds.rs`).
pub const LOWER_BOUND: i64 = 0x2fe;
/// See [`LOWER_BOUND`].
pub const UPPER_BOUND: i64 = 0x2ff;

/// A decimal or hexadecimal number.
pub fn number(text: &str) -> i64 {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.unwrap_or_else(|_| panic!("not a number: {text}"))
}

/// The constants of the MPI 5 ABI: the C type of each name and its number.
pub fn standard(groups: &[Group]) -> HashMap<String, (String, i64)> {
    let mut known: HashMap<String, (String, i64)> = HashMap::new();
    for group in groups {
        let GroupKind::Macros(of) = &group.kind else { continue };
        if of.base.ends_with("_function") || of.base.ends_with("_function_c") {
            continue;
        }
        for Constant { name, value } in &group.constants {
            let value = match value {
                Value::Number(text) => number(text),
                Value::Alias(other) => known[other].1,
            };
            known.insert(name.clone(), (of.base.clone(), value));
        }
    }
    known
}
