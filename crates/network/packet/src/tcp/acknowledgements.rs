//! When a receiver acknowledges.
//!
//! Linux acknowledges at once after more than one full segment, in its first 16 answers ("quick" acknowledgements), while the
//! receive window grows, when a gap appears or is filled, and when the application has read the end of a write. Else it waits for data to send, at most
//! 40 ms. A connection whose data are answered within that time ("ping-pong") leaves the quick mode. Further selective
//! acknowledgements of the same gap are gathered for a twentieth of the round trip.

use std::sync::Arc;

use mpirage_units::{Duration, Time};

use super::settings::TcpSettings;

/// Segments that end a write, or are short, since the last acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pushed {
    No,
    Once,
    Again,
}

/// The data of a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Data {
    /// Bytes.
    pub(super) size: u32,
    /// It has the last byte of a write.
    pub(super) push: bool,
}

/// The state of the receiver when it decides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Situation {
    /// Bytes in order that are not acknowledged.
    pub(super) unacknowledged: u64,
    /// The first missing byte.
    pub(super) next: u64,
    /// Are there bytes beyond a gap?
    pub(super) gap: bool,
    /// Has the application read something, and all there is?
    pub(super) read: bool,
    /// The round trip that this end has measured as a sender, and the shortest estimate of either half.
    pub(super) round_trip: Option<Duration>,
    pub(super) shortest: Option<Duration>,
}

/// The state of delayed acknowledgements.
#[derive(Clone, Debug)]
pub(super) struct Acknowledgements {
    scheduled: bool,
    now: bool,
    /// When one is due; the latest instant if none is.
    deadline: Time,
    /// Quick acknowledgements that are left.
    quick: u32,
    /// Answers within the delay.
    answers: u32,
    /// The delay; none before the first data.
    delay: Option<Duration>,
    last_data: Time,
    /// The full segment, as far as seen.
    segment: u32,
    last_size: u32,
    pushed: Pushed,
    /// Selective acknowledgements: for which gap, sent at once, gathered; and when the gathered ones go.
    gap: u64,
    at_once: u32,
    gathered: u32,
    gathered_until: Time,
    settings: Arc<TcpSettings>,
}

/// So many selective acknowledgements of one gap are never gathered: the sender counts them.
const NEVER_GATHERED: u32 = 3;
/// A segment of this size is not taken for a short one.
const NOT_SHORT: u32 = 536;
/// The longest delay without answers is half a second.
const HALF_SECOND: Duration = Duration::from_picos(500_000_000_000);

impl Acknowledgements {
    pub(super) fn new(settings: &Arc<TcpSettings>) -> Self {
        Acknowledgements {
            scheduled: false,
            now: false,
            deadline: Time::MAX,
            quick: 0,
            answers: 0,
            delay: None,
            last_data: Time::ZERO,
            segment: settings.expected_segment(),
            last_size: 0,
            pushed: Pushed::No,
            gap: 0,
            at_once: 0,
            gathered: 0,
            gathered_until: Time::MAX,
            settings: settings.clone(),
        }
    }

    /// The full segment, as far as seen.
    pub(super) fn segment(&self) -> u32 {
        self.segment
    }

    /// Is an acknowledgement due now?
    pub(super) fn is_due(&self) -> bool {
        self.now
    }

    /// When one is due; the latest instant if none is.
    pub(super) fn deadline(&self) -> Time {
        self.deadline.min(self.gathered_until)
    }

    /// A segment with data has arrived in order or beyond a gap; `timeout` is the retransmission timeout and
    /// `window` the window that was advertised.
    pub(super) fn received(&mut self, now: Time, data: Data, timeout: Duration, window: u64) {
        self.scheduled = true;
        self.measure(data);
        let least = self.settings.delayed_ack;
        let pause = now.since(self.last_data);
        self.delay = Some(match self.delay {
            None => {
                self.be_quick(self.settings.quick_acks, window);
                least
            }
            Some(delay) if pause <= half(least) => half(delay) + half(least),
            Some(delay) if pause < delay => (half(delay) + pause).min(timeout),
            Some(delay) => {
                if pause > timeout {
                    self.be_quick(self.settings.quick_acks, window);
                }
                delay
            }
        });
        self.last_data = now;
    }

    /// Learns the size of full segments. A size that comes twice is one, too.
    fn measure(&mut self, Data { size, push }: Data) {
        if size >= self.segment {
            self.segment = size;
            if push && self.pushed == Pushed::No {
                self.pushed = Pushed::Once;
            }
            return;
        }
        if size >= NOT_SHORT {
            let before = std::mem::replace(&mut self.last_size, size);
            if before == size {
                self.segment = size;
                return;
            }
        }
        self.pushed = if self.pushed == Pushed::No { Pushed::Once } else { Pushed::Again };
    }

