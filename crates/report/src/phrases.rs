//! Calls one after the other: phrases.
//!
//! Programs repeat themselves. What a rank calls in one instant, without time passing, is a phrase: eight requests of a halo, say.
//! A call that takes time is a phrase by itself. Phrases that begin alike share their beginnings, as in a tree; each step of it
//! knows which came next the last time, so that a call that was expected costs one comparison:
//!
//! ```text
//! start ── Irecv left ── Irecv right ── Isend left ── Isend right      phrase 4, said 700 times
//!      ├── Waitall                                                     phrase 5
//!      └── Allreduce                                                   phrase 6
//! ```

use rustc_hash::FxHashMap;

/// The beginning of all phrases: nothing has been called.
pub(crate) const START: u32 = 0;

/// Steps of a phrase, at most.
const LONGEST: u32 = 64;
/// Steps of all phrases; when there are so many, calls that have not been seen after each other are phrases by themselves.
const MOST_STEPS: usize = 1 << 16;
/// With so many different calls, sizes that are new are told with times instead.
const MANY_CALLS: usize = 1 << 12;

/// What a call asked, in a few words that are quickly compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Asked {
    bytes: u64,
    site: u64,
    /// The communicator, and the tag.
    matched: u64,
    /// The peer, the function, and how to read that.
    whom: u64,
}

/// Bytes are told with times.
pub(crate) const BYTES: u8 = 8;
/// The peer is counted from rank 0.
pub(crate) const FROM_ZERO: u8 = 16;

impl Asked {
    /// Without a peer. The place is what [`crate::sites`] knows it by, the communicator by [`crate::names`].
    #[inline]
    pub fn new(function: u16, site: u64, comm: u32, tag: i32, bytes: u64) -> Asked {
        let matched = u64::from(comm) << 32 | u64::from(tag as u32);
        Asked { bytes, site, matched, whom: u64::from(function) << 8 }
    }

    /// With this peer of a rank: how far after it, and around.
    #[inline]
    pub fn with_peer(self, peer: Option<u32>, rank: u32, ranks: u32) -> Asked {
        let peer = peer.map_or(0, |peer| 1 + ahead(rank, peer, ranks));
        Asked { whom: self.whom | u64::from(peer) << 32, ..self }
    }

    /// With this peer, which is everybody's.
    #[inline]
    pub fn with_root(self, root: Option<u32>) -> Asked {
        let root = root.map_or(0, |root| root + 1);
        Asked { whom: self.whom | u64::from(root) << 32 | u64::from(FROM_ZERO), ..self }
    }

    /// The same as `==`, from registers: what was just put together is not read back from memory.
    #[inline]
    fn is(&self, other: &Asked) -> bool {
        let differs = (self.bytes ^ other.bytes) | (self.site ^ other.site);
        differs | (self.matched ^ other.matched) | (self.whom ^ other.whom) == 0
    }

    fn sized_apart(self) -> Asked {
        Asked { bytes: 0, whom: self.whom | u64::from(BYTES), ..self }
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What its place is known by.
    pub fn site(&self) -> u64 {
        self.site
    }

    pub fn comm(&self) -> u32 {
        (self.matched >> 32) as u32
    }

    pub fn tag(&self) -> i32 {
        self.matched as u32 as i32
    }

    /// And one more; 0 is none.
    pub fn peer(&self) -> u32 {
        (self.whom >> 32) as u32
    }

    pub fn function(&self) -> u16 {
        (self.whom >> 8) as u16
    }

    pub fn flags(&self) -> u8 {
        self.whom as u8
    }
}

/// How far `rank` has to go up, and around behind the last, to get to `other`.
#[inline]
pub(crate) fn ahead(rank: u32, other: u32, ranks: u32) -> u32 {
    if other >= rank { other - rank } else { other + ranks - rank }
}

/// A kind of call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    pub asked: Asked,
    /// Its row in the table of calls by place.
    pub row: u32,
}

impl Kind {
    /// No call.
    pub const NONE: Kind = Kind { asked: Asked { bytes: 0, site: 0, matched: 0, whom: 0 }, row: u32::MAX };
}

