//! One rule: what holds for a call, and the method it is performed with then.
//!
//! ```text
//! allreduce ranks<=4 bytes<4096 recursive-doubling
//! ibcast bytes>=64KiB power-of-two=yes chain:segment=64KiB
//! ```

use std::fmt;
use std::ops::RangeInclusive;

use mpirage_call::{Collective, Method, MethodError, Settings};
use mpirage_units::{parse_size, written_size};
use thiserror::Error;

use super::openmpi::DynamicError;
use crate::algorithms::{nccl, simgrid};
use crate::operation::Operation;
use crate::performed::Performed;
use crate::selectors::read_method;
use crate::shape::Shape;
use crate::shaped::Shaped;

/// A number that a rule compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// Ranks in the communicator.
    Ranks,
    /// Nodes that these ranks run on.
    Nodes,
    /// Ranks on the node that has most of them.
    RanksPerNode,
    /// The vector or block, as [`Shape::bytes`] says.
    Bytes,
    /// All blocks together; for collectives without blocks the vector.
    Total,
    /// All blocks together, divided by the number of ranks.
    Average,
    /// Whole elements in the vector.
    Elements,
    /// Whole elements in all blocks together.
    TotalElements,
}

/// A property that a call has or has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flag {
    /// The number of ranks is a power of two.
    PowerOfTwo,
    /// The number of ranks is even.
    Even,
    /// The vector has an element for each rank of the largest power of two.
    ElementEach,
    /// The vector has an element for each rank.
    ElementPerRank,
    /// All ranks have blocks of the same size.
    EqualBlocks,
    /// All nodes have as many ranks.
    EvenNodes,
    /// Operands of the reduction may change places.
    Commutative,
    /// The operation of the reduction is one of MPI's own.
    BuiltIn,
    /// The input lies where the output will be (`MPI_IN_PLACE`).
    InPlace,
}

const QUANTITIES: [(&str, Quantity); 8] = [
    ("ranks", Quantity::Ranks),
    ("nodes", Quantity::Nodes),
    ("ranks-per-node", Quantity::RanksPerNode),
    ("bytes", Quantity::Bytes),
    ("total", Quantity::Total),
    ("average", Quantity::Average),
    ("elements", Quantity::Elements),
    ("total-elements", Quantity::TotalElements),
];
const FLAGS: [(&str, Flag); 9] = [
    ("power-of-two", Flag::PowerOfTwo),
    ("even", Flag::Even),
    ("element-each", Flag::ElementEach),
    ("element-per-rank", Flag::ElementPerRank),
    ("equal-blocks", Flag::EqualBlocks),
    ("even-nodes", Flag::EvenNodes),
    ("commutative", Flag::Commutative),
    ("built-in", Flag::BuiltIn),
    ("in-place", Flag::InPlace),
];
const RELATIONS: [(&str, Relation); 5] = [
    // `<=` before `<`, so that it is found first.
    ("<=", Relation::AtMost),
    (">=", Relation::AtLeast),
    ("<", Relation::Below),
    (">", Relation::Above),
    ("=", Relation::Equal),
];

/// How a number compares with a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// `<`
    Below,
    /// `<=`
    AtMost,
    /// `=`
    Equal,
    /// `>=`
    AtLeast,
    /// `>`
    Above,
}

impl Relation {
    fn holds(self, value: u64, limit: u64) -> bool {
        match self {
            Relation::Below => value < limit,
            Relation::AtMost => value <= limit,
            Relation::Equal => value == limit,
            Relation::AtLeast => value >= limit,
            Relation::Above => value > limit,
        }
    }
}

/// Something that must hold for a rule to apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// A number compares with a limit.
    Compare(Quantity, Relation, u64),
    /// A property is there, or not.
    Is(Flag, bool),
}

impl Condition {
    /// The number is in a range.
    pub fn within(quantity: Quantity, range: RangeInclusive<u64>) -> impl Iterator<Item = Condition> {
        let (first, last) = range.into_inner();
        let from = (first > 0).then_some(Condition::Compare(quantity, Relation::AtLeast, first));
        let to = (last < u64::MAX).then_some(Condition::Compare(quantity, Relation::AtMost, last));
        from.into_iter().chain(to)
    }

    fn holds(&self, collective: Collective, shape: &Shape) -> bool {
        match *self {
            Condition::Compare(quantity, relation, limit) => {
                relation.holds(quantity.of(collective, shape), limit)
            }
            Condition::Is(flag, wanted) => flag.of(collective, shape) == wanted,
        }
    }

