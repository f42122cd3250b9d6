//! Routes of the topologies by formula: golden ones, and what holds for every size.

use mpirage_platform::{HostId, Interface, LinkId, Platform, Topology};
use proptest::prelude::*;

fn load(spec: &str) -> Platform {
    Platform::load(spec, 4).unwrap_or_else(|error| panic!("{error}"))
}

fn parse(text: &str) -> Platform {
    Platform::from_text("test.toml", text).unwrap_or_else(|error| panic!("{error}"))
}

fn route(platform: &Platform, src: u32, dst: u32) -> Vec<String> {
    let mut links = Vec::new();
    platform.route(HostId(src), HostId(dst), &mut links);
    links.iter().map(|link| platform.link(*link).name()).collect()
}

#[test]
fn a_cluster_goes_up_and_down() {
    let platform = load("cluster:3");
    assert_eq!(route(&platform, 0, 2), ["cluster_link_0_UP", "cluster_link_2_DOWN"]);
    assert_eq!(route(&platform, 1, 1), ["cluster_link_1_loopback"]);
    assert_eq!(platform.link_count(), 9);
}

#[test]
fn ports_of_a_switch_are_all_links_of_a_route() {
    let mut routes = 0;
    for spec in ["cluster:4", "fat-tree:2x2", "torus:2x2", "griffon"] {
        let platform = load(spec);
        for (src, dst) in
            (0..4).flat_map(|src| (0..4).map(move |dst| (src, dst))).filter(|(src, dst)| src != dst)
        {
            let ends = (platform.switch_port(HostId(src)), platform.switch_port(HostId(dst)));
            let (Some(from), Some(to)) = ends else { continue };
            let mut links = Vec::new();
            platform.route(HostId(src), HostId(dst), &mut links);
            assert_eq!((links, from.switch), (vec![from.up, to.down], to.switch), "{spec}");
            routes += 1;
        }
    }
    assert_eq!(routes, 12);
}

#[test]
fn interfaces_have_cables_of_their_own_and_sizes_count_hosts() {
    let between = |platform: &Platform, src: (u32, u8), dst: (u32, u8)| {
        let [src, dst] = [src, dst].map(|(host, nth)| Interface { host: HostId(host), nth });
        let mut links = Vec::new();
        platform.links_between(src, dst, &mut links);
        links.iter().map(|link| platform.link(*link).name()).collect::<Vec<_>>()
    };
    let platform = load("cluster:3,interfaces=2");
    assert_eq!(
        (platform.host_count(), platform.interfaces().count(platform.host_count()), platform.link_count()),
        (3, 6, 15)
    );
    assert_eq!(between(&platform, (0, 1), (2, 0)), ["cluster_link_0.1_UP", "cluster_link_2.0_DOWN"]);
    assert_eq!(between(&platform, (1, 0), (1, 1)), ["cluster_link_1_loopback"]);
    assert_eq!(platform.find_host("host-2"), Some(HostId(2)));
    assert_eq!(platform.links_of_host(HostId(1)).len(), 4);
    assert_eq!(platform.topology(), Topology::Cluster { hosts: 3, backbone: false });

    // Hosts 0 to 3 are at the first leaf switch, with eight cables.
    let platform = load("fat-tree:4x2,interfaces=2");
    let down = Topology::FatTree { down: vec![4, 2], up: vec![1, 8], parallel: vec![1, 1] };
    assert_eq!((platform.host_count(), platform.topology()), (8, down));
    for (src, dst, links) in [((0, 0), (3, 1), 2), ((3, 1), (4, 0), 4)] {
        assert_eq!(between(&platform, src, dst).len(), links);
        assert_eq!(between(&platform, dst, src).len(), links);
    }
    assert_eq!(platform.route_choices(HostId(3), HostId(4)), 8);
    let figures = platform.network_figures();
    assert_eq!(figures.bisection.map(|(rate, _)| rate), Some(8.0 * 125e6));

    assert_eq!(platform.doubtful_routes(), [""; 0]);

    // Rails: eight hosts on two switches, of which one has all first interfaces.
    let platform = load("fat-tree:4x4,interfaces=2,interface-switches=different");
    assert_eq!(platform.host_count(), 16);
    for (src, dst, links) in
        [((0, 0), (7, 0), 2), ((0, 1), (7, 1), 2), ((0, 0), (7, 1), 4), ((7, 0), (8, 0), 4)]
    {
        assert_eq!(between(&platform, src, dst).len(), links);
    }
    assert_eq!(platform.links_of_host(HostId(9)).len(), 4);

    // Rails of a Dragonfly+: the second interfaces of a group's first hosts are on its second leaf switch.
    let platform = load("dragonfly-plus:2x2x2x3,interfaces=2,interface-switches=different");
    assert_eq!((platform.host_count(), platform.links_of_host(HostId(4)).len()), (12, 4));
    for (src, dst, links) in [((0, 0), (5, 0), 2), ((0, 0), (5, 1), 4), ((5, 1), (6, 1), 5)] {
        assert_eq!(between(&platform, src, dst).len(), links);
    }

    let platform = load("dragonfly:3x1x2x2,interfaces=4");
    assert_eq!((platform.host_count(), platform.interfaces().count(platform.host_count())), (12, 48));
    assert_eq!(platform.group_taper().map(|taper| (taper.hosts, taper.injection)), Some((4, 16.0 * 125e6)));
}

