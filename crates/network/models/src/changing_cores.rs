//! Cores whose speed changes: a compute model that holds another, for hosts with a profile of their speed.
//!
//! Each thread on such a host gets the same share of its cores, one core at most, and does its work as many times faster as the
//! profile says. Computations of other hosts are left to the other model. This is SimGrid's: its CPU shares cores evenly, and a profile
//! scales both what the host has and what one thread can use.

use std::collections::BTreeMap;

use mpirage_kernel::{Computation, ComputeModel, Event, Model, Token};
use mpirage_platform::{Changing, HostId, Platform};
use mpirage_units::{Duration, Time};

use crate::changes::Changes;

/// A computation with no more seconds left than this is over: dates are whole picoseconds.
const NOTHING: f64 = 1e-12;

/// Cores of hosts whose speed changes, and others.
pub struct ChangingCores {
    inner: Box<dyn ComputeModel>,
    changes: Changes,
    hosts: BTreeMap<HostId, Host>,
    started: u64,
}

/// A host with a profile.
struct Host {
    cores: f64,
    /// The factor on the speed that the profile gives now.
    scale: f64,
    /// The date at which `left` of its computations was last updated.
    now: Time,
    running: Vec<Running>,
}

struct Running {
    token: Token,
    /// Its number among all, in order of start.
    number: u64,
    threads: f64,
    /// Seconds of one core at full speed.
    left: f64,
}

impl ChangingCores {
    /// Cores of the hosts whose speed has a profile on this platform; `inner` has those of the others.
    pub fn new(platform: &Platform, inner: Box<dyn ComputeModel>) -> ChangingCores {
        let with_profile = platform.profiles().iter().filter_map(|(what, _)| match what {
            Changing::Speed(host) => Some(host),
            _ => None,
        });
        let host = |id: HostId| {
            let cores = f64::from(platform.host(id).cores);
            (id, Host { cores, scale: 1.0, now: Time::ZERO, running: Vec::new() })
        };
        ChangingCores {
            inner,
            changes: Changes::new(platform, |what| matches!(what, Changing::Speed(_))),
            hosts: with_profile.map(host).collect(),
            started: 0,
        }
    }

    fn change(&mut self, now: Time) {
        while let Some((what, value)) = self.changes.pop(now) {
            if let Changing::Speed(host) = what
                && let Some(host) = self.hosts.get_mut(&host)
            {
                host.reach(now);
                host.scale = value;
            }
        }
    }

    fn is_busy(&self) -> bool {
        self.hosts.values().any(|host| !host.running.is_empty())
    }
}

impl Host {
    /// Seconds of work that one thread does per second.
    fn rate_of_thread(&self) -> f64 {
        let threads: f64 = self.running.iter().map(|running| running.threads).sum();
        self.scale * (self.cores / threads).min(1.0)
    }

    /// Comes to `now`.
    fn reach(&mut self, now: Time) {
        let done = now.since(self.now).as_secs_f64() * self.rate_of_thread();
        self.running.iter_mut().for_each(|running| running.left -= done * running.threads);
        self.now = now;
    }

    /// When the next computation ends, if speed and computations stay.
    fn next(&self) -> Option<Time> {
        let rate = self.rate_of_thread();
        let seconds = self.running.iter().map(|running| match running.left {
            left if left > 0.0 => left / (rate * running.threads),
            _ => 0.0,
        });
        let seconds = seconds.min_by(f64::total_cmp).filter(|seconds| seconds.is_finite())?;
        Some(self.now + Duration::from_secs_f64(seconds))
    }
}

impl ComputeModel for ChangingCores {
    fn start(&mut self, now: Time, computation: Computation, token: Token) {
        self.change(now);
        let Some(host) = self.hosts.get_mut(&computation.host) else {
            return self.inner.start(now, computation, token);
        };
        host.reach(now);
        self.started += 1;
        let Computation { seconds, threads, .. } = computation;
        host.running.push(Running { token, number: self.started, threads, left: seconds });
    }
}

