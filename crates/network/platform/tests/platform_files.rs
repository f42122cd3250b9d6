//! The platform files that come with mpirage: all of them load, nothing about them looks wrong, and
//! their description is the one in `descriptions.txt` (`UPDATE_SNAPSHOTS=1` writes it anew).

use std::fmt::Write;
use std::path::Path;

use mpirage_platform::{BUILTINS, CoreSpeed, HostId, Platform, Value};

fn load(file: &str) -> Platform {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../platforms").join(file);
    Platform::load(path.to_str().unwrap(), 1).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn all_are_described() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../platforms");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|file| file.ends_with(".toml") || file.ends_with(".xml"))
        .collect();
    files.sort();
    let mut described = String::new();
    for file in files {
        let platform = load(&file);
        assert_eq!(platform.doubtful_routes(), [""; 0], "{file}");
        writeln!(described, "── {file}\n{}\n", platform.describe().join("\n")).unwrap();
    }
    mpirage_snapshot::check("tests/descriptions.txt", &described);
}

#[test]
fn every_built_in_can_be_loaded_by_its_usage() {
    for builtin in BUILTINS {
        let spec = match builtin.usage.split_once(':') {
            Some((name, sizes)) => {
                let size: Vec<_> = sizes.split('x').map(|_| "2").collect();
                format!("{name}:{}", size.join("x"))
            }
            None => builtin.usage.to_owned(),
        };
        assert!(Platform::load(&spec, 1).is_ok(), "{spec}");
    }
}

#[test]
fn options_of_built_in_platforms_describe_the_inside_of_hosts() {
    let load = |spec: &str| Platform::load(spec, 1).map_err(|error| error.to_string());
    let platform = load("fat-tree:2x2,cores=32,sockets=2,memory-bandwidth=200GBps").unwrap();
    let node = platform.node_spec().unwrap();
    assert_eq!((platform.host(HostId(0)).cores, node.sockets, node.memory_bandwidth), (32, 2, 200e9));
    assert!(load("cluster:4,cores=8").unwrap().node_spec().is_none());
    assert_eq!(load("cluster,cores=8").unwrap().host_count(), 1);
    for (wrong, named) in [
        ("cluster:4,sokets=2", "`sockets`"),
        ("cluster:4,cores=8,sockets", "KEY=VALUE"),
        ("cluster:4,cores=9,sockets=2", "cannot be dealt evenly"),
        ("cluster:4,sockets=2", "cannot be dealt evenly"),
        ("griffon,cores=2", "no option `cores`"),
    ] {
        let error = load(wrong).unwrap_err();
        assert!(error.contains(named), "{wrong}: {error}");
    }
}

#[test]
fn settings_keep_their_order_and_their_place() {
    let platform = load("torus.xml");
    let keys: Vec<_> = platform.settings().iter().map(|setting| setting.key.as_str()).collect();
    assert_eq!(keys, ["smpi/async-small-thresh", "smpi/bw-factor", "network/TCP-gamma"]);
    assert_eq!(platform.settings().text("smpi/async-small-thresh"), Some("65536"));
    let place = &platform.settings().get("smpi/bw-factor").unwrap().place;
    assert!(place.file().ends_with("torus.xml"));
    assert_eq!(place.line(), 7);
    assert!(place.error("no such factor").to_string().contains("0:0.812084;257:0.338112"));
}

#[test]
fn settings_of_our_files_keep_their_structure() {
    let platform = load("dragonfly.toml");
    assert_eq!(platform.settings().get("window").unwrap().value, Value::Float(1e12));
    let Value::List(segments) = &platform.settings().get("segments").unwrap().value else { panic!() };
    let only = vec![
        ("above".to_owned(), Value::Integer(0)),
        ("latency".to_owned(), Value::Float(1.0)),
        ("bandwidth".to_owned(), Value::Float(0.95)),
    ];
    assert_eq!(segments[0], Value::Table(only));
}

