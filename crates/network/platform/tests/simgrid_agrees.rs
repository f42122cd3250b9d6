//! SimGrid 3.32 and we make the same of a SimGrid file: the same hosts, links and routes.
//!
//! `simgrid/NAME.simgrid` holds what SimGrid answered about `simgrid/NAME.xml` when its s4u
//! interface was asked for every host, every link, and a sample of the routes; tab-separated.

use std::collections::BTreeMap;
use std::path::Path;

use mpirage_platform::{CoreSpeed, HostId, LinkId, Platform, Sharing};

/// SimGrid joins the links of a Dijkstra route back to front; we keep the order in which a message
/// meets them. Which links they are is the same.
const ORDER_DIFFERS: [&str; 1] = ["dijkstra"];

#[test]
fn on_hosts_links_and_routes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/simgrid");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "xml"));
    files.sort();
    assert!(files.len() >= 20, "only {} files", files.len());
    files.iter().for_each(|file| compare(file));
}

fn compare(file: &Path) {
    let name = file.file_stem().unwrap().to_str().unwrap();
    let platform = Platform::load(file.to_str().unwrap(), 1).unwrap_or_else(|error| panic!("{error}"));
    let facts = std::fs::read_to_string(file.with_extension("simgrid")).unwrap();
    let names: Vec<String> = platform.links().map(|link| link.name()).collect();
    let by_name: BTreeMap<&str, LinkId> =
        (0..).map(LinkId).zip(&names).map(|(id, name)| (name.as_str(), id)).collect();
    let mut hosts = 0;
    for fact in facts.lines() {
        let fields: Vec<&str> = fact.split('\t').collect();
        match fields[..] {
            ["host", host, speed, cores] => {
                hosts += 1;
                let host = platform.host(find(&platform, host));
                assert_eq!(
                    (host.speed, host.cores),
                    (CoreSpeed::Nominal(number(speed)), cores.parse().unwrap()),
                    "{name}: {fact}"
                );
            }
            ["link", link, bandwidth, latency, policy] => {
                let link = platform.link(by_name[link]);
                let sharing = if policy == "1" { Sharing::Shared } else { Sharing::FatPipe };
                assert_eq!(
                    (link.bandwidth, link.latency),
                    (number(bandwidth), number(latency)),
                    "{name}: {fact}"
                );
                assert_eq!(link.sharing, sharing, "{name}: {fact}");
            }
            ["route", src, dst, latency, ref expected @ ..] => {
                let mut links = Vec::new();
                let (src, dst) = (find(&platform, src), find(&platform, dst));
                let sum = platform.route(src, dst, &mut links);
                let mut links: Vec<&str> = links.iter().map(|link| names[link.0 as usize].as_str()).collect();
                let mut expected = expected.to_vec();
                if ORDER_DIFFERS.contains(&name) {
                    links.sort_unstable();
                    expected.sort_unstable();
                }
                assert_eq!(links, expected, "{name}: {fact}");
                assert!((sum - number(latency)).abs() <= 1e-8 * sum, "{name}: {sum} in {fact}");
            }
            _ => panic!("{name}: {fact}"),
        }
    }
    assert_eq!(platform.host_count(), hosts, "{name}");
}

fn find(platform: &Platform, host: &str) -> HostId {
    platform.find_host(host).unwrap_or_else(|| panic!("no host {host}"))
}

fn number(text: &str) -> f64 {
    text.parse().unwrap()
}
