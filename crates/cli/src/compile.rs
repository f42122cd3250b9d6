//! Compiler wrappers: run the compiler of this machine with our header and library.

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
    let install = Install::locate()?;
    if let Some(answer) = answer_question(language, arguments, &install)? {
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
            flags.compile.clear();
            if !arguments.iter().any(|word| word == "--version" || word == "-dumpversion") {
                flags.compile.extend(fortran_modules::flags(compiler)?);
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

/// Answers build systems that ask which command a wrapper would run. CMake's FindMPI uses MPICH's options. `-show` prints the
/// command for a foldable program. If that command fails, for instance because an archive is not position-independent,
/// the wrapper runs the ordinary one too.
fn answer_question(
    language: Language,
    arguments: &[OsString],
    install: &Install,
) -> Result<Option<String>, Failure> {
    let asked = arguments.iter().filter_map(|word| word.to_str()).find(|word| {
        matches!(*word, "-show" | "-compile-info" | "-compile_info" | "-link-info" | "-link_info")
            || word.starts_with("-showme")
            || word.starts_with("--showme")
    });
    let Some(question) = asked else { return Ok(None) };
    if question.contains("showme") {
        return Err(usage(format!(
            "{question} is an option of Open MPI's wrappers; use -show, -compile-info or -link-info"
        )));
    }
    let others: Vec<OsString> = arguments.iter().filter(|word| *word != question).cloned().collect();
    let compiler = language.compiler();
    let flags = Flags::of(language, &compiler, &others, install)?;
    let line = if question.starts_with("-compile") {
        let stop = [&["-c".into()], &others[..]].concat();
        full_line(&stop, &flags).into_iter().filter(|word| word != "-c").collect()
    } else {
        let foldable = pie_link::link_line(&compiler, &others, install, &flags);
        foldable.unwrap_or_else(|| full_line(&others, &flags))
    };
    let words: Vec<String> = [&[compiler], &line[..]].concat().iter().map(|word| quoted(word)).collect();
    Ok(Some(words.join(" ")))
}

/// A word, quoted for a shell.
fn quoted(word: &OsStr) -> String {
    let text = word.to_string_lossy();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_=+./,:@%^~".contains(letter);
    if !text.is_empty() && text.chars().all(plain) {
        return text.into_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
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

    #[test]
    fn build_systems_get_answers() {
        let ask = |question: &str| answer_question(Language::C, &words(question), &install());
        assert!(
            ask("-show").unwrap().unwrap().ends_with("-I/x/include -L/x/lib -Wl,-rpath,/x/lib -lmpi_abi")
        );
        let code = "-g -fPIC -fno-semantic-interposition -I/x/include";
        assert!(ask("-compile-info").unwrap().unwrap().ends_with(code));
        assert!(ask("-showme:compile").is_err());
        assert_eq!(ask("ring.c").unwrap(), None);
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted(OsStr::new("-Wl,-rpath,/x/lib")), "-Wl,-rpath,/x/lib");
        assert_eq!(quoted(OsStr::new("-DNAME=\"it's\"")), r#"'-DNAME="it'\''s"'"#);
        assert_eq!(quoted(OsStr::new("")), "''");
    }
}
