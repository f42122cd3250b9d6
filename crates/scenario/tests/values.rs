//! Whatever numbers files contain, a platform and a model that come of them give times that are finite and not negative.

use mpirage_platform::Platform;
use mpirage_scenario::{Model, Network};
use proptest::prelude::*;

/// Plausible numbers, and absurd ones.
const NUMBERS: [&str; 20] = [
    "1",
    "0.5",
    "1e6",
    "125e6",
    "1e-6",
    "3",
    "0",
    "-0",
    "-1",
    "nan",
    "inf",
    "-inf",
    "1e308",
    "-1e308",
    "1e-308",
    "5e-324",
    "1e999",
    "1e24",
    "1e-3",
    "18446744073709551616",
];

fn number() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&NUMBERS[..])
}

/// The times of some messages on the route between the first two hosts, if all of this is accepted.
fn times(text: &str, model: &str) -> Option<Vec<f64>> {
    let platform = Platform::from_text("test", text).ok()?;
    let mut links = Vec::new();
    let latency = platform.route(mpirage_platform::HostId(0), mpirage_platform::HostId(1), &mut links);
    let bandwidth = links.iter().map(|&link| platform.link(link).bandwidth).fold(f64::INFINITY, f64::min);
    let (model, _) = Model::resolve(model, platform.settings(), (latency, bandwidth)).ok()?;
    let Network::Flow(flow) = &model.network else { return None };
    let protocol = &model.protocol;
    let mut times =
        vec![latency, 1.0 / bandwidth, protocol.reduce_seconds_per_byte, protocol.copy_seconds_per_byte];
    for bytes in [0, 1, 1000, 1 << 40] {
        times.push(flow.uncontended(bytes, latency, bandwidth));
        times.push(flow.uncontended(bytes, flow.loopback.latency, flow.loopback.bandwidth));
    }
    times.extend(
        [&protocol.send_overhead, &protocol.isend_overhead, &protocol.recv_overhead].iter().flat_map(
            |overhead| overhead.sections.iter().flat_map(|&(_, constant, per_byte)| [constant, per_byte]),
        ),
    );
    Some(times)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn our_files_give_finite_times(numbers in prop::collection::vec(number(), 12), model in prop::sample::select(&["flow", "simgrid", "flow:best-fit"][..])) {
        let [bandwidth, latency, speed, window, scale, cross, within, lambda, beta, eager, overhead, per_byte] = numbers[..] else { unreachable!() };
        let text = format!(
            "[cluster]\nhosts = 2\nspeed = {speed}\nbandwidth = {bandwidth}\nlatency = {latency}\n[model]\nwindow = {window}\n\
             penalty-scale = {scale}\ncross-traffic = {cross}\nloopback-latency = {within}\neager-limit = {eager}\n\
             segments = [{{ above = 0, latency = {lambda}, bandwidth = {beta} }}]\n\
             send-overhead = [{{ from = 0, seconds = {overhead}, per-byte = {per_byte} }}]\n"
        );
        for time in times(&text, model).into_iter().flatten() {
            prop_assert!(time.is_finite() && time >= 0.0, "{time} s of\n{text}");
        }
    }

    #[test]
    fn simgrids_files_give_finite_times(numbers in prop::collection::vec(number(), 9)) {
        let [bandwidth, latency, speed, lambda, beta, gamma, scale, os, per_byte] = numbers[..] else { unreachable!() };
        let props = [
            ("smpi/lat-factor", format!("0:{lambda};1000:1.5")),
            ("smpi/bw-factor", format!("0:{beta}")),
            ("network/TCP-gamma", gamma.to_owned()),
            ("network/weight-S", scale.to_owned()),
            ("smpi/os", format!("0:{os}:{per_byte}")),
        ];
        let props = props.map(|(key, value)| format!("<prop id=\"{key}\" value=\"{value}\"/>")).concat();
        let text = format!(
            "<platform version=\"4.1\"><config id=\"c\">{props}</config><cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-1\" \
             speed=\"{speed}\" bw=\"{bandwidth}\" lat=\"{latency}\"/></platform>"
        );
        for time in times(&text, "simgrid").into_iter().flatten() {
            prop_assert!(time.is_finite() && time >= 0.0, "{time} s of\n{text}");
        }
    }
}

#[test]
fn numbers_that_people_mean_are_taken() {
    let text = "[cluster]\nhosts = 2\nspeed = \"1Gf\"\nbandwidth = \"1Gbps\"\nlatency = \"1us\"\n";
    assert!(times(text, "flow").is_some());
}

#[test]
fn a_tcp_window_is_none_or_one_that_lets_messages_end() {
    let time = |gamma: &str| {
        let text = format!(
            "<platform version=\"4.1\"><config id=\"c\"><prop id=\"network/TCP-gamma\" value=\"{gamma}\"/></config>\
             <cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-1\" speed=\"1\" bw=\"1\" lat=\"1\"/></platform>"
        );
        times(&text, "simgrid")
    };
    assert!(time("0").is_some() && time("4194304").is_some());
    // Tiny ones would make messages take longer than a number can say.
    assert!(time("1e-308").is_none() && time("5e-324").is_none());
}
