//! Kinds of calls: calls that differ in nothing but their times and bytes.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::rc::Rc;

use mpirage_interpret::function::{FunctionKind, function};
use mpirage_interpret::{CallSites, Sites};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use crate::activity::{Activity, NO_CALL};
use crate::container::Container;
use crate::envelope::Envelope;
use crate::names::Functions;
use crate::ranks::RankAmong;
use crate::time::seconds;
use crate::waits::State;

/// No function.
pub(crate) const NO_FUNCTION: u16 = u16::MAX;

/// The key of a kind of call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CallKey {
    /// The key of the call site ([`CallSites::key`]); 0 if it is unknown.
    site: u64,
    comm: u32,
    tag: i32,
    peer: Peer,
    function: u16,
}

/// The other rank of a call, so that calls of different ranks can be of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Peer {
    None,
    /// Of point-to-point calls: how far it is after the caller, modulo the number of ranks.
    Distance(u32),
    /// Of collectives: the rank itself.
    Root(u32),
}

impl CallKey {
    /// A call of a function from a site, and nothing else is known of it.
    pub fn of_site(function: u16, site: u64) -> CallKey {
        CallKey { site, comm: 0, tag: 0, peer: Peer::None, function }
    }

    /// A point-to-point call.
    #[inline]
    pub fn point_to_point(function: u16, site: u64, envelope: &Envelope, caller: RankAmong) -> CallKey {
        let peer = envelope.peer.map_or(Peer::None, |peer| Peer::Distance(caller.distance_to(peer)));
        CallKey { site, comm: envelope.comm, tag: envelope.tag, peer, function }
    }

    /// A collective.
    #[inline]
    pub fn collective(function: u16, site: u64, envelope: &Envelope) -> CallKey {
        let peer = envelope.peer.map_or(Peer::None, Peer::Root);
        CallKey { site, comm: envelope.comm, tag: envelope.tag, peer, function }
    }
}

/// A kind of call.
#[derive(Clone)]
struct CallKind {
    key: CallKey,
    /// The page's numbers of its function, its site, and the path to it; 0 if callers were not recorded.
    function: u16,
    site: u32,
    path: u32,
    totals: Totals,
}

/// Sums over calls. Times are in picoseconds.
#[derive(Clone, Copy, Default)]
struct Totals {
    calls: u64,
    bytes: u64,
    time: u64,
    longest: u64,
}

/// The calls of a run, by kind.
#[derive(Clone)]
pub(crate) struct Calls {
    kinds: Vec<CallKind>,
    numbers: FxHashMap<CallKey, u32>,
    sites: CallSites,
    /// The paths on which calls were made, from number 1 on, and their numbers by site.
    paths: Vec<String>,
    path_numbers: FxHashMap<u64, u32>,
    /// How often a timer found ranks on paths while they computed, by the number of the path and the rank.
    samples: BTreeMap<(u32, u32), u32>,
    functions: Functions,
    /// Whether function and site alone distinguish new kinds.
    coarse: bool,
    ranks: u32,
}

impl Calls {
    pub fn new(sites: Option<Rc<dyn Sites>>, ranks: u32) -> Calls {
        let none = CallKind {
            key: CallKey::of_site(NO_FUNCTION, 0),
            function: 0,
            site: 0,
            path: 0,
            totals: Totals::default(),
        };
        Calls {
            kinds: vec![none],
            numbers: FxHashMap::default(),
            sites: CallSites::new(sites),
            paths: Vec::new(),
            path_numbers: FxHashMap::default(),
            samples: BTreeMap::new(),
            functions: Functions::new(),
            coarse: false,
            ranks,
        }
    }

    pub fn functions(&mut self) -> &mut Functions {
        &mut self.functions
    }

    pub fn sites(&mut self) -> &mut CallSites {
        &mut self.sites
    }

    /// The key of a rank's call site.
    #[inline]
    pub fn site_key(&self, rank: u32, site: u64) -> u64 {
        self.sites.key(rank, site)
    }

    #[inline]
    pub fn key(&self, kind: u32) -> &CallKey {
        &self.kinds[kind as usize].key
    }

    /// The function of a kind, or `NO_FUNCTION`.
    #[inline]
    pub fn function(&self, kind: u32) -> u16 {
        self.kinds[kind as usize].key.function
    }

    /// Tells new kinds apart by function and site only, so that they stay few.
    pub fn keep_few(&mut self) {
        self.coarse = true;
    }

