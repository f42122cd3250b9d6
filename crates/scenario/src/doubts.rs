//! Reasons to doubt the result of a run, found before it starts.
//!
//! Each doubt is one sentence: what is doubtful, by how much if that is known, and what to do about it. All end up in the
//! summary, in the JSON object and in the report, whatever the command.

use mpirage_platform::{HostId, LinkId, Platform, has_coordinates};
use mpirage_units::counted;

use crate::measured_flow::MODEL_LOOPBACK;
use crate::model::{Calibration, Model};
use crate::network::Network;
use crate::placement::Placement;

/// From this ratio on, a network is another one than a model was measured on.
const ANOTHER_NETWORK: f64 = 10.0;
/// From this ratio on, cores are of another kind.
const ANOTHER_CORE: f64 = 2.0;
/// Ratios that differ from 1 by less do not matter.
const SAME_CORE: f64 = 0.02;
/// From this ratio on, a group of a dragonfly can hardly speak to others.
const NARROW: f64 = 4.0;

/// How the speed of cores becomes comparable.
const REMEDY: &str = "write `sustained` as measured on such a core (mpirage calibrate --node), or `speed = \"host\"` for cores like this \
                      machine's; --host-speed sets the speed of the core that measured";

/// A machine with ranks on it.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// Hosts and links.
    pub platform: &'a Platform,
    /// Has the user named them?
    pub platform_named: bool,
    /// Network and protocol.
    pub model: &'a Model,
    /// Where ranks live.
    pub placement: &'a Placement,
}

