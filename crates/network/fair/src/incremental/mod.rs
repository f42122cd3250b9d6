//! Incremental sharing: a solve looks only at what a change reaches.
//!
//! Every flow is stopped by its bound or by a *bottleneck*: a full resource on which no other flow has a higher level. These
//! conditions hold for the fair solution and for no other, and each of them concerns one resource. A change breaks them
//! at a few resources, and a solve repairs them from the lowest level to the highest. When the level in hand meets
//! a resource, it does one of these:
//!
//! - the resource has room: its members *rise* together to the level at which it is full;
//! - it carries too much: its members sink to that level, and it *captures* users with higher levels from their
//!   bottlenecks, and flows that have just started (*free* flows).
//!
//! Each changes what other resources of these flows carry, and they come onto the agenda. Since a resource only
//! limits levels above its own, most of them are met once.
//!
//! | file | what it holds |
//! |---|---|
//! | `account` | what the users of a resource load on it |
//! | `bottleneck` | the members of a resource and their virtual clock |
//! | `demand` | what flows ask of their resources |
//! | `agenda` | resources to repair, by level |
//! | `solve` | the repair of one resource |
//! | `capture` | which users a resource takes from other bottlenecks, and at which level |
//! | `posting` | how changes of a level reach the accounts of other resources |
//! | `dates` | which flow ends next |

mod account;
mod agenda;
mod bottleneck;
mod capture;
mod dates;
mod demand;
mod posting;
mod solve;

use crate::TOLERANCE;
use crate::flow::Use;
use crate::heap::{ABSENT, Heap};
use crate::resource::SharingPolicy;
use crate::virtual_date::VirtualDate;
use account::Account;
use agenda::Agenda;
use bottleneck::{Bottleneck, User};
use demand::Demands;
use mpirage_prefetch::fetch;
use mpirage_units::Time;

/// How many flows ahead memory is fetched.
const AHEAD: usize = 4;

/// Flows that are shared incrementally, by the numbers that the caller gives them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Incremental {
    accounts: Vec<Account>,
    bottlenecks: Vec<Bottleneck>,
    flows: Vec<Flow>,
    demands: Demands,
    /// The cause that limits each flow.
    stops: Vec<Stop>,
    /// Where each flow is in the heap of its bottleneck, or of flows at their bounds.
    places: Vec<u32>,
    now: Time,

    agenda: Agenda,
    /// The level at which each resource stands in the agenda.
    queued: Vec<f64>,
    /// Levels of each resource that differ less, relatively, are the same.
    tolerances: Vec<f64>,
    /// Members of a bottleneck rise only if they rise by more than this part.
    rise_tolerance: f64,
    /// So small a part of its work may be left of a flow when it ends with another.
    negligible: f64,
    /// Flows that started since the last solve.
    newcomers: Vec<u32>,
    /// Resources whose accounts have changed since they were last queued.
    dirty: Vec<u32>,
    /// Resources whose first member needs a new date.
    undated: Vec<u32>,
    /// Users that the resource in hand takes from other bottlenecks.
    captives: Vec<capture::Captive>,
    /// Reused list of flows.
    moving: Vec<u32>,
    /// How many bottlenecks have posted more than their level.
    loose: usize,

    /// Resources by the date of their first member.
    dates: Heap<Time>,
    date_places: Vec<u32>,
    /// Flows at their bounds, by date.
    bounded: Heap<Time>,
    /// The bottleneck whose members are ending.
    ending: Option<u32>,
    /// How many flows solves have looked at; tests see from it how costs grow.
    looked_at: u64,
}

/// The cause that limits the growth of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// Nothing: it is not shared here.
    Absent,
    /// Nothing yet: it has just started.
    Free,
    /// Its own bound.
    Bound,
    /// A full resource.
    At(u32),
}

/// One cache line: how far a flow is.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
struct Flow {
    /// The level at which the bound is reached.
    ceiling: f64,
    /// Virtual work left at `since`; kept up to date only without a bottleneck.
    left: f64,
    since: Time,
    /// All the virtual work of the first message, and its order of start.
    work: f64,
    sequence: u64,
    count: f64,
}

/// The first message of a flow, which decides when the flow ends next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct First {
    /// All its virtual work.
    pub work: f64,
    /// Its order of start.
    pub sequence: u64,
}

