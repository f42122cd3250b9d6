//! Cores whose speed a governor changes, and the energy of their hosts.
//!
//! Computations share the cores of a host evenly ([`ScaledHost`]). At each period of a dynamic governor every host may get another
//! performance state; while it changes, its cores stand still. Periods in which nothing computes are looked at when the next computation starts.

use std::collections::BTreeMap;
use std::sync::Arc;

use mpirage_kernel::{Computation, ComputeModel, Event, HostsEnergy, Model, Token};
use mpirage_platform::{HostId, HostPower, Platform};
use mpirage_units::{Duration, Time};
use rustc_hash::FxHashMap;

use super::governor::{Governor, Observed};
use super::hosts::HostMeter;
use crate::scaled_host::ScaledHost;

/// The cores of all hosts.
#[derive(Clone)]
pub struct GovernedCores {
    platform: Arc<Platform>,
    governor: Governor,
    meter: HostMeter,
    hosts: BTreeMap<HostId, GovernedHost>,
    /// The next look of the governor.
    look: Time,
    started: u64,
}

#[derive(Clone)]
struct GovernedHost {
    cores: ScaledHost,
    power: Option<Arc<HostPower>>,
    state: usize,
    /// The end of a change of the state.
    changes_until: Time,
    /// The date up to which work is counted.
    since: Time,
    /// Seconds of this period in which each core worked, and its work.
    worked: FxHashMap<u32, (f64, f64)>,
    seen: Observed,
}

impl GovernedCores {
    /// The cores of these hosts, under a governor.
    pub fn new(platform: Arc<Platform>, placement: &[HostId], governor: Governor) -> GovernedCores {
        let meter = HostMeter::new(Arc::clone(&platform), placement);
        let look = governor.period().map_or(Time::MAX, |period| Time::ZERO + period);
        let mut cores = GovernedCores { platform, governor, meter, hosts: BTreeMap::new(), look, started: 0 };
        placement.iter().for_each(|host| cores.add(*host));
        cores
    }

    fn add(&mut self, id: HostId) {
        if self.hosts.contains_key(&id) {
            return;
        }
        let power = self.platform.power().host(id).cloned();
        let state = power.as_ref().map_or(0, |power| self.governor.first(power));
        let mut host = GovernedHost {
            cores: ScaledHost::new(self.platform.host(id).cores),
            power,
            state,
            changes_until: Time::ZERO,
            since: Time::ZERO,
            worked: FxHashMap::default(),
            seen: Observed::default(),
        };
        host.cores.scale = host.speed();
        self.meter.begin_in_state(id, state);
        self.hosts.insert(id, host);
    }

    fn is_idle(&self) -> bool {
        self.hosts.values().all(|host| host.cores.is_idle())
    }

    /// Comes to `now`, through all looks of the governor before it.
    fn catch_up(&mut self, now: Time) {
        while self.look <= now {
            let look = self.look;
            let has_changed = self.look_at_all(look);
            let Some(period) = self.governor.period() else { return };
            self.look = look + period;
            // Nothing computes, and nothing changes any more.
            if !has_changed && self.is_idle() && self.look <= now {
                let periods = now.since(self.look).as_picos() / period.as_picos();
                self.look = self.look + Duration::from_picos(periods * period.as_picos()) + period;
            }
        }
    }

    /// The governor looks at all hosts. True if it changes a state.
    fn look_at_all(&mut self, now: Time) -> bool {
        let period = self.governor.period().map_or(1.0, Duration::as_secs_f64);
        let mut some_worked = false;
        for host in self.hosts.values_mut() {
            host.count(now);
            let most = host.worked.drain().map(|(_, worked)| worked).fold((0.0, 0.0), most_of);
            (host.seen.load, host.seen.work) = (most.0 / period, most.1);
            some_worked |= most.1 > 0.0;
        }
        if some_worked {
            self.hosts.values_mut().for_each(|host| host.seen.remember());
        }
        let most = self.hosts.values().map(|host| host.seen.remembered).fold(0.0, f64::max);
        let mut has_changed = false;
        for (id, host) in &mut self.hosts {
            let Some(power) = &host.power else { continue };
            let state = self.governor.next(power, host.state, &host.seen, most);
            if state == host.state {
                continue;
            }
            host.cores.reach(now);
            host.state = state;
            host.changes_until = now + power.switching;
            host.cores.scale = if power.switching > Duration::ZERO { 0.0 } else { host.speed() };
            self.meter.set_state(now, *id, state);
            has_changed = true;
        }
        has_changed
    }

