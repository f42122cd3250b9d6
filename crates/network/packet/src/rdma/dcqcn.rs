//! The rate of a sender by DCQCN (Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015).
//!
//! A notification of congestion cuts the rate by α/2, where α estimates how congested the path is, and remembers the rate
//! before as the target. A timer and a counter of bytes then raise the rate step by step: half the way to the target for the
//! first steps of either (fast recovery), then also the target by a constant (additive increase), and by ever more when
//! both have made many steps (hyper increase).
//!
//! The timers of α and of the rate need no events: what they have done is computed when the rate is asked for.

use mpirage_units::{Duration, Time};

/// The parameters of DCQCN. Rates are in bytes per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DcqcnParameters {
    /// The rate of the sender's link, at which a flow starts and which it never exceeds.
    pub line_rate: f64,
    /// A flow's rate does not fall below this.
    pub least_rate: f64,
    /// A receiver sends at most one notification per flow in this time (N).
    pub notification_interval: Duration,
    /// The weight of a notification in α (g).
    pub gain: f64,
    /// α decays after each such time without a notification (K).
    pub alpha_timer: Duration,
    /// The rate rises after each such time (T) ...
    pub rate_timer: Duration,
    /// ... and after so many bytes (B).
    pub byte_counter: u64,
    /// The steps of fast recovery (F).
    pub fast_steps: u32,
    /// The step of additive increase (R_AI).
    pub additive_step: f64,
    /// The step of hyper increase (R_HAI).
    pub hyper_step: f64,
}

impl DcqcnParameters {
    /// The paper's values for a link of that rate. It gives no R_HAI: as in QCN, which it builds on, it is ten times R_AI.
    pub fn for_line(line_rate: f64) -> DcqcnParameters {
        DcqcnParameters {
            line_rate,
            least_rate: 10e6 / 8.0,
            notification_interval: Duration::from_nanos(50_000),
            gain: 1.0 / 256.0,
            alpha_timer: Duration::from_nanos(55_000),
            rate_timer: Duration::from_nanos(55_000),
            byte_counter: 10_000_000,
            fast_steps: 5,
            additive_step: 40e6 / 8.0,
            hyper_step: 400e6 / 8.0,
        }
    }
}

/// A rate this close to the line's is the line's.
const RECOVERED: f64 = 0.999;

/// The rate of one flow.
#[derive(Debug)]
pub(super) struct Dcqcn {
    parameters: DcqcnParameters,
    rate: f64,
    target: f64,
    alpha: f64,
    /// When α last changed.
    alpha_since: Time,
    /// When the timer makes its next step; none while the flow has the line's rate.
    timer: Option<Time>,
    timer_steps: u32,
    byte_steps: u32,
    bytes: u64,
}

impl Dcqcn {
    pub(super) fn new(parameters: &DcqcnParameters) -> Dcqcn {
        Dcqcn {
            parameters: *parameters,
            rate: parameters.line_rate,
            target: parameters.line_rate,
            alpha: 1.0,
            alpha_since: Time::ZERO,
            timer: None,
            timer_steps: 0,
            byte_steps: 0,
            bytes: 0,
        }
    }

    /// The rate now; none if only the line limits it.
    pub(super) fn rate(&mut self, now: Time) -> Option<f64> {
        while let Some(at) = self.timer.filter(|at| *at <= now) {
            self.timer = Some(at + self.parameters.rate_timer.max(Duration::from_picos(1)));
            self.timer_steps += 1;
            self.increase();
        }
        self.timer.map(|_| self.rate)
    }

    /// The flow has sent so many bytes.
    pub(super) fn on_sent(&mut self, bytes: u32) {
        if self.timer.is_none() {
            return;
        }
        self.bytes += u64::from(bytes);
        if self.bytes >= self.parameters.byte_counter {
            self.bytes = 0;
            self.byte_steps += 1;
            self.increase();
        }
    }

