//! Starts this program again, once for each case.

use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Context;
use mpirage_sweep::Launcher;
use rustix::process::{Signal, getppid, set_parent_process_death_signal};

use crate::exit::{Failure, usage};
use crate::interrupt::Interrupt;

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
