//! Ranks have their own variables, of every kind.

#![cfg(target_arch = "x86_64")]

mod common;
use common::{compile, compile_cpp, compile_with, run};

#[test]
fn globals_statics_and_bss_are_private() {
    let program = compile(
        "globals",
        r#"
        int rank(void); void turn(void);
        int initialized = 5; int *pointer = &initialized; static int zero[1000];
        static int count(void) { static int calls; return ++calls; }
        int main(void) {
            int me = rank();
            initialized += me; zero[me] = me + 1;
            for (int i = 0; i <= me; i++) { turn(); count(); }
            int sum = 0; for (int i = 0; i < 1000; i++) sum += zero[i];
            return *pointer == 5 + me && sum == me + 1 && count() == me + 2 ? me : 99;
        }"#,
    );
    assert_eq!(run(&program, 5, &[]).codes(), [0, 1, 2, 3, 4]);
}

#[test]
fn thread_local_variables_are_private() {
    let program = compile(
        "tls",
        r#"
        int rank(void); void turn(void);
        static int target = 3;
        __thread int a = 7; __thread int *p = &target; static __thread char text[40] = "hello"; _Alignas(64) __thread double d;
        int main(void) {
            int me = rank();
            a += me; text[0] += me; *p += me; d = me;
            turn();
            return a == 7 + me && text[0] == 'h' + me && text[1] == 'e' && target == 3 + me && d == me && (unsigned long)&d % 64 == 0 ? me : 99;
        }"#,
    );
    assert_eq!(run(&program, 4, &[]).codes(), [0, 1, 2, 3]);
}

#[test]
fn errno_and_rounding_are_private() {
    let program = compile(
        "errno",
        r#"
        #include <errno.h>
        #include <fenv.h>
        int rank(void); void turn(void);
        int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
        int main(void) {
            int me = rank();
            errno = 100 + me; fesetround(modes[me]);
            turn();
            volatile double one = 1, three = 3; volatile long double lone = 1, lthree = 3;
            volatile double third = one / three; volatile long double lthird = lone / lthree;
            int ok = errno == 100 + me && fegetround() == modes[me];
            turn();
            fesetround(FE_TONEAREST);
            return ok && (third > one / three) == (me == 1) && (lthird < lone / lthree) == (me >= 2) ? me : 99;
        }"#,
    );
    assert_eq!(run(&program, 4, &[]).codes(), [0, 1, 2, 3]);
}

#[test]
fn cpp_statics_exceptions_and_destructors() {
    let program = compile_cpp(
        "cpp",
        r#"
        #include <cstdio>
        #include <stdexcept>
        #include <string>
        #include <vector>
        extern "C" int rank(); extern "C" void turn();
        struct Noisy { std::string name; Noisy(const char *n) : name(n) {} ~Noisy() { std::printf("~%s\n", name.c_str()); } };
        static Noisy first("first"); static Noisy second("second");
        template <class T> struct Holder { static inline int value = 1; };
        thread_local Noisy local("local");
        struct Unwound { int &count; ~Unwound() { count++; } };
        int deep(int me, int &count) { Unwound u{count}; turn(); throw std::runtime_error("rank " + std::to_string(me)); }
        int main() {
            int me = rank(), count = 0; local.name += "!"; Holder<int>::value += me;
            static Noisy inside("inside");
            std::string seen;
            try { deep(me, count); } catch (const std::exception &e) {
                turn(); seen = e.what();
                try { turn(); throw me; } catch (int n) { turn(); if (n != me) return 98; }
                turn(); if (std::uncaught_exceptions() != 0) return 97;
                try { throw; } catch (const std::runtime_error &again) { if (seen != again.what()) return 96; }
            }
            std::vector<int> v; try { turn(); v.at(me); } catch (const std::out_of_range &) { count++; }
            return seen == "rank " + std::to_string(me) && count == 2 && Holder<int>::value == 1 + me ? me : 99;
        }"#,
    );
    let run = run(&program, 4, &[]);
    assert_eq!(run.codes(), [0, 1, 2, 3]);
    assert!(
        run.outputs.iter().all(|output| output == "~local!\n~inside\n~second\n~first\n"),
        "{:?}",
        run.outputs
    );
}

/// Flags that make an ordinary executable, as plain `cc` does: it has variables of libraries in its own data.
fn ordinary(name: &str) -> Vec<String> {
    let stub = "int rank(void) { return 0; } void turn(void) {}";
    let library = compile_with(&format!("{name}-stub.so"), "gcc", "c", stub, &["-shared", "-fPIC"]);
    let library = library.display().to_string();
    let folder = format!("-Wl,-rpath,{}", env!("CARGO_TARGET_TMPDIR"));
    ["-fPIE", "-pie", &folder, "-Wl,--no-as-needed", &library].map(str::to_owned).to_vec()
}

#[test]
fn ordinary_executables_have_variables_of_the_c_library_for_each_rank() {
    let flags = ordinary("copies");
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let source = r#"
        #include <getopt.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        extern char **environ; extern char *program_invocation_name;
        int rank(void); void turn(void);
        static int length(void) { int n = 0; while (environ[n]) n++; return n; }
        int main(int argc, char **argv) {
            int me = rank(), sum = 0, option, before = length();
            while ((option = getopt(argc, argv, "a:b")) != -1) { turn(); sum += option == 'a' ? atoi(optarg) : 1; }
            if (optind != argc - 1 || strcmp(argv[optind], "rest")) return 90;
            optind = 1; turn();
            if (getopt(argc, argv, "a:b") != 'a' || strcmp(optarg, "40")) return 91;
            if (me == 1) setenv("MORE", "x", 1);
            turn();
            fprintf(stdout, "%d %d\n", me, length() - before);
            fprintf(stderr, "%s", "");
            return sum == 41 && strcmp(program_invocation_name, "program") == 0 ? me : 92;
        }"#;
    let program = compile_with("copies", "gcc", "c", source, &flags);
    let run = run(&program, 3, &["-a", "40", "-b", "rest"]);
    assert_eq!(run.codes(), [0, 1, 2]);
    assert_eq!(run.outputs, ["0 0\n", "1 1\n", "2 0\n"]);
}

#[test]
fn ordinary_cpp_executables_have_streams_for_each_rank() {
    let flags = ordinary("cpp-copies");
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let source = r#"
        #include <iostream>
        #include <stdexcept>
        extern "C" int rank(); extern "C" void turn();
        int main() {
            int me = rank();
            std::cout.precision(me + 2);
            turn();
            try { turn(); throw std::runtime_error("caught"); } catch (const std::exception &error) {
                turn(); std::cout << 3.14159265 << ' ' << error.what() << std::endl;
            }
            return me;
        }"#;
    let program = compile_with("cpp-copies", "g++", "cc", source, &flags);
    let run = run(&program, 3, &[]);
    assert_eq!(run.codes(), [0, 1, 2]);
    assert_eq!(run.outputs, ["3.1 caught\n", "3.14 caught\n", "3.142 caught\n"]);
}

#[test]
fn two_thousand_ranks_with_a_megabyte_each() {
    let program = compile(
        "megabyte",
        r#"
        int rank(void); void turn(void);
        static char large[1 << 20]; int sum;
        int main(void) { large[rank() * 500] = 1; turn(); for (int i = 0; i < 2000; i++) sum += large[i * 500]; turn(); return sum; }"#,
    );
    let codes = run(&program, 2000, &[]).codes();
    assert!(codes.iter().all(|&code| code == 1));
}