#[test]
fn without_a_loopback_a_message_to_oneself_crosses_nothing() {
    let platform = parse("[cluster]\nhosts = 2\nspeed = 1e9\nbandwidth = '1Gbps'\nlatency = '1us'");
    assert_eq!(route(&platform, 1, 1), [""; 0]);
    let mut links = vec![LinkId(7)];
    assert_eq!(platform.route(HostId(1), HostId(1), &mut links).to_bits(), 0.0f64.to_bits());
    assert!(links.is_empty());
}

#[test]
fn griffon_crosses_three_switches_between_cabinets() {
    let platform = load("griffon");
    assert_eq!(platform.host_count(), 92);
    assert_eq!(platform.host(HostId(0)).name(), "griffon-1.nancy.grid5000.fr");
    assert_eq!(platform.topology(), Topology::Cabinets { sizes: vec![33, 27, 32] });
    assert_eq!(route(&platform, 0, 32), ["griffon_link_1_UP", "griffon_link_33_DOWN"]);
    let far =
        ["griffon_link_33_UP", "griffon_cabinet_1_UP", "griffon_cabinet_2_DOWN", "griffon_link_34_DOWN"];
    assert_eq!(route(&platform, 32, 33), far);
}

#[test]
fn gdx_has_18_switches() {
    let platform = load("gdx");
    let Topology::Cabinets { sizes } = platform.topology() else { panic!() };
    assert_eq!((sizes.len(), sizes.iter().sum::<u32>()), (18, 312));
    assert_eq!(route(&platform, 0, 311).len(), 4);
}

#[test]
fn a_fat_tree_built_in_is_simgrids_of_full_bisection() {
    let ours = load("fat-tree:8x8");
    let theirs = Platform::from_text(
        "t.xml",
        r#"<platform version="4.1"><cluster id="c" prefix="n" suffix="" radical="0-63" speed="10Gf" bw="1Gbps"
           lat="50us" topology="FAT_TREE" topo_parameters="2;8,8;1,8;1,1" loopback_bw="10GBps"/></platform>"#,
    )
    .unwrap();
    for src in 0..64 {
        for dst in (0..64).filter(|dst| *dst != src) {
            assert_eq!(route(&ours, src, dst), route(&theirs, src, dst));
        }
    }
}

#[test]
fn our_dragonfly_stays_in_its_chassis() {
    let platform = load("dragonfly:2x2x3x1");
    // Both in chassis 1 of group 0: one hop inside it.
    let inside = route(&platform, 3, 5);
    assert_eq!(inside.len(), 3, "{inside:?}");
    assert!(inside[1].starts_with("green_link_in_chassis_1_between_routers_0_and_2"), "{inside:?}");
}

/// A Dragonfly+ with cables that no default gives.
fn dragonfly_plus(shape: &str) -> Platform {
    parse(&format!("[dragonfly-plus]\n{shape}\nspeed = '1Gf'\nbandwidth = '100Gbps'\nlatency = '1us'\n"))
}

