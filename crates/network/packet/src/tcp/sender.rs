//! The sending half of a connection: what is sent next, and what acknowledgements and timers do.

use std::collections::VecDeque;
use std::sync::Arc;

use mpirage_kernel::ConnectionCounts;
use mpirage_units::{Duration, Time};

use super::congestion::{Congestion, Progress};
use super::header::{SACK_BLOCKS, TcpHeader};
use super::peer_window::PeerWindow;
use super::recovery::{Acknowledged, Phase, Recovery};
use super::rtt::RoundTrip;
use super::scoreboard::{Answer, Arrivals, Piece, Scoreboard, Span};
use super::send_buffer::SendBuffer;
use super::settings::TcpSettings;
use super::tail_probe::TailProbe;
use super::timers::{Purpose, Timer};

/// A segment that the sending half wants to send.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outgoing {
    pub(super) piece: Piece,
    /// It was sent before.
    pub(super) again: bool,
    /// It has the last byte of a write.
    pub(super) push: bool,
    /// It tells the receiver that the window was reduced.
    pub(super) reduced: bool,
}

/// The sending half.
#[derive(Clone, Debug)]
pub(super) struct Sender {
    /// The first unacknowledged byte, the next to be sent, the end of what was written.
    acknowledged: u64,
    next: u64,
    written: u64,
    /// Ends of writes that are not sent.
    write_ends: VecDeque<u64>,
    room: PeerWindow,
    /// The end of the last small segment (for Nagle's rule).
    small_end: u64,
    last_sent: Time,
    buffer: SendBuffer,
    board: Scoreboard,
    trip: RoundTrip,
    congestion: Congestion,
    recovery: Recovery,
    timer: Timer,
    probe: TailProbe,
    /// The receiver is to be asked for its window.
    ask_window: bool,
    /// The next new segment says that the window was reduced.
    announce_reduction: bool,
    retries: u32,
    failed: bool,
    counters: ConnectionCounts,
    settings: Arc<TcpSettings>,
}

impl Sender {
    /// Nothing was sent but SYN: the stream starts at 1.
    pub(super) fn new(settings: &Arc<TcpSettings>) -> Self {
        Sender {
            acknowledged: 1,
            next: 1,
            written: 1,
            write_ends: VecDeque::new(),
            room: PeerWindow::new(settings.first_receive_window()),
            small_end: 0,
            last_sent: Time::ZERO,
            buffer: SendBuffer::new(settings),
            board: Scoreboard::default(),
            trip: RoundTrip::new(settings),
            congestion: Congestion::new(settings),
            recovery: Recovery::new(settings),
            timer: Timer::default(),
            probe: TailProbe::default(),
            ask_window: false,
            announce_reduction: false,
            retries: 0,
            failed: false,
            counters: ConnectionCounts::default(),
            settings: settings.clone(),
        }
    }

    /// The handshake has ended: the receiver's window is known, and perhaps a round trip.
    pub(super) fn opened(&mut self, now: Time, window: u64, round_trip: Option<Duration>) {
        self.room = PeerWindow::new(window);
        self.last_sent = now;
        if let Some(sample) = round_trip {
            self.trip.measured(sample, 1, 1);
        }
    }

    pub(super) fn write(&mut self, now: Time, bytes: u64) {
        if self.board.packets_out() == 0 && self.next == self.written {
            self.congestion.resume(now, now.since(self.last_sent), self.trip.timeout());
        }
        self.buffer.write(bytes);
        self.written += bytes;
        self.write_ends.push_back(self.written);
    }

    pub(super) fn room(&self) -> u64 {
        self.buffer.room()
    }

    /// Loads what it points to into the cache.
    pub(super) fn prefetch(&self) {
        self.board.prefetch();
        self.congestion.prefetch();
    }

    /// The number of the next byte.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    pub(super) fn timeout(&self) -> Duration {
        self.trip.timeout()
    }

    pub(super) fn smoothed(&self) -> Option<Duration> {
        self.trip.smoothed()
    }

    pub(super) fn deadline(&self) -> Time {
        self.timer.deadline()
    }

    pub(super) fn window(&self) -> u32 {
        self.congestion.window()
    }

    pub(super) fn threshold(&self) -> u32 {
        self.congestion.threshold()
    }

    pub(super) fn bytes_in_flight(&self) -> u64 {
        self.next - self.acknowledged
    }

    /// The number of retransmissions after which it has given up.
    pub(super) fn failure(&self) -> Option<u32> {
        self.failed.then_some(self.settings.retries)
    }

    pub(super) fn counters(&self) -> ConnectionCounts {
        let recovery = self.recovery.counters();
        ConnectionCounts {
            fast_retransmits: recovery.fast_retransmits,
            timeouts: recovery.timeouts,
            spurious: recovery.spurious,
            ..self.counters
        }
    }

    fn progress(&self, now: Time, segments: u32) -> Progress {
        Progress { now, acknowledged: self.acknowledged, next: self.next, segments }
    }

    fn round_trips(&self) -> (Duration, Duration) {
        (self.trip.least(), self.trip.smoothed().unwrap_or(Duration::ZERO))
    }
}

