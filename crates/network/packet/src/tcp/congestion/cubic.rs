//! CUBIC (Ha, Rhee and Xu, CUBIC: A New TCP-Friendly High-Speed TCP Variant, 2008; RFC 9438) as Linux does it.
//!
//! After a loss at the window `W_max` the window is `W(t) = C (t - K)³ + W_max`, `K = ³√((W_max - W) / C)`: it returns to
//! `W_max` quickly, stays near it, then probes further. Where a window of Reno would be larger, that one counts (the
//! TCP-friendly region). The window is in whole segments and the function is evaluated at most once per clock tick, as in
//! Linux.
//!
//! HyStart (Ha and Rhee, Taming the Elephants: New TCP Slow Start, 2011) ends slow start when the acknowledgements of one
//! round span more than half of the least round trip, or when the round trip has grown by an eighth.

use mpirage_units::{Duration, Time};

use super::{Progress, Window};
use crate::tcp::settings::{CubicSettings, TcpSettings};

/// The window is not looked at again this soon if it has not changed.
const PAUSE: Duration = Duration::from_picos(1_000_000_000_000 / 32);
/// Round trips this soon after a loss are not used: the queue is not the usual one.
const DISTURBED: Duration = Duration::from_picos(1_000_000_000_000);
/// Denominator of `beta`.
const UNIT: u64 = 1024;
/// The window grows by at least a twentieth per round trip until the first loss.
const BEFORE_FIRST_LOSS: u32 = 20;

#[derive(Clone, Debug)]
pub(super) struct Cubic {
    settings: CubicSettings,
    tick: u64,
    /// One segment is added per so many acknowledged ones.
    per: u32,
    /// The window before the last loss.
    last_maximum: u32,
    /// The window at the last evaluation, and when that was.
    last: (u32, Time),
    epoch: Option<Epoch>,
    least_round_trip: Option<Duration>,
    hystart: HyStart,
}

/// The time since the last loss.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    start: Time,
    /// The window to which the function returns.
    origin: u32,
    /// Seconds until then.
    k: f64,
    /// The window that Reno would have, and the acknowledged segments that have not made it larger yet.
    reno: (u32, u32),
}

/// Where slow start is.
#[derive(Clone, Debug, Default)]
struct HyStart {
    found: bool,
    round_start: Time,
    round_end: u64,
    last_ack: Time,
    /// The least round trip of this round.
    current: Option<Duration>,
    samples: u32,
}

impl Cubic {
    pub(super) fn new(settings: &TcpSettings) -> Self {
        Cubic::fresh(settings.cubic, settings.tick.as_picos().max(1))
    }

    fn fresh(settings: CubicSettings, tick: u64) -> Self {
        Cubic {
            settings,
            tick,
            per: 1,
            last_maximum: 0,
            last: (0, Time::ZERO),
            epoch: None,
            least_round_trip: None,
            hystart: HyStart::default(),
        }
    }

    /// Segments were acknowledged.
    pub(super) fn grow(&mut self, window: &mut Window, progress: Progress) {
        let mut left = progress.segments;
        if window.in_slow_start() {
            left = window.slow_start(left);
            if left == 0 {
                return;
            }
        }
        self.evaluate(window.segments, left, progress.now);
        window.grow_slowly(self.per, left);
    }

    /// The threshold after a loss.
    pub(super) fn after_loss(&mut self, window: u32) -> u32 {
        self.epoch = None;
        let lowered = self.settings.fast_convergence && window < self.last_maximum;
        let beta = u64::from(self.settings.beta);
        self.last_maximum =
            if lowered { (u64::from(window) * (UNIT + beta) / (2 * UNIT)) as u32 } else { window };
        (u64::from(window) * beta / UNIT) as u32
    }

    /// A retransmission timeout.
    pub(super) fn reset(&mut self, progress: Progress) {
        *self = Cubic::fresh(self.settings, self.tick);
        self.hystart.begin_round(progress);
    }

    /// The time without anything in flight does not count.
    pub(super) fn resume(&mut self, now: Time, idle: Duration) {
        if let Some(epoch) = &mut self.epoch {
            epoch.start = (epoch.start + idle).min(now);
        }
    }

    /// A round trip was measured; `trips` are it and the smoothed one.
    pub(super) fn measured(&mut self, window: &mut Window, trips: (Duration, Duration), progress: Progress) {
        if self.epoch.is_some_and(|epoch| progress.now.since(epoch.start) < DISTURBED) {
            return;
        }
        let least = self.least_round_trip.map_or(trips.0, |least| least.min(trips.0));
        self.least_round_trip = Some(least);
        if !self.hystart.found && window.in_slow_start() && self.settings.hystart {
            self.watch_slow_start(window, trips, progress);
        }
    }

