//! Open MPI's file of dynamic rules: `--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename FILE`.
//!
//! ```text
//! rule-file-version-2    # optional; then a rule may have a fifth number, the limit of requests (Open MPI 5.0)
//! 1                      # collectives in this file
//! 7                      # number of a collective: bcast
//! 2                      # sizes of communicators, ascending
//! 8 1                    # from 8 ranks on (the first also for fewer): one rule
//! 0 1 0 0                # from 0 bytes on: algorithm 1, fan-out 0, segments of 0 bytes
//! 64 2                   # from 64 ranks on: two rules
//! 0 6 0 0
//! 65536 3 0 8192
//! ```
//!
//! Algorithm 0 leaves the decision to the library. What a size counts depends on the collective: the vector (bcast, reduce, allreduce), all
//! blocks together (gather, scatter, allgather, alltoall, reduce_scatter), the average block (allgatherv), or nothing.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use mpirage_call::{Algorithm, Collective, Method, Settings};
use thiserror::Error;

use super::rule::{Condition, Flag, Quantity, Rule, RuleError};
use super::selector::{Selector, SelectorError};
use crate::operation::Operation;
use crate::performed::Performed;
use crate::selectors::read_method;

/// The collectives by Open MPI's numbers; neighbourhood collectives follow.
const COLLECTIVES: [Collective; 17] = [
    Collective::Allgather,
    Collective::Allgatherv,
    Collective::Allreduce,
    Collective::Alltoall,
    Collective::Alltoallv,
    Collective::Alltoallw,
    Collective::Barrier,
    Collective::Bcast,
    Collective::Exscan,
    Collective::Gather,
    Collective::Gatherv,
    Collective::Reduce,
    Collective::ReduceScatter,
    Collective::ReduceScatterBlock,
    Collective::Scan,
    Collective::Scatter,
    Collective::Scatterv,
];
const NUMBERS: u64 = 22;
const VERSION: &str = "rule-file-version-";

/// An algorithm of Open MPI: its number, and what we call it. Before the method stand the calls for which it falls back to another one.
/// `{fan-out}`, `{segment}` and `{requests}` are numbers of the rule, `{parts}` is the table of its version.
struct Known {
    collective: Collective,
    number: u64,
    methods: &'static [&'static str],
}

const fn known(collective: Collective, number: u64, methods: &'static [&'static str]) -> Known {
    Known { collective, number, methods }
}