/// Transmission.
impl Sender {
    /// The next segment with data, when options take `option_bytes` of its space.
    pub(super) fn transmit(&mut self, now: Time, option_bytes: u32) -> Option<Outgoing> {
        let most = self.settings.segment_size().saturating_sub(option_bytes).max(1);
        if self.failed {
            return None;
        }
        if self.probe.is_wanted() {
            return self.send_probe(now, most);
        }
        if self.ask_window && self.room.end() > self.next {
            return Some(self.send_fitting(now, most));
        }
        if self.recovery.new_data_first() {
            if let Some(new) = self.send_new(now, most) {
                return Some(new);
            }
            self.recovery.give_up_new_data(self.next);
        }
        if !self.recovery.new_data_first()
            && let Some(again) = self.send_lost(now)
        {
            return Some(again);
        }
        self.send_new(now, most)
    }

    fn send_lost(&mut self, now: Time) -> Option<Outgoing> {
        if self.board.in_flight() >= self.congestion.window() {
            return None;
        }
        let piece = self.board.next_lost()?;
        if piece.start == self.acknowledged && self.timer.purpose() != Some(Purpose::Reordering) {
            self.timer.set(Purpose::Retransmission, now + self.trip.timeout());
        }
        Some(self.resend(now, piece))
    }

    fn resend(&mut self, now: Time, piece: Piece) -> Outgoing {
        self.board.sent_again(piece, now);
        self.recovery.sent(now, true);
        self.counters.retransmissions += 1;
        self.last_sent = now;
        Outgoing {
            piece,
            again: true,
            push: piece.start + u64::from(piece.length) == self.written,
            reduced: false,
        }
    }

    fn send_new(&mut self, now: Time, most: u32) -> Option<Outgoing> {
        let piece = self.new_piece(most)?;
        if self.board.in_flight() >= self.congestion.window() {
            self.note_use(now, true);
            return None;
        }
        Some(self.send_piece(now, piece))
    }

    /// The next new data, if the receiver has room for them and Nagle's rule does not hold them back.
    fn new_piece(&self, most: u32) -> Option<Piece> {
        let length = (self.written - self.next).min(u64::from(most)) as u32;
        let small = length < most;
        let held = small && self.settings.nagle && self.small_end > self.acknowledged;
        let fits = self.next + u64::from(length) <= self.room.end();
        (length > 0 && fits && !held).then_some(Piece { start: self.next, length })
    }

    /// The receiver has room for a part of a segment only, and nothing is in flight: that part is the question.
    fn send_fitting(&mut self, now: Time, most: u32) -> Outgoing {
        self.ask_window = false;
        let length = (self.written.min(self.room.end()) - self.next).min(u64::from(most)) as u32;
        self.send_piece(now, Piece { start: self.next, length })
    }

    fn send_piece(&mut self, now: Time, piece: Piece) -> Outgoing {
        let first = self.board.packets_out() == 0;
        self.board.push(piece, now);
        self.next += u64::from(piece.length);
        self.last_sent = now;
        if piece.length < self.settings.segment_size() {
            self.small_end = self.next;
        }
        self.recovery.sent(now, false);
        if first || self.timer.purpose() == Some(Purpose::TailProbe) {
            self.restart_timer(now);
        }
        self.note_use(now, self.board.in_flight() >= self.congestion.window());
        self.schedule_probe(now, false);
        let reduced = std::mem::take(&mut self.announce_reduction);
        Outgoing { piece, again: false, push: self.take_write_ends(), reduced }
    }

    /// Has the end of a write been sent now?
    fn take_write_ends(&mut self) -> bool {
        let mut ended = false;
        while self.write_ends.front().is_some_and(|end| *end <= self.next) {
            self.write_ends.pop_front();
            ended = true;
        }
        ended
    }

    fn note_use(&mut self, now: Time, full: bool) {
        let progress = self.progress(now, 0);
        let trip = &self.trip;
        self.congestion.sent(progress, self.board.packets_out(), full, || trip.timeout());
    }

    /// Sends new data beyond the window, or the last segment again.
    fn send_probe(&mut self, now: Time, most: u32) -> Option<Outgoing> {
        let sent = match self.new_piece(most) {
            Some(piece) => self.send_piece(now, piece),
            None => self.resend(now, self.board.last()?),
        };
        self.probe.sent(self.next, sent.again);
        self.timer.set(Purpose::Retransmission, self.trip.due(now));
        Some(sent)
    }

