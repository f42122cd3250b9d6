//! Explains why a run failed, in words and with source lines.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::mem::{self, Discriminant};
use std::ops::Range;

use mpirage_call::{ContextId, LineId, RankId, SELF, Unfreed, WORLD, function_name, tag_in_words};
use mpirage_mpi::{
    BlockedRank, CommunicatorPurpose, Ending, Engine, Leftover, Memory, Origin, Want, waiting_cycle,
};
use mpirage_rank::{Death, LostWorker, Outcome};
use mpirage_units::counted;

use crate::deadlock::Deadlock;
use crate::failure;

/// Blocked ranks shown in full; of the others, only their number.
const SHOWN: usize = 32;
/// Ranges of ranks that are shown of a worker.
const RANGES_SHOWN: usize = 4;
/// Ranks shown when simulated time overflows.
const BUSY_SHOWN: usize = 4;
/// Leaks shown in full.
const LEFT_SHOWN: usize = 16;
/// Unreceived messages shown with a deadlock.
const UNRECEIVED_SHOWN: usize = 4;

/// Looks up the source lines of calls, in a program or a trace.
pub trait Places {
    /// The place of a call of `rank`; `None` if it is unknown.
    fn call(&mut self, rank: u32, site: u64) -> Option<SourcePlace>;
    /// The place where a rank died.
    fn death(&mut self, _rank: u32) -> Option<String> {
        None
    }
}

/// A place in a program or a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePlace {
    /// As messages show it.
    pub text: String,
    /// The file, if it is known.
    pub file: Option<String>,
    /// The line, if it is known.
    pub line: Option<u64>,
    /// The function, if it is known.
    pub function: Option<String>,
}

/// How a run ended, in words and as data.
#[derive(Default)]
pub struct Explained {
    /// Why the run did not finish, in words.
    pub text: Option<String>,
    /// The blocked ranks, each with a description of what it waits for.
    pub waits: Vec<(u32, String)>,
    /// The blocked calls, if the run ended in a deadlock.
    pub deadlock: Option<Deadlock>,
    /// Leftovers of a run that finished, in words.
    pub leftovers: Vec<String>,
    /// Did ranks poll until simulated time was over? That is a deadlock too.
    pub polls_for_ever: bool,
}

impl Explained {
    /// The exit code of a run or replay that would end with `code`.
    pub fn exit_code(&self, code: u8) -> u8 {
        if self.polls_for_ever { failure::DEADLOCK } else { code }
    }
}

/// Explains how a run ended.
pub struct Diagnosis<'a, M, P> {
    pub(crate) engine: &'a Engine<M>,
    pub(crate) places: P,
}

