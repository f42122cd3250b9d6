//! Configurations of Dimemas, right and wrong.

use mpirage_platform::CoreSpeed::Nominal;

use super::*;

const GOOD: &str = r#"#DIMEMAS_CONFIGURATION
/* "environment information" { 1: int "in a comment"
};; */
"wide area network information" {"", 1, 0, 4, 0.0, 0.0, 1};;
"environment information" {"m", 0, "x, y", 3, 100.0, 2, 2};;
"multi node information" {0, 2, "", 4, 2.0, 1e-6, 200.0, 1, 1, 0, 5e-06, 1, 2, 0.0};;
"node information" {0, "", 1, 0, 0.0, 0.0, 0, 1, 0, 7e-06, 0, 3, 0.0};;
"mapping information" {"a.dim", 3, [3] {2, 0, 0}};;
"configuration files" {"", "", "", ""};;
"#;

fn load(name: &str, text: &str) -> Result<Dimemas, String> {
    let path = std::env::temp_dir().join(format!("mpirage-{}-{name}.cfg", std::process::id()));
    std::fs::write(&path, text).unwrap();
    let loaded = Dimemas::load(path.to_str().unwrap()).map_err(|error| error.to_string());
    std::fs::remove_file(&path).unwrap();
    loaded
}

fn bus(dimemas: &Dimemas) -> &Bus {
    match &dimemas.model.network {
        Network::Bus(bus) => bus,
        other => panic!("{other:?}"),
    }
}

#[test]
fn nodes_links_and_mapping_are_read() {
    let dimemas = load("good", GOOD).unwrap();
    let Bus { network, collectives } = bus(&dimemas);
    assert_eq!((network.bandwidth, network.buses), (100.0 * MEGABYTE, Some(2)));
    assert_eq!(network.nodes[0].links, Links::Duplex { inputs: Some(1), outputs: Some(2) });
    assert_eq!(network.nodes[2].links, Links::HalfDuplex(3));
    assert_eq!((network.nodes[2].latency, network.nodes[2].within_bandwidth), (7e-6, f64::INFINITY));
    assert_eq!((network.nodes[1].within_latency, network.nodes[1].within_buses), (1e-6, Some(1)));
    assert_eq!(*collectives, FanTable::uniform(Fan::Linear));
    let hosts: Vec<_> = (0..3).map(|host| dimemas.platform.host(HostId(host))).collect();
    assert_eq!(hosts.iter().map(|host| host.cores).collect::<Vec<_>>(), [4, 4, 1]);
    assert_eq!((hosts[0].speed, hosts[2].speed), (Nominal(2.0 * REFERENCE_SPEED), Nominal(INSTANTANEOUS)));
    let placement = dimemas.placement(3).unwrap();
    assert_eq!(placement.hosts, [HostId(2), HostId(0), HostId(0)]);
    assert!(dimemas.placement(4).unwrap_err().to_string().contains("3 tasks, not 4"));
}

#[test]
fn predefined_mappings_deal_tasks_out() {
    let mapped = |name: &str, how: &str, ranks| {
        let text = GOOD.replace("\"mapping information\" {\"a.dim\", 3, [3] {2, 0, 0}}", how);
        let placed = load(name, &text).unwrap().placement(ranks);
        placed.map(|placement| placement.hosts.iter().map(|host| host.0).collect::<Vec<_>>())
    };
    let fill = "\"predefined mapping information\" {\"FILL_NODES\"}";
    assert_eq!(mapped("fill", fill, 9).unwrap(), [0, 0, 0, 0, 1, 1, 1, 1, 2]);
    assert!(mapped("full", fill, 10).unwrap_err().to_string().contains("do not fit"));
    let turns = "\"predefined mapping information\" {\"a.dim\", \"INTERLEAVED\"}";
    assert_eq!(mapped("turns", turns, 5).unwrap(), [0, 1, 2, 0, 1]);
    let two = "\"predefined mapping information\" {\"2 TASKS_PER_NODE\"}";
    assert_eq!(mapped("two", two, 5).unwrap(), [0, 0, 1, 1, 2]);
}

#[test]
fn a_file_of_collectives_is_read_beside_it() {
    let folder = std::env::temp_dir().join(format!("mpirage-coll-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let table =
        "# ours\nPolicy: FIFO\n1 LOG MAX 0 MAX 1\nMachine globalop: 0 11 LOG 2MAX CT MIN\nQuantum 5\n";
    std::fs::write(folder.join("coll.txt"), table).unwrap();
    let text = GOOD.replace("{\"\", \"\", \"\", \"\"}", "{\"\", \"\", \"coll.txt\", \"\"}");
    let path = folder.join("a.cfg");
    std::fs::write(&path, &text).unwrap();
    let dimemas = Dimemas::load(path.to_str().unwrap()).unwrap();
    let fans = |kind| bus(&dimemas).collectives.get(kind);
    use mpirage_call::Collective;
    use mpirage_models::FanSize;
    assert_eq!(fans(Collective::Bcast).fan_in, (Fan::Logarithmic, FanSize::Max));
    assert_eq!(fans(Collective::Bcast).fan_out.0, Fan::None);
    assert_eq!(fans(Collective::Allreduce).fan_out, (Fan::Constant, FanSize::Min));
    assert!(dimemas.warnings[0].contains("coll.txt:5"), "{:?}", dimemas.warnings);
    std::fs::write(folder.join("coll.txt"), "1 TREE MAX 0 MAX\n").unwrap();
    let error = Dimemas::load(path.to_str().unwrap()).unwrap_err().to_string();
    assert!(error.contains("coll.txt:1") && error.contains("LOG"), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn mistakes_are_shown_with_their_lines() {
    let cases = [
        ("fewer", "\"\", 3, 100.0", "\"\", 3", "fields"),
        ("machines", "{\"\", 1, 0", "{\"\", 2, 0", ":4: "),
        ("nodes", "{0, 2, \"\", 4", "{0, 3, \"\", 4", "the machine has 3 nodes, but 4 are described"),
        ("ratio", "4, 2.0,", "4, -2.0,", ":6: "),
        ("list", "[3] {2", "[4] {2", ":8: "),
        ("end", "1e-6, 200.0, 1, 1, 0, 5e-06, 1, 2, 0.0};;", "1e-6", "no end"),
    ];
    for (name, from, to, expected) in cases {
        let text = GOOD.replace("x, y", "").replace(from, to);
        let error = load(name, &text).unwrap_err();
        assert!(error.contains(expected), "{name}: {error}");
    }
}