/// The algorithms of coll/tuned. Those of two processes are what others do then.
const ALGORITHMS: &[Known] = {
    use Collective::*;
    &[
        known(Allgather, 1, &["composed:parts={parts}"]),
        known(Allgather, 2, &["bruck"]),
        known(Allgather, 3, &["power-of-two=no bruck", "recursive-doubling"]),
        known(Allgather, 4, &["ring"]),
        known(Allgather, 5, &["neighbor-exchange"]),
        known(Allgather, 6, &["ring"]),
        known(Allgatherv, 1, &["composed:parts={parts}"]),
        known(Allgatherv, 2, &["bruck"]),
        known(Allgatherv, 3, &["ring"]),
        known(Allgatherv, 4, &["neighbor-exchange"]),
        known(Allgatherv, 5, &["ring"]),
        known(Allreduce, 1, &["linear:requests=1"]),
        known(Allreduce, 2, &["composed:parts={parts}"]),
        known(Allreduce, 3, &["recursive-doubling"]),
        known(Allreduce, 4, &["element-per-rank=no recursive-doubling", "overlapped-ring"]),
        known(Allreduce, 5, &["element-per-rank=no recursive-doubling", "overlapped-ring:segment={segment}"]),
        known(Allreduce, 6, &["element-each=no linear:requests=1", "halved-rabenseifner"]),
        known(Alltoall, 1, &["linear"]),
        known(Alltoall, 2, &["pairwise"]),
        known(Alltoall, 3, &["bruck"]),
        known(Alltoall, 4, &["linear:requests={requests}"]),
        known(Alltoall, 5, &["pairwise"]),
        known(Alltoallv, 1, &["rank-order"]),
        known(Alltoallv, 2, &["pairwise"]),
        known(Barrier, 1, &["linear:sends=in-order"]),
        known(Barrier, 2, &["double-ring"]),
        known(Barrier, 3, &["surplus-doubling"]),
        known(Barrier, 4, &["dissemination"]),
        known(Barrier, 5, &["dissemination"]),
        known(Barrier, 6, &["binomial"]),
        known(Bcast, 1, &["linear"]),
        known(Bcast, 2, &["chain:segment={segment}:radix={fan-out}"]),
        known(Bcast, 3, &["chain:segment={segment}:radix=1"]),
        known(Bcast, 4, &["split-binary:segment={segment}"]),
        known(Bcast, 5, &["strided-tree:segment={segment}:radix=2"]),
        known(Bcast, 6, &["strided-binomial:segment={segment}"]),
        known(Bcast, 7, &["k-nomial:segment={segment}:radix=4"]),
        known(Bcast, 8, &["element-per-rank=no linear", "scatter-subtrees"]),
        known(Bcast, 9, &["element-per-rank=no linear", "scatter-ring"]),
        known(Exscan, 1, &["linear"]),
        known(Exscan, 2, &["recursive-doubling"]),
        known(Gather, 1, &["linear:requests=1"]),
        known(Gather, 2, &["binomial"]),
        known(Gather, 3, &["linear-sync:segment={segment}"]),
        known(Reduce, 1, &["linear:requests=1"]),
        known(Reduce, 2, &["chain:segment={segment}:radix={fan-out}:requests={requests}"]),
        known(Reduce, 3, &["chain:segment={segment}:radix=1:requests={requests}"]),
        known(Reduce, 4, &["strided-tree:segment={segment}:radix=2:requests={requests}"]),
        known(Reduce, 5, &["k-nomial:segment={segment}:radix=2:requests={requests}"]),
        known(Reduce, 6, &["in-order-binary:segment={segment}:requests={requests}"]),
        known(Reduce, 7, &["element-each=no linear:requests=1", "halved-rabenseifner"]),
        known(ReduceScatter, 1, &["composed:parts={parts}"]),
        known(ReduceScatter, 2, &["recursive-halving"]),
        known(ReduceScatter, 3, &["overlapped-ring"]),
        known(ReduceScatter, 4, &["butterfly"]),
        known(ReduceScatterBlock, 1, &["composed:parts={parts}"]),
        known(ReduceScatterBlock, 2, &["subtree-doubling"]),
        known(ReduceScatterBlock, 3, &["recursive-halving"]),
        known(ReduceScatterBlock, 4, &["butterfly"]),
        known(Scan, 1, &["linear"]),
        known(Scan, 2, &["recursive-doubling"]),
        known(Scatter, 1, &["linear:sends=in-order"]),
        known(Scatter, 2, &["binomial"]),
        known(Scatter, 3, &["linear"]),
    ]
};

