//! Lines on standard output.

use std::fmt::Display;
use std::io::{ErrorKind, Write, stdout};

use crate::exit;

/// Prints a line. Whoever reads it may have seen enough (`mpirage info functions | head -1`), which ends us quietly.
pub fn line(text: impl Display) {
    if let Err(error) = writeln!(stdout(), "{text}").and_then(|()| stdout().flush()) {
        if error.kind() != ErrorKind::BrokenPipe {
            eprintln!("mpirage: cannot write to standard output: {error}");
        }
        std::process::exit(i32::from(exit::BROKEN_PIPE));
    }
}
