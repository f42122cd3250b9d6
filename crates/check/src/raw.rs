//! A mistake as a run shows it: calls by their addresses.

use mpirage_call::{FindingClass, Stamp, function_name};

/// A call of a rank: its function, and where it was called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallSite {
    /// The index of the MPI function.
    pub function: u16,
    /// The return address.
    pub site: u64,
}

impl CallSite {
    /// The call with this stamp.
    pub fn of(stamp: &Stamp) -> CallSite {
        CallSite { function: stamp.function, site: stamp.site }
    }

    /// The name of the function.
    pub fn name(self) -> &'static str {
        function_name(self.function)
    }
}

/// Another call that has to do with a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// The rank that made it.
    pub rank: u32,
    /// The call.
    pub call: CallSite,
    /// What it has to do with it.
    pub text: String,
}

/// A mistake of a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawFinding {
    /// Its class.
    pub class: FindingClass,
    /// The rank that made it.
    pub rank: u32,
    /// The call in which it shows.
    pub call: CallSite,
    /// What is wrong, in one sentence.
    pub text: String,
    /// What would be right, if that can be said.
    pub expected: Option<String>,
    /// Other calls that have to do with it.
    pub related: Vec<Related>,
}
