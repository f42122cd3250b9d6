//! Networks of RDMA hosts, and transfers through them, for tests.

#![allow(dead_code, reason = "each test uses a part")]

use std::sync::Arc;

use mpirage_kernel::{Connection, Milestone, Model, NetworkModel, Token, Transfer};
use mpirage_packet::{
    Endpoint, LinkLayer, LosslessParameters, LosslessWires, MessageParameters, PacketNetwork,
    PacketParameters, RdmaEndpoint, RdmaSettings,
};
use mpirage_platform::{HostId, Platform};
use mpirage_units::{Duration, Time};

pub type Lossless = PacketNetwork<RdmaEndpoint, LosslessWires>;

/// Bytes per second of the links of these platforms: one byte takes a nanosecond.
pub const RATE: f64 = 1e9;

/// Hosts without software costs; messages without headers.
pub fn parameters() -> PacketParameters {
    let mut parameters = PacketParameters::default();
    parameters.hosts.software = Duration::ZERO;
    parameters.messages = MessageParameters { header: 0, control: 64, trailer: 0, trailer_from: 0 };
    parameters
}

pub fn platform(text: &str) -> Arc<Platform> {
    Arc::new(Platform::from_text("test.toml", text).unwrap_or_else(|error| panic!("{error}")))
}

/// Hosts on one switch; links of a microsecond.
pub fn cluster(hosts: u32) -> Arc<Platform> {
    platform(&format!("[cluster]\nhosts = {hosts}\nspeed = '1Gf'\nbandwidth = '1GBps'\nlatency = '1us'"))
}

/// Two hosts with so many links of a microsecond between them.
pub fn line(links: u32) -> Arc<Platform> {
    let mut text = String::new();
    for host in ["a", "b"] {
        text += &format!("[[host]]\nname = '{host}'\nspeed = '1Gf'\n");
    }
    let names: Vec<String> = (0..links).map(|number| format!("link{number}")).collect();
    for name in &names {
        text += &format!("[[link]]\nname = '{name}'\nbandwidth = '1GBps'\nlatency = '1us'\n");
    }
    let path: Vec<String> = names.iter().map(|name| format!("'{name}:up'")).collect();
    platform(&(text + &format!("[[route]]\nfrom = 'a'\nto = 'b'\nlinks = [{}]\n", path.join(", "))))
}

pub fn lossless(platform: &Arc<Platform>, links: LosslessParameters, settings: RdmaSettings) -> Lossless {
    let wires = LosslessWires::new(platform.clone(), links, 7);
    PacketNetwork::over(wires, platform.clone(), parameters(), settings.into())
}

/// A message from a host to another, at an instant, on the connection of a class.
#[derive(Clone, Copy, Debug)]
pub struct TestMessage {
    pub at: Time,
    pub from: u32,
    pub to: u32,
    pub bytes: u64,
    pub class: u32,
}

pub fn message(from: u32, to: u32, bytes: u64) -> TestMessage {
    TestMessage { at: Time::ZERO, from, to, bytes, class: 0 }
}

/// Sends messages, in the order of their times, and gives when each arrives, if it does.
pub fn run<E: Endpoint, L: LinkLayer>(
    network: &mut PacketNetwork<E, L>,
    messages: &[TestMessage],
) -> Vec<Option<Time>> {
    let (mut arrivals, mut reports) = (vec![None; messages.len()], Vec::new());
    let (mut now, mut next) = (Time::ZERO, 0);
    loop {
        let event = network.next(now);
        let start = messages.get(next).map(|message| message.at);
        let Some(at) = event.into_iter().chain(start).min() else { return arrivals };
        now = at;
        while let Some(message) = messages.get(next).filter(|message| message.at == now) {
            network.start(now, transfer(message), Token(next as u64));
            next += 1;
        }
        network.collect(now, &mut reports);
        for report in reports.drain(..).filter(|report| report.milestone == Milestone::Ended) {
            arrivals[report.token.0 as usize] = Some(now);
        }
    }
}

/// The same where every message arrives, in nanoseconds.
pub fn run_nanos<L: LinkLayer>(
    network: &mut PacketNetwork<RdmaEndpoint, L>,
    messages: &[TestMessage],
) -> Vec<f64> {
    let arrivals = run(network, messages);
    arrivals.into_iter().map(|at| at.expect("it arrives").as_picos() as f64 / 1e3).collect()
}

/// Sends a message at its time.
pub fn start(network: &mut Lossless, message: &TestMessage) {
    network.start(message.at, transfer(message), Token(0));
}

fn transfer(message: &TestMessage) -> Transfer {
    let (from, to) = (HostId(message.from), HostId(message.to));
    let connection = Connection { source: message.from, target: message.to, class: message.class, stream: 0 };
    Transfer { connection, ..Transfer::data(from, to, message.bytes) }
}
