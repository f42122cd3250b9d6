//! Who is told what happens, and what is made of it.

use mpirage_call::wire::NonblockingCall;
use mpirage_call::{Call, Reply, Stamp};
use mpirage_record::{Details, Message, Record, Recorder, Scope};
use mpirage_timeline::RunInfo;
use mpirage_timeline::arguments::Arguments;
use mpirage_timeline::comms::Comms;
use mpirage_timeline::function::Kind as FunctionKind;
use mpirage_units::Time;
use serde_json::Value;

use crate::books::Books;
use crate::category::Category;
use crate::collectives::Collectives;
use crate::names::{Contexts, Functions};
use crate::phrases::{Asked, Kind, START, Said};
use crate::sites::CallSites;
use crate::terms::Terms;

/// How much of a run is kept one by one.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Calls.
    pub calls: u64,
    /// Messages of the program.
    pub messages: u64,
    /// Of what is not shown one by one, so many rows are kept at a time: of messages inside collectives, and when there are more calls or messages than
    /// that. Half a million are some 30 MiB.
    pub rows: usize,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { calls: 1_500_000, messages: 1_000_000, rows: 1 << 19 }
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
    pub(crate) run: RunInfo,
    comms: Comms,
    pub(crate) contexts: Contexts,
    pub(crate) functions: Functions,
    pub(crate) ends: Vec<End>,
    /// The blocking collective that each rank is in.
    inside: Vec<Option<Inside>>,
    pub(crate) sites: CallSites,
    pub(crate) collectives: Collectives,
    pub(crate) books: Books,
    /// Is it to be known how long the run would take on an ideal network?
    wants_ideal: bool,
    /// When the last rank would have ended there.
    ideal: Option<Time>,
}

/// A collective that a rank is in: what will be asked when it is over.
#[derive(Clone, Copy)]
struct Inside {
    /// Which collective of the run.
    number: u64,
    terms: Terms,
    /// Does it have a root, so that not everybody waits for everybody?
    rooted: bool,
}

/// The end of a rank.
#[derive(Clone, Default)]
pub(crate) struct End {
    pub at: u64,
    /// Since when it has been in a call that never returned, and which, and the number of its place.
    pub blocked: Option<(u64, u16, u32)>,
}

