//! Manual pages and completions of shells, from the one definition of the command line.

use std::io::{Write, stdout};
use std::path::Path;

use anyhow::Context;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::arguments::Line;
use crate::exit::Failure;
use crate::output;

/// Prints the completions of a shell.
pub fn completions(shell: Shell) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Line::command(), "mpirage", &mut script);
    output::written(stdout().write_all(&script).and_then(|()| stdout().flush()))?;
    Ok(0)
}

/// Writes a manual page for each command into a folder.
pub fn pages(folder: &Path) -> Result<u8, Failure> {
    // `help` needs no pages: they would repeat those of the commands.
    let command = without_help(Line::command());
    clap_mangen::generate_to(command, folder)
        .with_context(|| format!("cannot write manual pages into {}", folder.display()))?;
    Ok(0)
}

fn without_help(command: clap::Command) -> clap::Command {
    command.disable_help_subcommand(true).mut_subcommands(without_help)
}
