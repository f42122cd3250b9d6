//! `--watch-memory`: compiles a program that calls the MPI library before its loads and stores, so that `mpirage check` sees those of
//! windows.
//!
//! GCC puts the calls in for ThreadSanitizer. Only the compiler proper is told to, by a file of specs: the driver would link the
//! sanitizer's library, too, whose place ours takes. `memcpy` and its like stay calls, and the linker leads them to us.

use std::ffi::{OsStr, OsString};
use std::process::Command;

use anyhow::{Result, bail};

use super::language::{Language, prefixed};
use crate::install::Install;

/// The option.
pub(super) const OPTION: &str = "--watch-memory";

/// The file of specs, beside `mpi.h`.
const SPECS: &str = "watch-memory.specs";

/// Functions of the C library that load and store for the program.
const COPIES: [&str; 3] = ["memcpy", "memmove", "memset"];

/// Every GCC, of any language, says this when it is asked for its version with `-v`.
const GCC: &str = "gcc version";

/// True if the arguments of a wrapper have the option.
pub(super) fn is_wanted(arguments: &[OsString]) -> bool {
    arguments.iter().any(|word| word == OPTION)
}

/// The compiler's flags for such a program.
pub(super) fn compile_flags(language: Language, install: &Install) -> Vec<OsString> {
    let specs = prefixed("-specs=", install.include.join(SPECS).as_os_str());
    let calls = COPIES.iter().filter(|_| language != Language::Fortran);
    std::iter::once(specs).chain(calls.map(|name| format!("-fno-builtin-{name}").into())).collect()
}

/// The linker's flags.
pub(super) fn link_flags() -> Vec<OsString> {
    COPIES.iter().map(|name| format!("-Wl,--wrap={name}").into()).collect()
}

/// Refuses compilers that do not understand the flags.
pub(super) fn check_compiler(compiler: &OsStr) -> Result<()> {
    let told = Command::new(compiler).arg("-v").output();
    let told = told.map(|output| String::from_utf8_lossy(&output.stderr).into_owned()).unwrap_or_default();
    if told.contains(GCC) {
        return Ok(());
    }
    bail!(
        "{OPTION} needs GCC, but {} is another compiler; MPIRAGE_CC, MPIRAGE_CXX and MPIRAGE_FC name the one to use",
        compiler.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_c_stay_calls() {
        let install = Install { library: "/x".into(), include: "/x".into(), share: "/x".into() };
        let flags = compile_flags(Language::C, &install);
        assert_eq!(flags[..2], ["-specs=/x/watch-memory.specs", "-fno-builtin-memcpy"]);
        assert_eq!(compile_flags(Language::Fortran, &install).len(), 1);
        assert_eq!(link_flags()[0], "-Wl,--wrap=memcpy");
    }

    #[test]
    fn other_compilers_are_refused() {
        let failure = check_compiler(OsStr::new("true")).unwrap_err();
        assert!(failure.to_string().contains("needs GCC, but true is another compiler"));
    }
}
