//! The congestion window, and who may change it.
//!
//! The window counts segments. It grows by slow start below the threshold and by the chosen algorithm above, and only while
//! the connection uses it. What happens after losses is in `recovery`; this module knows how far the window shrinks.

mod cubic;
mod reno;

use mpirage_units::{Duration, Time};

use self::cubic::Cubic;
use super::settings::{CongestionAlgorithm, TcpSettings};

/// The least slow start threshold, in segments.
const LEAST_THRESHOLD: u32 = 2;

/// The progress that an acknowledgement reports to the congestion window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    pub(super) now: Time,
    /// The first byte that is not acknowledged.
    pub(super) acknowledged: u64,
    /// The next byte to be sent.
    pub(super) next: u64,
    /// Segments that have newly arrived.
    pub(super) segments: u32,
}

/// The congestion window of one direction.
#[derive(Clone, Debug)]
pub(super) struct Congestion {
    window: Window,
    algorithm: Algorithm,
    usage: Usage,
}

/// The window itself.
#[derive(Clone, Debug)]
struct Window {
    segments: u32,
    threshold: u32,
    /// Acknowledged segments that have not made the window larger yet.
    credit: u32,
    largest: u32,
}

/// How much of the window the connection uses.
#[derive(Clone, Debug)]
struct Usage {
    /// Was the window full at the last check?
    limited: bool,
    /// The most segments in flight since the last check.
    most: u32,
    /// The next check is when this byte is acknowledged.
    check_at: u64,
    /// The most segments in flight since the window was last full.
    used: u32,
    /// When the window was last full, or last changed.
    full_at: Time,
    initial: u32,
    shrinks_when_idle: bool,
}

#[derive(Clone, Debug)]
enum Algorithm {
    Reno,
    Cubic(Box<Cubic>),
}

impl Window {
    fn in_slow_start(&self) -> bool {
        self.segments < self.threshold
    }

    /// Grows by the acknowledged segments up to the threshold; gives the segments that are left.
    fn slow_start(&mut self, segments: u32) -> u32 {
        let grown = self.segments.saturating_add(segments).min(self.threshold);
        let left = segments - (grown - self.segments);
        self.segments = grown.min(self.largest);
        left
    }

    /// Grows by one for each `per` acknowledged segments.
    fn grow_slowly(&mut self, per: u32, segments: u32) {
        if self.credit >= per {
            self.credit = 0;
            self.segments += 1;
        }
        self.credit += segments;
        if self.credit >= per {
            self.segments += self.credit / per;
            self.credit %= per;
        }
        self.segments = self.segments.min(self.largest);
    }

    /// The threshold that would keep a part of the window when it shrinks without a loss.
    fn kept_threshold(&self) -> u32 {
        self.threshold.max((self.segments >> 1) + (self.segments >> 2))
    }
}

impl Congestion {
    pub(super) fn new(settings: &TcpSettings) -> Self {
        let largest = settings.largest_window.max(1);
        Congestion {
            window: Window {
                segments: settings.initial_window.clamp(1, largest),
                threshold: settings.initial_ssthresh,
                credit: 0,
                largest,
            },
            algorithm: match settings.algorithm {
                CongestionAlgorithm::Reno => Algorithm::Reno,
                CongestionAlgorithm::Cubic => Algorithm::Cubic(Box::new(Cubic::new(settings))),
            },
            usage: Usage {
                limited: false,
                most: 0,
                check_at: 0,
                used: 0,
                full_at: Time::ZERO,
                initial: settings.initial_window.max(1),
                shrinks_when_idle: settings.slow_start_after_idle,
            },
        }
    }

    /// Loads what it points to into the cache.
    pub(super) fn prefetch(&self) {
        if let Algorithm::Cubic(cubic) = &self.algorithm {
            mpirage_prefetch::fetch(&**cubic);
        }
    }

    /// The window, in segments.
    pub(super) fn window(&self) -> u32 {
        self.window.segments
    }

    /// The slow start threshold, in segments.
    pub(super) fn threshold(&self) -> u32 {
        self.window.threshold
    }

    /// The threshold that keeps most of the window.
    pub(super) fn kept_threshold(&self) -> u32 {
        self.window.kept_threshold()
    }

    /// Recovery decides how many segments may be in flight.
    pub(super) fn set_window(&mut self, segments: u32) {
        self.window.segments = segments.clamp(1, self.window.largest);
    }

