//! `mpirage platform`: check, show, import.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::JsonArgument;
use crate::examples;

/// `mpirage platform`.
#[derive(Debug, Subcommand)]
pub enum PlatformAction {
    /// Read a platform and report mistakes
    #[command(after_help = examples::PLATFORM_CHECK)]
    Check {
        /// A file or a built-in name
        platform: String,
    },
    /// Show hosts, links, a route and the parameters of a model
    #[command(after_help = examples::PLATFORM_SHOW)]
    Show {
        /// A file or a built-in name
        platform: String,
        /// The model whose parameters to show
        #[arg(long, default_value = "flow")]
        model: String,
        /// The network, such as hdr200, for cables of which the platform says nothing; `mpirage info networks` lists them
        #[arg(long, value_name = "NETWORK")]
        net: Option<String>,
        /// Show the parameters of --model packet, each with its meaning
        #[arg(long, conflicts_with_all = ["model", "json"])]
        packet: bool,
        /// Hosts, links and figures of the network as JSON.
        #[command(flatten)]
        json: JsonArgument,
    },
    /// Make a platform file from what a site has: Slurm's topology.conf and slurm.conf, ibnetdiscover's output, lstopo's XML
    #[command(after_help = examples::PLATFORM_IMPORT)]
    Import(Box<ImportArguments>),
}

/// `mpirage platform import`.
#[derive(Clone, Debug, Args)]
pub struct ImportArguments {
    /// Files, each recognised by its contents
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    /// The platform file to write [default: standard output]
    #[arg(short, long, value_name = "FILE.toml")]
    pub output: Option<PathBuf>,
    /// Replace the output if it exists
    #[arg(long, requires = "output")]
    pub force: bool,
    /// The name of the platform
    #[arg(long, default_value = "site", value_name = "NAME")]
    pub name: String,
    /// Speed of one core, such as 30Gf, which no file has; host: cores like those of this machine
    #[arg(long, default_value = "host", value_name = "SPEED")]
    pub speed: String,
    /// The network, such as hdr200: rates, latency and parameters of models; `mpirage info networks` lists them
    #[arg(long, value_name = "NETWORK")]
    pub net: Option<String>,
    /// Rate of a cable, such as 100Gbps, where files have none
    #[arg(long, value_name = "RATE")]
    pub bandwidth: Option<String>,
    /// Latency of a cable with half of a switch, such as 100ns
    #[arg(long, value_name = "TIME")]
    pub latency: Option<String>,
    /// What the hosts below a switch can send over what its cables up carry, for topology.conf: 1 for full bisection
    #[arg(long, value_name = "RATIO", value_parser = ratio)]
    pub oversubscription: Option<f64>,
    /// The number of nodes, if no file lists them
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub nodes: Option<u32>,
    /// Cores of a node, if no file says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub cores: Option<u32>,
}

/// A ratio from 1 on; less than 1 would be cables that carry more than all hosts below them send.
fn ratio(text: &str) -> Result<f64, String> {
    let ratio = text.parse().ok().filter(|ratio: &f64| ratio.is_finite() && *ratio >= 1.0);
    ratio.ok_or_else(|| "expected a number from 1 on".to_owned())
}
