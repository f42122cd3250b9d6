//! Patterns of communication that repeat, for benches, counts of instructions and counts of allocations.
//!
//! A [`Stage`] holds an engine and, for each rank, the encoded calls of one round. [`Stage::play`] lets
//! every rank play some more rounds, so that what comes first can be kept apart from what repeats.

use mpirage_call::{
    Blocks, Call, Collective, CollectiveCall, Completing, Operator, Part, Payload, Peers, Reduction,
    RequestId, SendMode, Stamp, WORLD, wire::encode_call,
};
use mpirage_mpi::{Engine, NoMemory, Segment, Turn};
use mpirage_platform::Platform;

use super::{engine, one_switch, recv, send};

/// Messages outstanding at a time in `Pattern::Tags`.
const TAGS: u32 = 64;
const REQUESTS: [u32; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

/// A communication pattern, repeated in each round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Ranks 2k and 2k+1 send 1 KiB to and fro.
    PingPong,
    /// Everybody sends 10 KiB to four neighbours on a torus.
    Halo,
    /// 8 bytes by recursive doubling.
    Allreduce,
    /// 64 KiB to everybody at once.
    Alltoall,
    /// Each rank sends 1 KiB to the next one and receives from the one before.
    Ring,
    /// Each rank sends 64 small messages to its partner, the last expected first.
    Tags,
    /// All ranks send small messages to rank 0, each with a tag of its own, in another order than rank 0 expects them.
    Outstanding(Outstanding),
}

/// The receives or messages that wait at rank 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outstanding {
    /// Receives or messages that are outstanding at a time.
    pub number: u32,
    /// Do the messages wait for the receives, instead of the receives for the messages?
    pub unexpected: bool,
    /// Does every other receive take messages from any source?
    pub wildcards: bool,
}

impl Pattern {
    pub const ALL: [(&'static str, Pattern); 14] = [
        ("ping-pong", Pattern::PingPong),
        ("halo", Pattern::Halo),
        ("allreduce", Pattern::Allreduce),
        ("alltoall", Pattern::Alltoall),
        ("ring", Pattern::Ring),
        ("tags", Pattern::Tags),
        ("posted-16", outstanding(16, false, false)),
        ("posted-10000", outstanding(10_000, false, false)),
        ("posted-any-16", outstanding(16, false, true)),
        ("posted-any-10000", outstanding(10_000, false, true)),
        ("unexpected-16", outstanding(16, true, false)),
        ("unexpected-10000", outstanding(10_000, true, false)),
        ("unexpected-any-16", outstanding(16, true, true)),
        ("unexpected-any-10000", outstanding(10_000, true, true)),
    ];

    pub fn from_name(name: &str) -> Option<Pattern> {
        Pattern::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, pattern)| pattern)
    }

    /// Messages of one round of `ranks` ranks, a power of two.
    pub fn messages(self, ranks: u32) -> u64 {
        let ranks = u64::from(ranks);
        match self {
            Pattern::PingPong | Pattern::Ring => ranks,
            Pattern::Halo => 4 * ranks,
            Pattern::Tags => u64::from(TAGS) * ranks,
            Pattern::Outstanding(waiting) => u64::from(waiting.number) + 2 * (ranks - 1),
            Pattern::Allreduce => ranks * u64::from(ranks.ilog2()),
            Pattern::Alltoall => ranks * (ranks - 1),
        }
    }

    fn choice(self) -> &'static str {
        match self {
            Pattern::Allreduce => "allreduce=recursive-doubling",
            Pattern::Alltoall => "alltoall=linear",
            _ => "",
        }
    }

    fn calls(self, rank: u32, ranks: u32) -> Vec<Call<'static>> {
        match self {
            Pattern::PingPong => ping_pong(rank),
            Pattern::Halo => halo(rank, ranks),
            Pattern::Allreduce => vec![allreduce()],
            Pattern::Alltoall => vec![alltoall()],
            Pattern::Ring => ring(rank, ranks),
            Pattern::Tags => tags(rank),
            Pattern::Outstanding(waiting) if rank == 0 => waiting.receive_all(ranks),
            Pattern::Outstanding(waiting) => waiting.send_part(rank, ranks),
        }
    }
}

const fn outstanding(number: u32, unexpected: bool, wildcards: bool) -> Pattern {
    Pattern::Outstanding(Outstanding { number, unexpected, wildcards })
}

/// The tag of a message that lets its receiver continue.
const GO: i32 = 1_000_000;
/// No divisor of a number of receives: multiples of it visit all of them in an irregular order.
const SHUFFLE: u64 = 7919;