impl Report {
    /// Nothing has happened.
    pub fn new(run: &RunInfo, budget: Budget) -> Report {
        let ranks = run.placement.len();
        Report {
            comms: Comms::new(run.ranks()),
            contexts: Contexts::new(run.ranks()),
            functions: Functions::new(),
            ends: vec![End::default(); ranks],
            inside: vec![None; ranks],
            sites: CallSites::new(run.sites.clone()),
            collectives: Collectives::new(ranks),
            books: Books::new(run, budget),
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
        self.books.did(rank, category, start, end.saturating_sub(start));
    }

    /// A send, a receive or a wait is over. How long it took is told, not until when: two dates side by side would be moved
    /// as one, which waits for both to have been stored ([`crate::came`] says why that matters).
    #[inline(always)]
    fn exchange(&mut self, rank: u32, stamp: &Stamp, entered: u64, took: u64, terms: &Terms) {
        let category = self.functions.category(stamp.function);
        let asked = self.asked(rank, stamp, category, terms);
        if took == 0 {
            return self.call_without_time(rank, entered, category, terms.bytes, asked);
        }
        let waited = if category == Category::Other { Some(0) } else { None };
        self.call_with_time(rank, category, entered, took, waited, terms.bytes, asked);
    }

    /// Any other call is over; none is given for a collective that was told of when it began.
    #[inline(never)]
    fn other_call(
        &mut self,
        rank: u32,
        stamp: &Stamp,
        entered: u64,
        took: u64,
        details: Option<Details<'_>>,
    ) {
        let call = details.map(|details| details.call);
        let inside = match call {
            None | Some(Call::Collective(_) | Call::MakeComm { .. }) => self.leave_collective(rank, took),
            Some(_) => None,
        };
        let terms = match (details, &inside) {
            (Some(details), _) => Terms::of(&Arguments::of(rank, &details, &self.comms), &self.contexts),
            (None, Some(inside)) => inside.terms,
            (None, None) => Terms::default(),
        };
        let (kind, category) = self.functions.kind(stamp.function);
        let asked = self.asked(rank, stamp, category, &terms);
        if took == 0 && inside.is_none() {
            return self.call_without_time(rank, entered, category, terms.bytes, asked);
        }
        let waited = self.waited(kind, inside.as_ref(), call, entered, took);
        self.call_with_time(rank, category, entered, took, waited, terms.bytes, asked);
    }

    #[inline]
    fn asked(&self, rank: u32, stamp: &Stamp, category: Category, terms: &Terms) -> Asked {
        let place = self.sites.place(rank, stamp.site);
        let asked = Asked::new(stamp.function, place, terms.comm, terms.tag, terms.bytes);
        self.with_peer(asked, category, terms.peer, rank)
    }

    /// A call that took time, or was a collective: a phrase by itself.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "in registers, as they are at hand")]
    fn call_with_time(
        &mut self,
        rank: u32,
        category: Category,
        entered: u64,
        took: u64,
        waited: Option<u64>,
        bytes: u64,
        asked: Asked,
    ) {
        if let Some(step) = self.books.phrases.expected(START, &asked) {
            self.sites.spend(self.books.phrases.row(step), took);
            return self.books.call(rank, step, category, entered, took, waited);
        }
        let (phrase, sized_apart) = self.unexpected(asked, bytes, took);
        self.books.call(rank, phrase, category, entered, took, waited);
        if sized_apart {
            self.books.size(rank, bytes);
        }
    }

    #[inline]
    fn with_peer(&self, asked: Asked, category: Category, peer: Option<u32>, rank: u32) -> Asked {
        match category {
            Category::Collective => asked.with_root(peer),
            _ => asked.with_peer(peer, rank, self.ends.len() as u32),
        }
    }

    /// A call that took no time: a part of what the rank does in this instant.
    #[inline(always)]
    fn call_without_time(&mut self, rank: u32, at: u64, category: Category, bytes: u64, asked: Asked) {
        let said = self.books.said(rank, at);
        if let Some(step) = self.books.phrases.expected(said, &asked) {
            return self.books.say(rank, at, said, step, category);
        }
        self.unexpected_without_time(rank, at, category, bytes, asked, said);
    }

    /// The same for one that was not expected after what the rank `said`.
    #[inline(never)]
    fn unexpected_without_time(
        &mut self,
        rank: u32,
        at: u64,
        category: Category,
        bytes: u64,
        asked: Asked,
        said: u32,
    ) {
        let found = if said == START { None } else { self.find(said, &asked) };
        let (said, found) = match found {
            Some(found) => (said, Some(found)),
            None => (START, self.find(START, &asked)),
        };
        let phrase = self.count(found.as_ref(), &asked, bytes, 0);
        self.books.say(rank, at, said, phrase, category);
        if found.is_some_and(|found| found.sized_apart) {
            self.books.size(rank, bytes);
        }
    }

    /// A call that took time and was not expected: the phrase, and whether its bytes are told apart.
    #[inline(never)]
    fn unexpected(&mut self, asked: Asked, bytes: u64, took: u64) -> (u32, bool) {
        let said = self.find(START, &asked);
        let phrase = self.count(said.as_ref(), &asked, bytes, took);
        (phrase, said.is_some_and(|said| said.sized_apart))
    }

    /// A call that was not expected.
    fn find(&mut self, said: u32, asked: &Asked) -> Option<Said> {
        let Report { sites, functions, books, .. } = self;
        books.phrases.find(said, asked, || {
            let row = sites.row(asked.function(), asked.site(), functions);
            Kind { asked: *asked, row }
        })
    }

    /// Counts what phrases do not: times, sizes that are told apart, and calls that are in no phrase. Gives the phrase.
    #[inline]
    fn count(&mut self, said: Option<&Said>, asked: &Asked, bytes: u64, took: u64) -> u32 {
        let Some(&Said { step, sized_apart }) = said else {
            let row = self.sites.row(asked.function(), asked.site(), &mut self.functions);
            self.sites.count(row, 1, bytes);
            self.sites.spend(row, took);
            return self.books.phrases.of_function(asked.function());
        };
        let row = self.books.phrases.row(step);
        self.sites.spend(row, took);
        if sized_apart {
            self.sites.count(row, 0, bytes);
        }
        step
    }

    /// The collective that a rank leaves after so long, if it is in one.
    #[inline]
    fn leave_collective(&mut self, rank: u32, took: u64) -> Option<Inside> {
        let inside = self.inside[rank as usize].take()?;
        self.collectives.leave(inside.number, took);
        Some(inside)
    }

    /// How long a call could not go on because another rank was not there, if that is known yet.
    fn waited(
        &self,
        kind: FunctionKind,
        inside: Option<&Inside>,
        call: Option<&Call<'_>>,
        entered: u64,
        took: u64,
    ) -> Option<u64> {
        match (kind, call) {
            _ if took == 0 => Some(0),
            (FunctionKind::Barrier | FunctionKind::Collective, None | Some(Call::Collective(_)))
                if inside.is_some_and(|inside| !inside.rooted) =>
            {
                let last_entry = inside.and_then(|inside| self.collectives.last_entry(inside.number));
                last_entry.map(|last| last.saturating_sub(entered).min(took))
            }
            // What it found is delivered later, so that nothing tells when it was sent.
            (FunctionKind::Test, Some(Call::Probe { poll: false, .. })) => Some(took),
            (FunctionKind::Other | FunctionKind::File, _) => Some(0),
            _ => None,
        }
    }

    #[inline(always)]
    fn message(&mut self, message: &Message) {
        if let Scope::Collective(number) = message.scope {
            self.collectives.message(number, message.bytes);
        }
        self.books.message(message);
    }

    fn end(&mut self, rank: u32, at: u64, blocked: Option<(Time, u16, u64)>) {
        let blocked = blocked.map(|(since, of, site)| {
            let site = self.sites.number(rank, site);
            let since = since.as_picos();
            self.books.did(rank, Category::Wait, since, at.saturating_sub(since));
            (since, of, site)
        });
        self.ends[rank as usize] = End { at, blocked };
    }
}

impl Recorder for Report {
    fn record(&mut self, record: &Record<'_>) {
        match *record {
            Record::Call { rank, function, entered, left, site, details } => {
                self.call(rank, &Stamp { function, site, ..Stamp::default() }, entered, left, details);
            }
            Record::Burst { rank, start, end, beside: false, .. } => {
                self.did(rank, Category::Compute, start.as_picos(), end.as_picos());
            }
            // The rank went on meanwhile.
            Record::Burst { beside: true, .. } => {}
            Record::Pause { rank, start, end } => {
                self.did(rank, Category::Other, start.as_picos(), end.as_picos());
            }
            Record::Message(ref message) => self.messages(std::slice::from_ref(message)),
            Record::Comm { context, members } => {
                self.comms.add(context, members);
                self.contexts.add(context, members.len() as u32);
            }
            Record::Schedule { rank, number, context, kind, algorithm, entered, call } => {
                self.collectives.enter(number, context, kind, algorithm, entered.as_picos());
                let arguments = Arguments::of_collective(rank, call, &self.comms);
                let (terms, rooted) = (Terms::of(&arguments, &self.contexts), kind.is_rooted());
                self.inside[rank as usize] = Some(Inside { number, terms, rooted });
            }
            Record::End { rank, at, blocked, ideal } => {
                self.ideal = self.ideal.max(ideal);
                self.end(rank, at.as_picos(), blocked);
            }
        }
    }

