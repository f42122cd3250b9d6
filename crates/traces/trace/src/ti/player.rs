//! One rank of a trace: its lines become calls.

use mpirage_call::{
    Call, Completing, Payload, Reply, RequestId, SendMode, Stamp, WORLD, Work, iteration_mark,
};
use mpirage_units::Duration;

use super::arguments::{ANY, Arguments, bad_number, believed, size_of, tag_of};
use super::requests::{Name, Requests};
use super::sites::Sites;
use super::text::{Words, number, whole};
use super::words::{Action, Functions, action};
use crate::{Calls, Step};

/// Stands for the sender in the name of a collective that does not block; its tag is its number in the rank.
pub(super) const COLLECTIVE: i32 = -2;

/// The data that all ranks share.
pub(super) struct Common {
    pub ranks: u32,
    pub functions: Functions,
    pub sites: Sites,
    /// Blocks of a collective, requests of a wait.
    pub blocks: [Vec<u64>; 2],
    pub requests: Vec<RequestId>,
    /// Standard sends of fewer bytes need no answer.
    pub eager_limit: u64,
}

/// The action after the answer to a call.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum After {
    #[default]
    Nothing,
    /// The computation that belongs to a reduction.
    Compute(f64),
    /// It was a test of this request.
    Test(RequestId),
}

/// How far the end of a rank is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Stage {
    #[default]
    Running,
    /// Everything that was open has been waited for.
    Waited,
    Finalized,
}

/// One rank.
#[derive(Default)]
pub(super) struct Player {
    pub(super) rank: u32,
    pub(super) requests: Requests,
    /// Bytes of the datatype of actions that name none.
    pub(super) element: u64,
    pub(super) after: After,
    initialized: bool,
    finalized: bool,
    stage: Stage,
    /// The line of the trace, or of the program if the trace names those.
    site: u64,
    located: bool,
    /// Requests of a wait that several lines make up, and how many lines are to come.
    joined: Vec<RequestId>,
    joining: u64,
    /// How many collectives that do not block there were.
    pub(super) collectives: i32,
}

impl Player {
    pub(super) fn new(rank: u32) -> Player {
        Player { rank, element: 1, ..Player::default() }
    }

    /// The last call has been answered.
    pub(super) fn answered(&mut self, reply: &Reply, calls: &mut Calls<'_>) {
        match std::mem::take(&mut self.after) {
            After::Nothing => {}
            After::Compute(flops) => self.compute(Work::Flops(flops), calls),
            After::Test(request) => {
                if !reply.completions.is_empty() {
                    self.requests.mark_over(request);
                }
            }
        }
    }

    /// The lines are over.
    pub(super) fn end(&mut self, common: &mut Common, calls: &mut Calls<'_>) -> Result<Step, String> {
        if self.initialized && !self.finalized {
            return Err("the trace of this rank ends without `finalize`: has it been cut off?".to_owned());
        }
        if self.joining > 0 {
            return Err(format!("the trace ends where {} more lines `wait` were to come", self.joining));
        }
        if self.stage == Stage::Running {
            self.stage = Stage::Waited;
            if self.wait_for_all(common, calls) {
                return Ok(Step::Waits);
            }
        }
        if self.stage == Stage::Waited && self.initialized {
            self.stage = Stage::Finalized;
            calls.push(&self.stamp(common.functions.finalize), &Call::Finalize);
            return Ok(Step::Waits);
        }
        Ok(Step::Ended)
    }