#[test]
fn a_dragonfly_plus_goes_over_spines() {
    let platform = load("dragonfly-plus:3x2x4x5");
    // Host 7 of group 0 is on leaf switch 1; the destination's number, modulo 4, chooses the spine.
    assert_eq!(route(&platform, 5, 7), ["dragonfly-plus_link_5_UP", "dragonfly-plus_link_7_DOWN"]);
    let within = [
        "dragonfly-plus_link_0_UP",
        "dragonfly-plus_group_0_leaf_0_spine_3_cable_0_UP",
        "dragonfly-plus_group_0_leaf_1_spine_3_cable_0_DOWN",
        "dragonfly-plus_link_7_DOWN",
    ];
    assert_eq!(route(&platform, 0, 7), within);
    let between = [
        "dragonfly-plus_link_29_UP",
        "dragonfly-plus_group_2_leaf_1_spine_2_cable_0_UP",
        "dragonfly-plus_groups_0_2_cable_2_DOWN",
        "dragonfly-plus_group_0_leaf_0_spine_2_cable_0_DOWN",
        "dragonfly-plus_link_2_DOWN",
    ];
    assert_eq!(route(&platform, 29, 2), between);
}

#[test]
fn devices_change_rails_inside_their_node() {
    let platform = parse(
        "[rails]\nnodes = 4\nunit = 2\ndevices = 2\nspines = 3\nspeed = '1Tf'\nbandwidth = '400Gbps'\nlatency = '1us'
        inside = { bandwidth = '400GBps', latency = '300ns' }",
    );
    assert_eq!(route(&platform, 0, 1), ["test_link_0_inside_UP", "test_link_1_inside_DOWN"]);
    assert_eq!(route(&platform, 1, 3), ["test_link_1_UP", "test_link_3_DOWN"]);
    // Device 6 is the first of node 3, in the second unit; the node's number, modulo 3, chooses the spine.
    let far = [
        "test_link_1_inside_UP",
        "test_link_0_inside_DOWN",
        "test_link_0_UP",
        "test_unit_0_rail_0_spine_0_UP",
        "test_unit_1_rail_0_spine_0_DOWN",
        "test_link_6_DOWN",
    ];
    assert_eq!(route(&platform, 1, 6), far);
}

/// Nodes of devices on a network of switches; devices that follow each other share an interface.
fn nodes_of_devices(network: &str) -> Result<Platform, String> {
    let text = format!(
        "{network}\nspeed = '1Tf'\nbandwidth = '200Gbps'\nlatency = '1us'\ninside = {{ bandwidth = '100GBps', latency = '300ns' }}"
    );
    Platform::from_text("test.toml", &text).map_err(|error| error.to_string())
}

#[test]
fn devices_of_a_node_share_its_interfaces() {
    let platform = nodes_of_devices("[cluster]\nhosts = 3\ndevices = 4\ninterfaces = 2").unwrap();
    assert_eq!(platform.host_count(), 12);
    assert_eq!(route(&platform, 5, 6), ["test_link_5_inside_UP", "test_link_6_inside_DOWN"]);
    // Devices 2 and 3 have the second interface of node 0, devices 8 and 9 the first one of node 2.
    for src in [2, 3] {
        for dst in [8, 9] {
            assert_eq!(route(&platform, src, dst), ["test_link_2_UP", "test_link_8_DOWN"]);
        }
    }
    let accelerators = platform.accelerators().unwrap();
    assert_eq!(
        (accelerators.per_node, accelerators.inside, accelerators.port),
        (4, 100_000_000_000, 12_500_000_000)
    );
}

#[test]
fn interfaces_of_nodes_of_devices_may_be_on_different_switches() {
    let network = "[dragonfly]\ngroups = 2\nchassis = 1\nrouters = 4\nnodes = 3\ndevices = 4\ninterfaces = 2";
    let platform = nodes_of_devices(&format!("{network}\ninterface-switches = 'different'")).unwrap();
    // Eight switches with three nodes each.
    assert_eq!(platform.host_count(), 8 * 3 * 4);
    // The first interfaces of nodes 0 to 5 are on one switch, their second ones on the next.
    assert_eq!(route(&platform, 0, 4), ["test_link_0_UP", "test_link_4_DOWN"]);
    assert_eq!(route(&platform, 2, 10), ["test_link_2_UP", "test_link_10_DOWN"]);
    assert_eq!(route(&platform, 0, 6).len(), 3);
}

