//! Rules for a library: which method it uses from which size on.

use mpirage_call::{Collective, Method};
use mpirage_collectives::{Choice, Condition, Quantity, Relation, Rule};

use crate::Row;

/// From so many bytes on, calls of a collective on communicators of one size are best performed with this method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threshold {
    /// The collective.
    pub collective: Collective,
    /// Ranks of the communicator.
    pub ranks: u32,
    /// The smallest size, as [`Point::bytes`](crate::Point::bytes) counts; zero for the first of a communicator size.
    pub from: u64,
    /// The method.
    pub method: Method,
}

/// The thresholds that follow from rows, in the order of collectives, ranks and sizes. The best method of each size holds until the
/// next size; the first also for smaller ones, the last for larger ones. Where a library does not look at sizes (`sized` is
/// false), one method is for all: the one with the least mean loss. Rows may come in any order.
pub fn thresholds(rows: &[Row], sized: fn(Collective) -> bool) -> Vec<Threshold> {
    let mut sorted: Vec<&Row> = rows.iter().collect();
    sorted.sort_by_key(|row| (row.point.collective, row.point.ranks(), row.point.bytes));
    let section = |row: &Row| (row.point.collective, row.point.ranks());
    let sections = sorted.chunk_by(|one, next| section(one) == section(next));
    sections.flat_map(|rows| section_thresholds(rows, sized)).collect()
}

/// The same as rules of ours, of which the first that applies counts; they read sizes where all ranks know them.
pub fn rules(rows: &[Row]) -> Vec<Rule> {
    rules_by_size(rows, sizes_are_known)
}

/// As [`rules`], for a library that looks at the sizes of fewer collectives: those of which `sized` is true.
pub fn rules_by_size(rows: &[Row], sized: fn(Collective) -> bool) -> Vec<Rule> {
    let all = thresholds(rows, sized);
    let next = all.iter().skip(1).map(Some).chain([None]);
    let rule = |(this, next): (&Threshold, Option<&Threshold>)| {
        let Threshold { collective, ranks, method, .. } = *this;
        let mut conditions = vec![Condition::Compare(Quantity::Ranks, Relation::Equal, ranks.into())];
        let next = next.filter(|next| (next.collective, next.ranks) == (collective, ranks));
        let end = next.map(|next| compared(collective, ranks, next.from));
        conditions.extend(end.map(|(quantity, end)| Condition::Compare(quantity, Relation::Below, end)));
        // Rows have methods of their collective, and sizes only where all ranks know them.
        Rule::new(collective.into(), conditions, method).ok()
    };
    all.iter().zip(next).filter_map(rule).collect()
}

/// The base choice with these rules before it.
pub fn tuned(base: &Choice, rules: &[Rule]) -> Choice {
    let mut choice = base.clone();
    // Of overrides the last one counts.
    rules.iter().rev().for_each(|rule| choice.push(rule.clone()));
    choice
}

/// The thresholds of one collective on communicators of one size.
fn section_thresholds(rows: &[&Row], sized: fn(Collective) -> bool) -> Vec<Threshold> {
    let Some(first) = rows.first() else { return Vec::new() };
    let (collective, ranks) = (first.point.collective, first.point.ranks());
    let threshold = |from, method| Threshold { collective, ranks, from, method };
    if !sized(collective) {
        return least_mean_loss(rows).map(|method| threshold(0, method)).into_iter().collect();
    }
    let same = rows.chunk_by(|one, next| one.best.method == next.best.method).enumerate();
    same.map(|(at, rows)| threshold(if at == 0 { 0 } else { rows[0].from }, rows[0].best.method)).collect()
}

/// Do all ranks know how much is moved?
fn sizes_are_known(collective: Collective) -> bool {
    use Collective::{Alltoallv, Alltoallw, Gatherv, Scatterv};
    !matches!(collective, Gatherv | Scatterv | Alltoallv | Alltoallw)
}

/// The number that a rule compares, for blocks of so many bytes.
fn compared(collective: Collective, ranks: u32, bytes: u64) -> (Quantity, u64) {
    match collective {
        Collective::Allgatherv | Collective::ReduceScatter => (Quantity::Total, bytes * u64::from(ranks)),
        _ => (Quantity::Bytes, bytes),
    }
}

/// Of the methods that all rows have, the one whose times are, as a geometric mean, nearest to the best ones.
fn least_mean_loss(rows: &[&Row]) -> Option<Method> {
    let time =
        |row: &Row, method: Method| row.all.iter().find(|one| one.method == method).map(|one| one.time);
    let loss = |method: Method| -> Option<f64> {
        let ratios = rows.iter().map(|row| {
            let (time, best) = (time(row, method)?.as_picos(), row.best.time.as_picos());
            Some((time.max(1) as f64 / best.max(1) as f64).ln())
        });
        ratios.sum()
    };
    let candidates = rows.first()?.all.iter().map(|one| one.method);
    let losses = candidates.filter_map(|method| Some((method, loss(method)?)));
    losses.min_by(|one, other| one.1.total_cmp(&other.1)).map(|(method, _)| method)
}
