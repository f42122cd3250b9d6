//! A table of rules for all collectives: what one MPI library does.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use mpirage_call::Method;
use thiserror::Error;

use super::openmpi::{is_dynamic_rules, read_dynamic_rules};
use super::rule::{Rule, RuleError};
use crate::operation::Operation;
use crate::selectors::{ALIASES, TABLES};
use crate::shape::Shape;
use crate::shaped::Shaped;

/// For each operation its rules. The first one that applies counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    rules: BTreeMap<Operation, Vec<Rule>>,
}

/// Why a table of rules cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {error}")]
pub struct SelectorError {
    /// The line, from 1 on.
    pub line: usize,
    /// The error in that line.
    pub error: RuleError,
}

/// The tables that have been asked for: reading all of them would be most of the start of a short run.
static NAMED: [OnceLock<Arc<Selector>>; TABLES.len()] = [const { OnceLock::new() }; TABLES.len()];

impl Selector {
    /// Reads a table: one rule per line; `#` begins a comment.
    pub fn parse(text: &str) -> Result<Selector, SelectorError> {
        let mut selector = Selector::default();
        for (number, line) in text.lines().enumerate() {
            let line_number = number + 1;
            let line = line.split('#').next().unwrap_or_default().trim();
            if !line.is_empty() {
                let rule = Rule::parse(line).map_err(|error| SelectorError { line: line_number, error })?;
                selector.push(rule);
            }
        }
        Ok(selector)
    }

    /// Reads a file of rules: a table as [`Selector::parse`] reads it, or Open MPI's dynamic rules, which begin with a number.
    pub fn read(text: &str) -> Result<Selector, SelectorError> {
        if is_dynamic_rules(text) { read_dynamic_rules(text) } else { Selector::parse(text) }
    }

    /// The table of a library; none if there is no such name.
    pub fn named(name: &str) -> Option<Arc<Selector>> {
        let name = ALIASES.iter().find(|&&(alias, _)| alias == name).map_or(name, |&(_, table)| table);
        let at = TABLES.iter().position(|&(known, ..)| known == name)?;
        let read =
            || Selector::parse(TABLES[at].2).expect("the tables in the program are right; a test reads them");
        Some(Arc::clone(NAMED[at].get_or_init(|| Arc::new(read()))))
    }

    /// The names of all tables, and what they are.
    pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
        TABLES.iter().map(|&(name, info, _)| (name, info))
    }

    /// Adds a rule after those of its operation.
    pub fn push(&mut self, rule: Rule) {
        self.rules.entry(rule.operation).or_default().push(rule);
    }

    /// All rules, by operation.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules.values().flatten()
    }

    /// The method of the first rule that applies. What has no rule as a non-blocking operation is performed as the blocking one.
    pub fn method(&self, operation: Operation, shape: &Shape) -> Option<Method> {
        let shape = &operation.collective.normalized(shape);
        let first = |operation| {
            let rules = self.rules.get(&operation).map_or(&[][..], |rules| rules);
            rules.iter().find(|rule| rule.applies(shape)).map(|rule| rule.method)
        };
        let blocking = Operation { nonblocking: false, ..operation };
        first(operation).or_else(|| if operation.nonblocking { first(blocking) } else { None })
    }

    /// Does a choice depend on where ranks run?
    pub(crate) fn reads_nodes(&self) -> bool {
        self.rules().any(Rule::reads_nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpirage_call::Collective;

    #[test]
    fn the_tables_of_the_program_can_be_read() {
        for (name, _) in Selector::names() {
            assert!(Selector::named(name).is_some_and(|selector| selector.rules().count() > 0), "{name}");
        }
    }

    #[test]
    fn rules_are_written_as_they_are_read() {
        for text in [
            "allreduce ranks<=4 bytes<4KiB recursive-doubling",
            "ibcast ranks>8 total>=1000B power-of-two=no chain:segment=8KiB",
            "reduce commutative=no built-in=yes elements=7 binomial",
        ] {
            let selector = Selector::parse(text).unwrap();
            assert_eq!(selector.rules().map(ToString::to_string).collect::<Vec<_>>(), [text]);
        }
    }

    #[test]
    fn the_first_rule_that_applies_counts() {
        let text = "# sizes\nbcast bytes<10 linear\nbcast chain\nibcast ranks<4 binomial\n";
        let selector = Selector::parse(text).unwrap();
        let name = |nonblocking, size, bytes| {
            let operation = Operation { collective: Collective::Bcast, nonblocking };
            selector.method(operation, &Shape::new(size).bytes(bytes)).unwrap().algorithm.name()
        };
        assert_eq!((name(false, 3, 9), name(false, 3, 10)), ("linear", "chain"));
        assert_eq!((name(true, 3, 9), name(true, 4, 9)), ("binomial", "linear"));
        assert_eq!(selector.method(Collective::Scan.into(), &Shape::new(2)), None);
    }

    #[test]
    fn errors_name_the_line() {
        let error = |text| Selector::parse(text).unwrap_err().to_string();
        assert_eq!(
            error("bcast linear\n\nbcast ranks~4 linear"),
            "line 3: `ranks~4` is no condition; write as in ranks<=8, bytes>=64KiB or commutative=yes"
        );
        assert_eq!(
            error("scan"),
            "line 1: a rule is: collective, conditions, algorithm; as in allreduce bytes<4096 recursive-doubling"
        );
        assert_eq!(
            error("gatherv bytes<4 linear"),
            "line 1: a rule for gatherv cannot read sizes, since ranks know different ones"
        );
        assert_eq!(error("bcast linear:radix=3"), "line 1: linear:radix=3 of bcast has no parameter radix");
    }
}
