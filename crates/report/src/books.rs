//! What is kept of what happened: everything that ranks did and that came to them, as long as that is not too much; the sums of each
//! rank, its timeline, the use of links, paths.
//!
//! While the run goes on, it is only written down ([`crate::chronicle`]). Everything else is made at the end, rank by rank, when all is
//! known. What is too much for that is summed up on the way instead.

use mpirage_interpret::links::Journeys;
use mpirage_interpret::{LinkUse, RunInfo};
use mpirage_record::{Message, Scope};
use mpirage_units::{Duration, Time};
use serde_json::json;

use crate::came::{Came, Mail};
use crate::category::{CATEGORIES, Category};
use crate::chronicle::{Part, Pen, Thing};
use crate::container::Container;
use crate::critical::Critical;
use crate::deed::{Deed, Diary, Listener};
use crate::path::{Paths, Written};
use crate::phrases::{self, Phrases, START};
use crate::report::Budget;
use crate::tiles::{Level, Tiles};
use crate::traffic::Traffic;
use crate::{arrows, events};

/// Bins of time for the use of links.
const LINK_BINS: usize = 256;

/// All that is kept of a run, besides tables.
pub(crate) struct Books {
    pub ranks: Vec<Times>,
    pub phrases: Phrases,
    pub traffic: Traffic,
    pub links: LinkUse,
    pub paths: Paths,
    desks: Vec<Desk>,
    /// Of each rank, when the last message from it that it waited for was delivered, and until when the receiver was not there.
    outgoing: Vec<(u64, u64)>,
    diary: Diary,
    /// Messages of the program, and those inside collectives that have no arrows.
    mail: Mail,
    inner_mail: Mail,
    /// The calls of an instant that may not be over.
    open: Open,
    /// How many calls, and messages with arrows, there were.
    calls: u64,
    messages: u64,
    budget: Budget,
    /// What ranks did is only added up: there were too many different things.
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

/// Where a rank is in the books: a cache line.
#[derive(Clone, Default)]
#[repr(align(64))]
struct Desk {
    /// When what it did last was over.
    end: u64,
    pen: Pen,
    /// When the last message came to it, and the last inside a collective.
    mail: u64,
    mail_pen: Pen,
    inner: u64,
    inner_pen: Pen,
    /// When the last message to it was delivered, and until when its sender was late.
    delivered: u64,
    late: u64,
}

/// How a rank spent its time is added up.
struct Account<'a> {
    spent: &'a mut [u64; CATEGORIES],
    /// Stretches, if neighbours that are alike are one.
    stretches: u64,
    before: Option<Category>,
}

impl Listener for Account<'_> {
    #[inline]
    fn hear(&mut self, category: Category, from: u64, until: u64, times: u32) {
        self.spent[category as usize] += (until - from) * u64::from(times);
        self.stretches += if self.before == Some(category) { 0 } else { times.into() };
        self.before = Some(category);
    }

    fn together(&self, _: u64, _: u64) -> u64 {
        u32::MAX.into()
    }
}

/// The same, and it is put into tiles.
struct Putting<'a> {
    rank: u32,
    spent: &'a mut [u64; CATEGORIES],
    tiles: &'a mut Tiles,
}

impl Listener for Putting<'_> {
    fn hear(&mut self, category: Category, from: u64, until: u64, _: u32) {
        self.spent[category as usize] += until - from;
        self.tiles.put(self.rank, category, from, until);
    }

    fn together(&self, _: u64, _: u64) -> u64 {
        1
    }
}

/// Calls of a rank in one instant.
#[derive(Clone, Copy)]
struct Open {
    rank: u32,
    phrase: u32,
    at: u64,
    category: Category,
}