    /// Recovery takes a reduction back.
    pub(super) fn restore(&mut self, threshold: u32, now: Time) {
        self.window.threshold = self.window.threshold.max(threshold);
        self.usage.full_at = now;
    }

    /// Segments were acknowledged while nothing was lost.
    pub(super) fn grow(&mut self, progress: Progress) {
        if self.is_used() {
            match &mut self.algorithm {
                Algorithm::Reno => reno::grow(&mut self.window, progress.segments),
                Algorithm::Cubic(cubic) => cubic.grow(&mut self.window, progress),
            }
        }
        self.usage.full_at = progress.now;
    }

    /// A round trip was measured.
    pub(super) fn measured(&mut self, sample: Duration, smoothed: Duration, progress: Progress) {
        if let Algorithm::Cubic(cubic) = &mut self.algorithm {
            cubic.measured(&mut self.window, (sample, smoothed), progress);
        }
    }

    /// Something was lost or marked: lowers the threshold. Gives the window before.
    pub(super) fn reduce_threshold(&mut self) -> u32 {
        let before = self.window.segments;
        let kept = match &mut self.algorithm {
            Algorithm::Reno => reno::after_loss(before),
            Algorithm::Cubic(cubic) => cubic.after_loss(before),
        };
        self.window.threshold = kept.max(LEAST_THRESHOLD);
        self.window.credit = 0;
        before
    }

    /// A retransmission timeout: the past says nothing any more.
    pub(super) fn timed_out(&mut self, progress: Progress) {
        self.window.credit = 0;
        if let Algorithm::Cubic(cubic) = &mut self.algorithm {
            cubic.reset(progress);
        }
    }

    /// The reduction of the window has ended.
    pub(super) fn settle(&mut self, now: Time) {
        self.window.segments = self.window.threshold.clamp(1, self.window.largest);
        self.usage.full_at = now;
    }

    /// The application begins to send after `idle` without anything in flight.
    pub(super) fn resume(&mut self, now: Time, idle: Duration, timeout: Duration) {
        if let Algorithm::Cubic(cubic) = &mut self.algorithm {
            cubic.resume(now, idle);
        }
        if self.usage.shrinks_when_idle && idle > timeout {
            self.restart(now, idle, timeout);
        }
    }

    /// Halves the window for each timeout that the connection was idle, not below the initial one.
    fn restart(&mut self, now: Time, idle: Duration, timeout: Duration) {
        self.window.threshold = self.window.kept_threshold();
        let least = self.usage.initial.min(self.window.segments);
        let mut left = idle - timeout;
        while !left.is_zero() && self.window.segments > least {
            self.window.segments >>= 1;
            left = left - timeout;
        }
        self.window.segments = self.window.segments.max(least);
        self.usage.full_at = now;
        self.usage.used = 0;
    }

    /// Segments were sent, or could not be because the window is full. `timeout` gives the retransmission timeout.
    pub(super) fn sent(
        &mut self,
        progress: Progress,
        packets_out: u32,
        full: bool,
        timeout: impl FnOnce() -> Duration,
    ) {
        let usage = &mut self.usage;
        let new_round = progress.acknowledged >= usage.check_at;
        if new_round || full || (!usage.limited && packets_out > usage.most) {
            usage.limited = full;
            usage.most = packets_out;
            usage.check_at = progress.next;
        }
        if self.is_used() {
            self.usage.used = 0;
            self.usage.full_at = progress.now;
            return;
        }
        self.usage.used = self.usage.used.max(packets_out);
        if self.usage.shrinks_when_idle && progress.now.since(self.usage.full_at) >= timeout() {
            self.shrink_unused(progress.now);
        }
    }

    /// The application did not use the window for a timeout: half of the unused part goes.
    fn shrink_unused(&mut self, now: Time) {
        let used = self.usage.used.max(self.usage.initial);
        if used < self.window.segments {
            self.window.threshold = self.window.kept_threshold();
            self.window.segments = (self.window.segments + used) >> 1;
        }
        self.usage.used = 0;
        self.usage.full_at = now;
    }

    /// May the window grow?
    fn is_used(&self) -> bool {
        self.usage.limited
            || (self.window.in_slow_start() && self.window.segments < self.usage.most.saturating_mul(2))
    }
}
