//! Programs that are refused, and programs that are judged unsafe.

#![cfg(target_arch = "x86_64")]

mod common;
use std::path::Path;

use common::{compile, compile_cpp, compile_with, link};
use mpirage_fold::{Image, OwnLibraries, Refusal, Verdict, verdict};

fn refusal(name: &str, source: &str, flags: &[&str]) -> Refusal {
    let program = compile_with(name, "gcc", "c", source, flags);
    link(&program).err().expect("it is refused")
}

#[test]
fn files_that_are_no_programs() {
    assert!(matches!(Image::open("/no/such/file".as_ref()), Err(Refusal::Unreadable { .. })));
    assert!(matches!(Image::open(file!().as_ref()), Err(Refusal::Unreadable { .. } | Refusal::NotElf)));
    assert!(matches!(Image::open("/proc/self/maps".as_ref()), Err(Refusal::NotElf)));
}

#[test]
fn ordinary_executables() {
    let main = "int main(void) { return 0; }";
    assert!(matches!(refusal("no-pie", main, &["-no-pie"]), Refusal::FixedAddress));
    assert!(matches!(refusal("static", main, &["-static"]), Refusal::FixedAddress));
    assert!(matches!(refusal("static-pie", main, &["-static-pie"]), Refusal::Static));
    let library = "int helper(void) { return 0; }";
    assert!(matches!(refusal("no-main", library, &["-fPIC", "-shared"]), Refusal::NoMain));
    let pie = compile_with("pie", "gcc", "c", main, &["-fPIE", "-pie"]);
    assert!(link(&pie).is_ok(), "its entry code says where main is");
    let input = "#include <stdio.h>\nint main(void) { freopen(\"x\", \"r\", stdin); return getc(stdin); }";
    let refused = refusal("copy", input, &["-fPIE", "-pie"]);
    assert!(matches!(&refused, Refusal::CopyRelocation(name) if name == "stdin"), "{refused}");
    let local = "__thread int x = 1; int main(void) { return x; }";
    assert!(matches!(refusal("pie-tls", local, &["-fPIE", "-pie", "-rdynamic"]), Refusal::ExecutableTls));
}

#[test]
fn thread_local_variables_that_exist_once() {
    let source = "__thread int counter = 1; int main(void) { return counter++; }";
    let flags = ["-fPIC", "-shared", "-ftls-model=initial-exec"];
    let refused = refusal("initial-exec", source, &flags);
    assert!(matches!(&refused, Refusal::InitialExecTls(name) if name == "counter"), "{refused}");
    let flags = ["-fPIC", "-shared", "-mtls-dialect=gnu2"];
    assert!(matches!(refusal("descriptor", source, &flags), Refusal::TlsDescriptor));
}

#[test]
fn symbols_that_nobody_has() {
    let source = "void nowhere(void); void maybe(void) __attribute__((weak)); int main(void) { if (maybe) maybe(); nowhere(); return 0; }";
    let refused = refusal("missing", source, &["-fPIC", "-shared"]);
    assert!(matches!(&refused, Refusal::Missing(name) if name == "nowhere"), "{refused}");
    let program = compile(
        "weak",
        "void maybe(void) __attribute__((weak)); int main(void) { if (maybe) maybe(); return 0; }",
    );
    assert!(link(&program).is_ok());
}

fn judge(name: &str, source: &str) -> Verdict {
    judge_file(&compile(name, source))
}

fn judge_file(program: &Path) -> Verdict {
    let image = Image::open(program).expect("a program");
    verdict(&image, &OwnLibraries::of(&image).expect("its libraries"))
}

#[test]
fn verdicts() {
    let usual = r#"
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <math.h>
        #include <assert.h>
        #include <time.h>
        int main(int argc, char **argv) {
            char text[100]; double x = sin(argc) + sqrtf(argc) + pow(argc, 0.5); assert(argc > 0);
            int n; if (sscanf(argv[0], "%d", &n) == 1) srand(time(NULL));
            snprintf(text, sizeof text, "%g", x + rand()); memset(malloc(argc), 0, argc);
            fprintf(stderr, "%s", text); puts(text); strtok(text, " "); printf("%s\n", getenv("HOME")); exit(0);
        }"#;
    assert_eq!(judge("usual", usual), Verdict::Safe);
    let Verdict::Unsafe(reasons) = judge(
        "shares",
        "#include <unistd.h>\n#include <locale.h>\nint main(void) { setlocale(LC_ALL, \"\"); return chdir(\"/\"); }",
    ) else {
        panic!("it shares");
    };
    assert_eq!(
        reasons,
        [
            "it uses chdir, and the current directory would be common to all ranks",
            "it uses setlocale, and the locale would be common to all ranks"
        ]
    );
    let Verdict::Unsafe(reasons) = judge(
        "enters-kernel",
        "#include <sys/mman.h>\nint main(void) { long r; asm volatile(\"syscall\" : \"=a\"(r) : \"a\"(39) : \"rcx\", \"r11\"); return munmap(mmap(0, 1, 0, 0, 0, 0), r); }",
    ) else {
        panic!("it makes a system call");
    };
    assert!(reasons[0].starts_with("it makes system calls of its own (at 0x"), "{reasons:?}");
    assert_eq!(reasons[1..], ["it uses mmap, and memory at fixed addresses would be common to all ranks"]);
    assert_eq!(
        judge("forks", "#include <unistd.h>\nint main(void) { return fork(); }"),
        Verdict::Impossible(
            "it uses fork, which starts a process, which would be a copy of all ranks".into()
        )
    );
    assert!(matches!(
        judge(
            "own-malloc",
            "#include <stddef.h>\nvoid *malloc(size_t n) { return 0; } int main(void) { return 0; }"
        ),
        Verdict::Impossible(_)
    ));
}

#[test]
fn verdicts_on_cpp() {
    let usual = r#"
        #include <iostream>
        #include <iomanip>
        #include <map>
        #include <vector>
        #include <string>
        #include <chrono>
        #include <random>
        #include <fstream>
        #include <sstream>
        #include <algorithm>
        #include <memory>
        #include <functional>
        int main() {
            std::map<std::string, std::vector<double>> m; m["a"].push_back(std::chrono::steady_clock::now().time_since_epoch().count());
            std::mt19937 g(1); std::normal_distribution<double> d; std::ofstream f("/dev/null"); f << d(g);
            std::ostringstream s; s << std::setprecision(3) << m["a"][0]; std::cout << s.str() << std::endl;
            auto p = std::make_shared<int>(3); std::function<int()> h = [p] { return *p; };
            try { m.at("b"); } catch (const std::out_of_range &e) { std::cerr << e.what() << h(); }
        }"#;
    let program = compile_cpp("usual-cpp", usual);
    assert_eq!(judge_file(&program), Verdict::Safe);
    let threads = "#include <thread>\nint main() { std::thread t([] {}); t.join(); }";
    let program = compile_cpp("threads", threads);
    assert!(matches!(judge_file(&program), Verdict::Impossible(_)));
}
