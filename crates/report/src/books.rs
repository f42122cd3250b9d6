//! What is kept of what happened: everything that ranks did, as long as that is not too much; the sums of each rank, its
//! timeline, the use of links, paths.
//!
//! Most of it is made at the end, rank by rank, when all is known. Only paths, and messages inside collectives, are dealt with while
//! the run goes on. What is too much for that is summed up on the way instead.

use mpirage_timeline::{LinkUse, RunInfo};
use mpirage_units::Time;

use crate::arrows::Arrows;
use crate::category::{CATEGORIES, Category};
use crate::container::Container;
use crate::delivered::Delivered;
use crate::diary::{Diary, Entry, UNTOLD, stretches};
use crate::events;
use crate::journal::{Journal, Past};
use crate::path::{Kind, NO_FUNCTION, Paths};
use crate::phrases::{self, Phrases, START};
use crate::report::Budget;
use crate::tiles::{Level, Tiles};
use crate::traffic::Traffic;

/// So many things before it is its turn, what it needs is asked for.
const AHEAD: usize = 6;
/// Bins of time for the use of links.
const LINK_BINS: usize = 256;

/// All that is kept of a run, besides tables.
pub(crate) struct Books {
    pub ranks: Vec<Times>,
    pub phrases: Phrases,
    pub traffic: Traffic,
    pub links: LinkUse,
    pub paths: Paths,
    pub arrows: Arrows,
    journal: Journal,
    diary: Diary,
    /// The calls of an instant that may not be over.
    open: Open,
    /// How many calls there were; and so many can be kept one by one.
    calls: u64,
    most_calls: u64,
    /// Entries of the diary, at most.
    room: usize,
    /// Were there too many?
    beyond: bool,
    /// Stretches of time in the diary.
    stretches: u64,
    tiles: Tiles,
    /// Are there arrows for messages inside collectives?
    collective_arrows: bool,
}

/// How a rank spent its time: a cache line.
#[derive(Clone, Default)]
#[repr(align(64))]
pub(crate) struct Times {
    /// Until when its time is accounted for.
    pub now: u64,
    /// Picoseconds by category.
    pub spent: [u64; CATEGORIES],
}

/// Calls of an instant: whose, when, and which phrase they are so far.
struct Open {
    rank: u32,
    at: u64,
    phrase: u32,
}

impl Open {
    const NONE: Open = Open { rank: u32::MAX, at: 0, phrase: START };
}

impl Books {
    pub fn new(run: &RunInfo, budget: Budget) -> Books {
        let ranks = run.placement.len();
        Books {
            ranks: vec![Times::default(); ranks],
            phrases: Phrases::new(),
            traffic: Traffic::new(run.ranks()),
            links: LinkUse::new(run).coarse(LINK_BINS),
            paths: Paths::new(ranks),
            arrows: Arrows::new(run.ranks(), budget.messages),
            journal: Journal::new(),
            diary: Diary::new(ranks),
            open: Open::NONE,
            calls: 0,
            most_calls: budget.calls,
            // Between any two calls a rank may compute.
            room: usize::try_from(2 * budget.calls).unwrap_or(usize::MAX).max(1),
            beyond: false,
            stretches: 0,
            tiles: Tiles::new(run.ranks()),
            collective_arrows: run.collective_messages,
        }
    }

    /// The calls that a rank has made in this instant.
    #[inline]
    pub fn said(&self, rank: u32, at: u64) -> u32 {
        if self.open.rank == rank && self.open.at == at { self.open.phrase } else { START }
    }

    /// A rank made a call that took no time, after those that it `said` in this instant: all of them are a phrase.
    #[inline]
    pub fn say(&mut self, rank: u32, at: u64, said: u32, phrase: u32, category: Category) {
        self.calls += 1;
        if self.beyond {
            return;
        }
        if said == START {
            self.write(Entry::calls(rank, phrase, category, at, 0, 0));
        } else {
            self.diary.prolong(phrase);
        }
        self.open = Open { rank, at, phrase };
    }

    /// A rank made a call that took time, or was a collective; of which function.
    #[inline]
    pub fn call(&mut self, entry: Entry, of: u16) {
        self.calls += 1;
        let at = self.write(entry);
        self.journal.push(Past::Call(at, of));
        self.enter_if_full();
    }

    /// The call before was about so many bytes, which its phrase does not say.
    pub fn size(&mut self, rank: u32, bytes: u64) {
        if !self.beyond {
            self.write(Entry::size(rank, bytes));
        }
    }

    /// A rank did something that was not a call; on its path or not.
    #[inline]
    pub fn did(&mut self, entry: Entry, on_path: bool) {
        let at = self.write(entry);
        if on_path {
            self.journal.push(Past::Deed(at));
            self.enter_if_full();
        }
    }

    /// A message was delivered.
    #[inline]
    pub fn message(&mut self, message: Delivered) {
        self.journal.message(message);
        self.enter_if_full();
    }

    /// A rank has entered a collective.
    #[inline]
    pub fn enter_collective(&mut self, rank: u32, function: u16) {
        self.journal.push(Past::Entry(rank, function));
    }

    /// Writes into the diary; gives the place.
    #[inline]
    fn write(&mut self, entry: Entry) -> u32 {
        if self.diary.is_full() {
            self.make_room();
        }
        self.open = Open::NONE;
        self.diary.push(entry)
    }