/// Why a file of dynamic rules cannot be read or written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DynamicError {
    /// The file ends too early.
    #[error("the file ends where {0} is expected; the numbers before say how many rules follow")]
    Ended(&'static str),
    /// Something that is no number.
    #[error("`{word}` stands where {expected} is expected; write a whole number, and comments behind a #")]
    NoNumber {
        /// The word in the file.
        word: String,
        /// The number that is expected there.
        expected: &'static str,
    },
    /// More follows.
    #[error("`{0}` follows after the last rule; correct the numbers that say how many rules there are")]
    Surplus(String),
    /// No such collective.
    #[error(
        "{0} is no number of a collective; they go from 0 (allgather) to 16 (scatterv), bcast is 7, allreduce 2"
    )]
    NoCollective(u64),
    /// Not decided by Open MPI's rules.
    #[error("Open MPI has no rules for {0}; remove them")]
    NoRules(String),
    /// No such algorithm.
    #[error("{collective} has no algorithm {number} in Open MPI; it has {list}, and 0 for its own decision", list = numbers(*collective))]
    NoAlgorithm {
        /// The collective.
        collective: Collective,
        /// The number as given.
        number: u64,
    },
    /// The first rule of a communicator must be for all sizes.
    #[error(
        "the first rule of a communicator is from 0 bytes on, not from {0}; Open MPI refuses the file otherwise"
    )]
    FirstSize(u64),
    /// Sizes are in order.
    #[error("{after} follows after {before}; sort {what} in ascending order")]
    Order {
        /// The numbers that are not in order.
        what: &'static str,
        /// The number before.
        before: u64,
        /// The number that is not larger.
        after: u64,
    },
    /// Open MPI looks at something else than the size of the message.
    #[error(
        "Open MPI does not look at the message of a {0} here, but at its type; give the same algorithm for all sizes"
    )]
    SizeOfType(Collective),
    /// Nothing in Open MPI does this.
    #[error("Open MPI has no algorithm like {method} for {collective}")]
    NoNumberFor {
        /// The collective.
        collective: Collective,
        /// The method.
        method: Method,
    },
}

fn numbers(collective: Collective) -> String {
    let known = ALGORITHMS.iter().filter(|known| known.collective == collective);
    let list: Vec<_> = known.map(|known| format!("{} ({})", known.number, last(known.methods))).collect();
    if list.is_empty() { "none".to_owned() } else { list.join(", ") }
}

