//! Flags that the wrappers add to those of the user.

use std::ffi::{OsStr, OsString};

use anyhow::Result;

use super::language::{Language, prefixed};
use super::{fortran_modules, pie_link, watch_memory};
use crate::install::Install;

/// The compiler's arguments: the user's, then ours.
pub(super) fn full_line(arguments: &[OsString], flags: &Flags) -> Vec<OsString> {
    let ours = |word: &&OsString| *word == watch_memory::OPTION;
    let mut line: Vec<OsString> = arguments.iter().filter(|word| !ours(word)).cloned().collect();
    if !arguments.iter().any(|word| is_debug_choice(word)) {
        // Debug information lets messages and reports name source lines.
        line.insert(0, "-g".into());
    }
    line.extend(pie_link::code_flags(arguments));
    line.extend(flags.compile.iter().cloned());
    if links(arguments) {
        line.extend(flags.link.iter().cloned());
    }
    line
}

/// The library, also for a program of which only other libraries call MPI: else it would come after the C library, whose clocks would then
/// be the program's.
pub(super) const KEPT_LIBRARY: [&str; 3] =
    ["-Wl,--push-state,--no-as-needed", "-lmpi_abi", "-Wl,--pop-state"];

/// Flags that a wrapper adds to those of the user.
pub(super) struct Flags {
    pub compile: Vec<OsString>,
    pub link: Vec<OsString>,
}

impl Flags {
    /// For Fortran, compiles the modules first if the compiler is going to read source files.
    pub(super) fn of(
        language: Language,
        compiler: &OsStr,
        arguments: &[OsString],
        install: &Install,
    ) -> Result<Flags> {
        let mut flags = Flags::of_c(install);
        if language == Language::Fortran {
            // After the folder of the modules: mpirage/regions.f90 is beside mpi.h.
            let headers = std::mem::take(&mut flags.compile);
            if !arguments.iter().any(|word| word == "--version" || word == "-dumpversion") {
                flags.compile.extend(fortran_modules::flags(compiler)?);
                flags.compile.extend(headers);
            }
            // The library finds MPI_BOTTOM and its like by these names.
            flags.link.push("-Wl,--export-dynamic-symbol=mpi_fortran_*".into());
            flags.link.insert(2, "-lmpi_fortran".into());
        }
        if watch_memory::is_wanted(arguments) {
            watch_memory::check_compiler(compiler)?;
            flags.compile.extend(watch_memory::compile_flags(language, install));
            flags.link.extend(watch_memory::link_flags());
        }
        Ok(flags)
    }

    pub(super) fn of_c(install: &Install) -> Flags {
        let library = install.library.as_os_str();
        Flags {
            compile: vec![prefixed("-I", install.include.as_os_str())],
            link: [prefixed("-L", library), prefixed("-Wl,-rpath,", library)]
                .into_iter()
                .chain(KEPT_LIBRARY.map(OsString::from))
                .collect(),
        }
    }
}

fn is_debug_choice(word: &OsStr) -> bool {
    word.to_str().is_some_and(|word| word.starts_with("-g") || word == "-s" || word.starts_with("-Wl,-s"))
}

/// True if the compiler links, and does not stop earlier.
pub(super) fn links(arguments: &[OsString]) -> bool {
    const STOP: [&str; 8] = ["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--version", "-dumpversion"];
    !arguments.iter().any(|word| STOP.iter().any(|stop| word == stop))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn install() -> Install {
        Install { library: "/x/lib".into(), include: "/x/include".into(), share: "/x/share".into() }
    }

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn our_flags_come_last_and_only_where_they_belong() {
        let linked = full_line(&words("ring.c -o ring -lm"), &Flags::of_c(&install()));
        let code = "-fPIC -fno-semantic-interposition";
        let ours = format!("{code} -I/x/include -L/x/lib -Wl,-rpath,/x/lib {}", KEPT_LIBRARY.join(" "));
        assert_eq!(linked, words(&format!("-g ring.c -o ring -lm {ours}")));
        let compiled = full_line(&words("-g0 -c ring.c"), &Flags::of_c(&install()));
        assert_eq!(compiled, words(&format!("-g0 -c ring.c {code} -I/x/include")));
    }
}
