//! Who is told what happens, and what is made of it.

use mpirage_call::{Call, ContextId, SELF, WORLD};
use mpirage_record::{Details, Message, Record, Recorder, Scope};
use mpirage_timeline::arguments::Arguments;
use mpirage_timeline::comms::Comms;
use mpirage_timeline::function::{Kind as FunctionKind, function};
use mpirage_timeline::{LinkUse, RunInfo};
use mpirage_units::{Duration, Time};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use crate::batch::Batch;
use crate::category::{self, CATEGORIES, Category, NAMES};
use crate::collectives::Collectives;
use crate::container::Container;
use crate::delivered::Delivered;
use crate::events::{Arrows, Event, Events};
use crate::network::Network;
use crate::path::{Kind, NO_FUNCTION, Paths};
use crate::sites::CallSites;
use crate::tiles::Tiles;
use crate::traffic::Traffic;
use crate::{critical, drawing, seconds};

/// So many messages before it is its turn, what a message needs is asked for.
const AHEAD: usize = 6;
/// Bins of time for the use of links.
const LINK_BINS: u64 = 256;

/// How much of a run is kept one by one.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Calls.
    pub calls: u64,
    /// Messages of the program.
    pub messages: u64,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { calls: 1_500_000, messages: 1_000_000 }
    }
}

