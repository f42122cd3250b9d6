//! The wait states, as the page gets them.

use mpirage_interpret::RunInfo;
use mpirage_platform::LinkId;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json};

use super::Waits;
use super::history::Doing;
use super::state::State;
use super::tables::{ByState, Cause, Line, Pair, Sum, largest};
use crate::calls::Calls;
use crate::container::Container;
use crate::network::Network;
use crate::time::seconds;

/// Rows of each table, at most.
const LISTED: usize = 1_000;
/// Rows and columns of the matrix, at most; more ranks share them.
const MOST_CELLS: usize = 128;

/// The tables that give calls and links their names.
pub(crate) struct Names<'a> {
    pub run: &'a RunInfo,
    pub calls: &'a Calls,
    pub network: &'a Network<'a>,
}

/// A function and a site, by the page's numbers; none if they are unknown.
pub(super) type CallPlace = Option<(u16, u32)>;

impl Waits {
    /// Adds the wait states to the data of the page. `seconds_of_ranks` is the time of all ranks together.
    pub fn write(&self, names: &Names<'_>, seconds_of_ranks: f64, out: &mut Container) {
        let causes = self.causes(names);
        let links = self.links(names);
        let (cells, ranks_per_cell) = self.write_matrix(out);
        out.put("findings", self.findings(names, &causes, &links, seconds_of_ranks).into());
        out.put(
            "waits",
            json!({
                "states": State::ALL.map(State::name),
                "seconds": by_state(&self.totals()),
                "calls": self.calls_table(names),
                "pairs": self.pairs_table(),
                "lines": self.lines_table(names),
                "causes": causes_table(&causes),
                "links": links.iter().map(|(name, sum)| {
                    json!({"name": name, "seconds": seconds(sum.picos), "waits": sum.waits})
                }).collect::<Vec<_>>(),
                "matrix": {"cells": cells, "ranks_per_cell": ranks_per_cell},
            }),
        );
        let of_ranks =
            State::ALL.map(|state| self.tables.ranks.iter().map(move |of| seconds(of[state as usize])));
        out.section::<f64>("waits_rank", of_ranks.into_iter().flatten());
    }

    /// Picoseconds of each state, of all ranks.
    pub(super) fn totals(&self) -> ByState {
        let mut totals = [0; State::COUNT];
        for rank in &self.tables.ranks {
            totals.iter_mut().zip(rank).for_each(|(sum, picos)| *sum += picos);
        }
        totals
    }

    /// States by function and site; those that wait longest first.
    fn calls_table(&self, names: &Names<'_>) -> Value {
        let mut by_place: FxHashMap<CallPlace, ByState> = FxHashMap::default();
        for (call, states) in (0..).zip(&self.tables.calls) {
            let sums = by_place.entry(names.calls.place(call)).or_default();
            sums.iter_mut().zip(states).for_each(|(sum, picos)| *sum += picos);
        }
        let waited = |states: &ByState| {
            State::ALL
                .into_iter()
                .filter(|state| state.is_wait())
                .map(|state| states[state as usize])
                .sum::<u64>()
        };
        let mut rows: Vec<(CallPlace, ByState)> =
            by_place.into_iter().filter(|(_, states)| states.iter().any(|&picos| picos > 0)).collect();
        rows.sort_unstable_by_key(|(place, states)| {
            (std::cmp::Reverse((waited(states), states.iter().sum::<u64>())), *place)
        });
        rows.truncate(LISTED);
        let mut table = places("", rows.iter().map(|(place, _)| *place));
        for state in State::ALL {
            let column: Vec<f64> = rows.iter().map(|(_, states)| seconds(states[state as usize])).collect();
            table.insert(state.name().to_owned(), column.into());
        }
        table.into()
    }

    fn pairs_table(&self) -> Value {
        let rows = listed(self.tables.pairs.iter().map(|(&pair, &sum)| (pair, sum)));
        let mut table = sums(&rows);
        insert(&mut table, "waiter", rows.iter().map(|(Pair { waiter, .. }, _)| *waiter));
        insert(&mut table, "cause", rows.iter().map(|(Pair { cause, .. }, _)| *cause));
        insert(&mut table, "state", rows.iter().map(|(Pair { state, .. }, _)| state.name()));
        table.insert("others_seconds".to_owned(), seconds(self.tables.pairs.others.picos).into());
        table.into()
    }

    /// Waits by the function and site of both calls.
    fn lines_table(&self, names: &Names<'_>) -> Value {
        let lines = self.tables.lines.iter().map(|(&Line { waiter, cause, state }, &sum)| {
            ((names.calls.place(waiter), names.calls.place(cause), state), sum)
        });
        let rows = listed(merged(lines));
        let mut table = sums(&rows);
        table.append(&mut places("", rows.iter().map(|((waiter, ..), _)| *waiter)));
        table.append(&mut places("cause_", rows.iter().map(|((_, cause, _), _)| *cause)));
        insert(&mut table, "state", rows.iter().map(|((.., state), _)| state.name()));
        table.into()
    }

