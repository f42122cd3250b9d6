//! The balancers by the names that users type: `refine`, `refine:tolerance=1.02`, `greedy:above=1.1`.

use crate::options::{ABOVE, BalancerOption, Options, with_above};
use crate::{
    BalanceError, Balancer, CommAware, Distributed, Executable, Greedy, GreedyRefine, Hierarchical, HwTopo,
    NoBalancer, Nuco, OnDemand, RandomCores, Refine, Rotate,
};

/// A balancer that users can name.
pub struct Description {
    /// The name that users type.
    pub name: &'static str,
    /// A description in one line.
    pub summary: &'static str,
    /// The numbers that users can set, beside `above`.
    pub options: &'static [BalancerOption],
    make: fn(&Options<'_>, u64) -> Box<dyn Balancer>,
}

const TOLERANCE: BalancerOption = BalancerOption {
    name: "tolerance",
    meaning: "a core is overloaded above so many times the average",
    default: 1.05,
    least: 1.0,
};
const GREEDY_TOLERANCE: BalancerOption = BalancerOption {
    name: "tolerance",
    meaning: "largest load, as a multiple of that of greedy",
    default: 1.0,
    least: 1.0,
};
const PER_MESSAGE: BalancerOption = BalancerOption {
    name: "per-message",
    meaning: "seconds per message between cores",
    default: 3.5e-5,
    least: 0.0,
};
const PER_BYTE: BalancerOption = BalancerOption {
    name: "per-byte",
    meaning: "seconds per byte between cores",
    default: 8.5e-9,
    least: 0.0,
};
const ALPHA: BalancerOption = BalancerOption {
    name: "alpha",
    meaning: "seconds that a message within a host counts for",
    default: 1e-6,
    least: 0.0,
};
const FACTOR: BalancerOption = BalancerOption {
    name: "factor",
    meaning: "a message between hosts costs so many times one within a host",
    default: 10.0,
    least: 1.0,
};
const LATENCY: BalancerOption = BalancerOption {
    name: "latency",
    meaning: "seconds per message between hosts",
    default: 2e-6,
    least: 0.0,
};
const BANDWIDTH: BalancerOption =
    BalancerOption { name: "bandwidth", meaning: "bytes per second between hosts", default: 1e9, least: 1.0 };
const TEMPERATURE: BalancerOption = BalancerOption {
    name: "temperature",
    meaning: "how often a worse core is drawn, as a share of the average load",
    default: 0.01,
    least: 1e-9,
};

/// All balancers but executables.
pub const BALANCERS: &[Description] = &[
    Description {
        name: "none",
        summary: "every rank stays where it is",
        options: &[],
        make: |_, _| Box::new(NoBalancer),
    },
    Description {
        name: "greedy",
        summary: "the heaviest rank to the least loaded core (GreedyLB)",
        options: &[],
        make: |_, _| Box::new(Greedy),
    },
    Description {
        name: "refine",
        summary: "from overloaded to underloaded cores (RefineLB)",
        options: &[TOLERANCE],
        make: |options, _| Box::new(Refine::with_tolerance(options.get(&TOLERANCE))),
    },
    Description {
        name: "greedy-refine",
        summary: "as balanced as greedy, but ranks stay if they can (GreedyRefineLB)",
        options: &[GREEDY_TOLERANCE],
        make: |options, _| Box::new(GreedyRefine::with_tolerance(options.get(&GREEDY_TOLERANCE))),
    },
    Description {
        name: "rotate",
        summary: "every rank to the next core (RotateLB)",
        options: &[],
        make: |_, _| Box::new(Rotate),
    },
    Description {
        name: "random",
        summary: "every rank to a core drawn at random (RandCentLB)",
        options: &[],
        make: |_, seed| Box::new(RandomCores::new(seed)),
    },
    Description {
        name: "hierarchical",
        summary: "refine between hosts, greedy-refine inside each",
        options: &[],
        make: |_, _| Box::new(Hierarchical),
    },
    Description {
        name: "distributed",
        summary: "gossip about light cores, then transfers (DistributedLB)",
        options: &[],
        make: |_, seed| Box::new(Distributed::new(seed)),
    },
    Description {
        name: "comm-aware",
        summary: "greedy with the cost of communication (GreedyCommLB)",
        options: &[PER_MESSAGE, PER_BYTE],
        make: |options, _| Box::new(CommAware::new(options.get(&PER_MESSAGE), options.get(&PER_BYTE))),
    },
    Description {
        name: "nuco",
        summary: "greedy with the distance of messages (NucoLB)",
        options: &[ALPHA, FACTOR],
        make: |options, _| Box::new(Nuco::new(options.get(&ALPHA), options.get(&FACTOR))),
    },
    Description {
        name: "hwtopo",
        summary: "the heaviest rank of the most loaded core moves, drawn by the largest load that follows (HwTopoLB)",
        options: &[LATENCY, BANDWIDTH, FACTOR, TEMPERATURE],
        make: |options, seed| {
            let costs = [&LATENCY, &BANDWIDTH, &FACTOR].map(|option| options.get(option));
            Box::new(HwTopo::new(costs, options.get(&TEMPERATURE), seed))
        },
    },
];

/// The balancer that a text names, with its options; a name with a slash is the file of an executable. Equal seeds give equal draws.
pub fn by_name(text: &str, seed: u64) -> Result<Box<dyn Balancer>, BalanceError> {
    let balancer: Box<dyn Balancer> = if text.contains('/') {
        return match with_above(text)? {
            Some((file, above)) => Ok(Box::new(OnDemand::new(Box::new(Executable::new(file)), above))),
            None => Ok(Box::new(Executable::new(text))),
        };
    } else {
        let name = text.split(':').next().unwrap_or_default();
        let found = BALANCERS.iter().find(|balancer| balancer.name == name);
        let found = found.ok_or_else(|| BalanceError::Unknown(name.to_owned()))?;
        let options = Options::parse(text, found.options)?;
        let balancer = (found.make)(&options, seed);
        match options.given(&ABOVE) {
            Some(above) => Box::new(OnDemand::new(balancer, above)),
            None => balancer,
        }
    };
    Ok(balancer)
}