#[test]
fn routes_go_through_zones() {
    let platform = load("grid.xml");
    let (big, front) =
        (platform.find_host("big-3.north").unwrap(), platform.find_host("front.south").unwrap());
    assert_eq!(front, HostId(40));
    let mut links = Vec::new();
    let latency = platform.route(big, front, &mut links);
    let names: Vec<_> = links.iter().map(|link| platform.link(*link).name()).collect();
    assert_eq!(names, ["big_link_3_UP", "big_backbone", "wide", "campus_DOWN"]);
    assert!((latency - 8.075e-3).abs() < 1e-12);
}

#[test]
fn the_calibration_file_of_taurus_is_of_a_shape_we_read() {
    let text = r#"<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "http://simgrid.gforge.inria.fr/simgrid/simgrid.dtd">
<platform version="4">
<config id="General">
 <prop id="smpi/os" value="0:3.79e-06:1.09e-10;1420:4.06e-06:8.98e-11"/>
 <!-- a remark -->
 <prop id="smpi/privatize-global-variables" value="yes"/>
</config>
<AS id="AS_taurus" routing="Full" >
  <cluster id="AS_taurus1" prefix="taurus-" suffix=".lyon.grid5000.fr" radical="1-16" speed="20000" bw="6.875E8"
           lat="2.4E-5" core="12" sharing_policy="FULLDUPLEX" loopback_lat="1.5E-9" loopback_bw="15000000000">
        <prop id="watt_per_state" value="90.5:114.815" />
  </cluster>
 </AS>
</platform>"#;
    let platform = Platform::from_text("taurus.xml", text).unwrap();
    assert_eq!((platform.host_count(), platform.host(HostId(15)).cores), (16, 12));
    let mut links = Vec::new();
    assert_eq!(platform.route(HostId(3), HostId(3), &mut links), 1.5e-9);
    assert_eq!(platform.link(links[0]).bandwidth, 15e9);
}

#[test]
fn version_3_calls_speed_power() {
    let text = r#"<platform version="3"><AS id="z" routing="Full"><host id="a" power="5E8"/><host id="b" power="1E9"/>
        <link id="l" bandwidth="1E8" latency="1E-4"/>
        <route src="a" dst="b"><link_ctn id="l"/></route></AS></platform>"#;
    let platform = Platform::from_text("old.xml", text).unwrap();
    assert_eq!(platform.host(HostId(0)).speed, CoreSpeed::Nominal(5e8));
    assert_eq!(platform.link(platform_link(&platform)).bandwidth, 1e8);
}

#[test]
fn cores_have_a_speed_for_declared_and_one_for_measured_work() {
    let speed = |keys: &str| {
        let text = format!("[cluster]\nhosts = 2\nbandwidth = \"1Gbps\"\nlatency = \"25us\"\n{keys}");
        Platform::from_text("mine.toml", &text).unwrap().host(HostId(1)).speed
    };
    assert_eq!(speed(""), CoreSpeed::Host);
    assert_eq!(speed("speed = \"host\""), CoreSpeed::Host);
    assert_eq!(speed("speed = \"32Gf\""), CoreSpeed::Nominal(32e9));
    let (nominal, sustained) = (32e9, 6e9);
    assert_eq!(speed("speed = \"32Gf\"\nsustained = \"6Gf\""), CoreSpeed::Sustained { nominal, sustained });
    assert_eq!(speed("sustained = \"6Gf\""), CoreSpeed::Sustained { nominal: sustained, sustained });
    // The reference core: a Xeon Platinum 8260 has 5.88 points and does 6.2 Gflop/s of the loop.
    let published = speed("sustained = { specrate2017-int = 588, cores = 100 }");
    assert!((published.slowdown(6.2e9) - 1.0).abs() < 1e-12);
}

fn platform_link(platform: &Platform) -> mpirage_platform::LinkId {
    let mut links = Vec::new();
    platform.route(HostId(0), HostId(1), &mut links);
    links[0]
}

#[test]
fn the_examples_of_the_manual_are_platforms() {
    let manual = include_str!("../FORMAT.md");
    let examples = manual.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
    let sizes: Vec<_> =
        examples.map(|text| Platform::from_text("manual", text).unwrap().host_count()).collect();
    assert_eq!(sizes, [16, 2, 16, 4]);
}
