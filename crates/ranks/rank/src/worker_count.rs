//! How many worker processes a run has.

/// How many worker processes hold folded ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerCount {
    /// So many, or fewer if there are not as many ranks.
    Exactly(usize),
    /// So many if ranks turn out to run for long.
    IfItPays(usize),
}
