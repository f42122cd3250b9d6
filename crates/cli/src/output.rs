//! Writes lines to standard output and standard error. No other file writes to either.

use std::fmt::{Arguments, Display};
use std::io::{self, ErrorKind, Write, stderr, stdout};

use anyhow::anyhow;

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
        error_line(format_args!("mpirage: {}", printable(&format!("{:#}", failure.error))));
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
