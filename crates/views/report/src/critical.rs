//! The composition of the critical path, and how much shorter the run could be without each part of it.

use std::collections::BTreeMap;
use std::hash::Hash;

use mpirage_call::varint;
use mpirage_interpret::RunInfo;
use mpirage_platform::LinkId;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use crate::calls::NO_FUNCTION;
use crate::container::Container;
use crate::log::Period;
use crate::network::Network;
use crate::path::{PathConsumer, Segment, SegmentKind, join_neighbours};
use crate::time::seconds;

/// Segments that the page gets, at most.
const MAX_SEGMENTS: usize = 20_000;
/// Functions, ranks and possible gains that are listed.
const LISTED: usize = 32;

/// The critical path, which is consumed backwards: sums over its segments, and the segments to show.
pub(crate) struct Critical {
    /// Segments at most; an even number.
    limit: usize,
    sums: Sums,
    /// The last segment: those before it may join it.
    last: Option<Segment>,
    /// All others, backwards. Each stands for `joined` segments, the last one for `filled`.
    shown: Vec<Segment>,
    joined: usize,
    filled: usize,
}

/// Sums over the path, in picoseconds.
#[derive(Default)]
struct Sums {
    kinds: [u64; SegmentKind::ALL.len()],
    /// By index in the table of functions.
    functions: Vec<u64>,
    ranks: Tally<u32>,
    /// Transfers, by sender and receiver.
    pairs: Tally<(u32, u32)>,
}

/// Sums by key. The sums of the last two keys are kept apart, because paths stay in one place for a while.
struct Tally<K> {
    sums: FxHashMap<K, u64>,
    recent: [Option<(K, u64)>; 2],
}

impl<K> Default for Tally<K> {
    fn default() -> Tally<K> {
        Tally { sums: FxHashMap::default(), recent: [None, None] }
    }
}

impl<K: Copy + Eq + Hash> Tally<K> {
    #[inline]
    fn add(&mut self, key: K, value: u64) {
        for (known, sum) in self.recent.iter_mut().flatten() {
            if *known == key {
                *sum += value;
                return;
            }
        }
        self.recent.swap(0, 1);
        self.settle_first();
        self.recent[0] = Some((key, value));
    }

    fn settle_first(&mut self) {
        if let Some((key, sum)) = self.recent[0].take() {
            *self.sums.entry(key).or_default() += sum;
        }
    }

    /// All sums.
    fn finish(mut self) -> FxHashMap<K, u64> {
        self.settle_first();
        self.recent.swap(0, 1);
        self.settle_first();
        self.sums
    }
}

impl Critical {
    pub fn new() -> Critical {
        Critical::with_limit(MAX_SEGMENTS)
    }

    fn with_limit(limit: usize) -> Critical {
        Critical { limit, sums: Sums::default(), last: None, shown: Vec::new(), joined: 1, filled: 1 }
    }

    /// Adds a segment before all others, but not to the sums.
    #[inline]
    fn prepend(&mut self, segment: Segment) {
        match &mut self.last {
            Some(after) if segment.joins(after) => after.start = segment.start,
            last => {
                if let Some(after) = last.replace(segment) {
                    self.show(after);
                }
            }
        }
    }

    /// Adds iterations of a cycle, each so many of them as one segment: more than the limit would be joined anyway.
    fn prepend_cycle(&mut self, all: Segment, times: u64, period: u64, at_once: u64) {
        if let Some(after) = self.last.take() {
            self.show(after);
        }
        let mut done = 0;
        while done < times {
            let iterations = at_once.min(times - done);
            let first = all.earlier_by((done + iterations) * period);
            let last = all.earlier_by((done + 1) * period);
            self.show(Segment { start: first.start, ..last });
            done += iterations;
        }
    }

    /// Keeps a segment. If there are too many, neighbours are joined.
    #[inline]
    fn show(&mut self, segment: Segment) {
        if self.filled < self.joined
            && let Some(after) = self.shown.last_mut()
        {
            *after = segment.joined(*after);
            self.filled += 1;
            return;
        }
        if self.shown.len() == self.limit {
            join_neighbours(&mut self.shown);
            self.joined *= 2;
        }
        self.shown.push(segment);
        self.filled = 1;
    }

    /// The segments of the path, from its beginning.
    fn shown(&mut self) -> Vec<Segment> {
        if let Some(first) = self.last.take() {
            self.show(first);
        }
        let mut shown = std::mem::take(&mut self.shown);
        shown.reverse();
        shown
    }
}

impl PathConsumer for Critical {
    fn segment(&mut self, segment: Segment) {
        self.sums.add(&segment, 1);
        self.prepend(segment);
    }

