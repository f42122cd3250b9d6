//! One rank of a trace: its lines become calls.

use mpirage_call::{
    Blocks, Call, CollectiveCall, Completing, Operator, Part, Payload, Reduction, Reply, RequestId, SendMode,
    Stamp, WORLD, Work,
};
use mpirage_collectives::Collective;
use mpirage_units::Duration;

use super::requests::{Name, Requests};
use super::sites::Sites;
use super::text::{Words, number, signed, whole};
use super::words::{Action, Functions, action, datatype_bytes};
use crate::{Calls, Step};

/// Stands for any source or any tag in the name of a message.
const ANY: i32 = -1;
/// Stands for the sender in the name of a collective that does not block; its tag is its number in the rank.
const COLLECTIVE: i32 = -2;

/// What all ranks share.
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

/// What follows a call that has been answered.
#[derive(Clone, Copy, Debug, Default)]
enum After {
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
    rank: u32,
    requests: Requests,
    /// Bytes of the datatype of actions that name none.
    element: u64,
    after: After,
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
    collectives: i32,
}

impl Player {
    pub(super) fn new(rank: u32) -> Player {
        Player { rank, element: 1, ..Player::default() }
    }

    /// The last call has been answered.
    pub(super) fn answered(&mut self, reply: &Reply, common: &Common, calls: &mut Calls<'_>) {
        match std::mem::take(&mut self.after) {
            After::Nothing => {}
            After::Compute(flops) => self.compute(flops, common, calls),
            After::Test(request) if reply.completions.is_empty() => {
                let _ = request;
            }
            After::Test(request) => self.requests.mark_over(request),
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
                self.compute(flops, common, calls);
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

    fn stamp(&self, function: u16) -> Stamp {
        Stamp { function, site: self.site, ..Stamp::default() }
    }

    fn compute(&self, flops: f64, common: &Common, calls: &mut Calls<'_>) {
        let _ = common;
        if flops > 0.0 {
            calls.push(&self.stamp(0), &Call::Compute { work: Work::Flops(flops), request: None });
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
        let Message { peer, tag, bytes } = self.message(&mut words, common)?;
        let (Some(to), Some(bytes)) = (peer, bytes) else {
            return Err("a send needs a receiver and a size".to_owned());
        };
        let request = (!blocking).then(|| self.requests.open((self.rank as i32, to as i32, tag)));
        // What SimGrid does not read.
        let mode = match words.words.next() {
            Some(b"ssend") => SendMode::Synchronous,
            Some(b"bsend") => SendMode::Buffered,
            Some(b"rsend") => SendMode::Ready,
            _ => mode,
        };
        let stamp = self.stamp(common.functions.send[mode as usize][usize::from(!blocking)]);
        let (context, payload, answer) = (WORLD, Payload::Absent, !mode.is_eager(bytes, common.eager_limit));
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
        let Message { peer, tag, bytes } = self.message(&mut words, common)?;
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
    fn message(&self, words: &mut Arguments<'_>, common: &Common) -> Result<Message, String> {
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
        Ok(Message { peer, tag, bytes: count.map(|count| count * element) })
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
            // Times may differ from those of the run that was traced: an earlier test had success.
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

    fn collective(
        &mut self,
        action: Action,
        later: bool,
        mut words: Arguments<'_>,
        common: &mut Common,
        calls: &mut Calls<'_>,
    ) -> Result<bool, String> {
        let mut blocks = std::mem::take(&mut common.blocks);
        let taken = self.taken(action, &mut words, common.ranks, &mut blocks);
        let result = taken.map(|(kind, root, [send, recv], reduction, flops)| {
            let request = later.then(|| {
                self.collectives += 1;
                self.requests.open((COLLECTIVE, self.rank as i32, self.collectives - 1))
            });
            let index = Collective::ALL.iter().position(|&known| known == kind).unwrap_or_default();
            let stamp = self.stamp(common.functions.collectives[index][usize::from(later)]);
            let (send, recv) = (part(send, &blocks[0]), part(recv, &blocks[1]));
            let call = CollectiveCall { kind, context: WORLD, root, send, recv, reduction, request, plan: 0 };
            calls.push(&stamp, &Call::Collective(call));
            if flops > 0.0 {
                self.after = After::Compute(flops);
            }
            !later
        });
        common.blocks = blocks;
        result
    }

    /// The arguments of a collective.
    fn taken(
        &self,
        action: Action,
        words: &mut Arguments<'_>,
        ranks: u32,
        blocks: &mut [Vec<u64>; 2],
    ) -> Result<Taken, String> {
        use Collective as C;
        let nothing = [Cut::Whole(0); 2];
        Ok(match action {
            Action::Barrier => (C::Barrier, 0, nothing, None, 0.0),
            Action::Bcast => {
                let count = words.size("the size")?;
                let root = words.root(ranks)?;
                let bytes = Cut::Whole(count * words.datatype(self.element)?);
                let none = Cut::Whole(0);
                (C::Bcast, root, if root == self.rank { [bytes, none] } else { [none, bytes] }, None, 0.0)
            }
            Action::Reduce | Action::Allreduce | Action::Scan | Action::Exscan => {
                self.reduced(action, words, ranks)?
            }
            Action::ReduceScatter => {
                let counts = words.counts(ranks, 0, 1)?;
                let flops = words.amount("the flops")?;
                let element = words.datatype(self.element)?;
                let total = fill(&mut blocks[1], counts, element)?;
                let reduction = Some(sum(element, total / element.max(1), words.ordered()));
                (C::ReduceScatter, 0, [Cut::Whole(total), Cut::Each], reduction, flops)
            }
            Action::Alltoall | Action::Allgather | Action::Gather | Action::Scatter => {
                self.equal(action, words, ranks)?
            }
            Action::Alltoallv => {
                let gives = words.counts(ranks, 1, 1)?;
                let gets = words.counts(ranks, 1, 0)?;
                fill(&mut blocks[0], gives, words.datatype(self.element)?)?;
                fill(&mut blocks[1], gets, words.datatype(self.element)?)?;
                (C::Alltoallv, 0, [Cut::Each; 2], None, 0.0)
            }
            Action::Gatherv => {
                let count = words.size("the count to send")?;
                let gets = words.counts(ranks, 0, 0)?;
                let root = words.root(ranks)?;
                let send = Cut::Whole(count * words.datatype(self.element)?);
                let recv = if root == self.rank { Cut::Each } else { Cut::Whole(0) };
                fill(&mut blocks[1], gets, words.datatype(self.element)?)?;
                (C::Gatherv, root, [send, recv], None, 0.0)
            }
            Action::Scatterv => {
                let gives = words.counts(ranks, 0, 1)?;
                let count = words.size("the count to receive")?;
                let root = words.root(ranks)?;
                let send = if root == self.rank { Cut::Each } else { Cut::Whole(0) };
                fill(&mut blocks[0], gives, words.datatype(self.element)?)?;
                let recv = Cut::Whole(count * words.datatype(self.element)?);
                (C::Scatterv, root, [send, recv], None, 0.0)
            }
            Action::Allgatherv => {
                let count = words.size("the count to send")?;
                let gets = words.counts(ranks, 0, 0)?;
                // Then two datatypes, or displacements, or both.
                let left = words.words.count() as u64;
                let typed = left <= 2 || left > u64::from(ranks);
                let (gives, got) = match typed {
                    true => (words.datatype(self.element)?, words.datatype(self.element)?),
                    false => (self.element, self.element),
                };
                fill(&mut blocks[1], gets, got)?;
                (C::Allgatherv, 0, [Cut::Whole(count * gives), Cut::Each], None, 0.0)
            }
            _ => return Err("is no collective".to_owned()),
        })
    }

    fn reduced(&self, action: Action, words: &mut Arguments<'_>, ranks: u32) -> Result<Taken, String> {
        let count = words.size("the size")?;
        let flops = words.amount("the flops")?;
        let root = if action == Action::Reduce { words.root(ranks)? } else { 0 };
        let element = words.datatype(self.element)?;
        let (kind, gets) = match action {
            Action::Reduce => (Collective::Reduce, root == self.rank),
            Action::Allreduce => (Collective::Allreduce, true),
            Action::Scan => (Collective::Scan, true),
            _ => (Collective::Exscan, true),
        };
        let bytes = Cut::Whole(count * element);
        Ok((
            kind,
            root,
            [bytes, if gets { bytes } else { Cut::Whole(0) }],
            Some(sum(element, count, words.ordered())),
            flops,
        ))
    }

    fn equal(&self, action: Action, words: &mut Arguments<'_>, ranks: u32) -> Result<Taken, String> {
        let (gives, gets) = (words.size("the count to send")?, words.size("the count to receive")?);
        let rooted = matches!(action, Action::Gather | Action::Scatter);
        let root = if rooted { words.root(ranks)? } else { 0 };
        let (gives, gets) = (gives * words.datatype(self.element)?, gets * words.datatype(self.element)?);
        let none = Cut::Whole(0);
        let is_root = root == self.rank;
        let (kind, cuts) = match action {
            Action::Alltoall => (Collective::Alltoall, [Cut::Equal(gives), Cut::Equal(gets)]),
            Action::Allgather => (Collective::Allgather, [Cut::Whole(gives), Cut::Equal(gets)]),
            Action::Gather => {
                (Collective::Gather, [Cut::Whole(gives), if is_root { Cut::Equal(gets) } else { none }])
            }
            _ => (Collective::Scatter, [if is_root { Cut::Equal(gives) } else { none }, Cut::Whole(gets)]),
        };
        Ok((kind, root, cuts, None, 0.0))
    }
}

/// Kind, root, how both sides are cut, reduction, flops that follow.
type Taken = (Collective, u32, [Cut; 2], Option<Reduction>, f64);

#[derive(Clone, Copy)]
enum Cut {
    Whole(u64),
    Equal(u64),
    /// As written down.
    Each,
}

struct Message {
    peer: Option<u32>,
    tag: i32,
    bytes: Option<u64>,
}

fn part(cut: Cut, blocks: &[u64]) -> Part<'_> {
    let blocks = match cut {
        Cut::Whole(bytes) => Blocks::Whole(bytes),
        Cut::Equal(bytes) => Blocks::Equal(bytes),
        Cut::Each => Blocks::Each(blocks),
    };
    Part { payload: Payload::Absent, blocks }
}

/// Some operator: what it costs depends on sizes only.
fn sum(element: u64, elements: u64, ordered: bool) -> Reduction {
    let operator = Operator::Predefined { op: 2, basic: 0 };
    Reduction { operator, commutative: !ordered, element: element as u32, elements }
}

fn receive(from: Option<u32>, tag: Option<i32>, bytes: u64, request: Option<RequestId>) -> Call<'static> {
    Call::Recv { context: WORLD, from, tag, bytes, address: 0, request, matched: None }
}

fn name_of(peer: Option<u32>) -> i32 {
    peer.map_or(ANY, |peer| peer as i32)
}

/// Offsets and lengths of blocks with these counts, one after the other; gives the bytes of all.
fn fill(blocks: &mut Vec<u64>, counts: Words<'_>, element: u64) -> Result<u64, String> {
    blocks.clear();
    let mut total = 0u64;
    for word in counts {
        let count = size_of(word).ok_or_else(|| bad("a count", word))?;
        blocks.extend([total, count * element]);
        total += count * element;
    }
    Ok(total)
}

/// Sizes times elements times ranks are to fit.
#[inline]
fn believed(size: u64) -> Option<u64> {
    (size < 1 << 48).then_some(size)
}

/// A size; fractions are cut off, as SimGrid does.
#[inline]
fn size_of(word: &[u8]) -> Option<u64> {
    let size = whole(word).or_else(|| number(word).filter(|&size| size >= 0.0).map(|size| size as u64))?;
    believed(size)
}

/// A tag; anything negative is any tag.
#[inline]
fn tag_of(found: Found<'_>) -> Result<i32, String> {
    let tag = match found {
        Ok(tag) => tag as i64,
        Err(word) => signed(word).ok_or_else(|| bad("the tag", word))?,
    };
    i32::try_from(tag).map(|tag| tag.max(ANY)).map_err(|_| format!("the tag {tag} is too large"))
}

/// A whole number, or a word that is something else.
type Found<'a> = Result<u64, &'a [u8]>;

#[cold]
fn bad_number(what: &str, found: Found<'_>) -> String {
    match found {
        Ok(number) => format!("{what} is not {number}"),
        Err(word) => bad(what, word),
    }
}

#[cold]
fn bad(what: &str, word: &[u8]) -> String {
    format!("{what} is not `{}`", String::from_utf8_lossy(word))
}

/// What follows the name of an action.
struct Arguments<'a> {
    name: &'a [u8],
    words: Words<'a>,
}

impl<'a> Arguments<'a> {
    /// The next word as a whole number, if it is one.
    #[inline]
    fn found(&mut self, what: &str) -> Result<Found<'a>, String> {
        self.words.next_whole().ok_or_else(|| self.lacks(what))
    }

    #[cold]
    fn lacks(&self, what: &str) -> String {
        format!("`{}` lacks {what}", String::from_utf8_lossy(self.name))
    }

    #[inline]
    fn word(&mut self, what: &str) -> Result<&'a [u8], String> {
        self.words.next().ok_or_else(|| self.lacks(what))
    }

