//! Sampled blocks: parts of a program that are executed a few times, and then skipped for the mean of the measured time.

use crate::Burst;

/// When enough executions of a sampled block have been measured.
///
/// ```text
/// executed:   least      ...      most
///             │ the error decides │
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// Fewer executions are not enough.
    pub least: u64,
    /// So many executions are enough, whatever the error.
    pub most: u64,
    /// The relative error of the mean that is small enough; zero or less if only `most` counts.
    pub error: f64,
    /// Is the error half the 95 % confidence interval, rather than the standard error?
    pub interval: bool,
}

/// An amount of computation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Work {
    /// Floating-point operations, at the speed of the simulated host.
    Flops(f64),
    /// Nanoseconds of this machine, scaled like measured ones.
    Nanos(u64),
    /// Processor time of several threads on this machine.
    Threads(Burst),
    /// Floating-point operations that need bytes from memory: whichever takes longer counts.
    Roofline {
        /// At the speed of the simulated host.
        flops: f64,
        /// Bytes read and written, at the share of the memory bandwidth that the rank gets.
        bytes: f64,
    },
}

impl From<Burst> for Work {
    fn from(burst: Burst) -> Work {
        if burst.is_parallel() { Work::Threads(burst) } else { Work::Nanos(burst.nanos()) }
    }
}

/// The counts of a rank, sent once at its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Executions of sampled blocks.
    pub executed: u64,
    /// Skipped executions of sampled blocks.
    pub skipped: u64,
    /// The largest number of bytes in shared blocks at one time.
    pub shared: u64,
    /// Objects that it has not freed.
    pub unfreed: Unfreed,
}

/// How many objects of each kind a rank has not freed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unfreed {
    /// Derived datatypes.
    pub datatypes: u64,
    /// Operators of the program's own.
    pub operators: u64,
    /// Groups.
    pub groups: u64,
    /// Persistent requests that are not under way. The simulator knows the others.
    pub requests: u64,
}
