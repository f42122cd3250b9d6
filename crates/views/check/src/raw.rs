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

/// The function of a place that is no call: a load or a store of the program.
const NO_FUNCTION: u16 = u16::MAX;

impl CallSite {
    /// A place in the program at which it loads or stores something.
    pub fn of_program(site: u64) -> CallSite {
        CallSite { function: NO_FUNCTION, site }
    }

    /// The call with this stamp.
    pub fn of(stamp: &Stamp) -> CallSite {
        CallSite { function: stamp.function, site: stamp.site }
    }

    /// The name of the function; empty if the place is no call.
    pub fn name(self) -> &'static str {
        if self.function == NO_FUNCTION { "" } else { function_name(self.function) }
    }
}

/// Another call that has to do with a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// The rank that made it.
    pub rank: u32,
    /// The call.
    pub call: CallSite,
    /// How it relates to the mistake.
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
    /// The mistake, in one sentence.
    pub text: String,
    /// The correct behaviour, if it is known.
    pub expected: Option<String>,
    /// Other calls that have to do with it.
    pub related: Vec<Related>,
}
