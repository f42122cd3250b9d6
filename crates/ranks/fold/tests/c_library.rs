//! The C library behaves for each rank as for a process of its own.

#![cfg(target_arch = "x86_64")]

mod common;
use common::{compile, compile_cpp, native, run};

/// Runs a program as a process and as four ranks: all print the same.
fn same_as_native(name: &str, source: &str, arguments: &[&str]) {
    let (output, _, code) = native(name, source, arguments);
    let run = run(&compile(name, source), 4, arguments);
    assert!(!output.is_empty());
    for rank in 0..4 {
        assert_eq!(run.outputs[rank], output, "rank {rank}");
    }
    assert_eq!(run.codes(), [code; 4]);
}

#[test]
fn random_numbers() {
    let source = r#"
        #include <stdio.h>
        #include <stdlib.h>
        void turn(void);
        int main(void) {
            static char state[64]; unsigned short x[3] = {1, 2, 3}, y[7] = {1, 2, 3, 4, 5, 6, 7};
            for (int i = 0; i < 5; i++) { printf("%d %ld\n", rand(), random()); turn(); }
            srand(42); for (int i = 0; i < 40; i++) { printf("%d\n", rand()); turn(); }
            char *old = initstate(7, state, sizeof state); printf("%ld\n", random()); turn(); setstate(old); printf("%ld\n", random());
            printf("%.17g %ld %ld\n", drand48(), lrand48(), mrand48()); turn(); srand48(9); turn();
            printf("%.17g %.17g %ld %ld\n", drand48(), erand48(x), nrand48(x), jrand48(x));
            unsigned short *before = seed48(x); turn(); printf("%d %d %d %.17g\n", before[0], before[1], before[2], drand48());
            lcong48(y); turn(); printf("%.17g\n", drand48());
            return 0;
        }"#;
    same_as_native("random", source, &[]);
}

#[test]
fn strings_and_times() {
    let source = r#"
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <time.h>
        #include <math.h>
        #include <arpa/inet.h>
        void turn(void); int rank(void);
        int main(void) {
            char text[] = "one two  three", other[] = "x,y";
            for (char *p = strtok(text, " "); p; p = strtok(NULL, " ")) { turn(); puts(p); }
            puts(strtok(other, ","));
            char *error = strerror(77777); turn(); puts(error); puts(strerror(2)); char *s = strsignal(11); turn(); puts(s); puts(strsignal(200));
            time_t t = 86400 * 365, u = 5; struct tm *tm = gmtime(&t); turn(); printf("%d %d\n", tm->tm_year, tm->tm_mon);
            char *a = asctime(tm); turn(); fputs(a, stdout); localtime(&u); turn(); fputs(ctime(&t), stdout);
            int point, sign; char *e = ecvt(3.14159, 4, &point, &sign); turn(); printf("%s %d\n", e, point);
            struct in_addr address = {htonl(0x7f000001)}; char *n = inet_ntoa(address); turn(); puts(n);
            double g = lgamma(-0.5); turn(); printf("%.10f %d\n", g, signgam);
            return 0;
        }"#;
    same_as_native("strings", source, &[]);
}

#[test]
fn environment() {
    let source = r#"
        #define _GNU_SOURCE
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <errno.h>
        extern char **environ; void turn(void); int rank(void);
        static void show(void) { for (char **e = environ; e && *e; e++) printf("%s\n", *e); puts("-"); }
        int main(int argc, char **argv, char **envp) {
            printf("%s %s %d\n", getenv("COLOUR"), envp[0], getenv("NOTHING") == NULL); turn();
            puts(strtok(getenv("LIST"), ":")); turn(); puts(getenv("LIST"));
            setenv("COLOUR", "blue", 0); turn(); puts(getenv("COLOUR")); setenv("COLOUR", "blue", 1); setenv("NEW", "1", 1); show(); turn();
            static char put[] = "PUT=2"; putenv(put); put[4] = '3'; turn(); puts(getenv("PUT")); unsetenv("COLOUR"); show(); turn();
            printf("%d %d\n", setenv("a=b", "", 1), errno == EINVAL); putenv("NEW"); show(); turn(); clearenv(); turn(); show(); setenv("LAST", "x", 1); turn(); show();
            return 0;
        }"#;
    same_as_native("environment", source, &[]);
    let unnamed = r#"
        #include <stdio.h>
        #include <stdlib.h>
        void turn(void);
        int main(void) { setenv("X", "1", 1); turn(); printf("%s %s\n", getenv("X"), getenv("COLOUR")); return 0; }"#;
    same_as_native("environment-unnamed", unnamed, &[]);
}

