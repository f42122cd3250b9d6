//! Paths through the network: which ports a frame passes, and which of several paths a connection takes.

use std::ops::Range;
use std::sync::Arc;

use mpirage_platform::{Interface, LinkId, Platform};
use mpirage_units::scramble;
use rustc_hash::FxHashMap;

use crate::ids::{PathId, PortId};

/// How switches choose among the routes that the platform offers between two hosts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Routing {
    /// The platform's first route.
    #[default]
    Static,
    /// One of this many routes at the most, by a hash of the connection (equal-cost multipath). Frames of a connection stay
    /// in order.
    Ecmp(u32),
    /// For each frame the one of this many routes at the most whose first queues are shortest, weighted by its length. Frames may
    /// overtake each other, so the endpoint has to put them in order. On lossy links each connection keeps one of them.
    Adaptive(u32),
}

/// Paths between two hosts that frames may choose from: they have neighbouring numbers.
#[derive(Clone, Copy, Debug)]
pub struct PathSet {
    first: PathId,
    count: u32,
}

impl PathSet {
    /// The path with that number, counted round.
    fn get(self, number: u64) -> PathId {
        PathId(self.first.0 + (number % u64::from(self.count)) as u32)
    }

    /// All of them, from `path` on and round.
    pub(crate) fn starting_from(self, path: PathId) -> impl Iterator<Item = PathId> + use<> {
        let start = u64::from(path.0 - self.first.0);
        (0..u64::from(self.count)).map(move |number| self.get(start + number))
    }
}

/// All paths that are in use.
#[derive(Debug)]
pub struct Paths {
    platform: Arc<Platform>,
    routing: Routing,
    /// By hosts and the first of the platform's choices.
    by_ends: FxHashMap<(Interface, Interface, u32), PathSet>,
    /// Where the ports of each path begin in `ports`; they end where those of the next begin.
    starts: Vec<u32>,
    ports: Vec<PortId>,
    /// The set that each path belongs to.
    sets: Vec<PathSet>,
    /// Reused.
    route: Vec<LinkId>,
}

impl Paths {
    pub(crate) fn new(platform: Arc<Platform>, routing: Routing) -> Paths {
        Paths {
            platform,
            routing,
            by_ends: FxHashMap::default(),
            starts: vec![0],
            ports: Vec::new(),
            sets: Vec::new(),
            route: Vec::new(),
        }
    }

    /// The path of a connection from one interface to another; `salt` tells connections apart. `port` gives the port of a link; it
    /// is asked once for each link of a new path, in order, and also told the port before it on the path.
    pub(crate) fn between(
        &mut self,
        (from, to): (Interface, Interface),
        salt: u64,
        mut port: impl FnMut(&Platform, LinkId, Option<PortId>) -> PortId,
    ) -> PathId {
        let number = scramble(salt);
        let (choices, count) = self.choices(from, to, number);
        if let Some(known) = self.by_ends.get(&(from, to, choices.start)) {
            return known.get(number);
        }
        let set = PathSet { first: PathId(self.starts.len() as u32 - 1), count };
        self.by_ends.insert((from, to, choices.start), set);
        for choice in choices {
            self.platform.links_by_choice(from, to, choice, &mut self.route);
            let mut before = None;
            for &link in &self.route {
                let next = port(&self.platform, link, before);
                self.ports.push(next);
                before = Some(next);
            }
            self.starts.push(self.ports.len() as u32);
            self.sets.push(set);
        }
        set.get(number)
    }

    /// The platform's choices that a connection of that random number may use, and how many there are.
    fn choices(&self, from: Interface, to: Interface, number: u64) -> (Range<u32>, u32) {
        let all = |most: u32| self.platform.route_choices(from, to).min(most).max(1);
        match self.routing {
            Routing::Static => (0..1, 1),
            Routing::Ecmp(most) => {
                let choice = (number % u64::from(all(most))) as u32;
                (choice..choice + 1, 1)
            }
            Routing::Adaptive(most) => (0..all(most), all(most)),
        }
    }

    /// The links of a path, by their places in a list of all.
    pub(crate) fn places(&self, path: PathId) -> Range<usize> {
        let path = path.0 as usize;
        self.starts[path] as usize..self.starts[path + 1] as usize
    }

    /// The port at a place.
    pub(crate) fn port(&self, place: usize) -> PortId {
        self.ports[place]
    }

    /// The ports of a path, in order.
    pub(crate) fn ports_of(&self, path: PathId) -> &[PortId] {
        &self.ports[self.places(path)]
    }

    /// The path, and all alternatives that its frames may take.
    pub(crate) fn all_like(&self, path: PathId) -> impl Iterator<Item = PathId> + use<> {
        self.sets[path.0 as usize].starting_from(path)
    }

    /// The paths that a frame of that path may take instead, and that one; none where there is one only.
    pub(crate) fn alternatives(&self, path: PathId) -> Option<PathSet> {
        let set = self.sets[path.0 as usize];
        (set.count > 1).then_some(set)
    }
}
