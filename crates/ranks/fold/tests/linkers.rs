//! Programs of other linkers, which order the tables of a program differently.

mod common;

use std::path::PathBuf;
use std::process::Command;

use common::{FOLDABLE, compile_with};

/// The folder with the linker that comes with Rust, under a name that gcc knows.
fn rust_linker() -> Option<PathBuf> {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output().ok()?;
    let root = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    let folder = root.join("lib/rustlib/x86_64-unknown-linux-gnu/bin/gcc-ld");
    folder.join("ld.lld").exists().then_some(folder)
}

#[test]
fn lld_puts_versions_behind_symbols() {
    let Some(folder) = rust_linker() else {
        eprintln!("skipped: this Rust comes without a linker");
        return;
    };
    let place = format!("-B{}", folder.display());
    // Without weak symbols of the compiler, versions that are taken for names are no names.
    let flags = [&FOLDABLE[..], &["-nostartfiles", "-fuse-ld=lld", &place]].concat();
    let source = r#"
        #include <stdio.h>
        #include <stdlib.h>
        int rank(void);
        int main(void) { printf("%d %s\n", rank(), getenv("COLOUR")); return 0; }"#;
    let program = compile_with("lld", "gcc", "c", source, &flags);
    let run = common::run(&program, 2, &[]);
    assert_eq!(run.outputs, ["0 red\n", "1 red\n"]);
}
