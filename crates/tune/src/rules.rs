//! What a library is to be told: from which size on it uses which method.

use mpirage_collectives::Collective;

use crate::{Method, Row};

/// A method for calls of at least so many bytes, up to the next rule of the same collective and communicator size.
#[derive(Clone, Debug, PartialEq)]
pub struct TunedRule {
    /// The collective.
    pub collective: Collective,
    /// Ranks of the communicator.
    pub ranks: u32,
    /// The smallest size it is for, as `Shape::bytes` counts; zero for the first rule.
    pub from: u64,
    /// The method.
    pub method: Method,
}

/// The rules that follow from rows: the best method of each size holds until the next size. The first one also holds for
/// smaller sizes, the last for larger ones. Rows may come in any order.
pub fn rules(rows: &[Row]) -> Vec<TunedRule> {
    let mut sorted: Vec<&Row> = rows.iter().collect();
    sorted.sort_by_key(|row| (row.point.collective, row.point.ranks(), row.point.bytes));
    let mut rules: Vec<TunedRule> = Vec::new();
    for row in sorted {
        let (collective, ranks) = (row.point.collective, row.point.ranks());
        let before = rules.last().filter(|rule| (rule.collective, rule.ranks) == (collective, ranks));
        let method = &row.best.method;
        if before.is_some_and(|rule| rule.method == *method) {
            continue;
        }
        let from = if before.is_some() { row.from } else { 0 };
        rules.push(TunedRule { collective, ranks, from, method: method.clone() });
    }
    rules
}