#[test]
fn ranks_add_to_a_common_environment() {
    use mpirage_fold::{Environment, FoldedRanks, Stop};
    let source = r#"
        #include <stdlib.h>
        #include <string.h>
        int main(int argc, char **argv, char **envp) {
            int entries = 0; while (envp[entries]) entries++;
            return entries == 3 && !strcmp(getenv("HOME"), "/") && !strcmp(getenv("NAME"), "own") ? atoi(getenv("RANK")) : 99;
        }"#;
    let program = compile("environment-of-rank", source);
    let _alone = common::alone();
    let linked = common::link(&program).expect("it can be folded");
    let mut ranks = FoldedRanks::new(common::options(3)).expect("there is room");
    let common =
        Environment::new(vec![c"HOME=/".into(), c"NAME=common".into()]).with(vec![c"NAME=own".into()]);
    for rank in 0..3 {
        let number = std::ffi::CString::new(format!("RANK={rank}")).expect("no zero");
        ranks
            .add(&linked, &[c"program".into()], &common.with(vec![c"RANK=9".into()]).with(vec![number]))
            .expect("room");
    }
    assert_eq!((0..3).map(|rank| ranks.resume(rank)).collect::<Vec<_>>(), [0, 1, 2].map(Stop::Exited));
}

const OPTIONS: &str = r#"
    #define _GNU_SOURCE
    #include <getopt.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    void turn(void);
    static int flag;
    static struct option table[] = {{"verbose", 0, &flag, 7}, {"file", 1, 0, 'f'}, {"level", 2, 0, 'l'}, {"filter", 1, 0, 'F'}, {"version", 0, 0, 'V'}, {"vers", 0, 0, 'V'}, {0}};
    int main(int argc, char **argv) {
        char *way = argv[1]; int c, index = -1; argc--; argv++; argv[0] = "program";
        for (;;) {
            if (!strcmp(way, "short")) c = getopt(argc, argv, "abc:d::");
            else if (!strcmp(way, "plus")) c = getopt(argc, argv, "+abc:");
            else if (!strcmp(way, "minus")) c = getopt(argc, argv, "-abc:");
            else if (!strcmp(way, "colon")) c = getopt(argc, argv, ":abc:");
            else if (!strcmp(way, "long")) c = getopt_long(argc, argv, "abc:W;", table, &index);
            else c = getopt_long_only(argc, argv, "abc:v", table, &index);
            turn();
            printf("%d optarg=%s optind=%d optopt=%d index=%d flag=%d\n", c, optarg ? optarg : "-", optind, c == '?' || c == ':' ? optopt : 0, index, flag);
            if (c == -1) break;
        }
        for (int i = 0; i < argc; i++) printf("%s ", argv[i]);
        puts("");
        return 0;
    }"#;

#[test]
fn options() {
    let program = compile("options", OPTIONS);
    for line in [
        "short -a x -b y -c 1 -dz -d z -cq -ab -- -a w",
        "short -x -c",
        "short one two three -a four -b",
        "short - -a -",
        "plus -a x -b",
        "minus x -a y -c 1 z",
        "colon -c",
        "colon -q -a",
        "long --verbose --file=x --file y rest --level --level=3 --filt z -a",
        "long --fil x --unknown --verbose=1 --file",
        "long --ver --vers --versi --verb -W verbose -W",
        "long -Wfile=q more --",
        "only -verbose -file x -a -v -vv -nothing --fil x -b rest -c",
    ] {
        let arguments: Vec<&str> = line.split(' ').collect();
        let (output, errors, code) = native("options", OPTIONS, &arguments);
        let run = run(&program, 3, &arguments);
        for rank in 0..3 {
            assert_eq!(run.outputs[rank], output, "rank {rank}: {line}");
        }
        for message in errors.lines() {
            assert!(run.errors.lines().any(|line| line == message), "{message}");
        }
        assert_eq!(run.errors.lines().count(), 3 * errors.lines().count(), "{line}: {}", run.errors);
        assert_eq!(run.codes(), [code; 3]);
    }
}

