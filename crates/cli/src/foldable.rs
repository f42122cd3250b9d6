//! Programs that can be folded: how they are compiled and linked.
//!
//! Folding loads a program once per rank, which needs code that runs at any address and finds its data relative to
//! itself: `-fPIC`, linked `-shared`. With an interpreter and an entry point such a file is also a program that runs alone,
//! so one file serves as process, folded, and without us. Names are bound inside the program as in any executable.
//!
//! An ordinary position-independent executable can be folded too, unless it has thread-local variables or keeps variables
//! of libraries in its own data. So build systems that only take flags from us (CMake) make foldable programs as well.

use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal, Write};
use std::process::Command;

use crate::compile::{full_line, links};
use crate::install::Install;

/// Set to `no`, programs are linked as the compiler does by default.
const VARIABLE: &str = "MPIRAGE_FOLDABLE";

/// Wishes about code or the kind of file that we do not go against.
const OTHER_WISHES: [&str; 12] = [
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

/// The sanitizers' libraries have to be the first of an executable.
const SANITIZERS: &str = "-fsanitize=";

/// Code that can be folded: it runs at any address, and still knows its own functions.
pub fn code_flags(arguments: &[OsString]) -> Vec<OsString> {
    if is_wanted(arguments) { vec!["-fPIC".into(), "-fno-semantic-interposition".into()] } else { Vec::new() }
}

/// The arguments that link a foldable program; none if nothing is linked, or something else is wanted.
pub fn link_line(compiler: &OsStr, arguments: &[OsString], install: &Install) -> Option<Vec<OsString>> {
    let entry = install.include.join("program.S");
    if !links(arguments) || !has_input(arguments) || !is_wanted(arguments) || !entry.exists() {
        return None;
    }
    let user: Vec<OsString> = arguments.iter().filter(|word| *word != "-pie").cloned().collect();
    let mut line = full_line(&user, install);
    line.extend(["-shared", "-Wl,-Bsymbolic", "-Wl,-z,defs", "-Wl,-e,mpirage_start"].map(OsString::from));
    // `main` may be in an archive, which the linker has passed when the code that calls it comes.
    line.push("-Wl,-u,main".into());
    // What the user said about the language of files ends here.
    line.extend(["-x".into(), "none".into(), start_object(compiler)?, entry.into_os_string()]);
    Some(line)
}

/// Runs the compiler. What it says is shown if it succeeds; if it fails, the ordinary way has its own to say.
pub fn try_to_compile(compiler: &OsStr, line: &[OsString]) -> bool {
    let mut command = Command::new(compiler);
    if std::io::stderr().is_terminal() {
        command.arg("-fdiagnostics-color=always");
    }
    let Ok(done) = command.args(line).output() else { return false };
    if done.status.success() {
        // A wrapper whose output is closed has still compiled.
        let _ = std::io::stderr().write_all(&done.stderr);
        let _ = std::io::stdout().write_all(&done.stdout);
    }
    done.status.success()
}

fn is_wanted(arguments: &[OsString]) -> bool {
    let other = |word: &OsString| {
        OTHER_WISHES.iter().any(|wish| word == wish)
            || word.as_encoded_bytes().starts_with(SANITIZERS.as_bytes())
    };
    !arguments.iter().any(other) && std::env::var_os(VARIABLE).is_none_or(|value| value != "no")
}

/// Is there anything to compile or link? `mpicc -v` and its like only ask.
fn has_input(arguments: &[OsString]) -> bool {
    arguments.iter().any(|word| !word.as_encoded_bytes().starts_with(b"-"))
}

/// The code in front of `main`, as the compiler links it into programs.
fn start_object(compiler: &OsStr) -> Option<OsString> {
    let told = Command::new(compiler).arg("-print-file-name=Scrt1.o").output().ok()?;
    let path = String::from_utf8(told.stdout).ok()?.trim().to_owned();
    path.starts_with('/').then(|| path.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn other_wishes_are_respected() {
        assert_eq!(code_flags(&words("-c a.c")).len(), 2);
        for wish in ["-shared", "-static", "-no-pie", "-fsanitize=address"] {
            assert!(code_flags(&words(&format!("a.c {wish}"))).is_empty(), "{wish}");
        }
    }

    #[test]
    fn questions_are_not_programs() {
        assert!(!has_input(&words("-v --help")));
        assert!(has_input(&words("-O2 a.o")));
    }
}
