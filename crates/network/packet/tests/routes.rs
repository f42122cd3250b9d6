//! Networks with several routes: who takes which.

mod common;

use common::*;
use mpirage_packet::{
    LinkLayer, LosslessParameters, PacketNetwork, PacketOrder, RdmaEndpoint, RdmaSettings, Routing,
};

const FRAME: f64 = 4096.0 + 26.0 + 2.0;

/// A fat tree of 5 leaves with 4 hosts and 4 ways up each.
const TREE: &str =
    "[fat-tree]\ndown = [4, 5]\nup = [1, 4]\nspeed = '1Gf'\nbandwidth = '1GBps'\nlatency = '1us'";

/// Hosts of one leaf of a fat tree send to hosts whose static routes share a way up.
fn permutation(routing: Routing) -> (f64, usize) {
    let text = "[fat-tree]\ndown = [4, 5]\nup = [1, 4]\nspeed = '1Gf'\nbandwidth = '1GBps'\nlatency = '1us'";
    let platform = platform(text);
    let links = LosslessParameters::infiniband().with_links(|links| links.routing = routing);
    let mut network = lossless(&platform, links, RdmaSettings::infiniband());
    let messages: Vec<_> = (0..4).map(|from| message(from, 4 + 4 * from, 300 * 4096)).collect();
    let took = run_nanos(&mut network, &messages).into_iter().fold(0.0, f64::max);
    let busy = network.link_counts().filter(|(_, counts)| counts.bytes > 300 * 4096 / 8).count();
    (took, busy)
}

#[test]
fn adaptive_routing_spreads_a_permutation_over_the_ways_up() {
    let least = 300.0 * FRAME;
    let (fixed, fixed_links) = permutation(Routing::Static);
    let (adaptive, adaptive_links) = permutation(Routing::Adaptive(4));
    assert!(fixed > 3.9 * least, "all share one way: {fixed} {least}");
    assert!(adaptive < 1.2 * least, "{adaptive} {least}");
    // Four hosts' links up and down, and one way up and four down, or four of each and more.
    assert_eq!(fixed_links, 13);
    assert!(adaptive_links > 16, "{adaptive_links}");
}

/// Every host of the first leaf sends to every host of the others. Gives the share of each way up of the leaf.
fn shares<L: LinkLayer>(network: &mut PacketNetwork<RdmaEndpoint, L>) -> Vec<f64> {
    let pairs = (0..4).flat_map(|from| (4..20).map(move |to| message(from, to, 10 * 4096)));
    run_nanos(network, &pairs.collect::<Vec<_>>());
    let tree = platform(TREE);
    let ups = (0..tree.link_count()).map(mpirage_platform::LinkId).filter(|link| {
        let ends = tree.link_ends(*link).expect("a cable");
        (ends[0].level, ends[0].position, ends[1].level) == (1, 0, 2)
    });
    let bytes = |link| {
        let mut counts = network.link_counts();
        counts.find(|(other, _)| *other == link).map_or(0, |(_, counts)| counts.bytes) as f64
    };
    let bytes: Vec<f64> = ups.map(bytes).collect();
    let all: f64 = bytes.iter().sum();
    bytes.into_iter().map(|bytes| bytes / all).collect()
}

/// The frames that crossed all links.
fn frames<L: LinkLayer>(network: &PacketNetwork<RdmaEndpoint, L>) -> u64 {
    network.link_counts().map(|(_, counts)| counts.frames).sum()
}

#[test]
fn multipath_spreads_connections_over_links_of_both_kinds_and_keeps_frames_in_order() {
    // A frame out of order would be sent again.
    let settings = RdmaSettings { order: PacketOrder::Strict, ..RdmaSettings::infiniband() };
    let mut counted = Vec::new();
    let mut check = |shares: Vec<f64>, frames: u64| {
        assert_eq!(shares.len(), 4);
        assert!(shares.iter().all(|share| (0.1..0.45).contains(share)), "{shares:?}");
        counted.push(frames);
    };
    let links = LosslessParameters::infiniband().with_links(|links| links.routing = Routing::Ecmp(4));
    let mut network = lossless(&platform(TREE), links, settings);
    check(shares(&mut network), frames(&network));
    let mut parameters = parameters();
    parameters.links.routing = Routing::Ecmp(4);
    let mut network = PacketNetwork::<RdmaEndpoint>::new(platform(TREE), parameters, settings.into());
    check(shares(&mut network), frames(&network));
    // 64 messages of 10 frames over 4 links each, and as many acknowledgements of messages.
    assert_eq!(counted, [64 * 11 * 4; 2]);
}

/// Hosts of the first group of a dragonfly all send to the second.
fn groups(routing: Routing) -> f64 {
    let text = "[dragonfly]\ngroups = 5\nchassis = 1\nrouters = 5\nnodes = 2\nspeed = '1Gf'\n\
                bandwidth = '1GBps'\nlatency = '100ns'";
    let links = LosslessParameters { lanes: 6, lane_per_hop: true, ..LosslessParameters::infiniband() }
        .with_links(|links| links.routing = routing);
    let mut network = lossless(&platform(text), links, RdmaSettings::infiniband());
    let messages: Vec<_> = (0..10).map(|from| message(from, 10 + from, 100 * 4096)).collect();
    run_nanos(&mut network, &messages).into_iter().fold(0.0, f64::max)
}

#[test]
fn adaptive_routes_pass_other_groups_where_the_direct_link_is_congested() {
    let (fixed, adaptive) = (groups(Routing::Static), groups(Routing::Adaptive(4)));
    assert!(fixed > 10.0 * 100.0 * FRAME, "one link carries all: {fixed}");
    assert!(adaptive < 0.6 * fixed, "{adaptive} {fixed}");
}
