//! Reads a selection file.
//!
//! Branches for inter-communicators and for programs with several threads are left aside, and so are collectives that we do not have as
//! schedules. `comm_size<8` is read as MPICH evaluates it: below a condition on the call it means at most 8.

use mpirage_call::{Method, Settings};
use thiserror::Error;

use super::super::rule::{Condition, Flag, Quantity, Relation, Rule, RuleError};
use super::super::selector::Selector;
use super::tree::{Branch, parse};
use super::{names, parameters};
use crate::operation::Operation;
use crate::performed::Performed;

/// Why a selection file of MPICH's cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct MpichError {
    /// The line, from 1 on.
    pub line: usize,
    /// The problem in that line.
    pub problem: Problem,
}

/// A problem with a key.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Problem {
    /// The text is no tree of objects.
    #[error("expected {0}")]
    Expected(&'static str),
    /// MPICH has no such key.
    #[error(
        "MPICH has no key `{0}`; there are collective=, comm_type=, comm_size, avg_msg_size, total_msg_size and count with <, <= or =any, is_…=yes|no and algorithm="
    )]
    UnknownKey(String),
    /// The key does not belong here.
    #[error("`{key}` is not expected here: {remedy}")]
    Misplaced {
        /// The key.
        key: String,
        /// Advice for the user.
        remedy: &'static str,
    },
    /// There is no schedule for this algorithm.
    #[error("{operation} has no schedule for `{name}`; it has those for {}; choose one of them, or leave the collective out", .known.join(", "))]
    UnknownAlgorithm {
        /// The collective.
        operation: Operation,
        /// The algorithm.
        name: String,
        /// Those that have one.
        known: Vec<String>,
    },
    /// The conditions and the algorithm do not go together.
    #[error(transparent)]
    Rule(#[from] RuleError),
}

/// The table that a file describes.
pub(crate) fn read(text: &str) -> Result<Selector, MpichError> {
    let tree = parse(text)
        .map_err(|error| MpichError { line: error.line, problem: Problem::Expected(error.expected) })?;
    let mut selector = Selector::default();
    for branch in &tree {
        let name = branch
            .key
            .strip_prefix("collective=")
            .ok_or_else(|| misplaced(branch, "the first keys are collectives, as in collective=bcast"))?;
        // MPICH has one algorithm for each neighbourhood collective.
        if name.strip_prefix('i').unwrap_or(name).starts_with("neighbor_") {
            continue;
        }
        let operation =
            Operation::from_name(name).ok_or_else(|| misplaced(branch, "MPICH has no such collective"))?;
        let path = Path { operation, conditions: vec![], on_call: false };
        path.follow(&branch.below, &mut selector)?;
    }
    Ok(selector)
}

fn misplaced(branch: &Branch, remedy: &'static str) -> MpichError {
    let problem = Problem::Misplaced { key: branch.key.clone(), remedy };
    MpichError { line: branch.line, problem }
}

/// The operation and the conditions on the path to a branch.
#[derive(Clone)]
struct Path {
    operation: Operation,
    conditions: Vec<Condition>,
    /// Whether a condition depends on more than the communicator.
    on_call: bool,
}

/// The condition of a key.
enum Asks {
    /// None: it always holds.
    Nothing,
    /// A condition that never holds here.
    Never,
    Communicator(Condition),
    Call(Condition),
}

impl Path {
    fn follow(&self, branches: &[Branch], selector: &mut Selector) -> Result<(), MpichError> {
        for branch in branches {
            if let Some(name) = branch.key.strip_prefix("algorithm=") {
                let rule = self.rule(name, branch)?;
                selector.push(rule);
                return Ok(());
            }
            if branch.key.starts_with("composition=") {
                return Err(misplaced(
                    branch,
                    "this is the file of the device (CH4); give that of MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE",
                ));
            }
            let mut below = self.clone();
            match self.asks(&branch.key) {
                None => {
                    return Err(MpichError {
                        line: branch.line,
                        problem: Problem::UnknownKey(branch.key.clone()),
                    });
                }
                Some(Asks::Never) => continue,
                Some(Asks::Nothing) => {}
                Some(Asks::Communicator(condition)) => below.conditions.push(condition),
                Some(Asks::Call(condition)) => {
                    below.conditions.push(condition);
                    below.on_call = true;
                }
            }
            below.follow(&branch.below, selector)?;
        }
        Ok(())
    }