    /// A notification has come.
    pub(super) fn on_notification(&mut self, now: Time) {
        self.rate(now);
        let parameters = &self.parameters;
        let quiet = now.since(self.alpha_since).as_picos() / parameters.alpha_timer.as_picos().max(1);
        if self.alpha_since > Time::ZERO {
            self.alpha *= (1.0 - parameters.gain).powi(quiet.min(1 << 20) as i32);
        }
        self.target = self.rate;
        self.rate = (self.rate * (1.0 - self.alpha / 2.0)).max(parameters.least_rate);
        self.alpha = (1.0 - parameters.gain) * self.alpha + parameters.gain;
        self.alpha_since = now;
        self.timer = Some(now + parameters.rate_timer);
        (self.timer_steps, self.byte_steps, self.bytes) = (0, 0, 0);
    }

    fn increase(&mut self) {
        let parameters = &self.parameters;
        let (fewer, more) = (self.timer_steps.min(self.byte_steps), self.timer_steps.max(self.byte_steps));
        if fewer > parameters.fast_steps {
            self.target += f64::from(fewer - parameters.fast_steps) * parameters.hyper_step;
        } else if more > parameters.fast_steps {
            self.target += parameters.additive_step;
        }
        self.target = self.target.min(parameters.line_rate);
        self.rate = (self.rate + self.target) / 2.0;
        if self.rate >= RECOVERED * parameters.line_rate {
            (self.rate, self.target, self.timer) = (parameters.line_rate, parameters.line_rate, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: f64 = 5e9;

    fn at(micros: u64) -> Time {
        Time::from_picos(micros * 1_000_000)
    }

    #[test]
    fn the_first_notification_halves_the_rate_and_fast_recovery_restores_it() {
        let mut dcqcn = Dcqcn::new(&DcqcnParameters::for_line(LINE));
        assert_eq!(dcqcn.rate(at(1)), None);
        dcqcn.on_notification(at(10));
        assert_eq!(dcqcn.rate(at(10)), Some(LINE / 2.0));
        assert_eq!(dcqcn.rate(at(64)), Some(LINE / 2.0));
        let steps: Vec<_> = (1..=3).map(|step| dcqcn.rate(at(10 + 55 * step)).unwrap() / LINE).collect();
        assert_eq!(steps, [0.75, 0.875, 0.9375]);
        assert_eq!(dcqcn.rate(at(10 + 55 * 20)), None, "recovered");
    }

    #[test]
    fn repeated_notifications_lower_the_target_and_additive_increase_raises_it() {
        let parameters = DcqcnParameters::for_line(LINE);
        let mut dcqcn = Dcqcn::new(&parameters);
        for number in 0..4 {
            dcqcn.on_notification(at(1 + 50 * number));
        }
        // α was 1 and g adds nothing to it.
        let (now, base) = (151, LINE / 16.0);
        assert_eq!(dcqcn.rate(at(now)), Some(base));
        let target = LINE / 8.0;
        let mut rate = base;
        for _ in 0..5 {
            rate = (rate + target) / 2.0;
        }
        assert_eq!(dcqcn.rate(at(now + 5 * 55)), Some(rate));
        rate = (rate + target + parameters.additive_step) / 2.0;
        assert_eq!(dcqcn.rate(at(now + 6 * 55)), Some(rate));
    }

    #[test]
    fn bytes_and_timer_together_begin_hyper_increase() {
        let parameters = DcqcnParameters { byte_counter: 1000, ..DcqcnParameters::for_line(LINE) };
        let mut dcqcn = Dcqcn::new(&parameters);
        (0..4).for_each(|number| dcqcn.on_notification(at(1 + number)));
        dcqcn.rate(at(4 + 6 * 55));
        let target = dcqcn.target;
        (0..6).for_each(|_| dcqcn.on_sent(1000));
        // Steps 1 to 5 of the bytes are additive, since the timer has made six; step 6 is hyper.
        assert!((dcqcn.target - target - 5.0 * parameters.additive_step - parameters.hyper_step).abs() < 1.0);
    }

    #[test]
    fn alpha_decays_while_no_notification_comes() {
        let mut dcqcn = Dcqcn::new(&DcqcnParameters::for_line(LINE));
        dcqcn.on_notification(at(1));
        dcqcn.on_notification(at(1 + 55 * 256));
        let decayed = (1.0f64 - 1.0 / 256.0).powi(256);
        assert!((dcqcn.rate(at(1 + 55 * 256)).unwrap() / LINE - (1.0 - decayed / 2.0)).abs() < 1e-9);
    }
}
