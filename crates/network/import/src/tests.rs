//! The samples in `tests/site` through the readers, whole and damaged.

use super::*;
use mpirage_platform::{HostId, Topology};

const TOPOLOGY: &str = include_str!("../tests/site/topology.conf");
const SLURM: &str = include_str!("../tests/site/slurm.conf");
const INFINIBAND: &str = include_str!("../tests/site/ibnetdiscover.txt");
const LSTOPO: &str = include_str!("../tests/site/lstopo.xml");

fn request() -> ImportRequest {
    ImportRequest {
        name: "site".into(),
        speed: "30Gf".into(),
        bandwidth: Some("100Gbps".into()),
        latency: Some("300ns".into()),
        oversubscription: Some(2.0),
        cores: Some(8),
        ..ImportRequest::default()
    }
}

/// Imports texts, the included file of `slurm.conf` among them.
fn import_texts(texts: &[(&str, &str)], request: &ImportRequest) -> Result<(Imported, Platform), String> {
    let mut site = Site::default();
    for (file, text) in texts {
        site.read(&Source::new(file, text)).map_err(|error| error.to_string())?;
    }
    let files: Vec<String> = texts.iter().map(|(file, _)| (*file).to_owned()).collect();
    let imported = site.platform(&files, request).map_err(|error| error.to_string())?;
    let platform = Platform::from_text("site.toml", &imported.text)
        .map_err(|error| format!("{error}\n{}", imported.text))?;
    Ok((imported, platform))
}

fn error(texts: &[(&str, &str)], request: &ImportRequest) -> String {
    import_texts(texts, request).err().unwrap_or_else(|| panic!("{texts:?} is accepted"))
}

#[test]
fn a_tree_of_slurm_becomes_a_fat_tree() {
    let (_, platform) = import_texts(&[("topology.conf", TOPOLOGY)], &request()).unwrap();
    let expected = Topology::FatTree { down: vec![4, 2], up: vec![1, 2], parallel: vec![1, 1] };
    assert_eq!(platform.topology(), expected);
    assert_eq!((platform.host(HostId(7)).name(), platform.host(HostId(0)).cores), ("n008".to_owned(), 8));
}

#[test]
fn an_odd_oversubscription_is_written_cable_by_cable() {
    let odd = ImportRequest { oversubscription: Some(3.0), ..request() };
    let (imported, platform) = import_texts(&[("topology.conf", TOPOLOGY)], &odd).unwrap();
    assert_eq!(platform.topology(), Topology::Explicit { hosts: 8, routing: "Dijkstra" });
    let mut links = Vec::new();
    platform.route(HostId(0), HostId(7), &mut links);
    let rates: Vec<f64> =
        links.iter().map(|link| (platform.link(*link).bandwidth * 1e-6).round() / 1e3).collect();
    assert_eq!(rates, [12.5, 16.667, 16.667, 12.5], "{}", imported.text);
}

#[test]
fn nodes_of_slurm_have_their_cores() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/site");
    let files = ["slurm.conf", "topology.conf"].map(|file| folder.join(file).to_string_lossy().into_owned());
    let imported = import(&files, &request()).unwrap();
    let platform = Platform::from_text("x", &imported.text).unwrap();
    assert_eq!((platform.host_count(), platform.host(HostId(3)).cores), (8, 32));
    let missing = error(&[("conf/slurm.conf", SLURM)], &request());
    assert!(missing.contains("conf/slurm.conf:5") && missing.contains("nodes.conf"), "{missing}");
}

#[test]
fn nodes_that_differ_are_written_one_by_one() {
    let text = "NodeName=a1 CPUs=4\nNodeName=a2 Sockets=2 CoresPerSocket=8\n";
    let (_, platform) = import_texts(&[("slurm.conf", text)], &request()).unwrap();
    assert_eq!(platform.hosts().map(|host| host.cores).collect::<Vec<_>>(), [4, 16]);
}

