//! `mpirage`: the command line, and the only place that prints.
//!
//! One binary with several names: called `mpicc`, `mpicxx`, `mpiexec` or `mpirun` it is that command.

mod arguments;
mod compile;
mod costs;
mod demo;
mod diagnosis;
mod exit;
mod foldable;
mod folding;
mod gdb;
mod host_speed;
mod hosts;
mod info;
mod install;
mod launcher;
mod limits;
mod lines;
mod living;
mod machine;
mod output;
mod plan;
mod platform;
mod program_file;
mod progress;
mod recordings;
mod replay;
mod report;
mod reporting;
mod run;
mod summary;
mod trace;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;

use crate::arguments::{Command, Line};
use crate::exit::Failure;

fn main() -> ExitCode {
    let typed: Vec<OsString> = std::env::args_os().collect();
    match dispatch(&typed) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            eprintln!("mpirage: {:#}", failure.error);
            ExitCode::from(failure.code)
        }
    }
}

fn dispatch(typed: &[OsString]) -> Result<u8, Failure> {
    let name = typed.first().and_then(|path| Path::new(path).file_name()).and_then(|name| name.to_str());
    let rest = typed.get(1..).unwrap_or_default();
    match name.unwrap_or("mpirage") {
        "mpicc" => compile::compile(compile::Language::C, rest),
        "mpicxx" | "mpic++" | "mpiCC" => compile::compile(compile::Language::Cxx, rest),
        "mpif77" | "mpif90" | "mpifort" => compile::compile(compile::Language::Fortran, rest),
        "mpiexec" | "mpirun" => run::command(rest),
        _ => subcommand(typed, rest),
    }
}

fn subcommand(typed: &[OsString], rest: &[OsString]) -> Result<u8, Failure> {
    // Compilers and launchers have argument syntaxes of their own, so these come before the common parser.
    let tail = rest.get(1..).unwrap_or_default();
    match rest.first().and_then(|word| word.to_str()) {
        Some("cc") => return compile::compile(compile::Language::C, tail),
        Some("cxx") => return compile::compile(compile::Language::Cxx, tail),
        Some("fc") => return compile::compile(compile::Language::Fortran, tail),
        Some("run") => return run::command(tail),
        Some("gdb") => return gdb::command(tail),
        Some(planned @ ("emulate" | "calibrate" | "compare" | "balance" | "sweep" | "check")) => {
            return Err(exit::usage(format!(
                "`mpirage {planned}` is not there yet; docs/roadmap.md says what is planned"
            )));
        }
        _ => {}
    }
    let line = match Line::try_parse_from(typed) {
        Ok(line) => line,
        Err(error) => return exit::from_clap(&error),
    };
    match line.command {
        Command::Demo(demo) => demo::command(&demo),
        Command::Platform(action) => platform::command(&action),
        Command::Replay(replay) => replay::command(&replay),
        Command::Trace(action) => trace::command(&action),
        Command::Report(report) => report::command(&report),
        Command::Info { topic } => info::command(topic),
        Command::Cc { .. } | Command::Cxx { .. } | Command::Run(_) | Command::Gdb { .. } => {
            unreachable!("taken care of above")
        }
    }
}
