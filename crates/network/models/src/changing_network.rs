//! Flows on links that change: the network of [`FlowNetwork`](crate::FlowNetwork) for platforms with profiles of links.
//!
//! Changes act on messages as they do in SimGrid 3.32. Write L for the latency of a message's route, B for its smallest bandwidth and
//! p for its penalty.
//!
//! * A message that starts takes L, B and p from the links as they are then.
//! * A new bandwidth of a link changes what the link carries, and the S/bandwidth in the p of messages that use it, there or back.
//!   The bound B of messages under way stays.
//! * A new latency of a link changes the latency in p and in the bound γ/2L of messages that use it, there or back. The latency that
//!   a message pays before its first byte stays.
//! * A link that goes off ends the messages that use it, and refuses others: the network reports that they have failed. So does a
//!   host that goes off, for ever: SimGrid ends its ranks.
//!
//! Source: what `NetworkCm02Link` of SimGrid 3.32 does when a profile triggers, and measured with `smpirun`.

use std::collections::BTreeSet;
use std::sync::Arc;

use mpirage_fair::{FlowId, ResourceId, Sharing};
use mpirage_kernel::{
    Agenda, Departure, Event, LinksEnergy, Milestone, Model, NetworkModel, Token, Transfer,
};
use mpirage_platform::{Changing, HostId, LinkId, Platform, distance};
use mpirage_units::{Duration, Time};
use slab::Slab;

use crate::changes::Changes;
use crate::energy::SampledLinks;
use crate::flow_parameters::{Fairness, FlowParameters, Loopback};
use crate::paths::LinkResources;

/// A network of shared links that change at dates.
pub struct ChangingNetwork {
    platform: Arc<Platform>,
    parameters: FlowParameters,
    changes: Changes,
    links: Vec<LinkState>,
    /// Hosts that have been off.
    hosts_lost: BTreeSet<HostId>,
    resources: LinkResources,
    sharing: Sharing,
    messages: Slab<InFlightMessage>,
    /// Messages in their latency, dated when it ends.
    travelling: Agenda<usize>,
    /// The energy of links, if they have power and are counted as in SimGrid.
    energy: Option<SampledLinks>,
    failed: Vec<Token>,
    /// Why the first of them failed.
    failure: Option<String>,
}

/// A link as it is now.
#[derive(Clone, Copy)]
struct LinkState {
    bandwidth: f64,
    latency: f64,
    is_on: bool,
}

/// A resource that is switched off.
#[derive(Clone, Copy)]
enum Lost {
    Link(LinkId),
    Host(HostId),
}

/// A message under way.
struct InFlightMessage {
    token: Token,
    hosts: [HostId; 2],
    work: f64,
    /// Seconds: the latency of its route, as the bound takes it.
    latency: f64,
    /// The smallest bandwidth of its route when it started.
    bandwidth: f64,
    penalty: f64,
    /// A route without latency has the penalty 1, until a link of it changes.
    is_unit: bool,
    /// All its links, there and back, each once.
    links: Vec<LinkId>,
    uses: Vec<(ResourceId, f64)>,
    /// The links of `uses` and its weights on them, if their energy is counted.
    weights: Vec<(LinkId, f64)>,
    /// Its flow, once its latency is over.
    flow: Option<FlowId>,
}

impl ChangingNetwork {
    /// A quiet network.
    pub fn new(platform: Arc<Platform>, parameters: FlowParameters) -> ChangingNetwork {
        let state = |bandwidth, latency| LinkState { bandwidth, latency, is_on: true };
        let counts = parameters.samples_power && platform.power().has_links();
        ChangingNetwork {
            changes: Changes::new(&platform, Changing::is_of_network),
            links: platform.links().map(|link| state(link.bandwidth, link.latency)).collect(),
            hosts_lost: BTreeSet::new(),
            resources: LinkResources::new(&platform),
            sharing: Sharing::new().with_tolerance(parameters.sharing_tolerance),
            messages: Slab::new(),
            travelling: Agenda::new(),
            energy: counts.then(|| SampledLinks::new(Arc::clone(&platform))),
            failed: Vec::new(),
            failure: None,
            platform,
            parameters,
        }
    }

    /// Notes the loads of links up to `now`, before anything happens there.
    fn note_loads(&mut self, now: Time) {
        let ChangingNetwork { energy, messages, sharing, .. } = self;
        let Some(energy) = energy.as_mut().filter(|energy| energy.lags_behind(now)) else { return };
        let mut rates = Vec::new();
        for (_, message) in messages.iter() {
            let Some(flow) = message.flow else { continue };
            let rate = sharing.rate(flow);
            rates.extend(message.weights.iter().map(|&(link, weight)| (link, weight * rate)));
        }
        energy.set_loads(now, rates.into_iter());
    }

