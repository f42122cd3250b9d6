//! The user's choice: a library's table, and methods that replace it for some calls.

use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::Arc;

use mpirage_call::Method;
use mpirage_units::parse_size;
use thiserror::Error;

use super::mpich::{self, MpichError};
use super::rule::{Condition, Quantity, Rule, RuleError, parse_method};
use super::selector::{Selector, SelectorError};
use crate::algorithms::nccl;
use crate::operation::Operation;
use crate::shape::Shape;
use crate::shaped::Shaped;

/// The user's choice of algorithms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Used where the overrides do not apply.
    base: Arc<Selector>,
    /// The last one that applies counts.
    overrides: Vec<Rule>,
    reads_nodes: bool,
}

impl Default for Choice {
    fn default() -> Self {
        Choice::of(default_table())
    }
}

fn default_table() -> Arc<Selector> {
    Selector::named("default").expect("there is a default table")
}

impl Choice {
    /// The choices of a table.
    pub fn of(base: Arc<Selector>) -> Choice {
        Choice { reads_nodes: base.reads_nodes(), base, overrides: Vec::new() }
    }

    /// Reads `openmpi-4.1,allreduce=ring@64KiB..,bcast=chain:segment=8KiB`. An empty text chooses the default table.
    pub fn parse(text: &str) -> Result<Self, ChoiceError> {
        Choice::parse_with(text, |_| None)
    }

    /// As [`Choice::parse`]. What is neither an override nor the name of a table is a file: `read` gives its text, or says why
    /// it cannot be read, or that there is none.
    pub fn parse_with(
        text: &str,
        read: impl Fn(&str) -> Option<Result<String, String>>,
    ) -> Result<Self, ChoiceError> {
        let mut choice = Choice::default();
        for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            match item.split_once('=') {
                Some((left, right)) => choice.push(parse_override(left, right)?),
                None => choice.set_base(table(item, &read)?),
            }
        }
        Ok(choice)
    }

    /// The name of its table, or `file`; followed by `+` if the user has overridden some of it.
    pub fn name(&self) -> String {
        let known = Selector::names()
            .map(|(name, _)| name)
            .find(|name| Selector::named(name).is_some_and(|named| Arc::ptr_eq(&named, &self.base)));
        let overridden = if self.overrides.is_empty() { "" } else { "+" };
        format!("{}{overridden}", known.unwrap_or("file"))
    }

    /// Adds an override, which goes before those that are there.
    pub fn push(&mut self, rule: Rule) {
        self.reads_nodes |= rule.reads_nodes();
        self.overrides.push(rule);
    }

    fn set_base(&mut self, base: Arc<Selector>) {
        self.reads_nodes |= base.reads_nodes();
        self.base = base;
    }

    /// The method for a call: the user's, the table's, or that of the default table, which has one for every call.
    pub fn method(&self, operation: impl Into<Operation>, shape: &Shape) -> Method {
        let operation = operation.into();
        let chosen = self.override_for(operation, shape).or_else(|| self.base.method(operation, shape));
        let default = || default_table().method(operation, shape);
        let method = chosen.or_else(default).expect("the default table has a rule for every call");
        nccl::resolved(method, operation.collective, shape)
    }

    /// Does the choice depend on where ranks run?
    pub fn reads_nodes(&self) -> bool {
        self.reads_nodes
    }

    /// An override of a blocking operation holds for the non-blocking one too, unless that has its own.
    fn override_for(&self, operation: Operation, shape: &Shape) -> Option<Method> {
        let shape = &operation.collective.normalized(shape);
        let last = |operation| {
            let mut applying = self.overrides.iter().rev();
            applying.find(|rule| rule.operation == operation && rule.applies(shape)).map(|rule| rule.method)
        };
        last(operation).or_else(|| last(Operation { nonblocking: false, ..operation }))
    }
}

impl FromStr for Choice {
    type Err = ChoiceError;

    fn from_str(text: &str) -> Result<Self, ChoiceError> {
        Choice::parse(text)
    }
}

/// Why a choice of algorithms cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ChoiceError {
    /// Neither a table, nor a file, nor an override.
    #[error("`{0}` is neither a table of algorithms ({list}), nor a file, nor of the form collective=algorithm, as in allreduce=ring", list = tables())]
    UnknownTable(String),
    /// A file cannot be read; this says which and why.
    #[error("{0}")]
    Unreadable(String),
    /// A file holds no rules.
    #[error("{file}, {error}")]
    File {
        /// The file.
        file: String,
        /// The error in it.
        error: SelectorError,
    },
    /// A selection file of MPICH's cannot be followed.
    #[error("{file}, {error}")]
    MpichFile {
        /// The file.
        file: String,
        /// The error in it.
        error: MpichError,
    },
    /// The text after the @ is no range of sizes.
    #[error(
        "`{0}` is no range of sizes; write as in 64KiB.., ..4KiB or 4KiB..64KiB (the end is not included)"
    )]
    BadRange(String),
    /// The override is no rule.
    #[error(transparent)]
    Rule(#[from] RuleError),
}

fn table(
    item: &str,
    read: impl Fn(&str) -> Option<Result<String, String>>,
) -> Result<Arc<Selector>, ChoiceError> {
    if let Some(selector) = Selector::named(item) {
        return Ok(selector);
    }
    let text = read(item).ok_or_else(|| ChoiceError::UnknownTable(item.to_owned()))?;
    let text = text.map_err(ChoiceError::Unreadable)?;
    if text.trim_start().starts_with('{') {
        let selector = mpich::read(&text);
        return selector
            .map(Arc::new)
            .map_err(|error| ChoiceError::MpichFile { file: item.to_owned(), error });
    }
    let selector = Selector::read(&text);
    selector.map(Arc::new).map_err(|error| ChoiceError::File { file: item.to_owned(), error })
}

/// `allreduce` and `ring@64KiB..`.
fn parse_override(left: &str, right: &str) -> Result<Rule, ChoiceError> {
    let name = left.trim();
    let operation =
        Operation::from_name(name).ok_or_else(|| RuleError::UnknownCollective(name.to_owned()))?;
    let (method, range) = match right.split_once('@') {
        Some((method, range)) => (method, parse_range(range)?),
        None => (right, 0..=u64::MAX),
    };
    let method = parse_method(operation.collective, method.trim())?;
    Ok(Rule::new(operation, Condition::within(Quantity::Bytes, range).collect(), method)?)
}

fn parse_range(text: &str) -> Result<RangeInclusive<u64>, ChoiceError> {
    let bad = || ChoiceError::BadRange(text.to_owned());
    let (first, end) = text.split_once("..").ok_or_else(bad)?;
    let size = |text: &str| parse_size(text).ok_or_else(bad);
    let first = if first.trim().is_empty() { 0 } else { size(first)? };
    let last = if end.trim().is_empty() { u64::MAX } else { size(end)?.checked_sub(1).ok_or_else(bad)? };
    if first > last { Err(bad()) } else { Ok(first..=last) }
}

fn tables() -> String {
    Selector::names().map(|(name, _)| name).collect::<Vec<_>>().join(", ")
}
