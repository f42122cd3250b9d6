//! The receive buffer: how much of it is free, and how it grows.
//!
//! The window that is advertised starts below 64 KiB, grows by two segments per segment that arrives, up to the buffer; the
//! buffer grows when the application reads more than before within a round trip (dynamic right-sizing, Fisk and Feng, 2001).

use std::sync::Arc;

use mpirage_units::{Duration, Time};

use super::settings::TcpSettings;

/// The receive buffer.
#[derive(Clone, Debug)]
pub(super) struct ReceiveWindow {
    /// Payload that the buffer has room for.
    space: u64,
    /// The window is not larger than this yet.
    threshold: u64,
    /// The first byte after the window that was advertised last.
    advertised: u64,
    /// Arrived in order, read by the application.
    arrived: u64,
    read: u64,
    read_at: Time,
    zeros: u64,
    right_sizing: RightSizing,
    settings: Arc<TcpSettings>,
}

/// How much the application reads per round trip.
#[derive(Clone, Debug)]
struct RightSizing {
    since: Time,
    from: u64,
    most: u64,
    round_trip: Option<Duration>,
    last_echo: Time,
}

/// Smaller segments waste so much of the buffer that the window does not grow for them.
const GROWING: u32 = 128;
/// Half the segments of a round trip come in a burst; Linux adds room for so many.
const BURST: u64 = 16;

impl ReceiveWindow {
    /// An empty buffer; `next` is the first byte that will arrive.
    pub(super) fn new(settings: &Arc<TcpSettings>, next: u64) -> Self {
        let first = settings.first_receive_window();
        let initial = u64::from(settings.initial_window * settings.segment_size());
        ReceiveWindow {
            space: settings.payload_space(settings.receive_buffer),
            threshold: first,
            advertised: next + first,
            arrived: next,
            read: next,
            read_at: Time::ZERO,
            zeros: 0,
            right_sizing: RightSizing {
                since: Time::ZERO,
                from: next,
                most: first.min(initial),
                round_trip: None,
                last_echo: Time::ZERO,
            },
            settings: settings.clone(),
        }
    }

    /// Bytes that the application has read.
    pub(super) fn read(&self) -> u64 {
        self.read
    }

    /// Has the application read all that is there?
    pub(super) fn is_empty(&self) -> bool {
        self.read == self.arrived
    }

    /// The number of times that a window of zero was advertised.
    pub(super) fn zeros(&self) -> u64 {
        self.zeros
    }

    /// Does the window have room for a segment that starts at `start`?
    pub(super) fn admits(&self, start: u64) -> bool {
        start < self.advertised
    }

    /// The unused part of the advertised window.
    pub(super) fn left(&self) -> u64 {
        self.advertised.saturating_sub(self.arrived)
    }

    /// The round trip as a receiver sees it.
    pub(super) fn round_trip(&self) -> Option<Duration> {
        self.right_sizing.round_trip
    }

    /// A segment of `size` bytes has arrived; `next` is the first missing byte now, `echo` the timestamp that it answers.
    /// True if the window grows: Linux tells the sender of that at once.
    pub(super) fn received(&mut self, now: Time, size: u32, next: u64, echo: Time) -> bool {
        self.measure(now, echo);
        self.catch_up(now);
        self.arrived = next;
        if self.settings.reading_rate == f64::INFINITY {
            self.read = next;
            self.adjust(now);
        }
        let room = self.free(0).saturating_sub(self.threshold);
        let grows = room > 0 && size >= GROWING;
        if grows {
            self.threshold += room.min(2 * u64::from(size));
        }
        grows
    }

    fn measure(&mut self, now: Time, echo: Time) {
        if echo == Time::ZERO || echo == self.right_sizing.last_echo {
            return;
        }
        self.right_sizing.last_echo = echo;
        let sample = now.since(echo);
        self.right_sizing.round_trip = Some(self.right_sizing.round_trip.map_or(sample, |trip| {
            let smooth =
                Duration::from_picos(trip.as_picos() - (trip.as_picos() >> 3) + (sample.as_picos() >> 3));
            smooth.min(sample)
        }));
    }

    /// The application reads with its rate.
    pub(super) fn catch_up(&mut self, now: Time) {
        let rate = self.settings.reading_rate;
        if self.is_empty() || rate == f64::INFINITY {
            self.read_at = now;
            return;
        }
        let bytes = (now.since(self.read_at).as_secs_f64() * rate) as u64;
        let taken = bytes.min(self.arrived - self.read);
        if taken > 0 {
            self.read += taken;
            self.read_at = now.min(self.read_at + Duration::from_secs_f64(taken as f64 / rate));
            self.adjust(now);
        }
    }

    /// When the application has read the next segment's worth; the latest instant if there is nothing to read.
    pub(super) fn deadline(&self) -> Time {
        if self.is_empty() || self.settings.reading_rate <= 0.0 {
            return Time::MAX;
        }
        let bytes = (self.arrived - self.read).min(u64::from(self.settings.segment_size()));
        let picosecond = Duration::from_picos(1);
        self.read_at + Duration::from_secs_f64(bytes as f64 / self.settings.reading_rate) + picosecond
    }

    /// Makes the buffer larger if the application has read more in this round trip than in any before.
    fn adjust(&mut self, now: Time) {
        let Some(trip) = self.right_sizing.round_trip else { return };
        if now.since(self.right_sizing.since) < trip {
            return;
        }
        let copied = self.read - self.right_sizing.from;
        if copied > self.right_sizing.most {
            if self.settings.receive_autotuning {
                self.grow(copied);
            }
            self.right_sizing.most = copied;
        }
        self.right_sizing.since = now;
        self.right_sizing.from = self.read;
    }

    fn grow(&mut self, copied: u64) {
        let most = self.right_sizing.most.max(1);
        let wanted = 2 * copied + BURST * u64::from(self.settings.segment_size());
        let increase = (u128::from(wanted) * u128::from(copied - most) / u128::from(most)) as u64;
        let largest = self.settings.payload_space(self.settings.receive_buffer_maximum);
        self.space = self.space.max((wanted + 2 * increase).min(largest));
    }

    /// Room for bytes that have not arrived in order, `beyond` of which are there.
    fn free(&self, beyond: u64) -> u64 {
        self.space.saturating_sub(self.arrived - self.read + beyond)
    }

    /// The window that a segment would advertise now.
    fn selected(&self, beyond: u64, segment: u32) -> u64 {
        let unit = 1 << self.settings.window_scale();
        let mut free = self.free(beyond);
        if free < self.space / 2 {
            free -= free % unit;
            if free < self.space / 16 || free < u64::from(segment).min(self.space) {
                return 0;
            }
        }
        free.min(self.threshold).next_multiple_of(unit).min(self.settings.largest_receive_window())
    }

    /// The window that a segment advertises. What was advertised is never taken back.
    pub(super) fn advertise(&mut self, beyond: u64, segment: u32) -> u64 {
        let unit = 1 << self.settings.window_scale();
        let window = self.selected(beyond, segment).max(self.left().next_multiple_of(unit));
        self.zeros += u64::from(window == 0 && self.left() == 0);
        self.advertised = self.arrived + window;
        window
    }

    /// Is the window so much larger than what is advertised that the sender should hear of it?
    pub(super) fn wants_update(&self, beyond: u64, segment: u32) -> bool {
        let left = self.left();
        2 * left <= self.space && {
            let selected = self.selected(beyond, segment);
            selected > 0 && selected >= 2 * left
        }
    }
}