    fn repeat(&mut self, segments: &[Segment], times: u64, Period(period): Period) {
        for segment in segments {
            self.sums.add(segment, times);
        }
        let at_once = times / (self.limit as u64 / 2);
        match segments.iter().copied().reduce(|after, segment| segment.joined(after)) {
            Some(all) if at_once > 1 => self.prepend_cycle(all, times, period, at_once),
            _ => {
                for iteration in 1..=times {
                    let earlier = |segment: &Segment| segment.earlier_by(iteration * period);
                    segments.iter().for_each(|segment| self.prepend(earlier(segment)));
                }
            }
        }
    }
}

/// Adds the critical path to the data of the page. `without_network` is what an ideal network gains, if that is known; `function` gives
/// the page's number of a function, and its name.
pub(crate) fn write(
    mut path: Critical,
    run: &RunInfo,
    network: &Network<'_>,
    without_network: Option<u64>,
    function: impl Fn(u16) -> Option<(u16, &'static str)>,
    out: &mut Container,
) {
    let shown = path.shown();
    let Sums { kinds, functions, ranks, pairs } = path.sums;
    let name = |of: u16| function(of).map_or("MPI", |(_, name)| name);
    let length: u64 = kinds.iter().sum();
    let by_kind: serde_json::Map<String, Value> = SegmentKind::ALL
        .iter()
        .zip(kinds)
        .map(|(kind, time)| (kind.name().to_owned(), seconds(time).into()))
        .collect();
    let functions = (0..).zip(functions).filter(|&(_, time)| time > 0);
    let functions = longest(functions.map(|(of, time)| (name(of), time)));
    let ranks: BTreeMap<u32, u64> = ranks.finish().into_iter().collect();
    let ranks = longest(ranks.into_iter());
    let classes = longest(classes(&pairs.finish(), run, network).into_iter());
    out.put("critical", json!({
        "seconds": seconds(length),
        "kinds": SegmentKind::ALL.map(SegmentKind::name),
        "by_kind": by_kind,
        "by_function": listed("name", &functions),
        "by_rank": listed("rank", &ranks),
        "by_link_class": listed("name", &classes),
        "gain_if_free": gains(&kinds, without_network, &functions, &ranks, &classes),
        "gain_note": "at most so much, for other paths may then be the longest; all transfers: as the run on an ideal network says, if there was one",
    }));
    out.section("critical_rank", shown.iter().map(|part| part.rank));
    out.numbers::<u8>("critical_times", times(&shown));
    out.section("critical_kind", shown.iter().map(|part| part.kind as u8));
    let index = |of: u16| function(of).map_or(NO_FUNCTION, |(index, _)| index);
    out.section("critical_function", shown.iter().map(|part| index(part.function)));
}

/// For each segment, the time from the end of the one before to its start, and its duration, in picoseconds.
fn times(path: &[Segment]) -> Vec<u8> {
    let (mut out, mut last) = (Vec::with_capacity(4 * path.len()), 0);
    for part in path {
        varint::put(varint::zigzag(part.start as i64 - last as i64), &mut out);
        varint::put(part.end - part.start, &mut out);
        last = part.end;
    }
    out
}

impl Sums {
    #[inline]
    fn add(&mut self, part: &Segment, times: u64) {
        let time = (part.end - part.start) * times;
        self.kinds[part.kind as usize] += time;
        if part.function != NO_FUNCTION {
            let at = usize::from(part.function);
            if at >= self.functions.len() {
                self.functions.resize(at + 1, 0);
            }
            self.functions[at] += time;
        }
        match part.kind {
            SegmentKind::Transfer => self.pairs.add((part.peer, part.rank), time),
            _ => self.ranks.add(part.rank, time),
        }
    }
}

/// The time of transfers, by the class of the slowest link of their routes.
fn classes<'a>(
    pairs: &FxHashMap<(u32, u32), u64>,
    run: &RunInfo,
    network: &'a Network<'_>,
) -> BTreeMap<&'a str, u64> {
    let mut links: Vec<LinkId> = Vec::new();
    let mut classes = BTreeMap::new();
    let interfaces = run.interfaces();
    for (&(from, to), time) in pairs {
        run.platform.links_between(interfaces[from as usize], interfaces[to as usize], &mut links);
        *classes.entry(network.bottleneck(&links).unwrap_or("memory of one host")).or_default() += time;
    }
    classes
}

/// The longest first.
fn longest<T>(items: impl Iterator<Item = (T, u64)>) -> Vec<(T, u64)> {
    let mut items: Vec<(T, u64)> = items.collect();
    items.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
    items.truncate(LISTED);
    items
}

