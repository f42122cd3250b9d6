//! `mpirage`: the command line, and the only place that prints.
//!
//! One binary with several names: called `mpicc`, `mpicxx`, `mpiexec` or `mpirun` it is that command.

// `println!` panics if a stream is closed or full. `output` writes instead, and reports the failure.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod arguments;
mod balance;
mod calibrate;
mod check;
mod child;
mod compare;
mod conflicts;
mod demo;
mod emulate;
mod env;
mod examples;
mod exit;
mod gdb;
mod help;
mod info;
mod jobs;
mod launcher;
mod live;
mod manual;
mod output;
mod platform;
mod program_output;
mod progress;
mod renamed;
mod repeat;
mod replay;
mod report;
mod request;
mod results;
mod run;
mod session_watch;
mod summary;
mod sweep;
mod trace;
mod tune;

use std::ffi::OsString;
use std::mem::ManuallyDrop;
use std::path::Path;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, FromArgMatches};

use mpirage_programs::compile::Language;
use mpirage_simulation::words;

use mpirage_system::NamesExhaustion;

use crate::arguments::{Command, Line, ReplayArguments};
use crate::exit::Failure;

#[global_allocator]
static MEMORY: NamesExhaustion = NamesExhaustion { code: exit::USAGE as i32 };

fn main() -> ExitCode {
    let typed: Vec<OsString> = std::env::args_os().collect();
    match without_parent(typed).and_then(|typed| dispatch(&typed)) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            output::report(&failure);
            ExitCode::from(failure.code)
        }
    }
}

/// The arguments without the one that a sweep adds.
fn without_parent(mut typed: Vec<OsString>) -> Result<Vec<OsString>, Failure> {
    if typed.len() > 1 && sweep::end_with_parent(&typed[1])? {
        typed.remove(1);
    }
    Ok(typed)
}

fn dispatch(typed: &[OsString]) -> Result<u8, Failure> {
    let name = typed.first().and_then(|path| Path::new(path).file_name()).and_then(|name| name.to_str());
    let rest = typed.get(1..).unwrap_or_default();
    match name.unwrap_or("mpirage") {
        "mpicc" => compile(Language::C, rest),
        "mpicxx" | "mpic++" | "mpiCC" => compile(Language::Cxx, rest),
        "mpif77" | "mpif90" | "mpifort" => compile(Language::Fortran, rest),
        "mpiexec" | "mpirun" => run::command(rest),
        _ => subcommand(typed, rest),
    }
}

/// Compiles a program, or answers a question of a build system.
fn compile(language: Language, arguments: &[OsString]) -> Result<u8, Failure> {
    if let Some(answer) = mpirage_programs::compile::compile(language, arguments)? {
        output::line(answer);
    }
    Ok(0)
}

fn subcommand(typed: &[OsString], rest: &[OsString]) -> Result<u8, Failure> {
    // Compilers and launchers have their own syntax, so these commands are not parsed by clap.
    let tail = rest.get(1..).unwrap_or_default();
    if help::is_asked_of_command(rest) {
        return help::print(Line::command(), rest);
    }
    match rest.first().and_then(|word| word.to_str()) {
        Some("cc") => return compile(Language::C, tail),
        Some("cxx") => return compile(Language::Cxx, tail),
        Some("fc") => return compile(Language::Fortran, tail),
        Some("run") => return run::command(tail),
        Some("emulate") => return emulate::command(tail),
        Some("gdb") => return gdb::command(tail),
        Some("check") => return check::command(tail),
        Some("request") => return request::command(tail),
        _ => {}
    }
    let typed = renamed::words(typed);
    if let Some(replay) = replay_alone(&typed) {
        return replay::command(&replay);
    }
    // Never taken apart: that takes longer than parsing.
    let mut definition = ManuallyDrop::new(Line::command());
    let parsed = definition.try_get_matches_from_mut(&typed);
    let line = match parsed.and_then(|matches| Line::from_arg_matches(&matches)) {
        Ok(line) => line,
        Err(error) if error.kind() == ErrorKind::InvalidSubcommand && !rest.is_empty() => {
            return Err(exit::usage(unknown_command(&Line::command(), rest)));
        }
        Err(error) => return help::answer(&error, Line::command(), rest),
    };
    match line.command {
        Command::Demo(demo) => demo::command(&demo),
        Command::Platform(action) => platform::command(&action),
        Command::Replay(replay) => replay::command(&replay),
        Command::Trace(action) => trace::command(&action),
        Command::Report(report) => report::command(&report),
        Command::Tune(tune) => tune::command(&tune),
        Command::Balance(balance) => balance::command(&balance),
        Command::Sweep(sweep) => sweep::command(&sweep),
        Command::Jobs(jobs) => jobs::command(&jobs),
        Command::Calibrate(calibrate) => calibrate::command(&calibrate),
        Command::Compare(compare) => compare::command(&compare),
        Command::Info(info) => info::command(&info),
        Command::Env(env) => env::command(&env),
        Command::Completions { shell } => manual::completions(shell),
        Command::Man { folder } => manual::pages(&folder),
        Command::Cc { .. }
        | Command::Cxx { .. }
        | Command::Fc { .. }
        | Command::Run(_)
        | Command::Emulate(_)
        | Command::Check(_)
        | Command::Gdb { .. } => {
            unreachable!("dispatched above")
        }
    }
}

/// The arguments of `replay`, if they are right, without the definition of all other commands: that takes longer than a short replay. What is
/// wrong with them the whole definition says.
fn replay_alone(typed: &[OsString]) -> Option<ReplayArguments> {
    let words = typed.get(1..).filter(|words| words.first().is_some_and(|word| word == "replay"))?;
    let mut definition = ManuallyDrop::new(ReplayArguments::augment_args(clap::Command::new("replay")));
    ReplayArguments::from_arg_matches(&definition.try_get_matches_from_mut(words).ok()?).ok()
}

/// The message about an unknown command, such as `mpirage rnu` or `mpirage trace inof`.
fn unknown_command(around: &clap::Command, typed: &[OsString]) -> String {
    let Some((word, rest)) = typed.split_first() else { return String::new() };
    let word = word.to_string_lossy();
    if let Some(command) = around.find_subcommand(&*word) {
        return unknown_command(command, rest);
    }
    let names =
        around.get_subcommands().filter(|command| !command.is_hide_set()).map(clap::Command::get_name);
    let meant = words::did_you_mean(&word, names);
    format!("there is no command {word}{meant} (`mpirage --help` lists all commands)")
}
