//! Flags that compile and link a program so that it can be folded.
//!
//! Folding loads a program once per rank. This needs code that runs at any address and finds its data relative to itself:
//! `-fPIC`, linked `-shared`. With an interpreter and an entry point such a file is also an executable, so one file runs
//! folded, as a process, and without mpirage. `-Bsymbolic` binds names inside the program, as in any executable.
//!
//! An ordinary position-independent executable can be folded too, unless it has thread-local variables or copies of a
//! library's variables (copy relocations). So build systems that only take our flags (CMake) make foldable programs as well.

use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal, Write};
use std::process::Command;

use super::flags::{Flags, full_line, links};
use crate::install::Install;

/// If this environment variable is `no`, programs are linked as the compiler does by default.
const VARIABLE: &str = "MPIRAGE_FOLDABLE";

/// Options of the user that ask for another kind of code or file. They win.
const OTHER_KINDS: [&str; 12] = [
    "-shared",
    "-static",
    "-static-pie",
    "-no-pie",
    "-nostdlib",
    "-nostartfiles",
    "-r",
    "-fno-pic",
    "-fno-PIC",
    "-fno-pie",
    "-fno-PIE",
    "-m32",
];

/// A sanitizer's library must be the first library of an executable.
const SANITIZERS: &str = "-fsanitize=";

/// Flags for position-independent code whose functions may still be inlined.
pub fn code_flags(arguments: &[OsString]) -> Vec<OsString> {
    if makes_foldable(arguments) {
        vec!["-fPIC".into(), "-fno-semantic-interposition".into()]
    } else {
        Vec::new()
    }
}

/// The arguments that link a foldable program; `None` if nothing is linked, or the user asks for another kind of file.
pub fn link_line(
    compiler: &OsStr,
    arguments: &[OsString],
    install: &Install,
    flags: &Flags,
) -> Option<Vec<OsString>> {
    let entry = install.include.join("program.S");
    if !links(arguments) || !has_input(arguments) || !makes_foldable(arguments) || !entry.exists() {
        return None;
    }
    let user: Vec<OsString> = arguments.iter().filter(|word| *word != "-pie").cloned().collect();
    let mut line = full_line(&user, flags);
    line.extend(["-shared", "-Wl,-Bsymbolic", "-Wl,-z,defs", "-Wl,-e,mpirage_start"].map(OsString::from));
    // `main` may be in an archive, which the linker reads before the entry code that needs it.
    line.push("-Wl,-u,main".into());
    // Ends the effect of a `-x LANGUAGE` of the user's.
    line.extend(["-x".into(), "none".into(), start_object(compiler)?, entry.into_os_string()]);
    Some(line)
}

/// Runs the compiler, and shows its output if it succeeds. If it fails, the ordinary link follows and shows its own errors.
pub fn try_to_compile(compiler: &OsStr, line: &[OsString]) -> bool {
    let mut command = Command::new(compiler);
    if std::io::stderr().is_terminal() {
        command.arg("-fdiagnostics-color=always");
    }
    let Ok(done) = command.args(line).output() else { return false };
    if done.status.success() {
        // The program is compiled even if our output is closed.
        let _ = std::io::stderr().write_all(&about_program(&done.stderr));
        let _ = std::io::stdout().write_all(&done.stdout);
    }
    done.status.success()
}

/// The compiler's messages without those about our entry code, for which options of Fortran mean nothing.
fn about_program(messages: &[u8]) -> Vec<u8> {
    let ours = |line: &&[u8]| line.starts_with(b"cc1: warning: command-line option");
    messages.split_inclusive(|&byte| byte == b'\n').filter(|line| !ours(line)).flatten().copied().collect()
}

fn makes_foldable(arguments: &[OsString]) -> bool {
    let other = |word: &OsString| {
        OTHER_KINDS.iter().any(|kind| word == kind)
            || word.as_encoded_bytes().starts_with(SANITIZERS.as_bytes())
    };
    !arguments.iter().any(other) && std::env::var_os(VARIABLE).is_none_or(|value| value != "no")
}

/// True if there is a file to compile or link. `mpicc -v` has none.
fn has_input(arguments: &[OsString]) -> bool {
    arguments.iter().any(|word| !word.as_encoded_bytes().starts_with(b"-"))
}

/// The start-up object that the compiler links into position-independent executables.
fn start_object(compiler: &OsStr) -> Option<OsString> {
    let printed = Command::new(compiler).arg("-print-file-name=Scrt1.o").output().ok()?;
    let path = String::from_utf8(printed.stdout).ok()?.trim().to_owned();
    path.starts_with('/').then(|| path.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn other_kinds_of_files_are_left_alone() {
        assert_eq!(code_flags(&words("-c a.c")).len(), 2);
        for kind in ["-shared", "-static", "-no-pie", "-fsanitize=address"] {
            assert!(code_flags(&words(&format!("a.c {kind}"))).is_empty(), "{kind}");
        }
    }

    #[test]
    fn messages_about_our_entry_code_are_left_out() {
        let messages = b"a.f90:1: Warning\ncc1: warning: command-line option '-fx' is valid for Fortran\nb\n";
        assert_eq!(about_program(messages), b"a.f90:1: Warning\nb\n");
    }

    #[test]
    fn questions_are_not_programs() {
        assert!(!has_input(&words("-v --help")));
        assert!(has_input(&words("-O2 a.o")));
    }
}