impl<'a, M: Memory, P: Places> Diagnosis<'a, M, P> {
    /// A diagnosis of a run that has ended.
    pub fn new(engine: &'a Engine<M>, places: P) -> Diagnosis<'a, M, P> {
        Diagnosis { engine, places }
    }

    /// The engine of the run.
    pub fn engine(&self) -> &Engine<M> {
        self.engine
    }

    /// Why the run failed, or what it leaks. `ended` is the run or the trace.
    pub fn report(&mut self, outcome: &Outcome, ended: &str) -> Explained {
        if matches!(outcome, Outcome::Finished { .. }) {
            let leftovers = self.leftovers();
            let leftovers = leftovers.iter().map(|leftover| format!("at the end of the {ended}, {leftover}"));
            return Explained { leftovers: leftovers.collect(), ..Explained::default() };
        }
        let text = self.explain(outcome);
        let deadlock = matches!(outcome, Outcome::Ended(Ending::Deadlock)).then(|| self.deadlock_data());
        let polls_for_ever = matches!(outcome, Outcome::Ended(Ending::BeyondTime)) && self.polls_for_ever();
        Explained { text, waits: self.waits(), deadlock, leftovers: Vec::new(), polls_for_ever }
    }

    /// An explanation of the outcome; `None` if the run finished.
    pub fn explain(&mut self, outcome: &Outcome) -> Option<String> {
        match outcome {
            Outcome::Finished { .. } | Outcome::Ended(Ending::Finished) => None,
            Outcome::Ended(Ending::Deadlock) => Some(self.deadlock()),
            Outcome::Ended(Ending::BeyondTime) => Some(self.beyond_time()),
            Outcome::Ended(Ending::Unreachable { from, to, reason: Some(reason) }) => Some(format!(
                "the network lost a message between rank {from} and rank {to} at {}: {reason}{}; in SimGrid it fails too",
                self.engine.now(),
                self.last_call_of(*from),
            )),
            Outcome::Ended(Ending::Unreachable { from, to, reason: None }) => Some(format!(
                "the network lost the connection between rank {from} and rank {to} at {}: nothing came back after all \
                 retransmissions of rank {from}{}; losses, queues and retries are in the [packet] table of the platform",
                self.engine.now(),
                self.last_call_of(*from),
            )),
            Outcome::Ended(Ending::NetworkDeadlock { links }) => Some(format!(
                "the network is in a deadlock at {}: frames wait in a circle for room in the buffers behind the links {}; routes in \
                 circles need as many virtual lanes as links (`lanes` and `lane-per-hop = true` in the [packet] table of the platform)",
                self.engine.now(),
                links.join(", "),
            )),
            Outcome::Ended(Ending::Aborted { rank, code }) => {
                let call = self.last_call(*rank);
                let place = self.place(*rank, call);
                Some(format!("rank {rank} called MPI_Abort with code {code}{place}"))
            }
            Outcome::Ended(Ending::Misuse { rank, text }) => {
                let call = self.last_call(*rank);
                let text =
                    text.strip_prefix(&format!("{}: ", function_name(call.function()))).unwrap_or(text);
                Some(format!("rank {rank} was stopped{}: {text}", self.inside(*rank, call)))
            }
            Outcome::RankDied { rank, death } => Some(self.death(*rank, death)),
            Outcome::WorkerDied(lost) => Some(self.lost_worker(lost)),
            Outcome::Interrupted { signal } => Some(self.interrupted(*signal)),
            Outcome::RankHangs { rank, seconds } => {
                let place = self.last_call_of(*rank);
                let decimals = usize::from(*seconds < 1.0);
                Some(format!(
                    "rank {rank} has not called MPI for {seconds:.decimals$} s{place}; --rank-timeout set this limit"
                ))
            }
        }
    }

    /// `worker 1, which held ranks 4-7 and 12-15, was killed by SIGKILL …`.
    fn lost_worker(&mut self, LostWorker { worker, held, running, death }: &LostWorker) -> String {
        let ranks: Vec<String> = held.iter().map(range_text).collect();
        let shown = ranks.iter().take(RANGES_SHOWN).cloned().collect::<Vec<_>>().join(", ");
        let more = match ranks.len().saturating_sub(RANGES_SHOWN) {
            0 => String::new(),
            _ => format!(", … ({} ranks)", held.iter().map(ExactSizeIterator::len).sum::<usize>()),
        };
        let ran = running
            .map_or(String::new(), |rank| format!(" while rank {rank} ran{}", self.last_call_of(rank)));
        format!(
            "worker {worker}, which held ranks {shown}{more}, {}{ran}; --workers 1 runs all ranks in one process",
            death.describe()
        )
    }

    fn death(&mut self, rank: u32, death: &Death) -> String {
        let died = self.places.death(rank).map_or(String::new(), |place| format!(" at {place}"));
        let (last, when) = (self.last_call_of(rank), self.when_it_died(rank));
        format!("rank {rank} {}{died} {when}{last}", death.describe())
    }

    /// `before it called MPI_Finalize`.
    fn when_it_died(&mut self, rank: u32) -> String {
        let open = self.engine.diagnosis().open_sessions(RankId::new(rank));
        match (&open[..], self.engine.lifecycle(RankId::new(rank)).1) {
            (_, true) => "after it called MPI_Finalize".to_owned(),
            ([], _) => "before it called MPI_Finalize".to_owned(),
            ([first, others @ ..], _) => {
                let which = match others.len() {
                    0 => "the session".to_owned(),
                    more => format!("{} sessions, the first", more + 1),
                };
                format!("before it called MPI_Session_finalize for {which} opened{}", self.by(rank, *first))
            }
        }
    }

    /// Unreceived messages, incomplete requests and communicators that were not freed. Those that the same call of the program
    /// made, on any rank, are one line.
    fn leftovers(&mut self) -> Vec<String> {
        let groups = self.grouped(self.engine.diagnosis().leftovers());
        let mut lines: Vec<String> = groups.iter().take(LEFT_SHOWN).map(|group| self.group(group)).collect();
        if groups.len() > LEFT_SHOWN {
            lines.push(format!("there are {} more leaks", groups.len() - LEFT_SHOWN));
        }
        lines.extend(unfreed(&self.engine.counts().tally.unfreed));
        lines
    }

    /// Groups leftovers by kind and call, in the order of the first of each group.
    fn grouped(&mut self, leftovers: Vec<Leftover>) -> Vec<Vec<Leftover>> {
        let mut groups: Vec<Vec<Leftover>> = Vec::new();
        let mut known: HashMap<(Discriminant<Leftover>, String), usize> = HashMap::new();
        for leftover in leftovers {
            let (rank, origin) = match leftover {
                Leftover::Message { from, origin, .. } => (from, origin),
                Leftover::Requests { rank, origin, .. } | Leftover::Collective { rank, origin, .. } => {
                    (rank, origin)
                }
                Leftover::Communicators { origin, .. } => (0, origin),
            };
            // Addresses differ between folded ranks, so the text of the place is the key.
            let key = (mem::discriminant(&leftover), self.by(rank, origin));
            match known.get(&key) {
                // Calls whose place is unknown may differ.
                Some(&at) if !key.1.is_empty() => groups[at].push(leftover),
                _ => {
                    known.insert(key, groups.len());
                    groups.push(vec![leftover]);
                }
            }
        }
        groups
    }

    /// A line for one group of leftovers.
    fn group(&mut self, group: &[Leftover]) -> String {
        let (first, rest) = (&group[0], &group[1..]);
        match first {
            Leftover::Communicators { ranks, purpose, origin, .. } => {
                let count = group.iter().map(communicators).sum();
                let ranks = rest.iter().map(largest).fold(*ranks, u32::max);
                self.leftover(&Leftover::Communicators { count, ranks, purpose: *purpose, origin: *origin })
            }
            Leftover::Requests { rank, example, origin, .. } if !rest.is_empty() => {
                let count: usize = group.iter().map(requests).sum();
                let (waits, by) = (self.want(example, *origin), self.by(*rank, *origin));
                format!(
                    "{} leave {count} requests that they never completed or freed; rank {rank} made one{by} for {waits}",
                    ranks(group.iter().filter_map(owner))
                )
            }
            Leftover::Message { .. } if !rest.is_empty() => {
                let one = self.leftover(first);
                let one = one.strip_suffix(", was never received").unwrap_or(&one);
                format!("{} messages were never received, such as {one}", group.len())
            }
            _ => self.leftover(first),
        }
    }

    /// The blocked ranks, each with a description of what it waits for.
    fn waits(&self) -> Vec<(u32, String)> {
        let blocked = self.engine.diagnosis().blocked();
        blocked.iter().map(|blocked| (blocked.rank, format!("waits for {}", self.wanted(blocked)))).collect()
    }

    fn deadlock(&mut self) -> String {
        let blocked = self.engine.diagnosis().blocked();
        let count = blocked.len();
        let mut text = format!("deadlock: {} forever\n", how_many(&blocked));
        for rank in blocked.iter().take(SHOWN) {
            let line = self.blocked_rank(rank);
            let _ = writeln!(text, "  {line}");
        }
        if count > SHOWN {
            let _ = writeln!(text, "  … and {} more", count - SHOWN);
        }
        for rank in self.engine.diagnosis().outside().into_iter().take(SHOWN) {
            let last = self.last_call_of(rank);
            let _ =
                writeln!(text, "  rank {rank} is outside MPI, where its threads wait for each other{last}");
        }
        if let Some(cycle) = waiting_cycle(&blocked) {
            let path: Vec<String> = cycle.iter().chain(cycle.first()).map(u32::to_string).collect();
            let _ = writeln!(text, "  cycle: rank {}", path.join(" -> rank "));
        } else {
            let _ = writeln!(text, "  no cycle: {}", self.why_no_cycle(&blocked));
        }
        for message in self.engine.diagnosis().unreceived().iter().take(UNRECEIVED_SHOWN) {
            let line = self.leftover(message);
            let _ = writeln!(text, "  {line}");
        }
        text.trim_end().to_owned()
    }

    /// How far the run had come.
    fn interrupted(&self, signal: i32) -> String {
        let (ranks, now) = (self.engine.ends().count(), self.engine.now());
        let ended = (0..ranks as u32).filter(|&rank| self.engine.lifecycle(RankId::new(rank)).1).count();
        format!(
            "interrupted by signal {signal} at {now} of simulated time, when {ended} of {ranks} ranks had ended; all figures are of the run so far"
        )
    }

    /// Names the ranks that had not finished when simulated time overflowed.
    fn beyond_time(&mut self) -> String {
        let ranks = self.engine.ends().count() as u32;
        let busy: Vec<u32> =
            (0..ranks).filter(|&rank| !self.engine.lifecycle(RankId::new(rank)).1).take(BUSY_SHOWN).collect();
        let calls: Vec<String> =
            busy.iter().map(|&rank| format!("\n  rank {rank}{}", self.last_call_of(rank))).collect();
        let cause = if self.polls_for_ever() {
            ": ranks poll for what never happens, as in a deadlock. Look for a message that is not sent, or a request that cannot complete"
                .to_owned()
        } else {
            format!(
                "; at {:.6} s, no activity ended before that limit. Look for a bandwidth, latency or speed with the wrong unit, or for a \
                 computation of that length",
                self.engine.now().as_secs_f64()
            )
        };
        let calls = calls.concat();
        format!(
            "simulated time exceeds 213 days (2^64 picoseconds), the longest run that can be simulated{cause}{calls}"
        )
    }

    /// Do ranks that have not ended poll?
    fn polls_for_ever(&self) -> bool {
        let ranks = self.engine.ends().count() as u32;
        let mut busy =
            (0..ranks).filter(|&rank| !self.engine.lifecycle(RankId::new(rank)).1).take(BUSY_SHOWN);
        busy.any(|rank| is_poll(function_name(self.last_call(rank).function())))
    }

    fn why_no_cycle(&self, blocked: &[BlockedRank]) -> String {
        let awaited = blocked.iter().flat_map(|rank| &rank.wants).flat_map(Want::peers);
        let mut ended: Vec<u32> =
            awaited.filter(|&peer| self.engine.lifecycle(RankId::new(peer)).1).collect();
        ended.sort_unstable();
        ended.dedup();
        let outside = self.engine.diagnosis().outside();
        match ended.as_slice() {
            [] if !outside.is_empty() => format!("{} outside MPI", ranks_are(&outside)),
            [] => "no rank sends what they wait for".to_owned(),
            [one] => format!("rank {one} has called MPI_Finalize already"),
            [first, ..] => format!(
                "{} of the awaited ranks, such as rank {first}, have called MPI_Finalize already",
                ended.len()
            ),
        }
    }

    fn blocked_rank(&mut self, blocked: &BlockedRank) -> String {
        let inside = self.inside(blocked.rank, Origin::of(&blocked.stamp));
        format!("rank {}{inside} waits for {}", blocked.rank, self.wanted(blocked))
    }

    pub(crate) fn leftover(&mut self, leftover: &Leftover) -> String {
        match leftover {
            Leftover::Message { from, to, tag, bytes, context, origin } => {
                let (communicator, by) = (self.communicator(*context), self.by(*from, *origin));
                let tag = tag_in_words(*tag);
                format!(
                    "a message of {} from rank {from} to rank {to} ({tag}, {communicator}), sent{by}, was never received",
                    counted(*bytes, "byte")
                )
            }
            Leftover::Requests { rank, count, example, origin } => {
                let (waits, by) = (self.want(example, *origin), self.by(*rank, *origin));
                let one = if *count == 1 { "it was" } else { "one was" };
                format!(
                    "rank {rank} leaves {} that it never completed or freed; {one} made{by} for {waits}",
                    counted(*count, "request")
                )
            }
            Leftover::Collective { what, rank, missing, context, origin } => {
                let (communicator, place) = (self.communicator(*context), self.place(*rank, *origin));
                format!(
                    "{what}, which rank {rank} called{place}, was never called by {} ({communicator})",
                    ranks(missing.iter().copied())
                )
            }
            Leftover::Communicators { count: 1, ranks, purpose, origin } => {
                let Words { what, made, freed } = Words::of(*purpose);
                format!(
                    "a {what} of {}, {made}{}, was not {freed} {}",
                    counted(*ranks, "rank"),
                    self.by(0, *origin),
                    if *ranks == 1 { "by its rank" } else { "by all of them" }
                )
            }
            Leftover::Communicators { count, ranks, purpose, origin } => {
                let Words { what, made, freed } = Words::of(*purpose);
                format!(
                    "{count} {what}s of up to {}, {made}{}, were not {freed} by all of them",
                    counted(*ranks, "rank"),
                    self.by(0, *origin)
                )
            }
        }
    }

    pub(crate) fn communicator(&self, context: ContextId) -> String {
        match context {
            WORLD => "MPI_COMM_WORLD".to_owned(),
            SELF => "MPI_COMM_SELF".to_owned(),
            other => {
                let diagnosis = self.engine.diagnosis();
                let what = Words::of(diagnosis.purpose(other)).what;
                format!("{what} {other} of {}", counted(diagnosis.communicator_size(other), "rank"))
            }
        }
    }

    fn last_call(&self, rank: u32) -> Origin {
        Origin::of(&self.engine.last_named_call(LineId::new(rank)))
    }

    fn last_call_of(&mut self, rank: u32) -> String {
        let call = self.last_call(rank);
        if call.site() == 0 {
            return String::new();
        }
        format!("; its last MPI call was {}{}", function_name(call.function()), self.place(rank, call))
    }

    /// ` in MPI_Send at ring.c:12 in main`.
    fn inside(&mut self, rank: u32, call: Origin) -> String {
        self.named(" in ", rank, call)
    }

    /// ` by MPI_Isend at ring.c:12 in main`.
    fn by(&mut self, rank: u32, call: Origin) -> String {
        self.named(" by ", rank, call)
    }

    fn named(&mut self, how: &str, rank: u32, call: Origin) -> String {
        if call.site() == 0 {
            return String::new();
        }
        format!("{how}{}{}", function_name(call.function()), self.place(rank, call))
    }

    /// ` at ring.c:12 in main`.
    fn place(&mut self, rank: u32, call: Origin) -> String {
        if call.site() == 0 {
            return String::new();
        }
        self.places.call(rank, call.site()).map_or(String::new(), |place| format!(" at {}", place.text))
    }
}

/// `2 ranks are blocked`, or `3 threads of 2 ranks are blocked`.
fn how_many(blocked: &[BlockedRank]) -> String {
    let (lines, ranks) = (blocked.len(), blocked_ranks(blocked));
    match (lines, ranks) {
        (1, 1) => "1 rank is blocked".to_owned(),
        _ if lines == ranks => format!("{ranks} ranks are blocked"),
        _ => format!("{lines} threads of {} are blocked", counted(ranks, "rank")),
    }
}

/// How many ranks are blocked: a rank counts once, however many of its threads are.
pub(crate) fn blocked_ranks(blocked: &[BlockedRank]) -> usize {
    blocked.iter().map(|line| line.rank).collect::<BTreeSet<u32>>().len()
}

/// The words for what communicators were made for.
struct Words {
    what: &'static str,
    made: &'static str,
    freed: &'static str,
}

impl Words {
    fn of(purpose: CommunicatorPurpose) -> Words {
        let (what, made, freed) = match purpose {
            CommunicatorPurpose::Communicator => ("communicator", "made", "freed"),
            CommunicatorPurpose::Window => ("window", "made", "freed"),
            CommunicatorPurpose::File => ("file", "opened", "closed"),
        };
        Words { what, made, freed }
    }
}

fn communicators(leftover: &Leftover) -> usize {
    match leftover {
        Leftover::Communicators { count, .. } => *count,
        _ => 0,
    }
}

fn largest(leftover: &Leftover) -> u32 {
    match leftover {
        Leftover::Communicators { ranks, .. } => *ranks,
        _ => 0,
    }
}

fn requests(leftover: &Leftover) -> usize {
    match leftover {
        Leftover::Requests { count, .. } => *count,
        _ => 0,
    }
}

fn owner(leftover: &Leftover) -> Option<u32> {
    match leftover {
        Leftover::Requests { rank, .. } => Some(*rank),
        _ => None,
    }
}

/// `ranks 0, 1 and 2`, or of many the first ones and their number.
fn ranks(ranks: impl Iterator<Item = u32>) -> String {
    const NAMED: usize = 4;
    let all: Vec<String> = ranks.map(|rank| rank.to_string()).collect();
    match all.as_slice() {
        [one] => format!("rank {one}"),
        [some @ .., last] if some.len() < NAMED => format!("ranks {} and {last}", some.join(", ")),
        many => format!("{} ranks ({}, …)", many.len(), many[..NAMED].join(", ")),
    }
}

/// `rank 0 is`, or `ranks 0 and 1 are`.
fn ranks_are(which: &[u32]) -> String {
    format!("{} {}", ranks(which.iter().copied()), if which.len() == 1 { "is" } else { "are" })
}

/// Does a function look whether something has happened, without waiting for it?
fn is_poll(function: &str) -> bool {
    const POLLS: [&str; 5] =
        ["MPI_Test", "MPI_Iprobe", "MPI_Improbe", "MPI_Request_get_status", "MPI_Parrived"];
    POLLS.iter().any(|poll| function.starts_with(poll))
}

/// A line about objects that the MPI library of the ranks has counted at their ends.
fn unfreed(unfreed: &Unfreed) -> Option<String> {
    let &Unfreed { datatypes, operators, groups, requests } = unfreed;
    let kinds = [
        (datatypes, "datatype"),
        (operators, "operator"),
        (groups, "group"),
        (requests, "persistent request"),
    ];
    let left: Vec<String> =
        kinds.into_iter().filter(|&(count, _)| count > 0).map(|(count, kind)| counted(count, kind)).collect();
    let (last, others) = left.split_last()?;
    let all = if others.is_empty() { last.clone() } else { format!("{} and {last}", others.join(", ")) };
    let were = if datatypes + operators + groups + requests == 1 { "was" } else { "were" };
    Some(format!("{all} {were} not freed (sum of all ranks); `mpirage check` names the calls that made them"))
}

/// `4-7`, or `4`.
fn range_text(ranks: &Range<u32>) -> String {
    match ranks.len() {
        1 => ranks.start.to_string(),
        _ => format!("{}-{}", ranks.start, ranks.end - 1),
    }
}