impl Situation<'_> {
    /// All doubts about the machine; computation apart.
    pub fn doubts(&self) -> Vec<String> {
        let found = [
            self.crowded(),
            self.beyond_slots(),
            self.within_a_host(),
            self.left_aside_interfaces(),
            self.left_aside_profiles(),
            self.left_aside_coordinates(),
            self.calibration(),
            self.groups(),
            self.ignored(),
        ];
        found.into_iter().flatten().collect()
    }

    /// How many times longer computation takes than on a core of `speed` flops: on the host where that is least, and where it is most.
    pub fn slowdowns(&self, speed: f64) -> (f64, f64) {
        let hosts = self.placement.hosts.iter().map(|&host| self.platform.host(host).speed);
        hosts
            .map(|core| core.slowdown(speed))
            .fold((f64::INFINITY, 0.0), |(least, most), slowdown| (slowdown.min(least), slowdown.max(most)))
    }

    /// The doubt about computation that was measured on a core of `speed` flops.
    pub fn computation(&self, speed: f64) -> Option<String> {
        let (least, most) = self.slowdowns(speed);
        let (ratio, how) = match (most, 1.0 / least) {
            (slower, _) if slower >= ANOTHER_CORE => (slower, "slower"),
            (_, faster) if faster >= ANOTHER_CORE => (faster, "faster"),
            _ => return self.nominal(least, most),
        };
        let ratio = match ratio {
            _ if ratio < 10.0 => format!("{ratio:.1}"),
            _ if ratio < 1e6 => format!("{ratio:.0}"),
            _ => format!("{ratio:.0e}"),
        };
        Some(format!(
            "the simulated cores are {ratio} times {how} than the one computation was measured on{}: caches, memory and vector \
             units do not scale by one ratio, so computation is a rough guide; {REMEDY}",
            if self.has_nominal_speeds() { ", as far as their nominal speed says" } else { "" }
        ))
    }

    /// The doubt about cores of which only a nominal speed is known.
    fn nominal(&self, least: f64, most: f64) -> Option<String> {
        let same = least > 1.0 - SAME_CORE && most < 1.0 + SAME_CORE;
        (!same && self.has_nominal_speeds()).then(|| {
            format!(
                "measured computation is scaled by the nominal speed of the simulated cores, which says little about ordinary code; \
                 {REMEDY}"
            )
        })
    }

    fn has_nominal_speeds(&self) -> bool {
        self.placement.hosts.iter().any(|&host| self.platform.host(host).speed.is_nominal())
    }

    /// More ranks than the user has listed slots.
    fn beyond_slots(&self) -> Option<String> {
        let slots = self.placement.too_few_slots?;
        Some(format!(
            "the listed hosts have {} for {}, so hosts take several turns, which other launchers refuse; list more slots or start fewer ranks",
            counted(slots, "slot"),
            counted(self.placement.hosts.len(), "rank")
        ))
    }

    /// More ranks than cores.
    fn crowded(&self) -> Option<String> {
        if !self.placement.oversubscribed {
            return None;
        }
        let (host, ranks) = self.fullest()?;
        let host = self.platform.host(host);
        Some(format!(
            "some hosts have more ranks than cores ({} has {ranks} ranks and {}): their computation is shared evenly, without \
             the cost of switching and of smaller caches; use more hosts, or --ppn",
            host.name(),
            counted(host.cores, "core")
        ))
    }

    /// Messages between ranks of one host, where nothing says how fast memory is.
    fn within_a_host(&self) -> Option<String> {
        let (host, _) = self.fullest().filter(|(_, ranks)| *ranks > 1)?;
        let mut within = Vec::new();
        self.platform.route(host, host, &mut within);
        match &self.model.network {
            _ if self.platform.node_spec().is_some() => self.left_aside_node(),
            Network::Flow(flow) if within.is_empty() && flow.loopback == MODEL_LOOPBACK => Some(
                "the platform has no `loopback`, and several ranks share a host: messages between them are taken to move at \
                 10 GB/s with a latency of 200 ns; write `loopback = { bandwidth, latency }` as measured within a host"
                    .to_owned(),
            ),
            Network::Flow(_) if self.crosses_network(host, &within) => Some(
                "the platform has no loopback, and several ranks share a host: messages between them go through the network to \
                 the switch and back, as in SimGrid, tens of times slower than through memory; write `loopback_bw` and \
                 `loopback_lat`"
                    .to_owned(),
            ),
            Network::LogGops(_) => Some(
                "several ranks share a host, but the model `loggops` knows no memory: messages between them cost what others \
                 cost; use one rank per host (--ppn 1), or another model"
                    .to_owned(),
            ),
            _ => None,
        }
    }

    /// Does the model pass over all interfaces of a host but one?
    fn left_aside_interfaces(&self) -> Option<String> {
        let per_host = self.platform.interfaces().per_host;
        let left_aside = !self.model.uses_interfaces() && self.model.network != Network::Ideal;
        (per_host > 1 && left_aside).then(|| {
            format!(
                "the {per_host} interfaces of each host are left aside: model `{}` gives a host one; flow and packet use them",
                self.model.name
            )
        })
    }

    /// Does the model pass over what of the network changes?
    fn left_aside_profiles(&self) -> Option<String> {
        let left_aside = !self.model.follows_profiles() && self.model.network != Network::Ideal;
        (self.platform.profiles().are_of_network() && left_aside).then(|| {
            format!(
                "the platform's profiles of links and of hosts that go off are left aside: model `{}` keeps the network as it is; \
                 simgrid and flow without --mpi-profile follow them",
                self.model.name
            )
        })
    }

    /// Does the model pass over latencies that no link has?
    fn left_aside_coordinates(&self) -> Option<String> {
        let left_aside = matches!(self.model.network, Network::Packet(_)) && has_coordinates(self.platform);
        left_aside.then(|| {
            "the platform's coordinates are left aside: in model `packet` all latency is that of links, which have none here; use \
             simgrid or flow"
                .to_owned()
        })
    }

    /// Does the model pass over the inside of hosts?
    fn left_aside_node(&self) -> Option<String> {
        let left_aside = !self.model.uses_node() && self.model.network != Network::Ideal;
        left_aside.then(|| {
            format!(
                "the platform's [node] is left aside for messages: model `{}` has its own parameters for those within a host; flow and \
                 packet use [node]",
                self.model.name
            )
        })
    }

    /// Does the way of a host to itself use links of its way to others?
    fn crosses_network(&self, host: HostId, within: &[LinkId]) -> bool {
        let other = HostId(u32::from(host.0 == 0));
        if other.0 >= self.platform.host_count() {
            return false;
        }
        let mut outward = Vec::new();
        self.platform.route(host, other, &mut outward);
        outward.iter().any(|link| within.contains(link))
    }

    /// Parameters that were measured on another network.
    fn calibration(&self) -> Option<String> {
        let Calibration { bandwidth, latency, on } = self.model.calibration?;
        let (here_latency, here_bandwidth) = self.route()?;
        let bandwidth = bandwidth.map_or(1.0, |there| ratio(there, here_bandwidth));
        let latency = latency.map_or(1.0, |there| ratio(there, here_latency));
        if bandwidth.max(latency) < ANOTHER_NETWORK {
            return None;
        }
        Some(format!(
            "the factors of the model `{}` were measured on {on}, but between hosts there are {} and {} here: times of messages \
             may be off by a factor of 2 and more; name the cables with --net (`mpirage info networks`) or the library with \
             --mpi-profile (`mpirage info profiles`), or measure them with `mpirage calibrate`",
            self.model.name,
            bits(here_bandwidth),
            micros(here_latency),
        ))
    }

    /// Groups of a dragonfly with few cables between them.
    fn groups(&self) -> Option<String> {
        if !matches!(self.model.network, Network::Flow(_)) {
            return None;
        }
        let taper = self.platform.group_taper()?;
        let group = |host: &HostId| host.0 / taper.hosts;
        let first = self.placement.hosts.first().map(group)?;
        let ratio = taper.injection / taper.outward;
        if ratio < NARROW || self.placement.hosts.iter().all(|host| group(host) == first) {
            return None;
        }
        Some(format!(
            "two groups of this dragonfly are joined by {}, and the {} hosts of a group can send {ratio:.0} times as much as all \
             cables out of it carry: traffic between groups is slowed accordingly; if the machine has more cables, write \
             `group-links`",
            bits(taper.between_two),
            taper.hosts,
        ))
    }

    /// A model that takes nothing from a platform that was named.
    fn ignored(&self) -> Option<String> {
        let Network::LogGops(letters) = &self.model.network else { return None };
        let (latency, bandwidth) = self.route().filter(|_| self.platform_named)?;
        if ratio(letters.latency, latency).max(ratio(1.0 / letters.gap_per_byte, bandwidth)) < ANOTHER_NETWORK
        {
            return None;
        }
        Some(format!(
            "the model `loggops` takes nothing from the platform, whose hosts are {} and {} apart: it has L = {} and G = {:.3} ns \
             per byte ({}); write `L` and `G` in a [model] table",
            micros(latency),
            bits(bandwidth),
            micros(letters.latency),
            letters.gap_per_byte * 1e9,
            bits(1.0 / letters.gap_per_byte),
        ))
    }

    /// Latency and bandwidth between the first two hosts that have ranks.
    fn route(&self) -> Option<(f64, f64)> {
        let first = *self.placement.hosts.first()?;
        let other = *self.placement.hosts.iter().find(|&&host| host != first)?;
        let mut links = Vec::new();
        let latency = self.platform.route(first, other, &mut links);
        let bandwidths = links.iter().map(|&link| self.platform.link(link).bandwidth);
        Some((latency, bandwidths.fold(f64::INFINITY, f64::min)))
    }

    /// The host with the most ranks for its cores, and how many they are.
    fn fullest(&self) -> Option<(HostId, usize)> {
        let mut hosts = self.placement.hosts.clone();
        hosts.sort_unstable();
        let ranks = hosts.chunk_by(|a, b| a == b).map(|same| (same[0], same.len()));
        let load =
            |&(host, ranks): &(HostId, usize)| ranks as f64 / f64::from(self.platform.host(host).cores);
        // The first of those that are equally full.
        ranks.reduce(|most, one| if load(&one) > load(&most) { one } else { most })
    }
}

