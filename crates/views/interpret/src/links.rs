//! The use of links over time.
//!
//! There are no records of links. The bytes of a message move over the links of its route from its departure to its arrival, and
//! this module assumes a constant rate: each bin of time gets the part of the message that falls into it. The bytes of a link are exact,
//! and so are departure and arrival; changes of the rate in between are lost.
//!
//! All bins have the same width. It starts at a nanosecond and doubles, by merging neighbours, whenever a link, or all links together,
//! have too many bins. So memory is bounded, whatever the length of the run.

mod bins;

use std::sync::Arc;

use mpirage_platform::{Interface, LinkId, Platform};
use mpirage_record::{MessageRecord, Record, Recorder};
use mpirage_units::{Duration, Time};
use rustc_hash::FxHashMap;

use crate::RunInfo;
use bins::{Bins, Limits, Often};

/// Bins of one link.
const MOST_BINS: usize = 512;
/// Bins of all links: 16 MiB.
const MOST_IN_ALL: usize = 1 << 21;
/// A nanosecond.
const FIRST_WIDTH: u64 = 1_000;
/// Routes that are remembered.
const ROUTES: usize = 1 << 14;
/// The use of links over time.
#[derive(Clone)]
pub struct LinkUse {
    platform: Arc<Platform>,
    /// The position of each link in `used`.
    slots: FxHashMap<LinkId, u32>,
    /// Links that were used, and the number of messages that crossed each.
    used: Vec<LinkId>,
    crossed: Vec<u64>,
    bins: Bins,
    /// The end points of routes, by rank.
    ends: Vec<End>,
    /// From how many bytes on messages use all interfaces of a host.
    stripes: Option<u64>,
    routes: Vec<Route>,
    /// The links of routes that are too long for `routes`.
    long_routes: FxHashMap<(u32, u32), Box<[u32]>>,
    links: Vec<LinkId>,
}

/// A link that was used.
#[derive(Clone, Debug, PartialEq)]
pub struct Used {
    /// The link.
    pub link: LinkId,
    /// The number of the first bin; bin `n` begins at `n` times the width.
    pub first: u64,
    /// Bytes in each bin, from the first on.
    pub bytes: Vec<f64>,
    /// The number of messages that crossed it.
    pub messages: u64,
}

/// Equal transfers between two ranks, at equal intervals.
#[derive(Clone, Copy)]
pub struct Transfers {
    /// The sender.
    pub from: u32,
    /// The receiver.
    pub to: u32,
    /// The bytes of each.
    pub bytes: u64,
    /// The departure of the first.
    pub departed: Time,
    /// The arrival of the first.
    pub arrived: Time,
    /// The number of transfers.
    pub times: u32,
    /// The time from one to the next.
    pub period: Duration,
}

impl Transfers {
    /// Adds them to these links.
    #[inline(always)]
    fn over(&self, slots: &[u32], crossed: &mut [u64], bins: &mut Bins) {
        for &slot in slots {
            crossed[slot as usize] += u64::from(self.times);
        }
        let (departed, arrived) = (self.departed.as_picos(), self.arrived.as_picos());
        match self.times {
            1 => bins.add(slots, departed..arrived, self.bytes),
            times => {
                let (start, end, after) = (departed, arrived, self.period.as_picos());
                bins.add_often(slots, Often { start, end, bytes: self.bytes, times, after });
            }
        }
    }
}

/// The network interface of a rank; and if it is at a switch, the links to and from the switch, as positions in `used`.
#[derive(Clone, Copy)]
struct End {
    interface: Interface,
    switch: u32,
    up: u32,
    down: u32,
}

/// The link has not been used.
const UNKNOWN: u32 = u32::MAX;
/// The interface is at no switch; it is not known yet whether it is.
const NO_SWITCH: u32 = u32::MAX - 1;
const NOT_ASKED: u32 = u32::MAX;

impl End {
    fn unasked(interface: Interface) -> End {
        End { interface, switch: NOT_ASKED, up: UNKNOWN, down: UNKNOWN }
    }
}

