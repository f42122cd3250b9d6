//! The power of hosts and links, as files say it.

use mpirage_platform::{HostId, LinkId, Platform};

const TOML: &str = "
[[host]]
name = \"a\"
speed = \"2Gf\"
cores = 4
power = { states = [{ speed = \"2Gf\", idle = \"100W\", one-core = \"130W\", all-cores = \"190W\" }, { speed = \"1Gf\", idle = \"80W\", all-cores = \"100W\" }], off = \"5W\" }
[[host]]
name = \"b\"
speed = \"1Gf\"
[[link]]
name = \"l\"
bandwidth = \"1GBps\"
latency = \"1us\"
power = { idle = \"2W\", busy = \"4W\" }
[[link]]
name = \"other\"
bandwidth = \"1GBps\"
latency = \"1us\"
[[route]]
from = \"a\"
to = \"b\"
links = [\"l:up\"]
[power]
idle = \"10W\"
all-cores = \"20W\"
links = { idle = \"1W\", per-byte = \"4nJ\" }
";

#[test]
fn hosts_and_links_that_say_more_keep_it() {
    let platform = Platform::from_text("test.toml", TOML).unwrap();
    let power = platform.power();
    let first = power.host(HostId(0)).unwrap();
    assert_eq!((first.first, first.off, first.states[1].speed), (0, 5.0, 0.5));
    let watts = |cores: f64| first.first_state().watts(cores / 4.0);
    assert_eq!([0.0, 1.0, 2.0, 4.0].map(watts), [100.0, 130.0, 150.0, 190.0]);
    assert_eq!(power.host(HostId(1)).unwrap().first_state().full, 20.0);
    let links: Vec<(f64, f64)> =
        (0..4).map(|link| power.link(LinkId(link)).map(|link| (link.idle, link.per_byte)).unwrap()).collect();
    assert_eq!(links, [(2.0, 2e-9), (2.0, 2e-9), (1.0, 4e-9), (1.0, 4e-9)]);
}

fn simgrid(host: &str, link: &str) -> Result<Platform, String> {
    let text = format!(
        "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">\
         <host id=\"a\" speed=\"2Gf,1Gf\" core=\"2\" pstate=\"1\">{host}</host>\
         <link id=\"l\" bandwidth=\"100MBps\" latency=\"1us\">{link}</link></zone></platform>"
    );
    Platform::from_text("test.xml", &text).map_err(|error| error.to_string())
}

#[test]
fn properties_of_simgrid_are_power() {
    let host =
        "<prop id=\"wattage_per_state\" value=\"95:120:200, 90:150\"/><prop id=\"wattage_off\" value=\"7\"/>";
    let platform = simgrid(host, "<prop id=\"wattage_range\" value=\"10:20\"/>").unwrap();
    let power = platform.power().host(HostId(0)).unwrap();
    assert_eq!(
        (power.first, power.off, power.first_state().active, power.first_state().full),
        (1, 7.0, 90.0, 150.0)
    );
    assert_eq!((power.states[0].speed, power.states[0].active), (2.0, 120.0));
    let link = platform.power().link(LinkId(0)).unwrap();
    assert_eq!((link.idle, link.per_byte), (10.0, 1e-7));
    assert!(simgrid("", "").unwrap().power().is_empty());
}

#[test]
fn mistakes_in_properties_are_named() {
    let refused = |host: &str, link: &str| simgrid(host, link).unwrap_err();
    let state = |value: &str| refused(&format!("<prop id=\"wattage_per_state\" value=\"{value}\"/>"), "");
    assert!(state("95:120:200").contains("1 entries for 2 speeds"), "{}", state("95:120:200"));
    assert!(state("95, 100").contains("neither Idle:AllCores nor"), "{}", state("95, 100"));
    assert!(state("a:b, 1:2").contains("is not a power"), "{}", state("a:b, 1:2"));
    let range = refused("", "<prop id=\"wattage_range\" value=\"10\"/>");
    assert!(range.contains("2 numbers of watts"), "{range}");
    let former = simgrid("<prop id=\"watt_off\" value=\"1\"/>", "").unwrap();
    assert!(former.doubts()[0].contains("wattage_off"), "{:?}", former.doubts());
}