    /// Does a segment without data ask the receiver for its window? Its number is one before the window.
    pub(super) fn take_window_probe(&mut self) -> Option<u64> {
        std::mem::take(&mut self.ask_window).then(|| self.acknowledged - 1)
    }

    /// Nothing more is sent now. If the receiver has no room and nothing is in flight, its window is asked for later.
    pub(super) fn pause(&mut self, now: Time) {
        if self.next < self.written
            && self.board.packets_out() == 0
            && self.timer.purpose().is_none()
            && !self.failed
        {
            self.timer.set(Purpose::WindowProbe, now + self.trip.timeout());
        }
    }
}

/// Processing of acknowledgements.
impl Sender {
    /// An acknowledgement has arrived, with a segment of `payload` bytes.
    pub(super) fn acknowledge(&mut self, now: Time, header: &TcpHeader, payload: u32) {
        let end = header.acknowledgement;
        if !header.flags.ack || end < self.acknowledged || end > self.next {
            return;
        }
        let updated = self.room.update(header, self.acknowledged);
        let bytes = end - self.acknowledged;
        if bytes == 0 && self.has_no_questions(header) {
            return self.window_answered();
        }
        let mut arrivals = Arrivals::default();
        let (duplicate, blocks) = blocks(header);
        let answer = Answer { now, echo: header.echo, least: self.trip.least() };
        self.board.acknowledge_blocks(&blocks, answer, &mut arrivals);
        let pure = payload == 0 && !updated && bytes == 0;
        self.counters.duplicate_acks += u64::from(pure);
        if bytes > 0 {
            self.advance(end, answer, &mut arrivals);
        } else if self.board.packets_out() == 0 {
            self.window_answered();
        }
        self.measure(now, &arrivals, header.echo);
        let twice = duplicate.is_some_and(|span| Some(span.end) == self.probe.high());
        self.check_probe(now, end, twice || (pure && arrivals.selective == 0));
        if bytes > 0 {
            self.set_timer(now);
        }
        self.recover(now, header, duplicate, arrivals);
        self.buffer.release(bytes, self.congestion.window());
    }

    /// Is nothing in flight, and nothing known that an acknowledgement could change? So it is at an end that only receives.
    fn has_no_questions(&self, header: &TcpHeader) -> bool {
        let idle = self.board.packets_out() == 0 && self.probe.high().is_none();
        idle && header.sack[0].1 == 0 && !header.flags.ece && self.recovery.phase() == Phase::Open
    }

    /// All bytes before `end` have arrived.
    fn advance(&mut self, end: u64, answer: Answer, arrivals: &mut Arrivals) {
        self.acknowledged = end;
        self.retries = 0;
        arrivals.advanced = true;
        self.probe.cancel();
        self.board.acknowledge(end, answer, arrivals);
    }

    /// The receiver has answered while nothing was in flight.
    fn window_answered(&mut self) {
        self.retries = 0;
        let fits = self.new_piece(self.settings.segment_size()).is_some();
        if fits && self.timer.purpose() == Some(Purpose::WindowProbe) {
            self.timer.clear();
            self.trip.forget_backoff();
        }
    }

    /// Measures the round trip with segments that were sent once, else with the echoed timestamp.
    fn measure(&mut self, now: Time, arrivals: &Arrivals, echo: Time) {
        let in_order = arrivals.in_order.filter(|_| !arrivals.sent_again);
        let Some((first, _)) = in_order.or(arrivals.out_of_order) else {
            if arrivals.sent_again && self.settings.timestamps && echo > Time::ZERO {
                self.trip.measured(now.since(echo), self.acknowledged, self.next);
            }
            return;
        };
        self.trip.measured(now.since(first), self.acknowledged, self.next);
        let last = arrivals.out_of_order.or(arrivals.in_order).map_or(first, |(_, last)| last);
        let smoothed = self.trip.smoothed().unwrap_or(Duration::ZERO);
        self.congestion.measured(now.since(last), smoothed, self.progress(now, arrivals.segments));
    }

    /// If the answer shows that a tail loss probe has repaired a loss, the window shrinks.
    fn check_probe(&mut self, now: Time, end: u64, duplicate: bool) {
        if self.probe.has_repaired(end, duplicate) {
            self.recovery.probe_repaired(now, self.next, &self.board, &mut self.congestion);
            self.announce_reduction = self.settings.ecn;
        }
    }

    fn recover(&mut self, now: Time, header: &TcpHeader, duplicate: Option<Span>, arrivals: Arrivals) {
        let before = self.recovery.phase();
        let ack = Acknowledged {
            progress: self.progress(now, arrivals.segments),
            arrivals,
            duplicate,
            marked: self.settings.ecn && header.flags.ece,
            echo: header.echo,
            new_data: self.new_piece(self.settings.segment_size()).is_some(),
            round_trips: self.round_trips(),
        };
        let look_again = self.recovery.acknowledged(&ack, &mut self.board, &mut self.congestion);
        if let Some(at) = look_again {
            self.timer.set(Purpose::Reordering, at + self.settings.timer_margin);
        }
        self.note_phase(before);
    }