#[test]
fn infiniband_has_its_rates_and_cables() {
    let bare = ImportRequest { bandwidth: None, oversubscription: None, ..request() };
    let (_, platform) = import_texts(&[("ib.txt", INFINIBAND)], &bare).unwrap();
    let expected = Topology::FatTree { down: vec![2, 2], up: vec![1, 2], parallel: vec![1, 2] };
    assert_eq!(platform.topology(), expected);
    let mut links = Vec::new();
    let latency = platform.route(HostId(0), HostId(3), &mut links);
    assert_eq!(
        links.iter().map(|link| platform.link(*link).bandwidth).collect::<Vec<_>>(),
        [12.5e9, 25e9, 25e9, 12.5e9]
    );
    assert_eq!((latency * 1e9).round(), 1200.0);
    assert_eq!(platform.find_host("n003"), Some(HostId(2)));
}

#[test]
fn a_spine_less_makes_the_spines_one() {
    // Leaf 2 loses one of its cables to spine 2.
    let pair = ["[13]\t\"S-0000000000000040\"[4]", "[4]\t\"S-0000000000000020\"[13]"];
    let keep = |line: &&str| !pair.iter().any(|lost| line.starts_with(lost));
    let text: String = INFINIBAND.lines().filter(keep).map(|line| format!("{line}\n")).collect();
    assert_eq!(text.lines().count() + 2, INFINIBAND.lines().count());
    let (imported, platform) = import_texts(&[("ib.txt", &text)], &request()).unwrap();
    assert!(
        imported.notes.iter().any(|note| note.contains("2 upper switches are written as one")),
        "{:?}",
        imported.notes
    );
    let mut links = Vec::new();
    platform.route(HostId(0), HostId(3), &mut links);
    let rates: Vec<f64> = links.iter().map(|link| platform.link(*link).bandwidth / 1e9).collect();
    assert_eq!(rates, [12.5, 100.0, 75.0, 12.5], "{}", imported.text);
}

#[test]
fn a_tree_of_three_levels_is_recognised_and_a_twisted_one_is_not() {
    let conf = "SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n[3-4]\nSwitchName=c Nodes=n[5-6]\nSwitchName=d Nodes=n[7-8]\n\
                SwitchName=e Switches=a,c\nSwitchName=f Switches=b,d\nSwitchName=g Switches=e,f\n";
    let full = ImportRequest { oversubscription: Some(1.0), ..request() };
    let (imported, platform) = import_texts(&[("topology.conf", conf)], &full).unwrap();
    assert_eq!(
        platform.topology(),
        Topology::FatTree { down: vec![2, 2, 2], up: vec![1, 2, 2], parallel: vec![1; 3] }
    );
    assert!(imported.text.contains("numbers = \"1-2,5-6,3-4,7-8\""), "{}", imported.text);
    let uneven = conf.replace("n[7-8]", "n[7-9]");
    let (imported, platform) = import_texts(&[("topology.conf", &uneven)], &full).unwrap();
    assert_eq!(platform.host_count(), 9);
    assert!(imported.notes[0].contains("differs"), "{:?}", imported.notes);
}

#[test]
fn a_node_is_described_by_lstopo() {
    let small = ImportRequest { nodes: Some(3), cores: None, ..request() };
    let (imported, platform) = import_texts(&[("node.xml", LSTOPO)], &small).unwrap();
    assert_eq!((platform.host_count(), platform.host(HostId(2)).cores), (3, 2));
    assert!(
        imported.text.contains("1 packages, 1 NUMA nodes, 2 cores, 4 hardware threads, 64 GiB"),
        "{}",
        imported.text
    );
    assert!(imported.text.contains("2 × 512 KiB L2, 1 × 32768 KiB L3"), "{}", imported.text);
}

#[test]
fn what_no_file_says_must_be_said() {
    let topology = [("topology.conf", TOPOLOGY)];
    let silent = |change: fn(&mut ImportRequest)| {
        let mut request = request();
        change(&mut request);
        error(&topology, &request)
    };
    assert!(silent(|request| request.bandwidth = None).contains("no rates"));
    assert!(silent(|request| request.latency = None).contains("no file has latencies"));
    assert!(silent(|request| request.oversubscription = None).contains("--oversubscription"));
    assert!(silent(|request| request.cores = None).contains("how many cores `n001` has"));
    assert!(silent(|request| request.speed = "fast".into()).contains("--speed"));
    assert!(error(&[("node.xml", LSTOPO)], &request()).contains("no file lists the nodes"));
}

