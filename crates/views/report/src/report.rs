//! The recorder that gathers a report.

mod finish;

use std::collections::BTreeMap;

use mpirage_call::{Call, Collective, Reply, Stamp, wire::PlainCall};
use mpirage_interpret::RunInfo;
use mpirage_interpret::arguments::Arguments;
use mpirage_interpret::comms::Comms;
use mpirage_interpret::function::FunctionKind;
use mpirage_kernel::{NetworkHistory, NetworkModel};
use mpirage_record::{Details, MessageRecord, Record, Recorder};
use mpirage_units::{Duration, Time};
use serde_json::Value;

use crate::aggregator::{Aggregator, Awaited, Budget, ReturnedCall};
use crate::calls::CallKey;
use crate::category::Category;
use crate::collectives::Collectives;
use crate::entries::{Entries, LateEntry};
use crate::envelope::Envelope;
use crate::names::Contexts;
use crate::packets::Packets;
use crate::quiet::QuietNetwork;
use crate::ranks::RankAmong;
use crate::waits::{NO_RANK, State};

/// Facts about a run that are known when it is over.
#[derive(Clone, Debug, Default)]
pub struct Ending {
    /// The figures of the run, as a JSON object.
    pub figures: Value,
    /// How the run ended, in words.
    pub outcome: String,
    /// Reasons to trust the run less: a sentence, and `note`, `warning` or `error`.
    pub warnings: Vec<(String, &'static str)>,
    /// The blocked ranks, each with a description of what it waits for.
    pub waits: Vec<(u32, String)>,
    /// How long the same calls take on an ideal network, if that is known.
    pub ideal_seconds: Option<f64>,
}

/// Gathers the data of a report.
#[derive(Clone)]
pub struct Report {
    run: RunInfo,
    comms: Comms,
    contexts: Contexts,
    ends: Vec<RankEnd>,
    /// The blocking collective that each rank is in.
    entered: Vec<Option<EnteredCollective>>,
    collectives: Collectives,
    entries: Entries,
    /// Names of regions, by their numbers.
    regions: BTreeMap<i32, String>,
    aggregator: Aggregator,
    /// Queues and connections over time, if the network recorded them.
    packets: Option<Packets>,
    wants_ideal: bool,
    /// When the last rank would have ended on an ideal network.
    ideal: Option<Time>,
}

/// A collective that a rank has entered and not left.
#[derive(Clone, Copy)]
struct EnteredCollective {
    /// The number of the collective in the run.
    number: u64,
    envelope: Envelope,
    kind: Collective,
    /// Whether every rank waits for every other: by a formula; otherwise not if there is a root, nor among neighbours.
    waits_for_all: bool,
}

/// The end of a rank. Times are in picoseconds.
#[derive(Clone, Default)]
struct RankEnd {
    at: u64,
    blocked: Option<BlockedCall>,
}

/// A call that never returned.
#[derive(Clone, Copy)]
struct BlockedCall {
    since: u64,
    function: u16,
    /// The page's number of its site.
    site: u32,
}

impl Report {
    /// A report about a run that is about to start.
    pub fn new(run: &RunInfo, budget: Budget) -> Report {
        let ranks = run.placement.len();
        Report {
            comms: Comms::new(run.ranks()),
            contexts: Contexts::new(run.ranks()),
            ends: vec![RankEnd::default(); ranks],
            entered: vec![None; ranks],
            collectives: Collectives::new(ranks),
            entries: Entries::new(ranks),
            regions: BTreeMap::new(),
            aggregator: Aggregator::new(run, budget),
            packets: None,
            wants_ideal: false,
            ideal: None,
            run: run.clone(),
        }
    }

    /// Asks for ideal clocks: how long the run would take on an ideal network.
    pub fn with_ideal_clocks(mut self) -> Report {
        self.wants_ideal = true;
        self
    }

    /// Finds contention by sending each message through `quiet`, the network of the run without other traffic, in which the time of a
    /// message depends on nothing but its hosts and its bytes.
    pub fn with_quiet_network(mut self, quiet: Box<dyn NetworkModel>) -> Report {
        self.aggregator.compare_with(QuietNetwork::new(quiet));
        self
    }

    /// How long the run would have taken on an ideal network, if ideal clocks were asked for and all ranks have ended.
    pub fn ideal_seconds(&self) -> Option<f64> {
        self.ideal.map(Time::as_secs_f64)
    }

    fn spend(&mut self, rank: u32, category: Category, start: Time, end: Time) {
        self.aggregator.spend(rank, category, start.as_picos()..end.as_picos());
    }