    /// The kind of a call.
    pub fn number(&mut self, key: &CallKey) -> u32 {
        match self.numbers.get(key) {
            Some(&number) => number,
            None if self.coarse => self.intern(CallKey::of_site(key.function, key.site)),
            None => self.intern(*key),
        }
    }

    fn intern(&mut self, key: CallKey) -> u32 {
        if let Some(&number) = self.numbers.get(&key) {
            return number;
        }
        let (site, function) = (self.sites.number_of(key.site), self.functions.index(key.function));
        let path = self.path_number(key.site);
        self.kinds.push(CallKind { key, function, site, path, totals: Totals::default() });
        let number = self.kinds.len() as u32 - 1;
        self.numbers.insert(key, number);
        number
    }

    /// The number of a path; 0 if it is unknown.
    fn path_number(&mut self, site: u64) -> u32 {
        if let Some(&number) = self.path_numbers.get(&site) {
            return number;
        }
        let Some(path) = self.sites.path(site) else { return 0 };
        self.paths.push(path);
        let number = self.paths.len() as u32;
        self.path_numbers.insert(site, number);
        number
    }

    /// Counts samples of a rank that computed on a path.
    pub fn count_samples(&mut self, (rank, path): (u32, u64), count: u32) {
        let path = self.path_number(self.site_key(rank, path));
        *self.samples.entry((path, rank)).or_default() += count;
    }

    /// Counts an activity that occurred `times` times.
    #[inline]
    pub fn count(&mut self, activity: &Activity, times: u32) {
        let Totals { calls, bytes, time, longest } = &mut self.kinds[activity.call as usize].totals;
        *calls += u64::from(times);
        *bytes += activity.bytes * u64::from(times);
        *time += activity.duration * u64::from(times);
        *longest = activity.duration.max(*longest);
    }

    /// Whether a call of this kind by the first of two ranks ends such a wait of the second.
    pub fn ends_wait(&self, kind: u32, (caller, waiter): (u32, u32), state: State) -> bool {
        use FunctionKind::{Barrier, Collective, Irecv, Isend, Recv, Send, Sendrecv, Start};
        let key = self.key(kind);
        let of = function(key.function).kind;
        let to_waiter = match key.peer {
            Peer::Distance(distance) => {
                RankAmong { rank: caller, ranks: self.ranks }.at_distance(distance) == waiter
            }
            Peer::None | Peer::Root(_) => true,
        };
        match state {
            State::LateSender => to_waiter && matches!(of, Send | Isend | Sendrecv | Start),
            State::LateReceiver => to_waiter && matches!(of, Recv | Irecv | Sendrecv | Start),
            _ => matches!(of, Barrier | Collective),
        }
    }

    /// The page's numbers of the function and the site of a kind; none if it is no call.
    pub fn place(&self, kind: u32) -> Option<(u16, u32)> {
        let CallKind { function, site, .. } = self.kinds[kind as usize];
        (kind != NO_CALL).then_some((function, site))
    }

    /// The page's number of a function that was called.
    pub fn function_index(&self, function: u16) -> Option<u16> {
        self.functions.find(function)
    }

