//! Files of a rank are its own: numbers, standard streams, locks, and what happens to them at its end.

#![cfg(target_arch = "x86_64")]

mod common;
use common::{compile, native, run};

/// Runs a program as a process and as four ranks, each with files of its own in a fresh folder: all print the same.
fn same_as_native(name: &str, source: &str) {
    let folder = format!("{}/{name}-files", env!("CARGO_TARGET_TMPDIR"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let (output, _, code) = native(name, source, &[&folder]);
    let run = run(&compile(name, source), 4, &[&folder]);
    assert!(!output.is_empty());
    for rank in 0..4 {
        assert_eq!(run.outputs[rank], output, "rank {rank}");
    }
    assert_eq!(run.codes(), [code; 4]);
}

/// The common beginning of the programs: `path()` names a file of the rank, `show()` prints the content of a file.
const COMMON: &str = r#"
    #define _GNU_SOURCE
    #include <dirent.h>
    #include <errno.h>
    #include <fcntl.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/file.h>
    #include <sys/mman.h>
    #include <sys/stat.h>
    #include <unistd.h>
    void turn(void); int rank(void);
    static char *folder;
    static char *path(const char *name) {
        static char text[4096];
        snprintf(text, sizeof text, "%s/%s.%d", folder, name, rank());
        return text;
    }
    static void show(const char *name) {
        char line[256];
        FILE *file = fopen(path(name), "r");
        while (file && fgets(line, sizeof line, file)) printf("%s: %s", name, line);
        if (file) fclose(file);
    }
"#;

#[test]
fn numbers_are_the_lowest_that_are_free() {
    let source = r#"
        int main(int argc, char **argv) {
            folder = argv[1];
            int a = open(path("a"), O_CREAT | O_RDWR, 0600), b = creat(path("b"), 0600), ends[2];
            turn();
            printf("%d %d\n", a, b);
            printf("%d %d\n", close(a), close(a)); printf("%d %s\n", errno, strerror(errno));
            FILE *file = fopen(path("c"), "w+");
            turn();
            printf("%d %d\n", fileno(file), dup(b));
            printf("%d", pipe(ends)); printf(" %d %d\n", ends[0], ends[1]);
            write(ends[1], "through", 8); turn();
            char text[8]; printf("%zd %s\n", read(ends[0], text, 8), text);
            printf("%d %d %d\n", fcntl(b, F_DUPFD, 20), dup2(b, 9), dup3(b, b, 0));
            struct stat status;
            printf("%d %d %d\n", fstat(9, &status), fstat(100, &status), fstat(1, &status));
            printf("%d %d %zd\n", isatty(0), isatty(1), lseek(1, 0, SEEK_CUR));
            for (int i = 3; i < 256; i++) close(i);
            turn();
            printf("%zd %zd\n", write(b, "x", 1), read(4, text, 1));
            printf("%d\n", openat(AT_FDCWD, path("d"), O_CREAT | O_RDWR, 0600));
            return 0;
        }"#;
    same_as_native("numbers", &format!("{COMMON}{source}"));
}

#[test]
fn standard_files_can_be_replaced() {
    let source = r#"
        int main(int argc, char **argv) {
            folder = argv[1];
            puts("before"); fflush(stdout);
            int saved = dup(1);
            close(1); turn();
            int file = open(path("out"), O_CREAT | O_TRUNC | O_WRONLY, 0600);
            printf("into file %d\n", file); turn();
            fflush(stdout); dup2(saved, 1); puts("after"); turn();
            if (!freopen(path("again"), "w", stdout)) return 1;
            puts("by freopen"); turn(); puts("and more"); fflush(stdout); dup2(saved, 1);
            freopen(path("err"), "w", stderr); fprintf(stderr, "error %d\n", 5); turn(); perror("told"); fclose(stderr); turn();
            FILE *direct = fopen("/dev/stdout", "w"); fprintf(direct, "direct\n"); fclose(direct);
            FILE *number = fdopen(dup(1), "w"); fprintf(number, "by number\n"); turn(); fclose(number);
            show("out"); show("again"); show("err");
            fclose(stdout); turn();
            return printf("lost") == 4 && fflush(stdout) == 0;
        }"#;
    same_as_native("replaced", &format!("{COMMON}{source}"));
}

#[test]
fn standard_input_can_be_replaced() {
    let source = r#"
        int main(int argc, char **argv) {
            folder = argv[1];
            int number; char word[16];
            FILE *file = fopen(path("in"), "w"); fprintf(file, "%d word\nline\n", 7); fclose(file);
            while (!feof(stdin)) getchar();
            printf("%d %d\n", feof(stdin) != 0, getchar()); turn(); printf("%d\n", feof(stdin) != 0);
            if (!freopen(path("in"), "r", stdin)) return 1;
            turn(); printf("%d", scanf("%d", &number)); turn(); printf(" %d", number);
            turn(); printf(" %d", scanf("%15s", word)); printf(" %s", word); turn();
            printf(" %d\n", getchar()); printf("%s", fgets(word, 16, stdin)); turn();
            printf("%d %d\n", getchar(), feof(stdin) != 0);
            return 0;
        }"#;
    same_as_native("input", &format!("{COMMON}{source}"));
}

#[test]
fn streams_are_written_at_the_end() {
    let source = r#"
        static void last(void) { show("kept"); show("lost"); }
        int main(int argc, char **argv) {
            folder = argv[1];
            atexit(last);
            FILE *kept = fopen(path("kept"), "w"); fprintf(kept, "kept\n"); fclose(kept); turn();
            FILE *open = fopen(path("open"), "w"); fprintf(open, "written by exit\n"); turn();
            DIR *here = opendir(folder); printf("%d\n", faccessat(dirfd(here), ".", F_OK, 0)); closedir(here);
            char *map = mmap(0, 4, PROT_READ, MAP_PRIVATE, fileno(fopen(path("kept"), "r")), 0); printf("%.4s\n", map);
            FILE *memory = tmpfile(); fputs("temporary", memory); rewind(memory); turn();
            char text[16]; printf("%s\n", fgets(text, 16, memory));
            return 0;
        }"#;
    same_as_native("written", &format!("{COMMON}{source}"));
    for rank in 0..4 {
        let file = format!("{}/written-files/open.{rank}", env!("CARGO_TARGET_TMPDIR"));
        assert_eq!(std::fs::read_to_string(file).unwrap(), "written by exit\n");
    }
}

#[test]
fn no_rank_reaches_the_files_of_the_simulator() {
    let source = r#"
        int main(void) {
            int closed = 0, readable = 0; char byte;
            for (int i = 3; i < 1024; i++) { readable += lseek(i, 0, SEEK_CUR) >= 0 || read(i, &byte, 0) == 0; closed += close(i) == 0; }
            closefrom(3); close_range(3, ~0U, 0);
            printf("%d %d\n", closed, readable);
            return 0;
        }"#;
    let file = tempfile();
    let run = run(&compile("unreached", &format!("{COMMON}{source}")), 4, &[]);
    assert_eq!(run.outputs, ["0 0\n"; 4]);
    assert!(file.metadata().is_ok(), "the simulator's file is still open");
}

fn tempfile() -> std::fs::File {
    std::fs::File::create(format!("{}/simulator", env!("CARGO_TARGET_TMPDIR"))).unwrap()
}