fn listed<T: serde::Serialize>(what: &str, items: &[(T, u64)]) -> Vec<Value> {
    items.iter().map(|(item, time)| json!({what: item, "seconds": seconds(*time)})).collect()
}

/// Parts of the path and the time that the run would save without each, the longest first.
fn gains(
    kinds: &[u64],
    without_network: Option<u64>,
    functions: &[(&str, u64)],
    ranks: &[(u32, u64)],
    classes: &[(&str, u64)],
) -> Vec<Value> {
    let of = |kind: SegmentKind| kinds[kind as usize];
    let mut gains = vec![
        ("all computation".to_owned(), of(SegmentKind::Compute)),
        ("all transfers".to_owned(), without_network.unwrap_or(of(SegmentKind::Transfer))),
    ];
    gains.extend(functions.iter().map(|(name, time)| ((*name).to_owned(), *time)));
    gains.extend(classes.iter().map(|(name, time)| (format!("links: {name}"), *time)));
    gains.extend(ranks.iter().take(3).map(|(rank, time)| (format!("what rank {rank} does itself"), *time)));
    let gains = longest(gains.into_iter().filter(|(_, time)| *time > 0));
    gains.into_iter().map(|(what, time)| json!({"what": what, "seconds": seconds(time)})).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(rank: u32, kind: SegmentKind, start: u64, end: u64) -> Segment {
        Segment { rank, peer: rank, start, end, kind, function: NO_FUNCTION }
    }

    /// A path of so many parts, of any length, and now and then alike.
    fn path(length: u64) -> Vec<Segment> {
        let mut start = 0;
        let parts = (0..length).map(|at| {
            let (took, number) = (1 + at * at % 13, (at * at * 7 % 11) as u32);
            let kind = if number % 3 == 0 { SegmentKind::Compute } else { SegmentKind::Transfer };
            start += took;
            part(number / 4, kind, start - took, start)
        });
        parts.collect()
    }

    #[test]
    fn neighbours_become_one() {
        for (length, most) in [(0, 4), (1, 4), (2, 4), (1_000, 2_000), (1_000, 100), (999, 6), (500, 2)] {
            let (path, mut critical) = (path(length), Critical::with_limit(most));
            for &part in path.iter().rev() {
                critical.segment(part);
                assert!(critical.shown.len() <= most, "{length}, {most}");
            }
            let parts = path.windows(2).filter(|pair| !pair[0].joins(&pair[1])).count() + path.len().min(1);
            let shown = critical.shown();
            assert!(shown.len() <= most && (parts > most || shown.len() == parts), "{length}, {most}");
            assert!(shown.windows(2).all(|pair| pair[0].end == pair[1].start));
            assert_eq!(shown.first().map(|part| part.start), path.first().map(|part| part.start));
            assert_eq!(shown.last().map(|part| part.end), path.last().map(|part| part.end));
            let all: u64 = path.iter().map(|part| part.end - part.start).sum();
            assert_eq!(critical.sums.kinds.iter().sum::<u64>(), all);
        }
    }

    #[test]
    fn laps_are_shown_as_far_as_there_is_room() {
        let lap = [
            part(1, SegmentKind::Transfer, 900_070, 900_100),
            part(0, SegmentKind::Compute, 900_000, 900_070),
        ];
        for (times, most) in [(7, 100), (40, 100), (9_000, 100), (9_000, 6)] {
            let mut critical = Critical::with_limit(most);
            lap.into_iter().for_each(|part| critical.segment(part));
            critical.repeat(&lap, times, Period(100));
            let shown = critical.shown();
            assert!(
                shown.len() <= most && (shown.len() >= most / 4 || shown.len() == 2 * (times as usize + 1))
            );
            assert_eq!((shown[0].start, shown[shown.len() - 1].end), (900_000 - 100 * times, 900_100));
            assert!(shown.windows(2).all(|pair| pair[0].end == pair[1].start), "{times}, {most}");
            assert_eq!(critical.sums.kinds[SegmentKind::Transfer as usize], 30 * (times + 1));
        }
    }

    #[test]
    fn sums_are_of_all() {
        let mut critical = Critical::new();
        path(1_000).into_iter().rev().for_each(|part| critical.segment(part));
        let mut expected = FxHashMap::default();
        for part in path(1_000).iter().filter(|part| part.kind == SegmentKind::Transfer) {
            *expected.entry((part.peer, part.rank)).or_insert(0) += part.end - part.start;
        }
        assert_eq!(critical.sums.pairs.finish(), expected);
    }
}