    /// The name of a function, by the page's number.
    pub fn function_name(&self, function: u16) -> &'static str {
        self.functions.names().get(usize::from(function)).copied().unwrap_or("MPI")
    }

    /// The name of a site, by its number.
    pub fn site_name(&self, site: u32) -> &str {
        site.checked_sub(1).map_or("", |at| &self.sites.names()[at as usize])
    }

    /// Adds functions, sites and the table of calls by function and site to the data of the page.
    pub fn write_tables(&self, out: &mut Container) {
        out.put("calls_table", self.table("site", |kind| kind.site));
        if !self.paths.is_empty() {
            let paths = std::iter::once("").chain(self.paths.iter().map(String::as_str));
            out.set("paths", paths.collect::<Vec<_>>());
            out.put("paths_table", self.table("path", |kind| kind.path));
            self.write_samples(out);
        }
        out.set("functions", self.functions.names());
        out.set("function_categories", self.functions.categories());
        let sites = (0..=self.sites.names().len() as u32).map(|site| self.site_name(site));
        out.set("sites", sites.collect::<Vec<_>>());
    }

    fn write_samples(&self, out: &mut Container) {
        if self.samples.is_empty() {
            return;
        }
        out.section("samples_path", self.samples.keys().map(|&(path, _)| path));
        out.section("samples_rank", self.samples.keys().map(|&(_, rank)| rank));
        out.section("samples_count", self.samples.values().copied());
    }

    /// Calls by function and place (its site, or the path to it) in columns, those that took longest first.
    fn table(&self, place: &str, place_of: impl Fn(&CallKind) -> u32) -> Value {
        let mut totals: FxHashMap<(u16, u32), (u16, Totals)> = FxHashMap::default();
        for kind in &self.kinds[1..] {
            let CallKind { key, function, totals: of_kind, .. } = kind;
            let entry = totals.entry((key.function, place_of(kind)));
            let (_, sum) = entry.or_insert((*function, Totals::default()));
            sum.calls += of_kind.calls;
            sum.bytes += of_kind.bytes;
            sum.time += of_kind.time;
            sum.longest = sum.longest.max(of_kind.longest);
        }
        let mut rows: Vec<_> = totals.into_iter().filter(|(_, (_, sum))| sum.calls > 0).collect();
        rows.sort_unstable_by_key(|&((function, place), (_, sum))| (Reverse(sum.time), function, place));
        let column =
            |of: &dyn Fn(&Totals) -> Value| rows.iter().map(|(_, (_, sum))| of(sum)).collect::<Vec<_>>();
        json!({
            "function": rows.iter().map(|(_, (function, _))| function).collect::<Vec<_>>(),
            place: rows.iter().map(|((_, place), _)| place).collect::<Vec<_>>(),
            "calls": column(&|sum| sum.calls.into()),
            "bytes": column(&|sum| sum.bytes.into()),
            "seconds": column(&|sum| seconds(sum.time).into()),
            "max_seconds": column(&|sum| seconds(sum.longest).into()),
        })
    }

    /// Adds the kinds of calls to the data of the page.
    pub fn write_kinds(&self, out: &mut Container) {
        let keys = || self.kinds.iter().map(|kind| &kind.key);
        out.section("call_kinds_function", self.kinds.iter().map(|kind| kind.function));
        out.section("call_kinds_site", self.kinds.iter().map(|kind| kind.site));
        if !self.paths.is_empty() {
            out.section("call_kinds_path", self.kinds.iter().map(|kind| kind.path));
        }
        out.section("call_kinds_comm", keys().map(|key| key.comm));
        out.section("call_kinds_tag", keys().map(|key| mpirage_call::varint::zigzag(key.tag.into()) as u32));
        out.section(
            "call_kinds_peer",
            keys().map(|key| match key.peer {
                Peer::None => 0,
                Peer::Distance(peer) | Peer::Root(peer) => peer + 1,
            }),
        );
        out.section("call_kinds_rooted", keys().map(|key| u8::from(matches!(key.peer, Peer::Root(_)))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_a_kind_have_one_number() {
        let mut calls = Calls::new(None, 8);
        let envelope = |tag, peer| Envelope { comm: 1, tag, bytes: 8, peer };
        let send =
            |rank, to| CallKey::point_to_point(3, 77, &envelope(-1, Some(to)), RankAmong { rank, ranks: 8 });
        let kinds = [send(0, 1), send(7, 0), send(0, 2), CallKey::collective(3, 77, &envelope(-1, Some(1)))];
        assert_eq!(kinds.map(|key| calls.number(&key)), [1, 1, 2, 3]);
        calls.keep_few();
        let later = [5, 6, 7].map(|tag| CallKey::collective(3, 77, &envelope(tag, None)));
        assert_eq!(later.map(|key| calls.number(&key)), [4, 4, 4]);
        assert_eq!(
            (calls.number(&kinds[2]), calls.function(4), calls.function(NO_CALL)),
            (2, 3, NO_FUNCTION)
        );
    }

    #[test]
    fn kinds_of_a_site_are_one_row() {
        let mut calls = Calls::new(None, 8);
        for (tag, duration) in [(1, 10), (2, 30), (1, 20)] {
            let envelope = Envelope { comm: 1, tag, bytes: 8, peer: None };
            let call = calls.number(&CallKey::collective(3, 0, &envelope));
            calls.count(&Activity { call, duration, bytes: 8, ..Activity::default() }, 2);
        }
        let table = calls.table("site", |kind| kind.site);
        assert_eq!((&table["calls"], &table["bytes"]), (&json!([6]), &json!([48])));
        assert_eq!(
            (&table["seconds"], &table["max_seconds"]),
            (&json!([seconds(120)]), &json!([seconds(30)]))
        );
    }
}
