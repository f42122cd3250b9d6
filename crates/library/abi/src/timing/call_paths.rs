//! Call paths of MPI calls (`--call-paths`): the same call site reached by two paths counts as two sites.
//!
//! The site of a call then is a number that stands for return addresses. The rank tells the simulator what it stands for before its first
//! call on a path.

use core::hash::Hasher;
use core::ops::ControlFlow;
use std::collections::HashSet;
use std::hash::DefaultHasher;

use mpirage_call::{Call, path_site};
use mpirage_system::for_each_frame;

use crate::caller::Caller;
use crate::connection::Connection;
use crate::ground::lock::Lock;

/// The paths on which a rank has called MPI.
#[derive(Default)]
pub(crate) struct CallPaths(Lock<HashSet<u64>>);

impl CallPaths {
    /// The site of the call that the program makes stands for its path, with so many callers, from now on.
    pub(crate) fn follow(&self, connection: &Connection, callers: usize) {
        let caller = Caller::last();
        let frames = frames_from(caller.call_site, callers + 1);
        if frames.is_empty() {
            return;
        }
        let site = site_of(&frames);
        Caller { call_site: site as usize, ..caller }.store();
        let new = self.0.lock().insert(site);
        if new && connection.is_simulated() {
            connection.post(&Call::CallPath { site, frames: &frames });
        }
    }
}

/// The number that stands for a path.
fn site_of(frames: &[u64]) -> u64 {
    let mut hasher = DefaultHasher::new();
    frames.iter().for_each(|&frame| hasher.write_u64(frame));
    path_site(hasher.finish())
}

/// Return addresses from that of the call on, the innermost first, at most so many. Empty if the stack does not have it.
fn frames_from(call_site: usize, most: usize) -> Vec<u64> {
    let mut frames = Vec::new();
    for_each_frame(|frame| {
        if !frames.is_empty() || frame.address == call_site {
            frames.push(frame.address as u64);
        }
        if frames.len() == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    frames
}

#[cfg(test)]
mod tests {
    use mpirage_call::PATH_SITE;

    use super::*;

    #[test]
    fn paths_have_sites_that_are_no_addresses() {
        assert_ne!(site_of(&[1, 2]), site_of(&[2, 1]));
        assert!(site_of(&[1]) & PATH_SITE != 0);
        assert!(frames_from(1, 8).is_empty());
    }
}
