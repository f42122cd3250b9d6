//! What happens to the congestion window after losses and marks.
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
use super::scoreboard::{Arrivals, Scoreboard, Span};
use super::settings::TcpSettings;

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
    /// What has arrived twice.
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
    /// Can the reduction be taken back?
    undoable: bool,
    /// The first unacknowledged byte when the reduction began, and the retransmissions since then that are not known to be
    /// unnecessary; none before the first.
    undo_from: u64,
    undo_resent: Option<u32>,
    /// When the first retransmission was sent.
    resent_at: Option<Time>,
    /// After a timeout: is it still open whether it was too early?
    doubtful: bool,
    /// After a timeout: new data are sent first to find out.
    new_data_first: bool,
    reordering: u32,
    reordering_threshold: u32,
    reordering_seen: bool,
    undo_enabled: bool,
    segment_size: u64,
    counters: RecoveryCounters,
}

/// Counts of one connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RecoveryCounters {
    pub(super) fast_retransmits: u64,
    pub(super) timeouts: u64,
    pub(super) spurious: u64,
}

/// The largest number of segments that a reordered one can be late (tcp_max_reordering).
const MOST_REORDERING: u32 = 300;

impl Recovery {
    pub(super) fn new(settings: &TcpSettings) -> Self {
        Recovery {
            phase: Phase::Open,
            high: 0,
            prior_window: 0,
            prior_threshold: 0,
            delivered: 0,
            sent: 0,
            undoable: false,
            undo_from: 0,
            undo_resent: None,
            resent_at: None,
            doubtful: false,
            new_data_first: false,
            reordering: settings.reordering,
            reordering_threshold: settings.reordering,
            reordering_seen: false,
            undo_enabled: settings.undo,
            segment_size: u64::from(settings.segment_size()),
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
            self.resent_at.get_or_insert(now);
            self.undo_resent = Some(self.undo_resent.unwrap_or(0) + 1);
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
        self.note_reordering(ack);
        let mut look_again = None;
        let mut lost = 0;
        self.note_duplicate(ack);
        if ack.arrivals.selective > 0 || ack.marked || ack.duplicate.is_some() || self.phase != Phase::Open {
            (lost, look_again) = self.alert(ack, board, congestion);
        }
        if self.is_reducing() {
            self.reduce(ack.arrivals.segments, lost, ack.arrivals.advanced, board, congestion);
        } else if ack.arrivals.advanced || self.reordering > self.reordering_threshold {
            congestion.grow(ack.progress);
        }
        look_again
    }

    fn note_reordering(&mut self, ack: &Acknowledged) {
        if ack.arrivals.reordered > 0 {
            self.reordering_seen = true;
            let segments = ack.arrivals.reordered.div_ceil(self.segment_size);
            let distance = u32::try_from(segments).unwrap_or(u32::MAX).min(MOST_REORDERING);
            self.reordering = self.reordering.max(distance);
        }
    }

    /// A segment has arrived twice: one of the retransmissions was unnecessary.
    fn note_duplicate(&mut self, ack: &Acknowledged) {
        let Some(span) = ack.duplicate.filter(|span| span.end > self.undo_from) else { return };
        let segments = (span.end - span.start).div_ceil(self.segment_size) as u32;
        self.undo_resent = self.undo_resent.map(|resent| resent.saturating_sub(segments));
    }

    /// Looks at the acknowledgement closely: something is or was missing.
    fn alert(
        &mut self,
        ack: &Acknowledged,
        board: &mut Scoreboard,
        congestion: &mut Congestion,
    ) -> (u32, Option<Time>) {
        if self.phase == Phase::Open {
            self.resent_at = None;
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
        if ack.arrivals.advanced && self.undoable && self.is_delayed(ack) {
            // While retransmissions are in flight, it waits what they turn out to be.
            if board.again() == 0 {
                self.undo(ack, board, congestion);
                self.open(ack, board);
            }
            return (0, None);
        }
        if self.all_duplicates() {
            self.undo(ack, board, congestion);
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
                let undone =
                    (self.is_delayed(ack) || self.all_duplicates()) && self.undo(ack, board, congestion);
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
        if self.phase != Phase::Reduction && self.all_duplicates() {
            self.undo(ack, board, congestion);
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

    /// How much later than others a segment may arrive: nothing once losses are known or enough have overtaken it, unless
    /// reordering was seen; else a quarter of the least round trip.
    fn reordering_window(&self, board: &Scoreboard, (least, smoothed): (Duration, Duration)) -> Duration {
        let eager = matches!(self.phase, Phase::Recovery | Phase::Loss) || board.arrived() >= self.reordering;
        if !self.reordering_seen && eager {
            return Duration::ZERO;
        }
        Duration::from_picos(least.as_picos() >> 2).min(smoothed)
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
        self.make_undoable(progress, board);
        if self.phase != Phase::Reduction {
            let threshold = congestion.threshold().max(congestion.window() - congestion.window() / 4);
            self.begin_reduction(progress.next, congestion);
            self.prior_threshold = if marked { 0 } else { threshold };
        } else {
            self.prior_threshold = 0;
        }
        self.phase = Phase::Recovery;
    }

    fn make_undoable(&mut self, progress: Progress, board: &Scoreboard) {
        self.undoable = self.undo_enabled;
        self.undo_from = progress.acknowledged;
        self.undo_resent = Some(board.again()).filter(|count| *count > 0);
    }

    fn enter_reduction(&mut self, next: u64, congestion: &mut Congestion) {
        if matches!(self.phase, Phase::Open | Phase::Disorder) {
            self.undoable = false;
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
            self.undoable = false;
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
            let threshold = congestion.threshold().max(congestion.window() - congestion.window() / 4);
            self.prior_window = congestion.reduce_threshold();
            self.prior_threshold = threshold;
            self.make_undoable(progress, board);
            self.resent_at = None;
        }
        congestion.timed_out(progress);
        congestion.set_window(board.in_flight() + 1);
        self.phase = Phase::Loss;
        self.high = progress.next;
        self.doubtful = self.undo_enabled && (new || !first_time);
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
        let early = (ack.arrivals.advanced && (self.is_delayed(ack) || self.all_duplicates()))
            || (self.doubtful && original);
        if early && self.undo(ack, board, congestion) {
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

    /// Is the answer to a segment that was sent before the first retransmission?
    fn is_delayed(&self, ack: &Acknowledged) -> bool {
        self.resent_at.is_some_and(|at| ack.echo > Time::ZERO && ack.echo < at)
    }

    /// Were all retransmissions unnecessary?
    fn all_duplicates(&self) -> bool {
        self.undoable && self.undo_resent == Some(0)
    }

    /// Takes the reduction back, if it is not final.
    fn undo(&mut self, ack: &Acknowledged, board: &mut Scoreboard, congestion: &mut Congestion) -> bool {
        if !self.undoable {
            return false;
        }
        self.undoable = false;
        self.counters.spurious += 1;
        board.forget_losses();
        if self.prior_threshold > 0 {
            congestion.set_window(congestion.window().max(self.prior_window));
            congestion.restore(self.prior_threshold, ack.progress.now);
        }
        true
    }
}
