//! The preloaded family of `malloc`, in C programs with and without functions that share memory.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

/// The smallest size that is shared, as the C programs know it.
const LIMIT: &str = "1048576";

/// The library that cargo built beside this test.
fn library() -> PathBuf {
    let test = env::current_exe().expect("a test has a path");
    test.parent().expect("a test is in a directory").join("libmpirage_malloc.so")
}

/// Compiles a program of `tests/c` and runs it with the library preloaded.
fn run(name: &str, flags: &[&str], limit: Option<&str>) -> Output {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c");
    let variant = format!("{name}{}{}", flags.concat(), limit.unwrap_or("-none"));
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(variant);
    // Without built-ins, so that the compiler keeps every call of the family.
    let compiled = Command::new("cc")
        .args(["-O1", "-Wall", "-Wno-unused-function", "-fno-builtin", "-rdynamic", "-pthread"])
        .args(flags)
        .arg(sources.join(name).with_extension("c"))
        .arg("-o")
        .arg(&program)
        .status();
    assert!(compiled.expect("a C compiler is installed").success());
    let mut command = Command::new(&program);
    command.env("LD_PRELOAD", library()).env_remove("MPIRAGE_SHARE_MALLOC");
    if let Some(limit) = limit {
        command.env("MPIRAGE_SHARE_MALLOC", limit);
    }
    let output = command.output().expect("the program runs");
    fs::remove_file(&program).expect("it was just compiled");
    output
}

fn printed(output: &Output) -> &str {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::str::from_utf8(&output.stdout).expect("text")
}

#[test]
fn large_allocations_are_shared_and_keep_their_contents_across_the_limit() {
    let output = run("family", &["-DWITH_MPI_LIBRARY"], Some(LIMIT));
    let shared: u32 = printed(&output).trim_end_matches(" shared\n").parse().expect("a number");
    // 1 of sizes, 2 of each of 9 alignments and aligned_alloc of the largest, 2 of pages, 4 of reallocations, 2 of products.
    assert_eq!(shared, 1 + 2 * 9 + 1 + 2 + 4 + 2);
}

#[test]
fn without_an_mpi_library_all_memory_is_the_c_librarys() {
    assert_eq!(printed(&run("plain", &[], Some(LIMIT))), "all the C library's\n");
}

#[test]
fn without_a_limit_all_memory_is_the_c_librarys() {
    for limit in [None, Some("0"), Some("nonsense")] {
        assert_eq!(printed(&run("plain", &[], limit)), "all the C library's\n");
    }
    let output = run("family", &["-DWITH_MPI_LIBRARY"], None);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(
        complaint.contains("is_shared(large)"),
        "the program notices that nothing is shared: {complaint}"
    );
}
