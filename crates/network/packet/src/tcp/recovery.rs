//! The congestion window after losses and marks.
//!
//! ```text
//! Open ──out of order──▶ Disorder ──lost──▶ Recovery ──all acknowledged──▶ Open
//!   └──────mark, probe answered──▶ Reduction ──────────────────────────────▶ Open
//! any ──timeout──▶ Loss ──all acknowledged, or the timeout was too early──▶ Open
//! ```
//!
//! In Reduction and Recovery the window shrinks in proportion to what arrives (RFC 6937, PRR). A reduction is taken back if the
//! answer to a retransmission turns out to be one to the original (RFC 4015, by timestamps) or if, after a timeout, segments
//! arrive that were never sent again (RFC 5682, F-RTO).

use mpirage_units::{Duration, Time};

use super::congestion::{Congestion, Progress};
use super::reordering::Reordering;
use super::scoreboard::{Arrivals, Scoreboard, Span};
use super::settings::TcpSettings;
use super::undo::Undo;

/// The state of Linux's `icsk_ca_state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Open,
    Disorder,
    Reduction,
    Recovery,
    Loss,
}

/// An acknowledgement, as recovery sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Acknowledged {
    pub(super) progress: Progress,
    pub(super) arrivals: Arrivals,
    /// It echoes a mark.
    pub(super) marked: bool,
    /// The timestamp that it answers.
    pub(super) echo: Time,
    /// The range that arrived twice.
    pub(super) duplicate: Option<Span>,
    /// There are new data that the receiver has room for.
    pub(super) new_data: bool,
    /// The least round trip and the smoothed one.
    pub(super) round_trips: (Duration, Duration),
}

/// The state of recovery.
#[derive(Clone, Debug)]
pub(super) struct Recovery {
    phase: Phase,
    /// The phase ends when this byte is acknowledged.
    high: u64,
    /// Window and threshold before the reduction; the threshold is zero if the reduction is final.
    prior_window: u32,
    prior_threshold: u32,
    /// Arrived and sent since the reduction began.
    delivered: u32,
    sent: u32,
    /// After a timeout: is it still open whether it was too early?
    doubtful: bool,
    /// After a timeout: new data are sent first to find out.
    new_data_first: bool,
    reordering: Reordering,
    undo: Undo,
    counters: RecoveryCounters,
}

/// Counts of one connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RecoveryCounters {
    pub(super) fast_retransmits: u64,
    pub(super) timeouts: u64,
    pub(super) spurious: u64,
}

impl Recovery {
    pub(super) fn new(settings: &TcpSettings) -> Self {
        Recovery {
            phase: Phase::Open,
            high: 0,
            prior_window: 0,
            prior_threshold: 0,
            delivered: 0,
            sent: 0,
            doubtful: false,
            new_data_first: false,
            reordering: Reordering::new(settings.reordering, settings.segment_size()),
            undo: Undo::new(settings.undo, settings.segment_size()),
            counters: RecoveryCounters::default(),
        }
    }

    pub(super) fn phase(&self) -> Phase {
        self.phase
    }

    pub(super) fn counters(&self) -> RecoveryCounters {
        self.counters
    }

    /// Are new data sent before lost ones?
    pub(super) fn new_data_first(&self) -> bool {
        self.new_data_first
    }

    /// There were no new data to send.
    pub(super) fn give_up_new_data(&mut self, next: u64) {
        if next <= self.high {
            (self.new_data_first, self.doubtful) = (false, false);
        }
    }

    /// A segment was sent.
    pub(super) fn sent(&mut self, now: Time, again: bool) {
        if self.is_reducing() {
            self.sent += 1;
        }
        if again {
            self.undo.resent(now);
        }
    }

    fn is_reducing(&self) -> bool {
        matches!(self.phase, Phase::Reduction | Phase::Recovery)
    }

    /// An acknowledgement has arrived and the scoreboard knows. Gives the instant at which losses are to be looked for again.
    pub(super) fn acknowledged(
        &mut self,
        ack: &Acknowledged,
        board: &mut Scoreboard,
        congestion: &mut Congestion,
    ) -> Option<Time> {
        self.reordering.note(ack.arrivals.reordered);
        let mut look_again = None;
        let mut lost = 0;
        if let Some(span) = ack.duplicate {
            self.undo.arrived_twice(span);
        }
        if ack.arrivals.selective > 0 || ack.marked || ack.duplicate.is_some() || self.phase != Phase::Open {
            (lost, look_again) = self.alert(ack, board, congestion);
        }
        if self.is_reducing() {
            self.reduce(ack.arrivals.segments, lost, ack.arrivals.advanced, board, congestion);
        } else if ack.arrivals.advanced || self.reordering.is_unusual() {
            congestion.grow(ack.progress);
        }
        look_again
    }

