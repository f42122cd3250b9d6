//! The shared library as C programs meet it: its symbols, its bodies, its missing functions, tools in front of it.

mod support;

use std::collections::BTreeSet;
use std::process::Command;
use support::{Workshop, library};

/// The functions of the C library through which programs see time.
const CLOCK_FUNCTIONS: [&str; 7] =
    ["clock_gettime", "clock_nanosleep", "gettimeofday", "nanosleep", "sleep", "time", "usleep"];

/// Timers, file locks, and waits with a time limit of the C library, which follow simulated time too.
const WAITING_FUNCTIONS: [&str; 25] = [
    "alarm",
    "fcntl",
    "fcntl64",
    "flock",
    "getitimer",
    "lockf",
    "lockf64",
    "pause",
    "pthread_cond_clockwait",
    "pthread_cond_timedwait",
    "pthread_mutex_clocklock",
    "pthread_mutex_timedlock",
    "pthread_rwlock_clockrdlock",
    "pthread_rwlock_clockwrlock",
    "pthread_rwlock_timedrdlock",
    "pthread_rwlock_timedwrlock",
    "sem_clockwait",
    "sem_timedwait",
    "setitimer",
    "timer_create",
    "timer_delete",
    "timer_getoverrun",
    "timer_gettime",
    "timer_settime",
    "ualarm",
];

/// Functions that start threads or wait for child processes, whose work counts.
const WORK_FUNCTIONS: [&str; 8] =
    ["pclose", "pthread_create", "system", "wait", "wait3", "wait4", "waitid", "waitpid"];

/// Functions that a simulator calls when it folds ranks.
const FOLDING: [&str; 8] = [
    "mpirage_channel_version",
    "mpirage_fold_end",
    "mpirage_fold_expect",
    "mpirage_fold_rank",
    "mpirage_fold_sample",
    "mpirage_fold_shares_memory",
    "mpirage_fold_switch",
    "mpirage_fold_yield",
];

/// Functions that libraries with other binary interfaces use.
const FRONTS: [&str; 1] = ["mpirage_bodies"];

/// Functions of AMPI, those that `smpi/smpi.h` declares, and those that replace programs' allocation functions with `--share-malloc`.
const SMPI: [&str; 34] = [
    "AMPI_Iteration_in",
    "AMPI_Iteration_out",
    "AMPI_Migrate",
    "mpirage_count_calloc",
    "mpirage_count_free",
    "mpirage_count_malloc",
    "mpirage_count_memalign",
    "mpirage_count_posix_memalign",
    "mpirage_count_realloc",
    "mpirage_delay",
    "mpirage_execute",
    "mpirage_migrate",
    "mpirage_sample_begin",
    "mpirage_sample_end",
    "mpirage_share_calloc",
    "mpirage_share_free",
    "mpirage_share_length",
    "mpirage_share_malloc",
    "mpirage_share_memalign",
    "mpirage_share_posix_memalign",
    "mpirage_share_realloc",
    "mpirage_share_usable_size",
    "mpirage_work_begin",
    "mpirage_work_end",
    "smpi_execute",
    "smpi_execute_benched",
    "smpi_execute_flops",
    "smpi_execute_flops_benched",
    "smpi_shared_free",
    "smpi_shared_get_call",
    "smpi_shared_known_call",
    "smpi_shared_malloc",
    "smpi_shared_malloc_partial",
    "smpi_shared_set_call",
];

/// Functions that programs call that were compiled with `--watch-memory`.
fn watched_memory() -> Vec<String> {
    let sizes = [1, 2, 4, 8, 16].map(|bytes| bytes.to_string());
    let accesses = sizes.iter().map(String::as_str).chain(["_range"]);
    let accesses = accesses.flat_map(|size| [format!("__tsan_read{size}"), format!("__tsan_write{size}")]);
    const OPERATIONS: [&str; 11] = [
        "compare_exchange_strong",
        "compare_exchange_weak",
        "exchange",
        "fetch_add",
        "fetch_and",
        "fetch_nand",
        "fetch_or",
        "fetch_sub",
        "fetch_xor",
        "load",
        "store",
    ];
    let atomics = [8, 16, 32, 64].map(|bits| OPERATIONS.map(|name| format!("__tsan_atomic{bits}_{name}")));
    const OTHERS: [&str; 9] = [
        "__tsan_atomic_signal_fence",
        "__tsan_atomic_thread_fence",
        "__tsan_func_entry",
        "__tsan_func_exit",
        "__tsan_init",
        "__tsan_vptr_update",
        "__wrap_memcpy",
        "__wrap_memmove",
        "__wrap_memset",
    ];
    accesses.chain(atomics.into_iter().flatten()).chain(OTHERS.map(str::to_owned)).collect()
}

#[test]
fn every_function_is_exported_twice_and_besides_only_what_is_listed() {
    let prototypes = include_str!("../functions.txt").lines().filter(|line| line.ends_with(')'));
    let names = prototypes.map(|line| line.split([' ', '(']).nth(1).expect("a type, a name and arguments"));
    let mut expected: BTreeSet<String> =
        names.flat_map(|name| [name.to_owned(), format!("P{name}")]).collect();
    assert_eq!(expected.len(), 2 * 702);
    let others =
        [&CLOCK_FUNCTIONS[..], &WAITING_FUNCTIONS, &WORK_FUNCTIONS, &FOLDING, &FRONTS, &SMPI].concat();
    expected.extend(others.into_iter().map(str::to_owned));
    expected.extend(watched_memory());
    let differences: Vec<String> = exported().symmetric_difference(&expected).cloned().collect();
    assert_eq!(differences, Vec::<String>::new());
}

#[test]
fn the_soname_is_the_standards() {
    let output = Command::new("readelf").arg("-d").arg(library()).output().expect("binutils are installed");
    assert!(String::from_utf8_lossy(&output.stdout).contains("soname: [libmpi_abi.so.1]"));
}

#[test]
fn a_program_reaches_the_bodies() {
    let outcome = Workshop::new("bodies").program("bodies", include_str!("c/bodies.c")).run();
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert_eq!(outcome.stdout, "version 5.0\nlibrary mpirage\ntick 1e-09\nclass 15\ninitialized 0\n");
}

#[test]
fn a_programs_own_function_comes_first() {
    let source = format!("{}{}", include_str!("c/tool.c"), include_str!("c/asks_version.c"));
    let outcome = Workshop::new("own").program("own", &source).run();
    assert_eq!(outcome.stdout, "version 1005\n", "{outcome:?}");
}

#[test]
fn a_preloaded_tool_comes_first() {
    let workshop = Workshop::new("preload");
    let tool = workshop.shared_library("tool.so", include_str!("c/tool.c"));
    let program = workshop.program("plain", include_str!("c/asks_version.c"));
    assert_eq!(program.run().stdout, "version 5\n");
    assert_eq!(program.with_preloaded(tool).run().stdout, "version 1005\n");
}

fn exported() -> BTreeSet<String> {
    let output = Command::new("nm")
        .args(["-D", "--defined-only"])
        .arg(library())
        .output()
        .expect("binutils are installed");
    let text = String::from_utf8(output.stdout).expect("symbols are ASCII");
    text.lines().filter_map(|line| line.rsplit(' ').next()).map(str::to_owned).collect()
}
