//! Sampled blocks: parts of a program that are executed a few times and then stand for themselves.

use crate::Burst;

/// When enough executions of a sampled block have been measured.
///
/// ```text
/// executed:   least      ...      most
///             │ the error decides │
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// Executions without which no mean is trusted.
    pub least: u64,
    /// Executions that are enough in any case.
    pub most: u64,
    /// The relative error of the mean that is small enough; not positive if only `most` counts.
    pub error: f64,
    /// Is the error half the 95 % confidence interval, rather than the standard error?
    pub interval: bool,
}

/// How much computation the program says there is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Work {
    /// Floating-point operations, at the speed of the simulated host.
    Flops(f64),
    /// Nanoseconds of this machine, scaled like measured ones.
    Nanos(u64),
    /// Processor time of several threads on this machine.
    Threads(Burst),
}

impl From<Burst> for Work {
    fn from(burst: Burst) -> Work {
        if burst.is_parallel() { Work::Threads(burst) } else { Work::Nanos(burst.nanos()) }
    }
}

/// What a rank has counted, told once at its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Executions of sampled blocks.
    pub executed: u64,
    /// Executions that were skipped.
    pub skipped: u64,
    /// The most bytes it had in shared blocks at one time.
    pub shared: u64,
}