#[test]
fn devices_need_a_network_of_switches_and_their_share_of_an_interface() {
    let problem = |network: &str| nodes_of_devices(network).unwrap_err();
    assert!(problem("[torus]\ndimensions = [2, 2]\ndevices = 4").contains("need a network of switches"));
    assert!(
        problem("[cluster]\nhosts = 2\ndevices = 3\ninterfaces = 2")
            .contains("no multiple of its 2 interfaces")
    );
    assert!(problem("[cluster]\nhosts = 2").contains("`inside` is of nodes with `devices`"));
    let with_policy = "[cluster]\nhosts = 2\ndevices = 2\ninterface-policy = 'block'";
    assert!(problem(with_policy).contains("each device of a node is a host"));
}

#[test]
fn accelerators_of_public_systems_are_as_many_as_their_sources_say() {
    assert_eq!(load("frontier-gcds").host_count(), 74 * 128 * 8);
    assert_eq!(load("gh200:2688").host_count(), 10_752);
    assert_eq!(Platform::load("gh200", 5).unwrap().host_count(), 8);
    assert_eq!(load("gb200-nvl72:1").host_count(), 72);
}

#[test]
fn nodes_of_accelerators_have_eight_devices_each() {
    assert_eq!(load("dgx-h100:3").host_count(), 24);
    assert_eq!(Platform::load("dgx-a100", 20).unwrap().host_count(), 24);
    // Two units of 32 nodes.
    let classes = load("dgx-h100:64").link_classes();
    let links = |name: &str| classes.iter().find(|class| class.name == name).unwrap().links;
    assert_eq!((links("host"), links("inside nodes"), links("leaf to spine")), (1024, 1024, 2 * 2 * 8 * 32));
    assert!(Platform::load("dgx-h100:33", 1).unwrap_err().to_string().contains("no multiple of `unit` (32)"));
}

#[test]
fn links_of_a_dragonfly_plus_are_as_many_as_counted_by_hand() {
    let counts = |platform: &Platform| {
        let classes = platform.link_classes().into_iter().filter(|class| class.links > 0);
        classes.map(|class| (class.name, class.links)).collect::<Vec<_>>()
    };
    let named = |counts: [(&str, u32); 3]| counts.map(|(name, links)| (name.to_owned(), links)).to_vec();
    // In both directions: 3·2·5 hosts; 3·2 leaf switches, 4 spines and 3 parallel cables; 3 pairs of groups.
    let shape = "groups = 3\nleaves = 2\nspines = 4\nnodes = 5\nspine-links = 3";
    let (hosts, up) = (("host", 60), ("leaf to spine", 144));
    let platform = dragonfly_plus(shape);
    assert_eq!(counts(&platform), named([hosts, up, ("between groups", 24)]));
    let platform = dragonfly_plus(&format!("{shape}\ngroup-links = 7"));
    assert_eq!(counts(&platform), named([hosts, up, ("between groups", 42)]));
}

/// Every group has so many spines, and cables to other groups are dealt out to them evenly.
#[test]
fn cables_between_groups_are_spread_over_spines() {
    for (groups, spines, group_links, per_spine) in
        [(4, 3, 1, 1..=1), (4, 4, 4, 3..=3), (5, 3, 2, 2..=3), (3, 2, 5, 5..=5)]
    {
        let platform = dragonfly_plus(&format!(
            "groups = {groups}\nleaves = 2\nspines = {spines}\nnodes = 1\ngroup-links = {group_links}"
        ));
        let mut cables = vec![0; groups * spines];
        for link in platform.links() {
            let ends = platform.link_ends(link.id).unwrap();
            if ends.iter().all(|end| end.level == 2) {
                cables[ends[0].position as usize] += 1;
                assert_ne!(ends[0].position as usize / spines, ends[1].position as usize / spines);
            }
        }
        assert!(cables.iter().all(|count| per_spine.contains(count)), "{groups} groups: {cables:?}");
    }
}

