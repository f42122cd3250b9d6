//! `mpirage env`: what a shell or a module file has to set so that build systems and users find mpirage.
//!
//! Folders are put before what a variable holds. Whether it holds anything is known here, since the shell's variables are inherited; so no
//! shell needs a condition.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};

use crate::arguments::{EnvArguments, ModuleLanguage, ShellSyntax};
use crate::exit::Failure;
use crate::output;

/// A change of the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Change {
    variable: &'static str,
    value: String,
    kind: ChangeKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChangeKind {
    /// Replaces the old value.
    Set,
    /// A folder before those of a variable that holds some.
    Prepend,
    /// The first folder of a variable that holds none.
    First,
    /// The same, where an empty entry at the end stands for the folders of the system.
    FirstBeforeDefaults,
}

impl Change {
    fn new(variable: &'static str, path: &Path, kind: ChangeKind) -> Result<Change> {
        let text = path.to_str().with_context(|| format!("{} is not UTF-8", path.display()))?;
        Ok(Change { variable, value: text.to_owned(), kind })
    }
}

/// Prints the environment.
pub fn command(arguments: &EnvArguments) -> Result<u8, Failure> {
    let is_set = |variable: &str| std::env::var_os(variable).is_some_and(|value| !value.is_empty());
    let changes = changes(&bin_folder()?, &is_set)?;
    let text = match arguments.module {
        Some(ModuleLanguage::Tcl) => tcl(&changes),
        Some(ModuleLanguage::Lua) => lua(&changes),
        None => {
            let shell = arguments.shell.unwrap_or_else(|| of_user(std::env::var("SHELL").ok().as_deref()));
            changes.iter().map(|change| in_shell(shell, change)).collect::<Vec<_>>().join("\n")
        }
    };
    output::try_line(text).map(|()| 0)
}

/// The shell that the user logs in to.
fn of_user(path: Option<&str>) -> ShellSyntax {
    match path.and_then(|path| path.rsplit('/').next()) {
        Some("zsh") => ShellSyntax::Zsh,
        Some("fish") => ShellSyntax::Fish,
        Some("csh" | "tcsh") => ShellSyntax::Csh,
        _ => ShellSyntax::Bash,
    }
}

/// The folder with `mpicc` and its like.
fn bin_folder() -> Result<PathBuf> {
    let executable = std::env::current_exe().context("cannot find out where mpirage is")?;
    let folder = executable.parent().unwrap_or(Path::new("/"));
    let found = [folder.to_owned(), folder.join("bin")].into_iter().find(|bin| bin.join("mpicc").exists());
    found.ok_or_else(|| anyhow!("there is no mpicc near {}; `make build` makes it", executable.display()))
}

fn changes(bin: &Path, is_set: &dyn Fn(&str) -> bool) -> Result<Vec<Change>> {
    let prefix = bin.parent().unwrap_or(Path::new("/"));
    let change = |variable, path: &Path, kind| Change::new(variable, path, kind);
    let prepend = |variable, path: &Path, first| {
        change(variable, path, if is_set(variable) { ChangeKind::Prepend } else { first })
    };
    let mut changes = vec![prepend("PATH", bin, ChangeKind::First)?];
    let manual = prefix.join("share/man");
    if manual.join("man1/mpirage.1").exists() {
        changes.push(prepend("MANPATH", &manual, ChangeKind::FirstBeforeDefaults)?);
    }
    let packages = prefix.join("lib/pkgconfig");
    if packages.join("mpirage.pc").exists() {
        changes.push(prepend("PKG_CONFIG_PATH", &packages, ChangeKind::First)?);
    }
    let wrappers = [("MPICC", "mpicc"), ("MPICXX", "mpicxx"), ("MPIFC", "mpifort"), ("MPIEXEC", "mpiexec")];
    for (variable, name) in wrappers {
        changes.push(change(variable, &bin.join(name), ChangeKind::Set)?);
    }
    Ok(changes)
}

