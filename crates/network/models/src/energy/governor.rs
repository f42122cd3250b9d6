//! Governors: who chooses the performance states of hosts, and when.
//!
//! A dynamic governor looks at all hosts once per period. `ondemand` and `conservative` are Linux's (`drivers/cpufreq`): the load of a host
//! is that of its busiest core in the period.
//!
//! `slack` slows a host down as far as the critical path allows it, as Rountree et al. do in *Adagio: making DVS practical for complex HPC
//! applications* (ICS 2009), from what hosts do in common rather than task by task: where ranks wait for each other, the host whose busiest
//! core has the most work sets the pace. A host with a part of that work is in time at that part of the speed. Of the states in which it is in
//! time, it gets that which costs least: not always the slowest, since a host that is done early idles.

use mpirage_platform::{HostPower, PowerState};
use mpirage_units::Duration;

/// The load above which a host gets faster, and that below which `conservative` slows it down. Linux's defaults.
const UP: f64 = 0.8;
const DOWN: f64 = 0.2;
/// A host gets so much more speed than its work asks for, since no two iterations are the same.
const MARGIN: f64 = 1.05;
/// The part of the remembered work that is left after a period.
const MEMORY: f64 = 0.9;

/// Who chooses performance states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Governor {
    /// The fastest state, always.
    Performance,
    /// The slowest state, always.
    Powersave,
    /// One state faster at much load, one slower at little.
    Conservative(Duration),
    /// The fastest state at much load, otherwise as fast as the load asks for.
    Ondemand(Duration),
    /// The cheapest state that the critical path allows.
    Slack(Duration),
}

/// What a governor knows of a host.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Observed {
    /// The part of the last period in which its busiest core worked.
    pub load: f64,
    /// The work of its busiest core, in seconds at the speed of the platform.
    pub work: f64,
    /// The same, remembered over periods.
    pub remembered: f64,
}

impl Observed {
    /// A period in which some host worked is over.
    pub fn remember(&mut self) {
        self.remembered = self.remembered * MEMORY + self.work;
    }
}

impl Governor {
    /// Time between two looks; none if states never change.
    pub fn period(self) -> Option<Duration> {
        match self {
            Governor::Performance | Governor::Powersave => None,
            Governor::Conservative(period) | Governor::Ondemand(period) | Governor::Slack(period) => {
                Some(period)
            }
        }
    }

    /// The state at the beginning.
    pub(super) fn first(self, power: &HostPower) -> usize {
        let by_speed = by_speed(power);
        match self {
            Governor::Powersave => by_speed[0],
            _ => by_speed[by_speed.len() - 1],
        }
    }

    /// The state after a look at a host. `most` is the most work that any host remembers.
    pub(super) fn next(self, power: &HostPower, state: usize, seen: &Observed, most: f64) -> usize {
        let order = by_speed(power);
        let speed = |at: usize| power.states[at].speed;
        let (slowest, fastest) = (order[0], order[order.len() - 1]);
        let at_least = |wanted: f64| order.iter().copied().find(|&at| speed(at) >= wanted).unwrap_or(fastest);
        let place = order.iter().position(|&at| at == state).unwrap_or(0);
        match self {
            Governor::Performance | Governor::Powersave => state,
            Governor::Conservative(_) if seen.load > UP => order[(place + 1).min(order.len() - 1)],
            Governor::Conservative(_) if seen.load < DOWN => order[place.saturating_sub(1)],
            Governor::Conservative(_) => state,
            Governor::Ondemand(_) if seen.load > UP => fastest,
            Governor::Ondemand(_) => at_least(speed(slowest) + seen.load * (speed(fastest) - speed(slowest))),
            Governor::Slack(_) if most > 0.0 => {
                let work = speed(fastest) * seen.remembered / most;
                let in_time = order.iter().copied().filter(|&at| speed(at) >= MARGIN * work);
                let joules = |at: usize| joules_in_time(&power.states[at], work);
                in_time.min_by(|&a, &b| joules(a).total_cmp(&joules(b))).unwrap_or(fastest)
            }
            Governor::Slack(_) => state,
        }
    }
}

/// Joules per second of a host that is busy until its work is done, and idle for the rest.
fn joules_in_time(state: &PowerState, work: f64) -> f64 {
    let busy = work / state.speed;
    busy * state.full + (1.0 - busy) * state.idle
}

/// States in which a host does something, the slowest first.
fn by_speed(power: &HostPower) -> Vec<usize> {
    let mut order: Vec<usize> = (0..power.states.len()).filter(|&at| power.states[at].speed > 0.0).collect();
    order.sort_by(|&a, &b| power.states[a].speed.total_cmp(&power.states[b].speed));
    order
}
