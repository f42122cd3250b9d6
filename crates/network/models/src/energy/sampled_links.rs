//! The energy of links as SimGrid's plugin link_energy counts it.
//!
//! SimGrid looks at a link when a message on it, there or back, starts or ends. It takes the load that the link has just before, and charges
//! it for all the time since it looked last. So a message that starts on an idle link is charged its final rate for its latency too, and
//! what changes a link's load through other links is noticed at the next look. Source: `link_energy.cpp` of SimGrid 3.32.

use std::sync::Arc;

use mpirage_kernel::LinksEnergy;
use mpirage_platform::{LinkId, Platform, Sharing};
use mpirage_units::Time;
use rustc_hash::FxHashMap;

use super::network::with_idle;

/// The links that have been looked at.
pub(crate) struct SampledLinks {
    platform: Arc<Platform>,
    links: FxHashMap<LinkId, SampledLink>,
    /// Loads at the end of the time before this date.
    loads: FxHashMap<LinkId, f64>,
    loads_until: Time,
}

/// A link, and when it was looked at last.
#[derive(Clone, Copy, Default)]
struct SampledLink {
    joules: f64,
    since: Time,
}

impl SampledLinks {
    /// All links are idle.
    pub fn new(platform: Arc<Platform>) -> SampledLinks {
        let (links, loads) = (FxHashMap::default(), FxHashMap::default());
        SampledLinks { platform, links, loads, loads_until: Time::ZERO }
    }

    /// Are the loads those of an earlier date?
    pub fn lags_behind(&self, now: Time) -> bool {
        now > self.loads_until
    }

    /// From the date before to `now`, links had the load of these flows: a link and the rate on it, for each link of each flow.
    pub fn set_loads(&mut self, now: Time, flows: impl Iterator<Item = (LinkId, f64)>) {
        self.loads.clear();
        for (link, rate) in flows {
            let load = self.loads.entry(link).or_default();
            match self.platform.link(link).sharing {
                Sharing::Shared => *load += rate,
                Sharing::FatPipe => *load = load.max(rate),
            }
        }
        self.loads_until = now;
    }

    /// Looks at links.
    pub fn look(&mut self, now: Time, links: &[LinkId]) {
        for &link in links {
            let load = self.loads.get(&link).copied().unwrap_or(0.0);
            let Some(power) = self.platform.power().link(link) else { continue };
            let entry = self.links.entry(link).or_default();
            entry.joules += (power.idle + power.per_byte * load) * now.since(entry.since).as_secs_f64();
            entry.since = now;
        }
    }

    /// The energy of all links. From the last look on they are idle: all messages have ended.
    pub fn energy(&self, until: Time) -> LinksEnergy {
        let power = self.platform.power();
        let joules = |(&link, sampled): (&LinkId, &SampledLink)| {
            let rest = until.max(sampled.since).since(sampled.since).as_secs_f64();
            Some((link, sampled.joules + power.link(link)?.idle * rest))
        };
        let mut used: Vec<(LinkId, f64)> = self.links.iter().filter_map(joules).collect();
        used.sort_unstable_by_key(|(link, _)| *link);
        LinksEnergy { joules: with_idle(&self.platform, until.as_secs_f64(), &used), used }
    }
}