    /// Looks at the acknowledgement closely: something is or was missing.
    fn alert(
        &mut self,
        ack: &Acknowledged,
        board: &mut Scoreboard,
        congestion: &mut Congestion,
    ) -> (u32, Option<Time>) {
        if self.phase == Phase::Open {
            self.undo.forget_time();
        } else if ack.progress.acknowledged >= self.high {
            self.finish(ack, board, congestion);
        }
        match self.phase {
            Phase::Recovery => self.continue_recovery(ack, board, congestion),
            Phase::Loss => self.continue_loss(ack, board, congestion),
            Phase::Open | Phase::Disorder | Phase::Reduction => self.look_for_losses(ack, board, congestion),
        }
    }

    fn continue_recovery(
        &mut self,
        ack: &Acknowledged,
        board: &mut Scoreboard,
        congestion: &mut Congestion,
    ) -> (u32, Option<Time>) {
        if ack.arrivals.advanced && self.undo.is_delayed(ack.echo) {
            // While retransmissions are in flight, it waits what they turn out to be.
            if board.again() == 0 {
                self.take_back(ack, board, congestion);
                self.open(ack, board);
            }
            return (0, None);
        }
        if self.undo.all_arrived_twice() {
            self.take_back(ack, board, congestion);
            self.open(ack, board);
        }
        let found = self.detect(ack, board);
        if self.phase != Phase::Recovery && board.lost() > 0 {
            self.enter_recovery(ack.progress, ack.marked, board, congestion);
        }
        found
    }

    /// All that was in flight when the phase began has arrived.
    fn finish(&mut self, ack: &Acknowledged, board: &mut Scoreboard, congestion: &mut Congestion) {
        match self.phase {
            Phase::Reduction if ack.progress.acknowledged > self.high => {
                congestion.settle(ack.progress.now);
                self.phase = Phase::Open;
            }
            Phase::Recovery => {
                let undone = (self.undo.is_delayed(ack.echo) || self.undo.all_arrived_twice())
                    && self.take_back(ack, board, congestion);
                if !undone {
                    congestion.settle(ack.progress.now);
                }
                self.end();
            }
            _ => {}
        }
    }

    fn end(&mut self) {
        self.phase = Phase::Open;
        self.doubtful = false;
        self.new_data_first = false;
    }

    fn look_for_losses(
        &mut self,
        ack: &Acknowledged,
        board: &mut Scoreboard,
        congestion: &mut Congestion,
    ) -> (u32, Option<Time>) {
        if self.phase != Phase::Reduction && self.undo.all_arrived_twice() {
            self.take_back(ack, board, congestion);
        }
        let (lost, look_again) = self.detect(ack, board);
        if board.lost() > 0 {
            self.enter_recovery(ack.progress, ack.marked, board, congestion);
        } else {
            self.stay_open(ack, board, congestion);
        }
        (lost, look_again)
    }

    fn stay_open(&mut self, ack: &Acknowledged, board: &Scoreboard, congestion: &mut Congestion) {
        if ack.marked {
            self.enter_reduction(ack.progress.next, congestion);
        }
        if self.phase != Phase::Reduction {
            self.open(ack, board);
        }
    }

    /// Open, or Disorder while something has arrived out of order or was sent again.
    fn open(&mut self, ack: &Acknowledged, board: &Scoreboard) {
        let phase = if board.arrived() > 0 || board.lost() > 0 || board.again() > 0 {
            Phase::Disorder
        } else {
            Phase::Open
        };
        if self.phase != phase {
            self.phase = phase;
            self.high = ack.progress.next;
        }
    }

    fn detect(&self, ack: &Acknowledged, board: &mut Scoreboard) -> (u32, Option<Time>) {
        board.detect_losses(ack.progress.now, self.reordering_window(board, ack.round_trips))
    }

    fn reordering_window(&self, board: &Scoreboard, round_trips: (Duration, Duration)) -> Duration {
        let recovering = matches!(self.phase, Phase::Recovery | Phase::Loss);
        self.reordering.window(recovering, board.arrived(), round_trips)
    }

    /// The reordering window has passed. Gives the instant at which to look again.
    pub(super) fn reordering_passed(
        &mut self,
        progress: Progress,
        round_trips: (Duration, Duration),
        board: &mut Scoreboard,
        congestion: &mut Congestion,
    ) -> Option<Time> {
        let (lost, look_again) =
            board.detect_losses(progress.now, self.reordering_window(board, round_trips));
        if lost > 0 && self.phase != Phase::Recovery {
            self.enter_recovery(progress, false, board, congestion);
            self.reduce(1, lost, false, board, congestion);
        }
        look_again
    }

    fn enter_recovery(
        &mut self,
        progress: Progress,
        marked: bool,
        board: &Scoreboard,
        congestion: &mut Congestion,
    ) {
        self.counters.fast_retransmits += 1;
        self.undo.begin(progress.acknowledged, board.again());
        if self.phase != Phase::Reduction {
            let threshold = congestion.kept_threshold();
            self.begin_reduction(progress.next, congestion);
            self.prior_threshold = if marked { 0 } else { threshold };
        } else {
            self.prior_threshold = 0;
        }
        self.phase = Phase::Recovery;
    }

