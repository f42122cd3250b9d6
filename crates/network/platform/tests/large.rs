//! Size costs nothing: a cluster of 100,000 hosts is a formula.

use std::time::{Duration, Instant};

use mpirage_platform::{HostId, Platform};

const XML: &str = r#"<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="w" routing="Full">
<cluster id="c" prefix="n" suffix=".x" radical="0-99999" speed="1Gf" bw="125MBps" lat="50us" bb_bw="10GBps"
         loopback_bw="1GBps"/>
</zone></platform>"#;

const TOML: &str = "[cluster]\nhosts = 100_000\nspeed = '1Gf'\nbandwidth = '1Gbps'\nlatency = '50us'\n";

#[test]
fn a_cluster_of_100_000_hosts_loads_at_once() {
    for text in [XML, TOML] {
        let start = Instant::now();
        let platform = Platform::from_text("large", text).unwrap();
        let mut links = Vec::new();
        for host in 0..100_000 {
            platform.route(HostId(host), HostId(99_999 - host), &mut links);
        }
        assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
        assert_eq!(platform.host_count(), 100_000);
        let last = platform.host(HostId(99_999)).name();
        assert_eq!(platform.find_host(&last), Some(HostId(99_999)));
    }
}

#[test]
fn the_largest_machines_need_no_more() {
    for spec in [
        "torus:512x512x512",
        "fat-tree:64x64x64x64",
        "cluster:1000000000",
        "dragonfly:64x8x64x64",
        "dragonfly-plus:64x64x64x64",
    ] {
        let start = Instant::now();
        let platform = Platform::load(spec, 1).unwrap();
        let mut links = Vec::new();
        platform.route(HostId(1), HostId(platform.host_count() - 1), &mut links);
        platform.describe();
        assert!(start.elapsed() < Duration::from_secs(2), "{spec}: {:?}", start.elapsed());
    }
}

#[test]
fn a_zone_of_thousands_of_single_hosts_loads_in_time() {
    let hosts: String = (0..5_000).map(|host| format!("<host id='h{host}' speed='1Gf'/>")).collect();
    let links: String =
        (0..5_000).map(|link| format!("<link id='l{link}' bandwidth='1GBps' latency='1us'/>")).collect();
    let arms: String =
        (0..5_000).map(|host| format!("<host_link id='h{host}' up='l{host}' down='l{host}'/>")).collect();
    let text = format!(
        "<platform version='4.1'><zone id='z' routing='Cluster'>{hosts}{links}{arms}</zone></platform>"
    );
    let start = Instant::now();
    let platform = Platform::from_text("star.xml", &text).unwrap();
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert_eq!(platform.host_count(), 5_000);
}

#[test]
fn a_long_chain_of_hosts_is_checked_in_time() {
    let mut text = String::from("<platform version='4.1'><zone id='z' routing='Dijkstra'>");
    text += "<link id='l' bandwidth='1GBps' latency='1us'/>";
    (0..10_000).for_each(|host| text += &format!("<host id='h{host}' speed='1Gf'/>"));
    for host in 1..10_000 {
        text += &format!("<route src='h{}' dst='h{host}'><link_ctn id='l'/></route>", host - 1);
    }
    text += "</zone></platform>";
    let start = Instant::now();
    let platform = Platform::from_text("chain.xml", &text).unwrap();
    let mut links = Vec::new();
    platform.route(HostId(0), HostId(9_999), &mut links);
    assert_eq!(links.len(), 9_999);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}
