//! Graph topologies: the old one, where every process knows all edges, and the distributed one,
//! where each knows its own.

use super::{TopologyError, below, same_length};

/// `MPI_Graph_create`: the neighbours of all nodes, one list after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// Where the neighbours of each node end in `edges`.
    index: Vec<u32>,
    edges: Vec<u32>,
}

impl Graph {
    /// A graph as MPI describes it.
    pub fn new(index: &[i32], edges: &[i32]) -> Result<Graph, TopologyError> {
        let mut before = 0;
        for (node, &end) in index.iter().enumerate() {
            if end < before {
                return Err(TopologyError::IndexDecreases { node, index: end.into() });
            }
            before = end;
        }
        same_length("edges", before as usize, edges.len())?;
        let node = |&edge: &i32| below("neighbour", edge.into(), index.len() as i64);
        Ok(Graph {
            index: index.iter().map(|&end| end as u32).collect(),
            edges: edges.iter().map(node).collect::<Result<_, _>>()?,
        })
    }

    /// Number of nodes.
    pub fn size(&self) -> u32 {
        self.index.len() as u32
    }

    /// The index list it was made of.
    pub fn index(&self) -> &[u32] {
        &self.index
    }

    /// The edge list it was made of.
    pub fn edges(&self) -> &[u32] {
        &self.edges
    }

    /// `MPI_Graph_neighbors`.
    pub fn neighbors(&self, rank: i32) -> Result<&[u32], TopologyError> {
        let rank = below("rank", rank.into(), self.size().into())? as usize;
        let start = if rank == 0 { 0 } else { self.index[rank - 1] };
        Ok(&self.edges[start as usize..self.index[rank] as usize])
    }
}

/// The neighbours of one process in a distributed graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adjacency {
    /// The ranks that send to it.
    pub sources: Vec<u32>,
    /// Weights of these edges, unless the graph is unweighted.
    pub source_weights: Option<Vec<i32>>,
    /// The ranks that it sends to.
    pub destinations: Vec<u32>,
    /// Weights of these edges, unless the graph is unweighted.
    pub destination_weights: Option<Vec<i32>>,
}

/// A directed edge, as any process may contribute it to `MPI_Dist_graph_create`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Edge {
    pub source: u32,
    pub destination: u32,
    /// Not looked at in an unweighted graph.
    pub weight: i32,
}

impl Adjacency {
    /// `MPI_Dist_graph_create_adjacent` on a communicator of `size`. Weights are all or none.
    pub fn new(
        size: u32,
        sources: &[i32],
        source_weights: Option<&[i32]>,
        destinations: &[i32],
        destination_weights: Option<&[i32]>,
    ) -> Result<Adjacency, TopologyError> {
        same_length("source weights", sources.len(), source_weights.map_or(sources.len(), <[_]>::len))?;
        let weights = destination_weights.map_or(destinations.len(), <[_]>::len);
        same_length("destination weights", destinations.len(), weights)?;
        Ok(Adjacency {
            sources: ranks("source", sources, size)?,
            source_weights: source_weights.map(<[_]>::to_vec),
            destinations: ranks("destination", destinations, size)?,
            destination_weights: destination_weights.map(<[_]>::to_vec),
        })
    }

    /// Deals the edges of `MPI_Dist_graph_create` out to the processes they touch, keeping their
    /// order: give them in order of the contributing rank.
    pub fn deal(
        size: u32,
        edges: impl IntoIterator<Item = Edge>,
        weighted: bool,
    ) -> Result<Vec<Adjacency>, TopologyError> {
        let weights = || weighted.then(Vec::new);
        let nobody =
            Adjacency { source_weights: weights(), destination_weights: weights(), ..Adjacency::default() };
        let mut all = vec![nobody; size as usize];
        for Edge { source, destination, weight } in edges {
            below("source", source.into(), size.into())?;
            below("destination", destination.into(), size.into())?;
            let sender = &mut all[source as usize];
            sender.destinations.push(destination);
            sender.destination_weights.iter_mut().for_each(|weights| weights.push(weight));
            let receiver = &mut all[destination as usize];
            receiver.sources.push(source);
            receiver.source_weights.iter_mut().for_each(|weights| weights.push(weight));
        }
        Ok(all)
    }
}

fn ranks(what: &'static str, ranks: &[i32], size: u32) -> Result<Vec<u32>, TopologyError> {
    ranks.iter().map(|&rank| below(what, rank.into(), size.into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_standard() {
        let graph = Graph::new(&[2, 3, 4, 6], &[1, 3, 0, 3, 0, 2]).unwrap();
        let neighbors: Vec<_> = (0..4).map(|rank| graph.neighbors(rank).unwrap()).collect();
        assert_eq!(neighbors, [&[1, 3][..], &[0], &[3], &[0, 2]]);
    }

    #[test]
    fn impossible_graphs_are_refused() {
        assert_eq!(Graph::new(&[2, 1], &[0, 1]), Err(TopologyError::IndexDecreases { node: 1, index: 1 }));
        assert_eq!(Graph::new(&[1], &[1]).unwrap_err().to_string(), "neighbour 1 is outside 0..1");
        assert!(Graph::new(&[1, 2], &[1]).is_err());
    }

    #[test]
    fn edges_reach_both_ends() {
        let edge = |source, destination, weight| Edge { source, destination, weight };
        let dealt = Adjacency::deal(3, [edge(0, 1, 5), edge(2, 1, 6), edge(0, 0, 7)], true).unwrap();
        assert_eq!(dealt[1].sources, [0, 2]);
        assert_eq!(dealt[1].source_weights, Some(vec![5, 6]));
        assert_eq!((&dealt[0].destinations[..], &dealt[0].sources[..]), (&[1, 0][..], &[0][..]));
        assert!(Adjacency::deal(3, [edge(0, 3, 1)], false).is_err());
    }

    #[test]
    fn weights_are_as_many_as_edges() {
        assert!(Adjacency::new(4, &[1, 2], Some(&[1]), &[], None).is_err());
        let adjacency = Adjacency::new(4, &[1, 2], None, &[3], Some(&[9])).unwrap();
        assert_eq!((adjacency.sources.len(), adjacency.destination_weights), (2, Some(vec![9])));
    }
}