/// Links of a route that fit into it.
const SHORT: usize = 5;

/// Links between two interfaces, by their numbers, as positions in `used`: half a cache line.
#[derive(Clone, Copy)]
struct Route {
    from: u32,
    to: u32,
    length: u32,
    /// The links, unless there are more than fit.
    slots: [u32; SHORT],
}

impl Route {
    const NONE: Route = Route { from: u32::MAX, to: u32::MAX, length: 0, slots: [0; SHORT] };
}

impl LinkUse {
    /// No link has been used.
    pub fn new(run: &RunInfo) -> LinkUse {
        LinkUse {
            platform: Arc::clone(&run.platform),
            slots: FxHashMap::default(),
            used: Vec::new(),
            crossed: Vec::new(),
            bins: Bins::new(Limits { per_link: MOST_BINS, total: MOST_IN_ALL }),
            ends: run.interfaces().into_iter().map(End::unasked).collect(),
            stripes: run.platform.interfaces().stripe_from,
            routes: Vec::new(),
            long_routes: FxHashMap::default(),
            links: Vec::new(),
        }
    }

    /// Limits the bins of each link. To be called before a link is used.
    pub fn coarse(mut self, most_bins: usize) -> LinkUse {
        self.bins = Bins::new(Limits { per_link: most_bins, total: MOST_IN_ALL });
        self
    }

    /// The width of a bin.
    pub fn width(&self) -> Duration {
        Duration::from_picos(self.bins.width())
    }

    /// The links that were used, sorted by number.
    pub fn used(&self) -> Vec<Used> {
        let used = self.bins.rows().into_iter().zip(&self.used).zip(&self.crossed);
        let mut used: Vec<Used> =
            used.map(|(((first, bytes), &link), &messages)| Used { link, first, bytes, messages }).collect();
        used.sort_unstable_by_key(|used| used.link);
        used
    }

    /// The numbers of the links that were used, sorted.
    pub fn which(&self) -> Vec<LinkId> {
        let mut which = self.used.clone();
        which.sort_unstable();
        which
    }

    /// Widens bins so that they reach `end`, before transfers up to then are added.
    pub fn reach(&mut self, end: Time) {
        self.bins.reach(end.as_picos());
    }

    /// Adds a delivered message.
    pub fn add(&mut self, message: &MessageRecord) {
        let &MessageRecord { from, to, bytes, departed, arrived, .. } = message;
        self.add_transfers(Transfers {
            from,
            to,
            bytes,
            departed,
            arrived,
            times: 1,
            period: Duration::ZERO,
        });
    }

    /// Adds transfers.
    #[inline]
    pub fn add_transfers(&mut self, transfers: Transfers) {
        if self.stripes.is_some_and(|least| transfers.bytes >= least) && self.add_stripes(transfers) {
            return;
        }
        // Links first: a new link may reduce the bins of all.
        match self.spokes(transfers.from, transfers.to) {
            Some(slots) => transfers.over(&slots, &mut self.crossed, &mut self.bins),
            None => self.add_far(transfers),
        }
    }

    /// Adds transfers that use all interfaces. False if they stay within a host.
    fn add_stripes(&mut self, transfers: Transfers) -> bool {
        let [from, to] = [transfers.from, transfers.to].map(|rank| self.ends[rank as usize].interface.host);
        let stripes = self.platform.interfaces().stripes(transfers.bytes).filter(|_| from != to);
        let Some(stripes) = stripes else { return false };
        for (nth, bytes) in (0..).zip(stripes) {
            let [from, to] = [from, to].map(|host| Interface { host, nth });
            self.add_between(from, to, Transfers { bytes, ..transfers });
        }
        true
    }

    fn add_far(&mut self, transfers: Transfers) {
        let [from, to] = [transfers.from, transfers.to].map(|rank| self.ends[rank as usize].interface);
        self.add_between(from, to, transfers);
    }

