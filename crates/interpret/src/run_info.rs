//! What is known of a run before it starts.

use std::rc::Rc;
use std::sync::Arc;

use mpirage_platform::{HostId, Platform};

use crate::sites::Sites;

/// A run, as writers need to know it.
#[derive(Clone)]
pub struct RunInfo {
    /// The program, or the trace that is replayed.
    pub program: String,
    /// The simulated machine.
    pub platform: Arc<Platform>,
    /// The host of each rank; there are as many ranks.
    pub placement: Arc<[HostId]>,
    /// Whatever else tells how the run was made, such as the model and the seed: names and values, for those formats
    /// that have a place for them.
    pub facts: Vec<(String, String)>,
    /// Where calls come from; none if nobody knows, as in most traces.
    pub sites: Option<Rc<dyn Sites>>,
    /// Are the messages inside collectives wanted too, where a format shows messages one by one? Tables and the use of
    /// links have them always.
    pub collective_messages: bool,
}

impl RunInfo {
    /// How many ranks there are.
    pub fn ranks(&self) -> u32 {
        self.placement.len() as u32
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
