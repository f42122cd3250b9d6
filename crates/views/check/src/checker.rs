//! The recorder that checks a run.

use mpirage_call::{Call, Collective, Completion, ContextId, FindingClass, Reply, RequestId, Signature};
use mpirage_interpret::comms::{CommRank, Comms};
use mpirage_record::{Record, Recorder};
use rustc_hash::FxHashMap;

use crate::causality::{Alternative, Causality, Event};
use crate::collectives::{Collectives, Declared, Entry};
use crate::messages::{Channel, End, Messages, Pair, Pattern};
use crate::raw::{CallSite, RawFinding};
use crate::wildcard::Decided;
use crate::windows::{Memory, Touched, Windows};

/// Findings that are kept of a run; a program that makes one mistake makes it often.
const MOST: usize = 10_000;

/// Reads the calls of a checked run and names mistakes.
pub struct Checker {
    eager_limit: u64,
    comms: Comms,
    /// Each rank's declaration about its next call.
    declared: FxHashMap<u32, (u64, Declared)>,
    messages: Messages,
    collectives: Collectives,
    windows: Windows,
    /// Memory of each rank that its next access to a window uses.
    touched: FxHashMap<u32, Vec<Touched>>,
    causality: Causality,
    found: Vec<RawFinding>,
}

impl Checker {
    /// A checker of a run of so many ranks, in which standard sends of fewer bytes than `eager_limit` do not wait.
    pub fn new(ranks: u32, eager_limit: u64) -> Checker {
        Checker {
            eager_limit,
            comms: Comms::new(ranks),
            declared: FxHashMap::default(),
            messages: Messages::default(),
            collectives: Collectives::default(),
            windows: Windows::default(),
            touched: FxHashMap::default(),
            causality: Causality::new(ranks),
            found: Vec::new(),
        }
    }

    /// The mistakes found.
    pub fn findings(&self) -> &[RawFinding] {
        &self.found
    }

    /// Other messages that wildcard receives could have got, by rank; `decided` are the receives whose source was chosen. Empty if
    /// they are not known.
    pub fn alternatives(&self, decided: &[Decided]) -> Vec<Alternative> {
        if !self.messages.all_known() {
            return Vec::new();
        }
        self.causality.alternatives(&self.comms, decided)
    }

    /// Could the program have run like this? False if a receive whose source was chosen has not got its message, or only in an order
    /// that MPI forbids: then nothing follows from the run. `is_complete` tells of a request of a rank whether it is complete.
    pub fn is_possible(&self, decided: &[Decided], is_complete: impl Fn(u32, RequestId) -> bool) -> bool {
        self.causality.is_possible(decided, is_complete)
    }

    fn add(&mut self, findings: impl IntoIterator<Item = RawFinding>) {
        let room = MOST.saturating_sub(self.found.len());
        self.found.extend(findings.into_iter().take(room));
    }

