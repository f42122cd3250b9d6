//! How an association opens (RFC 9260, section 5.1).
//!
//! ```text
//! active                                passive
//! closed        ── INIT ──────────────▶ closed        it answers, and keeps nothing but the window
//! init sent     ◀────────── INIT ACK ──
//! cookie sent   ── COOKIE ECHO ───────▶ open          it answers every further echo the same way
//! open          ◀──────── COOKIE ACK ──
//! ```
//!
//! The end that waits sends its chunk again when the timer T1 expires. Data follows when an end is open.

use mpirage_units::{Duration, Time};

use super::header::Control;
use super::settings::SctpSettings;

/// The state of the handshake at one end.
#[derive(Debug)]
pub(super) struct Handshake {
    state: State,
    /// The chunk to send next.
    pending: Option<Control>,
    /// The timer T1, and how long it runs the next time.
    deadline: Option<Time>,
    timeout: Duration,
    longest: Duration,
    /// How often the chunk that waits for an answer was sent again, and how often it may be.
    retries: u32,
    most_retries: u32,
    /// The receive window and the number of lanes that this end announces.
    window: u32,
    lanes: u16,
    /// The receive window of the other end.
    peer_window: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Closed,
    InitSent,
    CookieSent,
    Open,
    GivenUp,
}

impl Handshake {
    pub fn new(settings: &SctpSettings) -> Handshake {
        let window = u32::try_from(settings.receive_buffer).unwrap_or(u32::MAX);
        Handshake {
            state: if settings.preopened { State::Open } else { State::Closed },
            pending: None,
            deadline: None,
            timeout: settings.initial_timeout,
            longest: settings.longest_timeout,
            retries: 0,
            most_retries: settings.handshake_retries,
            window,
            lanes: settings.lanes,
            // Both ends have the same settings, so an association that is open knows the window of the other end.
            peer_window: window,
        }
    }

    /// The application of the active end wants to send.
    pub fn open(&mut self) {
        if self.state == State::Closed {
            self.state = State::InitSent;
            self.pending = Some(Control::Init(self.window, self.lanes));
        }
    }

    pub fn is_open(&self) -> bool {
        self.state == State::Open
    }

    /// How often it has tried again before it gave up.
    pub fn given_up(&self) -> Option<u32> {
        (self.state == State::GivenUp).then_some(self.retries)
    }

    /// The window that the other end has announced.
    pub fn peer_window(&self) -> u32 {
        self.peer_window
    }

    pub fn deadline(&self) -> Option<Time> {
        self.deadline
    }

    /// A chunk has arrived. Says whether this has opened the association.
    pub fn receive(&mut self, chunk: Control) -> bool {
        match (chunk, self.state) {
            (Control::Init(window, _), State::Closed | State::Open) => {
                self.peer_window = window;
                self.pending = Some(Control::InitAck(self.window, self.lanes));
                false
            }
            (Control::InitAck(window, _), State::InitSent) => {
                self.peer_window = window;
                self.state = State::CookieSent;
                self.expect_nothing();
                self.pending = Some(Control::CookieEcho);
                false
            }
            (Control::CookieEcho, State::Closed | State::Open) => {
                self.pending = Some(Control::CookieAck);
                self.become_open()
            }
            (Control::CookieAck, State::CookieSent) => {
                self.expect_nothing();
                self.become_open()
            }
            _ => false,
        }
    }

    /// The chunk to send now.
    pub fn transmit(&mut self, now: Time) -> Option<Control> {
        let chunk = self.pending.take()?;
        if matches!(chunk, Control::Init(..) | Control::CookieEcho) {
            self.deadline = Some(now + self.timeout);
        }
        Some(chunk)
    }

    /// The timer T1 may have expired.
    pub fn on_timeout(&mut self, now: Time) {
        if self.deadline.is_none_or(|deadline| deadline > now) {
            return;
        }
        self.deadline = None;
        if self.retries == self.most_retries {
            self.state = State::GivenUp;
            return;
        }
        self.retries += 1;
        self.timeout = (self.timeout + self.timeout).min(self.longest);
        self.pending = match self.state {
            State::InitSent => Some(Control::Init(self.window, self.lanes)),
            State::CookieSent => Some(Control::CookieEcho),
            State::Closed | State::Open | State::GivenUp => None,
        };
    }

    fn become_open(&mut self) -> bool {
        let opens = self.state != State::Open;
        self.state = State::Open;
        opens
    }

    fn expect_nothing(&mut self) {
        self.deadline = None;
        self.retries = 0;
    }
}
