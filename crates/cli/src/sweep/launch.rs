//! Starts this program again, once for each case.

use std::ffi::{OsStr, OsString};
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use clap::CommandFactory;
use mpirage_simulation::Interrupt;
use mpirage_sweep::{Case, Launcher, command_line};
use rustix::process::{Signal, getppid, set_parent_process_death_signal};

use crate::arguments::Line;
use crate::exit::{Failure, usage};
use crate::launcher;

/// The argument that names the process that started this one.
const STARTED_BY: &str = "--started-by=";

/// Makes the kernel end this process with the one that started it, if an argument names that one; says whether it does.
pub fn end_with_parent(argument: &OsStr) -> Result<bool, Failure> {
    let Some(parent) = argument.to_str().and_then(|text| text.strip_prefix(STARTED_BY)) else {
        return Ok(false);
    };
    set_parent_process_death_signal(Some(Signal::KILL))
        .context("cannot follow the process that started this one")?;
    // It may have ended before that.
    match getppid().is_some_and(|pid| pid.as_raw_nonzero().to_string() == parent) {
        true => Ok(true),
        false => Err(usage(format!("process {parent}, which started this one, has ended"))),
    }
}

/// Parses the command line of a case as its run will. A mistake in it is an error.
pub fn check(case: &Case, jobs: NonZero<usize>) -> Result<(), Failure> {
    let words: Vec<OsString> =
        command_line(case.spec(), Path::new("{case}"), jobs).into_iter().map(OsString::from).collect();
    let (name, rest) = words.split_first().context("a case has no command")?;
    let line = Line::command();
    let definition = line.find_subcommand(name).context("a case has an unknown command")?;
    let lines = match name.to_str() {
        Some("run" | "emulate") => launcher::translate(rest, definition),
        _ => vec![words.clone()],
    };
    for words in lines {
        if let Err(error) = definition.clone().try_get_matches_from(words) {
            return Err(usage(format!(
                "case {} would fail: {}",
                case.number(),
                error.render().to_string().trim_end()
            )));
        }
    }
    Ok(())
}

/// This program, and whether the user has interrupted it.
pub struct OwnProgram {
    file: PathBuf,
    interrupt: Interrupt,
}

impl OwnProgram {
    /// Finds the file of this program.
    pub fn new(interrupt: Interrupt) -> Result<OwnProgram, Failure> {
        let file = std::env::current_exe().context("cannot find this program's own file")?;
        Ok(OwnProgram { file, interrupt })
    }
}

impl Launcher for OwnProgram {
    fn command(&self, words: &[String]) -> io::Result<Command> {
        let mut command = Command::new(&self.file);
        // A closure that runs in the child would need a fork, which costs more than all else that a sweep does for a case.
        command.arg(format!("{STARTED_BY}{}", std::process::id())).args(words);
        Ok(command)
    }

    fn interrupted(&self) -> bool {
        self.interrupt.came()
    }
}