    fn call(&mut self, rank: u32, at: CallSite, call: &Call<'_>, reply: &Reply) {
        match *call {
            Call::Declare { ticket, send, recv, text } => {
                let (send_text, recv_text) = text.split_once('\n').unwrap_or((text, ""));
                let declared = Declared {
                    call: at,
                    send: Signature::list(send),
                    recv: Signature::list(recv),
                    send_text: send_text.to_owned(),
                    recv_text: recv_text.to_owned(),
                };
                self.declared.insert(rank, (ticket, declared));
            }
            Call::Observe { ticket, signature } => {
                self.messages.observed(rank, ticket, Signature::list(signature).pop());
                self.settle(rank);
            }
            Call::Finding { class, function, site, text } => {
                let class = FindingClass::from_code(class).unwrap_or(FindingClass::Misuse);
                let call = CallSite { function: function as u16, site };
                self.add([RawFinding {
                    class,
                    rank,
                    call,
                    text: text.to_owned(),
                    expected: None,
                    related: Vec::new(),
                }]);
            }
            Call::Send { .. } => self.send(rank, at, call),
            Call::Recv { .. } => self.receive(rank, at, call, reply),
            Call::Probe { .. } => self.probe(rank, at, call, reply),
            Call::Wait { requests, .. } => {
                self.completed(rank, requests, &reply.completions);
                if matches!(at.name(), "MPI_Win_wait" | "MPI_Win_test") {
                    self.windows.end_exposure(rank);
                }
            }
            Call::Free { request } => {
                if let Some(number) = self.messages.take_request(rank, request) {
                    self.messages.freed(rank, number);
                    self.settle(rank);
                }
            }
            Call::Access(ref access) => {
                self.causality.give_up();
                let target = self.comms.world_of(access.window, rank, CommRank(access.target));
                let target = target.unwrap_or(access.target);
                let found = self.windows.access(rank, target, at, access);
                self.add(found);
                for touched in self.touched.remove(&rank).into_iter().flatten() {
                    let found = self.windows.access_buffer(rank, target, at, access, &touched);
                    self.add(found);
                }
            }
            Call::Touch { written, pending, stretches } => {
                let stretches = stretches.chunks_exact(2).map(|part| (part[0], part[1])).collect();
                let touched = Touched { written, stretches };
                if pending {
                    self.touched.entry(rank).or_default().push(touched);
                } else {
                    let found = self.windows.blocking_buffer(rank, at, &touched);
                    self.add(found);
                }
            }
            Call::LoadStore { written, released, site, stretches } => {
                let stretches = stretches.chunks_exact(2).map(|part| (part[0], part[1])).collect();
                let touched = Touched { written, stretches };
                let found = self.windows.load_store(rank, CallSite::of_program(site), &touched, released);
                self.add(found);
            }
            Call::DeclareWindow { window, unit, base, bytes } => {
                self.windows.declare(window, rank, Memory { unit, base, bytes, made: at });
            }
            Call::Lock { window, .. } => self.windows.lock(window, rank),
            Call::Unlock { window, .. } => self.windows.unlock(window, rank),
            Call::FreeComm { context } => self.windows.forget(context, rank),
            Call::AwaitAccesses { window, target } => {
                let target = target.and_then(|target| self.comms.world_of(window, rank, CommRank(target)));
                self.windows.complete(window, rank, target, at.name());
            }
            _ => {}
        }
    }

    /// The declaration of the call that a rank makes now.
    fn take_declared(&mut self, rank: u32, at: CallSite) -> (u64, Declared) {
        let declared = self.declared.remove(&rank).filter(|(_, declared)| declared.call == at);
        declared.unwrap_or_else(|| {
            // Threads of a rank do not declare their calls: the order of events is not known.
            self.causality.give_up();
            (0, Declared { call: at, ..Declared::default() })
        })
    }

    fn send(&mut self, rank: u32, at: CallSite, call: &Call<'_>) {
        let Call::Send { mode, context, to, tag, bytes, request, .. } = *call else { return };
        let (_, declared) = self.take_declared(rank, at);
        let Some(to) = self.comms.world_of(context, rank, CommRank(to)) else { return };
        let channel = Channel { context, from: rank, to, tag };
        let event = self.causality.add(rank, Event::Send(channel));
        self.causality.begin_send(rank, event, request, bytes >= mode.eager_limit(self.eager_limit));
        let signature = declared.send.first().copied();
        let pair = self.messages.sent(channel, End { call: at, event, signature, data: declared.send_text });
        self.paired(pair.into_iter().collect());
    }

    fn receive(&mut self, rank: u32, at: CallSite, call: &Call<'_>, reply: &Reply) {
        let Call::Recv { context, from, tag, request, matched, .. } = *call else { return };
        let (ticket, declared) = self.take_declared(rank, at);
        let pattern = self.pattern(rank, context, from, tag);
        let event = match matched {
            Some(_) => self.causality.add(rank, Event::Poll),
            None => self.causality.add(rank, Event::Post(pattern, at)),
        };
        let end = End { call: at, event, signature: None, data: declared.recv_text };
        let number = match matched {
            Some(message) => self.messages.take_message(rank, message, end, ticket != 0),
            None => Some(self.messages.posted(rank, pattern, end, ticket != 0)),
        };
        let Some(number) = number else { return };
        if ticket != 0 {
            self.messages.name_ticket(rank, ticket, number);
        }
        match (request, reply.completions.first()) {
            (Some(request), _) => {
                self.messages.name_request(rank, request, number);
                self.causality.begin_receive(rank, request, event);
            }
            (None, Some(completion)) if matched.is_none() => {
                self.ended(rank, number, Some(event), context, completion);
            }
            (None, _) => {}
        }
        self.settle(rank);
    }