/// All phrases. A phrase is known by its last step.
pub(crate) struct Phrases {
    steps: Vec<Step>,
    following: FxHashMap<(u32, Asked), u32>,
    kinds: Vec<Kind>,
    known: FxHashMap<Asked, u32>,
    /// Where the phrase before ended.
    last: u32,
    /// Is nothing new to be learned?
    closed: bool,
    /// Calls of which no more is known than the function.
    of_functions: FxHashMap<u16, u32>,
}

/// A call in a phrase: a cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Step {
    asked: Asked,
    /// What came next the last time: in the phrase, and where it ends.
    next: u32,
    next_phrase: u32,
    /// The step before it.
    before: u32,
    kind: u32,
    length: u32,
    /// How often it was called here.
    calls: u32,
}

/// A step of a phrase, and whether its bytes are to be told apart.
pub(crate) struct Said {
    pub step: u32,
    pub sized_apart: bool,
}

impl Phrases {
    pub fn new() -> Phrases {
        let nothing = Step {
            asked: Asked::default(),
            next: START,
            next_phrase: START,
            before: u32::MAX,
            kind: u32::MAX,
            length: 0,
            calls: 0,
        };
        Phrases {
            steps: vec![nothing],
            following: FxHashMap::default(),
            kinds: Vec::new(),
            known: FxHashMap::default(),
            last: START,
            closed: false,
            of_functions: FxHashMap::default(),
        }
    }

    /// Nothing new is to be learned from now on.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// The step after `step` at which this is asked, if it is what was expected there. After the start that depends on the phrase before.
    #[inline]
    pub fn expected(&mut self, step: u32, asked: &Asked) -> Option<u32> {
        let expected = match step {
            START => self.steps[self.last as usize].next_phrase,
            _ => self.steps[step as usize].next,
        };
        let found = &mut self.steps[expected as usize];
        if !found.asked.is(asked) || found.before != step || found.calls == u32::MAX {
            return None;
        }
        found.calls += 1;
        self.last = expected;
        Some(expected)
    }

    /// The same for one that was not. None if the phrase ends here and this begins another; after the start, if there are to be no new ones.
    pub fn find(&mut self, step: u32, asked: &Asked, kind: impl FnOnce() -> Kind) -> Option<Said> {
        let known = self.following.get(&(step, *asked)).copied();
        let found = known.filter(|&found| self.steps[found as usize].calls < u32::MAX);
        let (found, sized_apart) = match found {
            Some(found) => (found, false),
            None => self.learn(step, asked, kind)?,
        };
        match step {
            START => self.steps[self.last as usize].next_phrase = found,
            _ => self.steps[step as usize].next = found,
        }
        self.steps[found as usize].calls += 1;
        self.last = found;
        Some(Said { step: found, sized_apart })
    }

    /// A call of a function, and no more is known; it is counted elsewhere.
    #[cold]
    pub fn of_function(&mut self, function: u16) -> u32 {
        *self.of_functions.entry(function).or_insert_with(|| {
            let asked = Asked::new(function, 0, 0, 0, 0);
            self.kinds.push(Kind { asked, ..Kind::NONE });
            let kind = self.kinds.len() as u32 - 1;
            let new =
                Step { asked, next: START, next_phrase: START, before: START, kind, length: 1, calls: 0 };
            self.steps.push(new);
            self.steps.len() as u32 - 1
        })
    }

    /// A step that has not been there, or is full; of too many sizes all are one.
    #[cold]
    fn learn(&mut self, step: u32, asked: &Asked, kind: impl FnOnce() -> Kind) -> Option<(u32, bool)> {
        let length = self.steps[step as usize].length + 1;
        let full = step != START && (length > LONGEST || self.steps.len() >= MOST_STEPS);
        if full || self.closed {
            return None;
        }
        let mut of = self.known.get(asked).copied();
        let mut asked = *asked;
        let many = self.kinds.len() >= MANY_CALLS;
        if of.is_none() && many {
            if step != START {
                return None;
            }
            asked = asked.sized_apart();
            of = self.known.get(&asked).copied();
        }
        let sized_apart = asked.flags() & BYTES != 0;
        if sized_apart
            && let Some(&found) = self.following.get(&(step, asked))
            && self.steps[found as usize].calls < u32::MAX
        {
            return Some((found, true));
        }
        let of = of.unwrap_or_else(|| {
            self.kinds.push(Kind { asked, ..kind() });
            self.known.insert(asked, self.kinds.len() as u32 - 1);
            self.kinds.len() as u32 - 1
        });
        let new = self.steps.len() as u32;
        self.steps.push(Step {
            asked,
            next: START,
            next_phrase: START,
            before: step,
            kind: of,
            length,
            calls: 0,
        });
        self.following.insert((step, asked), new);
        Some((new, sized_apart))
    }