    /// Does it depend on where ranks run?
    fn reads_nodes(&self) -> bool {
        matches!(
            self,
            Condition::Compare(Quantity::Nodes | Quantity::RanksPerNode, ..)
                | Condition::Is(Flag::EvenNodes, _)
        )
    }

    fn reads_size(&self) -> bool {
        matches!(
            self,
            Condition::Compare(
                Quantity::Bytes
                    | Quantity::Total
                    | Quantity::Average
                    | Quantity::Elements
                    | Quantity::TotalElements,
                ..
            ) | Condition::Is(Flag::ElementEach | Flag::ElementPerRank | Flag::EqualBlocks, _)
        )
    }
}

impl Quantity {
    fn of(self, collective: Collective, shape: &Shape) -> u64 {
        match self {
            Quantity::Ranks => u64::from(shape.size),
            Quantity::Nodes => u64::from(shape.nodes.map_or(shape.size, |nodes| nodes.count())),
            Quantity::RanksPerNode => u64::from(shape.nodes.map_or(1, |nodes| nodes.most_ranks())),
            Quantity::Bytes => shape.bytes,
            Quantity::Total => collective.total(shape),
            Quantity::Average => collective.total(shape) / u64::from(shape.size),
            Quantity::Elements => shape.elements(),
            Quantity::TotalElements => collective.total(shape) / shape.element.max(1),
        }
    }
}

impl Flag {
    fn of(self, collective: Collective, shape: &Shape) -> bool {
        match self {
            Flag::PowerOfTwo => shape.size.is_power_of_two(),
            Flag::Even => shape.size.is_multiple_of(2),
            Flag::ElementEach => shape.elements() >= 1 << shape.size.ilog2(),
            Flag::ElementPerRank => shape.elements() >= u64::from(shape.size),
            Flag::EqualBlocks => shape.recv_counts.windows(2).all(|pair| pair[0] == pair[1]),
            Flag::EvenNodes => {
                shape.nodes.is_none_or(|nodes| nodes.count() * nodes.most_ranks() == shape.size)
            }
            Flag::Commutative => shape.commutative,
            Flag::BuiltIn => shape.built_in,
            // Of a rooted collective only the root is in place, and the others do not know it.
            Flag::InPlace => shape.in_place && !collective.is_rooted(),
        }
    }
}

/// The method for calls of which all conditions hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The operation it applies to.
    pub operation: Operation,
    /// The conditions, all of which must hold.
    pub conditions: Vec<Condition>,
    /// The method to use.
    pub method: Method,
}