    fn probe(&mut self, rank: u32, at: CallSite, call: &Call<'_>, reply: &Reply) {
        let Call::Probe { context, from, tag, poll, take } = *call else { return };
        let Some(completion) = reply.completions.first() else { return };
        let pattern = self.pattern(rank, context, from, tag);
        let event = self.causality.add(rank, if poll { Event::Poll } else { Event::Post(pattern, at) });
        let end = End { call: at, event, signature: None, data: String::new() };
        if let (true, Some(message)) = (take, reply.message) {
            let number = self.messages.posted(rank, pattern, end, false);
            self.messages.name_message(rank, message, number);
            self.ended(rank, number, Some(event), context, completion);
        } else if let Some(from) = self.sender(context, rank, completion) {
            self.causality.probed(event, Channel { context, from, to: rank, tag: completion.tag });
        }
    }

    /// The communicator, source and tag that a receive or probe asks for.
    fn pattern(&mut self, rank: u32, context: ContextId, from: Option<u32>, tag: Option<i32>) -> Pattern {
        let world = from.and_then(|from| self.comms.world_of(context, rank, CommRank(from)));
        if from.is_some() && world.is_none() {
            // It names a rank of which nothing is known here: it is no wildcard.
            self.causality.give_up();
        }
        Pattern { context, from: world, tag }
    }

    fn completed(&mut self, rank: u32, requests: &[RequestId], completions: &[Completion]) {
        for completion in completions {
            let Some(&request) = requests.get(completion.index as usize) else { continue };
            self.windows.complete_request(rank, request);
            let receive = self.causality.complete(rank, request);
            if let (Some(number), Some((event, context))) =
                (self.messages.take_request(rank, request), receive)
            {
                self.ended(rank, number, Some(event), context, completion);
            }
        }
        self.settle(rank);
    }

    fn sender(&self, context: ContextId, rank: u32, completion: &Completion) -> Option<u32> {
        let source = u32::try_from(completion.source).ok()?;
        self.comms.world_of(context, rank, CommRank(source))
    }

    /// A receive has ended.
    fn ended(
        &mut self,
        rank: u32,
        number: u64,
        event: Option<usize>,
        context: ContextId,
        completion: &Completion,
    ) {
        let from = self.sender(context, rank, completion).filter(|_| !completion.cancelled);
        let message = from.map(|from| (from, completion.tag));
        self.messages.received(rank, number, message);
        if let Some(event) = event {
            self.causality.end(rank, event, from);
        }
    }

    fn settle(&mut self, rank: u32) {
        let pairs = self.messages.settle(rank);
        self.paired(pairs);
    }

    fn paired(&mut self, pairs: Vec<Pair>) {
        for pair in &pairs {
            self.causality.pair(pair);
        }
        self.add(pairs.iter().filter_map(Pair::mismatch).collect::<Vec<_>>());
    }
}

impl Recorder for Checker {
    fn record(&mut self, record: &Record<'_>) {
        match *record {
            Record::Call { rank, function, site, entered, details: Some(details), .. } => {
                self.causality.set_time(entered);
                self.call(rank, CallSite { function, site }, details.call, details.reply);
            }
            Record::Comm { context, members } => self.comms.add(context, members),
            Record::Schedule { rank, number, context, kind, call, .. } => {
                let size = self.comms.size(context);
                let barrier_of = (kind == Collective::Barrier).then_some(size);
                self.windows.enter_collective(number, rank, barrier_of);
                let member = self.comms.rank_of(context, rank).unwrap_or(0);
                let (_, declared) = self.declared.remove(&rank).unwrap_or_default();
                self.causality.enter(rank, number, call.request);
                self.windows.synchronise(context, rank);
                let entry = Entry { rank, member, size };
                let found = self.collectives.enter(number, entry, call, declared);
                self.add(found);
            }
            _ => {}
        }
    }

    fn wants_arguments(&self) -> bool {
        true
    }

    fn wants_collectives_again(&self) -> bool {
        false
    }
}