    /// Makes all changes that are due.
    fn change(&mut self, now: Time) {
        while let Some((what, value)) = self.changes.pop(now) {
            match what {
                Changing::Bandwidth(link) => self.set_bandwidth(now, link, value),
                Changing::Latency(link) => self.set_latency(now, link, value),
                Changing::LinkState(link) if value > 0.0 => self.links[link.0 as usize].is_on = true,
                Changing::LinkState(link) => {
                    self.links[link.0 as usize].is_on = false;
                    let users = self.users(link);
                    self.fail(now, &users, Lost::Link(link));
                }
                Changing::HostState(host) if value == 0.0 => self.turn_off(now, host),
                Changing::HostState(_) | Changing::Speed(_) => {}
            }
        }
    }

    fn set_bandwidth(&mut self, now: Time, link: LinkId, bandwidth: f64) {
        let before = std::mem::replace(&mut self.links[link.0 as usize].bandwidth, bandwidth);
        let more = self.parameters.penalty_scale / bandwidth - self.parameters.penalty_scale / before;
        let resource = self.resources.of(link, &self.platform, &mut self.sharing);
        self.sharing.set_capacity(now, resource, bandwidth);
        let touches_penalty = self.parameters.penalty_scale > 0.0;
        for message in self.users(link) {
            if touches_penalty {
                self.messages[message].is_unit = false;
                self.messages[message].penalty += more;
            }
            self.resume(now, message);
        }
    }

    fn set_latency(&mut self, now: Time, link: LinkId, latency: f64) {
        let before = std::mem::replace(&mut self.links[link.0 as usize].latency, latency);
        for message in self.users(link) {
            let changed = &mut self.messages[message];
            changed.latency += latency - before;
            changed.penalty += latency - before;
            changed.is_unit = false;
            self.resume(now, message);
        }
    }

    /// The ranks of a host that goes off are gone, even if the host goes on again.
    fn turn_off(&mut self, now: Time, host: HostId) {
        self.hosts_lost.insert(host);
        let concerns = |message: &InFlightMessage| message.hosts.contains(&host);
        let messages = self.messages.iter().filter(|(_, message)| concerns(message));
        let messages: Vec<usize> = messages.map(|(number, _)| number).collect();
        self.fail(now, &messages, Lost::Host(host));
    }

    fn fail(&mut self, now: Time, messages: &[usize], lost: Lost) {
        self.travelling.take_where(|message| messages.contains(message));
        for &message in messages {
            // One that has just ended is collected.
            match self.messages[message].flow {
                Some(flow) if self.sharing.work_left(now, flow) <= 0.0 => continue,
                Some(flow) => self.sharing.cancel(now, flow),
                None => {}
            }
            let InFlightMessage { token, .. } = self.messages.remove(message);
            self.give_up(token, lost);
        }
    }

    fn give_up(&mut self, token: Token, lost: Lost) {
        self.failed.push(token);
        let platform = &self.platform;
        self.failure.get_or_insert_with(|| match lost {
            Lost::Link(link) => format!("link {} is off, as its profile says", platform.link(link).name()),
            Lost::Host(host) => format!("host {} went off, as its profile says", platform.host(host).name()),
        });
    }

    /// The messages that use a link, in the order of their numbers.
    fn users(&self, link: LinkId) -> Vec<usize> {
        let uses = |message: &InFlightMessage| message.links.contains(&link);
        self.messages.iter().filter(|(_, message)| uses(message)).map(|(number, _)| number).collect()
    }

    /// A message that moves goes on as its links are now.
    fn resume(&mut self, now: Time, number: usize) {
        let Some(flow) = self.messages[number].flow else { return };
        let left = self.sharing.work_left(now, flow);
        // One that has just ended is collected.
        if left > 0.0 {
            self.sharing.cancel(now, flow);
            self.messages[number].work = left;
            self.launch(now, number);
        }
    }

    fn launch(&mut self, now: Time, number: usize) {
        let message = &mut self.messages[number];
        let round_trip = self.parameters.fairness == Fairness::RoundTrip && !message.is_unit;
        // Without a latency, and where bandwidths do not count, nothing is left of the penalty.
        let penalty = if round_trip && message.penalty > 0.0 { message.penalty } else { 1.0 };
        let bound = self.parameters.bound(message.latency, message.bandwidth);
        let flow = self.sharing.start(now, message.work, penalty, bound, &message.uses, number as u64);
        message.flow = Some(flow);
    }

