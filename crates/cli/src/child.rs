//! Other processes that a command runs: `mpirage` itself, without its output, or other programs. Signals that stop the command stop them too.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::Context;
use mpirage_simulation::Interrupt;
use rustix::process::{Pid, Signal, kill_process};

use crate::exit::{self, Failure};

/// How often to check whether the process has ended.
const LOOK: Duration = Duration::from_millis(5);
/// How long a process that is to end may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// A run that has ended.
pub struct Ended {
    status: ExitStatus,
    /// Its standard error.
    pub said: String,
}

impl Ended {
    /// True if its exit code is 0.
    pub fn succeeded(&self) -> bool {
        self.status.success()
    }

    /// Its exit code.
    pub fn code(&self) -> u8 {
        self.status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(exit::USAGE)
    }
}

/// The time limit of a run, and the destination of its output.
pub struct Limits {
    /// How long it may take.
    pub seconds: Duration,
    /// Its standard output.
    pub output: Stdio,
}

/// Runs a command of mpirage with these arguments and additional environment variables. A signal that ends this process ends the other one too.
pub fn run(
    name: &str,
    arguments: &[OsString],
    variables: &[(&str, OsString)],
    interrupt: Interrupt,
) -> Result<Ended, Failure> {
    let limits = Limits { seconds: Duration::MAX, output: Stdio::null() };
    let ended = run_limited(name, arguments, variables, interrupt, limits)?;
    Ok(ended.expect("there is no limit"))
}

/// The same with a limit; gives nothing if the run takes longer.
pub fn run_limited(
    name: &str,
    arguments: &[OsString],
    variables: &[(&str, OsString)],
    interrupt: Interrupt,
    limits: Limits,
) -> Result<Option<Ended>, Failure> {
    let mut command = Command::new(std::env::current_exe().context("cannot find this program's own file")?);
    command.arg(name).args(arguments);
    for (name, value) in variables {
        command.env(name, value);
    }
    command.stdin(standard_input()).stdout(limits.output).stderr(Stdio::piped());
    mpirage_channel::kill_with_us(&mut command);
    let mut child = command.spawn().context("cannot start another mpirage")?;
    let said = read_aside(child.stderr.take());
    let Some(status) = wait(&mut child, interrupt, limits.seconds)? else { return Ok(None) };
    let said = String::from_utf8_lossy(&said.join().unwrap_or_default()).into_owned();
    Ok(Some(Ended { status, said }))
}

/// Runs any command and returns its output; a signal that ends this process ends the command too. Without a command of that
/// name, the inner result is the error.
pub fn output(command: &mut Command, interrupt: Interrupt) -> Result<io::Result<Output>, Failure> {
    let mut child = match command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn() {
        Ok(child) => child,
        Err(error) => return Ok(Err(error)),
    };
    let (stdout, stderr) = (read_aside(child.stdout.take()), read_aside(child.stderr.take()));
    let status = wait(&mut child, interrupt, Duration::MAX)?.expect("there is no limit");
    let [stdout, stderr] = [stdout, stderr].map(|bytes| bytes.join().unwrap_or_default());
    Ok(Ok(Output { status, stdout, stderr }))
}

/// Reads what a process writes, so that it never waits for us.
fn read_aside(stream: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.map(|mut stream| stream.read_to_end(&mut bytes));
        bytes
    })
}

/// Waits until the process ends; none if that takes longer than the limit. A signal to this process is an error.
fn wait(child: &mut Child, interrupt: Interrupt, limit: Duration) -> Result<Option<ExitStatus>, Failure> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().context("cannot wait for another process")? {
            // A signal to the whole group may have ended it first.
            interrupt.check()?;
            return Ok(Some(status));
        }
        if let Err(failure) = interrupt.check() {
            end(child);
            return Err(failure);
        }
        if started.elapsed() > limit {
            end(child);
            return Ok(None);
        }
        std::thread::sleep(LOOK);
    }
}

/// Ends a run. It may end its ranks and remove its files first, for a while.
fn end(child: &mut Child) {
    // An error means that the process has already ended.
    let _ = kill_process(Pid::from_child(child), Signal::TERM);
    let asked = Instant::now();
    while asked.elapsed() < PATIENCE && matches!(child.try_wait(), Ok(None)) {
        std::thread::sleep(LOOK);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// Standard input of the run: a regular file is read in every run; a pipe or terminal is left alone.
fn standard_input() -> Stdio {
    let regular = !io::stdin().is_terminal()
        && std::fs::metadata("/proc/self/fd/0").is_ok_and(|metadata| metadata.is_file());
    let file = if regular { File::open("/proc/self/fd/0").ok() } else { None };
    file.map_or_else(Stdio::null, Stdio::from)
}
