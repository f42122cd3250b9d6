//! How ranks end: codes, handlers, crashes, interrupts.

#![cfg(target_arch = "x86_64")]

mod common;
use common::{compile, compile_cpp, load, options, run};
use mpirage_fold::Stop;

#[test]
fn exit_runs_handlers_in_reverse_order() {
    let program = compile(
        "handlers",
        r#"
        #include <stdio.h>
        #include <stdlib.h>
        int rank(void); void turn(void);
        static void a(void) { puts("a"); turn(); } static void b(void) { puts("b"); turn(); }
        static void c(int code, void *p) { printf("c %d %s\n", code, (char *)p); }
        static void q(void) { puts("q"); fflush(stdout); }
        __attribute__((destructor)) static void last(void) { puts("destructor"); }
        __attribute__((constructor)) static void first(void) { puts("constructor"); }
        int main(int argc, char **argv) {
            atexit(a); atexit(b); on_exit(c, "text"); at_quick_exit(q); turn();
            switch (rank()) {
            case 0: exit(256 + 7);
            case 1: return 5;
            case 2: fflush(stdout); printf("lost"); _exit(3);
            default: fflush(stdout); quick_exit(4);
            }
        }"#,
    );
    let run = run(&program, 4, &[]);
    assert_eq!(run.codes(), [7, 5, 3, 4]);
    assert_eq!(run.outputs[0], "constructor\nc 263 text\nb\na\ndestructor\n");
    assert_eq!(run.outputs[1], "constructor\nc 5 text\nb\na\ndestructor\n");
    assert_eq!(run.outputs[2], "constructor\n");
    assert_eq!(run.outputs[3], "constructor\nq\n");
}

#[test]
fn crashes_end_the_rank_and_say_where() {
    let program = compile(
        "crash",
        r#"
        #include <stdlib.h>
        #include <stdio.h>
        int rank(void); void turn(void);
        static int deeper(int n) { volatile char room[1000]; room[n % 1000] = n; return n < 0 ? 0 : deeper(n + 1) + room[n % 1000]; }
        __attribute__((noinline)) static int skip(void) { volatile char large[20 << 20]; large[0] = 1; turn(); return large[0]; }
        int main(void) {
            volatile int zero = 0;
            printf("before\n"); turn();
            switch (rank()) {
            case 0: *(volatile int *)0x40 = 1; break;
            case 1: return 7 / zero;
            case 2: abort();
            case 3: return deeper(0);
            case 4: __builtin_trap();
            case 5: return skip();
            }
            turn(); return 17;
        }"#,
    );
    let run = run(&program, 7, &[]);
    assert!(run.outputs.iter().all(|output| output == "before\n"));
    let signal = |rank: usize| match run.ends[rank] {
        Some(Stop::Signal { number, address, code, stack_overflow, interrupted: false }) => {
            (number, address, code, stack_overflow)
        }
        other => panic!("rank {rank}: {other:?}"),
    };
    let (number, address, code, overflow) = signal(0);
    assert_eq!((number, address, overflow), (libc::SIGSEGV, 0x40, false));
    assert!(run.ranks.has(0, code as *const u8) && code - run.ranks.base(0) < 0x10000);
    assert_eq!(signal(1).0, libc::SIGFPE);
    assert_eq!(signal(2).0, libc::SIGABRT);
    assert_eq!((signal(3).0, signal(3).3), (libc::SIGSEGV, true));
    assert_eq!(signal(4).0, libc::SIGILL);
    assert_eq!((signal(5).0, signal(5).3), (libc::SIGSEGV, true));
    assert_eq!(run.ends[6], Some(Stop::Exited(17)));
}

#[test]
fn an_exception_that_nobody_catches_aborts() {
    let source = r#"
        #include <stdexcept>
        extern "C" int rank(); extern "C" void turn();
        int main() { turn(); if (rank() == 1) throw std::runtime_error("nobody"); turn(); return 3; }"#;
    let program = compile_cpp("uncaught", source);
    let run = run(&program, 3, &[]);
    assert_eq!((run.ends[0], run.ends[2]), (Some(Stop::Exited(3)), Some(Stop::Exited(3))));
    assert!(matches!(run.ends[1], Some(Stop::Signal { number: libc::SIGABRT, .. })), "{:?}", run.ends[1]);
    assert!(run.errors.contains("terminate called after throwing an instance of 'std::runtime_error'"));
}

#[test]
fn endless_loops_can_be_interrupted() {
    let program = compile(
        "endless",
        r#"
        #include <stdlib.h>
        #include <string.h>
        int rank(void); void turn(void);
        volatile int forever = 1;
        static char from[1 << 16], to[1 << 16];
        int main(void) {
            turn();
            if (rank() == 0) while (forever) {}
            if (rank() == 1) while (forever) memcpy(to, from, sizeof to);
            if (rank() == 2) while (forever) free(malloc(100));
            if (rank() == 3) while (forever) turn();
            return 9;
        }"#,
    );
    let mut run = load(&program, &[], options(5));
    mpirage_fold::interrupt_on(libc::SIGALRM).expect("a handler");
    for rank in 0..5 {
        assert_eq!(run.ranks.resume(rank), Stop::Yielded);
    }
    let at_once = libc::timeval { tv_sec: 0, tv_usec: 0 };
    let soon =
        libc::itimerval { it_interval: at_once, it_value: libc::timeval { tv_sec: 0, tv_usec: 20_000 } };
    for rank in 0..3 {
        // SAFETY: asks the system for a signal in 20 ms.
        unsafe { libc::setitimer(libc::ITIMER_REAL, &raw const soon, std::ptr::null_mut()) };
        let stop = run.ranks.resume(rank);
        assert!(
            matches!(stop, Stop::Signal { number: libc::SIGALRM, interrupted: true, .. }),
            "rank {rank}: {stop:?}"
        );
        assert_eq!(run.ranks.resume(rank), stop);
    }
    assert_eq!(run.ranks.resume(3), Stop::Yielded);
    assert_eq!(run.ranks.resume(4), Stop::Exited(9));
}

#[test]
fn requests_to_interrupt_do_nothing_while_no_rank_runs() {
    let program = compile("waits", "void turn(void); int main(void) { turn(); return 4; }");
    let mut run = load(&program, &[], options(1));
    mpirage_fold::interrupt_only_on(libc::SIGVTALRM).expect("a handler");
    assert_eq!(run.ranks.resume(0), Stop::Yielded);
    // SAFETY: its handler is installed.
    assert_eq!(unsafe { libc::raise(libc::SIGVTALRM) }, 0);
    assert_eq!(run.ranks.resume(0), Stop::Exited(4));
}

#[test]
fn copies_survive_wrong_addresses() {
    let program = compile("nothing", "int main(void) { return 0; }");
    let _run = load(&program, &[], options(1));
    let (from, mut to) = ([7u8; 100], [0u8; 100]);
    // SAFETY: both buffers are ours; no memory is mapped at address 16.
    unsafe {
        assert!(mpirage_fold::copy(to.as_mut_ptr(), from.as_ptr(), 100));
        assert!(!mpirage_fold::copy(to.as_mut_ptr(), 16 as *const u8, 100));
        assert!(!mpirage_fold::copy(16 as *mut u8, from.as_ptr(), 100));
        assert!(mpirage_fold::copy(std::ptr::null_mut(), std::ptr::null(), 0));
    }
    assert_eq!(from, to);
}
