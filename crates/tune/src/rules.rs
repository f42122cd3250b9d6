//! What a library is to be told: which method from which size on.

use mpirage_collectives::{Choice, Collective, Condition, Method, Quantity, Relation, Rule};

use crate::Row;

/// The rules that follow from rows, the first that applies counting. The best method of each size holds until the next size; the
/// first also for smaller ones, the last for larger ones. Where ranks do not know the sizes of each other (gatherv, scatterv,
/// alltoallv, alltoallw) one method is for all sizes: the one with the least mean loss. Rows may come in any order.
pub fn rules(rows: &[Row]) -> Vec<Rule> {
    let mut sorted: Vec<&Row> = rows.iter().collect();
    sorted.sort_by_key(|row| (row.point.collective, row.point.ranks(), row.point.bytes));
    let section = |row: &Row| (row.point.collective, row.point.ranks());
    sorted.chunk_by(|one, next| section(one) == section(next)).flat_map(section_rules).collect()
}

/// The base choice with these rules before it.
pub fn tuned(base: &Choice, rules: &[Rule]) -> Choice {
    let mut choice = base.clone();
    // Of overrides the last one counts.
    rules.iter().rev().for_each(|rule| choice.push(rule.clone()));
    choice
}

/// The rules of one collective on communicators of one size.
fn section_rules(rows: &[&Row]) -> Vec<Rule> {
    let Some(first) = rows.first() else { return Vec::new() };
    let (collective, ranks) = (first.point.collective, first.point.ranks());
    let rule = |end: Option<u64>, method: Method| {
        let mut conditions = vec![Condition::Compare(Quantity::Ranks, Relation::Equal, ranks.into())];
        let size = end.map(|end| compared(collective, ranks, end));
        conditions.extend(size.map(|(quantity, end)| Condition::Compare(quantity, Relation::Below, end)));
        // Rows have methods of their collective, and sizes only where all ranks know them.
        Rule::new(collective.into(), conditions, method).ok()
    };
    if !sizes_are_known(collective) {
        return least_mean_loss(rows).and_then(|method| rule(None, method)).into_iter().collect();
    }
    let same: Vec<&[&Row]> = rows.chunk_by(|one, next| one.best.method == next.best.method).collect();
    let ends = same.iter().skip(1).map(|next| Some(next[0].from)).chain([None]);
    same.iter().zip(ends).filter_map(|(rows, end)| rule(end, rows[0].best.method)).collect()
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
