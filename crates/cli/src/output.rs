//! Writes lines to standard output and standard error. No other file writes to either.

use std::fmt::{Arguments, Display};
use std::io::{self, ErrorKind, Write, stderr, stdout};
use std::sync::LazyLock;

use anstream::{AutoStream, ColorChoice};
use anyhow::anyhow;
use clap::builder::StyledStr;
use clap::builder::styling::{AnsiColor, Style};

use crate::exit::{self, Failure};

/// Characters of a line of a failure's message that are shown.
const LONGEST_LINE: usize = 2000;

/// Prints a line of a list. If the reader has closed the pipe (`mpirage info functions | head -1`), the command ends quietly.
pub fn line(text: impl Display) {
    if let Err(failure) = try_line(text) {
        report(&failure);
        std::process::exit(i32::from(failure.code));
    }
}

/// Prints a line on standard output.
pub fn try_line(text: impl Display) -> Result<(), Failure> {
    written(stdout().write_all(format!("{text}\n").as_bytes()).and_then(|()| stdout().flush()))
}

/// Turns a failed write to standard output into a failure of the command.
pub fn written(result: io::Result<()>) -> Result<(), Failure> {
    result.map_err(|error| {
        let code = if error.kind() == ErrorKind::BrokenPipe { exit::BROKEN_PIPE } else { exit::USAGE };
        Failure { code, error: anyhow!("cannot write to standard output: {error}") }
    })
}

/// Prints a failure on standard error; nothing if the reader of standard output is gone.
pub fn report(failure: &Failure) {
    if failure.code != exit::BROKEN_PIPE {
        let message = printable(&format!("{:#}", failure.error));
        error_line(format_args!("{} {message}", Mark::Error.on("mpirage:")));
    }
}

/// Prints help on standard error.
pub fn styled_error(text: &StyledStr) {
    let _ = AutoStream::auto(stderr()).write_all(text.ansi().to_string().as_bytes());
}

/// Prints a doubt about a result on standard error.
pub fn warn(text: impl Display) {
    error_line(format_args!("{} {text}", Mark::Warning.on("mpirage: warning:")));
}

/// What stands out on a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// What went wrong.
    Error,
    /// What may be wrong.
    Warning,
    /// The result that the user asked for.
    Result,
}

impl Mark {
    /// The text as standard error shows it: in colour on terminals, unless the user does not want that (`NO_COLOR`).
    pub fn on(self, text: &str) -> String {
        static IN_COLOUR: LazyLock<bool> =
            LazyLock::new(|| AutoStream::choice(&stderr()) != ColorChoice::Never);
        let style = match self {
            _ if !*IN_COLOUR => return text.to_owned(),
            Mark::Error => AnsiColor::Red.on_default().bold(),
            Mark::Warning => AnsiColor::Yellow.on_default().bold(),
            Mark::Result => Style::new().bold(),
        };
        format!("{style}{text}{style:#}")
    }
}

/// A message that may quote a file of any contents: control characters are escaped, and long lines are cut.
fn printable(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(printable_line).collect();
    lines.join("\n")
}

fn printable_line(line: &str) -> String {
    let shown: String = line
        .chars()
        .take(LONGEST_LINE)
        .flat_map(|c| {
            let escaped = c.is_control() && c != '\t';
            let plain = (!escaped).then_some(c);
            escaped.then(|| c.escape_default()).into_iter().flatten().chain(plain)
        })
        .collect();
    match line.chars().count().saturating_sub(LONGEST_LINE) {
        0 => shown,
        more => format!("{shown}… ({more} more characters)"),
    }
}

/// Prints a line on standard error. A closed or full standard error changes nothing: results go elsewhere.
pub fn error_line(text: Arguments<'_>) {
    // One write, so that lines of ranks do not come in between.
    let _ = stderr().write_all(format!("{text}\n").as_bytes());
}

/// Prints a line on standard error, as `eprintln!` does, but never panics.
macro_rules! say {
    ($($text:tt)*) => { $crate::output::error_line(format_args!($($text)*)) };
}
pub(crate) use say;

#[cfg(test)]
mod tests {
    use super::{LONGEST_LINE, printable};

    #[test]
    fn what_files_contain_is_shown_in_part() {
        assert_eq!(printable("a.toml:1: `x\ty`\n  |"), "a.toml:1: `x\ty`\n  |");
        assert_eq!(printable("\0\x1b[31m"), "\\u{0}\\u{1b}[31m");
        let long = printable(&format!("{}\nend", "ä".repeat(LONGEST_LINE + 5)));
        assert!(long.ends_with("ä… (5 more characters)\nend"), "{long}");
    }
}
