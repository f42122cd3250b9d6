//! Opening a connection: SYN, SYN-ACK, ACK.
//!
//! ```text
//! active   Closed ──data to send──▶ SynSent ──SYN-ACK──▶ Open
//! passive  Closed ──SYN──▶ SynReceived ──ACK──▶ Open
//! ```

use mpirage_units::{Duration, Time};

use super::header::TcpHeader;
use super::settings::TcpSettings;
use crate::endpoint::{Failure, Role};

/// How far the handshake is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Closed,
    SynSent,
    SynReceived,
    Open,
}

/// The handshake of one end.
#[derive(Clone, Debug)]
pub(super) struct Handshake {
    state: State,
    role: Role,
    /// SYN or SYN-ACK is to be sent.
    wanted: bool,
    first_sent: Option<Time>,
    /// When SYN or SYN-ACK is sent again; the latest instant if it is not.
    deadline: Time,
    retries: u32,
    /// SYN and SYN-ACK segments that were sent again.
    repetitions: u64,
    most_retries: u32,
    patience: Duration,
    longest: Duration,
    failure: Option<Failure>,
    /// The timestamp of the other end's SYN.
    echo: Time,
    /// Does the other end know about marks?
    marks: bool,
}

/// The result of a finished handshake.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opened {
    pub(super) window: u64,
    pub(super) round_trip: Option<Duration>,
}

impl Handshake {
    pub(super) fn new(settings: &TcpSettings, role: Role) -> Self {
        Handshake {
            state: if settings.preopened { State::Open } else { State::Closed },
            role,
            wanted: false,
            first_sent: None,
            deadline: Time::MAX,
            retries: 0,
            repetitions: 0,
            most_retries: settings.syn_retries,
            patience: settings.initial_rto,
            longest: settings.maximum_rto,
            failure: None,
            echo: Time::ZERO,
            marks: settings.preopened && settings.ecn,
        }
    }

    pub(super) fn state(&self) -> State {
        self.state
    }

    pub(super) fn failure(&self) -> Option<Failure> {
        self.failure
    }

    pub(super) fn deadline(&self) -> Time {
        self.deadline
    }

    /// SYN and SYN-ACK segments that were sent again, and how many of them because nothing came back in time.
    pub(super) fn repetitions(&self) -> (u64, u64) {
        (self.repetitions, u64::from(self.retries))
    }

    /// Do both ends know about marks?
    pub(super) fn marks(&self) -> bool {
        self.marks
    }

    /// The active end begins.
    pub(super) fn open(&mut self) {
        if self.state == State::Closed && self.role == Role::Active {
            (self.state, self.wanted) = (State::SynSent, true);
        }
    }

    /// A segment has arrived before the connection was open; gives what is known if it is open now.
    pub(super) fn receive(&mut self, now: Time, header: &TcpHeader, ecn: bool) -> Option<Opened> {
        if header.flags.rst {
            self.failure = Some(Failure::Refused);
            return None;
        }
        match (self.state, header.flags.syn, header.flags.ack) {
            (State::SynSent, true, true) => self.finish(now, header, ecn && header.flags.ece),
            (State::Closed | State::SynReceived, true, false) => {
                (self.state, self.wanted, self.echo) = (State::SynReceived, true, header.timestamp);
                self.marks = ecn && header.flags.ece && header.flags.cwr;
                None
            }
            (State::SynReceived, false, true) => self.finish(now, header, self.marks),
            _ => None,
        }
    }

    fn finish(&mut self, now: Time, header: &TcpHeader, marks: bool) -> Option<Opened> {
        (self.state, self.wanted, self.deadline, self.marks) = (State::Open, false, Time::MAX, marks);
        let unambiguous = self.first_sent.filter(|_| self.retries == 0);
        Some(Opened { window: header.window, round_trip: unambiguous.map(|at| now.since(at)) })
    }

    /// The header of SYN or SYN-ACK, if one is to be sent.
    pub(super) fn transmit(&mut self, now: Time, settings: &TcpSettings) -> Option<TcpHeader> {
        if !std::mem::take(&mut self.wanted) || self.failure.is_some() {
            return None;
        }
        self.repetitions += u64::from(self.first_sent.is_some());
        self.first_sent.get_or_insert(now);
        self.deadline = now + self.patience;
        let answer = self.state == State::SynReceived;
        let mut header = TcpHeader {
            window: settings.first_receive_window(),
            timestamp: now,
            echo: self.echo,
            acknowledgement: u64::from(answer),
            ..TcpHeader::default()
        };
        (header.flags.syn, header.flags.ack) = (true, answer);
        header.flags.ece = settings.ecn && (!answer || self.marks);
        header.flags.cwr = settings.ecn && !answer;
        Some(header)
    }

    /// The other end has not answered in time.
    pub(super) fn expire(&mut self, now: Time) {
        if self.deadline > now {
            return;
        }
        self.deadline = Time::MAX;
        if self.retries == self.most_retries {
            self.failure = Some(Failure::Retransmissions(self.retries));
            return;
        }
        self.retries += 1;
        self.patience = (self.patience + self.patience).min(self.longest);
        self.wanted = true;
    }
}
