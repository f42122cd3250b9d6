//! The messages users see when a platform cannot be used: file, line, the line itself, the suggested correction.
//!
//! The whole of it is in `errors.txt`. After a deliberate change, run with `UPDATE_SNAPSHOTS=1` and
//! read the difference.

use std::fmt::Write;

use mpirage_platform::Platform;

/// A TOML cluster in which one thing is replaced.
fn cluster(replace: &str, by: &str) -> String {
    let good = "name = \"mine\"\n\n[cluster]\nhosts = 16\nspeed = \"10Gf\"\nbandwidth = \"1Gbps\"\nlatency = \"25us\"\n";
    assert!(good.contains(replace));
    good.replace(replace, by)
}

/// A cluster of hosts with an inside, in which one thing is replaced.
fn node(replace: &str, by: &str) -> String {
    let cluster = cluster("", "");
    let memory = "memory-bandwidth = \"100GBps\"\nsocket-bandwidth = \"60GBps\"\n";
    let copies = "memory-latency = \"200ns\"\ncopy-bandwidth = \"10GBps\"\n";
    let good = format!("{cluster}\n[node]\nsockets = 2\ncores-per-socket = 8\n{memory}{copies}");
    assert!(good.contains(replace) && Platform::from_text("good.toml", &good).is_ok());
    good.replacen(replace, by, 1)
}

/// Two hosts in TOML, with something added.
fn explicit(more: &str) -> String {
    let hosts = "[[host]]\nname = \"a\"\nspeed = \"1Gf\"\n[[host]]\nname = \"b\"\nspeed = \"1Gf\"\n";
    let link = "[[link]]\nname = \"cable\"\nbandwidth = \"1Gbps\"\nlatency = \"1us\"\n";
    format!("{hosts}{link}{more}")
}

/// A SimGrid file around something.
fn xml(inside: &str) -> String {
    format!("<?xml version='1.0'?>\n<platform version=\"4.1\">\n{inside}\n</platform>\n")
}

/// A Full zone of two hosts and a link around something.
fn zone(inside: &str) -> String {
    xml(&format!(
        "<zone id=\"z\" routing=\"Full\">\n<host id=\"a\" speed=\"1Gf\"/>\n<host id=\"b\" speed=\"1Gf\"/>\n\
         <link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"/>\n{inside}\n</zone>"
    ))
}

/// A cluster of SimGrid in which one thing is replaced.
fn xml_cluster(replace: &str, by: &str) -> String {
    let good = "<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-15\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\"/>";
    assert!(good.contains(replace));
    xml(&good.replace(replace, by))
}

const ROUTE: &str = "<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route>";

