//! Processor cores.
//!
//! A burst of computation takes its length on a core of its own. Where more ranks live on a host than it
//! has cores, bursts that overlap share the cores evenly.

use std::sync::Arc;

use mpirage_fair::{Kind, ResourceId, Sharing};
use mpirage_kernel::{Agenda, ComputeModel, Token};
use mpirage_platform::{HostId, Platform};
use mpirage_units::{Duration, Time};

/// The cores of all hosts.
pub struct Cores {
    platform: Arc<Platform>,
    /// Hosts with more ranks than cores; the others need no sharing.
    crowded: Vec<bool>,
    resources: Vec<Option<ResourceId>>,
    sharing: Sharing,
    alone: Agenda<Token>,
    done: Vec<u64>,
}

impl Cores {
    /// Cores for ranks placed as `placement` says.
    pub fn new(platform: Arc<Platform>, placement: &[HostId]) -> Cores {
        let hosts = platform.host_count() as usize;
        let mut ranks = vec![0u32; hosts];
        for host in placement {
            ranks[host.0 as usize] += 1;
        }
        let crowded = |host: usize| ranks[host] > platform.host(HostId(host as u32)).cores;
        let crowded = (0..hosts).map(|host| ranks[host] > 1 && crowded(host)).collect();
        Cores {
            platform,
            crowded,
            resources: vec![None; hosts],
            sharing: Sharing::new(),
            alone: Agenda::new(),
            done: Vec::new(),
        }
    }

    /// Does any host have more ranks than cores?
    pub fn is_oversubscribed(&self) -> bool {
        self.crowded.contains(&true)
    }

    fn resource(&mut self, host: HostId) -> ResourceId {
        let Cores { platform, sharing, resources, .. } = self;
        *resources[host.0 as usize]
            .get_or_insert_with(|| sharing.add_resource(f64::from(platform.host(host).cores), Kind::Shared))
    }
}

impl ComputeModel for Cores {
    fn start(&mut self, now: Time, host: HostId, seconds: f64, token: Token) {
        if self.crowded[host.0 as usize] {
            let resource = self.resource(host);
            self.sharing.start(now, seconds, 1.0, 1.0, &[(resource, 1.0)], token.0);
        } else {
            self.alone.push(now + Duration::from_secs_f64(seconds), token);
        }
    }

    fn next(&mut self, now: Time) -> Option<Time> {
        let shared = if self.sharing.is_idle() { None } else { self.sharing.next_completion(now) };
        [self.alone.next(), shared].into_iter().flatten().min()
    }

    fn collect(&mut self, now: Time, ended: &mut Vec<Token>) {
        while let Some(token) = self.alone.pop_at(now) {
            ended.push(token);
        }
        if !self.sharing.is_idle() {
            self.sharing.collect(now, &mut self.done);
            ended.extend(self.done.drain(..).map(Token));
        }
    }
}