    /// A send, a receive or a wait has returned.
    ///
    /// It gets a duration, not the time of the return: two times beside each other would be loaded with one instruction, which stalls
    /// until both have been stored.
    #[inline(always)]
    fn exchange(&mut self, rank: u32, stamp: &Stamp, entered: u64, duration: u64, envelope: &Envelope) {
        let category = self.aggregator.calls_mut().functions().category(stamp.function);
        let awaited = if category == Category::Other { Awaited::Nothing } else { Awaited::Message(None) };
        let key = self.key(rank, stamp, category, envelope);
        let bytes = envelope.bytes;
        self.aggregator.call(rank, ReturnedCall { key, category, bytes, entered, duration, awaited });
    }

    /// Any other call has returned. Collectives that were announced when the rank entered come without details.
    #[inline(never)]
    fn other_call(
        &mut self,
        rank: u32,
        stamp: &Stamp,
        entered: u64,
        duration: u64,
        details: Option<Details<'_>>,
    ) {
        let call = details.map(|details| details.call);
        let collective = match call {
            None | Some(Call::Collective(_) | Call::MakeComm { .. }) => self.leave_collective(rank, duration),
            Some(_) => None,
        };
        let envelope = match (details, &collective) {
            // The page finds regions by their numbers.
            (Some(Details { call: &Call::Control { level, name }, .. }), _) => {
                if !name.is_empty() && !self.regions.contains_key(&level) {
                    self.regions.insert(level, name.to_owned());
                }
                Envelope { tag: level, ..Envelope::default() }
            }
            (Some(details), _) => Envelope::of(&Arguments::of(rank, &details, &self.comms), &self.contexts),
            (None, Some(collective)) => collective.envelope,
            (None, None) => Envelope::default(),
        };
        let (kind, category) = self.aggregator.calls_mut().functions().kind(stamp.function);
        let awaited = self.awaited(rank, kind, collective.as_ref(), call);
        let key = self.key(rank, stamp, category, &envelope);
        let bytes = envelope.bytes;
        self.aggregator.call(rank, ReturnedCall { key, category, bytes, entered, duration, awaited });
    }

    #[inline(always)]
    fn key(&self, rank: u32, stamp: &Stamp, category: Category, envelope: &Envelope) -> CallKey {
        let (function, site) = (stamp.function, self.aggregator.calls().site_key(rank, stamp.site));
        match category {
            Category::Collective => CallKey::collective(function, site, envelope),
            _ => {
                let caller = RankAmong { rank, ranks: self.ends.len() as u32 };
                CallKey::point_to_point(function, site, envelope, caller)
            }
        }
    }

    /// A rank leaves the collective that it is in, if any, after `duration` picoseconds.
    #[inline]
    fn leave_collective(&mut self, rank: u32, duration: u64) -> Option<EnteredCollective> {
        let collective = self.entered[rank as usize].take()?;
        self.collectives.leave(collective.number, Duration::from_picos(duration));
        Some(collective)
    }

    /// The rank that a call waited for.
    fn awaited(
        &self,
        rank: u32,
        kind: FunctionKind,
        collective: Option<&EnteredCollective>,
        call: Option<&Call<'_>>,
    ) -> Awaited {
        match (kind, call, collective) {
            (
                FunctionKind::Barrier | FunctionKind::Collective,
                None | Some(Call::Collective(_)),
                Some(collective),
            ) => self.awaited_in(rank, collective),
            // The message that it found is delivered later.
            (FunctionKind::Test, Some(Call::Probe { poll: false, .. }), _) => Awaited::Unknown,
            (FunctionKind::Other | FunctionKind::File, ..) => Awaited::Nothing,
            (FunctionKind::OneSided, ..) => Awaited::Message(Some(State::OneSided)),
            _ => Awaited::Message(None),
        }
    }

    /// The rank that a collective waited for: the last one of all, or the last one of those on which this rank depends.
    fn awaited_in(&self, rank: u32, collective: &EnteredCollective) -> Awaited {
        let &EnteredCollective { number, kind, waits_for_all, .. } = collective;
        let late = match waits_for_all {
            true => self.collectives.last_entry(number),
            false => self.entries.late(rank, number),
        };
        match late {
            Some(LateEntry { rank: last, at, held }) if last != rank => {
                Awaited::Rank(last, State::in_collective(kind, held), at)
            }
            _ => Awaited::Rank(NO_RANK, State::in_collective(kind, false), 0),
        }
    }

