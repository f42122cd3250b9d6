//! Figures of a whole network: bisection bandwidth, diameter, latency by the number of links.
//!
//! A platform that is one regular network has formulas for the first two. Others are measured along their routes: all pairs of
//! hosts of small platforms, a sample of large ones. The time is bounded whatever the size.

use std::collections::BTreeMap;

use crate::fabric::{Fabric, Role};
use crate::host::HostId;
use crate::platform::Platform;
use crate::zone::{Zone, ZoneKind};

/// Up to this many hosts all pairs are looked at.
const ALL_PAIRS: u32 = 300;
/// Otherwise as many pairs as this, drawn at random.
const SAMPLE: usize = 20_000;
/// Links that a sample crosses at the most: routes of large tori are long.
const MOST_LINKS: usize = 20_000_000;

/// How a figure was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// From the parameters of a regular network.
    Formula,
    /// From the routes of all pairs of hosts.
    AllPairs,
    /// From the routes of as many pairs.
    Sample(usize),
}

impl std::fmt::Display for Method {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Method::Formula => out.write_str("by formula"),
            Method::AllPairs => out.write_str("all pairs"),
            Method::Sample(pairs) => write!(out, "sample of {pairs} pairs"),
        }
    }
}

/// Pairs of hosts whose routes have the same number of links.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HopClass {
    /// The number of links.
    pub links: usize,
    /// The number of pairs that were looked at.
    pub pairs: usize,
    /// Their share of all that were looked at.
    pub share: f64,
    /// Seconds, the least.
    pub least: f64,
    /// Seconds, the median.
    pub median: f64,
    /// Seconds, the most.
    pub most: f64,
}

/// The longest way between two hosts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Diameter {
    /// Its links.
    pub links: usize,
    /// Its latency in seconds.
    pub latency: f64,
    /// How it was found.
    pub method: Method,
}

/// The figures of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkFigures {
    /// Bytes per second, in one direction, from one half of the hosts to the other; none for a single host.
    pub bisection: Option<(f64, Method)>,
    /// The longest way.
    pub diameter: Option<Diameter>,
    /// Latencies by the number of links.
    pub by_links: Vec<HopClass>,
    /// How the latencies were found.
    pub method: Method,
}

impl Platform {
    /// Measures the network between its hosts.
    pub fn network_figures(&self) -> NetworkFigures {
        let (pairs, method) = self.pairs_to_measure();
        let (by_links, looked_at) = self.by_links(&pairs);
        let method = if looked_at < pairs.len() { Method::Sample(looked_at) } else { method };
        let measured =
            by_links.last().map(|class| Diameter { links: class.links, latency: class.most, method });
        NetworkFigures {
            bisection: self.bisection(),
            diameter: self.farthest().or(measured),
            by_links,
            method,
        }
    }

    /// The fabric, if it is the whole platform.
    fn whole_fabric(&self) -> Option<&Fabric> {
        match self.zones() {
            [Zone { kind: ZoneKind::Fabric(fabric), .. }] => Some(fabric),
            _ => None,
        }
    }

    fn farthest(&self) -> Option<Diameter> {
        let (src, dst) = self.whole_fabric()?.farthest().filter(|(src, dst)| src != dst)?;
        let mut links = Vec::new();
        let latency = self.route(HostId(src), HostId(dst), &mut links);
        Some(Diameter { links: links.len(), latency, method: Method::Formula })
    }

    fn bisection(&self) -> Option<(f64, Method)> {
        if self.host_count() < 2 {
            return None;
        }
        let formula = self.whole_fabric().and_then(|fabric| {
            let classes = fabric.layout().classes();
            let rate = |role: Role| {
                let class = classes.iter().find(|class| class.role == role && class.links > 0);
                class.map_or(0.0, |class| class.cable.spec.bandwidth)
            };
            fabric.bisection(&rate)
        });
        formula.map(|bandwidth| (bandwidth, Method::Formula)).or_else(|| Some(self.halves()))
    }

