//! From where a rank is back to what led there.

use std::ops::ControlFlow;

use crate::came::{Came, Mail};
use crate::category::Category;
use crate::chronicle::{Cursor, Mark, Thing};
use crate::deed::{Deed, Diary};
use crate::phrases::{Phrases, START};

use super::circle::Circle;
use super::{Kind, NO_FUNCTION, Segment};

/// What is written about a run.
#[derive(Clone, Copy)]
pub(crate) struct Written<'a> {
    pub phrases: &'a Phrases,
    pub diary: &'a Diary,
    /// Messages of the program, and messages inside collectives.
    pub mail: [&'a Mail; 2],
    pub ranks: u32,
}

/// Goes back along paths.
pub(super) struct Walk<'a> {
    written: Written<'a>,
    /// Of each rank, nothing earlier than that is looked for.
    since: &'a [u64],
    ranks: Vec<Option<Box<Ways<'a>>>>,
}

/// What a rank did and what came to it, read backwards.
pub(super) struct Ways<'a> {
    diary: Cursor<'a, Deed>,
    mail: [Cursor<'a, Came>; 2],
    /// Since which point the path is known to have been here ([`Circle`]).
    pub visit: u32,
}

/// What is told of a path.
pub(super) enum Told<'a> {
    /// What comes before all that was told.
    Part(Segment),
    /// The parts that were told last come again so many times, each time so long before the last.
    Laps { parts: &'a [Segment], times: u64, lap: u64 },
}

/// A step back: parts of the path, the last first, and who was where before them.
struct Step {
    parts: [Option<Segment>; 2],
    who: u32,
    when: u64,
}

/// A message that held up a rank.
struct Held {
    /// When the transfer began, and who made it begin.
    began: u64,
    who: u32,
    peer: u32,
}

impl<'a> Walk<'a> {
    pub fn new(written: Written<'a>, since: &'a [u64]) -> Walk<'a> {
        let ranks = std::iter::repeat_with(|| None).take(written.ranks as usize).collect();
        Walk { written, since, ranks }
    }

    /// Of a rank, nothing earlier than that is looked for.
    #[inline]
    pub fn since(&self, rank: u32) -> u64 {
        self.since[rank as usize]
    }

    /// Tells of what led a rank to where it was at a time, the last first, until somebody has heard enough or the beginning is reached;
    /// gives who was where then. What comes again and again is told at once, if that is wanted.
    pub fn back(
        &mut self,
        mut rank: u32,
        mut time: u64,
        at_once: bool,
        mut tell: impl FnMut(Told<'_>) -> ControlFlow<()>,
    ) -> (u32, u64) {
        let mut circle = at_once.then(Circle::default);
        // Messages that take no time could lead to and fro for ever.
        let mut still = 0;
        while time > self.since(rank) {
            if let Some(circle) = &mut circle
                && let Some((times, lap)) = circle.closes(self, rank, time)
            {
                if tell(Told::Laps { parts: &circle.parts, times, lap }).is_break() {
                    break;
                }
                circle.go_round(self, times, lap);
                time -= times * lap;
                continue;
            }
            let Step { parts, who, when } = self.step(rank, time, still < self.written.ranks);
            if (who, when) == (rank, time) {
                break;
            }
            still = if when < time { 0 } else { still + 1 };
            (rank, time) = (who, when);
            for part in parts.into_iter().flatten() {
                if let Some(circle) = &mut circle {
                    circle.parts.push(part);
                }
                if tell(Told::Part(part)).is_break() {
                    return (rank, time);
                }
            }
        }
        (rank, time)
    }

    /// Goes back by what a rank did last before a time, or by the message that held it up.
    #[inline]
    fn step(&mut self, rank: u32, time: u64, may_be_held: bool) -> Step {
        let written = self.written;
        let begin = written.diary.begin(rank as usize);
        let ways = self.ways(rank);
        let (deed, end) = ways.diary.seek(time).unwrap_or((&Deed::NONE, begin.min(time)));
        let (kind, function) = about(deed, written.phrases);
        let own = |start, end| Segment { rank, peer: rank, start, end, kind, function };
        if end < time || deed.took == 0 {
            let gap = Segment { kind: Kind::Other, function: NO_FUNCTION, ..own(end, time) };
            return Step { parts: [Some(gap), None], who: rank, when: end };
        }
        let entered = end - deed.took;
        let held = match deed.category() {
            _ if !may_be_held => None,
            Category::Collective => ways.carried(entered, time),
            _ if deed.phrase() != START && time == end => ways.ended(entered, end),
            _ => None,
        };
        let Some((came, delivered)) = held else {
            return Step { parts: [Some(own(entered, time)), None], who: rank, when: entered };
        };
        let Held { began, who, peer } = Held::by(came, delivered, rank, written.ranks);
        let after = (delivered < time).then(|| own(delivered, time));
        let transfer = Segment { peer, kind: Kind::Transfer, ..own(began, delivered) };
        Step { parts: [after, Some(transfer)], who, when: began }
    }

    #[inline]
    pub fn ways(&mut self, rank: u32) -> &mut Ways<'a> {
        let written = self.written;
        self.ranks[rank as usize].get_or_insert_with(|| {
            Box::new(Ways {
                diary: Cursor::new(written.diary, rank as usize),
                mail: written.mail.map(|mail| Cursor::new(mail, rank as usize)),
                visit: 0,
            })
        })
    }
}