    fn tell(&mut self, now: Time, id: HostId) {
        if let Some(host) = self.hosts.get(&id) {
            let (computing, busy) = host.cores.in_use();
            self.meter.set_busy(now, id, computing, busy);
        }
    }

    /// Hosts whose change of state is over compute again.
    fn end_changes(&mut self, now: Time) {
        for host in self.hosts.values_mut().filter(|host| host.is_changing() && host.changes_until <= now) {
            let until = host.changes_until;
            host.count(until);
            host.cores.reach(until);
            host.cores.scale = host.speed();
        }
    }
}

fn most_of(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (f64::max(a.0, b.0), f64::max(a.1, b.1))
}

impl GovernedHost {
    fn speed(&self) -> f64 {
        self.power.as_ref().map_or(1.0, |power| power.states[self.state].speed)
    }

    fn is_changing(&self) -> bool {
        self.cores.scale == 0.0
    }

    /// Counts the work of its cores up to `now`.
    fn count(&mut self, now: Time) {
        let seconds = now.since(self.since).as_secs_f64();
        self.since = now;
        for core in self.cores.cores_in_use() {
            let worked = self.worked.entry(core).or_default();
            *worked = (worked.0 + seconds, worked.1 + seconds * self.cores.scale);
        }
    }
}

impl ComputeModel for GovernedCores {
    fn start(&mut self, now: Time, computation: Computation, token: Token) {
        self.end_changes(now);
        self.catch_up(now);
        self.end_changes(now);
        self.add(computation.host);
        self.started += 1;
        if let Some(host) = self.hosts.get_mut(&computation.host) {
            host.count(now);
            host.cores.start(now, &computation, token, self.started);
        }
        self.tell(now, computation.host);
    }

    fn energy(&self, until: Time) -> Option<HostsEnergy> {
        let mut at_end = self.clone();
        at_end.catch_up(until);
        Some(at_end.meter.energy(until))
    }
}

impl Model for GovernedCores {
    fn next(&mut self, now: Time) -> Option<Time> {
        if self.is_idle() {
            return None;
        }
        let end = |host: &GovernedHost| match host.is_changing() {
            true if host.cores.is_idle() => None,
            true => Some(host.changes_until),
            false => host.cores.next(),
        };
        let ends = self.hosts.values().filter_map(end).map(|date| date.max(now)).min();
        let look = (self.look < Time::MAX).then_some(self.look.max(now));
        [ends, look].into_iter().flatten().min()
    }

