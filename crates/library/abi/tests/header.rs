//! `include/mpi.h` is what the tables say, compiles everywhere, and means what the Rust side means.

#[path = "../build/header.rs"]
mod header;
#[path = "../build/table.rs"]
#[allow(dead_code)]
mod table;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const DIALECTS_OF_C: [&str; 5] = ["c89", "gnu89", "c99", "c11", "c17"];
const DIALECTS_OF_CXX: [&str; 5] = ["c++98", "c++11", "c++14", "c++17", "c++20"];

/// `MPIRAGE_WRITE_HEADER=1 cargo test -p mpirage-abi --test header` writes the header anew.
#[test]
fn header_is_current() {
    let path = crate_dir().join("include/mpi.h");
    let made = header::header(
        &text("include/mpi.h.in"),
        &table::constants(&text("constants.txt")),
        &table::functions(&text("functions.txt")),
    );
    if std::env::var_os("MPIRAGE_WRITE_HEADER").is_some() {
        fs::write(&path, &made).expect("include/ is writable");
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == made, "include/mpi.h is stale: run with MPIRAGE_WRITE_HEADER=1");
}

#[test]
fn header_compiles_in_every_dialect_of_c() {
    for dialect in DIALECTS_OF_C {
        compile_alone("cc", "c", dialect);
    }
}

#[test]
fn header_compiles_in_every_dialect_of_cxx() {
    for dialect in DIALECTS_OF_CXX {
        compile_alone("c++", "c++", dialect);
    }
}

fn compile_alone(compiler: &str, language: &str, dialect: &str) {
    let output = Command::new(compiler)
        .args(["-x", language, &format!("-std={dialect}"), "-fsyntax-only"])
        .args(["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"])
        .arg("-I")
        .arg(crate_dir().join("include"))
        .arg(crate_dir().join("tests/c/uses_the_header.c"))
        .output()
        .expect("a C compiler is installed");
    assert!(output.status.success(), "{dialect}: {}", String::from_utf8_lossy(&output.stderr));
}

fn crate_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn text(path: &str) -> String {
    fs::read_to_string(crate_dir().join(path)).expect("part of the crate")
}