    fn add_between(&mut self, from: Interface, to: Interface, transfers: Transfers) {
        let Route { length, slots, .. } = self.route(from, to);
        let slots = match length as usize {
            length @ 0..=SHORT => &slots[..length],
            _ => self.long_routes.get(&self.numbers(from, to)).map_or(&[][..], |slots| slots),
        };
        transfers.over(slots, &mut self.crossed, &mut self.bins);
    }

    /// The links between two hosts at one switch: from the one, and to the other.
    #[inline]
    fn spokes(&mut self, from: u32, to: u32) -> Option<[u32; 2]> {
        let (here, there) = (&self.ends[from as usize], &self.ends[to as usize]);
        let (switch, host) = (here.switch, here.interface.host);
        // Only hosts at a switch have known links.
        if switch == there.switch
            && host != there.interface.host
            && here.up != UNKNOWN
            && there.down != UNKNOWN
        {
            return Some([here.up, there.down]);
        }
        let apart = switch != there.switch && switch != NOT_ASKED && there.switch != NOT_ASKED;
        if host == there.interface.host || apart || switch == NO_SWITCH {
            None
        } else {
            self.find_spokes(from, to)
        }
    }

    #[cold]
    fn find_spokes(&mut self, from: u32, to: u32) -> Option<[u32; 2]> {
        let spokes = [from, to].map(|rank| self.platform.switch_port(self.ends[rank as usize].interface));
        for (rank, spoke) in [from, to].into_iter().zip(spokes) {
            self.ends[rank as usize].switch = spoke.map_or(NO_SWITCH, |spoke| spoke.switch);
        }
        let [here, there] = [spokes[0]?, spokes[1]?];
        if here.switch != there.switch {
            return None;
        }
        let [up, down] = [here.up, there.down].map(|link| self.slot_of(link));
        self.ends[from as usize].up = up;
        self.ends[to as usize].down = down;
        Some([up, down])
    }

    fn numbers(&self, from: Interface, to: Interface) -> (u32, u32) {
        (self.platform.interfaces().number(from), self.platform.interfaces().number(to))
    }

    /// The route between two interfaces; most are remembered.
    #[inline]
    fn route(&mut self, from: Interface, to: Interface) -> Route {
        let numbers = self.numbers(from, to);
        let mixed = (u64::from(numbers.0) << 32 | u64::from(numbers.1)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let place = (mixed >> 40) as usize % ROUTES;
        match self.routes.get(place) {
            Some(&route) if (route.from, route.to) == numbers => route,
            _ => self.find_route(from, to, place),
        }
    }

    #[cold]
    fn find_route(&mut self, from: Interface, to: Interface, place: usize) -> Route {
        if self.routes.is_empty() {
            self.routes.resize(ROUTES, Route::NONE);
        }
        let mut links = std::mem::take(&mut self.links);
        self.platform.route(from, to, &mut links);
        let (length, mut short) = (links.len() as u32, [0; SHORT]);
        let all = links.iter().map(|&link| self.slot_of(link));
        if length as usize <= SHORT {
            short.iter_mut().zip(all).for_each(|(slot, found)| *slot = found);
        } else {
            let all = all.collect();
            let forgotten = self.routes[place];
            self.long_routes.remove(&(forgotten.from, forgotten.to));
            self.long_routes.insert(self.numbers(from, to), all);
        }
        self.links = links;
        let (from, to) = self.numbers(from, to);
        self.routes[place] = Route { from, to, length, slots: short };
        self.routes[place]
    }

    fn slot_of(&mut self, link: LinkId) -> u32 {
        *self.slots.entry(link).or_insert_with(|| {
            self.used.push(link);
            self.crossed.push(0);
            self.bins.add_link();
            self.used.len() as u32 - 1
        })
    }
}

impl Recorder for LinkUse {
    fn record(&mut self, record: &Record<'_>) {
        if let Record::Message(message) = record {
            self.add(message);
        }
    }
}

impl Used {
    /// All bytes that crossed the link, rounded to a whole number: so the order of messages does not matter.
    pub fn total(&self) -> f64 {
        self.bytes.iter().sum::<f64>().round()
    }

