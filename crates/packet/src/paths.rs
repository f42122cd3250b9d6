//! Paths through the network: which ports a frame passes, and which of several paths a connection takes.

use std::sync::Arc;

use mpirage_platform::{HostId, LinkId, Platform};
use rustc_hash::FxHashMap;

use crate::ids::{PathId, PortId};
use crate::random::mix;

/// How switches choose among the routes that the platform offers between two hosts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Routing {
    /// The platform's first route.
    #[default]
    Static,
    /// One of this many routes at the most, by a hash of the connection (equal-cost multipath). Frames of a connection stay
    /// in order.
    Ecmp(u32),
    /// For each frame the one of this many routes at the most whose first queues are shortest. Frames may overtake each other, so
    /// the endpoint has to put them in order. The lossy layer takes it as [`Routing::Ecmp`].
    Adaptive(u32),
}

impl Routing {
    /// The most routes per pair of hosts.
    fn most(self) -> u32 {
        match self {
            Routing::Static => 1,
            Routing::Ecmp(most) | Routing::Adaptive(most) => most.max(1),
        }
    }
}

/// The paths between two hosts: they have neighbouring numbers.
#[derive(Clone, Copy, Debug)]
pub struct PathSet {
    first: PathId,
    count: u32,
}

impl PathSet {
    /// The path with that number, counted round.
    pub(crate) fn get(self, number: u64) -> PathId {
        PathId(self.first.0 + (number % u64::from(self.count)) as u32)
    }

    /// All of them, from `path` on and round.
    pub(crate) fn starting_from(self, path: PathId) -> impl Iterator<Item = PathId> {
        let start = u64::from(path.0 - self.first.0);
        (0..u64::from(self.count)).map(move |number| self.get(start + number))
    }
}

/// All paths that are in use.
#[derive(Debug)]
pub struct Paths {
    platform: Arc<Platform>,
    routing: Routing,
    by_hosts: FxHashMap<(HostId, HostId), PathSet>,
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
            by_hosts: FxHashMap::default(),
            starts: vec![0],
            ports: Vec::new(),
            sets: Vec::new(),
            route: Vec::new(),
        }
    }

    /// The paths from one host to another. `port` gives the port of a link; it is asked once for each link of a new path, in
    /// order, and also told the port before it on the path.
    pub(crate) fn between(
        &mut self,
        from: HostId,
        to: HostId,
        mut port: impl FnMut(&Platform, LinkId, Option<PortId>) -> PortId,
    ) -> PathSet {
        if let Some(&known) = self.by_hosts.get(&(from, to)) {
            return known;
        }
        let count = self.platform.route_choices(from, to).min(self.routing.most());
        let set = PathSet { first: PathId(self.starts.len() as u32 - 1), count };
        for number in 0..count {
            self.platform.links_by_choice(from, to, number, &mut self.route);
            let mut before = None;
            for &link in &self.route {
                let next = port(&self.platform, link, before);
                self.ports.push(next);
                before = Some(next);
            }
            self.starts.push(self.ports.len() as u32);
            self.sets.push(set);
        }
        self.by_hosts.insert((from, to), set);
        set
    }

    /// The path of a connection among those between its hosts.
    pub(crate) fn choose(&self, set: PathSet, salt: u64) -> PathId {
        match self.routing {
            Routing::Static => set.first,
            Routing::Ecmp(_) | Routing::Adaptive(_) => set.get(mix(salt)),
        }
    }

    /// The links of a path, by their places in a list of all.
    pub(crate) fn places(&self, path: PathId) -> std::ops::Range<usize> {
        let path = path.0 as usize;
        self.starts[path] as usize..self.starts[path + 1] as usize
    }

    /// The port at a place.
    pub(crate) fn port(&self, place: usize) -> PortId {
        self.ports[place]
    }

    /// The paths that a frame of that path may take instead, and that one; none where each connection has its own.
    pub(crate) fn alternatives(&self, path: PathId) -> Option<PathSet> {
        let set = self.sets[path.0 as usize];
        (matches!(self.routing, Routing::Adaptive(_)) && set.count > 1).then_some(set)
    }
}