    /// A number that is not negative.
    #[inline]
    fn amount(&mut self, what: &str) -> Result<f64, String> {
        match self.found(what)? {
            Ok(amount) => Ok(amount as f64),
            Err(word) => number(word).filter(|&amount| amount >= 0.0).ok_or_else(|| bad(what, word)),
        }
    }

    fn size(&mut self, what: &str) -> Result<u64, String> {
        let found = self.found(what)?;
        let size = match found {
            Ok(size) => believed(size),
            Err(word) => size_of(word),
        };
        size.ok_or_else(|| bad_number(what, found))
    }

    fn whole(&mut self, what: &str) -> Result<u64, String> {
        self.found(what)?.map_err(|word| bad(what, word))
    }

    fn signed(&mut self, what: &str) -> Result<i64, String> {
        match self.found(what)? {
            Ok(number) => Ok(number as i64),
            Err(word) => signed(word).ok_or_else(|| bad(what, word)),
        }
    }

    /// A rank; none if it is negative: any source.
    fn peer(&mut self, ranks: u32) -> Result<Option<u32>, String> {
        match self.signed("the other rank")? {
            peer if peer >= i64::from(ranks) => {
                Err(format!("there is no rank {peer}: the trace has {ranks}"))
            }
            peer => Ok(u32::try_from(peer).ok()),
        }
    }