#[test]
fn every_route_of_a_dragonfly_plus_is_connected_and_minimal() {
    for shape in [
        "groups = 4\nleaves = 2\nspines = 3\nnodes = 2\ngroup-links = 2\nspine-links = 2",
        "groups = 3\nleaves = 3\nspines = 2\nnodes = 3\ngroup-links = 5",
        "groups = 2\nleaves = 2\nspines = 4\nnodes = 2\ngroup-links = 1\nspine-links = 3",
    ] {
        let platform = dragonfly_plus(shape);
        let hosts = platform.host_count();
        let of = |host: u32, switch: u32| platform.link_ends(LinkId(2 * host)).unwrap()[1].position / switch;
        let leaves = if shape.contains("leaves = 3") { 3 } else { 2 };
        for (src, dst) in (0..hosts).flat_map(|src| (0..hosts).map(move |dst| (src, dst))) {
            if src == dst {
                continue;
            }
            let routes = choices(&platform, src, dst);
            let expected = match (of(src, 1) == of(dst, 1), of(src, leaves) == of(dst, leaves)) {
                (true, _) => 2,
                (false, true) => 4,
                (false, false) => 5,
            };
            for route in &routes {
                assert!(route.len() == expected && connected(&platform, route), "{shape}: {src} to {dst}");
                assert_eq!(platform.link_ends(route[0]).unwrap()[0].position, src);
                assert_eq!(platform.link_ends(route[expected - 1]).unwrap()[1].position, dst);
            }
            let different: std::collections::BTreeSet<_> = routes.iter().collect();
            assert_eq!(different.len(), routes.len(), "{shape}: {src} to {dst}");
        }
    }
}

/// Each host of a group sends to the host of the same number in another group: as many on each cable between the groups, and on each
/// cable up, as their numbers allow.
#[test]
fn traffic_between_two_groups_uses_all_their_cables() {
    let platform =
        dragonfly_plus("groups = 3\nleaves = 4\nspines = 4\nnodes = 8\ngroup-links = 8\nspine-links = 2");
    let mut load = std::collections::BTreeMap::new();
    let mut links = Vec::new();
    for host in 0..32 {
        platform.route(HostId(host), HostId(host + 64), &mut links);
        links.iter().for_each(|link| *load.entry(platform.link(*link).name()).or_insert(0) += 1);
    }
    let loads_of = |part: &str| {
        let loads = load.iter().filter(|(name, _)| name.contains(part));
        loads.map(|(_, messages)| *messages).collect::<Vec<_>>()
    };
    assert_eq!(loads_of("_groups_0_2_"), [4; 8]);
    // 4 leaf switches, 4 spines, 2 cables, on both sides.
    assert_eq!(loads_of("_leaf_"), [1; 64]);
}

#[test]
fn a_mesh_has_one_cable_per_pair() {
    let platform = load("full:4");
    assert_eq!(route(&platform, 1, 3), ["full_link_1_3_UP"]);
    assert_eq!(route(&platform, 3, 1), ["full_link_1_3_DOWN"]);
}

#[test]
fn a_built_in_without_size_has_a_host_per_rank() {
    assert_eq!(Platform::load("cluster", 7).unwrap().host_count(), 7);
}

#[test]
fn hosts_are_found_by_name() {
    for spec in [
        "cluster:5",
        "griffon",
        "torus:3x2",
        "dragonfly:2x1x2x3",
        "dragonfly-plus:2x2x3x2",
        "dgx-h100:2",
        "gh200:2",
    ] {
        let platform = load(spec);
        for host in platform.hosts() {
            assert_eq!(platform.find_host(&host.name()), Some(host.id));
        }
        assert_eq!(platform.find_host("nobody"), None);
    }
}