impl Outstanding {
    /// Rank 0 posts its receives before it lets the others send, or after all have sent.
    fn receive_all(self, ranks: u32) -> Vec<Call<'static>> {
        let source = |tag: u32| (!self.wildcards || tag.is_multiple_of(2)).then_some(1 + tag % (ranks - 1));
        let receives = (0..self.number).map(|tag| recv(source(tag), Some(tag as i32), 8, Some(1 + tag)));
        let go = (1..ranks).map(|rank| small(rank, GO));
        let sent = (1..ranks).map(|rank| recv(Some(rank), Some(GO), 8, None));
        let requests: Vec<u32> = (1..=self.number).collect();
        let wait =
            Call::Wait { how: Completing::All, poll: false, requests: RequestId::slice(requests.leak()) };
        match self.unexpected {
            false => receives.chain(go).chain(sent).chain([wait]).collect(),
            true => go.chain(sent).chain(receives).chain([wait]).collect(),
        }
    }

    /// Another rank sends its part when it may.
    fn send_part(self, rank: u32, ranks: u32) -> Vec<Call<'static>> {
        let nth = |nth: u32| (u64::from(nth) * SHUFFLE % u64::from(self.number)) as u32;
        let mine = (0..self.number).map(nth).filter(|tag| 1 + tag % (ranks - 1) == rank);
        let sends = mine.map(|tag| small(0, tag as i32));
        [recv(Some(0), Some(GO), 8, None)].into_iter().chain(sends).chain([small(0, GO)]).collect()
    }
}

/// A message of 8 bytes.
fn small(to: u32, tag: i32) -> Call<'static> {
    Call::Send {
        mode: SendMode::Standard,
        context: WORLD,
        to,
        tag,
        bytes: 8,
        payload: Payload::Absent,
        request: None,
        answer: false,
    }
}

fn eager(to: u32) -> Call<'static> {
    Call::Send {
        mode: SendMode::Standard,
        context: WORLD,
        to,
        tag: 0,
        bytes: 1024,
        payload: Payload::Absent,
        request: None,
        answer: false,
    }
}

fn ping_pong(rank: u32) -> Vec<Call<'static>> {
    let other = rank ^ 1;
    let mut calls = vec![eager(other), recv(Some(other), Some(0), 1024, None)];
    if rank % 2 == 1 {
        calls.reverse();
    }
    calls
}

fn ring(rank: u32, ranks: u32) -> Vec<Call<'static>> {
    vec![eager((rank + 1) % ranks), recv(Some((rank + ranks - 1) % ranks), Some(0), 1024, None)]
}

fn tags(rank: u32) -> Vec<Call<'static>> {
    static REQUESTS: [u32; TAGS as usize] = {
        let mut requests = [0; TAGS as usize];
        let mut nth = 0;
        while nth < requests.len() {
            requests[nth] = 1 + nth as u32;
            nth += 1;
        }
        requests
    };
    let receive = |tag: u32| recv(Some(rank ^ 1), Some(tag as i32), 8, Some(1 + tag));
    let mut calls: Vec<_> = (0..TAGS).map(receive).collect();
    calls.extend((0..TAGS).rev().map(|tag| small(rank ^ 1, tag as i32)));
    calls.push(Call::Wait { how: Completing::All, poll: false, requests: RequestId::slice(&REQUESTS) });
    calls
}

fn halo(rank: u32, ranks: u32) -> Vec<Call<'static>> {
    let width = 1 << ranks.ilog2().div_ceil(2);
    let height = ranks / width;
    let (x, y) = (rank % width, rank / width);
    let at = |x: u32, y: u32| y % height * width + x % width;
    let neighbours = [at(x + 1, y), at(x + width - 1, y), at(x, y + 1), at(x, y + height - 1)];
    let receive = |k: usize| recv(Some(neighbours[k]), Some([1, 0, 3, 2][k]), 10240, Some(REQUESTS[k]));
    let mut calls: Vec<_> = (0..4).map(receive).collect();
    calls.extend((0..4).map(|k| send(neighbours[k], k as i32, 10240, Some(REQUESTS[4 + k]))));
    calls.push(Call::Wait { how: Completing::All, poll: false, requests: RequestId::slice(&REQUESTS) });
    calls
}

fn allreduce() -> Call<'static> {
    let operator = Operator::Predefined { op: 2, basic: 0 };
    let sum = Reduction { operator, commutative: true, element: 8, elements: 1 };
    collective(Collective::Allreduce, Blocks::Whole(8), Some(sum))
}

fn alltoall() -> Call<'static> {
    collective(Collective::Alltoall, Blocks::Equal(65536), None)
}