    fn enter_reduction(&mut self, next: u64, congestion: &mut Congestion) {
        if matches!(self.phase, Phase::Open | Phase::Disorder) {
            self.undo.forbid();
            self.begin_reduction(next, congestion);
            self.prior_threshold = 0;
            self.phase = Phase::Reduction;
        }
    }

    fn begin_reduction(&mut self, next: u64, congestion: &mut Congestion) {
        self.high = next;
        self.prior_window = congestion.reduce_threshold();
        (self.delivered, self.sent) = (0, 0);
    }

    /// A tail loss probe has repaired a loss: the window shrinks at once.
    pub(super) fn probe_repaired(
        &mut self,
        now: Time,
        next: u64,
        board: &Scoreboard,
        congestion: &mut Congestion,
    ) {
        if matches!(self.phase, Phase::Open | Phase::Disorder | Phase::Reduction) {
            self.begin_reduction(next, congestion);
            congestion.settle(now);
            self.undo.forbid();
            self.phase = if board.arrived() > 0 { Phase::Disorder } else { Phase::Open };
        }
    }

    /// Proportional rate reduction: decides how many segments may be sent for what has arrived.
    fn reduce(
        &mut self,
        arrived: u32,
        lost: u32,
        advanced: bool,
        board: &Scoreboard,
        congestion: &mut Congestion,
    ) {
        if arrived == 0 || self.prior_window == 0 {
            return;
        }
        self.delivered += arrived;
        let (target, in_flight) = (congestion.threshold(), board.in_flight());
        let allowed = if in_flight > target {
            let share =
                (u64::from(target) * u64::from(self.delivered)).div_ceil(u64::from(self.prior_window));
            (share as u32).saturating_sub(self.sent)
        } else {
            let more = u32::from(advanced && lost == 0);
            let slow_start = self.delivered.saturating_sub(self.sent).max(arrived) + more;
            slow_start.min(target - in_flight)
        };
        let forced = u32::from(self.sent == 0);
        congestion.set_window(in_flight + allowed.max(forced));
    }

    /// The retransmission timer has expired.
    pub(super) fn timed_out(
        &mut self,
        progress: Progress,
        first_time: bool,
        board: &mut Scoreboard,
        congestion: &mut Congestion,
    ) {
        self.counters.timeouts += 1;
        let new = matches!(self.phase, Phase::Open | Phase::Disorder)
            || progress.acknowledged >= self.high
            || (self.phase == Phase::Loss && first_time);
        board.time_out(progress.now);
        if new {
            let threshold = congestion.kept_threshold();
            self.prior_window = congestion.reduce_threshold();
            self.prior_threshold = threshold;
            self.undo.begin(progress.acknowledged, board.again());
            self.undo.forget_time();
        }
        congestion.timed_out(progress);
        congestion.set_window(board.in_flight() + 1);
        self.phase = Phase::Loss;
        self.high = progress.next;
        self.doubtful = self.undo.is_enabled() && (new || !first_time);
        self.new_data_first = false;
    }

    fn continue_loss(
        &mut self,
        ack: &Acknowledged,
        board: &mut Scoreboard,
        congestion: &mut Congestion,
    ) -> (u32, Option<Time>) {
        self.new_data_first = false;
        let original = ack.arrivals.original.is_some_and(|end| end <= self.high);
        let early = (ack.arrivals.advanced
            && (self.undo.is_delayed(ack.echo) || self.undo.all_arrived_twice()))
            || (self.doubtful && original);
        if early && self.take_back(ack, board, congestion) {
            self.end();
            return self.look_for_losses(ack, board, congestion);
        }
        let recovered = ack.progress.acknowledged >= self.high;
        if self.doubtful && self.try_new_data(ack, recovered) {
            return (0, None);
        }
        if recovered {
            self.end();
            self.open(ack, board);
            return (0, None);
        }
        let resent = board.again();
        let found = self.detect(ack, board);
        if board.again() < resent {
            self.enter_recovery(ack.progress, false, board, congestion);
        }
        found
    }

    /// After a timeout new data are sent instead of lost ones: their answers show whether anything was lost.
    fn try_new_data(&mut self, ack: &Acknowledged, recovered: bool) -> bool {
        if ack.progress.next > self.high {
            if ack.arrivals.selective > 0 || !ack.arrivals.advanced {
                self.doubtful = false;
            }
        } else if ack.arrivals.advanced && !recovered {
            self.high = ack.progress.next;
            self.new_data_first = ack.new_data;
            self.doubtful = ack.new_data;
            return ack.new_data;
        }
        false
    }

    /// Takes the reduction back, if it is not final.
    fn take_back(&mut self, ack: &Acknowledged, board: &mut Scoreboard, congestion: &mut Congestion) -> bool {
        if !self.undo.take() {
            return false;
        }
        self.counters.spurious += 1;
        board.forget_losses();
        if self.prior_threshold > 0 {
            congestion.set_window(congestion.window().max(self.prior_window));
            congestion.restore(self.prior_threshold, ack.progress.now);
        }
        true
    }
}
