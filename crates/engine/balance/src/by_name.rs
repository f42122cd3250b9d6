//! The balancers by the names that users type.

use crate::{
    BalanceError, Balancer, CommAware, Distributed, Executable, Greedy, GreedyRefine, Hierarchical,
    NoBalancer, RandomCores, Refine, Rotate,
};

/// A balancer that users can name.
pub struct Description {
    /// The name that users type.
    pub name: &'static str,
    /// A description in one line.
    pub summary: &'static str,
    make: fn(u64) -> Box<dyn Balancer>,
}

/// All balancers but executables.
pub const BALANCERS: &[Description] = &[
    Description { name: "none", summary: "every rank stays where it is", make: |_| Box::new(NoBalancer) },
    Description {
        name: "greedy",
        summary: "the heaviest rank to the least loaded core (GreedyLB)",
        make: |_| Box::new(Greedy),
    },
    Description {
        name: "refine",
        summary: "from overloaded to underloaded cores, tolerance 1.05 (RefineLB)",
        make: |_| Box::new(Refine::default()),
    },
    Description {
        name: "greedy-refine",
        summary: "as balanced as greedy, but ranks stay if they can (GreedyRefineLB)",
        make: |_| Box::new(GreedyRefine::default()),
    },
    Description {
        name: "rotate",
        summary: "every rank to the next core (RotateLB)",
        make: |_| Box::new(Rotate),
    },
    Description {
        name: "random",
        summary: "every rank to a core drawn at random (RandCentLB)",
        make: |seed| Box::new(RandomCores::new(seed)),
    },
    Description {
        name: "hierarchical",
        summary: "refine between hosts, greedy-refine inside each",
        make: |_| Box::new(Hierarchical),
    },
    Description {
        name: "distributed",
        summary: "gossip about light cores, then transfers (DistributedLB)",
        make: |seed| Box::new(Distributed::new(seed)),
    },
    Description {
        name: "comm-aware",
        summary: "greedy with the cost of communication (GreedyCommLB)",
        make: |_| Box::new(CommAware),
    },
];

/// The balancer of this name; a name with a slash is the file of an executable. Equal seeds give equal draws.
pub fn by_name(name: &str, seed: u64) -> Result<Box<dyn Balancer>, BalanceError> {
    if name.contains('/') {
        return Ok(Box::new(Executable::new(name)));
    }
    let found = BALANCERS.iter().find(|balancer| balancer.name == name);
    found.map(|balancer| (balancer.make)(seed)).ok_or_else(|| BalanceError::Unknown(name.to_owned()))
}