    /// The kind of the last call of a phrase.
    #[inline]
    pub fn kind(&self, phrase: u32) -> &Kind {
        &self.kinds[self.steps[phrase as usize].kind as usize]
    }

    /// All kinds of calls.
    pub fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Appends the numbers of the kinds of a phrase, from its first call to its last.
    pub fn spell(&self, phrase: u32, into: &mut Vec<u32>) {
        let from = into.len();
        let mut at = phrase;
        while at != START {
            into.push(self.steps[at as usize].kind);
            at = self.steps[at as usize].before;
        }
        into[from..].reverse();
    }

    /// How often each kind was called, by step.
    pub fn calls(&self) -> impl Iterator<Item = (&Kind, u64)> {
        let called = self.steps.iter().filter(|step| step.calls > 0);
        called.map(|step| (&self.kinds[step.kind as usize], step.calls.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind() -> Kind {
        Kind { asked: Asked::default(), row: 0 }
    }

    fn say(phrases: &mut Phrases, words: &[u64]) -> u32 {
        words.iter().fold(START, |step, &bytes| {
            let asked = Asked::new(3, 77, 1, -1, bytes);
            match phrases.expected(step, &asked) {
                Some(step) => step,
                None => phrases.find(step, &asked, kind).expect("short").step,
            }
        })
    }

    #[test]
    fn phrases_share_their_beginnings() {
        let mut phrases = Phrases::new();
        let first = say(&mut phrases, &[1, 2, 3]);
        let other = say(&mut phrases, &[1, 2, 9]);
        assert_ne!(first, other);
        assert_eq!(say(&mut phrases, &[1, 2, 3]), first);
        assert_eq!((phrases.len(), phrases.kinds().len()), (5, 4));
        let mut spelled = Vec::new();
        phrases.spell(other, &mut spelled);
        assert_eq!(spelled, [0, 1, 3]);
        let calls: Vec<(u64, u64)> =
            phrases.calls().map(|(kind, calls)| (kind.asked.bytes(), calls)).collect();
        assert_eq!(calls, [(1, 3), (2, 3), (3, 2), (9, 1)]);
    }

    #[test]
    fn what_was_asked_can_be_read() {
        let asked = Asked::new(513, 77, 4, -1, 1 << 40).with_peer(Some(1), 6, 8);
        assert_eq!((asked.function(), asked.comm(), asked.tag(), asked.bytes()), (513, 4, -1, 1 << 40));
        assert_eq!((asked.peer(), asked.flags()), (4, 0));
        let rooted = Asked::new(513, 77, 4, 7, 0).with_root(Some(u32::MAX - 1));
        assert_eq!((rooted.peer(), rooted.flags(), rooted.tag()), (u32::MAX, FROM_ZERO, 7));
        assert_eq!([ahead(3, 4, 8), ahead(3, 2, 8), ahead(3, 3, 8)], [1, 7, 0]);
        assert_eq!(size_of::<Step>(), 64);
    }

    #[test]
    fn sizes_that_never_repeat_are_one_kind() {
        let mut phrases = Phrases::new();
        let mut apart = 0;
        for bytes in 0..10_000 {
            let asked = Asked::new(3, 77, 1, -1, bytes);
            let said = phrases.find(START, &asked, kind).expect("first");
            apart += u32::from(said.sized_apart);
        }
        assert_eq!(phrases.kinds().len(), MANY_CALLS + 1);
        assert_eq!(apart as usize, 10_000 - MANY_CALLS);
    }

    #[test]
    fn phrases_end() {
        let mut phrases = Phrases::new();
        let asked = Asked::new(3, 77, 1, -1, 5);
        let (mut step, mut length) = (START, 0);
        while let Some(said) = phrases.find(step, &asked, kind) {
            (step, length) = (said.step, length + 1);
        }
        assert_eq!(length, LONGEST);
    }
}