/// A command of a shell.
fn in_shell(shell: ShellSyntax, change: &Change) -> String {
    let Change { variable, kind, .. } = change;
    let value = quoted(shell, &change.value);
    match (shell, kind) {
        (ShellSyntax::Fish, ChangeKind::Set | ChangeKind::First) => format!("set -gx {variable} {value};"),
        (ShellSyntax::Fish, ChangeKind::Prepend) => format!("set -gx {variable} {value} ${variable};"),
        (ShellSyntax::Fish, ChangeKind::FirstBeforeDefaults) => format!("set -gx {variable} {value} '';"),
        (ShellSyntax::Csh, ChangeKind::Set | ChangeKind::First) => format!("setenv {variable} {value};"),
        (ShellSyntax::Csh, ChangeKind::Prepend) => format!("setenv {variable} {value}\":${variable}\";"),
        (ShellSyntax::Csh, ChangeKind::FirstBeforeDefaults) => format!("setenv {variable} {value}:;"),
        (_, ChangeKind::Set | ChangeKind::First) => format!("export {variable}={value};"),
        (_, ChangeKind::Prepend) => format!("export {variable}={value}\":${variable}\";"),
        (_, ChangeKind::FirstBeforeDefaults) => format!("export {variable}={value}:;"),
    }
}

fn quoted(shell: ShellSyntax, text: &str) -> String {
    let text = match shell {
        ShellSyntax::Fish => text.replace('\\', r"\\").replace('\'', r"\'"),
        // In csh an exclamation mark means the history, even between quotes.
        ShellSyntax::Csh => text.replace('\'', r"'\''").replace('!', r"\!"),
        ShellSyntax::Bash | ShellSyntax::Zsh => text.replace('\'', r"'\''"),
    };
    format!("'{text}'")
}

const WHAT: &str = "mpirage: runs MPI programs and simulates how long they take on a cluster";

/// A file for Environment Modules.
fn tcl(changes: &[Change]) -> String {
    let word = |text: &str| {
        let special = |letter: char| "\\\"$[]{};".contains(letter);
        let escape = |letter: char| if special(letter) { format!("\\{letter}") } else { letter.to_string() };
        format!("\"{}\"", text.chars().map(escape).collect::<String>())
    };
    let mut lines = vec![
        "#%Module1.0".to_owned(),
        format!("module-whatis {}", word(WHAT)),
        "conflict openmpi mpich".to_owned(),
    ];
    lines.extend(changes.iter().map(|Change { variable, value, kind }| {
        let command = if *kind == ChangeKind::Set { "setenv" } else { "prepend-path" };
        format!("{command} {variable} {}", word(value))
    }));
    lines.join("\n")
}

/// A file for Lmod.
fn lua(changes: &[Change]) -> String {
    let word = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let mut lines = vec![format!("whatis({})", word(WHAT)), "family(\"MPI\")".to_owned()];
    lines.extend(changes.iter().map(|Change { variable, value, kind }| {
        let command = if *kind == ChangeKind::Set { "setenv" } else { "prepend_path" };
        format!("{command}(\"{variable}\", {})", word(value))
    }));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(kind: ChangeKind) -> Change {
        Change { variable: "PATH", value: "/it's/bin".to_owned(), kind }
    }

    #[test]
    fn shells_have_their_own_words() {
        let prepend = |shell| in_shell(shell, &change(ChangeKind::Prepend));
        assert_eq!(prepend(ShellSyntax::Bash), r#"export PATH='/it'\''s/bin'":$PATH";"#);
        assert_eq!(prepend(ShellSyntax::Fish), r"set -gx PATH '/it\'s/bin' $PATH;");
        assert_eq!(prepend(ShellSyntax::Csh), r#"setenv PATH '/it'\''s/bin'":$PATH";"#);
        assert_eq!(in_shell(ShellSyntax::Zsh, &change(ChangeKind::First)), r"export PATH='/it'\''s/bin';");
    }

    #[test]
    fn the_systems_manual_stays() {
        let first = |shell| in_shell(shell, &change(ChangeKind::FirstBeforeDefaults));
        assert!(first(ShellSyntax::Bash).ends_with("':;") && first(ShellSyntax::Csh).ends_with("':;"));
        assert!(first(ShellSyntax::Fish).ends_with("' '';"));
    }

    #[test]
    fn modules_prepend_and_set() {
        let changes = [change(ChangeKind::First), change(ChangeKind::Set)];
        assert!(tcl(&changes).ends_with("prepend-path PATH \"/it's/bin\"\nsetenv PATH \"/it's/bin\""));
        assert!(
            lua(&changes).ends_with("prepend_path(\"PATH\", \"/it's/bin\")\nsetenv(\"PATH\", \"/it's/bin\")")
        );
    }

    #[test]
    fn the_shell_is_the_users() {
        assert_eq!(of_user(Some("/usr/bin/fish")), ShellSyntax::Fish);
        assert_eq!(of_user(Some("/bin/tcsh")), ShellSyntax::Csh);
        assert_eq!(of_user(None), ShellSyntax::Bash);
    }
}
