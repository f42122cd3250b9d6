//! Flows: piece-wise linear latency and bandwidth, and fair sharing of links.
//!
//! A message of s bytes is n = s + header bytes on the wire. Its size class gives two factors, λ on the
//! route's latency L and β on the bandwidth. First λ·L seconds pass without using any link; then the flow
//! enters max-min sharing with the penalty
//!
//! ```text
//! p = Σ over links (latency + S / bandwidth)        (1 on a route without latency)
//! ```
//!
//! and the bound min(B, γ / 2L), B the smallest bandwidth on the route. It carries β·x bytes per second
//! where x is its share. A delay in interfaces, which the size gives, passes before too. Besides weighing 1 on each link of its route, it weighs ε on each link of the way
//! back, for the acknowledgements. Alone it takes λL + n / (β · min(B, γ/2L)).
//!
//! Source: Clauss et al., *Single node on-line simulation of MPI applications with SMPI* (IPDPS 2011), sections 4 and 6; the numbers behind `simgrid` are in the book's chapter on models.

use std::sync::Arc;

use mpirage_fair::{FlowId, Sharing};
use mpirage_kernel::{Agenda, Departure, Event, Model, NetworkModel, Token, Transfer};
use mpirage_platform::{HostId, Platform};
use mpirage_units::{Duration, Time};

use crate::changing_network::ChangingNetwork;
use crate::flow_parameters::FlowParameters;
use crate::paths::Paths;
use crate::stream::StreamNetwork;

impl FlowParameters {
    /// A quiet network with these parameters.
    pub fn network_on(&self, platform: &Arc<Platform>) -> Box<dyn NetworkModel> {
        let platform = Arc::clone(platform);
        match self.physics {
            Some(physics) => Box::new(StreamNetwork::new(platform, self.clone(), physics)),
            None if platform.profiles().are_of_network()
                || (self.samples_power && platform.power().has_links()) =>
            {
                Box::new(ChangingNetwork::new(platform, self.clone()))
            }
            None => Box::new(FlowNetwork::new(platform, self.clone())),
        }
    }
}

/// A network of shared links.
pub struct FlowNetwork {
    paths: Paths,
    sharing: Sharing,
    /// Flows in their latency, dated when it ends.
    travelling: Agenda<FlowId>,
    /// The only message, if there is just one.
    uncontended: Option<UncontendedMessage>,
    /// When the next flow that uses links ends, as last asked.
    completion: Option<Time>,
}

/// A message that started when there was no other: both its dates are known at once, and hold unless another message starts.
struct UncontendedMessage {
    transfer: Transfer,
    token: Token,
    /// When it starts to use links.
    departs: Time,
    /// When it has arrived, if it stays alone.
    arrives: Time,
}

impl FlowNetwork {
    /// A quiet network.
    pub fn new(platform: Arc<Platform>, parameters: FlowParameters) -> FlowNetwork {
        FlowNetwork {
            sharing: Sharing::new().with_tolerance(parameters.sharing_tolerance),
            paths: Paths::new(platform, parameters),
            travelling: Agenda::new(),
            uncontended: None,
            completion: None,
        }
    }
}

impl FlowNetwork {
    fn is_idle(&self) -> bool {
        self.uncontended.is_none() && self.sharing.is_idle() && self.travelling.next().is_none()
    }

    /// Another message starts: the only message so far shares links from here on.
    #[inline(never)]
    fn end_uncontended(&mut self, now: Time) {
        let FlowNetwork { paths, sharing, travelling, uncontended, .. } = self;
        let Some(UncontendedMessage { transfer, token, departs, .. }) = uncontended.take() else { return };
        let (work, _) = paths.work(transfer.bytes);
        let path = paths.of(&transfer, sharing);
        let flow = sharing.prepare(&path.footprint, work, token.0);
        if departs > now {
            travelling.push(departs, flow);
        } else {
            sharing.launch(departs, flow);
        }
    }
}