    /// Begin, end and bytes of each bin that is not empty, for bins of this width.
    pub fn intervals(&self, width: Duration) -> impl Iterator<Item = (Time, Time, f64)> + '_ {
        let width = width.as_picos();
        let bins = (self.first..).zip(&self.bytes).filter(|&(_, &bytes)| bytes > 0.0);
        bins.map(move |(bin, &bytes)| {
            (Time::from_picos(bin * width), Time::from_picos((bin + 1) * width), bytes)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{message, run_on};
    use mpirage_platform::HostId;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9 * b.abs()
    }

    #[test]
    fn bytes_are_spread_evenly_over_the_journey() {
        let run = run_on("cluster:4", 4);
        let mut links = LinkUse::new(&run);
        // From 0.5 to 2.5 ns: bins 0, 1 and 2 get a quarter, a half, a quarter.
        links.record(&Record::Message(message((0, 1), 400, (500, 2_500))));
        let used = links.used();
        let mut route = Vec::new();
        run.platform.route(run.placement[0], run.placement[1], &mut route);
        assert_eq!(used.len(), route.len());
        for link in &used {
            assert!(link.bytes.iter().zip([100.0, 200.0, 100.0]).all(|(&a, b)| near(a, b)), "{link:?}");
        }
        let intervals: Vec<_> = used[0].intervals(links.width()).collect();
        assert_eq!(intervals[2].0, Time::from_picos(2_000));
    }

    #[test]
    fn ranks_of_a_host_use_their_own_interfaces() {
        let mut run = run_on("cluster:2,interfaces=2", 4);
        run.placement = [0, 0, 1, 1].map(HostId).into();
        let mut links = LinkUse::new(&run);
        links.record(&Record::Message(message((0, 2), 100, (500, 2_500))));
        links.record(&Record::Message(message((1, 3), 7, (500, 2_500))));
        let totals: Vec<_> =
            links.used().iter().map(|used| (run.platform.link(used.link).name(), used.total())).collect();
        let expected = [
            ("cluster_link_0.0_UP", 100.0),
            ("cluster_link_0.1_UP", 7.0),
            ("cluster_link_1.0_DOWN", 100.0),
            ("cluster_link_1.1_DOWN", 7.0),
        ];
        assert_eq!(totals, expected.map(|(name, bytes)| (name.to_owned(), bytes)));
    }

    #[test]
    fn what_comes_often_is_what_comes_once_and_again() {
        let run = run_on("cluster:4", 4);
        let time = Time::from_picos;
        for (took, times, period) in
            [(5, 1_000, 7), (5_000, 300, 900), (90_000, 50, 100_000), (0, 40, 3), (70, 9, 0)]
        {
            let [mut often, mut once] =
                [LinkUse::new(&run), LinkUse::new(&run)].map(|links| links.coarse(64));
            let (departed, arrived) = (time(1_234), time(1_234 + took));
            let period = Duration::from_picos(period);
            often.add_transfers(Transfers { from: 1, to: 2, bytes: 1_000, departed, arrived, times, period });
            for at in 0..times {
                let later = 1_234 + u64::from(at) * period.as_picos();
                once.add(&message((1, 2), 1_000, (later, later + took)));
            }
            assert_eq!(often.width(), once.width());
            for (often, once) in often.used().iter().zip(once.used()) {
                assert_eq!((often.link, often.first, often.messages), (once.link, once.first, once.messages));
                assert!(
                    often.bytes.iter().zip(&once.bytes).all(|(&a, &b)| (a - b).abs() <= 1e-3),
                    "{took}, {period:?}"
                );
                assert_eq!(often.total(), once.total());
            }
        }
    }

    #[test]
    fn nothing_is_lost_when_bins_widen() {
        let run = run_on("cluster:4", 4);
        let mut links = LinkUse::new(&run);
        links.bins = Bins::new(Limits { per_link: MOST_BINS, total: 100 });
        let mut sent = [0u64; 4];
        for i in 0..5_000u64 {
            let (from, bytes) = ((i % 4) as u32, 1 + i % 17);
            // Now and then a much earlier message.
            let start = if i % 10 == 0 { i / 2 } else { i } * i * 13;
            links.record(&Record::Message(message((from, (from + 1) % 4), bytes, (start, start + i * 700))));
            sent[from as usize] += bytes;
        }
        assert!(links.used().iter().map(|used| used.bytes.len()).sum::<usize>() <= 100);
        let all: f64 = links.used().iter().map(|used| used.total()).sum();
        let hops = |from: u32| {
            let mut route = Vec::new();
            run.platform.route(
                run.placement[from as usize],
                run.placement[(from as usize + 1) % 4],
                &mut route,
            );
            route.len() as f64
        };
        let expected: f64 = (0..4).map(|from| sent[from as usize] as f64 * hops(from)).sum();
        assert!(near(all, expected), "{all} instead of {expected}");
        assert_eq!(links.used().iter().map(|used| used.messages).sum::<u64>() % 5_000, 0);
    }

    #[test]
    fn long_transfers_are_spread_evenly() {
        let run = run_on("cluster:4", 4);
        let mut links = LinkUse::new(&run);
        // From 0.5 to 400.5 ns, twice; one of them again after all bins have become wider.
        let long = || Record::Message(message((0, 1), 4_000_000, (500, 400_500)));
        links.record(&long());
        links.record(&long());
        let used = links.used();
        let expected = |bin| if bin == 0 || bin == 400 { 1e4 } else { 2e4 };
        for link in &used {
            assert_eq!((link.first, link.bytes.len()), (0, 401));
            let even = link.bytes.iter().enumerate().all(|(bin, &bytes)| (bytes - expected(bin)).abs() < 0.1);
            assert!(even, "{link:?}");
            assert!(near(link.total(), 8e6));
        }
        links.record(&Record::Message(message((0, 1), 7, (900_000, 900_001))));
        links.record(&long());
        for link in links.used() {
            assert!(near(link.total(), 12e6 + 7.0), "{link:?}");
            assert!((link.bytes[50] - 6e4).abs() < 0.2, "{link:?}");
            assert!(link.bytes[201..link.bytes.len() - 1].iter().all(|&bytes| bytes == 0.0), "{link:?}");
        }
    }

    #[test]
    fn nothing_is_lost_when_links_come_late() {
        for platform in ["cluster:64", "torus:4x4x4"] {
            let run = run_on(platform, 64);
            let mut links = LinkUse::new(&run);
            links.bins = Bins::new(Limits { per_link: MOST_BINS, total: 300 });
            let (mut crossed, mut route) = (0, Vec::new());
            for host in 0..63u32 {
                let start = u64::from(host) * 100_000;
                links.record(&Record::Message(message((host, host + 1), 1_000, (start, start + 90_000))));
                let hosts = [host, host + 1].map(|rank| run.placement[rank as usize]);
                run.platform.route(hosts[0], hosts[1], &mut route);
                crossed += route.len();
            }
            let used = links.used();
            assert!(used.iter().map(|used| used.bytes.len()).sum::<usize>() <= 300);
            let all: f64 = used.iter().map(|used| used.total()).sum();
            assert!(near(all, 1_000.0 * crossed as f64), "{platform}: {all}, {crossed} links");
            assert_eq!(used.iter().map(|used| used.messages).sum::<u64>(), crossed as u64);
        }
    }

    #[test]
    fn bins_are_bounded_for_each_link() {
        let run = run_on("cluster:2", 2);
        let mut links = LinkUse::new(&run);
        for second in 1..1_000u64 {
            let start = second * 1_000_000_000_000;
            links.record(&Record::Message(message((0, 1), 8, (start, start + 5))));
        }
        assert!(links.used().iter().all(|used| used.bytes.len() <= MOST_BINS));
        assert_eq!(size_of::<Route>(), 32);
        assert!(links.used().iter().all(|used| near(used.total(), 999.0 * 8.0)));
    }
}