    /// A reduction of the window is announced to the receiver; the end of flight belongs to no probe any more.
    fn note_phase(&mut self, before: Phase) {
        let after = self.recovery.phase();
        if before != after && !matches!(after, Phase::Open | Phase::Disorder) {
            self.announce_reduction = self.settings.ecn;
            self.probe = TailProbe::default();
        }
    }
}

/// Timers.
impl Sender {
    /// Restarts the timer for the segments in flight.
    fn set_timer(&mut self, now: Time) {
        if !self.schedule_probe(now, true) {
            self.restart_timer(now);
        }
    }

    /// The timeout counts from now, or from the first segment if the timer had another purpose.
    fn restart_timer(&mut self, now: Time) {
        let Some(sent_at) = self.board.first_sent_at() else { return self.timer.clear() };
        let other = matches!(self.timer.purpose(), Some(Purpose::TailProbe | Purpose::Reordering));
        let due = if other { self.trip.due(sent_at).max(now) } else { self.trip.due(now) };
        self.timer.set(Purpose::Retransmission, due);
    }

    /// Sets the timer for a tail loss probe: two round trips, not later than the timeout. `restarted`: the timeout counts from
    /// now.
    fn schedule_probe(&mut self, now: Time, restarted: bool) -> bool {
        let calm = matches!(self.recovery.phase(), Phase::Open | Phase::Reduction);
        let Some(sent_at) = self.board.first_sent_at().filter(|_| calm && self.settings.tail_loss_probe)
        else {
            return false;
        };
        let patience = match self.trip.smoothed() {
            None => self.settings.initial_rto,
            Some(trip) if self.board.packets_out() == 1 => trip + trip + self.settings.minimum_rto,
            Some(trip) => trip + trip + self.settings.timer_margin,
        };
        let timeout = self.trip.due(if restarted { now } else { sent_at });
        let at = now + patience;
        self.timer.set(Purpose::TailProbe, if timeout > now { at.min(timeout) } else { at });
        true
    }

    /// The timer may have expired.
    pub(super) fn expire(&mut self, now: Time) {
        match self.timer.expire(now) {
            None => {}
            Some(Purpose::Retransmission) => self.time_out(now),
            Some(Purpose::TailProbe) => self.tail_unanswered(now),
            Some(Purpose::Reordering) => self.reordering_passed(now),
            Some(Purpose::WindowProbe) => self.probe_window(now),
        }
    }

    fn tail_unanswered(&mut self, now: Time) {
        if self.board.packets_out() > 0 {
            self.probe.want();
        }
        self.timer.set(Purpose::TailProbe, now);
        self.restart_timer(now);
    }

    fn reordering_passed(&mut self, now: Time) {
        let before = self.recovery.phase();
        let (progress, trips) = (self.progress(now, 0), self.round_trips());
        self.recovery.reordering_passed(progress, trips, &mut self.board, &mut self.congestion);
        self.note_phase(before);
        self.timer.set(Purpose::Reordering, now);
        self.restart_timer(now);
    }

    fn probe_window(&mut self, now: Time) {
        if self.exhausted() {
            return;
        }
        self.ask_window = true;
        self.trip.back_off();
        self.timer.set(Purpose::WindowProbe, now + self.trip.timeout());
    }

    fn time_out(&mut self, now: Time) {
        if self.board.packets_out() == 0 || self.exhausted() {
            return;
        }
        let before = self.recovery.phase();
        let progress = self.progress(now, 0);
        self.recovery.timed_out(progress, self.retries == 1, &mut self.board, &mut self.congestion);
        self.note_phase(before);
        self.probe = TailProbe::default();
        self.trip.back_off();
        self.timer.set(Purpose::Retransmission, now + self.trip.timeout());
    }

    /// Counts a retry; true if there were too many.
    fn exhausted(&mut self) -> bool {
        self.retries += 1;
        self.failed |= self.retries > self.settings.retries;
        self.failed
    }
}

/// The blocks of a header, as ranges of the stream: what arrived twice, and what arrived out of order.
fn blocks(header: &TcpHeader) -> (Option<Span>, [Span; SACK_BLOCKS]) {
    let mut blocks = header.sack.map(|(offset, length)| {
        let start = header.acknowledgement.wrapping_add_signed(i64::from(offset as i32));
        Span { start, end: start + u64::from(length) }
    });
    let [first, second, _] = blocks;
    let within = second.start <= first.start && first.end <= second.end;
    let twice = first.start < first.end && (first.start < header.acknowledgement || within);
    if twice {
        blocks[0] = Span::default();
    }
    (twice.then_some(first), blocks)
}
