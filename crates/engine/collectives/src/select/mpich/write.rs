//! Writes a selection file from rules.
//!
//! Rules are a list, a file is a tree: the first condition of the first rule divides the rules into those that can still apply if it holds
//! and those that can if it does not, and so on. Collectives without rules get those of our table of that MPICH, since MPICH ends a
//! program that calls a collective which the file does not have.

use std::fmt::Write as _;

use mpirage_call::Collective;
use thiserror::Error;

use super::super::rule::{Condition, Flag, Quantity, Relation, Rule};
use super::super::selector::Selector;
use super::{names, parameters};
use crate::operation::Operation;

/// An MPICH that a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MpichVersion {
    /// 4.0 to 4.2.
    V4_0,
    /// 4.3.
    V4_3,
}

/// A rule that MPICH cannot follow.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("MPICH cannot follow the rule `{rule}`: {reason}")]
pub struct UnwritableRule {
    /// The rule.
    pub rule: Rule,
    /// Why, and what to do.
    pub reason: String,
}

/// The file that makes MPICH follow these rules, of which the first that applies counts, and its own where none does.
pub fn write(rules: &[Rule], version: MpichVersion) -> Result<String, UnwritableRule> {
    let table = match version {
        MpichVersion::V4_0 => "mpich-4.0",
        MpichVersion::V4_3 => "mpich-4.3",
    };
    let builtin = Selector::named(table).expect("the table is part of the program");
    let mut text = String::from("{\n");
    for (number, operation) in operations(&builtin).enumerate() {
        let comma = if number > 0 { ",\n" } else { "" };
        let _ =
            writeln!(text, "{comma}  \"collective={}\": {{\n    \"comm_type=intra\": {{", name(operation));
        let mut list = Vec::new();
        for rule in rules.iter().filter(|rule| rule.operation == operation) {
            list.push(prepared(rule, version)?);
        }
        list.extend(builtin_rules(&builtin, operation).filter_map(|rule| prepared(&rule, version).ok()));
        branches(&list, &Known::default(), 3, &mut text);
        text.push_str("    }");
        if let Some(inter) = for_inter_communicators(operation) {
            let _ = write!(text, ",\n    \"comm_type=inter\": {{ {inter} }}");
        }
        text.push_str("\n  }");
    }
    for (collective, end) in NEIGHBORHOOD {
        let _ = write!(
            text,
            ",\n  \"collective=neighbor_{collective}\": {{ \"algorithm=MPIR_Neighbor_{collective}_allcomm_nb\": {{}} }}"
        );
        let _ = write!(
            text,
            ",\n  \"collective=ineighbor_{collective}\": {{ \"algorithm=MPIR_Ineighbor_{collective}_allcomm_sched_{end}\": {{}} }}"
        );
    }
    text.push_str("\n}\n");
    Ok(text)
}

const NEIGHBORHOOD: [(&str, &str); 5] = [
    ("allgather", "linear"),
    ("allgatherv", "linear"),
    ("alltoall", "linear"),
    ("alltoallv", "linear"),
    ("alltoallw", "linear"),
];

/// The operations that the library's table has rules for, blocking and non-blocking.
fn operations(table: &Selector) -> impl Iterator<Item = Operation> + '_ {
    let both = |collective| [false, true].map(|nonblocking| Operation { collective, nonblocking });
    let chosen = |collective: &Collective| table.rules().any(|rule| rule.operation.collective == *collective);
    Collective::ALL.into_iter().filter(chosen).flat_map(both)
}

fn name(operation: Operation) -> String {
    format!("{}{}", if operation.nonblocking { "i" } else { "" }, names::underscored(operation.collective))
}