    fn collect(&mut self, now: Time, events: &mut Vec<Event>) {
        self.end_changes(now);
        let (mut ended, mut changed) = (Vec::new(), Vec::new());
        for (id, host) in &mut self.hosts {
            if !host.is_changing() && host.cores.next().is_some_and(|date| date <= now) {
                host.count(now);
                ended.extend(host.cores.take_ended(now));
                changed.push(*id);
            }
        }
        changed.into_iter().for_each(|host| self.tell(now, host));
        self.catch_up(now);
        ended.sort_unstable_by_key(|(number, _)| *number);
        events.extend(ended.into_iter().map(|(_, token)| Event::ended(token)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hosts of two cores with three states: 1, 0.5 and 0.25 of the speed; 100, 60, 40 W with all cores busy, 40, 30, 25 W idle.
    fn cores(more: &str, hosts: u32, governor: Governor) -> GovernedCores {
        let state = |speed, idle, full| {
            format!("{{ speed = \"{speed}Mf\", idle = \"{idle}W\", all-cores = \"{full}W\" }}")
        };
        let text = format!(
            "[cluster]\nhosts = {hosts}\ncores = 2\nspeed = \"1000Mf\"\nbandwidth = \"1GBps\"\nlatency = \"1us\"\n[power]\n\
             states = [{}, {}, {}]\n{more}",
            state(1000, 40, 100),
            state(500, 30, 60),
            state(250, 25, 40)
        );
        let platform = Arc::new(Platform::from_text("test.toml", &text).unwrap());
        let placement: Vec<HostId> = (0..hosts).map(HostId).collect();
        GovernedCores::new(platform, &placement, governor)
    }

    const SECOND: Duration = Duration::from_picos(1_000_000_000_000);

    /// Runs rounds in which each host computes so many seconds, and waits for the slowest; the end, and the states then.
    fn rounds(cores: &mut GovernedCores, count: u32, seconds: &[f64]) -> (f64, Vec<usize>) {
        let (mut now, mut events) = (Time::ZERO, Vec::new());
        for _ in 0..count {
            for (host, &seconds) in seconds.iter().enumerate() {
                let computation = Computation { host: HostId(host as u32), core: 0, seconds, threads: 1.0 };
                cores.start(now, computation, Token(host as u64));
            }
            while let Some(next) = cores.next(now) {
                now = next;
                cores.collect(now, &mut events);
            }
        }
        (now.as_secs_f64(), cores.hosts.values().map(|host| host.state).collect())
    }

    #[test]
    fn fixed_governors_give_fixed_times_and_joules() {
        let mut fast = cores("", 1, Governor::Performance);
        assert_eq!(rounds(&mut fast, 4, &[1.0]), (4.0, vec![0]));
        // One of two cores: half way between idle and all cores.
        assert_eq!(
            fast.energy(Time::ZERO + SECOND + SECOND + SECOND + SECOND).unwrap().used[0].joules,
            4.0 * 70.0
        );
        let mut slow = cores("", 1, Governor::Powersave);
        assert_eq!(rounds(&mut slow, 4, &[1.0]), (16.0, vec![2]));
        let joules = slow.energy(Time::from_picos(16_000_000_000_000)).unwrap().used[0].joules;
        assert!((joules - 16.0 * 32.5).abs() < 1e-9, "{joules}");
    }

    #[test]
    fn ondemand_slows_down_what_idles_and_speeds_up_what_computes() {
        let mut governed = cores("", 2, Governor::Ondemand(SECOND));
        let (end, states) = rounds(&mut governed, 1, &[10.0, 0.0]);
        assert_eq!((end, states), (10.0, vec![0, 2]));
        let energy = governed.energy(Time::from_picos(20_000_000_000_000)).unwrap();
        assert_eq!(energy.used.iter().map(|host| host.state_changes).collect::<Vec<_>>(), [1, 1]);
    }

    #[test]
    fn conservative_goes_step_by_step() {
        let mut governed = cores("", 2, Governor::Conservative(SECOND));
        let states_after = |governed: &mut GovernedCores, seconds| rounds(governed, 1, &[seconds, 0.0]).1;
        assert_eq!(states_after(&mut governed, 1.5), [0, 1]);
        assert_eq!(states_after(&mut cores("", 2, Governor::Conservative(SECOND)), 3.5), [0, 2]);
    }

    #[test]
    fn slack_slows_hosts_down_that_wait_and_delays_nobody() {
        let short = Duration::from_picos(100_000_000_000);
        let mut governed = cores("", 3, Governor::Slack(short));
        let (end, states) = rounds(&mut governed, 20, &[1.0, 0.45, 0.2]);
        assert_eq!(states, [0, 1, 2]);
        assert!((end - 20.0).abs() < 1e-6, "{end}");
        let mut fast = cores("", 3, Governor::Performance);
        rounds(&mut fast, 20, &[1.0, 0.45, 0.2]);
        let joules =
            |cores: &GovernedCores| cores.energy(Time::from_picos(20_000_000_000_000)).unwrap().joules();
        assert!(joules(&governed) < joules(&fast), "{} {}", joules(&governed), joules(&fast));
    }

    #[test]
    fn a_change_takes_time() {
        let mut governed = cores("switching = \"100ms\"", 1, Governor::Ondemand(SECOND));
        // Idle for two seconds: the slowest state. It computes a quarter of a second until the next look, then changes, then is fast.
        governed.start(
            Time::ZERO,
            Computation { host: HostId(0), core: 0, seconds: 0.1, threads: 1.0 },
            Token(0),
        );
        let mut events = Vec::new();
        let end = governed.next(Time::ZERO).unwrap();
        governed.collect(end, &mut events);
        let mut now = Time::from_picos(2_000_000_000_000);
        governed.start(now, Computation { host: HostId(0), core: 0, seconds: 1.0, threads: 1.0 }, Token(1));
        while let Some(next) = governed.next(now) {
            now = next;
            governed.collect(now, &mut events);
        }
        // From 2 to 2.1 it changes to the slowest; to 3 it does 0.225; to 3.1 it changes; the rest takes 0.775.
        assert!((now.as_secs_f64() - 3.875).abs() < 1e-9, "{now}");
    }
}