    /// Delay costs by rank, function, site and what the rank did.
    pub(super) fn causes(&self, names: &Names<'_>) -> Vec<((u32, CallPlace, Doing), Sum)> {
        let causes = self
            .tables
            .causes
            .iter()
            .map(|(&Cause { rank, call, doing }, &sum)| ((rank, names.calls.place(call), doing), sum));
        largest(merged(causes))
    }

    /// Contention by link: of each route, the link that is used most.
    fn links(&self, names: &Names<'_>) -> Vec<(String, Sum)> {
        let RunInfo { platform, .. } = names.run;
        let interfaces = names.run.interfaces();
        let (mut route, mut by_link): (Vec<LinkId>, FxHashMap<LinkId, Sum>) = Default::default();
        for (&(from, to), &sum) in self.tables.contention.iter() {
            platform.links_between(interfaces[from as usize], interfaces[to as usize], &mut route);
            if let Some(link) = names.network.most_used(&route) {
                by_link.entry(link).or_default().add(sum);
            }
        }
        let links = listed(by_link);
        links.into_iter().map(|(link, sum)| (platform.link(link).name().to_string(), sum)).collect()
    }

    /// Adds the matrix of waiting ranks and their causes. Returns its size and the ranks per cell.
    fn write_matrix(&self, out: &mut Container) -> (usize, usize) {
        let ranks = self.tables.ranks.len();
        let ranks_per_cell = ranks.div_ceil(MOST_CELLS).max(1);
        let cells = ranks.div_ceil(ranks_per_cell);
        let mut matrix = vec![0_u64; cells * cells];
        for (&Pair { waiter, cause, .. }, sum) in self.tables.pairs.iter() {
            let [row, column] = [waiter, cause].map(|rank| rank as usize / ranks_per_cell);
            matrix[row * cells + column] += sum.picos;
        }
        out.section::<f64>("waits_matrix", matrix.into_iter().map(seconds));
        (cells, ranks_per_cell)
    }
}

fn causes_table(causes: &[((u32, CallPlace, Doing), Sum)]) -> Value {
    let rows = &causes[..causes.len().min(LISTED)];
    let mut table = sums(rows);
    insert(&mut table, "rank", rows.iter().map(|((rank, ..), _)| *rank));
    table.append(&mut places("", rows.iter().map(|((_, place, _), _)| *place)));
    let doing = |doing| if doing == Doing::Computing { "before" } else { "in" };
    insert(&mut table, "doing", rows.iter().map(|((.., of), _)| doing(*of)));
    table.into()
}

/// Sums of equal keys as one.
fn merged<K: std::hash::Hash + Eq>(sums: impl Iterator<Item = (K, Sum)>) -> FxHashMap<K, Sum> {
    let mut merged: FxHashMap<K, Sum> = FxHashMap::default();
    sums.for_each(|(key, sum)| merged.entry(key).or_default().add(sum));
    merged
}

/// As many of the largest as the page lists.
fn listed<K: Copy + Ord>(sums: impl IntoIterator<Item = (K, Sum)>) -> Vec<(K, Sum)> {
    let mut rows = largest(sums);
    rows.truncate(LISTED);
    rows
}

fn by_state(states: &ByState) -> Value {
    let fields =
        State::ALL.into_iter().map(|state| (state.name().to_owned(), seconds(states[state as usize]).into()));
    fields.collect::<Map<String, Value>>().into()
}

/// The columns `seconds` and `waits`.
fn sums<K>(rows: &[(K, Sum)]) -> Map<String, Value> {
    let mut table = Map::new();
    insert(&mut table, "seconds", rows.iter().map(|(_, sum)| seconds(sum.picos)));
    insert(&mut table, "waits", rows.iter().map(|(_, sum)| sum.waits));
    table
}

/// The columns `function` and `site`, with a prefix.
fn places(prefix: &str, rows: impl Iterator<Item = CallPlace> + Clone) -> Map<String, Value> {
    let mut table = Map::new();
    insert(
        &mut table,
        &format!("{prefix}function"),
        rows.clone().map(|place| place.map(|(function, _)| function)),
    );
    insert(&mut table, &format!("{prefix}site"), rows.map(|place| place.map_or(0, |(_, site)| site)));
    table
}

fn insert<T: Into<Value>>(table: &mut Map<String, Value>, name: &str, column: impl Iterator<Item = T>) {
    table.insert(name.to_owned(), column.map(Into::into).collect());
}