impl Incremental {
    pub fn add_resource(&mut self, capacity: f64, kind: SharingPolicy) {
        self.accounts.push(Account::new(capacity, kind));
        self.bottlenecks.push(Bottleneck::new());
        self.queued.push(f64::INFINITY);
        self.tolerances.push(TOLERANCE);
        self.date_places.push(ABSENT);
    }

    /// Members of a bottleneck need not rise by less than this part.
    pub fn set_tolerance(&mut self, tolerance: f64) {
        self.rise_tolerance = tolerance;
        self.set_negligible(tolerance);
    }

    /// So small a part of its work may be left of a flow when it ends with another.
    pub fn set_negligible(&mut self, part: f64) {
        self.negligible = part;
    }

    pub fn set_capacity(&mut self, resource: u32, capacity: f64) {
        self.accounts[resource as usize].set_capacity(capacity);
        self.touch(resource);
    }

    /// Starts a flow of `count` messages, the first of which has so much virtual work left.
    pub fn add(
        &mut self,
        flow: u32,
        uses: impl Iterator<Item = Use> + Clone,
        ceiling: f64,
        count: f64,
        left: f64,
        first: First,
    ) {
        let index = flow as usize;
        if self.flows.len() <= index {
            self.flows.resize(index + 1, Flow::default());
            self.stops.resize(index + 1, Stop::Absent);
            self.places.resize(index + 1, ABSENT);
        }
        let added = &mut self.flows[index];
        (added.ceiling, added.left, added.since, added.count) = (ceiling, left, self.now, count);
        (added.work, added.sequence) = (first.work, first.sequence);
        self.demands.add(flow, uses.clone(), count);
        self.list_uses(flow, uses, count);
        self.stops[index] = Stop::Free;
        self.newcomers.push(flow);
    }

    /// Puts a flow with `count` messages on the lists of its resources.
    fn list_uses(&mut self, flow: u32, mut uses: impl Iterator<Item = Use>, count: f64) {
        let Incremental { demands, accounts, bottlenecks, dirty, .. } = self;
        for line in demands.lines(flow) {
            for (place, Use { resource, share }) in demands.places(line).zip(uses.by_ref()) {
                let (account, bottleneck) =
                    (&mut accounts[resource as usize], &mut bottlenecks[resource as usize]);
                demands.set_slot(place, bottleneck.users.len() as u32);
                let share = account.weigh(share, count);
                bottleneck.users.push(User { flow, place, share });
                bottleneck.free.push(flow);
                account.open(share);
                account.free += 1;
                account.touch(resource, dirty);
            }
        }
    }

    /// Ends a flow.
    pub fn remove(&mut self, flow: u32) {
        let (stop, posted) = (self.stops[flow as usize], self.posted(flow));
        let Incremental { demands, accounts, dirty, .. } = self;
        demands.each(flow, |resource, share| {
            let account = &mut accounts[resource as usize];
            if stop == Stop::Free || stop == Stop::At(resource) {
                account.close(share);
            } else {
                account.leave(share, posted);
            }
            account.touch(resource, dirty);
        });
        match stop {
            Stop::Free => self.forget_newcomer(flow),
            _ => self.leave(flow),
        }
        self.stops[flow as usize] = Stop::Absent;
        self.strike_from_lists(flow);
    }

    fn forget_newcomer(&mut self, flow: u32) {
        self.newcomers.retain(|&newcomer| newcomer != flow);
        for resource in self.demands.resources(flow) {
            self.accounts[resource as usize].free -= 1;
            self.bottlenecks[resource as usize].free.retain(|&free| free != flow);
        }
    }

    fn strike_from_lists(&mut self, flow: u32) {
        let Incremental { demands, accounts, bottlenecks, .. } = self;
        for line in demands.lines(flow) {
            for place in demands.places(line) {
                let (resource, slot) = (demands.resource(place) as usize, demands.slot(place));
                let users = &mut bottlenecks[resource].users;
                users.swap_remove(slot as usize);
                if let Some(&moved) = users.get(slot as usize) {
                    demands.set_slot(moved.place, slot);
                }
                if users.is_empty() {
                    accounts[resource].clear(f64::INFINITY);
                }
            }
        }
        demands.remove(flow);
    }