    /// A tag; anything negative is any tag.
    #[inline]
    fn tag(&mut self) -> Result<i32, String> {
        tag_of(self.found("the tag")?)
    }

    /// A rank that need not be there.
    fn root(&mut self, ranks: u32) -> Result<u32, String> {
        let Some(found) = self.words.next_whole() else { return Ok(0) };
        let root = found.map_err(|word| bad("the root", word))?;
        if root < u64::from(ranks) {
            Ok(root as u32)
        } else {
            Err(format!("there is no rank {root}: the trace has {ranks}"))
        }
    }

    /// Bytes of a datatype that need not be there.
    #[inline]
    fn datatype(&mut self, default: u64) -> Result<u64, String> {
        let Some(found) = self.words.next_whole() else { return Ok(default) };
        found.ok().and_then(datatype_bytes).ok_or_else(|| bad_number("a datatype", found))
    }

    /// Does the operator not commute? SimGrid does not read this.
    fn ordered(&mut self) -> bool {
        self.words.next() == Some(b"ordered")
    }

    /// One word for each rank, after `before` others; `after` are to follow.
    fn counts(&mut self, ranks: u32, before: usize, after: usize) -> Result<Words<'a>, String> {
        for _ in 0..before {
            self.size("the size of a buffer")?;
        }
        let start = self.words.rest();
        for _ in 0..ranks {
            self.word("a count for each rank")?;
        }
        let counts = &start[..start.len() - self.words.rest().len()];
        if self.words.count() < after {
            return Err(format!("`{}` lacks what follows its counts", String::from_utf8_lossy(self.name)));
        }
        Ok(Words::of(counts))
    }
}
