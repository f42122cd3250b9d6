//! Questions of build systems: which command would a wrapper run?
//!
//! MPICH's wrappers answer `-show`, `-compile-info` and `-link-info`, Open MPI's `--showme` and `--showme:PART`. Build systems know one or
//! the other, so both are answered. `-show` prints the command for a foldable program. If that command fails, for instance because an
//! archive is not position-independent, the wrapper runs the ordinary one too.

use std::ffi::{OsStr, OsString};

use anyhow::{Result, bail};

use super::flags::{Flags, full_line};
use super::language::Language;
use super::pie_link;
use crate::install::Install;

/// The parts of Open MPI's `--showme:PART`.
const PARTS: [&str; 8] = ["command", "compile", "link", "incdirs", "libdirs", "libs", "version", "help"];

/// The information that the user asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question<'a> {
    /// The whole command.
    Command,
    /// The command that compiles, without linking.
    Compile,
    /// A part of it, in Open MPI's words.
    Part(&'a str),
}

/// The answer to a question among a wrapper's arguments, if there is one.
pub(super) fn answer(
    language: Language,
    arguments: &[OsString],
    install: &Install,
) -> Result<Option<String>> {
    let Some(question) = arguments.iter().find_map(|word| question(word)) else { return Ok(None) };
    let others: Vec<OsString> =
        arguments.iter().filter(|word| self::question(word).is_none()).cloned().collect();
    match question {
        Question::Part("help") => Ok(Some(help())),
        Question::Part("version") => Ok(Some(version(language))),
        Question::Part(part) if !PARTS.contains(&part) => {
            bail!("--showme:{part}: expected {}", PARTS.join(", "))
        }
        _ => with_flags(question, language, &others, install).map(Some),
    }
}

fn question(word: &OsStr) -> Option<Question<'_>> {
    let word = word.to_str()?;
    let showme = word.strip_prefix("--showme").or_else(|| word.strip_prefix("-showme"));
    match (word, showme) {
        ("-show" | "-link-info" | "-link_info", _) | (_, Some("")) => Some(Question::Command),
        ("-compile-info" | "-compile_info", _) => Some(Question::Compile),
        (_, Some(rest)) => rest.strip_prefix(':').map(Question::Part),
        _ => None,
    }
}

fn with_flags(
    question: Question<'_>,
    language: Language,
    others: &[OsString],
    install: &Install,
) -> Result<String> {
    let compiler = language.compiler();
    let flags = Flags::of(language, &compiler, others, install)?;
    let words = match question {
        Question::Command => {
            let foldable = pie_link::link_line(&compiler, others, install, &flags);
            [&[compiler], &foldable.unwrap_or_else(|| full_line(others, &flags))[..]].concat()
        }
        Question::Compile => {
            let stop = [&["-c".into()], others].concat();
            let line = full_line(&stop, &flags).into_iter().filter(|word| word != "-c");
            std::iter::once(compiler).chain(line).collect()
        }
        Question::Part(part) => parts(part, compiler, others, &flags),
    };
    Ok(words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "))
}

fn parts(part: &str, compiler: OsString, others: &[OsString], flags: &Flags) -> Vec<OsString> {
    match part {
        "command" => vec![compiler],
        "compile" => [pie_link::code_flags(others), flags.compile.clone()].concat(),
        "incdirs" => values(&flags.compile, "-I"),
        "libdirs" => values(&flags.link, "-L"),
        "libs" => values(&flags.link, "-l"),
        _ => flags.link.clone(),
    }
}

/// The rest of each word that begins with an option.
fn values(words: &[OsString], option: &str) -> Vec<OsString> {
    let value = |word: &OsString| word.to_str()?.strip_prefix(option).map(OsString::from);
    words.iter().filter_map(value).collect()
}

fn version(language: Language) -> String {
    let (wrapper, name) = match language {
        Language::C => ("mpicc", "C"),
        Language::Cxx => ("mpicxx", "C++"),
        Language::Fortran => ("mpifort", "Fortran"),
    };
    format!("{wrapper}: mpirage {} (Language: {name})", env!("CARGO_PKG_VERSION"))
}

fn help() -> String {
    format!("--showme[:PART] prints the command, or a part of it: {}", PARTS.join(", "))
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
    use super::super::flags::KEPT_LIBRARY;
    use super::*;

    fn ask(line: &str) -> Option<String> {
        let install =
            Install { library: "/x/lib".into(), include: "/x/include".into(), share: "/x/share".into() };
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        answer(Language::C, &words, &install).unwrap()
    }

    #[test]
    fn mpichs_words_are_understood() {
        let linked = format!("-I/x/include -L/x/lib -Wl,-rpath,/x/lib {}", KEPT_LIBRARY.join(" "));
        assert!(ask("-show").unwrap().ends_with(&linked));
        assert!(ask("-link_info").unwrap().ends_with(&linked));
        let compiled = "-g -fPIC -fno-semantic-interposition -I/x/include";
        assert!(ask("-compile-info").unwrap().ends_with(compiled));
        assert_eq!(ask("ring.c"), None);
    }

    #[test]
    fn open_mpis_words_are_understood() {
        assert_eq!(ask("--showme"), ask("-show"));
        assert_eq!(ask("-showme:compile").unwrap(), "-fPIC -fno-semantic-interposition -I/x/include");
        let linked = format!("-L/x/lib -Wl,-rpath,/x/lib {}", KEPT_LIBRARY.join(" "));
        assert_eq!(ask("--showme:link").unwrap(), linked);
        assert_eq!(ask("--showme:incdirs").unwrap(), "/x/include");
        assert_eq!(ask("--showme:libdirs").unwrap(), "/x/lib");
        assert_eq!(ask("--showme:libs").unwrap(), "mpi_abi");
        assert!(ask("--showme:version").unwrap().ends_with("(Language: C)"));
    }

    #[test]
    fn an_unknown_part_is_refused() {
        let install = Install { library: "/x".into(), include: "/x".into(), share: "/x".into() };
        let failure = answer(Language::C, &["--showme:libz".into()], &install).unwrap_err();
        assert!(failure.to_string().contains("expected command, compile, link"));
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted(OsStr::new("-Wl,-rpath,/x/lib")), "-Wl,-rpath,/x/lib");
        assert_eq!(quoted(OsStr::new("-DNAME=\"it's\"")), r#"'-DNAME="it'\''s"'"#);
        assert_eq!(quoted(OsStr::new("")), "''");
    }
}