#[test]
fn damaged_topologies_are_shown_with_file_and_line() {
    for (text, expected) in [
        ("SwitchName=a Nodes=n[1-2\n", "t.conf:1"),
        ("SwitchName=a Nodes=n1\nSwitchName=b Switches=c\n", "no switch called `c`"),
        ("SwitchName=a Nodes=n1\nSwitchName=b Nodes=n1\n", "t.conf:2"),
        ("SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2\n", "no switch joins `a` and `b`"),
        ("SwitchName=a Switches=b\nSwitchName=b Switches=a\n", "circle"),
        ("SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2\n", "described twice"),
        ("SwitchName=a\n", "neither"),
        ("SwitchName=a Nodes=n1 Switches=b\n", "not both"),
        ("BlockName=b1 Nodes=n[1-4]\n", "block plugin"),
        ("SwitchName=a Nodes=n1\nNodeName=n1\n", "no `NodeName` here"),
        ("SwitchName=a Nodes=n1,a\n", "a switch and a node"),
    ] {
        let shown = error(&[("t.conf", text)], &request());
        assert!(shown.contains(expected), "{text}: {shown}");
    }
}

#[test]
fn damaged_fabrics_and_machines_are_shown_with_file_and_line() {
    let infiniband = |from: &str, to: &str| {
        assert!(INFINIBAND.contains(from), "{from}");
        error(&[("ib.txt", &INFINIBAND.replacen(from, to, 1))], &request())
    };
    assert!(infiniband("2xHDR", "2xHDQ").contains("ib.txt:10"));
    assert!(infiniband("lid 3 2xHDR", "lid 3").contains("width and speed are missing"));
    assert!(
        infiniband("[1]\t\"H-0000000000000100\"[1]", "[1]\t\"H-0000000000000100\"[7]").contains("ib.txt")
    );
    assert!(
        infiniband("\"H-0000000000000100\"[1]", "\"H-0000000000000999\"[1]").contains("does not describe")
    );
    assert!(infiniband("Switch\t40", "Swich\t40").contains("ib.txt:9"));
    let half: String = INFINIBAND.lines().take(40).map(|line| format!("{line}\n")).collect();
    assert!(error(&[("ib.txt", &half)], &request()).contains("complete?"));
    let xml = |from: &str, to: &str| {
        error(&[("n.xml", &LSTOPO.replacen(from, to, 1))], &ImportRequest { nodes: Some(1), ..request() })
    };
    assert!(xml("version=\"2.0\"", "version=\"1.0\"").contains("not of hwloc 2"));
    assert!(xml("</topology>", "").contains("n.xml"));
    assert!(xml("cache_size=\"524288\"", "cache_size=\"big\"").contains("n.xml:8"));
    assert!(xml("type=\"Package\"", "kind=\"Package\"").contains("no `type`"));
}

#[test]
fn a_network_by_name_gives_rates_and_parameters() {
    let named = ImportRequest { net: Some("edr".into()), bandwidth: None, latency: None, ..request() };
    let (imported, platform) = import_texts(&[("topology.conf", TOPOLOGY)], &named).unwrap();
    let preset = NetworkPreset::named("edr").unwrap();
    assert!(imported.text.contains("net = \"edr\""), "{}", imported.text);
    let mut links = Vec::new();
    platform.route(HostId(0), HostId(1), &mut links);
    assert!((platform.link(links[0]).bandwidth / preset.bandwidth - 1.0).abs() < 1e-6);
    assert_eq!(platform.settings().len(), preset.settings().len());
    let unknown = ImportRequest { net: Some("ethernt".into()), ..named };
    assert!(error(&[("topology.conf", TOPOLOGY)], &unknown).contains("no network called"));
}
