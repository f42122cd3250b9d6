//! Compiler wrappers: run the compiler of this machine with our header and library.

mod questions;

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::anyhow;

use crate::exit::{Failure, usage};
use crate::install::Install;
use crate::{fortran_modules, output, pie_link};

/// A language of MPI programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C.
    C,
    /// C++.
    Cxx,
    /// Fortran.
    Fortran,
}

impl Language {
    fn command(self) -> &'static str {
        match self {
            Language::C => "mpirage cc",
            Language::Cxx => "mpirage cxx",
            Language::Fortran => "mpirage fc",
        }
    }

    fn example(self) -> &'static str {
        match self {
            Language::C => "-O2 ring.c -o ring",
            Language::Cxx => "-O2 ring.cpp -o ring",
            Language::Fortran => "-O2 ring.f90 -o ring",
        }
    }

    /// The compiler: named by an environment variable, or the system's.
    fn compiler(self) -> OsString {
        let (variables, system) = match self {
            Language::C => (["MPIRAGE_CC", "MPICH_CC", "OMPI_CC"], "cc"),
            Language::Cxx => (["MPIRAGE_CXX", "MPICH_CXX", "OMPI_CXX"], "c++"),
            Language::Fortran => (["MPIRAGE_FC", "MPICH_FC", "OMPI_FC"], "gfortran"),
        };
        variables.iter().find_map(std::env::var_os).unwrap_or_else(|| system.into())
    }
}

/// Runs the compiler with our header and library.
///
/// Links the program so that its ranks can be folded, or, if that fails, as an ordinary program.
pub fn compile(language: Language, arguments: &[OsString]) -> Result<u8, Failure> {
    if arguments.is_empty() {
        return Err(usage(format!(
            "{} takes the arguments of the compiler, such as {}",
            language.command(),
            language.example()
        )));
    }
    let install = Install::locate()?;
    if let Some(answer) = questions::answer(language, arguments, &install)? {
        output::line(format_args!("{answer}"));
        return Ok(0);
    }
    let compiler = language.compiler();
    let flags = Flags::of(language, &compiler, arguments, &install)?;
    if let Some(line) = pie_link::link_line(&compiler, arguments, &install, &flags)
        && pie_link::try_to_compile(&compiler, &line)
    {
        return Ok(0);
    }
    // An ordinary program. The compiler takes our place, so the user sees its errors unchanged.
    let error = Command::new(&compiler).args(full_line(arguments, &flags)).exec();
    Err(anyhow!("cannot start the compiler {}: {error}", compiler.display()).into())
}

/// The compiler's arguments: the user's, then ours.
pub(crate) fn full_line(arguments: &[OsString], flags: &Flags) -> Vec<OsString> {
    let mut line: Vec<OsString> = arguments.to_vec();
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

/// What we add to the user's arguments.
pub(crate) struct Flags {
    compile: Vec<OsString>,
    link: Vec<OsString>,
}

impl Flags {
    /// For Fortran, compiles the modules first if the compiler is going to read source files.
    fn of(
        language: Language,
        compiler: &OsStr,
        arguments: &[OsString],
        install: &Install,
    ) -> Result<Flags, Failure> {
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
        Ok(flags)
    }

    fn of_c(install: &Install) -> Flags {
        let library = install.library.as_os_str();
        Flags {
            compile: vec![prefixed("-I", install.include.as_os_str())],
            link: vec![prefixed("-L", library), prefixed("-Wl,-rpath,", library), "-lmpi_abi".into()],
        }
    }
}

fn prefixed(prefix: &str, rest: &OsStr) -> OsString {
    let mut word = OsString::from(prefix);
    word.push(rest);
    word
}

fn is_debug_choice(word: &OsStr) -> bool {
    word.to_str().is_some_and(|word| word.starts_with("-g") || word == "-s" || word.starts_with("-Wl,-s"))
}

/// True if the compiler links, and does not stop earlier.
pub(crate) fn links(arguments: &[OsString]) -> bool {
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
        let ours = format!("{code} -I/x/include -L/x/lib -Wl,-rpath,/x/lib -lmpi_abi");
        assert_eq!(linked, words(&format!("-g ring.c -o ring -lm {ours}")));
        let compiled = full_line(&words("-g0 -c ring.c"), &Flags::of_c(&install()));
        assert_eq!(compiled, words(&format!("-g0 -c ring.c {code} -I/x/include")));
    }
}
