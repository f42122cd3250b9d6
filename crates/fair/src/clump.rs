//! Clumps: flows that share resources with each other and with nobody else.
//!
//! Most traffic falls apart into pieces that are small or regular: a message alone on its way, two ranks that
//! swap, a thousand neighbours that all do the same. Such a piece is solved whole and from scratch (`whole`); it
//! has one date, that of the first flow that ends, and its resources keep no accounts.
//!
//! ```text
//!   launched ──▶ gathered by the resources they use ──▶ solved whole ──▶ all end at once: gone
//!                    ▲               │                     │  └──▶ some end: the rest is gathered anew
//!                    └───────────────┼── a newcomer joins ─┘
//!                                    └──▶ large and uneven: incremental from now on (`filling`)
//! ```
//!
//! A resource is used by the flows of one clump, or by flows that are shared incrementally, never by both.

use crate::chain::{Chain, NONE};
use crate::flow::{Home, Use};
use crate::heap::{ABSENT, Heap};
use crate::sharing::{FlowId, Sharing};
use mpirage_units::Time;

/// Up to this size a clump may be solved anew at every change.
pub(crate) const SMALL: u32 = 16;
/// A larger one only if at least one in so many of its flows has come or gone.
const WORTHWHILE: u32 = 8;

/// All clumps, and the flows that look for one.
#[derive(Clone, Debug)]
pub(crate) struct Clumps {
    pub all: Vec<Clump>,
    vacant: Vec<u32>,
    /// Flows to be gathered.
    pub fresh: Vec<FlowId>,
    /// Clumps that the solve under way has gathered, those merged into others included.
    gathered: Vec<u32>,
    /// Clumps by the date at which something of them ends.
    pub dates: Heap<Time>,
    pub places: Vec<u32>,
    /// Reused list of flows.
    pub open: Vec<u32>,
    /// Without clumps everything is shared incrementally.
    pub enabled: bool,
}

/// One of them.
#[derive(Clone, Debug)]
pub(crate) struct Clump {
    /// The clump it was merged into while gathering; itself otherwise.
    parent: u32,
    pub flows: Chain,
    pub resources: Chain,
    pub size: u32,
    /// The lowest ceiling of its flows.
    pub ceiling: f64,
    /// The solve that gathered it last.
    solve: u64,
    /// Something about it is to be shared incrementally, so all of it is.
    general: bool,
    /// When it was solved: its flows had `left` left then.
    pub since: Time,
    /// The flow that ends first.
    pub first: u32,
}

impl Default for Clumps {
    fn default() -> Clumps {
        Clumps {
            all: Vec::new(),
            vacant: Vec::new(),
            fresh: Vec::new(),
            gathered: Vec::new(),
            dates: Heap::new(),
            places: Vec::new(),
            open: Vec::new(),
            enabled: true,
        }
    }
}

impl Sharing {
    /// Brings every flow that has none into a clump, and decides what becomes of these clumps.
    pub(crate) fn solve_clumps(&mut self) {
        let mut nth = 0;
        while let Some(&flow) = self.clumps.fresh.get(nth) {
            nth += 1;
            if self.is_alive(flow) {
                self.join_clump(flow.index);
            }
        }
        self.clumps.fresh.clear();
        let mut gathered = std::mem::take(&mut self.clumps.gathered);
        for id in gathered.drain(..) {
            if self.clumps.all[id as usize].parent != id {
                self.clumps.vacant.push(id);
            } else if self.clumps.all[id as usize].general || !self.solve_whole(id) {
                self.share_incrementally(id);
            }
        }
        self.clumps.gathered = gathered;
    }

    /// A flow looks for the clump of its resources, or makes one.
    fn join_clump(&mut self, flow: u32) {
        let clump = self.clump_for(flow);
        let Sharing { flows, resources, clumps, .. } = self;
        let chosen = &mut clumps.all[clump as usize];
        chosen.flows.push(flows, flow);
        let joining = &flows[flow as usize];
        chosen.size += 1;
        if joining.ceiling < chosen.ceiling {
            chosen.ceiling = joining.ceiling;
        }
        chosen.general |= joining.hard;
        joining.each_use(|Use { resource: index, share }| {
            let resource = &mut resources[index as usize];
            if resource.listed > 0 {
                chosen.general = true;
            } else if resource.clump == NONE {
                (resource.clump, resource.fixed, resource.open_share) = (clump, 0.0, share);
                chosen.resources.push_front(resources, index);
            } else {
                resource.open_whole(share);
            }
        });
    }

    /// The clump that uses some resource of a flow, or a new one.
    fn clump_for(&mut self, flow: u32) -> u32 {
        let (mut label, mut others) = (NONE, false);
        self.flows[flow as usize].each_use(|used| {
            let found = self.resources[used.resource as usize].clump;
            if found != label && found != NONE {
                others |= label != NONE;
                label = found;
            }
        });
        match label {
            NONE => self.new_clump(),
            _ if others => self.unite_clumps(flow),
            only => self.open_clump(only),
        }
    }

    /// Makes one clump of all that use resources of a flow.
    fn unite_clumps(&mut self, flow: u32) -> u32 {
        let mut clump = NONE;
        for nth in 0..self.use_count(flow) {
            let label = self.resources[self.nth_use(flow, nth).resource as usize].clump;
            if label != clump && label != NONE {
                let found = self.open_clump(label);
                clump = if clump == NONE { found } else { self.merge(clump, found) };
            }
        }
        clump
    }

