//! What is made of what happened: the sums of each rank, its timeline, the use of links, paths.
//!
//! All of that together fills many cache lines for each rank, and none of them is near when the rank's turn comes. But the
//! [journal](crate::journal) says whose turn will come; what they need is asked for twice: first where it is, then the
//! place itself.

use mpirage_timeline::{LinkUse, RunInfo};
use mpirage_units::Time;

use crate::category::{CATEGORIES, Category};
use crate::delivered::Delivered;
use crate::events::{Arrows, Events};
use crate::journal::{Deed, Journal, Past, UNTOLD};
use crate::path::{Kind, Paths};
use crate::report::Budget;
use crate::tiles::Tiles;
use crate::traffic::Traffic;

/// So many deeds before it is its turn, a place is asked for; twice as many before, where it is. A rank does several in a row.
const DEEDS_AHEAD: usize = 16;
/// The same for messages, and for what may lie on a path.
const AHEAD: usize = 6;
/// Bins of time for the use of links.
const LINK_BINS: usize = 256;

/// All that is kept of a run, besides tables.
pub(crate) struct Books {
    pub ranks: Vec<Times>,
    pub tiles: Tiles,
    pub events: Events,
    pub arrows: Arrows,
    pub traffic: Traffic,
    pub links: LinkUse,
    pub paths: Paths,
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

impl Books {
    pub fn new(run: &RunInfo, budget: Budget) -> Books {
        let ranks = run.placement.len();
        Books {
            ranks: vec![Times::default(); ranks],
            tiles: Tiles::new(run.ranks()),
            events: Events::new(ranks, budget.calls),
            arrows: Arrows::new(ranks, budget.messages),
            traffic: Traffic::new(run.ranks()),
            links: LinkUse::new(run).coarse(LINK_BINS),
            paths: Paths::new(ranks),
            collective_arrows: run.collective_messages,
        }
    }

    /// Deals with all that has been written down.
    pub fn enter(&mut self, journal: &mut Journal) {
        self.follow_paths(journal);
        self.enter_deeds(&journal.deeds);
        self.enter_messages(&journal.messages);
        journal.clear();
    }

    /// Tells paths what happened, and calls who was late.
    fn follow_paths(&mut self, journal: &mut Journal) {
        let Journal { deeds, messages, history } = journal;
        let paths = &mut self.paths;
        for at in 0..history.len() {
            match history.get(at + AHEAD) {
                Some(&Past::Message(next)) => paths.expect(messages[next as usize].to()),
                Some(&Past::Deed(next)) => paths.expect(deeds[next as usize].rank),
                _ => {}
            }
            match history[at] {
                Past::Message(at) => paths.message(&messages[at as usize]),
                Past::Entry(rank, function) => paths.enter_collective(rank, function),
                Past::Deed(at) => follow(paths, &mut deeds[at as usize]),
            }
        }
    }

    /// Adds up what ranks did.
    fn enter_deeds(&mut self, deeds: &[Deed]) {
        for (at, deed) in deeds.iter().enumerate() {
            if let Some(rank) = next_rank(deeds, at + 2 * DEEDS_AHEAD) {
                mpirage_cache::fetch(&self.ranks[rank as usize]);
                self.events.expect(rank);
                self.tiles.expect(rank);
            }
            if let Some(rank) = next_rank(deeds, at + DEEDS_AHEAD) {
                self.events.expect_end(rank);
                self.tiles.expect_end(rank);
            }
            let &Deed { rank, category, ref event, .. } = deed;
            if event.took > 0 {
                // Time that nothing was told of.
                self.spend(rank, Category::Other, event.entered);
                self.spend(rank, Category::Wait, event.entered + event.waited);
                self.spend(rank, category, event.entered + event.took);
            }
            if event.is_call() {
                self.events.push(rank, event);
            }
        }
    }

    #[inline]
    fn spend(&mut self, rank: u32, category: Category, until: u64) {
        let Times { now, spent } = &mut self.ranks[rank as usize];
        if until > *now {
            spent[category as usize] += until - *now;
            self.tiles.add(rank, category, until - *now);
            *now = until;
        }
    }

    /// Adds up messages.
    fn enter_messages(&mut self, messages: &[Delivered]) {
        for (at, message) in messages.iter().enumerate() {
            if let Some(next) = messages.get(at + 2 * AHEAD) {
                self.arrows.expect(next.from);
            }
            if let Some(next) = messages.get(at + AHEAD) {
                self.traffic.expect(next);
                self.arrows.expect_end(next.from);
            }
            self.traffic.add(message);
            if self.collective_arrows || !message.inner {
                self.arrows.push(message);
            }
            let (departed, arrived) = (message.departed(), message.arrived());
            self.links.cross(
                message.from,
                message.to(),
                message.bytes,
                Time::from_picos(departed),
                Time::from_picos(arrived),
            );
        }
    }
}

/// The rank of a deed, if the one before is another's.
#[inline]
fn next_rank(deeds: &[Deed], at: usize) -> Option<u32> {
    let rank = deeds.get(at)?.rank;
    (deeds[at - 1].rank != rank).then_some(rank)
}

/// Tells paths what a rank did, and the call who was late.
#[inline]
fn follow(paths: &mut Paths, deed: &mut Deed) {
    let &mut Deed { rank, category, of, ref mut event } = deed;
    let (entered, left) = (event.entered, event.entered + event.took);
    paths.catch_up(rank, entered);
    if !event.is_call() {
        return paths.did(rank, path_kind(category), of, left);
    }
    let cause = paths.cause(rank, entered, left);
    if event.waited == UNTOLD {
        event.waited = cause.map_or(0, |held| held.late.clamp(entered, left) - entered);
    }
    paths.called(rank, cause, path_kind(category), of, left);
}

fn path_kind(category: Category) -> Kind {
    match category {
        Category::Compute => Kind::Compute,
        Category::PointToPoint => Kind::PointToPoint,
        Category::Collective => Kind::Collective,
        _ => Kind::Other,
    }
}
