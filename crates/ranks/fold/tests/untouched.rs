//! Memory that no rank has written takes no pages. A test binary of its own, because other tests would have used the memory before.

#![cfg(target_arch = "x86_64")]

mod common;
use common::{compile, run};

#[test]
fn zeroed_memory_that_nobody_writes_takes_none() {
    // Pages at the edges are shared with others.
    let source = r#"
        #define _DEFAULT_SOURCE
        #include <stdint.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <sys/mman.h>
        void turn(void);
        int main(void) {
            char *a = calloc(1, 10 * 4096), *inner = (char *) (((uintptr_t) a + 4095) / 4096 * 4096);
            unsigned char there[9]; int pages = 0;
            turn();
            mincore(inner, 9 * 4096, there);
            for (int i = 0; i < 9; i++) pages += there[i] & 1;
            printf("%d\n", pages);
            return 0;
        }"#;
    let run = run(&compile("untouched", source), 50, &[]);
    let taken: u32 = run.outputs.iter().map(|pages| pages.trim().parse::<u32>().unwrap()).sum();
    assert_eq!(taken, 0);
}