fn collective(kind: Collective, blocks: Blocks<'static>, reduction: Option<Reduction>) -> Call<'static> {
    let part = Part { payload: Payload::Absent, blocks };
    Call::Collective(CollectiveCall {
        kind,
        context: WORLD,
        root: 0,
        peers: Peers::All,
        send: part,
        recv: part,
        reduction,
        request: None,
        plan: 0,
        input: Default::default(),
        on_mismatch: Default::default(),
    })
}

/// One rank: the calls it makes each time it is resumed, and how far it is.
struct Actor {
    /// The calls of a round, up to each that is answered.
    segments: Vec<Vec<u64>>,
    /// The calls behind the last answer. They go with the first ones of the next round.
    rest: Vec<u64>,
    /// The same at the end, with a call that is answered at once.
    closing: Vec<u64>,
    /// Segments played since the ranks went on.
    played: usize,
    closed: bool,
}

/// Ranks that play a pattern.
pub struct Stage {
    pub engine: Engine<NoMemory>,
    actors: Vec<Actor>,
    /// Ranks that have played as many rounds as were asked for.
    idle: Vec<u32>,
    /// Rounds that were asked for.
    rounds: usize,
}

impl Stage {
    /// On one switch, in the `simgrid` model.
    pub fn new(pattern: Pattern, ranks: u32) -> Stage {
        Stage::on(one_switch(ranks as usize), "simgrid", pattern, ranks)
    }

    pub fn on(platform: Platform, model: &str, pattern: Pattern, ranks: u32) -> Stage {
        Stage {
            engine: engine(platform, model, pattern.choice(), ranks as usize),
            actors: (0..ranks).map(|rank| Actor::new(&pattern.calls(rank, ranks))).collect(),
            idle: Vec::with_capacity(ranks as usize),
            rounds: 0,
        }
    }

    /// Lets every rank play so many more rounds, and stops where they wait for more.
    pub fn play(&mut self, rounds: usize) {
        self.rounds = rounds;
        self.actors.iter_mut().for_each(Actor::go_on);
        for nth in 0..self.idle.len() {
            self.make_calls(self.idle[nth]);
        }
        self.idle.clear();
        // When all are done the run must not go on: it would end as a deadlock, and a run that has ended takes no more calls.
        while self.idle.len() < self.actors.len() {
            match self.engine.advance() {
                Turn::Resume(line) if self.actors[line.index()].is_done(self.rounds) => {
                    self.idle.push(line.get())
                }
                Turn::Resume(line) => self.make_calls(line.get()),
                turn => panic!("the ranks only send and receive: {turn:?}"),
            }
        }
    }

    fn make_calls(&mut self, rank: u32) {
        let (actor, rounds) = (&mut self.actors[rank as usize], self.rounds);
        self.engine.take_calls(mpirage_call::LineId::new(rank), |_, words| {
            actor.write_next(rounds, words);
            Segment::default()
        });
    }
}

impl Actor {
    fn new(calls: &[Call<'_>]) -> Actor {
        let mut segments = segments(calls);
        let rest = segments.pop().unwrap();
        assert!(!segments.is_empty(), "a round without an answer never ends");
        let nothing = Call::Wait { how: Completing::All, poll: true, requests: RequestId::slice(&[]) };
        let closing = [rest.clone(), self::segments(&[nothing]).swap_remove(0)].concat();
        Actor { segments, rest, closing, played: 0, closed: false }
    }

    fn go_on(&mut self) {
        (self.played, self.closed) = (0, false);
    }

    fn is_done(&self, rounds: usize) -> bool {
        self.played == rounds * self.segments.len() && (self.closed || self.rest.is_empty())
    }

    fn write_next(&mut self, rounds: usize, words: &mut Vec<u64>) {
        if self.played == rounds * self.segments.len() {
            self.closed = true;
            return words.extend_from_slice(&self.closing);
        }
        let nth = self.played % self.segments.len();
        if nth == 0 && self.played > 0 {
            words.extend_from_slice(&self.rest);
        }
        words.extend_from_slice(&self.segments[nth]);
        self.played += 1;
    }
}

/// The calls cut behind each that is answered.
fn segments(calls: &[Call<'_>]) -> Vec<Vec<u64>> {
    let mut segments = vec![Vec::new()];
    // The longest call names all requests that are outstanding.
    let mut buffer = vec![0; 64 + calls.len()];
    for call in calls {
        let length = encode_call(&Stamp::default(), call, &mut buffer).unwrap();
        segments.last_mut().unwrap().extend_from_slice(&buffer[..length]);
        if call.needs_answer() {
            segments.push(Vec::new());
        }
    }
    segments
}
