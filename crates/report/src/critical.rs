//! What lies on the critical path, and what would be gained without it.

use std::collections::BTreeMap;

use mpirage_call::varint;
use mpirage_platform::LinkId;
use mpirage_timeline::RunInfo;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use crate::container::Container;
use crate::network::Network;
use crate::path::{Kind, NO_FUNCTION, Segment};

/// Segments that the page gets, at most.
const MOST: usize = 20_000;
/// Functions, ranks and possible gains that are listed.
const LISTED: usize = 32;

/// Sums over the path, in picoseconds.
#[derive(Default)]
struct Sums<'a> {
    kinds: [u64; Kind::ALL.len()],
    functions: BTreeMap<u16, u64>,
    ranks: BTreeMap<u32, u64>,
    classes: BTreeMap<&'a str, u64>,
}

/// Adds the critical path to the data. `without_network`: what an ideal network gains, if that has been tried; `function` gives name and index by which the page knows a function.
pub(crate) fn write(
    path: &[Segment],
    run: &RunInfo,
    network: &Network<'_>,
    without_network: Option<u64>,
    function: impl Fn(u16) -> Option<(u16, &'static str)>,
    out: &mut Container,
) {
    let sums = add_up(path, run, network);
    let name = |of: u16| function(of).map_or("MPI", |(_, name)| name);
    let length: u64 = sums.kinds.iter().sum();
    let kinds = Kind::ALL.iter().zip(sums.kinds);
    let by_kind: serde_json::Map<String, Value> =
        kinds.map(|(kind, time)| (kind.name().to_owned(), crate::seconds(time).into())).collect();
    let functions = longest(sums.functions.iter().map(|(&at, &time)| (name(at), time)));
    let ranks = longest(sums.ranks.iter().map(|(&rank, &time)| (rank, time)));
    let classes = longest(sums.classes.iter().map(|(&name, &time)| (name, time)));
    out.set("critical", json!({
        "seconds": crate::seconds(length),
        "kinds": Kind::ALL.map(Kind::name),
        "by_kind": by_kind,
        "by_function": listed("name", &functions),
        "by_rank": listed("rank", &ranks),
        "by_link_class": listed("name", &classes),
        "gain_if_free": gains(&sums, without_network, &functions, &ranks, &classes),
        "gain_note": "at most so much, for other paths may then be the longest; all transfers: as the run on an ideal network says, if there was one",
    }));
    let shown = bounded(path, MOST);
    out.section("critical_rank", shown.iter().map(|part| part.rank));
    out.bytes("critical_times", times(&shown));
    out.section("critical_kind", shown.iter().map(|part| part.kind as u8));
    let index = |of: u16| function(of).map_or(NO_FUNCTION, |(index, _)| index);
    out.section("critical_function", shown.iter().map(|part| index(part.function)));
}

/// For each part, how long after the end of the one before it begins, and how long it lasts, in picoseconds.
fn times(path: &[Segment]) -> Vec<u8> {
    let (mut out, mut last) = (Vec::new(), 0);
    for part in path {
        varint::put(varint::folded(part.start as i64 - last as i64), &mut out);
        varint::put(part.end - part.start, &mut out);
        last = part.end;
    }
    out
}

fn add_up<'a>(path: &[Segment], run: &RunInfo, network: &'a Network<'_>) -> Sums<'a> {
    let mut sums = Sums::default();
    let mut links: Vec<LinkId> = Vec::new();
    let mut known: FxHashMap<(u32, u32), &str> = FxHashMap::default();
    for part in path {
        let time = part.end - part.start;
        sums.kinds[part.kind as usize] += time;
        if part.function != NO_FUNCTION {
            *sums.functions.entry(part.function).or_default() += time;
        }
        match part.kind {
            Kind::Transfer => {
                let class = *known.entry((part.peer, part.rank)).or_insert_with(|| {
                    let host = |rank: u32| run.placement[rank as usize];
                    run.platform.links_between(host(part.peer), host(part.rank), &mut links);
                    network.bottleneck(&links).unwrap_or("memory of one host")
                });
                *sums.classes.entry(class).or_default() += time;
            }
            _ => *sums.ranks.entry(part.rank).or_default() += time,
        }
    }
    sums
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
    sums: &Sums<'_>,
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

/// At most so many segments: neighbours that are alike become one, then those of one rank, then any.
fn bounded(path: &[Segment], most: usize) -> Vec<Segment> {
    let mut parts: Vec<Segment> = Vec::with_capacity(path.len());
    for part in path {
        match parts.last_mut() {
            Some(last) if alike(last, part) => last.end = part.end,
            _ => parts.push(*part),
        }
    }
    while parts.len() > most {
        parts = parts.chunks(2).map(|pair| joined(pair[0], *pair.last().unwrap_or(&pair[0]))).collect();
    }
    parts
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
        let few = bounded(&path, 3);
        assert!(few.len() <= 3);
        assert_eq!((few[0].start, few[few.len() - 1].end), (0, 10));
        assert!(few.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert_eq!(bounded(&path[1..3], 9).len(), 1);
    }
}
