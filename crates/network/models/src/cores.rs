//! Processor cores.
//!
//! A computation of one thread takes its length on a core of its own. One of several threads uses as many cores, if the host has
//! them and no other rank computes there. Where a host has more threads than cores, each thread gets the same share of the cores.

use std::sync::Arc;

use mpirage_fair::{Sharing, SharingPolicy};
use mpirage_kernel::{Agenda, Computation, ComputeModel, Event, Model, Token};
use mpirage_platform::{HostId, Platform};
use mpirage_units::{Duration, Time};

use crate::resources::Resources;

/// The cores of all hosts.
pub struct Cores {
    platform: Arc<Platform>,
    /// The ranks of each host.
    ranks: Vec<u32>,
    /// Computations of these hosts may want more cores than there are, so they share them.
    crowded: Vec<bool>,
    resources: Resources,
    sharing: Sharing,
    alone: Agenda<Alone>,
    done: Vec<u64>,
}

/// A computation that has its cores for itself.
#[derive(Clone, Copy)]
struct Alone {
    token: Token,
    host: HostId,
    /// The number of cores it uses.
    cores: f32,
}

impl Cores {
    /// Cores for ranks placed as `placement` says.
    pub fn new(platform: Arc<Platform>, placement: &[HostId]) -> Cores {
        // Zeros, which cost nothing where no rank is.
        let mut ranks = vec![0; platform.host_count() as usize];
        let mut crowded = vec![false; platform.host_count() as usize];
        for host in placement {
            ranks[host.0 as usize] += 1;
        }
        for &host in placement {
            let count = ranks[host.0 as usize];
            crowded[host.0 as usize] = count > 1 && count > platform.host(host).cores;
        }
        Cores {
            resources: Resources::new(platform.host_count()),
            platform,
            ranks,
            crowded,
            sharing: Sharing::new(),
            alone: Agenda::new(),
            done: Vec::new(),
        }
    }

    fn cores(&self, host: HostId) -> f64 {
        f64::from(self.platform.host(host).cores)
    }

    fn share(&mut self, now: Time, computation: Computation, token: Token) {
        let Computation { host, seconds, threads, .. } = computation;
        let cores = self.cores(host);
        let resource =
            self.resources.get_or_add(host.0, || self.sharing.add_resource(cores, SharingPolicy::Shared));
        // Each thread gets the same share, and one core at most.
        self.sharing.start(now, seconds, 1.0 / threads, threads, &[(resource, 1.0)], token.0);
    }

    /// Threads compute on a host with several ranks: from here on its computations share its cores, those under way too.
    #[cold]
    fn crowd(&mut self, now: Time, host: HostId) {
        self.crowded[host.0 as usize] = true;
        for (end, Alone { token, host, cores }) in self.alone.take_where(|alone| alone.host == host) {
            let threads = f64::from(cores);
            let seconds = end.since(now).as_secs_f64() * threads;
            self.share(now, Computation { host, core: 0, seconds, threads }, token);
        }
    }
}

impl ComputeModel for Cores {
    fn start(&mut self, now: Time, computation: Computation, token: Token) {
        let Computation { host, seconds, threads, .. } = computation;
        if threads > 1.0 && self.ranks[host.0 as usize] > 1 && !self.crowded[host.0 as usize] {
            self.crowd(now, host);
        }
        if self.crowded[host.0 as usize] {
            return self.share(now, computation, token);
        }
        let cores = if threads > 1.0 { threads.min(self.cores(host)) } else { 1.0 };
        let end = now + Duration::from_secs_f64(seconds / cores);
        self.alone.push(end, Alone { token, host, cores: cores as f32 });
    }
}

impl Model for Cores {
    fn next(&mut self, now: Time) -> Option<Time> {
        let shared = if self.sharing.is_idle() { None } else { self.sharing.next_completion(now) };
        [self.alone.next(), shared].into_iter().flatten().min()
    }

    fn collect(&mut self, now: Time, events: &mut Vec<Event>) {
        while let Some(alone) = self.alone.pop_at(now) {
            events.push(Event::ended(alone.token));
        }
        if !self.sharing.is_idle() {
            self.sharing.collect(now, &mut self.done);
            events.extend(self.done.drain(..).map(|token| Event::ended(Token(token))));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// When computations on one host with this many cores and ranks end; each is (start in ns, seconds, threads).
    fn ends(cores: u32, ranks: usize, computations: &[(u64, f64, f64)]) -> Vec<f64> {
        let mut platform = tempfile::Builder::new().suffix(".toml").tempfile().unwrap();
        let links = "bandwidth = \"1GBps\"\nlatency = \"1us\"\n";
        write!(platform, "[cluster]\nhosts = 1\ncores = {cores}\nspeed = \"1Gf\"\n{links}").unwrap();
        let platform = Arc::new(Platform::load(platform.path().to_str().unwrap(), 1).unwrap());
        let mut model = Cores::new(platform, &vec![HostId(0); ranks]);
        let mut ends = vec![f64::NAN; computations.len()];
        let (mut waiting, mut now) = (computations.iter().enumerate().peekable(), Time::ZERO);
        loop {
            let start = waiting.peek().map(|(_, (start, ..))| Time::from_picos(start * 1_000));
            let Some(next) = [start, model.next(now)].into_iter().flatten().min() else { return ends };
            now = next;
            let mut ended = Vec::new();
            model.collect(now, &mut ended);
            ended.iter().for_each(|event| ends[event.token.0 as usize] = now.as_secs_f64());
            while let Some((number, &(_, seconds, threads))) =
                waiting.next_if(|(_, (start, ..))| Time::from_picos(start * 1_000) == now)
            {
                model.start(
                    now,
                    Computation { host: HostId(0), core: 0, seconds, threads },
                    Token(number as u64),
                );
            }
        }
    }

    #[test]
    fn threads_use_the_cores_that_there_are() {
        assert_eq!(ends(1, 1, &[(0, 4.0, 4.0)]), [4.0]);
        assert_eq!(ends(2, 1, &[(0, 4.0, 4.0)]), [2.0]);
        assert_eq!(ends(4, 1, &[(0, 4.0, 4.0)]), [1.0]);
        assert_eq!(ends(64, 1, &[(0, 4.0, 4.0)]), [1.0]);
    }

    #[test]
    fn ranks_of_a_host_share_its_cores() {
        assert_eq!(ends(4, 2, &[(0, 1.0, 1.0), (0, 1.0, 1.0)]), [1.0, 1.0]);
        assert_eq!(ends(1, 2, &[(0, 1.0, 1.0), (0, 1.0, 1.0)]), [2.0, 2.0]);
        // Two ranks with four threads each on four cores.
        assert_eq!(ends(4, 2, &[(0, 4.0, 4.0), (0, 4.0, 4.0)]), [2.0, 2.0]);
    }

    #[test]
    fn threads_that_start_later_slow_down_what_is_under_way() {
        // One thread alone for half a second; then three threads join it on two cores, and each of the four gets half a core.
        let [first, second] = ends(2, 2, &[(0, 1.0, 1.0), (500_000_000, 3.0, 3.0)])[..] else {
            unreachable!()
        };
        assert_eq!(first, 1.5);
        // It has had 1.5 of its 3 seconds by then; two cores do the rest.
        assert_eq!(second, 2.25);
    }
}