    #[inline]
    fn call(&mut self, rank: u32, stamp: &Stamp, entered: Time, left: Time, details: Option<Details<'_>>) {
        let (entered, took) = (entered.as_picos(), left.since(entered).as_picos());
        if let Some(details) = &details
            && let Some(terms) = Terms::of_exchange(rank, details, &self.comms, &self.contexts)
        {
            return self.exchange(rank, stamp, entered, took, &terms);
        }
        self.other_call(rank, stamp, entered, took, details);
    }

    /// As of any call that took no time, without all that it cannot be.
    #[inline]
    fn post(&mut self, rank: u32, at: Time, call: &NonblockingCall, _: &Reply) {
        let terms = Terms::of_plain(rank, call, &self.comms, &self.contexts);
        self.exchange(rank, &call.stamp, at.as_picos(), 0, &terms);
    }

    fn messages(&mut self, messages: &[Message]) {
        // One that comes alone has nothing to hide behind.
        if messages.len() > 1 {
            self.books.expect(messages);
        }
        for message in messages {
            self.message(message);
        }
    }

    fn wants_arguments(&self) -> bool {
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
    use mpirage_call::{Blocks, CollectiveCall, Part, Payload, Reply, WORLD, Work, function_names};
    use mpirage_collectives::{Algorithm, Collective};
    use serde_json::json;

    use super::*;
    use crate::container::Container;
    use crate::seconds;
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
            let (number, context, call) = (0, WORLD, &barrier);
            report.record(&Record::Schedule { rank, number, context, kind, algorithm, entered, call });
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
