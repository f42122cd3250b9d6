//! C, through `mpi.h`, and Rust see the same numbers and the same layout.

mod support;

use core::mem::offset_of;
use mpi_abi::constants::*;
use mpi_abi::types::*;
use std::fmt::Write;

#[test]
#[allow(clippy::unnecessary_cast)] // one expression for constants of every type
fn c_sees_the_same_constants() {
    let ours: &[(&str, i64)] = &include!(concat!(env!("OUT_DIR"), "/constant_values.rs"));
    assert!(ours.len() > 300);
    let names = ours.iter().map(|(name, _)| *name);
    assert_eq!(printed_by_c(names), lines(ours.iter().map(|(name, value)| (*name, *value))));
}

#[test]
fn c_sees_the_same_layout() {
    let ours = [
        ("sizeof(MPI_Status)", size_of::<MPI_Status>()),
        ("offsetof(MPI_Status, MPI_SOURCE)", offset_of!(MPI_Status, MPI_SOURCE)),
        ("offsetof(MPI_Status, MPI_TAG)", offset_of!(MPI_Status, MPI_TAG)),
        ("offsetof(MPI_Status, MPI_ERROR)", offset_of!(MPI_Status, MPI_ERROR)),
        ("offsetof(MPI_Status, MPI_internal)", offset_of!(MPI_Status, MPI_internal)),
        ("sizeof(MPI_F08_status)", size_of::<MPI_F08_status>()),
        ("sizeof(MPI_Aint)", size_of::<MPI_Aint>()),
        ("sizeof(MPI_Count)", size_of::<MPI_Count>()),
        ("sizeof(MPI_Offset)", size_of::<MPI_Offset>()),
        ("sizeof(MPI_Fint)", size_of::<MPI_Fint>()),
        ("sizeof(MPI_Comm)", size_of::<MPI_Comm>()),
        ("sizeof(MPI_T_cb_safety)", size_of::<MPI_T_cb_safety>()),
        ("sizeof(MPI_User_function *)", size_of::<Option<MPI_User_function>>()),
    ];
    let expressions = ours.iter().map(|(expression, _)| *expression);
    assert_eq!(printed_by_c(expressions), lines(ours.iter().map(|(name, size)| (*name, *size as i64))));
    assert_eq!(size_of::<MPI_Status>(), 32);
}

/// The output of a C program that prints these expressions, one line each.
fn printed_by_c<'a>(expressions: impl Iterator<Item = &'a str>) -> String {
    let mut source =
        String::from("#include <mpi.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void)\n{\n");
    for expression in expressions {
        writeln!(source, "    printf(\"{expression} %ld\\n\", (long)({expression}));").expect("a string");
    }
    source.push_str("    return 0;\n}\n");
    support::Workshop::new("constants").program("print", &source).run().stdout
}

fn lines<'a>(values: impl Iterator<Item = (&'a str, i64)>) -> String {
    values.map(|(name, value)| format!("{name} {value}\n")).collect()
}
