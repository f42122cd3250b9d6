//! The choice of an algorithm: the tables of MPI libraries, and the user's overrides.
//!
//! All ranks must choose alike, so a rule reads only what all ranks know. In gatherv and scatterv only the root knows the
//! counts, in alltoallv no rank knows them all: their rules do not read sizes.

mod choice;
pub mod mpich;
mod openmpi;
mod rule;
mod selector;

pub use choice::{Choice, ChoiceError};
pub use openmpi::{Decision, DynamicError, write_dynamic_rules};
pub use rule::{Condition, Flag, Quantity, Relation, Rule, RuleError};
pub use selector::{Selector, SelectorError};
