//! Compiler wrappers: run the compiler of this machine with our header and library.

mod flags;
mod fortran_modules;
mod language;
mod pie_link;
mod questions;
mod watch_memory;

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::install::Install;
use flags::{Flags, full_line};

pub use language::Language;

/// Runs the compiler with our header and library.
///
/// Links the program so that its ranks can be folded, or, if that fails, as an ordinary program. Gives the answer instead if the arguments
/// are a question of a build system.
pub fn compile(language: Language, arguments: &[OsString]) -> Result<Option<String>> {
    if arguments.is_empty() {
        bail!("{} takes the arguments of the compiler, such as {}", language.command(), language.example());
    }
    let install = Install::locate()?;
    if let Some(answer) = questions::answer(language, arguments, &install)? {
        return Ok(Some(answer));
    }
    let compiler = language.compiler();
    let flags = Flags::of(language, &compiler, arguments, &install)?;
    if let Some(line) = pie_link::link_line(&compiler, arguments, &install, &flags)
        && pie_link::try_to_compile(&compiler, &line)
    {
        return Ok(None);
    }
    // An ordinary program. The compiler takes our place, so the user sees its errors unchanged.
    let error = Command::new(&compiler).args(full_line(arguments, &flags)).exec();
    Err(error).with_context(|| format!("cannot start the compiler {}", compiler.display()))
}