/// What is known when a run is over.
#[derive(Clone, Debug, Default)]
pub struct Ending {
    /// The figures of the run, as an object.
    pub figures: Value,
    /// How it ended, in words.
    pub outcome: String,
    /// What makes it less trustworthy: words, and `note`, `warning` or `error`.
    pub warnings: Vec<(String, &'static str)>,
    /// What blocked ranks wait for, in words.
    pub waits: Vec<(u32, String)>,
    /// How long the same calls take on an ideal network, if that is known.
    pub ideal_seconds: Option<f64>,
}

/// Gathers what a report shows.
pub struct Report {
    run: RunInfo,
    comms: Comms,
    contexts: Contexts,
    kinds: Vec<(FunctionKind, Category)>,
    functions: Functions,
    ranks: Vec<Rank>,
    /// The blocking collective that each rank is in, by its number and one more.
    inside: Vec<u64>,
    /// What ranks did, and messages, by sender: not gone through yet.
    deeds: Batch<Deed>,
    delivered: Batch<Delivered>,
    /// In which order what may lie on a path happened, and by its place among others of its kind.
    history: Vec<Past>,
    last_arrival: Time,
    tiles: Tiles,
    events: Events,
    arrows: Arrows,
    sites: CallSites,
    collectives: Collectives,
    traffic: Traffic,
    links: LinkUse,
    paths: Paths,
    /// Is it to be known how long the run would take on an ideal network?
    wants_ideal: bool,
    /// When the last rank would have ended there.
    ideal: Option<Time>,
}

/// One rank.
#[derive(Clone, Default)]
struct Rank {
    /// Until when its time is accounted for.
    now: u64,
    /// Picoseconds by category.
    times: [u64; CATEGORIES],
    end: u64,
    /// Since when it has been in a call that never returned, and which.
    blocked: Option<(u64, u16, u32)>,
}

/// Something that a rank did.
struct Deed {
    rank: u32,
    /// What it was, once it did not wait for another rank any more.
    category: Category,
    /// The function, by its index in the table of functions.
    of: u16,
    /// Until when it could not go on because another rank was not there; none if that is for a message to say.
    late: Option<u64>,
    /// Of a call, what is told of it; of anything else, when it was.
    event: Event,
}

/// Something that happened, to be told to paths.
enum Past {
    Deed(u32),
    Message(u32),
    /// A rank has entered a collective by this function.
    Entry(u32, u16),
}

impl Report {
    /// Nothing has happened.
    pub fn new(run: &RunInfo, budget: Budget) -> Report {
        let ranks = run.placement.len();
        Report {
            comms: Comms::new(run.ranks()),
            contexts: Contexts::new(run.ranks()),
            kinds: category::of_functions(),
            functions: Functions::default(),
            ranks: vec![Rank::default(); ranks],
            inside: vec![0; ranks],
            deeds: Batch::new(ranks),
            delivered: Batch::new(ranks),
            history: Vec::new(),
            last_arrival: Time::ZERO,
            tiles: Tiles::new(run.ranks()),
            events: Events::new(ranks, budget.calls),
            arrows: Arrows::new(ranks, budget.messages),
            sites: CallSites::new(run.sites.clone()),
            collectives: Collectives::new(ranks),
            traffic: Traffic::new(run.ranks()),
            links: LinkUse::new(run).coarse(LINK_BINS),
            paths: Paths::new(ranks),
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

    /// How long the run would have taken on an ideal network, if that was asked for. Known when all ranks have ended.
    pub fn ideal_seconds(&self) -> Option<f64> {
        self.ideal.map(Time::as_secs_f64)
    }

    /// A rank did something that was not a call.
    fn did(&mut self, rank: u32, category: Category, start: u64, end: u64) {
        self.history.push(Past::Deed(self.deeds.len() as u32));
        let event = Event::no_call(start, end);
        self.set_aside(Deed { rank, category, of: NO_FUNCTION, late: Some(0), event });
    }

    fn call(&mut self, rank: u32, of: u16, span: [u64; 2], site: u64, details: Option<&Details<'_>>) {
        let [entered, left] = span;
        let arguments =
            details.map_or_else(Arguments::default, |details| Arguments::of(rank, details, &self.comms));
        let bytes = match (arguments.sent, arguments.received) {
            (Some(bytes), _) | (None, Some(bytes)) => bytes,
            (None, None) => 0,
        };
        let row = self.sites.row(rank, of, site);
        let site = self.sites.count(row, bytes, left - entered);
        let (kind, category) = self.kinds[usize::from(of).min(self.kinds.len() - 1)];
        let event = Event {
            entered,
            left,
            waited: 0,
            function: self.functions.index(of),
            site,
            // Not as an option, which would be put together here only to be taken apart.
            peer: arguments.peer.map_or(0, |peer| peer + 1),
            bytes,
            tag: arguments.tag.unwrap_or(0),
            comm: arguments.context.map_or(0, |context| self.contexts.index(context)),
        };
        let call = details.map(|details| details.call);
        let collective = match call {
            None | Some(Call::Collective(_) | Call::MakeComm { .. }) => {
                std::mem::take(&mut self.inside[rank as usize]).checked_sub(1)
            }
            Some(_) => None,
        };
        if let Some(number) = collective {
            self.collectives.leave(number, left - entered);
        }
        if left > entered || collective.is_some() {
            self.history.push(Past::Deed(self.deeds.len() as u32));
        }
        let late = self.late(kind, collective, call);
        self.set_aside(Deed { rank, category, of, late, event });
    }

    #[inline]
    fn set_aside(&mut self, deed: Deed) {
        if self.deeds.push(deed.rank, deed) {
            self.go_through();
        }
    }

    /// Deals with all that has been set aside.
    fn go_through(&mut self) {
        self.follow_paths();
        self.go_through_deeds();
        self.go_through_messages();
    }

    /// Tells paths what happened, and calls who was late.
    fn follow_paths(&mut self) {
        let Report { paths, deeds, delivered, history, .. } = self;
        for past in history.drain(..) {
            match past {
                Past::Message(at) => paths.message(delivered.get_mut(at as usize)),
                Past::Entry(rank, function) => paths.enter_collective(rank, function),
                Past::Deed(at) => {
                    let &mut Deed { rank, category, of, late, ref mut event } = deeds.get_mut(at as usize);
                    let (entered, left) = (event.entered, event.left);
                    paths.catch_up(rank, entered);
                    if !event.is_call() {
                        paths.did(rank, path_kind(category), of, left);
                        continue;
                    }
                    let cause = paths.cause(rank, entered, left);
                    let by_message = cause.map_or(0, |held| held.late);
                    event.waited = late.unwrap_or(by_message).clamp(entered, left) - entered;
                    paths.called(rank, cause, path_kind(category), of, left);
                }
            }
        }
    }

    /// Adds up what ranks did.
    fn go_through_deeds(&mut self) {
        let Report { deeds, ranks, tiles, events, .. } = self;
        for &Deed { rank, category, ref event, .. } in deeds.sorted().iter() {
            let state = &mut ranks[rank as usize];
            let mut spend = |category, until| {
                if until > state.now {
                    state.times[category as usize] += until - state.now;
                    tiles.add(rank, category, until - state.now);
                    state.now = until;
                }
            };
            if event.left > event.entered {
                // Time that nothing was told of.
                spend(Category::Other, event.entered);
                spend(Category::Wait, event.entered + event.waited);
                spend(category, event.left);
            }
            if event.is_call() {
                events.push(rank, event, category == Category::Collective);
            }
        }
        deeds.clear();
    }

    /// Adds up messages.
    fn go_through_messages(&mut self) {
        let Report { delivered, traffic, arrows, links, run, .. } = self;
        links.reach(self.last_arrival);
        let spots = delivered.sorted();
        for at in 0..spots.len() {
            // What is far away is asked for before it is needed.
            if let Some(message) = spots.get(at + 2 * AHEAD) {
                links.expect(message.from, message.to());
            }
            if let Some(message) = spots.get(at + AHEAD) {
                links.expect_bins(message.from, message.to(), message.departed());
            }
            let Some(message) = spots.get(at) else { break };
            traffic.add(message);
            if run.collective_messages || !message.inner {
                arrows.push(message);
            }
            let (departed, arrived) = (message.departed(), message.arrived());
            links.cross(message.from, message.to(), message.bytes, [departed, arrived].map(Time::from_picos));
        }
        delivered.clear();
    }

    /// Until when a call could not go on because another rank was not there; zero if that is not so, none if the message that
    /// it ended with has to say.
    fn late(&self, kind: FunctionKind, collective: Option<u64>, call: Option<&Call<'_>>) -> Option<u64> {
        match (kind, call) {
            (FunctionKind::Barrier | FunctionKind::Collective, Some(Call::Collective(call)))
                if !call.kind.is_rooted() =>
            {
                collective.and_then(|number| self.collectives.last_entry(number))
            }
            // What it found is delivered later, so that nothing tells when it was sent.
            (FunctionKind::Test, Some(Call::Probe { poll: false, .. })) => Some(u64::MAX),
            (FunctionKind::Other | FunctionKind::File, _) => Some(0),
            _ => None,
        }
    }

    fn message(&mut self, message: &Message) {
        if let Scope::Collective(number) = message.scope {
            self.collectives.message(number, message.bytes);
        }
        self.last_arrival = self.last_arrival.max(message.arrived);
        self.history.push(Past::Message(self.delivered.len() as u32));
        if self.delivered.push(message.from, Delivered::of(message)) {
            self.go_through();
        }
    }

    fn end(&mut self, rank: u32, at: u64, blocked: Option<(Time, u16, u64)>) {
        if let Some((since, of, site)) = blocked {
            let row = self.sites.row(rank, of, site);
            let (site, since) = (self.sites.site(row), since.as_picos());
            self.functions.index(of);
            self.ranks[rank as usize].blocked = Some((since, of, site));
            let (category, event) = (Category::Wait, Event::no_call(since, at));
            self.set_aside(Deed { rank, category, of, late: Some(0), event });
        }
        self.ranks[rank as usize].end = at;
    }

    /// What the page is to show.
    pub fn finish(&mut self, ending: &Ending) -> Container {
        self.go_through();
        let mut out = Container::default();
        out.set("version", 1);
        self.write_run(ending, &mut out);
        self.write_time(ending, &mut out);
        self.write_names(&mut out);
        self.write_timeline(&mut out);
        self.traffic.write(&mut out);
        self.events.write(&mut out);
        self.arrows.write(&mut out);
        self.write_network(ending, &mut out);
        self.write_blocked(ending, &mut out);
        out
    }

    fn write_run(&self, ending: &Ending, out: &mut Container) {
        let mut run = ending.figures.clone();
        if let Value::Object(run) = &mut run {
            run.insert("program".to_owned(), self.run.program.clone().into());
            run.insert("mpirage_version".to_owned(), env!("CARGO_PKG_VERSION").into());
        }
        out.set("run", run);
        out.set("outcome", &ending.outcome);
        let warning = |(text, severity): &(String, &str)| json!({"text": text, "severity": severity});
        let mut warnings: Vec<Value> = ending.warnings.iter().map(warning).collect();
        if self.paths.is_thinned() {
            let text = "the run was too long to keep its critical path whole: parts of it are joined";
            warnings.push(json!({"text": text, "severity": "note"}));
        }
        out.set("warnings", warnings);
    }

    fn write_time(&self, ending: &Ending, out: &mut Container) {
        let shown = (1..CATEGORIES).map(|at| {
            let all: u64 = self.ranks.iter().map(|rank| rank.times[at]).sum();
            (NAMES[at].to_owned(), Value::from(seconds(all)))
        });
        out.set("time", shown.collect::<serde_json::Map<_, _>>());
        for (at, name) in NAMES.iter().enumerate().skip(1) {
            out.section(&format!("rank_{name}"), self.ranks.iter().map(|rank| seconds(rank.times[at])));
        }
        out.section("rank_end", self.ranks.iter().map(|rank| seconds(rank.end)));
        out.set("efficiency", self.efficiency(ending));
    }

    /// Parallel efficiency is load balance times communication efficiency; that is serialisation times transfer.
    fn efficiency(&self, ending: &Ending) -> Value {
        let computed = || self.ranks.iter().map(|rank| seconds(rank.times[Category::Compute as usize]));
        let (all, most) = (computed().sum::<f64>(), computed().fold(0.0, f64::max));
        let mean = all / self.ranks.len().max(1) as f64;
        let took = ending.figures["simulated_seconds"].as_f64().unwrap_or(0.0);
        if took <= 0.0 || most <= 0.0 {
            return Value::Null;
        }
        let mut shown = json!({
            "parallel": mean / took,
            "load_balance": mean / most,
            "communication": most / took,
        });
        if let Some(ideal) = ending.ideal_seconds.filter(|&ideal| ideal > 0.0) {
            shown["serialisation"] = (most / ideal).into();
            shown["transfer"] = (ideal / took).into();
            shown["ideal_seconds"] = ideal.into();
        }
        shown
    }

    fn write_names(&mut self, out: &mut Container) {
        let (hosts, of_rank) = self.run.used_hosts();
        let name = |host: &_| self.run.platform.host(*host).name();
        out.set("hosts", hosts.iter().map(name).collect::<Vec<_>>());
        out.section("rank_host", of_rank);
        // Of collectives that nobody has left, the functions have not been called yet.
        for of in self.collectives.functions() {
            self.functions.index(of);
        }
        let functions = &self.functions;
        let index = |of: u16| functions.find(of).map_or(0, usize::from);
        out.set("collectives_table", self.collectives.table(index, |context| self.contexts.index(context)));
        out.set("calls_table", self.sites.table(index));
        out.set("functions", functions.names());
        let category = |&of: &u16| self.kinds[usize::from(of).min(self.kinds.len() - 1)].1 as u8;
        out.set("function_categories", functions.used.iter().map(category).collect::<Vec<_>>());
        out.set("sites", self.sites.names());
        out.set("comms", &self.contexts.shown);
    }

    fn write_timeline(&mut self, out: &mut Container) {
        let end = self.last();
        let levels = self.tiles.levels(end);
        let about = levels.iter().enumerate().map(|(at, level)| {
            json!({"bins": level.columns, "section": format!("tiles_{at}"), "share": format!("shares_{at}")})
        });
        out.set(
            "timeline",
            json!({
                "rows": self.tiles.rows(),
                "ranks_per_row": self.tiles.ranks_per_row(),
                "seconds": seconds(end),
                "categories": NAMES,
                "levels": about.collect::<Vec<_>>(),
            }),
        );
        for (at, level) in levels.into_iter().enumerate() {
            out.bytes(&format!("tiles_{at}"), level.dominant);
            out.bytes(&format!("shares_{at}"), level.share);
        }
    }

    fn write_network(&self, ending: &Ending, out: &mut Container) {
        let network = Network::new(&self.run.platform, &self.links);
        network.write(out);
        drawing::write(&self.run.platform, &network, out);
        let key =
            |&rank: &usize| (self.ranks[rank].end, self.paths.reaches(rank as u32), std::cmp::Reverse(rank));
        let last = (0..self.ranks.len()).max_by_key(key);
        let path = last.map_or_else(Vec::new, |rank| self.paths.of(rank as u32));
        let name = |of: u16| self.functions.find(of).map(|index| (index, function(of).name));
        let gained = |ideal: f64| self.last().saturating_sub(Duration::from_secs_f64(ideal).as_picos());
        critical::write(&path, &self.run, &network, ending.ideal_seconds.map(gained), name, out);
    }

    fn write_blocked(&self, ending: &Ending, out: &mut Container) {
        let waits: FxHashMap<u32, &str> =
            ending.waits.iter().map(|(rank, text)| (*rank, text.as_str())).collect();
        let blocked = self.ranks.iter().enumerate().filter_map(|(rank, state)| {
            let (since, of, site) = state.blocked?;
            let site = self.sites.name(site);
            let detail = waits.get(&(rank as u32)).copied().unwrap_or("");
            Some(json!({
                "rank": rank,
                "function": function(of).name,
                "site": site,
                "since": seconds(since),
                "detail": detail,
            }))
        });
        out.set("blocked", blocked.collect::<Vec<_>>());
    }

    /// When the last rank ended.
    fn last(&self) -> u64 {
        self.ranks.iter().map(|rank| rank.end.max(rank.now)).max().unwrap_or(0)
    }
}

impl Recorder for Report {
    fn record(&mut self, record: &Record<'_>) {
        match *record {
            Record::Call { rank, function, entered, left, site, ref details } => {
                let span = [entered, left].map(Time::as_picos);
                self.call(rank, function, span, site, details.as_ref());
            }
            Record::Burst { rank, start, end, beside: false, .. } => {
                self.did(rank, Category::Compute, start.as_picos(), end.as_picos());
            }
            // The rank went on meanwhile.
            Record::Burst { beside: true, .. } => {}
            Record::Pause { rank, start, end } => {
                self.did(rank, Category::Other, start.as_picos(), end.as_picos());
            }
            Record::Message(ref message) => self.message(message),
            Record::Comm { context, members } => {
                self.comms.add(context, members);
                self.contexts.add(context, members.len() as u32);
            }
            Record::Schedule { rank, number, context, kind, algorithm, entered } => {
                let function = self.collectives.enter(number, context, kind, algorithm, entered.as_picos());
                self.inside[rank as usize] = number + 1;
                self.history.push(Past::Entry(rank, function));
            }
            Record::End { rank, at, blocked, ideal } => {
                self.ideal = self.ideal.max(ideal);
                self.end(rank, at.as_picos(), blocked);
            }
        }
    }

    fn wants_arguments(&self) -> bool {
        true
    }

    fn wants_ideal(&self) -> bool {
        self.wants_ideal
    }
}

fn path_kind(category: Category) -> Kind {
    match category {
        Category::Compute => Kind::Compute,
        Category::PointToPoint => Kind::PointToPoint,
        Category::Collective => Kind::Collective,
        _ => Kind::Other,
    }
}

/// The functions that were called, numbered as they came.
#[derive(Clone, Default)]
struct Functions {
    /// Number and one more, by index in the table of functions.
    numbers: Vec<u16>,
    used: Vec<u16>,
}

impl Functions {
    #[inline]
    fn index(&mut self, of: u16) -> u16 {
        match self.numbers.get(usize::from(of)) {
            Some(&number) if number > 0 => number - 1,
            _ => self.add(of),
        }
    }

    fn add(&mut self, of: u16) -> u16 {
        let length = self.numbers.len().max(usize::from(of) + 1);
        self.numbers.resize(length, 0);
        self.used.push(of);
        self.numbers[usize::from(of)] = self.used.len() as u16;
        self.used.len() as u16 - 1
    }

    fn find(&self, of: u16) -> Option<u16> {
        self.numbers.get(usize::from(of))?.checked_sub(1)
    }

    fn names(&self) -> Vec<&'static str> {
        self.used.iter().map(|&of| function(of).name).collect()
    }
}

/// Communicators, numbered from 1 as they came; 0 is none.
struct Contexts {
    shown: Vec<Value>,
    indices: FxHashMap<ContextId, u32>,
}

impl Contexts {
    fn new(ranks: u32) -> Contexts {
        let none = json!({"id": Value::Null, "size": 0, "name": ""});
        let mut contexts = Contexts { shown: vec![none], indices: FxHashMap::default() };
        contexts.push(WORLD, ranks, "MPI_COMM_WORLD".to_owned());
        contexts.push(SELF, 1, "MPI_COMM_SELF".to_owned());
        contexts
    }

