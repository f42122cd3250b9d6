//! A collective in one of its two forms.

use std::fmt;

use mpirage_call::Collective;

/// A collective as a program calls it: blocking or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Operation {
    /// The collective.
    pub collective: Collective,
    /// Does the call return before it is complete?
    pub nonblocking: bool,
}

impl Operation {
    /// The operation of that name: `bcast`, `ibcast`, `Reduce_scatter`.
    pub fn from_name(name: &str) -> Option<Operation> {
        let name = name.trim().to_ascii_lowercase().replace('_', "-");
        let named = |name: &str, nonblocking| {
            Collective::from_name(name).map(|collective| Operation { collective, nonblocking })
        };
        named(&name, false).or_else(|| named(name.strip_prefix('i')?, true))
    }
}

impl From<Collective> for Operation {
    fn from(collective: Collective) -> Self {
        Operation { collective, nonblocking: false }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.nonblocking { "i" } else { "" }, self.collective)
    }
}