/// The library's own rules; a non-blocking operation without rules has those of the blocking one.
fn builtin_rules(table: &Selector, operation: Operation) -> impl Iterator<Item = Rule> {
    let of = |operation| {
        table.rules().filter(move |rule| rule.operation == operation).cloned().collect::<Vec<_>>()
    };
    let own = of(operation);
    let blocking = Operation { nonblocking: false, ..operation };
    let rules = if own.is_empty() { of(blocking) } else { own };
    // Where ranks are is decided by the device; the file is for what follows.
    rules
        .into_iter()
        .filter(|rule| {
            !rule
                .conditions
                .iter()
                .any(|c| matches!(c, Condition::Compare(Quantity::Nodes | Quantity::RanksPerNode, ..)))
        })
        .map(move |rule| Rule { operation, ..rule })
}

/// A rule as MPICH knows it: questions, each with the answer that it wants, and the name of the algorithm.
struct Prepared {
    wants: Vec<(Question, bool)>,
    algorithm: String,
}

/// Something that a key asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    RanksAtMost(u64),
    PowerOfTwo,
    BytesAtMost(u64),
    TotalAtMost(u64),
    CountBelowPowerOfTwo,
    Commutative,
    BuiltIn,
    InPlace,
    EqualBlocks,
}

impl Question {
    /// The key that holds if the answer is yes, and the key beside it that holds otherwise.
    fn keys(self) -> (String, &'static str) {
        match self {
            Question::RanksAtMost(limit) => (format!("comm_size<={limit}"), "comm_size=any"),
            Question::PowerOfTwo => ("comm_size=pow2".to_owned(), "comm_size=any"),
            Question::BytesAtMost(limit) => (format!("avg_msg_size<={limit}"), "avg_msg_size=any"),
            Question::TotalAtMost(limit) => (format!("total_msg_size<={limit}"), "total_msg_size=any"),
            Question::CountBelowPowerOfTwo => ("count<pow2".to_owned(), "count=any"),
            Question::Commutative => ("is_commutative=yes".to_owned(), "is_commutative=no"),
            Question::BuiltIn => ("is_op_built_in=yes".to_owned(), "is_op_built_in=no"),
            Question::InPlace => ("is_sendbuf_inplace=yes".to_owned(), "is_sendbuf_inplace=no"),
            Question::EqualBlocks => ("is_block_regular=yes".to_owned(), "is_block_regular=no"),
        }
    }
}

fn prepared(rule: &Rule, version: MpichVersion) -> Result<Prepared, UnwritableRule> {
    let unwritable = |reason: String| UnwritableRule { rule: rule.clone(), reason };
    let Operation { collective, nonblocking } = rule.operation;
    let plain = names::written(collective, nonblocking, rule.method.algorithm);
    let newer = || parameters::written(rule.operation, rule.method).filter(|_| version == MpichVersion::V4_3);
    let algorithm = match plain {
        Some(name) => leaf(rule, name, version).map_err(unwritable)?,
        None => newer().ok_or_else(|| {
            unwritable(format!(
                "it has no algorithm {} for {collective}; it has {}",
                rule.method,
                names::known(collective, nonblocking).join(", ")
            ))
        })?,
    };
    let ranks = rule.conditions.iter().find_map(|condition| match condition {
        Condition::Compare(Quantity::Ranks, Relation::Equal, ranks) => Some(*ranks),
        _ => None,
    });
    let mut wants = Vec::new();
    for &condition in &rule.conditions {
        wants.extend(questions(rule.operation, condition, ranks).map_err(unwritable)?);
    }
    Ok(Prepared { wants, algorithm })
}

/// The key of an algorithm, with its radix below it. MPICH 4.0 has radix 2 only; 4.3 has another name for barriers of any radix.
fn leaf(rule: &Rule, name: String, version: MpichVersion) -> Result<String, String> {
    let radix = rule.method.settings.radix.unwrap_or(2);
    let dissemination = name == "MPIR_Barrier_intra_dissemination";
    if version == MpichVersion::V4_3 && (radix != 2 || dissemination) {
        let name = name.replacen("_intra_", "_intra_k_", 1);
        return Ok(format!("\"algorithm={name}\": {{ \"k={radix}\": {{}} }}"));
    }
    match radix {
        2 => Ok(format!("\"algorithm={name}\": {{}}")),
        _ => Err(format!(
            "MPICH 4.0 has {} with radix 2 only; leave the radix out, or use MPICH 4.3",
            rule.method.algorithm
        )),
    }
}