    /// Total rate from hosts of the first half to those of the second if each sends equally to all: the most loaded
    /// link limits all of them.
    fn halves(&self) -> (f64, Method) {
        let half = self.host_count() / 2;
        let all = u64::from(half) * u64::from(self.host_count() - half);
        let (pairs, method) = if all <= SAMPLE as u64 {
            let pairs = (0..half).flat_map(|src| (half..self.host_count()).map(move |dst| (src, dst)));
            (pairs.collect::<Vec<_>>(), Method::AllPairs)
        } else {
            let mut random = Random::new();
            let (first, rest) = (half, self.host_count() - half);
            let draw = |_| (random.below(first), half + random.below(rest));
            ((0..SAMPLE).map(draw).collect(), Method::Sample(SAMPLE))
        };
        let (mut load, mut route) = (BTreeMap::new(), Vec::new());
        for &(src, dst) in &pairs {
            self.links_between(HostId(src), HostId(dst), &mut route);
            route.iter().for_each(|link| *load.entry(*link).or_insert(0u32) += 1);
        }
        let seconds = load.iter().map(|(link, messages)| f64::from(*messages) / self.link(*link).bandwidth);
        (pairs.len() as f64 / seconds.fold(0.0, f64::max), method)
    }

    fn pairs_to_measure(&self) -> (Vec<(u32, u32)>, Method) {
        let hosts = self.host_count();
        if hosts <= ALL_PAIRS {
            let pairs = (0..hosts).flat_map(|src| (0..hosts).map(move |dst| (src, dst)));
            return (pairs.filter(|(src, dst)| src != dst).collect(), Method::AllPairs);
        }
        let mut random = Random::new();
        let draw = |_| {
            let src = random.below(hosts);
            (src, (src + 1 + random.below(hosts - 1)) % hosts)
        };
        ((0..SAMPLE).map(draw).collect(), Method::Sample(SAMPLE))
    }

    /// Latencies by the number of links, and how many pairs were looked at.
    fn by_links(&self, pairs: &[(u32, u32)]) -> (Vec<HopClass>, usize) {
        let mut latencies: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        let (mut route, mut crossed, mut looked_at) = (Vec::new(), 0, 0);
        for &(src, dst) in pairs {
            if crossed > MOST_LINKS {
                break;
            }
            let latency = self.route(HostId(src), HostId(dst), &mut route);
            latencies.entry(route.len()).or_default().push(latency);
            crossed += route.len();
            looked_at += 1;
        }
        let class = |(links, mut latencies): (usize, Vec<f64>)| {
            latencies.sort_by(f64::total_cmp);
            let pairs = latencies.len();
            let share = pairs as f64 / looked_at as f64;
            HopClass {
                links,
                pairs,
                share,
                least: latencies[0],
                median: latencies[pairs / 2],
                most: latencies[pairs - 1],
            }
        };
        (latencies.into_iter().map(class).collect(), looked_at)
    }
}

/// A small generator (Steele, Lea and Flood 2014, SplitMix64): the same pairs every time.
struct Random(u64);