    /// A message that starts, unless one of its links or hosts is off.
    fn message(&mut self, transfer: &Transfer, token: Token) -> Result<InFlightMessage, Lost> {
        let ChangingNetwork { platform, parameters, links, resources, sharing, .. } = self;
        let ends = [transfer.sends(), transfer.receives()];
        let mut route = Vec::new();
        platform.links_between(ends[0], ends[1], &mut route);
        let scale = parameters.penalty_scale;
        let apart = distance(platform, transfer.from, transfer.to);
        let (mut latency, mut bandwidth, mut penalty) = (apart, f64::INFINITY, apart);
        for link in route.iter().map(|link| links[link.0 as usize]) {
            latency += link.latency;
            bandwidth = bandwidth.min(link.bandwidth);
            penalty += link.latency + scale / link.bandwidth;
        }
        if route.is_empty() {
            let Loopback { bandwidth: own, latency: within } = parameters.loopback;
            (latency, bandwidth, penalty) = (within, own, within + scale / own);
        }
        let (mut all, mut uses) = (route.clone(), Vec::new());
        if parameters.contention {
            resources.weigh(ends, platform, parameters.cross_traffic, sharing, &mut route, &mut uses);
            all.extend(&route);
        }
        all.sort_unstable();
        all.dedup();
        let weights = match self.energy {
            Some(_) => all
                .iter()
                .filter_map(|&link| Some((link, weight_of(resources.of(link, platform, sharing), &uses)?)))
                .collect(),
            None => Vec::new(),
        };
        let hosts = [transfer.from, transfer.to];
        if let Some(link) = all.iter().find(|link| !links[link.0 as usize].is_on) {
            return Err(Lost::Link(*link));
        }
        if let Some(host) = hosts.iter().find(|host| self.hosts_lost.contains(host)) {
            return Err(Lost::Host(*host));
        }
        let (work, _) = parameters.work(transfer.bytes);
        let is_unit = latency <= 0.0;
        Ok(InFlightMessage {
            token,
            hosts,
            work,
            latency,
            bandwidth,
            penalty,
            is_unit,
            links: all,
            uses,
            weights,
            flow: None,
        })
    }
}

/// The weight of a message on a resource.
fn weight_of(resource: ResourceId, uses: &[(ResourceId, f64)]) -> Option<f64> {
    uses.iter().find(|(used, _)| *used == resource).map(|(_, weight)| *weight)
}

impl NetworkModel for ChangingNetwork {
    fn start(&mut self, now: Time, transfer: Transfer, token: Token) -> Departure {
        self.note_loads(now);
        self.change(now);
        let message = match self.message(&transfer, token) {
            Ok(message) => message,
            Err(lost) => {
                self.give_up(token, lost);
                return Departure::Now;
            }
        };
        if let Some(energy) = &mut self.energy {
            energy.look(now, &message.links);
        }
        let within_host = transfer.from == transfer.to;
        let delay = if within_host { 0.0 } else { self.parameters.interface_delay.of(transfer.bytes) };
        let (_, latency_factor) = self.parameters.work(transfer.bytes);
        let latency = Duration::from_secs_f64(latency_factor * message.latency + delay);
        let number = self.messages.insert(message);
        self.travelling.push(now + latency, number);
        Departure::Now
    }

    fn failure(&self) -> Option<String> {
        self.failure.clone()
    }

    fn energy(&self, until: Time) -> Option<LinksEnergy> {
        self.energy.as_ref().map(|energy| energy.energy(until))
    }
}

impl Model for ChangingNetwork {
    fn next(&mut self, now: Time) -> Option<Time> {
        if !self.failed.is_empty() {
            return Some(now);
        }
        if self.messages.is_empty() {
            return None;
        }
        let completion = self.sharing.next_completion(now);
        let change = self.changes.next().map(|date| date.max(now));
        [self.travelling.next(), completion, change].into_iter().flatten().min()
    }