    /// Carries out one line. True if it waits for an answer.
    #[inline]
    pub(super) fn act(
        &mut self,
        line: &[u8],
        number: u64,
        common: &mut Common,
        calls: &mut Calls<'_>,
    ) -> Result<bool, String> {
        let mut words = Words::of(line);
        match words.next_whole() {
            Some(Ok(rank)) if rank == u64::from(self.rank) => {}
            None => return Ok(false),
            Some(Err(word)) if word[0] == b'#' => return Ok(false),
            _ => return Err(self.not_ours(line)),
        }
        let name = words.next().ok_or("a rank without an action")?;
        let Some((action, later)) = action(name) else {
            return Err(format!("there is no action `{}`", String::from_utf8_lossy(name)));
        };
        let mut words = Arguments { name, words };
        if self.joining > 0 && action != Action::Wait {
            return Err(format!("{} more lines `wait` were to come", self.joining));
        }
        if !self.located {
            self.site = number;
        }
        match action {
            Action::Compute => {
                let flops = words.amount("the flops")?;
                let bytes = words.optional_amount("the bytes of memory")?;
                self.compute(
                    bytes.map_or(Work::Flops(flops), |bytes| Work::Roofline { flops, bytes }),
                    calls,
                );
                Ok(false)
            }
            Action::Send { mode, blocking } => self.send(mode, blocking, words, common, calls),
            Action::Recv { blocking } => self.recv(blocking, words, common, calls),
            Action::Wait => self.wait(words, common, calls),
            Action::Waitall => Ok(self.wait_for_all(common, calls)),
            Action::Test => self.test(words, common, calls),
            Action::Sendrecv => self.sendrecv(words, common, calls),
            Action::Sleep => {
                let span = Duration::from_secs_f64(words.amount("the seconds")?);
                calls.push(&self.stamp(0), &Call::Sleep { span });
                Ok(true)
            }
            Action::Migrate => {
                let state_bytes = words.size("the bytes of the state")?;
                calls.push(&self.stamp(common.functions.migrate), &Call::Migrate { state_bytes });
                Ok(true)
            }
            Action::Iteration { begins } => {
                calls.push(&self.stamp(common.functions.control), &iteration_mark(begins));
                Ok(false)
            }
            Action::Location => {
                let file = words.words.next().ok_or("`location` wants a file and a line")?;
                (self.site, self.located) = (common.sites.number(file, words.whole("the line")?), true);
                Ok(false)
            }
            Action::Init => {
                (self.initialized, self.element) = (true, if words.words.next().is_some() { 8 } else { 1 });
                calls.push(&self.stamp(common.functions.init), &Call::Init);
                Ok(true)
            }
            Action::Finalize => {
                self.finalized = true;
                Ok(false)
            }
            Action::Nothing => Ok(false),
            _ => self.collective(action, later, words, common, calls),
        }
    }

    #[cold]
    fn not_ours(&self, line: &[u8]) -> String {
        let first = String::from_utf8_lossy(Words::of(line).next().unwrap_or_default());
        format!("this is the trace of rank {}, but the line starts with `{first}`", self.rank)
    }

    pub(super) fn stamp(&self, function: u16) -> Stamp {
        Stamp { function, site: self.site, ..Stamp::default() }
    }

    fn compute(&self, work: Work, calls: &mut Calls<'_>) {
        if work != Work::Flops(0.0) {
            calls.push(&self.stamp(0), &Call::Compute { work, request: None });
        }
    }

    fn send(
        &mut self,
        mode: SendMode,
        blocking: bool,
        mut words: Arguments<'_>,
        common: &Common,
        calls: &mut Calls<'_>,
    ) -> Result<bool, String> {
        let TiMessage { peer, tag, bytes } = self.message(&mut words, common)?;
        let (Some(to), Some(bytes)) = (peer, bytes) else {
            return Err("a send needs a receiver and a size".to_owned());
        };
        let request = (!blocking).then(|| self.requests.open((self.rank as i32, to as i32, tag)));
        // SimGrid does not read this word.
        let mode = match words.words.next() {
            Some(b"ssend") => SendMode::Synchronous,
            Some(b"bsend") => SendMode::Buffered,
            Some(b"rsend") => SendMode::Ready,
            _ => mode,
        };
        let stamp = self.stamp(common.functions.send[mode as usize][usize::from(!blocking)]);
        let (context, payload, answer) =
            (WORLD, Payload::Absent, bytes >= mode.eager_limit(common.eager_limit));
        calls.push(&stamp, &Call::Send { mode, context, to, tag, bytes, payload, request, answer });
        Ok(blocking && answer)
    }

    fn recv(
        &mut self,
        blocking: bool,
        mut words: Arguments<'_>,
        common: &Common,
        calls: &mut Calls<'_>,
    ) -> Result<bool, String> {
        let TiMessage { peer, tag, bytes } = self.message(&mut words, common)?;
        let request = (!blocking).then(|| self.requests.open((name_of(peer), self.rank as i32, tag)));
        let stamp = self.stamp(common.functions.recv[usize::from(!blocking)]);
        calls.push(&stamp, &receive(peer, (tag != ANY).then_some(tag), bytes.unwrap_or(u64::MAX), request));
        Ok(blocking)
    }

    fn sendrecv(
        &mut self,
        mut words: Arguments<'_>,
        common: &Common,
        calls: &mut Calls<'_>,
    ) -> Result<bool, String> {
        let gives = words.size("the count to send")?;
        let to = words.peer(common.ranks)?.ok_or("a send needs a receiver")?;
        let gets = words.size("the count to receive")?;
        let from = words.peer(common.ranks)?;
        let (gives, gets) = (gives * words.datatype(self.element)?, gets * words.datatype(self.element)?);
        let (us, stamp) = (self.rank as i32, self.stamp(common.functions.sendrecv));
        let (first, second) =
            (self.requests.open((name_of(from), us, 0)), self.requests.open((us, to as i32, 0)));
        calls.push(&stamp, &receive(from, Some(0), gets, Some(first)));
        let (mode, context, payload) = (SendMode::Standard, WORLD, Payload::Absent);
        let request = Some(second);
        calls.push(
            &stamp,
            &Call::Send { mode, context, to, tag: 0, bytes: gives, payload, request, answer: true },
        );
        let requests = &[first, second];
        calls.push(&stamp, &Call::Wait { how: Completing::All, poll: false, requests });
        requests.iter().for_each(|&request| self.requests.close(request));
        Ok(true)
    }