/// What a deed is on a path, and of which function.
#[inline]
fn about(deed: &Deed, phrases: &Phrases) -> (Kind, u16) {
    let kind = match deed.category() {
        Category::Compute => Kind::Compute,
        Category::PointToPoint => Kind::PointToPoint,
        Category::Collective => Kind::Collective,
        _ => Kind::Other,
    };
    match deed.phrase() {
        START => (kind, NO_FUNCTION),
        phrase => (kind, phrases.function(phrase)),
    }
}

impl Held {
    /// A rank was held up by a message that was delivered at that time.
    #[inline]
    fn by(came: &Came, delivered: u64, rank: u32, ranks: u32) -> Held {
        let other = came.other(rank, ranks);
        let (from, to) = if came.is_outgoing() { (rank, other) } else { (other, rank) };
        let sent = delivered.wrapping_sub(came.took);
        let (who, began) = if came.is_held() { (to, sent.wrapping_add(came.moved)) } else { (from, sent) };
        Held { began, who, peer: other }
    }
}

impl<'a> Ways<'a> {
    /// Where it is.
    #[inline]
    pub fn marks(&self) -> [Mark; 3] {
        let [mail, inner] = &self.mail;
        [self.diary.mark(), mail.mark(), inner.mark()]
    }

    /// How often what has been read since the marks, which took so long until `time`, comes again next.
    pub fn laps_since(&self, marks: &[Mark; 3], lap: u64, time: u64) -> u64 {
        let ([diary, mail, inner], [own, others]) = (marks, &self.mail);
        let mail = own.laps_since(mail, lap, time).min(others.laps_since(inner, lap, time));
        self.diary.laps_since(diary, lap, time).min(mail)
    }

    /// Goes on as since the marks, so many times.
    pub fn repeat(&mut self, marks: &[Mark; 3], times: u64, lap: u64) {
        let ([diary, mail, inner], [own, others]) = (marks, &mut self.mail);
        self.diary.repeat(diary, times, lap);
        own.repeat(mail, times, lap);
        others.repeat(inner, times, lap);
    }

    /// Inside a collective every message of it that is delivered to a rank carries it on, if the rank had to wait for it.
    fn carried(&mut self, entered: u64, time: u64) -> Option<(&'a Came, u64)> {
        let mut best: Option<(&Came, u64)> = None;
        for cursor in &mut self.mail {
            while let Some((came, delivered)) =
                cursor.seek(time + 1).filter(|&(_, delivered)| delivered > entered)
            {
                let before = entered.max(delivered.wrapping_sub(came.span()));
                let waited_for = delivered.wrapping_sub(came.early) > before && came.is_inner();
                if waited_for && (!came.is_outgoing() || came.is_held()) {
                    best = best.filter(|&(_, other)| other > delivered).or(Some((came, delivered)));
                    break;
                }
                cursor.back();
            }
        }
        best
    }

    /// A call is held up by the message that came when it was over; or by the last that came to it before, as long as it was in the call.
    fn ended(&mut self, entered: u64, end: u64) -> Option<(&'a Came, u64)> {
        let mut best: Option<(&Came, u64)> = None;
        for cursor in &mut self.mail {
            let mut found: Option<(&Came, u64)> = None;
            while let Some((came, delivered)) =
                cursor.seek(end + 1).filter(|&(_, delivered)| delivered > entered)
            {
                let here = Some((came, delivered));
                if !came.is_outgoing() {
                    found = if delivered == end { here } else { found.or(here) };
                    break;
                }
                if delivered == end {
                    found = found.or(here);
                }
                cursor.back();
            }
            let found = found.filter(|&(came, delivered)| delivered.wrapping_sub(came.early) > entered);
            best = match (best, found) {
                (Some(best), Some(found)) if best.1 >= found.1 => Some(best),
                (best, found) => found.or(best),
            };
        }
        best
    }
}