/// How many times one is of the other, whichever is more.
fn ratio(one: f64, other: f64) -> f64 {
    if one == other { 1.0 } else { (one / other).max(other / one) }
}

fn bits(bytes_per_second: f64) -> String {
    match bytes_per_second * 8.0 {
        bits if bits >= 1e9 => format!("{} Gbit/s", rounded(bits / 1e9)),
        bits if bits >= 1e6 => format!("{} Mbit/s", rounded(bits / 1e6)),
        bits => format!("{} bit/s", rounded(bits)),
    }
}

fn micros(seconds: f64) -> String {
    match seconds {
        _ if seconds < 1.0 => format!("{} µs", rounded(seconds * 1e6)),
        _ => format!("{} s", rounded(seconds)),
    }
}

/// Up to three digits behind the point, none that says nothing.
fn rounded(number: f64) -> f64 {
    (number * 1e3).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::Mapping;

    /// The doubts about so many ranks on a platform.
    fn doubts(platform: &str, model: &str, ranks: u32, per_node: Option<u32>) -> String {
        let platform = match platform.contains('\n') {
            true => Platform::from_text("test", platform).unwrap(),
            false => Platform::load(platform, ranks).unwrap(),
        };
        let (model, _) = Model::resolve(model, platform.settings(), (100e-6, 125e6)).unwrap();
        let placement = Placement::new(&platform, ranks, &[], per_node, Mapping::BySlot).unwrap();
        let situation =
            Situation { platform: &platform, platform_named: true, model: &model, placement: &placement };
        situation.doubts().join("\n")
    }

    fn cluster(more: &str, model: &str) -> String {
        let hosts = "[cluster]\nhosts = 4\ncores = 4\nspeed = \"10Gf\"\n";
        format!("{hosts}{more}\n[model]\n{model}\n")
    }

    const GIGABIT: &str = "bandwidth = \"1Gbps\"\nlatency = \"50us\"";
    const FAST: &str = "bandwidth = \"200Gbps\"\nlatency = \"500ns\"";
    const LOOPBACK: &str = "\nloopback = { bandwidth = \"8GBps\", latency = \"300ns\" }";

    #[test]
    fn what_is_given_and_measured_is_not_doubted() {
        for (platform, ranks) in [("cluster:4", 4), ("griffon", 16), ("torus:4x4", 16), ("fat-tree:4x4", 16)]
        {
            assert_eq!(doubts(platform, "flow", ranks, Some(1)), "", "{platform}");
        }
        assert_eq!(doubts(&cluster(&format!("{GIGABIT}{LOOPBACK}"), ""), "flow", 8, Some(2)), "");
    }

    #[test]
    fn ranks_that_share_a_host_need_a_loopback() {
        let silent = cluster(GIGABIT, "");
        assert!(doubts(&silent, "flow", 8, Some(2)).contains("has no `loopback`"));
        assert_eq!(doubts(&silent, "flow", 4, Some(1)), "");
        assert_eq!(doubts(&silent, "bus", 8, Some(2)), "");
        assert_eq!(doubts(&cluster(GIGABIT, "loopback-bandwidth = \"5GBps\""), "flow", 8, Some(2)), "");
        assert!(doubts(&silent, "loggops", 8, Some(2)).contains("knows no memory"));
        let xml = "<platform version=\"4.1\">\n<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-3\" speed=\"1Gf\" core=\"4\" \
                   bw=\"125MBps\" lat=\"50us\"/></platform>";
        assert!(doubts(xml, "simgrid", 8, Some(2)).contains("through the network"));
        let given = xml.replace("core=", "loopback_bw=\"8GBps\" loopback_lat=\"1us\" core=");
        assert_eq!(doubts(&given, "simgrid", 8, Some(2)), "");
    }

    #[test]
    fn models_that_pass_over_the_inside_of_hosts_say_so() {
        let node = "cluster:2,cores=4,sockets=2";
        assert_eq!(doubts(node, "flow", 8, None), "");
        assert_eq!(doubts(node, "packet", 8, None), "");
        for model in ["bus", "smp", "loggops"] {
            assert!(doubts(node, model, 8, None).contains("[node] is left aside"), "{model}");
            assert!(doubts("cluster:2,interfaces=2", model, 2, None).contains("2 interfaces"), "{model}");
        }
    }

    #[test]
    fn factors_are_of_the_network_they_were_measured_on() {
        for model in ["flow:factors", "flow:affine", "flow:best-fit", "flow:no-contention", "simgrid"] {
            let said = doubts(&cluster(FAST, ""), model, 4, Some(1));
            assert!(
                said.contains("TCP over 1 Gbit/s Ethernet") && said.contains("200 Gbit/s and 1 µs"),
                "{said}"
            );
        }
        let own = "segments = [{ above = 0, latency = 1.0, bandwidth = 0.95 }]";
        assert_eq!(doubts(&cluster(FAST, own), "flow", 4, Some(1)), "");
        let calibrated = format!("{own}\ncalibrated-bandwidth = \"10Gbps\"");
        assert!(doubts(&cluster(FAST, &calibrated), "flow", 4, Some(1)).contains("another network"));
        assert!(
            doubts(&cluster("bandwidth = \"1Gbps\"\nlatency = 0", ""), "flow:factors", 4, Some(1))
                .contains("0 µs")
        );
        assert_eq!(doubts(&cluster(FAST, ""), "bus", 4, Some(1)), "");
        assert!(
            doubts(&cluster(FAST, ""), "loggops", 4, Some(1))
                .contains("G = 6.000 ns per byte (1.333 Gbit/s)")
        );
    }

    #[test]
    fn groups_with_one_cable_between_them_are_doubted_where_ranks_use_it() {
        let said = doubts("dragonfly:4x2x4x4", "flow", 128, Some(1));
        assert!(
            said.contains("joined by 1 Gbit/s") && said.contains("32 hosts") && said.contains("11 times"),
            "{said}"
        );
        assert_eq!(doubts("dragonfly:4x2x4x4", "flow", 32, Some(1)), "");
    }

    #[test]
    fn crowded_hosts_and_other_cores_are_doubted() {
        let said = doubts("cluster:2", "flow", 8, Some(4));
        assert!(said.contains("host-0 has 4 ranks and 1 core"), "{said}");
        let platform = Platform::load("cluster:2", 2).unwrap();
        let (model, _) = Model::resolve("flow", platform.settings(), (1e-6, 1e8)).unwrap();
        let placement = Placement::new(&platform, 2, &[], None, Mapping::BySlot).unwrap();
        let situation =
            Situation { platform: &platform, platform_named: false, model: &model, placement: &placement };
        assert_eq!(situation.computation(1e12), None);
    }

    #[test]
    fn other_cores_are_doubted_from_a_factor_of_two_on_and_nominal_speeds_always() {
        let said = |hosts: &str, speed: f64| {
            let platform =
                Platform::from_text("test", &cluster(GIGABIT, "").replace("speed = \"10Gf\"", hosts))
                    .unwrap();
            let (model, _) = Model::resolve("flow", platform.settings(), (1e-6, 1e8)).unwrap();
            let placement = Placement::new(&platform, 2, &[], None, Mapping::BySlot).unwrap();
            let situation =
                Situation { platform: &platform, platform_named: true, model: &model, placement: &placement };
            situation.computation(speed)
        };
        let (nominal, sustained) = ("speed = \"10Gf\"", "speed = \"40Gf\"\nsustained = \"10Gf\"");
        assert!(
            said(nominal, 1e12)
                .unwrap()
                .contains("100 times slower than the one computation was measured on, as far as")
        );
        assert!(
            said(sustained, 1e12)
                .unwrap()
                .contains("100 times slower than the one computation was measured on:")
        );
        assert!(said(sustained, 4e9).unwrap().contains("2.5 times faster"));
        assert_eq!(said(sustained, 6e9), None);
        assert!(said(nominal, 6e9).unwrap().contains("nominal speed"));
        assert_eq!(said(nominal, 10e9), None);
        assert_eq!(said("speed = \"host\"", 6e9), None);
    }
}
