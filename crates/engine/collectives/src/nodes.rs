//! The ranks of a communicator that share a node.
//!
//! Nodes are numbered in the order of their lowest ranks; the lowest rank of a node is its leader.

use std::collections::HashMap;

/// The links of an accelerator, in bytes per second and direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceLinks {
    /// To the other devices of its node.
    pub inside: u64,
    /// To the network.
    pub port: u64,
}

/// The nodes that the ranks of a communicator run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nodes {
    /// The node of each rank.
    node_of: Vec<u32>,
    /// Where each rank is among the members of its node.
    position: Vec<u32>,
    /// Ranks by node, in order; node `i` has those from `starts[i]` to `starts[i + 1]`.
    members: Vec<u32>,
    starts: Vec<u32>,
    leaders: Vec<u32>,
    links: Option<DeviceLinks>,
}

impl Nodes {
    /// From the host of each rank, in order of ranks. Hosts may have any numbers.
    pub fn new(hosts: impl IntoIterator<Item = u32>) -> Nodes {
        let mut numbers = HashMap::new();
        let (mut leaders, mut counts) = (Vec::new(), Vec::<u32>::new());
        let (mut node_of, mut position) = (Vec::new(), Vec::new());
        for (rank, host) in hosts.into_iter().enumerate() {
            let node = *numbers.entry(host).or_insert_with(|| {
                leaders.push(rank as u32);
                counts.push(0);
                leaders.len() as u32 - 1
            });
            node_of.push(node);
            position.push(counts[node as usize]);
            counts[node as usize] += 1;
        }
        let mut starts = vec![0];
        starts.extend(counts.iter().scan(0, |sum, &count| {
            *sum += count;
            Some(*sum)
        }));
        let mut members = vec![0; node_of.len()];
        for (rank, (&node, &position)) in node_of.iter().zip(&position).enumerate() {
            members[(starts[node as usize] + position) as usize] = rank as u32;
        }
        Nodes { node_of, position, members, starts, leaders, links: None }
    }

    /// The same nodes, with ranks on accelerators that have these links.
    pub fn with_links(self, links: Option<DeviceLinks>) -> Nodes {
        Nodes { links, ..self }
    }

    /// The links of the accelerators that ranks run on, if they do.
    pub fn links(&self) -> Option<DeviceLinks> {
        self.links
    }

    /// The node of a rank.
    pub fn of(&self, rank: u32) -> u32 {
        self.node_of[rank as usize]
    }

    /// Where a rank is among the members of its node.
    pub fn position(&self, rank: u32) -> u32 {
        self.position[rank as usize]
    }

    /// The ranks of a node, in order.
    pub fn members(&self, node: u32) -> &[u32] {
        &self.members[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    /// All ranks, those of a node next to each other.
    pub(crate) fn by_node(&self) -> &[u32] {
        &self.members
    }

    /// The lowest rank of each node.
    pub fn leaders(&self) -> &[u32] {
        &self.leaders
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> u32 {
        self.node_of.len() as u32
    }

    /// How many nodes there are.
    pub fn count(&self) -> u32 {
        self.leaders.len() as u32
    }

    /// Ranks on the node that has most of them.
    pub fn most_ranks(&self) -> u32 {
        self.starts.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0)
    }

    /// Whether the ranks of each node follow each other.
    pub fn are_contiguous(&self) -> bool {
        self.node_of.is_sorted()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_have_members_and_leaders() {
        let nodes = Nodes::new([7, 3, 7, 9, 3, 7]);
        assert_eq!((nodes.count(), nodes.most_ranks()), (3, 3));
        assert_eq!(nodes.leaders(), [0, 1, 3]);
        assert_eq!([0, 1, 2].map(|node| nodes.members(node)), [&[0, 2, 5][..], &[1, 4], &[3]]);
        assert_eq!((nodes.of(4), nodes.position(4)), (1, 1));
        assert!(!nodes.are_contiguous() && Nodes::new([5, 5, 2]).are_contiguous());
    }
}
