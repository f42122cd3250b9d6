//! From where a rank is back to what led there.

use std::ops::ControlFlow;

use crate::came::{Came, Mail};
use crate::category::Category;
use crate::chronicle::{Cursor, Thing};
use crate::deed::{Deed, Diary};
use crate::phrases::{Phrases, START};

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
    /// Earlier than that nothing is looked for.
    since: u64,
    ranks: Vec<Option<Box<Ways<'a>>>>,
}

/// What a rank did and what came to it, read backwards.
struct Ways<'a> {
    diary: Cursor<'a, Deed>,
    mail: [Cursor<'a, Came>; 2],
}

/// A message that held up a rank.
struct Held {
    delivered: u64,
    /// When the transfer began, and who made it begin.
    began: u64,
    who: u32,
    peer: u32,
}

impl<'a> Walk<'a> {
    pub fn new(written: Written<'a>, since: u64) -> Walk<'a> {
        let ranks = std::iter::repeat_with(|| None).take(written.ranks as usize).collect();
        Walk { written, since, ranks }
    }

    /// Tells of what led a rank to where it was at a time, the last first, until somebody has heard enough or the beginning is reached;
    /// gives who was where then.
    pub fn back(
        &mut self,
        mut rank: u32,
        mut time: u64,
        mut tell: impl FnMut(Segment) -> ControlFlow<()>,
    ) -> (u32, u64) {
        // Messages that take no time could lead in a circle.
        let mut at_once = 0;
        while time > self.since {
            let before = time;
            let begin = self.written.diary.begin(rank as usize);
            let (deed, end) = self.ways(rank).diary.seek(time).unwrap_or((&Deed::NONE, begin.min(time)));
            let (kind, function) = self.about(deed);
            let own =
                |from: u64, until| Segment { rank, peer: rank, start: from, end: until, kind, function };
            if end < time {
                let told = tell(Segment { kind: Kind::Other, function: NO_FUNCTION, ..own(end, time) });
                time = end;
                if told.is_break() {
                    break;
                }
                continue;
            }
            if deed.took == 0 {
                break;
            }
            let entered = end - deed.took;
            let held =
                if at_once < self.written.ranks { self.cause(rank, deed, entered, time, end) } else { None };
            let told = match held {
                None => {
                    let told = tell(own(entered, time));
                    time = entered;
                    told
                }
                Some(Held { delivered, began, who, peer }) => {
                    let told =
                        if delivered < time { tell(own(delivered, time)) } else { ControlFlow::Continue(()) };
                    let transfer = Segment { peer, kind: Kind::Transfer, ..own(began, delivered) };
                    (rank, time) = (who, began);
                    if told.is_break() { told } else { tell(transfer) }
                }
            };
            if told.is_break() {
                break;
            }
            at_once = if time < before { 0 } else { at_once + 1 };
        }
        (rank, time)
    }

    fn ways(&mut self, rank: u32) -> &mut Ways<'a> {
        let written = self.written;
        self.ranks[rank as usize].get_or_insert_with(|| {
            Box::new(Ways {
                diary: Cursor::new(written.diary, rank as usize),
                mail: written.mail.map(|mail| Cursor::new(mail, rank as usize)),
            })
        })
    }

    /// What a deed is on a path, and of which function.
    fn about(&self, deed: &Deed) -> (Kind, u16) {
        let kind = match deed.category() {
            Category::Compute => Kind::Compute,
            Category::PointToPoint => Kind::PointToPoint,
            Category::Collective => Kind::Collective,
            _ => Kind::Other,
        };
        match deed.phrase() {
            START => (kind, NO_FUNCTION),
            phrase => (kind, self.written.phrases.kind(phrase).asked.function()),
        }
    }

    /// The message that held up a rank at a time in what it did from `entered` to `end`, if one did.
    fn cause(&mut self, rank: u32, deed: &Deed, entered: u64, time: u64, end: u64) -> Option<Held> {
        let found = match deed.category() {
            Category::Collective => self.carried(rank, entered, time),
            _ if deed.phrase() != START && time == end => self.ended(rank, entered, end),
            _ => None,
        };
        let (came, delivered) = found?;
        let other = came.other(rank, self.written.ranks);
        let (from, to) = if came.is_outgoing() { (rank, other) } else { (other, rank) };
        let sent = delivered.saturating_sub(came.took);
        let (who, began) = if came.is_held() { (to, sent + came.moved) } else { (from, sent) };
        Some(Held { delivered, began, who, peer: other })
    }

    /// Inside a collective every message of it that is delivered to a rank carries it on, if the rank had to wait for it.
    fn carried(&mut self, rank: u32, entered: u64, time: u64) -> Option<(&'a Came, u64)> {
        let mut best: Option<(&Came, u64)> = None;
        for cursor in &mut self.ways(rank).mail {
            while let Some((came, delivered)) =
                cursor.seek(time + 1).filter(|&(_, delivered)| delivered > entered)
            {
                let before = entered.max(delivered.wrapping_sub(came.span()));
                let waited_for = delivered.saturating_sub(came.early) > before && came.is_inner();
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
    fn ended(&mut self, rank: u32, entered: u64, end: u64) -> Option<(&'a Came, u64)> {
        let mut best: Option<(&Came, u64)> = None;
        for cursor in &mut self.ways(rank).mail {
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
            let found = found.filter(|&(came, delivered)| delivered.saturating_sub(came.early) > entered);
            best = match (best, found) {
                (Some(best), Some(found)) if best.1 >= found.1 => Some(best),
                (best, found) => found.or(best),
            };
        }
        best
    }
}