/// A platform of some topology, as a specification.
fn any_topology() -> impl Strategy<Value = String> {
    let sizes = |n: std::ops::Range<usize>| {
        prop::collection::vec(1u32..5, n)
            .prop_map(|s| s.iter().map(u32::to_string).collect::<Vec<_>>().join("x"))
    };
    prop_oneof![
        (1u32..40).prop_map(|n| format!("cluster:{n}")),
        sizes(2..4).prop_map(|s| format!("fat-tree:{s}")),
        sizes(1..4).prop_map(|s| format!("torus:{s}")),
        (1u32..4, 1u32..4, 4u32..6, 1u32..3).prop_map(|(g, c, r, n)| format!("dragonfly:{g}x{c}x{r}x{n}")),
        (1u32..4, 1u32..4, 1u32..4, 1u32..4)
            .prop_map(|(g, l, s, n)| format!("dragonfly-plus:{g}x{l}x{s}x{n}")),
        (1u32..5).prop_map(|n| format!("dgx-h100:{n}")),
        (1u32..9).prop_map(|n| format!("gh200:{n}")),
        (1u32..12).prop_map(|n| format!("full:{n}")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_pair_is_routed_over_distinct_links(spec in any_topology()) {
        let platform = load(&spec);
        let (mut there, mut back) = (Vec::new(), Vec::new());
        for src in platform.hosts() {
            for dst in platform.hosts().filter(|dst| dst.id != src.id) {
                let latency = platform.route(src.id, dst.id, &mut there);
                platform.route(dst.id, src.id, &mut back);
                prop_assert!(!there.is_empty() && latency > 0.0);
                prop_assert!(there.iter().all(|link| link.0 < platform.link_count()));
                let mut sorted = there.clone();
                sorted.sort_unstable();
                sorted.dedup();
                prop_assert_eq!(sorted.len(), there.len());
                if !spec.starts_with("dragonfly:") {
                    prop_assert_eq!(there.len(), back.len());
                }
            }
        }
        prop_assert!(platform.doubtful_routes().iter().all(|remark| !remark.contains("twice")));
    }

    #[test]
    fn link_names_are_distinct(spec in any_topology()) {
        // A torus axis of one host has a cable from the host to itself; two such axes, two of one name.
        prop_assume!(!spec.starts_with("torus"));
        let platform = load(&spec);
        let mut names: Vec<_> = platform.links().map(|link| link.name()).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        prop_assert_eq!(names.len(), count);
    }
}

#[test]
fn a_platform_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Platform>();
}

/// The routes between two hosts, one per choice.
fn choices(platform: &Platform, src: u32, dst: u32) -> Vec<Vec<LinkId>> {
    let (src, dst) = (HostId(src), HostId(dst));
    let by = |choice| {
        let mut links = Vec::new();
        platform.links_by_choice(src, dst, choice, &mut links);
        links
    };
    (0..platform.route_choices(src, dst)).map(by).collect()
}

/// Does each link begin where the one before it ends?
fn connected(platform: &Platform, route: &[LinkId]) -> bool {
    let ends: Vec<_> = route.iter().map(|link| platform.link_ends(*link).expect("a cable")).collect();
    ends.windows(2).all(|pair| pair[0][1] == pair[1][0])
}

#[test]
fn choices_of_a_fat_tree_differ_on_the_way_up() {
    let platform = load("fat-tree:4x4x4");
    for (src, dst, expected) in [(0, 1, 1), (0, 5, 4), (0, 21, 16)] {
        let routes = choices(&platform, src, dst);
        let different: std::collections::BTreeSet<_> = routes.iter().collect();
        assert_eq!((routes.len(), different.len()), (expected, expected));
        let length = routes[0].len();
        assert!(routes.iter().all(|route| route.len() == length && connected(&platform, route)));
    }
}

#[test]
fn choices_of_a_dragonfly_pass_other_groups() {
    let platform = load("dragonfly:5x3x6x2");
    let hosts = platform.host_count();
    for (src, dst) in (0..hosts).step_by(7).flat_map(|src| (1..hosts).step_by(11).map(move |dst| (src, dst)))
    {
        if src == dst {
            continue;
        }
        let routes = choices(&platform, src, dst);
        let different: std::collections::BTreeSet<_> = routes.iter().collect();
        assert_eq!(routes.len(), different.len(), "{src} {dst}");
        assert!(routes.iter().all(|route| connected(&platform, route)), "{src} {dst}");
        assert!(routes.iter().all(|route| route.len() >= routes[0].len()), "{src} {dst}");
    }
    assert_eq!(choices(&platform, 0, hosts - 1).len(), 4);
}

#[test]
fn choice_0_is_the_static_route_and_choices_wrap() {
    for spec in
        ["cluster:4", "fat-tree:2x2", "torus:2x2", "griffon", "dragonfly:2x2x2x2", "dragonfly-plus:2x1x3x2"]
    {
        let platform = load(spec);
        let (mut links, mut chosen) = (Vec::new(), Vec::new());
        let count = platform.route_choices(HostId(0), HostId(3));
        platform.links_between(HostId(0), HostId(3), &mut links);
        for choice in [0, count] {
            platform.links_by_choice(HostId(0), HostId(3), choice, &mut chosen);
            assert_eq!(links, chosen, "{spec}");
        }
        assert_eq!(platform.route_choices(HostId(1), HostId(1)), 1);
    }
}

#[test]
fn groups_of_a_dragonfly_may_outnumber_the_routers_of_a_chassis() {
    let platform = load("dragonfly:7x2x3x1");
    // Router 4 of group 0 (chassis 1, blade 1) leads to group 4, router 0 (6 modulo 6) to group 6.
    for (to, gateway) in [(4, 4), (6, 0)] {
        let mut links = Vec::new();
        platform.route(HostId(gateway), HostId(to * 6), &mut links);
        assert_eq!(platform.link_ends(links[1]).unwrap()[0].position, gateway, "group {to}");
        assert_eq!(platform.link_ends(links[1]).unwrap()[1].position, to * 6);
    }
    let (mut links, hosts) = (Vec::new(), platform.host_count());
    for (src, dst) in (0..hosts).flat_map(|src| (0..hosts).map(move |dst| (src, dst))) {
        if src == dst {
            continue;
        }
        platform.route(HostId(src), HostId(dst), &mut links);
        let ends: Vec<_> = links.iter().map(|link| platform.link_ends(*link).unwrap()).collect();
        assert!(ends.windows(2).all(|pair| pair[0][1] == pair[1][0]), "{src} to {dst}");
        assert!(ends.len() <= 7, "{src} to {dst}");
    }
}

#[test]
fn cables_between_switches_may_differ_from_those_of_hosts() {
    let common = "speed = '1Gf'\nbandwidth = '100Gbps'\nlatency = '1us'\n";
    let tree = parse(&format!(
        "[fat-tree]\ndown = [4, 2]\nup = [1, 2]\nuplink = {{ bandwidth = '200Gbps', latency = '2us' }}\n{common}"
    ));
    let mut links = Vec::new();
    assert_eq!((tree.route(HostId(0), HostId(7), &mut links) * 1e9).round(), 6000.0);
    assert_eq!(
        links.iter().map(|link| tree.link(*link).bandwidth / 1e9).collect::<Vec<_>>(),
        [12.5, 25.0, 25.0, 12.5]
    );
    let dragonfly = parse(&format!(
        "[dragonfly]\ngroups = 2\nchassis = 1\nrouters = 2\nnodes = 1\ngroup-links = 3\n\
         between-routers = {{ bandwidth = '5GBps', latency = '3us' }}\n\
         between-groups = {{ bandwidth = '4GBps', latency = '5us' }}\n{common}"
    ));
    dragonfly.route(HostId(0), HostId(2), &mut links);
    let rates: Vec<_> = links.iter().map(|link| dragonfly.link(*link).bandwidth / 1e9).collect();
    assert_eq!(rates, [12.5, 5.0, 12.0, 12.5]);
    let plus = dragonfly_plus(
        "groups = 2\nleaves = 1\nspines = 2\nnodes = 2\nbetween-switches = { bandwidth = '5GBps', latency = '3us' }\n\
         between-groups = { bandwidth = '4GBps', latency = '5us' }",
    );
    assert_eq!((plus.route(HostId(0), HostId(2), &mut links) * 1e9).round(), 13000.0);
    let rates: Vec<_> = links.iter().map(|link| plus.link(*link).bandwidth / 1e9).collect();
    assert_eq!(rates, [12.5, 5.0, 4.0, 5.0, 12.5]);
}

#[test]
fn hosts_have_the_numbers_that_a_file_gives() {
    let table = "speed = '1Gf'\nbandwidth = '100Gbps'\nlatency = '1us'\nprefix = 'n'\ndigits = 3\n";
    let platform = parse(&format!("[cluster]\nhosts = 4\nnumbers = '9-11,200'\n{table}"));
    let names: Vec<_> = platform.hosts().map(|host| host.name()).collect();
    assert_eq!(names, ["n009", "n010", "n011", "n200"]);
    assert_eq!(platform.find_host("n010"), Some(HostId(1)));
    let wrong = Platform::from_text("t", &format!("[cluster]\nhosts = 3\nnumbers = '9-11,200'\n{table}"));
    assert!(wrong.unwrap_err().message().contains("`numbers` are 4 for 3 hosts"));
}
