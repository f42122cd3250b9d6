//! Manual pages and completions of shells, made from the definition of the command line.

use std::path::Path;

use crate::arguments::Shell;
use crate::exit::Failure;

/// Prints the completions of a shell.
#[cfg(feature = "manual")]
pub fn completions(shell: Shell) -> Result<u8, Failure> {
    use std::io::{Write, stdout};

    use clap::CommandFactory;

    let shell = match shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Zsh => clap_complete::Shell::Zsh,
        Shell::Fish => clap_complete::Shell::Fish,
    };
    let mut script = Vec::new();
    clap_complete::generate(
        shell,
        &mut crate::help::with_all(crate::arguments::Line::command()),
        "mpirage",
        &mut script,
    );
    crate::output::written(stdout().write_all(&script).and_then(|()| stdout().flush()))?;
    Ok(0)
}

/// Writes a manual page for each command into a folder.
#[cfg(feature = "manual")]
pub fn pages(folder: &Path) -> Result<u8, Failure> {
    use anyhow::Context;
    use clap::CommandFactory;

    // `help` needs no pages: they would repeat those of the commands.
    let command = without_help(crate::arguments::Line::command());
    clap_mangen::generate_to(command, folder)
        .with_context(|| format!("cannot write manual pages into {}", folder.display()))?;
    Ok(0)
}

#[cfg(feature = "manual")]
fn without_help(command: clap::Command) -> clap::Command {
    command.disable_help_subcommand(true).mut_subcommands(without_help)
}

/// This build has no completions and manual pages.
#[cfg(not(feature = "manual"))]
pub fn completions(_: Shell) -> Result<u8, Failure> {
    Err(left_out("completions"))
}

/// This build has no completions and manual pages.
#[cfg(not(feature = "manual"))]
pub fn pages(_: &Path) -> Result<u8, Failure> {
    Err(left_out("manual pages"))
}

#[cfg(not(feature = "manual"))]
fn left_out(what: &str) -> Failure {
    crate::exit::usage(format!(
        "this build of mpirage leaves out {what}; `make build` or `make install` builds them in"
    ))
}