    /// A duplicate, a segment outside of the window or a mark: answers at once for a while.
    pub(super) fn be_attentive(&mut self, quick: u32, window: u64) {
        self.be_quick(quick, window);
        self.answers = 0;
        self.delay = Some(self.settings.delayed_ack);
        self.scheduled = true;
    }

    fn be_quick(&mut self, most: u32, window: u64) {
        let fitting = (window / (2 * u64::from(self.segment))).min(u64::from(most)) as u32;
        let count = if fitting == 0 { 2.min(most) } else { fitting };
        self.quick = self.quick.max(count);
    }

    /// The window grows: the sender hears of it soon.
    pub(super) fn be_quick_once(&mut self) {
        self.quick = self.quick.max(1);
    }

    /// The next [`Acknowledgements::decide`] is for one at once.
    pub(super) fn demand(&mut self) {
        (self.scheduled, self.now) = (true, true);
    }

    /// Decides after a segment whether to acknowledge now or when.
    pub(super) fn decide(&mut self, now: Time, situation: Situation) {
        if !self.scheduled || self.now {
            return;
        }
        let pushed = situation.read
            && (self.pushed == Pushed::Again || (self.pushed == Pushed::Once && !self.is_interactive()));
        let full = situation.unacknowledged > u64::from(self.segment);
        if full || pushed || (self.quick > 0 && !self.is_interactive()) {
            self.now = true;
        } else if situation.gap {
            self.gather(now, situation);
        } else {
            self.wait(now, situation.round_trip);
        }
    }

    fn is_interactive(&self) -> bool {
        self.answers >= self.settings.pingpong_threshold.max(1)
    }

    /// Waits for data to send.
    fn wait(&mut self, now: Time, round_trip: Option<Duration>) {
        let delay = self.longest_delay(round_trip).min(self.delay.unwrap_or(self.settings.delayed_ack));
        if self.deadline <= now + Duration::from_picos(delay.as_picos() >> 2) {
            self.now = true;
        } else {
            self.deadline = self.deadline.min(now + delay);
        }
    }

    fn longest_delay(&self, round_trip: Option<Duration>) -> Duration {
        let answered = self.is_interactive() || self.pushed != Pushed::No;
        let longest = if answered { self.settings.delayed_ack_maximum } else { HALF_SECOND };
        round_trip.map_or(longest, |trip| trip.max(self.settings.delayed_ack).min(longest))
    }

    /// Gathers selective acknowledgements of one gap.
    fn gather(&mut self, now: Time, situation: Situation) {
        if self.gap != situation.next {
            (self.gap, self.at_once) = (situation.next, 0);
        }
        let longest = self.settings.sack_delay;
        if longest.is_zero() || self.gathered >= self.settings.sack_delay_count {
            self.now = true;
        } else if self.at_once < NEVER_GATHERED {
            self.at_once += 1;
            self.now = true;
        } else {
            self.gathered += 1;
            let twentieth =
                situation.shortest.map_or(longest, |trip| Duration::from_picos(trip.as_picos() / 20));
            self.gathered_until = self.gathered_until.min(now + twentieth.min(longest));
        }
    }

    /// A timer has expired.
    pub(super) fn expire(&mut self, now: Time, timeout: Duration) {
        if self.gathered_until <= now {
            self.gathered_until = Time::MAX;
            self.now = true;
        }
        if self.deadline <= now {
            self.deadline = Time::MAX;
            self.now = true;
            let delay = self.delay.unwrap_or(self.settings.delayed_ack);
            if self.is_interactive() {
                self.answers = 0;
                self.delay = Some(self.settings.delayed_ack);
            } else {
                self.delay = Some((delay + delay).min(timeout));
            }
        }
    }

    /// Data were sent: they may be an answer.
    pub(super) fn data_sent(&mut self, now: Time) {
        if self.delay.is_some_and(|delay| now.since(self.last_data) < delay) {
            self.answers = self.answers.saturating_add(1);
        }
    }

    /// A segment has carried the acknowledgement.
    pub(super) fn sent(&mut self) {
        self.quick = self.quick.saturating_sub(u32::from(self.scheduled));
        (self.scheduled, self.now, self.pushed) = (false, false, Pushed::No);
        (self.deadline, self.gathered_until, self.gathered) = (Time::MAX, Time::MAX, 0);
    }
}

fn half(duration: Duration) -> Duration {
    Duration::from_picos(duration.as_picos() >> 1)
}