/// The questions of a condition and the answers it requires. `ranks` is the number of ranks, if the rule is for one number only.
fn questions(
    operation: Operation,
    condition: Condition,
    ranks: Option<u64>,
) -> Result<Vec<(Question, bool)>, String> {
    use Collective::{
        Allgather, Allgatherv, Allreduce, Alltoall, Alltoallv, Alltoallw, Bcast, Reduce, ReduceScatter,
        ReduceScatterBlock,
    };
    let collective = operation.collective;
    let none = |what: &str| Err(format!("it cannot ask {collective} for {what}; leave this condition out"));
    Ok(match condition {
        Condition::Compare(Quantity::Ranks, relation, limit) => {
            compared(relation, limit, Question::RanksAtMost)
        }
        Condition::Compare(Quantity::Bytes, relation, limit) => match (collective, ranks) {
            (Bcast | Reduce | Allreduce | Alltoall, _) => compared(relation, limit, Question::BytesAtMost),
            (Allgather | ReduceScatterBlock, Some(ranks)) => total_of_blocks(relation, limit, ranks),
            (Allgather | ReduceScatterBlock, None) => {
                return Err(
                    "it knows only the size of all blocks together; use total, or add ranks=N".to_owned()
                );
            }
            _ => return none("its size"),
        },
        Condition::Compare(quantity, relation, limit) if quantity == super::total(operation) => {
            match collective {
                Allgather | Allgatherv | ReduceScatter | ReduceScatterBlock => {
                    compared(relation, limit, Question::TotalAtMost)
                }
                _ => return none("the total of its blocks"),
            }
        }
        Condition::Is(Flag::PowerOfTwo, wanted) => vec![(Question::PowerOfTwo, wanted)],
        Condition::Is(Flag::ElementEach, wanted) if matches!(collective, Reduce | Allreduce) => {
            vec![(Question::CountBelowPowerOfTwo, !wanted)]
        }
        Condition::Is(Flag::Commutative, wanted)
            if collective.reduces() && !matches!(collective, Collective::Scan | Collective::Exscan) =>
        {
            vec![(Question::Commutative, wanted)]
        }
        Condition::Is(Flag::BuiltIn, wanted) if matches!(collective, Reduce | Allreduce) => {
            vec![(Question::BuiltIn, wanted)]
        }
        Condition::Is(Flag::InPlace, wanted) if matches!(collective, Alltoall | Alltoallv | Alltoallw) => {
            vec![(Question::InPlace, wanted)]
        }
        Condition::Is(Flag::EqualBlocks, wanted) if collective == ReduceScatter => {
            vec![(Question::EqualBlocks, wanted)]
        }
        other => return none(&format!("{other}")),
    })
}

/// A comparison as questions of "at most".
fn compared(relation: Relation, limit: u64, at_most: impl Fn(u64) -> Question) -> Vec<(Question, bool)> {
    // MPICH reads an int.
    let largest = u64::from(i32::MAX.unsigned_abs());
    let at_most = |limit: u64| at_most(limit.min(largest));
    match relation {
        Relation::AtMost => vec![(at_most(limit), true)],
        Relation::Below => vec![(at_most(limit.saturating_sub(1)), true)],
        Relation::Above => vec![(at_most(limit), false)],
        Relation::AtLeast if limit == 0 => vec![],
        Relation::AtLeast => vec![(at_most(limit - 1), false)],
        Relation::Equal if limit == 0 => vec![(at_most(0), true)],
        Relation::Equal => vec![(at_most(limit), true), (at_most(limit - 1), false)],
    }
}