fn mistakes() -> Vec<(&'static str, String)> {
    vec![
        ("not toml", "name = \n".to_owned()),
        ("nothing in it", "name = \"x\"\n".to_owned()),
        ("a model alone", "[model]\nbase = \"flow\"\n".to_owned()),
        ("unknown table", "[clutser]\nhosts = 1\n".to_owned()),
        ("misspelt key", cluster("bandwidth", "bandwith")),
        ("key of another table", cluster("hosts", "dimensions")),
        ("missing key", cluster("latency = \"25us\"\n", "")),
        ("wrong type", cluster("16", "\"many\"")),
        ("not a number of hosts", cluster("16", "0")),
        ("negative", cluster("16", "-4")),
        ("too many", cluster("16", "5_000_000_000")),
        ("wrong unit", cluster("1Gbps", "1Gb")),
        ("no bandwidth", cluster("1Gbps", "0Gbps")),
        ("negative latency", cluster("25us", "-25us")),
        ("misspelt key of a node", node("sockets", "sokets")),
        ("no memory", node("memory-bandwidth = \"100GBps\"\n", "")),
        ("no link between sockets", node("socket-bandwidth = \"60GBps\"\n", "")),
        ("cores that cannot be dealt", node("cores-per-socket = 8", "numa = 3")),
        ("cores said twice", node("[node]", "cores = 8\n\n[node]")),
        ("unknown copy", node("[node]", "[node]\nsingle-copy = \"cna\"")),
        ("threshold of no copy", node("[node]", "[node]\nsingle-copy-from = \"4KiB\"")),
        ("too many domains", node("sockets = 2", "sockets = 2048")),
        ("no speed", cluster("10Gf", "0f")),
        ("two speeds for measured work", cluster("\"10Gf\"", "\"host\"\nsustained = \"5Gf\"")),
        ("a figure without cores", cluster("\"10Gf\"", "\"10Gf\"\nsustained = { specrate2017-int = 743 }")),
        ("no cores", cluster("hosts = 16", "hosts = 16\ncores = 0")),
        ("sharing", cluster("hosts = 16", "hosts = 16\nsharing = \"duplex\"")),
        ("two topologies", cluster("name = \"mine\"", "[torus]\ndimensions = [2]")),
        ("hosts in a cluster", cluster("name = \"mine\"", "[[host]]\nname = \"a\"\nspeed = 1e9")),
        ("backbone", cluster("hosts = 16", "hosts = 16\nbackbone = { bandwidth = \"1Gbps\" }")),
        (
            "fat tree lists",
            "[fat-tree]\ndown = [4, 4]\nup = [1]\nspeed = 1e9\nbandwidth = 1e9\nlatency = 0\n".to_owned(),
        ),
        (
            "numbers of hosts",
            "[dragonfly]\ngroups = 9\nchassis = 1\nrouters = 4\nnodes = 1\nnumbers = \"1-35\"\nspeed = 1e9\nbandwidth = 1e9\nlatency = 0\n"
                .to_owned(),
        ),
        ("missing route", explicit("")),
        ("unknown host", explicit("[[route]]\nfrom = \"a\"\nto = \"c\"\nlinks = [\"cable:up\"]\n")),
        ("unknown link", explicit("[[route]]\nfrom = \"a\"\nto = \"b\"\nlinks = [\"cabel:up\"]\n")),
        ("no direction", explicit("[[route]]\nfrom = \"a\"\nto = \"b\"\nlinks = [\"cable\"]\n")),
        ("two hosts of one name", explicit("[[host]]\nname = \"a\"\nspeed = \"1Gf\"\n")),
        ("two links of one name", explicit("[[link]]\nname = \"cable\"\nbandwidth = 1e9\nlatency = 0\n")),
        (
            "two routes",
            explicit(
                "[[route]]\nfrom = \"a\"\nto = \"b\"\nlinks = [\"cable:up\"]\n\
                 [[route]]\nfrom = \"b\"\nto = \"a\"\nlinks = [\"cable:up\"]\n",
            ),
        ),
        ("slurm", "SwitchName=s0 Nodes=n[0-3]\n".to_owned()),
        ("not xml", "<platform version=\"4.1\"><zone></platform>\n".to_owned()),
        ("not a platform", "<html/>\n".to_owned()),
        ("old version", "<platform version=\"2\"/>\n".to_owned()),
        ("no zone", xml("")),
        ("two zones", xml("<zone id=\"a\" routing=\"Full\"/>\n<zone id=\"b\" routing=\"Full\"/>")),
        ("unknown element", zone("<hots id=\"c\"/>")),
        ("unknown attribute", zone("<host id=\"c\" sped=\"1Gf\"/>")),
        ("text", zone("a, b, c")),
        ("disk", zone("<disk id=\"d\" read_bw=\"1MBps\" write_bw=\"1MBps\"/>")),
        ("trace", zone("<trace id=\"t\" periodicity=\"-1\">1 1\n0 1</trace>")),
        ("trace of nothing", zone(&format!("{ROUTE}\n<trace_connect kind=\"SPEED\" trace=\"t\" element=\"a\"/>"))),
        (
            "trace without bandwidth",
            zone(&format!(
                "{ROUTE}\n<trace id=\"t\" periodicity=\"-1\">1 0</trace>\n\
                 <trace_connect kind=\"BANDWIDTH\" trace=\"t\" element=\"l\"/>"
            )),
        ),
        (
            "trace of no link",
            zone(&format!(
                "{ROUTE}\n<trace id=\"t\" periodicity=\"-1\">1 1</trace>\n\
                 <trace_connect kind=\"LATENCY\" trace=\"t\" element=\"ll\"/>"
            )),
        ),
        ("peer", zone("<peer id=\"p\" speed=\"1Gf\" bw_in=\"1MBps\" bw_out=\"1MBps\"/>")),
        ("profile", zone("<host id=\"c\" speed=\"1Gf\" speed_file=\"x\"/>")),
        ("coordinates", zone("<host id=\"c\" speed=\"1Gf\" coordinates=\"1 2 3\"/>")),
        ("star without arms", zone("").replace("Full", "Cluster")),
        ("vivaldi", zone("").replace("Full", "Vivaldi")),
        ("wifi", xml("<zone id=\"z\" routing=\"Wifi\"/>")),
        ("unknown routing", xml("<zone id=\"z\" routing=\"Fool\"/>")),
        ("missing route in xml", zone("")),
        ("unknown host in xml", zone("<route src=\"a\" dst=\"x\"><link_ctn id=\"l\"/></route>")),
        ("unknown link in xml", zone("<route src=\"a\" dst=\"b\"><link_ctn id=\"ll\"/></route>")),
        ("route of nothing", zone("<route src=\"a\" dst=\"b\"/>")),
        ("route twice", zone(&format!("{ROUTE}\n{ROUTE}"))),
        ("direction", zone("<route src=\"a\" dst=\"b\"><link_ctn id=\"l\" direction=\"UP\"/></route>")),
        ("bypass", zone(&format!("{ROUTE}\n<bypassRoute src=\"a\" dst=\"b\"/>"))),
        (
            "bypass twice",
            zone(&format!("{ROUTE}\n{0}\n{0}", ROUTE.replace("<route", "<bypassRoute").replace("</route", "</bypassRoute"))),
        ),
        (
            "bypass of hosts between zones",
            zone(&format!("{ROUTE}\n<bypassZoneRoute src=\"a\" dst=\"b\" gw_src=\"a\" gw_dst=\"b\"/>")),
        ),
        ("zones and hosts", zone("<zone id=\"y\" routing=\"Full\"/>")),
        ("same name", zone("<router id=\"a\"/>")),
        ("config late", xml("<zone id=\"z\" routing=\"Full\"/>\n<config/>")),
        ("config twice", xml("<config><prop id=\"a\" value=\"1\"/>\n<prop id=\"a\" value=\"2\"/></config>")),
        ("radical", xml_cluster("0-15", "15-0")),
        ("bandwidth", xml_cluster("1GBps", "fast")),
        ("missing attribute", xml_cluster(" lat=\"1us\"", "")),
        ("torus", xml_cluster("bw=", "topology=\"TORUS\" topo_parameters=\"4,5\" bw=")),
        ("fat tree", xml_cluster("bw=", "topology=\"FAT_TREE\" topo_parameters=\"2;4;1;1\" bw=")),
        ("pstate", zone("<host id=\"c\" speed=\"1Gf,2Gf\" pstate=\"2\"/>")),
        (
            "gateway",
            xml(
                "<zone id=\"z\" routing=\"Full\">\n\
                 <cluster id=\"c\" prefix=\"c\" suffix=\"\" radical=\"0-1\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\"/>\n\
                 <cluster id=\"d\" prefix=\"d\" suffix=\"\" radical=\"0-1\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\"/>\n\
                 <zoneRoute src=\"c\" dst=\"d\" gw_src=\"c0\" gw_dst=\"c1\"/>\n</zone>",
            ),
        ),
    ]
}

#[test]
fn every_mistake_is_shown_where_it_was_made() {
    let mut shown = String::new();
    for (mistake, text) in mistakes() {
        let file = if text.starts_with('<') { "mine.xml" } else { "mine.toml" };
        let error = Platform::from_text(file, &text).expect_err(mistake);
        writeln!(shown, "── {mistake}\n{error}\n").unwrap();
    }
    for spec in
        ["cluster:x", "cluster:2x2", "clutser:4", "dragonfly:9x1x4", "nowhere.toml", "griffon:5", "hdr200"]
    {
        let error = Platform::load(spec, 4).expect_err(spec);
        writeln!(shown, "── {spec}\n{error}\n").unwrap();
    }
    mpirage_snapshot::check("tests/errors.txt", &shown);
}