    fn watch_slow_start(&mut self, window: &mut Window, trips: (Duration, Duration), progress: Progress) {
        if progress.acknowledged > self.hystart.round_end {
            self.hystart.begin_round(progress);
        }
        if window.segments < self.settings.hystart_low_window {
            return;
        }
        let least = self.least_round_trip.unwrap_or(trips.0);
        let found = self.train_is_long(window.segments, least, trips.1, progress.now)
            | self.hystart.delay_has_grown(&self.settings, least, trips.0);
        if found {
            self.hystart.found = true;
            window.threshold = window.segments;
        }
    }

    /// Do acknowledgements that follow each other closely span more than half of the least round trip? Linux adds the time
    /// that four largest bursts take at twice the window per round trip, at most a millisecond.
    fn train_is_long(&mut self, window: u32, least: Duration, smoothed: Duration, now: Time) -> bool {
        if now.since(self.hystart.last_ack) > self.settings.hystart_train_gap {
            return false;
        }
        self.hystart.last_ack = now;
        let burst = burst_time(window, smoothed);
        let threshold = (least + burst).as_picos() >> 1;
        now.since(self.hystart.round_start).as_picos() > threshold
    }

    /// Decides after how many acknowledged segments the window grows by one.
    fn evaluate(&mut self, window: u32, segments: u32, now: Time) {
        if let Some(epoch) = &mut self.epoch {
            epoch.reno.1 += segments;
        }
        if self.last.0 == window && now.since(self.last.1) <= PAUSE {
            return;
        }
        let same_tick = now.as_picos() / self.tick == self.last.1.as_picos() / self.tick;
        if self.epoch.is_none() || !same_tick {
            self.last = (window, now);
            let epoch = self.epoch.unwrap_or_else(|| self.begin_epoch(window, segments, now));
            self.epoch = Some(epoch);
            self.per = self.growth(&epoch, window, now);
        }
        if self.settings.friendly {
            self.keep_up_with_reno(window);
        }
        self.per = self.per.max(2);
    }

    fn begin_epoch(&self, window: u32, segments: u32, now: Time) -> Epoch {
        let missing = self.last_maximum.saturating_sub(window);
        Epoch {
            start: now,
            origin: self.last_maximum.max(window),
            k: (f64::from(missing) / self.settings.scale).cbrt(),
            reno: (window, segments),
        }
    }

    /// Acknowledged segments per added one, by the cubic function one round trip ahead.
    fn growth(&self, epoch: &Epoch, window: u32, now: Time) -> u32 {
        let ahead = self.least_round_trip.unwrap_or(Duration::ZERO);
        let distance = (now.since(epoch.start) + ahead).as_secs_f64() - epoch.k;
        let change = (self.settings.scale * distance.abs().powi(3)) as u32;
        let target = if distance < 0.0 {
            epoch.origin.saturating_sub(change)
        } else {
            epoch.origin.saturating_add(change)
        };
        let per = if target > window { window / (target - window) } else { window.saturating_mul(100) };
        if self.last_maximum == 0 { per.min(BEFORE_FIRST_LOSS) } else { per }
    }

    /// Grows faster where the window of Reno, with the same mean, would be larger.
    fn keep_up_with_reno(&mut self, window: u32) {
        let beta = u64::from(self.settings.beta);
        let scale = 8 * (UNIT + beta) / 3 / (UNIT - beta).max(1);
        let step = ((u64::from(window) * scale) >> 3).max(1) as u32;
        let Some(epoch) = &mut self.epoch else { return };
        while epoch.reno.1 > step {
            epoch.reno.1 -= step;
            epoch.reno.0 += 1;
        }
        if epoch.reno.0 > window {
            self.per = self.per.min(window / (epoch.reno.0 - window));
        }
    }
}

impl HyStart {
    fn begin_round(&mut self, progress: Progress) {
        self.round_start = progress.now;
        self.last_ack = progress.now;
        self.round_end = progress.next;
        self.current = None;
        self.samples = 0;
    }

    /// Is the least round trip of this round longer than the least of all by an eighth?
    fn delay_has_grown(&mut self, settings: &CubicSettings, least: Duration, trip: Duration) -> bool {
        let current = self.current.map_or(trip, |current| current.min(trip));
        self.current = Some(current);
        if self.samples < settings.hystart_samples {
            self.samples += 1;
            return false;
        }
        let (low, high) = settings.hystart_delay;
        let margin = Duration::from_picos(least.as_picos() >> 3).max(low).min(high);
        current > least + margin
    }
}

/// The time of four bursts of 64 KiB at twice the window per round trip, at most a millisecond.
fn burst_time(window: u32, smoothed: Duration) -> Duration {
    const BURSTS: f64 = 4.0 * 65_536.0;
    const SEGMENT: f64 = 1448.0;
    const LONGEST: f64 = 1e-3;
    let rate = 2.0 * f64::from(window.max(1)) * SEGMENT;
    Duration::from_secs_f64((BURSTS * smoothed.as_secs_f64() / rate).min(LONGEST))
}
