//! `mpirage info`.

use clap::{Args, ValueEnum};

use super::COLLECTIVES;

/// `mpirage info`.
#[derive(Clone, Debug, Args)]
pub struct InfoArguments {
    /// What to list
    pub topic: InfoTopic,
    /// Only this collective, such as allreduce
    #[arg(value_name = "COLLECTIVE")]
    pub collective: Option<String>,
    /// Print what each rank does if the collective is performed with this method, such as ring or chain:segment=64KiB
    #[arg(long, value_name = "METHOD", help_heading = COLLECTIVES)]
    pub show: Option<String>,
    /// List which methods a table or file of rules chooses, such as openmpi-4.1, and from which size on
    #[arg(long, value_name = "NAME", conflicts_with = "show", help_heading = COLLECTIVES)]
    pub selector: Option<String>,
    /// Number of ranks, for --show and --selector
    #[arg(short, long = "np", value_name = "N", help_heading = COLLECTIVES)]
    pub n: Option<u32>,
    /// Bytes of the vector, or of the block of a rank or pair of ranks [default: 1KiB]
    #[arg(long, value_name = "SIZE", requires = "show", help_heading = COLLECTIVES)]
    pub bytes: Option<String>,
    /// The root
    #[arg(long, value_name = "RANK", requires = "show", help_heading = COLLECTIVES)]
    pub root: Option<u32>,
    /// How many ranks follow each other on a node [default: 1]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..), help_heading = COLLECTIVES)]
    pub ranks_per_node: Option<u32>,
    /// Draw the schedule for Graphviz instead of printing it
    #[arg(long, requires = "show", help_heading = COLLECTIVES)]
    pub dot: bool,
}

/// What `mpirage info` lists.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum InfoTopic {
    /// MPI functions, and whether they are implemented
    Functions,
    /// Models of the network
    Models,
    /// Profiles: how MPI libraries use the network
    Profiles,
    /// Built-in platforms
    Platforms,
    /// Networks for --net and `net=`, and what they follow
    Networks,
    /// Collective operations and their algorithms
    Collectives,
    /// Communication patterns that can be replayed without a trace
    Workloads,
    /// Formats of traces that can be written and replayed
    Traces,
}