impl Open {
    const NONE: Open = Open { rank: u32::MAX, phrase: START, at: 0, category: Category::Idle };
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
            desks: vec![Desk::default(); ranks],
            outgoing: Vec::new(),
            diary: Diary::new(ranks),
            mail: Mail::new(ranks),
            inner_mail: Mail::new(ranks),
            open: Open::NONE,
            calls: 0,
            messages: 0,
            budget,
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
        if said != START {
            self.open.phrase = phrase;
            return;
        }
        self.write_open();
        self.open = Open { rank, phrase, at, category };
    }

    /// The calls of the instant are over.
    #[inline]
    fn write_open(&mut self) {
        if self.open.rank != u32::MAX {
            let Open { rank, phrase, at, category } = self.open;
            self.open.rank = u32::MAX;
            self.write(rank, at, 0, |gap| Deed::calls(phrase, category, gap, 0, 0));
        }
    }

    /// A rank made a call that took time, or was a collective. How long it waited for another rank is told, or found out.
    #[inline(always)]
    pub fn call(
        &mut self,
        rank: u32,
        phrase: u32,
        category: Category,
        entered: u64,
        took: u64,
        waited: Option<u64>,
    ) {
        self.write_open();
        self.calls += 1;
        let waited = waited.unwrap_or_else(|| self.waited(rank, entered, took));
        self.write(rank, entered, took, |gap| Deed::calls(phrase, category, gap, took, waited));
    }

    /// How long a call could not go on because another rank was late: whose message came as it ended, or was the last that came meanwhile.
    #[inline(always)]
    fn waited(&self, rank: u32, entered: u64, took: u64) -> u64 {
        let Desk { delivered, late, .. } = self.desks[rank as usize];
        let late = if delivered == entered + took { late } else { self.late(rank, entered, entered + took) };
        late.saturating_sub(entered).min(took)
    }

    /// Until when another rank was late, if no message to this one came as its call ended.
    fn late(&self, rank: u32, entered: u64, left: u64) -> u64 {
        let Desk { delivered, late, .. } = self.desks[rank as usize];
        match self.outgoing.get(rank as usize) {
            Some(&(delivered, late)) if delivered == left => late,
            _ if delivered > entered && delivered < left => late,
            _ => 0,
        }
    }

    /// The call before was about so many bytes, which its phrase does not say.
    pub fn size(&mut self, rank: u32, bytes: u64) {
        self.write_open();
        let end = self.desks[rank as usize].end;
        self.write(rank, end, 0, |_| Deed::size(bytes));
    }

    /// A rank did something that was not a call.
    #[inline]
    pub fn did(&mut self, rank: u32, category: Category, entered: u64, took: u64) {
        self.write_open();
        self.write(rank, entered, took, |gap| Deed::other(category, gap, took));
    }

    /// Writes into the diary.
    #[inline(always)]
    fn write(&mut self, rank: u32, entered: u64, took: u64, deed: impl FnOnce(u64) -> Deed) {
        let desk = &mut self.desks[rank as usize];
        let deed = deed(entered.wrapping_sub(desk.end));
        desk.end = entered + took;
        match self.diary.expected(&desk.pen) {
            (word, expected) if expected.is(&deed) => self.diary.confirm(rank, &mut desk.pen, word),
            _ => self.write_surprise(rank, &deed),
        }
    }

    #[inline(never)]
    fn write_surprise(&mut self, rank: u32, deed: &Deed) {
        self.diary.surprise(rank, &mut self.desks[rank as usize].pen, &[*deed]);
        if self.diary.is_full() {
            self.make_room();
        }
    }

    /// These messages will be told of soon.
    #[inline]
    pub fn expect(&self, messages: &[Message]) {
        for message in messages {
            mpirage_prefetch::fetch(&self.desks[message.to as usize]);
        }
    }

    /// A message was delivered.
    #[inline]
    pub fn message(&mut self, message: &Message) {
        let &Message { from, to, sent, delivered, .. } = message;
        let inner = matches!(message.scope, Scope::Collective(_));
        let desk = &mut self.desks[to as usize];
        (desk.delivered, desk.late) = (delivered.as_picos(), sent.as_picos());
        self.deliver(message, [to, from], inner, false);
        if message.held || message.awaited {
            self.deliver_to_sender(message, inner);
        }
    }

    /// The sender of a message waited for its delivery, or for the receiver.
    fn deliver_to_sender(&mut self, message: &Message, inner: bool) {
        self.outgoing.resize(self.desks.len(), (0, 0));
        let late = if message.held { message.departed.as_picos() } else { 0 };
        self.outgoing[message.from as usize] = (message.delivered.as_picos(), late);
        self.deliver(message, [message.from, message.to], inner, true);
    }

    /// Writes down what came to a rank, from or to another.
    #[inline(always)]
    fn deliver(&mut self, message: &Message, [rank, other]: [u32; 2], inner: bool, outgoing: bool) {
        let (ranks, apart) = (self.desks.len() as u32, inner && !self.collective_arrows);
        let desk = &mut self.desks[rank as usize];
        let (mail, last, pen) = match apart {
            true => (&mut self.inner_mail, &mut desk.inner, &mut desk.inner_pen),
            false => (&mut self.mail, &mut desk.mail, &mut desk.mail_pen),
        };
        self.messages += u64::from(!apart && !outgoing);
        let delivered = message.delivered.as_picos();
        let since = delivered.saturating_sub(std::mem::replace(last, delivered));
        let came = Came::new(message, since, inner, outgoing);
        if !mail.deliver(rank, other, ranks, pen, &came) && mail.is_full() {
            self.make_room();
        }
    }

    /// Puts what is written in order. If it is too much, it is dealt with and let go of.
    #[cold]
    fn make_room(&mut self) {
        self.diary.sort();
        self.mail.sort();
        self.inner_mail.sort();
        // What is not shown one by one need not be kept for long.
        let Budget { calls, messages, rows } = self.budget;
        let deeds = self.diary.rows() > if self.calls > calls { rows } else { 2 * calls as usize };
        let mail = self.mail.rows() > if self.messages > messages { rows } else { 2 * messages as usize };
        if !deeds && !mail && self.inner_mail.rows() <= rows {
            return;
        }
        self.settle();
        self.follow_paths();
        self.add_up_messages(mail || deeds);
        let desks = &mut self.desks;
        self.inner_mail.clear(desks.iter_mut().map(|desk| (&mut desk.inner_pen, desk.inner)));
        if mail || deeds {
            self.mail.clear(desks.iter_mut().map(|desk| (&mut desk.mail_pen, desk.mail)));
            self.budget.messages = 0;
        }
        if deeds {
            self.give_up();
        }
    }

    fn settle(&mut self) {
        self.diary.settle(self.desks.iter_mut().map(|desk| &mut desk.pen));
        self.mail.settle(self.desks.iter_mut().map(|desk| &mut desk.mail_pen));
        self.inner_mail.settle(self.desks.iter_mut().map(|desk| &mut desk.inner_pen));
    }

    /// All that is written.
    pub fn written(&self) -> Written<'_> {
        let Books { phrases, diary, mail, inner_mail, .. } = self;
        Written { phrases, diary, mail: [mail, inner_mail], ranks: self.desks.len() as u32 }
    }

    fn follow_paths(&mut self) {
        let Books { phrases, diary, mail, inner_mail, desks, paths, .. } = self;
        let written = Written { phrases, diary, mail: [mail, inner_mail], ranks: desks.len() as u32 };
        paths.follow(written, desks.iter().map(|desk| desk.end).collect());
    }

    /// There are too many different things to keep them: from now on what ranks did is only added up.
    fn give_up(&mut self) {
        self.beyond = true;
        self.budget.calls = 0;
        self.phrases.close();
        self.sum_up();
        self.diary.clear(self.desks.iter_mut().map(|desk| (&mut desk.pen, desk.end)));
    }

    /// Adds up what is in the diary.
    fn sum_up(&mut self) {
        for (rank, Times { now, spent }) in self.ranks.iter_mut().enumerate() {
            self.diary.stretches(
                rank,
                now,
                &mut Putting { rank: rank as u32, spent, tiles: &mut self.tiles },
            );
        }
    }

    /// Adds up what has been written of messages inside collectives, and `all` others.
    fn add_up_messages(&mut self, all: bool) {
        let Books { traffic, links, mail, inner_mail, desks, .. } = self;
        let ranks = desks.len() as u32;
        for rank in 0..ranks {
            let mut add = |part: Part<'_, Came>| match part {
                Part::One(came, delivered) => add_up(came, rank, ranks, delivered, 1, 0, traffic, links),
                Part::Round { things, times, begin, lap } => {
                    let mut delivered = begin;
                    for came in things {
                        delivered += came.span();
                        add_up(came, rank, ranks, delivered, times, lap, traffic, links);
                    }
                }
            };
            inner_mail.parts(rank as usize, &mut add);
            if all {
                mail.parts(rank as usize, &mut add);
            }
        }
    }

    /// The run is over at `end`.
    pub fn close(&mut self, end: u64) {
        self.write_open();
        self.settle();
        if self.beyond {
            self.sum_up()
        } else {
            self.account()
        }
        self.links.reach(Time::from_picos(end));
        self.add_up_messages(true);
    }

    /// Adds up what is in the diary, and keeps it.
    fn account(&mut self) {
        for (rank, Times { now, spent }) in self.ranks.iter_mut().enumerate() {
            let mut account = Account { spent, stretches: 0, before: None };
            self.diary.stretches(rank, now, &mut account);
            self.stretches += account.stretches;
        }
    }

    /// Adds calls one by one to the data, if there were not too many; `place` gives the function and the place of a kind of call.
    pub fn write_events(&self, place: impl Fn(&phrases::Kind) -> (u16, u32), out: &mut Container) {
        if self.calls > self.budget.calls {
            return out.set("events", ());
        }
        out.set("events", json!({"count": self.calls}));
        events::write(&self.phrases, &self.diary, self.ranks.len(), place, out);
    }

    /// Adds messages one by one to the data, if there were not too many.
    pub fn write_arrows(&self, out: &mut Container) {
        if self.messages > self.budget.messages {
            return out.set("messages", ());
        }
        out.set("messages", json!({"count": self.messages}));
        arrows::write(&self.mail, self.ranks.len(), out);
    }

    /// What ranks did when, at all widths, and in how many rows.
    pub fn levels(&self, end: u64) -> (&Tiles, Vec<Level>) {
        (&self.tiles, self.tiles.levels(end, &self.diary, self.stretches))
    }

    /// When what a rank did last was over.
    pub fn reaches(&self, rank: u32) -> u64 {
        self.desks[rank as usize].end
    }

    /// What led a rank to where it was at a time, the last first.
    pub fn path(&self, rank: u32, time: u64) -> Critical {
        let mut critical = Critical::new();
        self.paths.back_from(self.written(), rank, time, &mut critical);
        critical
    }
}

/// Adds up a message to a rank: so many times, again after each `lap`.
#[inline]
#[expect(clippy::too_many_arguments, reason = "a message is many things")]
fn add_up(
    came: &Came,
    rank: u32,
    ranks: u32,
    delivered: u64,
    times: u32,
    lap: u64,
    traffic: &mut Traffic,
    links: &mut LinkUse,
) {
    // Its receiver tells of it.
    if came.is_outgoing() {
        return;
    }
    let from = came.other(rank, ranks);
    traffic.add(from, rank, came.bytes, came.is_inner(), times);
    let departed = delivered.wrapping_sub(came.took).wrapping_add(came.moved);
    let [departed, arrived] = [departed, delivered.wrapping_sub(came.early)].map(Time::from_picos);
    let after = Duration::from_picos(lap);
    links.enter(Journeys { from, to: rank, bytes: came.bytes, departed, arrived, times, after });
}