    /// The clump that `label` belongs to, ready to be joined.
    fn open_clump(&mut self, label: u32) -> u32 {
        let mut id = label;
        while self.clumps.all[id as usize].parent != id {
            id = self.clumps.all[id as usize].parent;
        }
        if self.clumps.all[id as usize].solve != self.filling.solve {
            self.reopen(id);
        }
        id
    }

    /// A clump that was solved before is gathered again.
    fn reopen(&mut self, id: u32) {
        self.take_progress(id);
        let newcomers = self.clumps.fresh.len() as u32;
        let clump = &mut self.clumps.all[id as usize];
        clump.solve = self.filling.solve;
        clump.general = !is_worthwhile(clump.size, newcomers);
        self.clumps.gathered.push(id);
        self.open_all(id);
    }

    fn merge(&mut self, a: u32, b: u32) -> u32 {
        if a == b {
            return a;
        }
        let Sharing { flows, resources, clumps, .. } = self;
        let larger = if clumps.all[a as usize].size < clumps.all[b as usize].size { b } else { a };
        let smaller = a ^ b ^ larger;
        let other = clumps.all[smaller as usize].clone();
        clumps.all[smaller as usize].parent = larger;
        let clump = &mut clumps.all[larger as usize];
        clump.flows.append(flows, other.flows);
        clump.resources.append(resources, other.resources);
        clump.size += other.size;
        clump.ceiling = clump.ceiling.min(other.ceiling);
        clump.general |= other.general;
        larger
    }

    fn new_clump(&mut self) -> u32 {
        let id = self.clumps.vacant.pop().unwrap_or(self.clumps.all.len() as u32);
        let clump = Clump {
            parent: id,
            flows: Chain::EMPTY,
            resources: Chain::EMPTY,
            size: 0,
            ceiling: f64::INFINITY,
            solve: self.filling.solve,
            general: !self.clumps.enabled,
            since: self.now,
            first: NONE,
        };
        match self.clumps.all.get_mut(id as usize) {
            Some(vacant) => *vacant = clump,
            None => {
                self.clumps.all.push(clump);
                self.clumps.places.push(ABSENT);
            }
        }
        self.clumps.gathered.push(id);
        id
    }

    /// Takes off from each flow what it has done since the clump was solved, and the clump from the calendar.
    fn take_progress(&mut self, id: u32) {
        let Sharing { flows, clumps, now, .. } = self;
        let clump = &mut clumps.all[id as usize];
        let passed = now.since(std::mem::replace(&mut clump.since, *now));
        let mut at = clump.flows.first;
        while at != NONE {
            let flow = &mut flows[at as usize];
            flow.left = flow.left_after(passed).max(0.0);
            at = flow.next;
        }
        self.unschedule_clump(id);
    }

    /// Takes a solved clump apart: its flows are to be gathered anew, or shared incrementally if `hard`.
    pub(crate) fn dissolve(&mut self, id: u32, hard: bool) {
        self.take_progress(id);
        let mut at = self.clumps.all[id as usize].flows.first;
        while at != NONE {
            let flow = &mut self.flows[at as usize];
            (flow.home, flow.hard) = (Home::Nowhere, hard);
            self.clumps.fresh.push(FlowId { index: at, generation: flow.generation });
            at = flow.next;
        }
        self.vacate_clump(id);
    }

    /// Hands all flows of a clump over to incremental sharing.
    fn share_incrementally(&mut self, id: u32) {
        let mut at = self.clumps.all[id as usize].flows.first;
        self.vacate_clump(id);
        while at != NONE {
            let flow = &mut self.flows[at as usize];
            let next = flow.next;
            (flow.home, flow.free, flow.hard) = (Home::Nowhere, true, true);
            self.filling.newcomers.push((at, flow.sequence));
            self.open_books(at);
            self.enlist(at);
            at = next;
        }
    }

    /// Nobody is in it any more.
    pub(crate) fn vacate_clump(&mut self, id: u32) {
        let mut at = self.clumps.all[id as usize].resources.first;
        while at != NONE {
            let resource = &mut self.resources[at as usize];
            resource.clump = NONE;
            at = resource.next;
        }
        self.clumps.vacant.push(id);
    }
}

/// Is it worth to solve a clump of `size` flows anew when so many have come or gone?
pub(crate) fn is_worthwhile(size: u32, changed: u32) -> bool {
    size <= SMALL || size / WORTHWHILE <= changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    /// Every host of a torus sends to four neighbours, in an order that differs from round to round.
    #[test]
    fn clumps_are_used_again() {
        let mut sharing = Sharing::new();
        let links: Vec<_> = (0..128).map(|_| sharing.add_resource(1e6, Kind::Shared)).collect();
        let mut now = Time::ZERO;
        let mut done = Vec::new();
        for round in 0..40 {
            for nth in 0..256 {
                let (from, step) = ((nth / 4 * (2 * round + 1)) % 64, [1, 8, 63, 56][nth % 4]);
                let uses = [(links[from], 1.0), (links[64 + (from + step) % 64], 1.0)];
                sharing.start(now, 1e3, 1.0, 1e6, &uses, 0);
            }
            while let Some(date) = sharing.next_completion(now) {
                now = date;
                sharing.collect(now, &mut done);
            }
            assert_eq!(sharing.clumps.vacant.len(), sharing.clumps.all.len());
        }
        assert_eq!(done.len(), 40 * 256);
        assert!(sharing.clumps.all.len() <= 64, "{}", sharing.clumps.all.len());
    }
}