    fn end(&mut self, rank: u32, at: Time, blocked: Option<(Time, u16, u64)>) {
        let blocked = blocked.map(|(since, function, site)| {
            let site = self.aggregator.calls_mut().sites().number(rank, site);
            self.spend(rank, Category::Wait, since, at);
            BlockedCall { since: since.as_picos(), function, site }
        });
        self.ends[rank as usize] = RankEnd { at: at.as_picos(), blocked };
    }
}

impl Recorder for Report {
    fn record(&mut self, record: &Record<'_>) {
        match *record {
            Record::Call { rank, function, entered, left, site, details } => {
                self.call(rank, &Stamp { function, site, ..Stamp::default() }, entered, left, details);
            }
            Record::Burst { rank, start, end, beside: false, .. } => {
                self.spend(rank, Category::Compute, start, end);
            }
            // The rank itself went on.
            Record::Burst { beside: true, .. } => {}
            Record::Pause { rank, start, end } => self.spend(rank, Category::Other, start, end),
            Record::Message(ref message) => self.messages(std::slice::from_ref(message)),
            Record::Comm { context, members } => {
                self.comms.add(context, members);
                self.contexts.add(context, members.len() as u32);
            }
            Record::Schedule { rank, number, context, kind, method, entered, call } => {
                self.collectives.enter(number, (context, kind, method), rank, entered);
                let arguments = Arguments::of_collective(rank, call, &self.comms);
                let envelope = Envelope::of(&arguments, &self.contexts);
                let waits_for_all = method.is_none() || !kind.is_rooted() && !kind.is_neighborhood();
                if !waits_for_all {
                    self.entries.enter(rank, number, entered);
                }
                self.entered[rank as usize] =
                    Some(EnteredCollective { number, envelope, kind, waits_for_all });
            }
            Record::End { rank, at, blocked, ideal } => {
                self.ideal = self.ideal.max(ideal);
                self.end(rank, at, blocked);
            }
        }
    }

    #[inline]
    fn call(&mut self, rank: u32, stamp: &Stamp, entered: Time, left: Time, details: Option<Details<'_>>) {
        let (entered, duration) = (entered.as_picos(), left.since(entered).as_picos());
        if let Some(details) = &details
            && let Some(envelope) = Envelope::of_exchange(rank, details, &self.comms, &self.contexts)
        {
            return self.exchange(rank, stamp, entered, duration, &envelope);
        }
        self.other_call(rank, stamp, entered, duration, details);
    }

    #[inline]
    fn post(&mut self, rank: u32, at: Time, call: &PlainCall<'_>, _: &Reply) {
        let envelope = Envelope::of_plain(rank, call, &self.comms, &self.contexts);
        self.exchange(rank, &call.stamp, at.as_picos(), 0, &envelope);
    }

    fn messages(&mut self, messages: &[MessageRecord]) {
        if messages.len() > 1 {
            self.aggregator.prefetch(messages);
        }
        for message in messages {
            self.collectives.message(message);
            self.entries.message(message);
            self.aggregator.message(message);
        }
    }

    fn samples(&mut self, rank: u32, path: u64, count: u32) {
        self.aggregator.calls_mut().count_samples((rank, path), count);
    }

    fn network(&mut self, history: &NetworkHistory) {
        let end = self.ends.iter().map(|end| end.at).max().unwrap_or(0);
        self.packets = Some(Packets::new(&self.run.platform, history, end));
    }

    fn wants_arguments(&self) -> bool {
        true
    }

    fn wants_network(&self) -> bool {
        true
    }

    fn wants_collectives_again(&self) -> bool {
        false
    }

    fn wants_ideal(&self) -> bool {
        self.wants_ideal
    }
}

#[cfg(test)]
mod tests {
    use mpirage_call::{Algorithm, Peers};
    use mpirage_call::{Blocks, CollectiveCall, Part, Payload, Reply, WORLD, Work, function_names};
    use serde_json::json;

    use super::*;
    use crate::container::Container;
    use crate::testing::{inner_message, message, run_on};
    use crate::time::seconds;

    fn index(name: &str) -> u16 {
        function_names().iter().position(|&known| known == name).unwrap() as u16
    }

    fn compute(report: &mut Report, rank: u32, start: u64, end: u64) {
        let [start, end] = [start, end].map(Time::from_picos);
        report.record(&Record::Burst { rank, start, end, work: Work::Nanos(1), beside: false });
    }

    fn call(report: &mut Report, rank: u32, name: &str, span: [u64; 2], details: Option<Details<'_>>) {
        let [entered, left] = span.map(Time::from_picos);
        report.record(&Record::Call { rank, function: index(name), entered, left, site: 0, details });
    }

    fn end(report: &mut Report, ranks: u32, at: u64) -> Container {
        for rank in 0..ranks {
            report.record(&Record::End { rank, at: Time::from_picos(at), blocked: None, ideal: None });
        }
        let figures = json!({"simulated_seconds": seconds(at)});
        report.finish(&Ending { figures, ideal_seconds: Some(seconds(at) / 2.0), ..Ending::default() })
    }

