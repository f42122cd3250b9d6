//! Hosts that are accelerators: which of them share a node, and their links.

/// Hosts that are the accelerators of nodes: those of a node follow each other. Rates are in bytes per second and direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accelerators {
    /// How many a node has.
    pub per_node: u32,
    /// The link of each to the others of its node.
    pub inside: u64,
    /// The link of each to the network, or its share of one that several have.
    pub port: u64,
}