#[test]
fn output_belongs_to_the_rank_that_writes_it() {
    let source = r#"
        #include <stdio.h>
        #include <string.h>
        #include <unistd.h>
        #include <sys/uio.h>
        void turn(void); int rank(void);
        int main(void) {
            printf("a%d", rank()); turn(); printf("b%d", rank()); fflush(stdout); fputs("c", stdout); turn();
            write(1, "w", 1); struct iovec v[2] = {{"v", 1}, {"ec", 2}}; writev(fileno(stdout), v, 2); setvbuf(stdout, NULL, _IONBF, 0);
            fprintf(stdout, "d%d\n", rank()); turn();
            if (rank() == 1) fclose(stdout);
            turn(); for (int i = 0; i < 3000; i++) printf("%d%d", rank(), i % 10);
            return 0;
        }"#;
    let run = run(&compile("output", source), 3, &[]);
    for rank in 0..3 {
        // Rank 1 has closed its standard output, which is not that of the others.
        let printed = if rank == 1 { 0 } else { 3000 };
        let many: String = (0..printed).map(|i| format!("{rank}{}", i % 10)).collect();
        assert_eq!(run.outputs[rank], format!("a{rank}b{rank}cwvecd{rank}\n{many}"));
    }
}

#[test]
fn cpp_streams_have_their_own_format() {
    let source = r#"
        #include <iostream>
        #include <iomanip>
        #include <cstdio>
        extern "C" int rank(); extern "C" void turn();
        int main() {
            std::ios_base::sync_with_stdio(false);
            std::cout << std::setprecision(3 + rank()) << std::hex; turn();
            std::cout << 3.14159265 << ' ' << 255; turn(); std::printf("|"); turn(); std::cout << 10 << std::endl; turn();
            int n = 5; std::cin >> n; std::cout << (std::cin ? "more" : "end") << '\n';
            return 0;
        }"#;
    let program = compile_cpp("streams", source);
    let run = run(&program, 3, &[]);
    for (rank, number) in ["3.14", "3.142", "3.1416"].into_iter().enumerate() {
        assert!(run.outputs[rank].starts_with(&format!("{number} ff|a\n")), "{}", run.outputs[rank]);
        assert!(rank == 0 || run.outputs[rank].ends_with("end\n"), "{}", run.outputs[rank]);
    }
}

#[test]
fn an_assertion_names_the_program() {
    let source = "#include <assert.h>\nint main(int argc, char **argv) { assert(argc > 5); return 0; }";
    let run = run(&compile("assertion", source), 1, &[]);
    assert!(matches!(run.ends[0], Some(mpirage_fold::Stop::Signal { number: libc::SIGABRT, .. })));
    assert!(
        run.errors.starts_with("program: ") && run.errors.ends_with(": main: Assertion `argc > 5' failed.\n")
    );
}

#[test]
fn fortran_common_and_save_are_private() {
    let source = "
      program p
      integer :: me, i
      integer, external :: rank
      common /block/ i
      interface
        integer(4) function crank() bind(c, name='rank')
        end function
        subroutine cturn() bind(c, name='turn')
        end subroutine
      end interface
      me = crank()
      i = i + me
      call cturn()
      call add(me)
      call cturn()
      call add(me)
      if (i == 3 * me) call exit(me)
      stop 99
      end program
      subroutine add(n)
      integer :: n, i
      integer, save :: calls = 0
      common /block/ i
      calls = calls + 1
      i = i + n
      if (calls > 2) stop 98
      end subroutine";
    let flags = common::FOLDABLE;
    let program = common::compile_with("fortran", "gfortran", "f90", source, &flags);
    assert_eq!(run(&program, 4, &[]).codes(), [0, 1, 2, 3]);
}

#[test]
fn zeroed_memory_is_zero() {
    // Fresh and used pages, whole and in part, and so many times that the system is asked now and then only.
    let source = r#"
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        void turn(void);
        static int dirty(const char *p, size_t n) { for (size_t i = 0; i < n; i++) if (p[i]) return 1; return 0; }
        int main(void) {
            int wrong = 0;
            for (size_t i = 0; i < 200; i++) {
                size_t n = 16000 + i * i * 37 % 300000;
                char *a = calloc(1, n), *b = calloc(n / 8, 8);
                turn();
                wrong += dirty(a, n) + dirty(b, n / 8 * 8);
                memset(a, 1, n); memset(b + n / 2, 2, 100);
                if (i % 3) free(a);
                if (i % 2) free(b);
            }
            printf("%d wrong, %d\n", wrong, calloc((size_t) -1 / 2, 3) == NULL);
            return 0;
        }"#;
    same_as_native("zeroed", source, &[]);
}
