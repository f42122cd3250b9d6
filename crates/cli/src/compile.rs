//! Compiler wrappers: the compiler of this machine, with our header and library.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::anyhow;

use crate::exit::{Failure, usage};
use crate::foldable;
use crate::install::Install;
use crate::output;

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
    /// The compiler: what a variable says, or the system's.
    fn compiler(self) -> OsString {
        let (variables, system) = match self {
            Language::C => (["MPIRAGE_CC", "MPICH_CC", "OMPI_CC"], "cc"),
            Language::Cxx => (["MPIRAGE_CXX", "MPICH_CXX", "OMPI_CXX"], "c++"),
            Language::Fortran => (["MPIRAGE_FC", "MPICH_FC", "OMPI_FC"], "gfortran"),
        };
        variables.iter().find_map(std::env::var_os).unwrap_or_else(|| system.into())
    }
}

/// Compiles as the compiler would, with our header and library.
///
/// A program is linked so that its ranks can be folded; where that is impossible, as an ordinary program.
pub fn compile(language: Language, arguments: &[OsString]) -> Result<u8, Failure> {
    if language == Language::Fortran {
        return Err(usage("Fortran is not there yet: there is no mpif.h and no mpi module"));
    }
    let install = Install::locate()?;
    if let Some(answer) = answer_question(language, arguments, &install)? {
        output::line(format_args!("{answer}"));
        return Ok(0);
    }
    let compiler = language.compiler();
    if let Some(line) = foldable::link_line(&compiler, arguments, &install)
        && foldable::try_to_compile(&compiler, &line)
    {
        return Ok(0);
    }
    // The ordinary way: what the compiler says about mistakes is shown as it comes.
    let error = Command::new(&compiler).args(full_line(arguments, &install)).exec();
    Err(anyhow!("cannot start the compiler {}: {error}", compiler.display()).into())
}

/// The compiler's arguments: the user's, then ours.
pub(crate) fn full_line(arguments: &[OsString], install: &Install) -> Vec<OsString> {
    let mut line: Vec<OsString> = arguments.to_vec();
    if !arguments.iter().any(|word| is_debug_choice(word)) {
        // So that reports can name source lines; it changes nothing else.
        line.insert(0, "-g".into());
    }
    line.extend(foldable::code_flags(arguments));
    line.extend(compile_flags(install));
    if links(arguments) {
        line.extend(link_flags(install));
    }
    line
}

fn compile_flags(install: &Install) -> Vec<OsString> {
    vec![prefixed("-I", install.include.as_os_str())]
}

fn link_flags(install: &Install) -> Vec<OsString> {
    let library = install.library.as_os_str();
    vec![prefixed("-L", library), prefixed("-Wl,-rpath,", library), "-lmpi_abi".into()]
}

fn prefixed(prefix: &str, rest: &OsStr) -> OsString {
    let mut word = OsString::from(prefix);
    word.push(rest);
    word
}

fn is_debug_choice(word: &OsStr) -> bool {
    word.to_str().is_some_and(|word| word.starts_with("-g") || word == "-s" || word.starts_with("-Wl,-s"))
}

/// Does the compiler link, or stop before?
pub(crate) fn links(arguments: &[OsString]) -> bool {
    const STOP: [&str; 8] = ["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--version", "-dumpversion"];
    !arguments.iter().any(|word| STOP.iter().any(|stop| word == stop))
}

/// Build systems ask wrappers what they would do. CMake's FindMPI asks in MPICH's words. `-show` answers with the line that
/// is run; only if that fails, for instance because an archive is not position-independent, the ordinary line is run too.
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
            "{question} is Open MPI's question; ask -show, -compile-info or -link-info"
        )));
    }
    let others: Vec<OsString> = arguments.iter().filter(|word| *word != question).cloned().collect();
    let compiler = language.compiler();
    let line = if question.starts_with("-compile") {
        let stop = [&["-c".into()], &others[..]].concat();
        full_line(&stop, install).into_iter().filter(|word| word != "-c").collect()
    } else {
        foldable::link_line(&compiler, &others, install).unwrap_or_else(|| full_line(&others, install))
    };
    let words: Vec<String> = [&[compiler], &line[..]].concat().iter().map(|word| quoted(word)).collect();
    Ok(Some(words.join(" ")))
}

/// A word as a shell reads it again.
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
        let linked = full_line(&words("ring.c -o ring -lm"), &install());
        let code = "-fPIC -fno-semantic-interposition";
        let ours = format!("{code} -I/x/include -L/x/lib -Wl,-rpath,/x/lib -lmpi_abi");
        assert_eq!(linked, words(&format!("-g ring.c -o ring -lm {ours}")));
        let compiled = full_line(&words("-g0 -c ring.c"), &install());
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