    fn rule(&self, name: &str, branch: &Branch) -> Result<Rule, MpichError> {
        let Operation { collective, nonblocking } = self.operation;
        let at = |problem| MpichError { line: branch.line, problem };
        let plain = names::named(collective, nonblocking, name).map(Method::from);
        let found = plain
            .or_else(|| with_radix(self.operation, name, &branch.below))
            .or_else(|| parameters::read(self.operation, name, &branch.below));
        let mut method = found.ok_or_else(|| {
            let mut known = names::known(collective, nonblocking);
            known.extend(parameters::names(self.operation));
            known.dedup();
            at(Problem::UnknownAlgorithm { operation: self.operation, name: name.to_owned(), known })
        })?;
        method.settings.parts = method.algorithm.reads_nodes().then_some("mpich-levels");
        Rule::new(self.operation, self.conditions.clone(), method).map_err(|error| at(Problem::Rule(error)))
    }

    fn asks(&self, key: &str) -> Option<Asks> {
        if key == "any" || key.ends_with("=any") {
            return Some(Asks::Nothing);
        }
        if let Some((quantity, relation, limit)) = comparison(key) {
            let condition = |quantity| Condition::Compare(quantity, relation, limit);
            return Some(match (quantity, relation) {
                ("comm_size", Relation::Below) if self.on_call => {
                    Asks::Communicator(Condition::Compare(Quantity::Ranks, Relation::AtMost, limit))
                }
                ("comm_size", _) => Asks::Communicator(condition(Quantity::Ranks)),
                ("comm_avg_ppn", _) => Asks::Communicator(condition(Quantity::RanksPerNode)),
                ("avg_msg_size", _) => Asks::Call(condition(Quantity::Bytes)),
                ("total_msg_size", _) => Asks::Call(condition(super::total(self.operation))),
                ("count", _) => Asks::Call(condition(Quantity::Elements)),
                _ => return None,
            });
        }
        let several = Condition::Compare(Quantity::RanksPerNode, Relation::Above, 1);
        Some(match key {
            "comm_type=intra" | "is_multi_threaded=no" | "is_node_consecutive=no" => Asks::Nothing,
            // The hierarchy of a communicator is made of others, which two-level algorithms name themselves.
            "comm_type=inter"
            | "is_multi_threaded=yes"
            | "is_node_consecutive=yes"
            | "comm_hierarchy=node"
            | "comm_hierarchy=node_roots" => Asks::Never,
            "comm_hierarchy=parent" => Asks::Communicator(several),
            "comm_hierarchy=flat" => {
                Asks::Communicator(Condition::Compare(Quantity::RanksPerNode, Relation::AtMost, 1))
            }
            "comm_size=pow2" => Asks::Communicator(Condition::Is(Flag::PowerOfTwo, true)),
            "comm_size=node_comm_size" => {
                Asks::Communicator(Condition::Compare(Quantity::Nodes, Relation::Equal, 1))
            }
            "count<pow2" => Asks::Call(Condition::Is(Flag::ElementEach, false)),
            _ => {
                let (name, answer) = key.split_once('=')?;
                let flag = match name {
                    "is_commutative" => Flag::Commutative,
                    "is_op_built_in" => Flag::BuiltIn,
                    "is_sendbuf_inplace" => Flag::InPlace,
                    "is_block_regular" => Flag::EqualBlocks,
                    _ => return None,
                };
                match answer {
                    "yes" => Asks::Call(Condition::Is(flag, true)),
                    "no" => Asks::Call(Condition::Is(flag, false)),
                    _ => return None,
                }
            }
        })
    }
}

/// MPICH 4.3 has some algorithms with a radix: `MPIR_Allgather_intra_k_brucks` with `k=4` below it.
fn with_radix(operation: Operation, name: &str, below: &[Branch]) -> Option<Method> {
    let Operation { collective, nonblocking } = operation;
    let radix = below.iter().find_map(|parameter| parameter.key.strip_prefix("k=")?.parse().ok());
    let algorithm = names::named(collective, nonblocking, &name.replacen("_k_", "_", 1))?;
    let radix: u32 = radix.filter(|&radix| radix >= 2)?;
    collective.defaults(algorithm)?.radix?;
    Some(Method { algorithm, settings: Settings { radix: Some(radix), ..Settings::default() } })
}

/// `avg_msg_size<=2048`
fn comparison(key: &str) -> Option<(&str, Relation, u64)> {
    let (name, rest) = key.split_once('<')?;
    let (relation, limit) = match rest.strip_prefix('=') {
        Some(limit) => (Relation::AtMost, limit),
        None => (Relation::Below, rest),
    };
    Some((name, relation, limit.parse().ok()?))
}