/// Why a text is no rule.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RuleError {
    /// There is no such collective.
    #[error("there is no collective `{0}`; there are {list}; of these neighbor-… among neighbours, inter-… between the sides of an inter-communicator, and each with an i in front if it does not block", list = collectives())]
    UnknownCollective(String),
    /// A condition does not read as one.
    #[error("`{0}` is no condition; write as in ranks<=8, bytes>=64KiB or commutative=yes")]
    BadCondition(String),
    /// Ranks would choose differently.
    #[error("a rule for {0} cannot read sizes, since ranks know different ones")]
    ReadsSize(Operation),
    /// NCCL has it, and we do not.
    #[error("{0} is not implemented: {1}; write nccl/ring, nccl/tree, nccl/pat, nccl/grouped or nccl/tuned")]
    NotOfNccl(String, &'static str),
    /// The line has no method.
    #[error("a rule is: collective, conditions, algorithm; as in allreduce bytes<4096 recursive-doubling")]
    Incomplete,
    /// Open MPI's file of dynamic rules is not right.
    #[error(transparent)]
    OpenMpi(#[from] DynamicError),
    /// The method does not read as one.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// The algorithm is none of this collective's.
    #[error("{collective} has no algorithm `{name}`; it has {list}", list = algorithms(*collective))]
    NotForCollective {
        /// The collective it was wanted for.
        collective: Collective,
        /// The name as given.
        name: String,
    },
    /// The algorithm does not have this parameter.
    #[error("{method} of {collective} has no parameter {parameter}")]
    NoSuchParameter {
        /// The collective.
        collective: Collective,
        /// The method as given.
        method: Method,
        /// The parameter it does not have.
        parameter: &'static str,
    },
}

impl Rule {
    /// A rule that can be followed; an error says why it cannot.
    pub fn new(operation: Operation, conditions: Vec<Condition>, method: Method) -> Result<Rule, RuleError> {
        let Operation { collective, .. } = operation;
        let Some(defaults) = collective.defaults(method.algorithm) else {
            return Err(RuleError::NotForCollective { collective, name: method.algorithm.to_string() });
        };
        if let Some(parameter) = not_among(method.settings, defaults) {
            return Err(RuleError::NoSuchParameter { collective, method, parameter });
        }
        if !collective.sizes_are_known() && conditions.iter().any(Condition::reads_size) {
            return Err(RuleError::ReadsSize(operation));
        }
        Ok(Rule { operation, conditions, method })
    }

    /// Reads `allreduce ranks<=4 bytes<4096 recursive-doubling`.
    pub fn parse(line: &str) -> Result<Rule, RuleError> {
        let mut words: Vec<&str> = line.split_whitespace().collect();
        let (Some(method), Some(&name)) = (words.pop(), words.first()) else {
            return Err(RuleError::Incomplete);
        };
        let operation =
            Operation::from_name(name).ok_or_else(|| RuleError::UnknownCollective(name.to_owned()))?;
        let conditions = words[1..].iter().map(|word| word.parse()).collect::<Result<_, _>>()?;
        Rule::new(operation, conditions, parse_method(operation.collective, method)?)
    }

    /// Does it depend on where ranks run?
    pub(crate) fn reads_nodes(&self) -> bool {
        self.conditions.iter().any(Condition::reads_nodes) || self.method.algorithm.reads_nodes()
    }

    /// Does it apply to a call of this shape? The shape is normalized.
    pub(crate) fn applies(&self, shape: &Shape) -> bool {
        let collective = self.operation.collective;
        self.conditions.iter().all(|condition| condition.holds(collective, shape))
            && collective.fits(self.method.algorithm, shape)
    }
}

/// A method of this collective; an unknown name gets a list of those there are.
pub(crate) fn parse_method(collective: Collective, text: &str) -> Result<Method, RuleError> {
    let name = text.split(':').next().unwrap_or_default().trim().to_ascii_lowercase().replace('_', "-");
    if let Some(reason) = nccl::missing(&name) {
        return Err(RuleError::NotOfNccl(name, reason));
    }
    read_method(&simgrid::spelled(collective, text)).map_err(|error| match error {
        MethodError::UnknownAlgorithm(name) => RuleError::NotForCollective { collective, name },
        other => RuleError::Method(other),
    })
}

fn not_among(given: Settings, known: Settings) -> Option<&'static str> {
    given.names().find(|&name| known.names().all(|other| other != name))
}

impl std::str::FromStr for Condition {
    type Err = RuleError;

    fn from_str(word: &str) -> Result<Self, RuleError> {
        let bad = || RuleError::BadCondition(word.to_owned());
        let split = RELATIONS
            .iter()
            .find_map(|&(sign, relation)| word.split_once(sign).map(|(name, value)| (name, relation, value)));
        let (name, relation, value) = split.ok_or_else(bad)?;
        if let Some(&(_, quantity)) = QUANTITIES.iter().find(|(known, _)| *known == name) {
            return Ok(Condition::Compare(quantity, relation, parse_size(value).ok_or_else(bad)?));
        }
        let flag = FLAGS.iter().find(|(known, _)| *known == name).filter(|_| relation == Relation::Equal);
        match (flag, value) {
            (Some(&(_, flag)), "yes") => Ok(Condition::Is(flag, true)),
            (Some(&(_, flag)), "no") => Ok(Condition::Is(flag, false)),
            _ => Err(bad()),
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::Compare(quantity, relation, limit) => {
                let name =
                    QUANTITIES.iter().find(|(_, known)| known == quantity).map_or("", |(name, _)| name);
                let sign = RELATIONS.iter().find(|(_, known)| known == relation).map_or("", |(sign, _)| sign);
                match quantity {
                    Quantity::Bytes | Quantity::Total => write!(f, "{name}{sign}{}", written_size(*limit)),
                    _ => write!(f, "{name}{sign}{limit}"),
                }
            }
            Condition::Is(flag, wanted) => {
                let name = FLAGS.iter().find(|(_, known)| known == flag).map_or("", |(name, _)| name);
                write!(f, "{name}={}", if *wanted { "yes" } else { "no" })
            }
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.operation)?;
        for condition in &self.conditions {
            write!(f, " {condition}")?;
        }
        write!(f, " {}", self.method)
    }
}

/// Those of all ranks of a communicator.
fn collectives() -> String {
    Collective::OF_ALL_RANKS.map(Collective::name).join(", ")
}

fn algorithms(collective: Collective) -> String {
    let others = collective.algorithms().filter(|algorithm| !algorithm.is_simgrids());
    others.map(|algorithm| algorithm.name()).collect::<Vec<_>>().join(", ")
}
