//! The measurements that a model was compared with, which tell its errors.

use mpirage_platform::{Platform, Setting};

use crate::model::{Model, is_file};
use crate::network::Network;
use crate::packet::Transport;
use crate::placement::Placement;

/// Why nothing is known of several ranks on a host.
const SEVERAL: &str =
    "several ranks per host were compared with measurements of InfiniBand and RoCE alone, under `flow`";

/// The columns of `make validate` (tests/packet/testbed.py), and its fat nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// `flow`, told the MPI library.
    Flow,
    /// `flow`, which assumes the library.
    NoOptions,
    /// `packet`, told the MPI library.
    Packet,
    /// Factors by size, as measured on gigabit Ethernet.
    Factors,
    /// Many ranks on each of two hosts with InfiniBand or RoCE.
    FatNodes,
}

impl Evidence {
    /// Its name there.
    pub fn name(self) -> &'static str {
        match self {
            Evidence::Flow => "flow",
            Evidence::NoOptions => "no-options",
            Evidence::Packet => "packet",
            Evidence::Factors => "factors",
            Evidence::FatNodes => "fat-nodes",
        }
    }
}

impl Model {
    /// The measurements that tell how near this model comes to reality, or why there are none.
    pub fn evidence(&self, platform: &Platform, placement: &Placement) -> Result<Evidence, &'static str> {
        let is_own = |setting: &Setting| !setting.is_of_preset() && setting.key != "profile";
        if is_file(&self.name) || platform.settings().iter().any(is_own) {
            return Err("the model has parameters of your own; `mpirage compare` shows their error");
        }
        let several_on_a_host = placement.local_ranks().iter().any(|(_, ranks)| *ranks > 1);
        if placement.oversubscribed {
            return Err("ranks share cores");
        }
        if several_on_a_host && platform.node_spec().is_none() {
            return Err("several ranks share a host, and no `[node]` or `family` says how its memory works");
        }
        let remote_memory = [Transport::Infiniband, Transport::Roce];
        match (&self.network, self.profile) {
            (Network::Flow(_), Some(profile)) if several_on_a_host => {
                let is_like = remote_memory.contains(&profile.transport);
                is_like.then_some(Evidence::FatNodes).ok_or(SEVERAL)
            }
            _ if several_on_a_host => Err(SEVERAL),
            (Network::Flow(_) | Network::Packet(_), Some(_)) if self.profile_is_assumed => {
                Ok(Evidence::NoOptions)
            }
            (Network::Flow(_), Some(_)) => Ok(Evidence::Flow),
            (Network::Packet(_), Some(_)) => Ok(Evidence::Packet),
            (Network::Flow(_), None) if ["flow:factors", "simgrid"].contains(&self.name.as_str()) => {
                Ok(Evidence::Factors)
            }
            _ => Err("this model was compared with no real network"),
        }
    }
}