    fn add(&mut self, context: ContextId, size: u32) {
        self.push(context, size, format!("communicator {context}"));
    }

    fn push(&mut self, context: ContextId, size: u32, name: String) {
        self.indices.insert(context, self.shown.len() as u32);
        self.shown.push(json!({"id": context, "size": size, "name": name}));
    }

    #[inline]
    fn index(&self, context: ContextId) -> u32 {
        match context {
            WORLD => 1,
            SELF => 2,
            _ => self.indices.get(&context).copied().unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use mpirage_call::{Blocks, CollectiveCall, Part, Payload, Reply, Work, function_names};
    use mpirage_collectives::{Algorithm, Collective};

    use super::*;
    use crate::testing::{inner_message, message, run_on};

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
        report.record(&Record::Message(message(0, 1, 100, 5_000, 9_000)));
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
            send: part,
            recv: part,
            reduction: None,
            request: None,
            plan: 0,
        };
        let reply = Reply::default();
        let details = Some(Details { call: &Call::Collective(barrier), reply: &reply });
        for (rank, entered) in [(0, 1_000), (1, 6_000)] {
            compute(&mut report, rank, 0, entered);
            let algorithm = Some(Algorithm::ALL[0]);
            let entered = Time::from_picos(entered);
            report.record(&Record::Schedule { rank, number: 0, context: WORLD, kind, algorithm, entered });
        }
        report.record(&Record::Message(inner_message(1, 0, 6_000, 8_000)));
        report.record(&Record::Message(inner_message(0, 1, 1_000, 6_000)));
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