/// Blocks of at most so many bytes are, all together, fewer than one byte more each.
fn total_of_blocks(relation: Relation, limit: u64, ranks: u64) -> Vec<(Question, bool)> {
    compared(relation, limit, |limit| {
        Question::TotalAtMost(
            (limit + 1).saturating_mul(ranks).saturating_sub(1).min(u64::from(i32::MAX.unsigned_abs())),
        )
    })
}

/// The questions answered on the path to a branch.
#[derive(Clone, Default)]
struct Known(Vec<(Question, bool)>);

impl Known {
    /// The answer to a question, if it follows from what is known.
    fn answer(&self, question: Question) -> Option<bool> {
        self.0.iter().find_map(|&(known, answer)| match (known, question) {
            _ if known == question => Some(answer),
            (Question::RanksAtMost(known), Question::RanksAtMost(asked))
            | (Question::BytesAtMost(known), Question::BytesAtMost(asked))
            | (Question::TotalAtMost(known), Question::TotalAtMost(asked)) => {
                if answer && known <= asked {
                    Some(true)
                } else if !answer && known >= asked {
                    Some(false)
                } else {
                    None
                }
            }
            _ => None,
        })
    }

    fn and(&self, question: Question, answer: bool) -> Known {
        Known([&self.0[..], &[(question, answer)]].concat())
    }
}

/// Writes the branches of these rules.
fn branches(rules: &[Prepared], known: &Known, depth: usize, text: &mut String) {
    let indent = "  ".repeat(depth);
    let possible = |rule: &&Prepared| {
        rule.wants.iter().all(|&(question, wanted)| known.answer(question) != Some(!wanted))
    };
    let Some(first) = rules.iter().find(possible) else {
        unreachable!("the library's own rules have one for every call");
    };
    let open = first.wants.iter().find(|&&(question, _)| known.answer(question).is_none());
    let Some(&(question, _)) = open else {
        let _ = writeln!(text, "{indent}{}", first.algorithm);
        return;
    };
    let (yes, no) = question.keys();
    let _ = writeln!(text, "{indent}\"{yes}\": {{");
    branches(rules, &known.and(question, true), depth + 1, text);
    let _ = writeln!(text, "{indent}}},\n{indent}\"{no}\": {{");
    branches(rules, &known.and(question, false), depth + 1, text);
    let _ = writeln!(text, "{indent}}}");
}

/// MPICH's algorithm between two groups; none for collectives that exist only within one group.
fn for_inter_communicators(operation: Operation) -> Option<String> {
    use Collective::*;
    let (blocking, other) = match operation.collective {
        Barrier => ("bcast", "bcast"),
        Bcast => ("remote_send_local_bcast", "flat"),
        Gather => ("linear", "long"),
        Scatter => ("linear", "linear"),
        Allgather => ("local_gather_remote_bcast", "local_gather_remote_bcast"),
        Allgatherv => ("remote_gather_local_bcast", "remote_gather_local_bcast"),
        Alltoall | Alltoallv | Alltoallw => ("pairwise_exchange", "pairwise_exchange"),
        Reduce => ("local_reduce_remote_send", "local_reduce_remote_send"),
        Allreduce => ("reduce_exchange_bcast", "remote_reduce_local_bcast"),
        ReduceScatter => ("remote_reduce_local_scatter", "remote_reduce_local_scatterv"),
        ReduceScatterBlock => ("remote_reduce_local_scatter", "remote_reduce_local_scatterv"),
        _ => return None,
    };
    let name = names::underscored(operation.collective);
    Some(match operation.nonblocking {
        true => format!("\"algorithm=MPIR_I{name}_inter_sched_{other}\": {{}}"),
        false => format!(
            "\"algorithm=MPIR_{}{}_inter_{blocking}\": {{}}",
            name[..1].to_ascii_uppercase(),
            &name[1..]
        ),
    })
}
