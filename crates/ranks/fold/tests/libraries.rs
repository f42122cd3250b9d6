//! Libraries of the program: each rank has its own copy of their variables.

#![cfg(target_arch = "x86_64")]

mod common;
use std::path::{Path, PathBuf};

use common::{FOLDABLE, compile_with, run};
use mpirage_fold::{Image, OwnLibraries, Verdict, verdict};

/// Compiles a shared library into the folder of the tests, perhaps against others.
fn library(name: &str, compiler: &str, source: &str, flags: &[&str]) -> PathBuf {
    let extension = if compiler == "g++" { "cc" } else { "c" };
    let soname = format!("-Wl,-soname,{name}");
    let flags = [&["-fPIC", "-shared", soname.as_str()], flags].concat();
    compile_with(name, compiler, extension, source, &flags)
}

/// Compiles a program against libraries, which it finds beside itself.
fn against(name: &str, source: &str, flags: &[&str], libraries: &[&Path]) -> PathBuf {
    let mut all: Vec<String> = flags.iter().map(|flag| flag.to_string()).collect();
    all.push("-Wl,-rpath,$ORIGIN".to_owned());
    all.push("-Wl,--no-as-needed".to_owned());
    // Options come before the source, and libraries are needed nevertheless.
    all.extend(libraries.iter().map(|library| library.display().to_string()));
    let flags: Vec<&str> = all.iter().map(String::as_str).collect();
    compile_with(name, "gcc", "c", source, &flags)
}

fn judged(program: &Path) -> Verdict {
    let image = Image::open(program).expect("a program");
    verdict(&image, &OwnLibraries::of(&image).expect("its libraries"))
}

const COUNTER: &str = r#"
    int counter = 40; static int calls; __thread int local = 5; int *const where = &counter;
    __attribute__((constructor)) static void begin(void) { counter += 2; }
    int next(void) { calls++; local++; return ++counter; }
    int calls_so_far(void) { return calls; }
    int local_so_far(void) { return local; }
"#;

const USER: &str = r#"
    #include <stdio.h>
    int rank(void); void turn(void); int next(void); int calls_so_far(void); int local_so_far(void);
    extern int counter; extern int *const where;
    int main(void) {
        int me = rank();
        if (counter != 42 || where != &counter) return 99;
        for (int i = 0; i <= me; i++) { next(); turn(); }
        printf("%d %d %d", counter, calls_so_far(), local_so_far());
        return *where == 43 + me && calls_so_far() == me + 1 && local_so_far() == 6 + me ? me : 98;
    }"#;

#[test]
fn a_librarys_variables_are_private() {
    let counter = library("libown_counter.so", "gcc", COUNTER, &[]);
    let program = against("own-counter", USER, &FOLDABLE, &[&counter]);
    assert_eq!(judged(&program), unknown_test_functions());
    let run = run(&program, 4, &[]);
    assert_eq!(run.codes(), [0, 1, 2, 3]);
    assert_eq!(run.outputs[3], "46 4 9");
}

/// `rank` and `turn` are of no library that the verdict knows.
fn unknown_test_functions() -> Verdict {
    let unknown = |name| format!("it uses {name}, of which it is not known what ranks would share");
    Verdict::Unsafe(vec![unknown("rank"), unknown("turn")])
}

#[test]
fn an_ordinary_executable_has_the_librarys_variable_in_its_own_data() {
    let counter = library("libown_copied.so", "gcc", COUNTER, &[]);
    let flags = ["-fPIE", "-pie", "-Wl,--unresolved-symbols=ignore-all", "-Wl,--export-dynamic"];
    let program = against("own-copied", USER, &flags, &[&counter]);
    assert_eq!(run(&program, 3, &[]).codes(), [0, 1, 2]);
}

#[test]
fn libraries_of_libraries_are_initialized_first_and_finished_last() {
    let source = r#"
        #include <stdio.h>
        static int ready; int is_ready(void) { return ready; }
        __attribute__((constructor)) static void begin(void) { ready = 7; }
        __attribute__((destructor)) static void end(void) { printf(" last%d", ready); }"#;
    let below = library("libown_below.so", "gcc", source, &[]);
    let source = r#"
        #include <stdio.h>
        int is_ready(void); static int seen; int seen_at_start(void) { return seen; }
        __attribute__((constructor)) static void begin(void) { seen = is_ready(); }
        __attribute__((destructor)) static void end(void) { printf(" first%d", seen); }"#;
    let above =
        library("libown_above.so", "gcc", source, &["-Wl,--no-as-needed", &below.display().to_string()]);
    let source = r#"
        #include <stdio.h>
        int rank(void); int seen_at_start(void); int is_ready(void);
        int main(void) { printf("main%d", rank()); return seen_at_start() + is_ready(); }"#;
    // The library below is named first, and is initialized first all the same.
    for (name, libraries) in [("own-order", [&*below, &*above]), ("own-other-order", [&*above, &*below])] {
        let run = run(&against(name, source, &FOLDABLE, &libraries), 2, &[]);
        assert_eq!(run.codes(), [14, 14]);
        assert_eq!(run.outputs[1], "main1 first7 last7");
    }
}

