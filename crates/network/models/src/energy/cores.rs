//! Cores whose host has a meter: a compute model that holds another.

use std::sync::Arc;

use mpirage_kernel::{Computation, ComputeModel, Event, HostsEnergy, Model, Token};
use mpirage_platform::{HostId, Platform};
use mpirage_units::Time;
use rustc_hash::FxHashMap;

use super::hosts::HostMeter;

/// How computations use the cores of their host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoreUse {
    /// They share all of them.
    Shared,
    /// Each is bound to a core.
    Bound,
}

/// Any compute model, and the energy of its hosts.
pub struct MeteredCores {
    inner: Box<dyn ComputeModel>,
    platform: Arc<Platform>,
    core_use: CoreUse,
    meter: HostMeter,
    under_way: FxHashMap<Token, Computation>,
    /// The computations of each host, and of each of its cores.
    hosts: FxHashMap<HostId, HostUse>,
}

/// What computes on a host.
#[derive(Default)]
struct HostUse {
    computations: u32,
    threads: f64,
    by_core: FxHashMap<u32, u32>,
}

impl HostUse {
    fn add(&mut self, computation: &Computation) {
        self.computations += 1;
        self.threads += computation.threads;
        *self.by_core.entry(computation.core).or_default() += 1;
    }

    fn remove(&mut self, computation: &Computation) {
        self.computations -= 1;
        // Sums of threads are exact only if they are whole: nothing is nothing.
        self.threads = if self.computations == 0 { 0.0 } else { self.threads - computation.threads };
        if let Some(count) = self.by_core.get_mut(&computation.core) {
            *count -= 1;
            if *count == 0 {
                self.by_core.remove(&computation.core);
            }
        }
    }
}

impl MeteredCores {
    /// A meter for the cores of `inner`.
    pub fn new(
        inner: Box<dyn ComputeModel>,
        platform: Arc<Platform>,
        placement: &[HostId],
        core_use: CoreUse,
    ) -> MeteredCores {
        let meter = HostMeter::new(Arc::clone(&platform), placement);
        let (under_way, hosts) = (FxHashMap::default(), FxHashMap::default());
        MeteredCores { inner, platform, core_use, meter, under_way, hosts }
    }

    fn tell(&mut self, now: Time, host: HostId) {
        let Some(in_use) = self.hosts.get(&host) else { return };
        let busy = match self.core_use {
            CoreUse::Shared => in_use.threads.min(f64::from(self.platform.host(host).cores)),
            CoreUse::Bound => in_use.by_core.len() as f64,
        };
        self.meter.set_busy(now, host, f64::from(in_use.computations), busy);
    }
}

impl ComputeModel for MeteredCores {
    fn start(&mut self, now: Time, computation: Computation, token: Token) {
        self.under_way.insert(token, computation);
        self.hosts.entry(computation.host).or_default().add(&computation);
        self.tell(now, computation.host);
        self.inner.start(now, computation, token);
    }

    fn energy(&self, until: Time) -> Option<HostsEnergy> {
        Some(self.meter.energy(until))
    }
}

impl Model for MeteredCores {
    fn next(&mut self, now: Time) -> Option<Time> {
        self.inner.next(now)
    }

    fn collect(&mut self, now: Time, events: &mut Vec<Event>) {
        let had = events.len();
        self.inner.collect(now, events);
        for event in &events[had..] {
            let Some(computation) = self.under_way.remove(&event.token) else { continue };
            if let Some(in_use) = self.hosts.get_mut(&computation.host) {
                in_use.remove(&computation);
            }
            self.tell(now, computation.host);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cores;

    const POWER: &str = "idle = \"100W\"\none-core = \"120W\"\nall-cores = \"150W\"\noff = \"10W\"";

    /// Joules of the first host, and of the unused ones, after ten seconds; computations of the first host are (start, seconds, threads).
    fn joules(more: &str, ranks: usize, computations: &[(u64, f64, f64)]) -> (f64, f64) {
        let text = format!(
            "[cluster]\nhosts = 3\ncores = 4\nspeed = \"1Gf\"\nbandwidth = \"1GBps\"\nlatency = \"1us\"\n[power]\n{POWER}\n{more}"
        );
        let platform = Arc::new(Platform::from_text("test.toml", &text).unwrap());
        let placement = vec![HostId(0); ranks];
        let inner = Box::new(Cores::new(Arc::clone(&platform), &placement));
        let mut cores = MeteredCores::new(inner, platform, &placement, CoreUse::Shared);
        let (mut waiting, mut now, mut events) =
            (computations.iter().enumerate().peekable(), Time::ZERO, Vec::new());
        loop {
            let start = waiting.peek().map(|(_, (start, ..))| Time::from_picos(start * 1_000_000_000_000));
            let Some(next) = [start, cores.next(now)].into_iter().flatten().min() else { break };
            now = next;
            cores.collect(now, &mut events);
            while let Some((number, &(_, seconds, threads))) = waiting.next_if(|_| start == Some(now)) {
                let computation = Computation { host: HostId(0), core: 0, seconds, threads };
                cores.start(now, computation, Token(number as u64));
            }
        }
        let energy = cores.energy(Time::from_picos(10_000_000_000_000)).unwrap();
        let total: f64 = energy.used[0].history.iter().sum();
        assert!((total - energy.used[0].joules).abs() < 1e-9 * total, "the history has all joules");
        (energy.used[0].joules, energy.unused_joules)
    }

    #[test]
    fn power_follows_the_cores_that_work() {
        assert_eq!(joules("", 1, &[]), (1000.0, 2000.0));
        // One core for two seconds: 20 W more. Two cores 30 W, four cores 50 W.
        assert_eq!(joules("", 1, &[(0, 2.0, 1.0)]).0, 1040.0);
        assert_eq!(joules("", 2, &[(0, 2.0, 1.0), (0, 3.0, 1.0)]).0, 1000.0 + 60.0 + 20.0);
        assert_eq!(joules("", 1, &[(0, 40.0, 9.0)]).0, 1500.0);
        // Eight ranks on four cores: all cores for four seconds.
        assert_eq!(joules("", 8, &[(1, 2.0, 1.0); 8]).0, 1000.0 + 200.0);
    }

    #[test]
    fn ranks_that_poll_keep_cores_busy() {
        assert_eq!(joules("waiting = 1", 2, &[]).0, 1300.0);
        assert_eq!(joules("waiting = 1", 2, &[(0, 2.0, 1.0)]).0, 1300.0);
        assert_eq!(joules("waiting = 0.5", 4, &[]).0, 1300.0);
    }
}