    #[cold]
    fn make_room(&mut self) {
        self.enter();
        self.diary.settle();
        if self.beyond {
            self.sum_up();
        } else if self.diary.len() > self.room {
            self.give_up();
        }
        self.open = Open::NONE;
    }

    #[inline]
    fn enter_if_full(&mut self) {
        if self.journal.is_full() {
            self.enter();
        }
    }

    /// Deals with what has been written down.
    fn enter(&mut self) {
        self.follow_paths();
        self.settle_messages();
        self.journal.clear();
        if !self.beyond && self.calls > self.most_calls {
            self.give_up();
        }
    }

    /// Tells paths what happened, and calls who was late.
    fn follow_paths(&mut self) {
        let Journal { messages, history } = &self.journal;
        let (paths, entries) = (&mut self.paths, self.diary.fresh_mut());
        for at in 0..history.len() {
            match history.get(at + AHEAD) {
                Some(&Past::Message(next)) => paths.expect(messages[next as usize].to()),
                Some(&(Past::Call(next, _) | Past::Deed(next))) => paths.expect(entries[next as usize].rank),
                _ => {}
            }
            match history[at] {
                Past::Message(at) => paths.message(&messages[at as usize]),
                Past::Entry(rank, function) => paths.enter_collective(rank, function),
                Past::Call(at, of) => follow(paths, &mut entries[at as usize], of),
                Past::Deed(at) => {
                    let entry = &entries[at as usize];
                    paths.catch_up(entry.rank, entry.entered);
                    paths.did(entry.rank, path_kind(entry.category()), NO_FUNCTION, entry.left());
                }
            }
        }
    }

    /// Keeps messages, or adds them up.
    fn settle_messages(&mut self) {
        let Books { journal, arrows, traffic, links, .. } = self;
        for (at, message) in journal.messages.iter().enumerate() {
            if !arrows.is_beyond() && (self.collective_arrows || !message.inner) {
                if !arrows.is_full() {
                    arrows.keep(message);
                    continue;
                }
                arrows.give_up(|message| add_up(message, traffic, links));
            }
            if let Some(next) = journal.messages.get(at + AHEAD) {
                traffic.expect(next);
            }
            add_up(message, traffic, links);
        }
    }

    /// There are too many calls to keep them: from now on what ranks did is only added up.
    #[cold]
    fn give_up(&mut self) {
        self.beyond = true;
        self.phrases.close();
        self.diary.settle();
        self.sum_up();
    }

    /// Adds up what is in the diary, which is in order, and empties it.
    fn sum_up(&mut self) {
        for (rank, Times { now, spent }) in self.ranks.iter_mut().enumerate() {
            stretches(self.diary.of(rank), now, |category, from, until| {
                spent[category as usize] += until - from;
                self.tiles.put(rank as u32, category, from, until);
            });
        }
        self.diary.clear();
        self.open = Open::NONE;
    }

    /// The run is over at `end`, or later by what is in here.
    pub fn close(&mut self, end: u64) {
        self.enter();
        self.diary.settle();
        if self.beyond {
            self.sum_up()
        } else {
            self.account()
        }
        self.links.reach(Time::from_picos(end));
        let Books { arrows, traffic, links, .. } = self;
        arrows.settle();
        // In about the order in which they were delivered: bins of links that are used at one time are near each other.
        arrows.each(|message| add_up(message, traffic, links));
    }

    /// Adds up what is in the diary, and keeps it.
    fn account(&mut self) {
        for (rank, Times { now, spent }) in self.ranks.iter_mut().enumerate() {
            let mut before = None;
            stretches(self.diary.of(rank), now, |category, from, until| {
                spent[category as usize] += until - from;
                self.stretches += u64::from(before != Some(category));
                before = Some(category);
            });
        }
    }

    /// Adds calls one by one to the data, if there were not too many; `place` gives the function and the place of a kind of call.
    pub fn write_events(&self, place: impl Fn(&phrases::Kind) -> (u16, u32), out: &mut Container) {
        if self.beyond {
            return out.set("events", ());
        }
        out.set("events", serde_json::json!({"count": self.calls}));
        events::write(&self.phrases, &self.diary, self.ranks.len(), place, out);
    }

    /// What ranks did when, at all widths, and in how many rows.
    pub fn levels(&self, end: u64) -> (&Tiles, Vec<Level>) {
        (&self.tiles, self.tiles.levels(end, &self.diary, self.stretches))
    }
}

/// Adds up a message.
#[inline]
fn add_up(message: &Delivered, traffic: &mut Traffic, links: &mut LinkUse) {
    traffic.add(message);
    let (departed, arrived) = (Time::from_picos(message.departed()), Time::from_picos(message.arrived()));
    links.cross(message.from, message.to(), message.bytes, departed, arrived);
}

/// Tells paths of a call, and the call who was late.
#[inline]
fn follow(paths: &mut Paths, call: &mut Entry, of: u16) {
    let (rank, entered, left) = (call.rank, call.entered, call.left());
    paths.catch_up(rank, entered);
    let cause = paths.cause(rank, entered, left);
    if call.waited == UNTOLD {
        call.waited = cause.map_or(0, |held| held.late.clamp(entered, left) - entered);
    }
    paths.called(rank, cause, path_kind(call.category()), of, left);
}

fn path_kind(category: Category) -> Kind {
    match category {
        Category::Compute => Kind::Compute,
        Category::PointToPoint => Kind::PointToPoint,
        Category::Collective => Kind::Collective,
        _ => Kind::Other,
    }
}