    /// A flow has so many messages now.
    pub fn set_count(&mut self, flow: u32, uses: impl Iterator<Item = Use> + Clone, count: f64) {
        let (stop, posted) = (self.stops[flow as usize], self.posted(flow));
        let more = count - std::mem::replace(&mut self.flows[flow as usize].count, count);
        self.demands.set_count(flow, uses.clone(), count);
        let Incremental { demands, accounts, bottlenecks, dirty, .. } = self;
        let places = demands.lines(flow).flat_map(|line| demands.places(line));
        for (Use { resource, share }, place) in uses.zip(places) {
            let account = &mut accounts[resource as usize];
            if account.kind == SharingPolicy::FatPipe {
                continue;
            }
            if stop == Stop::Free || stop == Stop::At(resource) {
                account.open(share * more);
            } else {
                account.grow(share * more, posted);
            }
            account.touch(resource, dirty);
            bottlenecks[resource as usize].users[demands.slot(place) as usize].share = share * count;
        }
    }

    /// Another message of a flow is the first now, which has so much more to do than the one before.
    pub fn set_first(&mut self, flow: u32, first: First, more: f64) {
        let index = flow as usize;
        (self.flows[index].work, self.flows[index].sequence) = (first.work, first.sequence);
        match self.stops[index] {
            Stop::At(resource) => {
                let due = self.bottlenecks[resource as usize].members.key(self.places[index]);
                self.set_due(flow, due.at + more);
            }
            Stop::Bound => {
                self.flows[index].left += more;
                self.bounded.remove(self.places[index], &mut self.places);
                self.schedule_bounded(flow);
            }
            Stop::Free | Stop::Absent => self.flows[index].left += more,
        }
    }

    /// A flow that a bottleneck limits has ended, and keeps its place there without a date. False if no bottleneck limits it.
    pub fn suspend(&mut self, flow: u32) -> bool {
        let is_member = matches!(self.stops[flow as usize], Stop::At(_));
        if is_member {
            self.set_due(flow, f64::INFINITY);
        }
        is_member
    }

    /// Has a flow ended that keeps its place?
    pub fn is_suspended(&self, flow: u32) -> bool {
        let Stop::At(resource) = self.stops[flow as usize] else { return false };
        self.bottlenecks[resource as usize].members.key(self.places[flow as usize]).at.is_infinite()
    }

    /// A suspended flow has so much virtual work to do from now on.
    pub fn go_on(&mut self, flow: u32, work: f64) {
        self.flows[flow as usize].work = work;
        if let Stop::At(resource) = self.stops[flow as usize] {
            let level = self.accounts[resource as usize].level;
            let clock = self.bottlenecks[resource as usize].clock(self.now, level);
            self.set_due(flow, clock + work);
        }
    }

    /// A member of a bottleneck is done at a virtual date.
    fn set_due(&mut self, flow: u32, at: f64) {
        let Stop::At(resource) = self.stops[flow as usize] else { return };
        let due = VirtualDate { at, sequence: self.flows[flow as usize].sequence };
        self.bottlenecks[resource as usize].members.set(due, flow, &mut self.places);
        self.note_undated(resource);
    }

    /// The level of a flow as last decided.
    pub fn level(&self, flow: u32) -> f64 {
        match self.stops[flow as usize] {
            Stop::Absent | Stop::Free => 0.0,
            Stop::Bound => self.flows[flow as usize].ceiling,
            Stop::At(resource) => self.accounts[resource as usize].level,
        }
    }

    /// The load of a resource.
    pub fn load(&self, resource: u32) -> f64 {
        let users = &self.bottlenecks[resource as usize].users;
        let count = |user: &User| match self.accounts[resource as usize].kind {
            SharingPolicy::Shared => 1.0,
            SharingPolicy::FatPipe => self.flows[user.flow as usize].count,
        };
        users.iter().map(|user| user.share * count(user) * self.level(user.flow)).sum()
    }

    /// How many flows solves have looked at.
    #[cfg(test)]
    pub fn looked_at(&self) -> u64 {
        self.looked_at
    }

    /// Prefetches what a solve needs of a flow that it stops.
    #[inline(always)]
    fn fetch(&self, flow: u32) {
        fetch(&self.flows[flow as usize]);
        fetch(&self.places[flow as usize]);
        self.demands.fetch(flow);
    }

    fn touch(&mut self, resource: u32) {
        self.accounts[resource as usize].touch(resource, &mut self.dirty);
    }
}