#[test]
fn the_programs_function_counts_for_the_library_too() {
    let source = "int weight(void) { return 1; } int weighed(void) { return weight() * 10; }";
    let weights = library("libown_weights.so", "gcc", source, &["-fno-inline", "-fsemantic-interposition"]);
    let source = "int weighed(void); int weight(void) { return 4; } int main(void) { return weighed(); }";
    let program = against("own-weights", source, &FOLDABLE, &[&weights]);
    assert_eq!(run(&program, 1, &[]).codes(), [40]);
}

#[test]
fn thread_local_variables_of_another_library() {
    let owner = library("libown_tls.so", "gcc", "__thread int shared_tls = 3; __thread int more = 9;", &[]);
    let source =
        "extern __thread int more; static __thread int mine = 1; int sum(void) { return ++more + ++mine; }";
    let user =
        library("libown_tls_user.so", "gcc", source, &["-Wl,--no-as-needed", &owner.display().to_string()]);
    let source = r#"
        int rank(void); void turn(void); int sum(void); extern __thread int more;
        int main(void) { int last = 0; for (int i = 0; i <= rank(); i++) { last = sum(); turn(); } return more == 10 + rank() ? last : 99; }"#;
    let program = against("own-tls", source, &FOLDABLE, &[&user, &owner]);
    assert_eq!(run(&program, 3, &[]).codes(), [12, 14, 16]);
}

#[test]
fn exceptions_and_streams_of_a_cpp_library() {
    let source = r#"
        #include <iostream>
        #include <map>
        #include <stdexcept>
        #include <string>
        static std::map<std::string, int> table{{"a", 1}};
        extern "C" int checked(int n) {
            try { table["n"] += n; if (table["n"] > 2) throw std::runtime_error("too many"); }
            catch (const std::exception &e) { std::cout << e.what() << table["n"]; return 1; }
            return 0;
        }"#;
    let checks = library("libown_checks.so", "g++", source, &[]);
    let source = "int rank(void); void turn(void); int checked(int); int main(void) { int n = 0; for (int i = 0; i < 4; i++) { n += checked(rank()); turn(); } return n; }";
    let run = run(&against("own-checks", source, &FOLDABLE, &[&checks]), 3, &[]);
    assert_eq!(run.codes(), [0, 2, 3]);
    assert_eq!(run.outputs[1], "too many3too many4");
}

#[test]
fn libraries_that_cannot_be_copied_are_common_and_so_is_what_they_use() {
    let base =
        library("libown_base.so", "gcc", "int base_calls; int base(void) { return ++base_calls; }", &[]);
    let source = r#"
        #include <pthread.h>
        int base(void);
        static void *work(void *unused) { return unused; }
        int threads(void) { pthread_t thread; pthread_create(&thread, 0, work, 0); pthread_join(thread, 0); return base(); }"#;
    let threads =
        library("libown_threads.so", "gcc", source, &["-Wl,--no-as-needed", &base.display().to_string()]);
    let source = "int threads(void); int base(void); int main(void) { return threads() + base(); }";
    let Verdict::Unsafe(reasons) = judged(&against("own-threads", source, &FOLDABLE, &[&threads, &base]))
    else {
        panic!("it is not safe");
    };
    assert!(
        reasons[0].starts_with(
            "its library libown_threads.so would be shared by all ranks (it uses pthread_create"
        ),
        "{reasons:?}"
    );
    assert!(
        reasons[1].starts_with(
            "its library libown_base.so would be shared by all ranks (libown_threads.so uses it"
        ),
        "{reasons:?}"
    );
}

#[test]
fn initial_exec_variables_of_a_library_are_common() {
    let source =
        "__thread int direct __attribute__((tls_model(\"initial-exec\"))); int of(void) { return ++direct; }";
    let direct = library("libown_direct.so", "gcc", source, &[]);
    let program =
        against("own-direct", "int of(void); int main(void) { return of(); }", &FOLDABLE, &[&direct]);
    let Verdict::Unsafe(reasons) = judged(&program) else { panic!("it is not safe") };
    assert!(reasons[0].contains("initial-exec"), "{reasons:?}");
}

#[test]
fn what_a_library_uses_is_judged() {
    let source = "#include <locale.h>\nint set(void) { return setlocale(LC_ALL, \"C\") != 0; }";
    let locale = library("libown_locale.so", "gcc", source, &[]);
    let program =
        against("own-locale", "int set(void); int main(void) { return set(); }", &FOLDABLE, &[&locale]);
    let reason = "its library libown_locale.so uses setlocale, and the locale would be common to all ranks";
    assert_eq!(judged(&program), Verdict::Unsafe(vec![reason.to_owned()]));
}