impl Random {
    fn new() -> Random {
        Random(0)
    }

    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        // The upper bits of a product, without a division; the bias of 2⁻³² does not matter here.
        (((mixed >> 32) * u64::from(limit)) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(spec: &str) -> NetworkFigures {
        Platform::load(spec, 4).unwrap().network_figures()
    }

    /// Formulas of the diameter are the longest of all routes.
    #[test]
    fn formulas_of_the_diameter_are_those_of_the_routes() {
        for spec in [
            "cluster:9",
            "fat-tree:4x4",
            "fat-tree:2x3x4",
            "torus:5x4",
            "torus:3x2x4",
            "dragonfly:4x2x4x2",
            "dragonfly:7x2x3x1",
            "dragonfly:1x3x2x2",
            "dragonfly:2x1x4x1",
            "dragonfly:2x1x1x2",
            "dragonfly-plus:3x2x2x2",
            "dragonfly-plus:1x3x2x2",
            "dragonfly-plus:1x1x2x3",
            "dgx-h100:1",
            "dgx-h100:3",
            "dgx-a100:40",
            "full:5",
            "griffon",
            "gdx",
        ] {
            let platform = Platform::load(spec, 4).unwrap();
            let formula = platform.network_figures().diameter.unwrap();
            let longest = platform
                .by_links(
                    &(0..platform.host_count())
                        .flat_map(|src| {
                            (0..platform.host_count())
                                .filter(move |dst| *dst != src)
                                .map(move |dst| (src, dst))
                        })
                        .collect::<Vec<_>>(),
                )
                .0;
            let longest = longest.last().unwrap();
            assert_eq!(formula.links, longest.links, "{spec}");
            assert!((formula.latency - longest.most).abs() < 1e-12, "{spec}");
        }
    }

    #[test]
    fn bisections_are_those_of_the_textbook() {
        // In cables of 125 MB/s.
        for (spec, cables) in [
            ("cluster:8", 4.0),
            ("fat-tree:4x4", 8.0),
            ("torus:8x4", 8.0),
            ("torus:4x4x4", 32.0),
            ("torus:2x2", 2.0),
            ("dragonfly:4x2x4x4", 4.0),
            ("dragonfly:1x1x4x1", 2.0),
            // Four pairs of groups across the cut, of two cables; as narrow as the leaf switches; half of the hosts.
            ("dragonfly-plus:4x4x2x4", 8.0),
            ("dragonfly-plus:1x4x2x4", 4.0),
            ("dragonfly-plus:4x2x8x1", 4.0),
            ("full:4", 4.0),
        ] {
            let (bandwidth, method) = figures(spec).bisection.unwrap();
            assert_eq!((bandwidth / 125e6, method), (cables, Method::Formula), "{spec}");
        }
        assert_eq!(figures("cluster:1").bisection, None);
        assert_eq!(figures("griffon").bisection.unwrap().0, 3.0 * 1.25e9 / 2.0);
    }

    #[test]
    fn other_platforms_are_measured_along_their_routes() {
        let host = |name: &str| format!("[[host]]\nname = '{name}'\nspeed = '1Gf'\n");
        let mut text = "routing = 'shortest'\n".to_owned();
        text.extend(["a", "b", "c", "d"].map(host));
        text.push_str("[[router]]\nname = 'x'\n[[router]]\nname = 'y'\n");
        for (from, to, rate) in [("a", "x", 4), ("b", "x", 4), ("c", "y", 4), ("d", "y", 4), ("x", "y", 2)] {
            text.push_str(&format!(
                "[[link]]\nname = '{from}{to}'\nbandwidth = '{rate}GBps'\nlatency = '1us'\n"
            ));
            text.push_str(&format!("[[route]]\nfrom = '{from}'\nto = '{to}'\nlinks = ['{from}{to}:up']\n"));
        }
        let figures = Platform::from_text("t.toml", &text).unwrap().network_figures();
        let (bandwidth, method) = figures.bisection.unwrap();
        assert_eq!((bandwidth.round(), method), (2e9, Method::AllPairs));
        assert_eq!(
            figures.by_links.iter().map(|class| (class.links, class.pairs)).collect::<Vec<_>>(),
            [(2, 4), (3, 8)]
        );
        assert_eq!(figures.diameter.unwrap().links, 3);
    }

    #[test]
    fn a_million_hosts_are_sampled() {
        let figures = figures("torus:100x100x100");
        assert_eq!((figures.method, figures.diameter.unwrap().links), (Method::Sample(SAMPLE), 150));
        assert_eq!(figures.bisection.unwrap().0, 20_000.0 * 125e6);
        assert!((figures.by_links.iter().map(|class| class.share).sum::<f64>() - 1.0).abs() < 1e-9);
    }
}