/// The method itself, after those of special cases.
fn last(methods: &[&'static str]) -> &'static str {
    methods.last().expect("an algorithm has a method").split(':').next().unwrap_or_default()
}

/// Whether a text is such a file: it begins with a number or a version.
pub(super) fn is_dynamic_rules(text: &str) -> bool {
    let first = text.lines().flat_map(|line| line.split('#').next()).flat_map(str::split_whitespace).next();
    first.is_some_and(|word| word.starts_with(VERSION) || word.parse::<u64>().is_ok())
}

/// Reads the file. What it has no rules for is performed as by the library's own decisions.
pub(super) fn read_dynamic_rules(text: &str) -> Result<Selector, SelectorError> {
    let mut words = Words::of(text);
    let version = words.version();
    let base = if version > 1 { "openmpi-5.0" } else { "openmpi-4.1" };
    let mut reader = Reader { base, with_requests: version > 1, rules: BTreeMap::new() };
    let read = reader.file(&mut words).and_then(|()| words.end());
    read.map_err(|error| SelectorError { line: words.line, error: RuleError::OpenMpi(error) })?;
    Ok(reader.selector())
}

/// The numbers of a file, with the lines they stand in.
struct Words<'a> {
    words: std::iter::Peekable<Box<dyn Iterator<Item = (usize, &'a str)> + 'a>>,
    line: usize,
}

impl<'a> Words<'a> {
    fn of(text: &'a str) -> Self {
        let lines = text.lines().enumerate();
        let words = lines.flat_map(|(index, line)| {
            let said = line.split('#').next().unwrap_or_default();
            said.split_whitespace().map(move |word| (index + 1, word))
        });
        let words: Box<dyn Iterator<Item = (usize, &'a str)> + 'a> = Box::new(words);
        Words { words: words.peekable(), line: 1 }
    }

    /// The version at the beginning, 1 if there is none.
    fn version(&mut self) -> u64 {
        let version = self.words.peek().and_then(|(_, word)| word.strip_prefix(VERSION));
        let Some(version) = version.and_then(|number| number.parse().ok()) else { return 1 };
        self.words.next();
        version
    }

    fn number(&mut self, expected: &'static str) -> Result<u64, DynamicError> {
        let (line, word) = self.words.next().ok_or(DynamicError::Ended(expected))?;
        self.line = line;
        word.parse().map_err(|_| DynamicError::NoNumber { word: word.to_owned(), expected })
    }

    /// A number that follows in the same line, if there is one.
    fn optional(&mut self) -> Result<Option<u64>, DynamicError> {
        match self.words.peek() {
            Some(&(line, _)) if line == self.line => self.number("the limit of requests").map(Some),
            _ => Ok(None),
        }
    }

    fn end(&mut self) -> Result<(), DynamicError> {
        match self.words.next() {
            None => Ok(()),
            Some((line, word)) => {
                self.line = line;
                Err(DynamicError::Surplus(word.to_owned()))
            }
        }
    }
}

/// One line of the file: from so many bytes on.
#[derive(Clone, Copy)]
struct SizeRule {
    size: u64,
    number: u64,
    fan_out: u64,
    segment: u64,
    requests: u64,
}

struct Reader {
    base: &'static str,
    with_requests: bool,
    rules: BTreeMap<Collective, Vec<Rule>>,
}

impl Reader {
    fn file(&mut self, words: &mut Words) -> Result<(), DynamicError> {
        for _ in 0..words.number("the number of collectives")? {
            let number = words.number("the number of a collective")?;
            let collective = usize::try_from(number).ok().and_then(|number| COLLECTIVES.get(number)).copied();
            let Some(collective) = collective else {
                return Err(if number < NUMBERS {
                    DynamicError::NoRules("neighbourhood collectives".to_owned())
                } else {
                    DynamicError::NoCollective(number)
                });
            };
            let rules = self.collective(collective, words)?;
            if !rules.is_empty() {
                self.rules.insert(collective, rules);
            }
        }
        Ok(())
    }

    fn collective(&self, collective: Collective, words: &mut Words) -> Result<Vec<Rule>, DynamicError> {
        let count = words.number("how many sizes of communicators there are")?;
        let (mut sizes, mut sets): (Vec<u64>, Vec<Vec<SizeRule>>) = (vec![], vec![]);
        for _ in 0..count {
            let ranks = words.number("the size of a communicator")?;
            ascending("the sizes of communicators", sizes.last(), ranks)?;
            sizes.push(ranks);
            sets.push(self.set(collective, words)?);
        }
        // The first set holds for smaller communicators, too.
        let first_ranks = std::iter::once(0).chain(sizes.iter().copied().skip(1));
        let last_ranks = sizes.iter().skip(1).map(|&next| next - 1).chain([u64::MAX]);
        let mut rules = vec![];
        for ((first, last), set) in first_ranks.zip(last_ranks).zip(&sets) {
            let ranks: Vec<_> = Condition::within(Quantity::Ranks, first..=last).collect();
            rules.extend(self.set_rules(collective, &ranks, set)?);
        }
        Ok(rules)
    }

    fn set(&self, collective: Collective, words: &mut Words) -> Result<Vec<SizeRule>, DynamicError> {
        let mut set: Vec<SizeRule> = vec![];
        for _ in 0..words.number("how many rules follow")? {
            let size = words.number("a size in bytes")?;
            if set.is_empty() && size > 0 {
                return Err(DynamicError::FirstSize(size));
            }
            ascending("the sizes of messages", set.last().map(|rule| &rule.size), size)?;
            let (number, fan_out) = (words.number("an algorithm")?, words.number("the fan-out")?);
            let segment = words.number("the size of segments")?;
            let requests = if self.with_requests { words.optional()?.unwrap_or(0) } else { 0 };
            if number > 0 && find(collective, number).is_none() {
                return Err(DynamicError::NoAlgorithm { collective, number });
            }
            set.push(SizeRule { size, number, fan_out, segment, requests });
        }
        Ok(set)
    }

    /// The rules of one size of communicators.
    fn set_rules(
        &self,
        collective: Collective,
        ranks: &[Condition],
        set: &[SizeRule],
    ) -> Result<Vec<Rule>, DynamicError> {
        let Some(quantity) = quantity(collective) else {
            // Open MPI compares with 0 bytes, or with the size of the type.
            let looks_at_type = matches!(collective, Collective::Scan | Collective::Exscan);
            if looks_at_type && set.iter().any(|rule| rule.number != set[0].number) {
                return Err(DynamicError::SizeOfType(collective));
            }
            return Ok(set
                .first()
                .map_or_else(|| self.own(collective, ranks), |rule| self.rule(collective, ranks, rule)));
        };
        let ends = set.iter().skip(1).map(|next| next.size - 1).chain([u64::MAX]);
        let sized = set.iter().zip(ends).flat_map(|(rule, end)| {
            let sizes = Condition::within(quantity, rule.size..=end);
            self.rule(collective, &ranks.iter().copied().chain(sizes).collect::<Vec<_>>(), rule)
        });
        let mut rules: Vec<_> = sized.collect();
        if set.is_empty() {
            rules = self.own(collective, ranks);
        }
        Ok(rules)
    }

    /// One line of the file as rules of ours.
    fn rule(&self, collective: Collective, conditions: &[Condition], rule: &SizeRule) -> Vec<Rule> {
        let Some(known) = find(collective, rule.number) else { return self.own(collective, conditions) };
        let written = |method: &str| {
            let method = method
                .replace("{parts}", self.base)
                .replace("{segment}", &rule.segment.to_string())
                .replace("{fan-out}", &rule.fan_out.max(1).to_string())
                .replace("{requests}", &rule.requests.to_string());
            let mut rule =
                Rule::parse(&format!("{collective} {method}")).expect("the table of algorithms is right");
            rule.conditions.splice(0..0, conditions.iter().copied());
            rule
        };
        known.methods.iter().copied().map(written).collect()
    }

    /// The library's own decision where these conditions hold.
    fn own(&self, collective: Collective, conditions: &[Condition]) -> Vec<Rule> {
        let own = base_rules(self.base, collective.into());
        own.map(|mut rule| {
            rule.conditions.splice(0..0, conditions.iter().copied());
            rule
        })
        .collect()
    }

    fn selector(self) -> Selector {
        let mut selector = Selector::default();
        let base = Selector::named(self.base).expect("there is a table for each version");
        for rule in base.rules().filter(|rule| {
            !self.rules.contains_key(&rule.operation.collective)
                || rule.operation.nonblocking
                || comes_first(rule)
        }) {
            selector.push(rule.clone());
        }
        self.rules.into_values().flatten().for_each(|rule| selector.push(rule));
        selector
    }
}

fn ascending(what: &'static str, before: Option<&u64>, after: u64) -> Result<(), DynamicError> {
    match before {
        Some(&before) if before >= after => Err(DynamicError::Order { what, before, after }),
        _ => Ok(()),
    }
}

fn find(collective: Collective, number: u64) -> Option<&'static Known> {
    ALGORITHMS.iter().find(|known| (known.collective, known.number) == (collective, number))
}

fn base_rules(table: &str, operation: Operation) -> impl Iterator<Item = Rule> {
    let base = Selector::named(table).expect("there is a table for each version");
    let rules: Vec<_> =
        base.rules().filter(|rule| rule.operation == operation && !comes_first(rule)).cloned().collect();
    rules.into_iter()
}

/// Whether the library decides this before it looks at rules: calls that move nothing, and data in place.
fn comes_first(rule: &Rule) -> bool {
    rule.method.algorithm == Algorithm::Nothing
        || rule.conditions.contains(&Condition::Is(Flag::InPlace, true))
}

/// The quantity that Open MPI compares with the sizes of its file; none if it is not the message size.
fn quantity(collective: Collective) -> Option<Quantity> {
    use Collective::*;
    match collective {
        Bcast | Reduce | Allreduce => Some(Quantity::Bytes),
        Gather | Scatter | Allgather | Alltoall | ReduceScatter | ReduceScatterBlock => Some(Quantity::Total),
        Allgatherv => Some(Quantity::Average),
        _ => None,
    }
}

/// A decision for Open MPI's file: from so many ranks and bytes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The collective.
    pub collective: Collective,
    /// Communicators of that size, and larger ones up to the next decision.
    pub ranks: u32,
    /// Bytes as in `Shape::bytes`, the average block where blocks differ; up to the next decision.
    pub bytes: u64,
    /// The method; none leaves the decision to the library.
    pub method: Option<Method>,
}

/// Writes the file of dynamic rules, for Open MPI 4.1 and 5.0. Communicators that are smaller than the smallest in the decisions of a
/// collective, and smaller messages, are left to the library.
pub fn write_dynamic_rules(decisions: &[Decision]) -> Result<String, DynamicError> {
    let mut sorted: BTreeMap<u64, BTreeMap<u32, BTreeMap<u64, Numbers>>> = BTreeMap::new();
    for decision in decisions {
        let collective = decision.collective;
        let number = COLLECTIVES.iter().position(|&known| known == collective).unwrap_or_default() as u64;
        let numbers =
            decision.method.map_or(Ok(Numbers::default()), |method| numbers_of(collective, method))?;
        let set = sorted.entry(number).or_default().entry(decision.ranks).or_default();
        set.insert(size_in_file(decision), numbers);
    }
    let mut text = format!("{}   # collectives\n", sorted.len());
    for (number, mut communicators) in sorted {
        let collective = COLLECTIVES[number as usize];
        communicators.entry(0).or_default();
        let _ =
            writeln!(text, "{number}   # {collective}\n{}   # sizes of communicators", communicators.len());
        for (ranks, mut set) in communicators {
            set.entry(0).or_default();
            let _ = writeln!(text, "{ranks} {}   # from {ranks} ranks on: rules", set.len());
            for (size, Numbers { algorithm, fan_out, segment }) in set {
                let _ = writeln!(text, "{size} {algorithm} {fan_out} {segment}");
            }
        }
    }
    Ok(text)
}

/// Open MPI compares all blocks together for some collectives.
fn size_in_file(decision: &Decision) -> u64 {
    match quantity(decision.collective) {
        None => 0,
        Some(Quantity::Total) => decision.bytes.saturating_mul(decision.ranks.into()),
        Some(_) => decision.bytes,
    }
}

#[derive(Clone, Copy, Default)]
struct Numbers {
    algorithm: u64,
    fan_out: u32,
    segment: u64,
}

/// The algorithm of Open MPI that does what a method says, and its parameters.
fn numbers_of(collective: Collective, method: Method) -> Result<Numbers, DynamicError> {
    let no_number = DynamicError::NoNumberFor { collective, method };
    let defaults = collective.defaults(method.algorithm).unwrap_or_default();
    let wanted = method.settings.or(defaults);
    let (segment, radix) = (wanted.segment.unwrap_or(0), wanted.radix.unwrap_or(0));
    let candidates = ALGORITHMS.iter().filter(|known| known.collective == collective).filter_map(|known| {
        let text = known.methods.last()?;
        let filled =
            text.replace("{segment}", &segment.to_string()).replace("{fan-out}", &radix.max(1).to_string());
        // A limit of requests is not in the file; the table of parts is that of the library.
        let filled = filled.replace("{requests}", "0").replace("{parts}", "openmpi-4.1");
        let does = read_method(&filled).ok()?;
        let does_all = Settings { parts: wanted.parts, ..does.settings.or(defaults) };
        let fan_out = if text.contains("{fan-out}") { radix } else { 0 };
        let segment = if text.contains("{segment}") { segment } else { 0 };
        (does.algorithm == method.algorithm && does_all == wanted).then_some(Numbers {
            algorithm: known.number,
            fan_out,
            segment,
        })
    });
    // Of several that do the same, the one with fewer parameters.
    candidates.min_by_key(|numbers| (numbers.fan_out, numbers.segment)).ok_or(no_number)
}