    fn collect(&mut self, now: Time, events: &mut Vec<Event>) {
        self.note_loads(now);
        let ChangingNetwork { sharing, messages, energy, .. } = self;
        sharing.collect_each(now, |number| {
            let message = messages.remove(number as usize);
            if let Some(energy) = energy {
                energy.look(now, &message.links);
            }
            events.push(Event::ended(message.token));
        });
        self.change(now);
        while let Some(number) = self.travelling.pop_at(now) {
            self.launch(now, number);
        }
        let failed = self.failed.drain(..).map(|token| Event { token, milestone: Milestone::Failed });
        events.extend(failed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FlowNetwork;

    /// Two hosts and a link of 100 kB/s whose profiles are given.
    fn platform(profiles: &[(&str, &str)]) -> Arc<Platform> {
        let traces: String = profiles
            .iter()
            .map(|(kind, text)| {
                format!(
                    "<trace id=\"{kind}\" periodicity=\"-1\">{text}</trace>\
                     <trace_connect kind=\"{kind}\" trace=\"{kind}\" element=\"l\"/>"
                )
            })
            .collect();
        let text = format!(
            "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">\
             <host id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\"1Gf\"/>\
             <link id=\"l\" bandwidth=\"100kBps\" latency=\"1ms\"/>\
             <route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route></zone>{traces}</platform>"
        );
        Arc::new(Platform::from_text("test.xml", &text).unwrap())
    }

    /// One class of sizes, no acknowledgements, no header.
    fn parameters() -> FlowParameters {
        let mut parameters = FlowParameters::example();
        parameters.segments.truncate(1);
        (parameters.segments[0].latency_factor, parameters.segments[0].bandwidth_factor) = (1.0, 1.0);
        (parameters.header, parameters.cross_traffic) = (0, 0.0);
        parameters
    }

    /// When transfers from the first host to the second end, or fail; each is (start in seconds, bytes).
    fn ends(network: &mut dyn NetworkModel, transfers: &[(f64, u64)]) -> Vec<(f64, Milestone)> {
        let mut ends = vec![(f64::NAN, Milestone::Departed); transfers.len()];
        let (mut waiting, mut now) = (transfers.iter().enumerate().peekable(), Time::ZERO);
        let date = |seconds: f64| Time::ZERO + Duration::from_secs_f64(seconds);
        loop {
            let start = waiting.peek().map(|(_, (start, _))| date(*start));
            let Some(next) = [start, network.next(now)].into_iter().flatten().min() else { return ends };
            now = next;
            let mut events = Vec::new();
            network.collect(now, &mut events);
            for event in events {
                ends[event.token.0 as usize] = (now.as_secs_f64(), event.milestone);
            }
            while let Some((number, &(_, bytes))) = waiting.next_if(|(_, (start, _))| date(*start) == now) {
                network.start(now, Transfer::data(HostId(0), HostId(1), bytes), Token(number as u64));
            }
        }
    }

    fn ends_with(profiles: &[(&str, &str)], transfers: &[(f64, u64)]) -> Vec<(f64, Milestone)> {
        ends(&mut ChangingNetwork::new(platform(profiles), parameters()), transfers)
    }

    #[test]
    fn a_link_that_never_changes_is_that_of_the_flow_network() {
        let transfers = [(0.0, 1000), (0.0, 50_000), (0.2, 7), (0.4, 100_000), (3.0, 1)];
        let mut flows = FlowNetwork::new(platform(&[]), parameters());
        assert_eq!(ends_with(&[("BANDWIDTH", "100 1")], &transfers), ends(&mut flows, &transfers));
    }

    #[test]
    fn messages_under_way_keep_their_bound_and_others_take_the_new_one() {
        // 1 ms of latency; 0.999 s at 100 kB/s; then 50 kB/s.
        let slower = ends_with(&[("BANDWIDTH", "1 50e3")], &[(0.0, 100_000)]);
        assert!((slower[0].0 - (1.0 + 100.0 / 50e3)).abs() < 1e-9, "{slower:?}");
        // A faster link does not help the first.
        let faster = ends_with(&[("BANDWIDTH", "1 200e3")], &[(0.0, 200_000), (5.0, 200_000)]);
        assert!((faster[0].0 - 2.001).abs() < 1e-9 && (faster[1].0 - 6.001).abs() < 1e-9, "{faster:?}");
        // A link that has changed before its first message.
        let start = ends_with(&[("BANDWIDTH", "0 50e3")], &[(0.0, 50_000), (0.0, 50_000)]);
        assert!(start.iter().all(|(end, _)| (end - 2.001).abs() < 1e-9), "{start:?}");
        let (mut equal, none) = (parameters(), [("LATENCY", "1 0")]);
        equal.penalty_scale = 0.0;
        let mut network = ChangingNetwork::new(platform(&none), equal);
        assert!((ends(&mut network, &[(0.0, 200_000)])[0].0 - 2.001).abs() < 1e-9);
        let latency = ends_with(&[("LATENCY", "1 0.5")], &[(0.0, 200_000), (5.0, 100_000)]);
        assert!((latency[0].0 - 2.001).abs() < 1e-9 && (latency[1].0 - 6.5).abs() < 1e-9, "{latency:?}");
    }

    #[test]
    fn a_link_that_is_off_carries_nothing() {
        let ended = ends_with(&[("LINK_AVAIL", "1 0\n2 1")], &[(0.0, 200_000), (1.5, 1), (2.5, 1000)]);
        assert_eq!(ended[0], (1.0, Milestone::Failed));
        assert_eq!(ended[1], (1.5, Milestone::Failed));
        assert_eq!(ended[2].1, Milestone::Ended);
        // The first message arrives at the date at which the link goes off and another starts.
        let last = ends_with(&[("LINK_AVAIL", "1.001 0")], &[(0.0, 100_000), (1.001, 1)]);
        assert_eq!(last, [(1.001, Milestone::Ended), (1.001, Milestone::Failed)]);
        assert!((ended[2].0 - 2.511).abs() < 1e-9);
    }
}
