//! Facts about a run that are known before it starts.

use std::rc::Rc;
use std::sync::Arc;

use mpirage_platform::{HostId, Interface, Platform};

use crate::sites::Sites;

/// A run.
#[derive(Clone)]
pub struct RunInfo {
    /// The program, or the trace that is replayed.
    pub program: String,
    /// The simulated machine.
    pub platform: Arc<Platform>,
    /// The host of each rank.
    pub placement: Arc<[HostId]>,
    /// Speed in flops of the core on which computation was measured.
    pub measured_on: f64,
    /// How the run was made, such as its model and its seed: names and values, for formats that have room for them.
    pub facts: Vec<(String, String)>,
    /// The source locations of calls; none if they are unknown, as in most traces.
    pub sites: Option<Rc<dyn Sites>>,
    /// Whether formats that show messages one by one also show those inside collectives. Tables and the use of links always include
    /// them.
    pub collective_messages: bool,
}

impl RunInfo {
    /// The number of ranks.
    pub fn ranks(&self) -> u32 {
        self.placement.len() as u32
    }

    /// The network interface of each rank.
    pub fn interfaces(&self) -> Vec<Interface> {
        let chosen = self.platform.interfaces().of_ranks(&self.placement);
        let interface = |(rank, &host): (usize, &HostId)| {
            let nth = chosen.get(rank).copied().unwrap_or_default();
            Interface { host, nth }
        };
        self.placement.iter().enumerate().map(interface).collect()
    }

    /// The hosts that have ranks, in order, and for each rank the position of its host among them.
    pub fn used_hosts(&self) -> (Vec<HostId>, Vec<u32>) {
        let mut hosts = self.placement.to_vec();
        hosts.sort_unstable();
        hosts.dedup();
        let position = |host| hosts.binary_search(host).expect("it was put there") as u32;
        let of_rank = self.placement.iter().map(position).collect();
        (hosts, of_rank)
    }
}