    fn picos(value: &Value) -> u64 {
        (value.as_f64().unwrap() * 1e12).round() as u64
    }

    #[test]
    fn a_receive_waits_until_the_message_is_sent() {
        let mut report = Report::new(&run_on("cluster:2", 2), Budget::default());
        compute(&mut report, 0, 0, 5_000);
        call(&mut report, 0, "MPI_Send", [5_000, 5_000], None);
        report.record(&Record::Message(message((0, 1), 100, (5_000, 9_000))));
        compute(&mut report, 1, 0, 2_000);
        call(&mut report, 1, "MPI_Recv", [2_000, 9_000], None);
        let page = end(&mut report, 2, 9_000);
        let time = page.get("time").unwrap();
        assert_eq!(
            ["compute", "wait", "p2p", "other"].map(|kind| picos(&time[kind])),
            [7_000, 3_000, 4_000, 0]
        );
        let efficiency = page.get("efficiency").unwrap();
        let shown =
            ["parallel", "load_balance", "communication", "transfer"].map(|of| efficiency[of].as_f64());
        let expected = [3.5 / 9.0, 3.5 / 5.0, 5.0 / 9.0, 0.5];
        assert!(shown.iter().zip(expected).all(|(a, b)| (a.unwrap() - b).abs() < 1e-12), "{shown:?}");
        let critical = page.get("critical").unwrap();
        assert_eq!(picos(&critical["by_kind"]["compute"]), 5_000);
        assert_eq!(picos(&critical["by_kind"]["transfer"]), 4_000);
        assert_eq!(critical["by_link_class"][0]["name"], "host");
        // The ideal network takes half as long.
        let gains = critical["gain_if_free"].as_array().unwrap();
        let gain = gains.iter().find(|gain| gain["what"] == "all transfers").unwrap();
        assert_eq!(picos(&gain["seconds"]), 4_500);
    }

    #[test]
    fn a_collective_waits_for_the_last_to_enter() {
        let mut report = Report::new(&run_on("cluster:2", 2), Budget::default());
        let part = Part { payload: Payload::Absent, blocks: Blocks::Whole(0) };
        let kind = Collective::Barrier;
        let barrier = CollectiveCall {
            kind,
            context: WORLD,
            root: 0,
            peers: Peers::All,
            send: part,
            recv: part,
            reduction: None,
            request: None,
            plan: 0,
            input: Default::default(),
            on_mismatch: Default::default(),
        };
        let reply = Reply::default();
        let details = Some(Details { call: &Call::Collective(barrier), reply: &reply });
        for (rank, entered) in [(0, 1_000), (1, 6_000)] {
            compute(&mut report, rank, 0, entered);
            let method = Some(Algorithm::ALL[0].into());
            let entered = Time::from_picos(entered);
            let (number, context, call) = (0, WORLD, &barrier);
            report.record(&Record::Schedule { rank, number, context, kind, method, entered, call });
        }
        report.record(&Record::Message(inner_message((1, 0), (6_000, 8_000))));
        report.record(&Record::Message(inner_message((0, 1), (1_000, 6_000))));
        call(&mut report, 0, "MPI_Barrier", [1_000, 8_000], details);
        call(&mut report, 1, "MPI_Barrier", [6_000, 6_000], details);
        let page = end(&mut report, 2, 8_000);
        let time = page.get("time").unwrap();
        assert_eq!(["compute", "wait", "collective"].map(|kind| picos(&time[kind])), [7_000, 5_000, 2_000]);
        let table = page.get("collectives_table").unwrap();
        assert_eq!((&table["calls"], &table["messages"]), (&json!([2]), &json!([2])));
        // Rank 0 would have gone on at once if rank 1 had been there.
        let critical = page.get("critical").unwrap();
        assert_eq!(critical["by_rank"], json!([{"rank": 1, "seconds": seconds(6_000)}]));
    }

    #[test]
    fn a_rank_that_never_returns_is_shown() {
        let mut report = Report::new(&run_on("cluster:2", 2), Budget::default());
        compute(&mut report, 0, 0, 1_000);
        let blocked = Some((Time::from_picos(1_000), index("MPI_Recv"), 0));
        report.record(&Record::End { rank: 0, at: Time::from_picos(4_000), blocked, ideal: None });
        let waits = vec![(0, "waits for a message".to_owned())];
        let page = report.finish(&Ending { waits, ..Ending::default() });
        let shown = json!([{"rank": 0, "function": "MPI_Recv", "site": "", "since": 1e-9, "detail": "waits for a message"}]);
        assert_eq!(page.get("blocked"), Some(&shown));
        assert_eq!(picos(&page.get("time").unwrap()["wait"]), 3_000);
        assert_eq!(page.get("efficiency"), Some(&Value::Null));
    }
}
