//! Cores whose speed changes: a compute model that holds another, for hosts with a profile of their speed.
//!
//! Each thread on such a host gets the same share of its cores, one core at most, and does its work as many times faster as the
//! profile says. Computations of other hosts are left to the other model. This is SimGrid's: its CPU shares cores evenly, and a profile
//! scales both what the host has and what one thread can use.

use std::collections::BTreeMap;

use mpirage_kernel::{Computation, ComputeModel, Event, Model, Token};
use mpirage_platform::{Changing, HostId, Platform};
use mpirage_units::Time;

use crate::changes::Changes;
use crate::scaled_host::ScaledHost;

/// Cores of hosts whose speed changes, and others.
pub struct ChangingCores {
    inner: Box<dyn ComputeModel>,
    changes: Changes,
    hosts: BTreeMap<HostId, ScaledHost>,
    started: u64,
}

impl ChangingCores {
    /// Cores of the hosts whose speed has a profile on this platform; `inner` has those of the others.
    pub fn new(platform: &Platform, inner: Box<dyn ComputeModel>) -> ChangingCores {
        let with_profile = platform.profiles().iter().filter_map(|(what, _)| match what {
            Changing::Speed(host) => Some(host),
            _ => None,
        });
        let host = |id: HostId| (id, ScaledHost::new(platform.host(id).cores));
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
        self.hosts.values().any(|host| !host.is_idle())
    }
}

impl ComputeModel for ChangingCores {
    fn start(&mut self, now: Time, computation: Computation, token: Token) {
        self.change(now);
        let Some(host) = self.hosts.get_mut(&computation.host) else {
            return self.inner.start(now, computation, token);
        };
        self.started += 1;
        host.start(now, &computation, token, self.started);
    }
}

impl Model for ChangingCores {
    fn next(&mut self, now: Time) -> Option<Time> {
        let change = self.changes.next().filter(|_| self.is_busy());
        let own =
            self.hosts.values().filter_map(ScaledHost::next).chain(change).min().map(|date| date.max(now));
        [own, self.inner.next(now)].into_iter().flatten().min()
    }

    fn collect(&mut self, now: Time, events: &mut Vec<Event>) {
        let mut ended = Vec::new();
        for host in self.hosts.values_mut().filter(|host| host.next().is_some_and(|date| date <= now)) {
            ended.extend(host.take_ended(now));
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
