//! How a process ended: a rank's, or one that held ranks.

use std::ops::Range;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// The end of a rank's process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Death {
    /// It returned or exited with this code.
    Exit(i32),
    /// A signal killed it.
    Signal(i32),
    /// It needed more stack than it has.
    StackOverflow,
}

impl Death {
    pub(crate) fn of(status: ExitStatus) -> Death {
        match (status.code(), status.signal()) {
            (Some(code), _) => Death::Exit(code),
            (None, Some(signal)) => Death::Signal(signal),
            (None, None) => Death::Exit(1),
        }
    }

    /// The exit code of a shell that ran it.
    pub fn code(self) -> i32 {
        match self {
            Death::Exit(code) => code,
            Death::Signal(signal) => 128 + signal,
            Death::StackOverflow => 128 + SIGSEGV,
        }
    }

    /// A description: `exited with code 3`, `was killed by SIGSEGV (invalid memory access)`.
    pub fn describe(self) -> String {
        match self {
            Death::Exit(code) => format!("exited with code {code}"),
            Death::Signal(signal) => format!("was killed by {}", signal_name(signal)),
            Death::StackOverflow => "overflowed its stack (`ulimit -s` sets its size)".to_owned(),
        }
    }
}

/// A worker that died.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostWorker {
    /// Its number.
    pub worker: usize,
    /// The ranks that it held.
    pub held: Vec<Range<u32>>,
    /// The rank that ran.
    pub running: Option<u32>,
    /// How it died.
    pub death: Death,
}

const SIGSEGV: i32 = 11;

fn signal_name(signal: i32) -> String {
    let name = match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL (invalid instruction)",
        6 => "SIGABRT (abort, a failed assertion, or corrupted heap)",
        7 => "SIGBUS (invalid memory access)",
        8 => "SIGFPE (arithmetic error such as a division by zero)",
        9 => "SIGKILL (perhaps out of memory)",
        11 => "SIGSEGV (invalid memory access)",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        _ => return format!("signal {signal}"),
    };
    name.to_owned()
}
