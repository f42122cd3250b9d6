//! The transport protocols in a whole network: the same messages through TCP and through SCTP.

use std::sync::Arc;

use mpirage_kernel::{Milestone, Model, NetworkModel, Token, Transfer};
use mpirage_packet::{Endpoint, PacketNetwork, PacketParameters, Sctp, SctpSettings, Tcp, TcpSettings};
use mpirage_platform::{HostId, Platform};
use mpirage_units::{Duration, Time};

/// When each of these messages of host 0 has arrived: target and bytes.
fn arrivals<E: Endpoint>(settings: E::Settings, messages: &[(u32, u64)]) -> Vec<f64> {
    let text = "[cluster]\nhosts = 4\nspeed = \"1Gf\"\nbandwidth = \"1Gbps\"\nlatency = \"20us\"\n";
    let platform = Platform::from_text("test.toml", text).unwrap();
    let mut parameters = PacketParameters::default();
    parameters.hosts.software = Duration::ZERO;
    let mut network = PacketNetwork::<E>::new(Arc::new(platform), parameters, settings);
    for (number, &(to, bytes)) in messages.iter().enumerate() {
        let mut transfer = Transfer::data(HostId(0), HostId(to), bytes);
        transfer.connection.target = to;
        network.start(Time::ZERO, transfer, Token(number as u64));
    }
    let (mut arrived, mut reports) = (vec![f64::NAN; messages.len()], Vec::new());
    while let Some(now) = network.next(Time::ZERO) {
        network.collect(now, &mut reports);
        for report in reports.drain(..).filter(|report| report.milestone == Milestone::Ended) {
            arrived[report.token.0 as usize] = now.as_secs_f64();
        }
    }
    arrived
}

fn both(messages: &[(u32, u64)]) -> [Vec<f64>; 2] {
    let tcp = TcpSettings { preopened: true, ..TcpSettings::default() };
    let sctp = SctpSettings { preopened: true, ..SctpSettings::default() };
    [arrivals::<Tcp>(tcp.into(), messages), arrivals::<Sctp>(sctp, messages)]
}

#[test]
fn a_short_message_takes_as_long_with_both() {
    // One frame each; their headers have 66 and 62 bytes.
    let [tcp, sctp] = both(&[(1, 1_000)]).map(|times| times[0]);
    assert!((tcp - sctp).abs() < 1e-6, "{tcp} {sctp}");
}

#[test]
fn a_long_message_uses_the_link_with_both() {
    let bytes = 20_000_000;
    for time in both(&[(1, bytes)]).map(|times| times[0]) {
        let best = bytes as f64 / 125e6;
        assert!(time > best * 1_514.0 / 1_452.0 && time < best * 1.1, "{time} s, {best} s without headers");
    }
}

#[test]
fn messages_to_several_hosts_share_the_link_with_both() {
    let bytes = 5_000_000;
    for times in both(&[(1, bytes), (2, bytes), (3, bytes)]) {
        let best = 3.0 * bytes as f64 / 125e6;
        for time in times {
            assert!(time > 0.8 * best && time < 1.1 * best, "{time} s, {best} s without headers");
        }
    }
}
