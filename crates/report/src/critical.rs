//! What lies on the critical path, and what would be gained without it.

use std::collections::BTreeMap;

use mpirage_call::varint;
use mpirage_platform::LinkId;
use mpirage_timeline::RunInfo;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use crate::container::Container;
use crate::network::Network;
use crate::path::{Backwards, Kind, NO_FUNCTION, Segment};

/// Segments that the page gets, at most.
const MOST: usize = 20_000;
/// Functions, ranks and possible gains that are listed.
const LISTED: usize = 32;

/// Sums over the path, in picoseconds.
#[derive(Default)]
struct Sums {
    kinds: [u64; Kind::ALL.len()],
    /// By number.
    functions: Vec<u64>,
    ranks: FxHashMap<u32, u64>,
    /// Transfers, by sender and receiver.
    pairs: FxHashMap<(u32, u32), u64>,
    /// Parts, if those that are alike are one.
    parts: usize,
}

/// Adds the critical path to the data. `without_network`: what an ideal network gains, if that has been tried; `function` gives name and index by which the page knows a function.
pub(crate) fn write(
    path: Backwards<'_>,
    run: &RunInfo,
    network: &Network<'_>,
    without_network: Option<u64>,
    function: impl Fn(u16) -> Option<(u16, &'static str)>,
    out: &mut Container,
) {
    let sums = Sums::of(path.clone());
    let name = |of: u16| function(of).map_or("MPI", |(_, name)| name);
    let length: u64 = sums.kinds.iter().sum();
    let kinds = Kind::ALL.iter().zip(sums.kinds);
    let by_kind: serde_json::Map<String, Value> =
        kinds.map(|(kind, time)| (kind.name().to_owned(), crate::seconds(time).into())).collect();
    let functions = (0..).zip(&sums.functions).filter(|&(_, &time)| time > 0);
    let functions = longest(functions.map(|(of, &time)| (name(of), time)));
    let ranks: BTreeMap<u32, u64> = sums.ranks.iter().map(|(&rank, &time)| (rank, time)).collect();
    let ranks = longest(ranks.into_iter());
    let classes = longest(classes(&sums, run, network).into_iter());
    out.put("critical", json!({
        "seconds": crate::seconds(length),
        "kinds": Kind::ALL.map(Kind::name),
        "by_kind": by_kind,
        "by_function": listed("name", &functions),
        "by_rank": listed("rank", &ranks),
        "by_link_class": listed("name", &classes),
        "gain_if_free": gains(&sums, without_network, &functions, &ranks, &classes),
        "gain_note": "at most so much, for other paths may then be the longest; all transfers: as the run on an ideal network says, if there was one",
    }));
    let shown = bounded(path, sums.parts, MOST);
    out.section("critical_rank", shown.iter().map(|part| part.rank));
    out.bytes("critical_times", times(&shown));
    out.section("critical_kind", shown.iter().map(|part| part.kind as u8));
    let index = |of: u16| function(of).map_or(NO_FUNCTION, |(index, _)| index);
    out.section("critical_function", shown.iter().map(|part| index(part.function)));
}

/// For each part, how long after the end of the one before it begins, and how long it lasts, in picoseconds.
fn times(path: &[Segment]) -> Vec<u8> {
    let (mut out, mut last) = (Vec::with_capacity(4 * path.len()), 0);
    for part in path {
        varint::put(varint::folded(part.start as i64 - last as i64), &mut out);
        varint::put(part.end - part.start, &mut out);
        last = part.end;
    }
    out
}

impl Sums {
    fn of(path: Backwards<'_>) -> Sums {
        let mut sums = Sums::default();
        let mut parts = 0;
        merge(path.inspect(|part| sums.add(part)), |_| parts += 1);
        Sums { parts, ..sums }
    }

    fn add(&mut self, part: &Segment) {
        let time = part.end - part.start;
        self.kinds[part.kind as usize] += time;
        if part.function != NO_FUNCTION {
            let at = usize::from(part.function);
            if at >= self.functions.len() {
                self.functions.resize(at + 1, 0);
            }
            self.functions[at] += time;
        }
        match part.kind {
            Kind::Transfer => *self.pairs.entry((part.peer, part.rank)).or_default() += time,
            _ => *self.ranks.entry(part.rank).or_default() += time,
        }
    }
}

/// Transfers by the class of the slowest link on their way.
fn classes<'a>(sums: &Sums, run: &RunInfo, network: &'a Network<'_>) -> BTreeMap<&'a str, u64> {
    let mut links: Vec<LinkId> = Vec::new();
    let mut classes = BTreeMap::new();
    for (&(from, to), time) in &sums.pairs {
        let host = |rank: u32| run.placement[rank as usize];
        run.platform.links_between(host(from), host(to), &mut links);
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
    items.iter().map(|(item, time)| json!({what: item, "seconds": crate::seconds(*time)})).collect()
}

/// Each of what lies on the path, and how long it does.
fn gains(
    sums: &Sums,
    without_network: Option<u64>,
    functions: &[(&str, u64)],
    ranks: &[(u32, u64)],
    classes: &[(&str, u64)],
) -> Vec<Value> {
    let of = |kind: Kind| sums.kinds[kind as usize];
    let mut gains = vec![
        ("all computation".to_owned(), of(Kind::Compute)),
        ("all transfers".to_owned(), without_network.unwrap_or(of(Kind::Transfer))),
    ];
    gains.extend(functions.iter().map(|(name, time)| ((*name).to_owned(), *time)));
    gains.extend(classes.iter().map(|(name, time)| (format!("links: {name}"), *time)));
    gains.extend(ranks.iter().take(3).map(|(rank, time)| (format!("what rank {rank} does itself"), *time)));
    let gains = longest(gains.into_iter().filter(|(_, time)| *time > 0));
    gains.into_iter().map(|(what, time)| json!({"what": what, "seconds": crate::seconds(time)})).collect()
}

/// At most so many segments of a path that is told backwards and has so many `parts`: neighbours that are alike become one,
/// then two, four and so on, counted from the beginning.
fn bounded(path: impl Iterator<Item = Segment>, parts: usize, most: usize) -> Vec<Segment> {
    let mut halvings = 0;
    while parts.div_ceil(1 << halvings) > most {
        halvings += 1;
    }
    let mut shown: Vec<Segment> = Vec::with_capacity(parts.div_ceil(1 << halvings) + halvings);
    let mut at = parts;
    merge(path, |part| {
        at -= 1;
        shown.push(part);
        join(&mut shown, at, parts, halvings);
    });
    shown.reverse();
    shown
}

/// Gives the parts of a path that is told backwards, neighbours that are alike as one.
fn merge(path: impl Iterator<Item = Segment>, mut give: impl FnMut(Segment)) {
    let mut held: Option<Segment> = None;
    for part in path {
        match &mut held {
            Some(after) if alike(&part, after) => after.start = part.start,
            _ => {
                if let Some(after) = held.replace(part) {
                    give(after);
                }
            }
        }
    }
    if let Some(first) = held {
        give(first);
    }
}

/// Joins the part that was just told, number `at` of `parts`, with its neighbour, if it is the first of two; then, as often
/// as there are halvings, what came of that with its own.
#[inline]
fn join(told: &mut Vec<Segment>, mut at: usize, mut parts: usize, halvings: usize) {
    for _ in 0..halvings {
        if at % 2 == 1 {
            return;
        }
        // The very last may have no neighbour.
        if at + 1 < parts
            && let Some(first) = told.pop()
            && let Some(second) = told.last_mut()
        {
            *second = joined(first, *second);
        }
        (at, parts) = (at / 2, parts.div_ceil(2));
    }
}

fn alike(a: &Segment, b: &Segment) -> bool {
    a.rank == b.rank && a.kind == b.kind && a.function == b.function && a.end == b.start
}

fn joined(a: Segment, b: Segment) -> Segment {
    let longer = if a.end - a.start > b.end - b.start { a } else { b };
    Segment { start: a.start, end: b.end, ..longer }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(rank: u32, kind: Kind, start: u64, end: u64) -> Segment {
        Segment { rank, peer: rank, start, end, kind, function: NO_FUNCTION }
    }

    #[test]
    fn neighbours_become_one() {
        let path: Vec<_> = (0..10)
            .map(|at| {
                part(
                    at / 4,
                    if at % 3 == 0 { Kind::Compute } else { Kind::Other },
                    at.into(),
                    u64::from(at) + 1,
                )
            })
            .collect();
        let bounded = |path: &[Segment], most| {
            let back = || path.iter().rev().copied();
            bounded(back(), count(back()), most)
        };
        let few = bounded(&path, 3);
        assert!(few.len() <= 3);
        assert_eq!((few[0].start, few[few.len() - 1].end), (0, 10));
        assert!(few.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert_eq!(bounded(&path[1..3], 9).len(), 1);
    }

    fn count(path: impl Iterator<Item = Segment>) -> usize {
        let mut parts = 0;
        merge(path, |_| parts += 1);
        parts
    }

    /// What `bounded` does, said plainly.
    fn halved(path: &[Segment], most: usize) -> Vec<Segment> {
        let mut parts: Vec<Segment> = Vec::new();
        for part in path {
            match parts.last_mut() {
                Some(last) if alike(last, part) => last.end = part.end,
                _ => parts.push(*part),
            }
        }
        while parts.len() > most {
            parts = parts.chunks(2).map(|pair| joined(pair[0], pair[pair.len() - 1])).collect();
        }
        parts
    }

    #[test]
    fn backwards_is_as_forwards() {
        let mut start = 0;
        let mut path = Vec::new();
        for at in 0..1_000u64 {
            // Of any length, with gaps, and now and then alike.
            let (length, number) = (1 + at * at % 13, (at * at * 7 % 11) as u32);
            start += u64::from(at % 17 == 0);
            let kind = if number % 3 == 0 { Kind::Compute } else { Kind::Transfer };
            path.push(part(number / 4, kind, start, start + length));
            start += length;
        }
        for (length, most) in [(0, 5), (1, 1), (2, 1), (1_000, 2_000), (1_000, 100), (999, 7), (500, 1)] {
            let path = &path[..length];
            let back = || path.iter().rev().copied();
            assert_eq!(bounded(back(), count(back()), most), halved(path, most), "{length}, {most}");
        }
    }
}
