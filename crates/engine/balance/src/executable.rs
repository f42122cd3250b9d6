//! A balancer of the user: an executable that reads a snapshot as JSON and writes a mapping as JSON.
//!
//! Each decision starts it once. It gets, on standard input, one object:
//!
//! ```json
//! {"ranks": [{"seconds": 0.5, "state_bytes": 1048576, "core": 0}],
//!  "cores": [{"host": 0, "speed": 1.0, "background": 0.0}],
//!  "traffic": [{"from": 0, "to": 1, "messages": 10, "bytes": 80000}]}
//! ```
//!
//! It answers, on standard output, `{"mapping": [0]}`: the core of each rank. It must depend on nothing but its input, or runs
//! cannot be repeated.

use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::{BalanceError, Balancer, CoreId, Snapshot};

/// How long a decision may take.
const LIMIT: Duration = Duration::from_secs(60);
/// How often the simulator looks whether it has ended, once it has closed its output.
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// A program that decides.
#[derive(Clone, Debug)]
pub struct Executable {
    program: String,
    limit: Duration,
}

/// The program's answer.
#[derive(Deserialize)]
struct Answer {
    mapping: Vec<CoreId>,
}

impl Executable {
    /// Runs this file for each decision.
    pub fn new(program: &str) -> Executable {
        Executable { program: program.to_owned(), limit: LIMIT }
    }

    /// The same, with another limit on its time.
    pub fn with_limit(self, limit: Duration) -> Executable {
        Executable { limit, ..self }
    }

    fn system(&self, source: io::Error) -> BalanceError {
        BalanceError::System { program: self.program.clone(), source }
    }

    fn start(&self) -> Result<Child, BalanceError> {
        let mut command = Command::new(&self.program);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().map_err(|error| self.system(error))
    }

    /// Gives the program its input and waits for the end of its output. It is not left running, whatever happens.
    fn talk(&self, child: &mut Child, input: Vec<u8>) -> Result<Vec<u8>, BalanceError> {
        let deadline = Instant::now() + self.limit;
        if let Some(mut pipe) = child.stdin.take() {
            // A program that has not read all of its input may still answer, so a broken pipe is no error.
            thread::spawn(move || pipe.write_all(&input));
        }
        let output = collect(child.stdout.take());
        let errors = collect(child.stderr.take());
        let bytes = self.receive(&output, deadline)?;
        let status = loop {
            match child.try_wait().map_err(|error| self.system(error))? {
                Some(status) => break status,
                None if Instant::now() >= deadline => return Err(self.timed_out()),
                None => thread::sleep(LOOK_EVERY),
            }
        };
        if status.success() {
            return Ok(bytes);
        }
        let message = self.receive(&errors, deadline).unwrap_or_default();
        let message = String::from_utf8_lossy(&message).lines().last().unwrap_or_default().to_owned();
        Err(BalanceError::Failed { program: self.program.clone(), status, message })
    }

    fn receive(
        &self,
        pipe: &Receiver<io::Result<Vec<u8>>>,
        deadline: Instant,
    ) -> Result<Vec<u8>, BalanceError> {
        match pipe.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(bytes) => bytes.map_err(|error| self.system(error)),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Err(self.timed_out()),
        }
    }

    fn timed_out(&self) -> BalanceError {
        BalanceError::TimedOut { program: self.program.clone(), limit: self.limit }
    }
}

impl Balancer for Executable {
    fn map(&mut self, snapshot: &Snapshot) -> Result<Vec<CoreId>, BalanceError> {
        let bad = |problem: String| BalanceError::BadAnswer { program: self.program.clone(), problem };
        let input = serde_json::to_vec(snapshot).map_err(|error| bad(error.to_string()))?;
        let mut child = self.start()?;
        let output = self.talk(&mut child, input);
        if output.is_err() {
            // It may have ended by itself; both calls do no harm then.
            let _ = child.kill();
            let _ = child.wait();
        }
        let answer: Answer = serde_json::from_slice(&output?).map_err(|error| bad(error.to_string()))?;
        snapshot.check(&answer.mapping)?;
        Ok(answer.mapping)
    }

    fn wants_traffic(&self) -> bool {
        true
    }
}

/// Reads all of a pipe in a thread of its own.
fn collect(pipe: Option<impl Read + Send + 'static>) -> Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = pipe.map_or(Ok(0), |mut pipe| pipe.read_to_end(&mut bytes));
        // The receiver may have given up.
        let _ = sender.send(read.map(|_| bytes));
    });
    receiver
}
