//! The power of hosts over time, integrated from change to change.

use std::collections::BTreeMap;
use std::sync::Arc;

use mpirage_kernel::{HostEnergy, HostsEnergy};
use mpirage_platform::{Changing, HostId, HostPower, Platform};
use mpirage_units::{Duration, Time};

use super::history::EnergyHistory;
use crate::changes::Changes;

/// Stretches of the histories of all hosts together, and the most and the least of one host.
const MOST_STRETCHES: usize = 1 << 20;
const MOST_OF_HOST: usize = 512;
const LEAST_OF_HOST: usize = 8;

/// The energy of the hosts that are used; the others are idle for the whole run.
#[derive(Clone)]
pub(crate) struct HostMeter {
    platform: Arc<Platform>,
    /// Profiles of speeds, and of hosts that go off.
    changes: Changes,
    hosts: BTreeMap<HostId, MeteredHost>,
}

/// A host as it is since the last change.
#[derive(Clone)]
struct MeteredHost {
    power: Arc<HostPower>,
    cores: f64,
    /// Ranks that are placed on it.
    ranks: f64,
    since: Time,
    /// Computations under way.
    computing: f64,
    /// Cores at work for them.
    busy: f64,
    /// The factor on the speed of its cores that its profile gives now.
    scale: f64,
    is_on: bool,
    state: usize,
    state_changes: u64,
    joules: f64,
    core_seconds: f64,
    history: EnergyHistory,
}

impl HostMeter {
    /// The hosts of these ranks; all are idle.
    pub fn new(platform: Arc<Platform>, placement: &[HostId]) -> HostMeter {
        let wanted = |what| matches!(what, Changing::Speed(_) | Changing::HostState(_));
        let mut ranks: BTreeMap<HostId, u32> = BTreeMap::new();
        placement.iter().for_each(|host| *ranks.entry(*host).or_default() += 1);
        let with_profiles = platform.profiles().iter().filter_map(|(what, _)| match what {
            Changing::Speed(host) | Changing::HostState(host) => Some(host),
            _ => None,
        });
        with_profiles.for_each(|host| _ = ranks.entry(host).or_default());
        let stretches = (MOST_STRETCHES / ranks.len().max(1)).clamp(LEAST_OF_HOST, MOST_OF_HOST);
        let host = |(host, ranks): (HostId, u32)| {
            let power = Arc::clone(platform.power().host(host)?);
            Some((host, MeteredHost::new(power, platform.host(host).cores, ranks, stretches)))
        };
        let hosts = ranks.into_iter().filter_map(host).collect();
        HostMeter { changes: Changes::new(&platform, wanted), hosts, platform }
    }

    /// From now on so many computations of a host use so many of its cores.
    pub fn set_busy(&mut self, now: Time, host: HostId, computing: f64, busy: f64) {
        self.catch_up(now);
        if let Some(host) = self.hosts.get_mut(&host) {
            host.reach(now);
            (host.computing, host.busy) = (computing, busy);
        }
    }

    /// A host begins in a performance state.
    pub fn begin_in_state(&mut self, host: HostId, state: usize) {
        if let Some(host) = self.hosts.get_mut(&host) {
            host.state = state;
        }
    }

    /// From now on a host is in this performance state.
    pub fn set_state(&mut self, now: Time, host: HostId, state: usize) {
        self.catch_up(now);
        if let Some(host) = self.hosts.get_mut(&host) {
            host.reach(now);
            host.state = state;
            host.state_changes += 1;
        }
    }

    /// Makes the changes of profiles that are due.
    fn catch_up(&mut self, now: Time) {
        while let Some(date) = self.changes.next().filter(|date| *date <= now) {
            let Some((what, value)) = self.changes.pop(date) else { return };
            let (Changing::Speed(id) | Changing::HostState(id)) = what else { continue };
            let Some(host) = self.hosts.get_mut(&id) else { continue };
            host.reach(date);
            match what {
                Changing::Speed(_) => host.scale = value,
                _ => host.is_on = value != 0.0,
            }
        }
    }

    /// The energy up to an instant.
    pub fn energy(&self, until: Time) -> HostsEnergy {
        let mut at_end = self.clone();
        at_end.catch_up(until);
        at_end.hosts.values_mut().for_each(|host| host.reach(until));
        let resolution =
            at_end.hosts.values().map(|host| host.history.resolution()).max().unwrap_or(Duration::ZERO);
        let used = at_end.hosts.iter().map(|(id, host)| host.energy(*id, resolution)).collect();
        let seconds = until.as_secs_f64();
        let (mut unused, mut unused_joules) = (0, 0.0);
        for (range, power) in self.platform.power().hosts() {
            let used = self.hosts.range(HostId(range.start)..HostId(range.end)).count() as u32;
            let others = range.end - range.start - used;
            unused += others;
            unused_joules += f64::from(others) * seconds * power.first_state().idle;
        }
        HostsEnergy { used, unused, unused_joules, resolution }
    }
}

impl MeteredHost {
    fn new(power: Arc<HostPower>, cores: u32, ranks: u32, stretches: usize) -> MeteredHost {
        MeteredHost {
            state: power.first,
            power,
            cores: cores.into(),
            ranks: ranks.into(),
            since: Time::ZERO,
            computing: 0.0,
            busy: 0.0,
            scale: 1.0,
            is_on: true,
            state_changes: 0,
            joules: 0.0,
            core_seconds: 0.0,
            history: EnergyHistory::new(stretches),
        }
    }

    fn watts(&self) -> f64 {
        if !self.is_on {
            return self.power.off;
        }
        let waiting = self.power.waiting * (self.ranks - self.computing).max(0.0);
        let load = self.scale * (self.busy + waiting).min(self.cores) / self.cores;
        self.power.states[self.state].watts(load)
    }

    /// Comes to `now`, at the power since the last change.
    fn reach(&mut self, now: Time) {
        if now <= self.since {
            return;
        }
        let (watts, seconds) = (self.watts(), now.since(self.since).as_secs_f64());
        self.joules += watts * seconds;
        self.core_seconds += self.busy * seconds;
        self.history.add(self.since, now, watts);
        self.since = now;
    }

    fn energy(&self, host: HostId, resolution: Duration) -> HostEnergy {
        HostEnergy {
            host,
            joules: self.joules,
            core_seconds: self.core_seconds,
            state_changes: self.state_changes,
            history: self.history.at_resolution(resolution),
        }
    }
}