    /// `peer tag size [datatype]`, or in old traces `peer size`.
    fn message(&self, words: &mut Arguments<'_>, common: &Common) -> Result<TiMessage, String> {
        let peer = words.peer(common.ranks)?;
        let second = words.found("the size")?;
        let (tag, size) = match words.words.next_whole() {
            Some(size) => (tag_of(second)?, size),
            None => (0, second),
        };
        let count = match size {
            Ok(count) => believed(count),
            Err(word) => size_of(word),
        };
        // A size that is not known is written as a negative one.
        if count.is_none() {
            size.err()
                .and_then(number)
                .filter(|&size| size < 0.0)
                .ok_or_else(|| bad_number("the size", size))?;
        }
        let element = words.datatype(self.element)?;
        Ok(TiMessage { peer, tag, bytes: count.map(|count| count * element) })
    }

    fn wait(
        &mut self,
        mut words: Arguments<'_>,
        common: &Common,
        calls: &mut Calls<'_>,
    ) -> Result<bool, String> {
        let found = self.named(&mut words)?;
        if found.is_none() && self.requests.is_empty() && self.joining == 0 {
            return Err("no `isend` or `irecv` is open that could be waited for".to_owned());
        }
        let waited_for = found.filter(|(_, over)| !over).map(|(request, _)| request);
        if let Some((request, _)) = found {
            self.requests.close(request);
        }
        // Several lines are one wait if the first says how many.
        if self.joining == 0 {
            self.joining = words
                .words
                .next()
                .map_or(Some(1), whole)
                .filter(|&lines| lines > 0)
                .ok_or("not a number of lines")?;
        }
        let single = self.joining == 1 && self.joined.is_empty();
        self.joining -= 1;
        self.joined.extend(waited_for);
        if self.joining > 0 || self.joined.is_empty() {
            return Ok(false);
        }
        let functions = &common.functions;
        let stamp = self.stamp(if single { functions.wait } else { functions.waitall });
        calls.push(&stamp, &Call::Wait { how: Completing::All, poll: false, requests: &self.joined });
        self.joined.clear();
        Ok(true)
    }

    fn wait_for_all(&mut self, common: &mut Common, calls: &mut Calls<'_>) -> bool {
        common.requests.clear();
        self.requests.close_all(&mut common.requests);
        if common.requests.is_empty() {
            return false;
        }
        let stamp = self.stamp(common.functions.waitall);
        calls.push(&stamp, &Call::Wait { how: Completing::All, poll: false, requests: &common.requests });
        true
    }

    fn test(
        &mut self,
        mut words: Arguments<'_>,
        common: &Common,
        calls: &mut Calls<'_>,
    ) -> Result<bool, String> {
        match self.named(&mut words)? {
            // Times differ from the traced run, so an earlier test may have found the request complete.
            None => Ok(false),
            Some((request, true)) => {
                self.requests.close(request);
                Ok(false)
            }
            Some((request, false)) => {
                let stamp = self.stamp(common.functions.test);
                calls.push(&stamp, &Call::Wait { how: Completing::All, poll: true, requests: &[request] });
                self.after = After::Test(request);
                Ok(true)
            }
        }
    }

    /// The request that `source receiver tag` name; in old traces without names, the last one.
    fn named(&self, words: &mut Arguments<'_>) -> Result<Option<(RequestId, bool)>, String> {
        if words.words.count() == 0 {
            return Ok(self.requests.last());
        }
        let (source, receiver) = (words.signed("the sender")?, words.signed("the receiver")?);
        let tag = words.tag()?;
        let source = if i64::from(COLLECTIVE) <= source { source as i32 } else { ANY };
        let exact: Name = (source, receiver as i32, tag);
        if let found @ Some(_) = self.requests.find(exact) {
            return Ok(found);
        }
        let looser = [(ANY, exact.1, tag), (source, exact.1, ANY), (ANY, exact.1, ANY)];
        Ok(looser.into_iter().find_map(|name| self.requests.find(name)))
    }
}

struct TiMessage {
    peer: Option<u32>,
    tag: i32,
    bytes: Option<u64>,
}

fn receive(from: Option<u32>, tag: Option<i32>, bytes: u64, request: Option<RequestId>) -> Call<'static> {
    Call::Recv { context: WORLD, from, tag, bytes, address: 0, request, matched: None }
}

fn name_of(peer: Option<u32>) -> i32 {
    peer.map_or(ANY, |peer| peer as i32)
}