impl NetworkModel for FlowNetwork {
    fn start(&mut self, now: Time, transfer: Transfer, token: Token) -> Departure {
        let idle = self.is_idle();
        if self.uncontended.is_some() {
            self.end_uncontended(now);
        }
        let FlowNetwork { paths, sharing, travelling, uncontended, .. } = self;
        let (work, latency_factor) = paths.work(transfer.bytes);
        let delay = paths.delay(&transfer);
        let path = paths.find(&transfer, sharing);
        let departs = now + Duration::from_secs_f64(latency_factor * path.latency + delay);
        if idle {
            let arrives = departs + Duration::from_secs_f64(path.footprint.span_alone(work));
            *uncontended = Some(UncontendedMessage { transfer, token, departs, arrives });
        } else {
            travelling.push(departs, sharing.prepare(&path.footprint, work, token.0));
        }
        Departure::Now
    }

    fn least_latency(&self, from: HostId, to: HostId) -> Duration {
        Duration::from_secs_f64(self.paths.least_latency(from, to))
    }
}

impl Model for FlowNetwork {
    fn next(&mut self, now: Time) -> Option<Time> {
        if let Some(message) = &self.uncontended {
            return Some(message.arrives);
        }
        self.completion = self.sharing.next_completion(now);
        match (self.travelling.next(), self.completion) {
            (Some(departure), Some(completion)) => Some(departure.min(completion)),
            (departure, completion) => departure.or(completion),
        }
    }

    fn collect(&mut self, now: Time, events: &mut Vec<Event>) {
        if let Some(message) = self.uncontended.take_if(|message| message.arrives <= now) {
            return events.push(Event::ended(message.token));
        }
        if self.completion.is_some_and(|completion| completion <= now) {
            self.sharing.collect_each(now, |token| events.push(Event::ended(Token(token))));
        }
        // The latency of these flows is over: they start to use links.
        while let Some(flow) = self.travelling.pop_at(now) {
            self.sharing.launch(now, flow);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn network() -> FlowNetwork {
        FlowNetwork::new(Arc::new(Platform::load("cluster:4", 4).unwrap()), FlowParameters::example())
    }

    /// When each transfer ends, by its number; `alone` if a message may have the network to itself.
    fn dates(transfers: &[(u64, u32, u32, u64)], alone: bool) -> Vec<(Time, u64)> {
        let (mut network, mut dates, mut ended) = (network(), Vec::new(), Vec::new());
        let mut now = Time::ZERO;
        let mut advance_to = |network: &mut FlowNetwork, now: &mut Time, until: Time| {
            while let Some(next) = network.next(*now).filter(|next| *next <= until && *next < Time::MAX) {
                *now = next;
                network.collect(next, &mut ended);
                dates.extend(ended.drain(..).map(|event| (next, event.token.0)));
            }
        };
        for (nth, &(pause, from, to, bytes)) in transfers.iter().enumerate() {
            let start = now + Duration::from_picos(pause);
            advance_to(&mut network, &mut now, start);
            now = start;
            network.start(now, Transfer::data(HostId(from), HostId(to), bytes), Token(nth as u64));
            if !alone {
                network.end_uncontended(now);
            }
        }
        advance_to(&mut network, &mut now, Time::MAX);
        dates
    }

    #[test]
    fn no_message_is_faster_than_the_least_latency() {
        for (from, to) in [(0, 1), (2, 2)] {
            let least = network().least_latency(HostId(from), HostId(to));
            for bytes in [0, 1, 1_000, 1_000_000] {
                let arrives = dates(&[(0, from, to, bytes)], true)[0].0;
                assert!(arrives >= Time::ZERO + least && least > Duration::ZERO, "{arrives:?} {least:?}");
            }
        }
    }

    proptest! {
        /// A message that starts alone ends as any other would, whichever messages join it and when.
        #[test]
        fn an_uncontended_message_ends_as_any_other(transfers in proptest::collection::vec(
            (prop_oneof![Just(0), 0u64..400_000_000, 0u64..40_000_000], 0u32..4, 0u32..4, 0u64..20_000), 1..40
        )) {
            prop_assert_eq!(dates(&transfers, true), dates(&transfers, false));
        }
    }
}
