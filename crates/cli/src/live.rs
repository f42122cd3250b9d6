//! `--live`: serves the report while the run goes on, to browsers on this machine.
//!
//! The server listens on the loopback interface. Its address contains a random token; all other addresses are answered with 404, so
//! other users of this machine and pages of other sites learn nothing. When the run has ended, one browser gets the whole report, and
//! the server stops.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use mpirage_simulation::{Interrupt, Live, Look, OutputRequest};

use crate::arguments::ResultArguments;
use crate::exit::{Failure, usage};
use crate::output::say;

/// Bytes of the longest request that is read.
const LONGEST_REQUEST: usize = 16 << 10;
/// A browser that sends or reads nothing for so long is left alone.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often the end of the run looks for signals.
const LOOK: Duration = Duration::from_millis(50);
/// An open page asks more often than this.
const OPEN: Duration = Duration::from_secs(5);

/// A server of the report.
pub struct Server {
    live: Arc<Live>,
    visits: Arc<Visits>,
    address: String,
}

/// What browsers have asked for.
#[derive(Default)]
struct Visits {
    state: Mutex<Visited>,
    changed: Condvar,
}

#[derive(Default)]
struct Visited {
    last: Option<Instant>,
    got_end: bool,
}

impl Server {
    /// Serves what a run shows, if the user asks for it.
    pub fn of(wanted: &ResultArguments, outputs: &OutputRequest) -> Result<Option<Server>, Failure> {
        wanted.live.zip(outputs.live.as_ref()).map(|(port, live)| Server::start(port, live)).transpose()
    }

    /// Starts to serve, and prints the address.
    fn start(port: u16, live: &Arc<Live>) -> Result<Server, Failure> {
        let problem = |error: io::Error| {
            let remedy = match error.kind() {
                io::ErrorKind::AddrInUse => "; choose another port, or --live alone for one that is free",
                _ => "",
            };
            usage(format!("--live={port}: cannot serve the report: {error}{remedy}"))
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(problem)?;
        let port = listener.local_addr().context("cannot learn the port of the report")?.port();
        let token = token().context("cannot make an address for the report")?;
        let address = format!("http://127.0.0.1:{port}/{token}/");
        let (live, visits) = (Arc::clone(live), Arc::<Visits>::default());
        let door = Door { live: Arc::clone(&live), visits: Arc::clone(&visits), root: format!("/{token}/") };
        let serve = move || {
            mpirage_system::leave_signals_to_others();
            listener.incoming().flatten().for_each(|stream| drop(door.answer(stream)));
        };
        thread::Builder::new().name("live".into()).spawn(serve).context("cannot start a thread")?;
        say!("mpirage: the report is at {address} while the run goes on");
        Ok(Server { live, visits, address })
    }

    /// The run has ended: waits until a browser has got the whole report, or the user stops it. After a signal only a page that is open
    /// gets it.
    pub fn finish(self, interrupt: Interrupt) {
        let ended = self.live.look().is_some_and(|look| look.ended);
        let interrupted = interrupt.came();
        if !ended || interrupted && !self.visits.is_open() {
            return;
        }
        if !interrupted && !self.visits.is_open() {
            say!("mpirage: {} serves the report until it was fetched; ^C ends that", self.address);
        }
        let since = Instant::now();
        let mut state = self.visits.lock();
        while !state.got_end && interrupt.came() == interrupted && !(interrupted && since.elapsed() > OPEN) {
            let waited = self.visits.changed.wait_timeout(state, LOOK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// A name that nobody guesses.
fn token() -> io::Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

impl Visits {
    fn lock(&self) -> std::sync::MutexGuard<'_, Visited> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, got_end: bool) {
        let mut state = self.lock();
        (state.last, state.got_end) = (Some(Instant::now()), state.got_end || got_end);
        self.changed.notify_all();
    }

    /// Has a page asked lately?
    fn is_open(&self) -> bool {
        self.lock().last.is_some_and(|last| last.elapsed() < OPEN)
    }
}

/// Answers browsers.
struct Door {
    live: Arc<Live>,
    visits: Arc<Visits>,
    /// The path of the page, with the token.
    root: String,
}

/// An answer to a browser.
enum Answer {
    /// The page.
    Page(Vec<u8>),
    /// The data of a run, encoded for the page.
    Data(String),
    /// The page has the latest data.
    NothingNew,
    NotFound,
}

impl Door {
    fn answer(&self, mut stream: TcpStream) -> Result<(), Failure> {
        let problem = "cannot answer a browser";
        stream.set_read_timeout(Some(PATIENCE)).context(problem)?;
        stream.set_write_timeout(Some(PATIENCE)).context(problem)?;
        let path = path(&mut stream).context(problem)?;
        let Some(path) = path.strip_prefix(&self.root) else {
            return Ok(Answer::NotFound.send(&mut stream).context(problem)?);
        };
        let (answer, ended) = self.find(path)?;
        answer.send(&mut stream).context(problem)?;
        self.visits.note(ended);
        Ok(())
    }

    /// The answer for what stands after the token; does it have the end of the run?
    fn find(&self, path: &str) -> Result<(Answer, bool), Failure> {
        let look = self.live.look();
        if path.is_empty() {
            let ended = look.filter(|look| look.ended);
            let data = ended.as_ref().map(encoded).transpose()?;
            let mut page = Vec::new();
            match &data {
                Some(data) => mpirage_report::write_page(std::slice::from_ref(data), &[], &mut page),
                None => mpirage_report::write_live_page(&mut page),
            }
            .context("cannot make the page")?;
            return Ok((Answer::Page(page), data.is_some()));
        }
        let Some(known) = path.strip_prefix("data/").and_then(|number| number.parse::<u64>().ok()) else {
            return Ok((Answer::NotFound, false));
        };
        match look.filter(|look| look.number > known) {
            Some(look) => Ok((Answer::Data(encoded(&look)?), look.ended)),
            None => Ok((Answer::NothingNew, false)),
        }
    }
}

fn encoded(look: &Look) -> Result<String, Failure> {
    mpirage_simulation::reporting::embedded(&look.data)
}

/// The path that a browser asks for.
fn path(stream: &mut TcpStream) -> anyhow::Result<String> {
    let mut request = Vec::new();
    let mut portion = [0; 1024];
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        let read = stream.read(&mut portion)?;
        if read == 0 || request.len() > LONGEST_REQUEST {
            return Err(anyhow!("the request does not end"));
        }
        request.extend_from_slice(&portion[..read]);
    }
    let request = String::from_utf8_lossy(&request);
    let mut words = request.split_ascii_whitespace();
    match (words.next(), words.next()) {
        (Some("GET"), Some(path)) => Ok(path.to_owned()),
        _ => Err(anyhow!("the request is no GET")),
    }
}

impl Answer {
    fn send(self, out: &mut impl Write) -> io::Result<()> {
        let (status, kind, body) = match self {
            Answer::Page(page) => ("200 OK", "text/html; charset=utf-8", page),
            Answer::Data(data) => ("200 OK", "text/plain", data.into_bytes()),
            Answer::NothingNew => ("204 No Content", "text/plain", Vec::new()),
            Answer::NotFound => ("404 Not Found", "text/plain", b"not found\n".to_vec()),
        };
        let length = match status.starts_with("204") {
            true => String::new(),
            false => format!("Content-Length: {}\r\n", body.len()),
        };
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{length}Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n\
             X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
        );
        out.write_all(head.as_bytes())?;
        out.write_all(&body)?;
        out.flush()
    }
}