impl Model for ChangingCores {
    fn next(&mut self, now: Time) -> Option<Time> {
        let change = self.changes.next().filter(|_| self.is_busy());
        let own = self.hosts.values().filter_map(Host::next).chain(change).min().map(|date| date.max(now));
        [own, self.inner.next(now)].into_iter().flatten().min()
    }

    fn collect(&mut self, now: Time, events: &mut Vec<Event>) {
        let mut ended = Vec::new();
        for host in self.hosts.values_mut().filter(|host| host.next().is_some_and(|date| date <= now)) {
            host.reach(now);
            let rate = host.rate_of_thread();
            let is_over = |running: &mut Running| running.left <= NOTHING * rate * running.threads;
            ended.extend(host.running.extract_if(.., is_over).map(|running| (running.number, running.token)));
        }
        ended.sort_unstable_by_key(|(number, _)| *number);
        events.extend(ended.into_iter().map(|(_, token)| Event::ended(token)));
        self.change(now);
        if self.inner.next(now).is_some_and(|date| date <= now) {
            self.inner.collect(now, events);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::Cores;

    /// When computations of so many seconds end that start at once; `hosts` says on which of two hosts, of which the first has a
    /// profile and two cores.
    fn ends(profile: &str, computations: &[(u32, f64, f64)]) -> Vec<f64> {
        let text = format!(
            "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">\
             <host id=\"a\" speed=\"1Gf\" core=\"2\"/><host id=\"b\" speed=\"1Gf\"/>\
             <link id=\"l\" bandwidth=\"1GBps\" latency=\"1ms\"/>\
             <route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route>\
             <trace id=\"t\" periodicity=\"-1\">{profile}</trace></zone>\
             <trace_connect kind=\"SPEED\" trace=\"t\" element=\"a\"/></platform>"
        );
        let platform = Arc::new(Platform::from_text("test.xml", &text).unwrap());
        let placement: Vec<HostId> = computations.iter().map(|(host, ..)| HostId(*host)).collect();
        let inner = Cores::new(Arc::clone(&platform), &placement);
        let mut cores = ChangingCores::new(&platform, Box::new(inner));
        for (number, &(host, seconds, threads)) in computations.iter().enumerate() {
            let computation = Computation { host: HostId(host), core: 0, seconds, threads };
            cores.start(Time::ZERO, computation, Token(number as u64));
        }
        let (mut now, mut ends, mut events) = (Time::ZERO, vec![f64::NAN; computations.len()], Vec::new());
        while let Some(next) = cores.next(now) {
            now = next;
            cores.collect(now, &mut events);
            events.drain(..).for_each(|event| ends[event.token.0 as usize] = now.as_secs_f64());
        }
        ends
    }

    #[test]
    fn work_is_done_at_the_speed_of_the_profile() {
        // Half a second of work in the first second, then a pause of a second, then double speed.
        assert_eq!(ends("0 0.5\n1 0\n2 2", &[(0, 1.5, 1.0), (1, 1.5, 1.0)]), [2.5, 1.5]);
        assert_eq!(ends("0 0\n1 1", &[(0, 0.0, 1.0), (0, 1.0, 1.0)]), [0.0, 2.0]);
        assert_eq!(ends("1 0.5\n2 1\nLOOPAFTER 0.5", &[(0, 3.25, 1.0)]), [4.0]);
    }

    #[test]
    fn ranks_share_cores_of_the_speed_of_the_profile() {
        assert_eq!(ends("0 0.5", &[(0, 1.0, 1.0), (0, 1.0, 1.0), (0, 2.0, 2.0)]), [4.0; 3]);
        assert_eq!(ends("0 2", &[(0, 1.0, 1.0), (0, 2.0, 1.0)]), [0.5, 1.0]);
    }
}
