//! Call paths of MPI calls (`--call-paths`): the same call site reached by two paths counts as two sites.
//!
//! The site of a call then is a number that stands for return addresses. The rank tells the simulator what it stands for before its first
//! call on a path.
//!
//! The unwinder takes microseconds. It says where on the stack each return address lies, so a path that was found once is recognised by
//! looking there: as long as the same addresses lie in the same places, no function of the path has returned.

use core::hash::Hasher;
use core::ops::ControlFlow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::DefaultHasher;

use mpirage_call::{Call, path_site};
use mpirage_system::{Frame, for_each_frame};
use smallvec::SmallVec;

use crate::caller::Caller;
use crate::connection::Connection;
use crate::ground::lock::Lock;
use crate::timing::samples;

/// Paths to one call that are recognised: those found last.
const RECOGNISED: usize = 8;
/// The return address of a call of MPI lies within so many bytes of the stack of the function that was called.
const NEAR: usize = 1 << 14;

/// The paths on which a rank has called MPI.
#[derive(Default)]
pub(crate) struct CallPaths(Lock<Known>);

#[derive(Default)]
struct Known {
    /// Paths by the thread and the address that the call returns to.
    paths: HashMap<(usize, usize), SmallVec<[Path; 1]>>,
    /// The part that the simulator knows.
    told: HashSet<u64>,
}

/// A path of which all return addresses lie on the stack.
struct Path {
    site: u64,
    /// Where each return address lies, and the address, the innermost first.
    slots: Box<[(usize, usize)]>,
}

impl CallPaths {
    /// The site of the call that the program makes stands for its path, with so many callers, from now on.
    pub(crate) fn follow(&self, connection: &Connection, callers: usize) {
        let caller = Caller::last();
        // SAFETY: it always works.
        let thread = unsafe { libc::pthread_self() } as usize;
        let mut known = self.0.lock();
        let paths = known.paths.entry((thread, caller.call_site)).or_default();
        let site = match paths.iter().find(|path| path.is_walked()) {
            Some(path) => path.site,
            None => {
                let frames = frames_from(caller.call_site, callers + 1);
                if frames.is_empty() {
                    return;
                }
                let site = known.learn((thread, caller.call_site), &frames);
                if known.told.insert(site) && connection.is_simulated() {
                    let frames: Vec<u64> = addresses(&frames).collect();
                    connection.post(&Call::CallPath { site, frames: &frames });
                }
                site
            }
        };
        Caller { call_site: site as usize, ..caller }.store();
    }

    /// Tells the simulator where the program computed since its last call, with so many callers.
    pub(crate) fn tell_samples(&self, connection: &Connection, callers: usize) {
        let mut counts: BTreeMap<u64, (u32, Vec<u64>)> = BTreeMap::new();
        samples::take(|frames| {
            let frames = &frames[..frames.len().min(callers + 1)];
            let (count, _) = counts.entry(site_of(frames.iter().copied())).or_insert((0, frames.to_vec()));
            *count += 1;
        });
        for (site, (count, frames)) in counts {
            if self.0.lock().told.insert(site) {
                connection.post(&Call::CallPath { site, frames: &frames });
            }
            connection.post(&Call::Samples { site, count });
        }
    }
}

impl Known {
    /// The site of a path, which is recognised from now on if the stack has all of it.
    fn learn(&mut self, key: (usize, usize), frames: &[Frame]) -> u64 {
        let site = site_of(addresses(frames));
        let slots: Option<Box<[_]>> =
            frames.iter().map(|&frame| Some((frame.slot()?, frame.address))).collect();
        if let Some(path) = slots.map(|slots| Path { site, slots }).filter(Path::is_walked) {
            let paths = self.paths.entry(key).or_default();
            paths.truncate(RECOGNISED - 1);
            paths.insert(0, path);
        }
        site
    }
}

impl Path {
    /// Has the program called MPI on this path? The caller holds that it runs on the thread on which the path was found.
    // Not inlined: its frame lies below those of its callers.
    #[inline(never)]
    fn is_walked(&self) -> bool {
        let here = 0_u8;
        let here = &raw const here as usize;
        // The innermost address comes first: it says that the frames above it are in use, and may be read.
        self.slots[0].0.wrapping_sub(here) < NEAR
            // SAFETY: the addresses lie in frames of this thread that have not returned.
            && self.slots.iter().all(|&(slot, address)| unsafe { (slot as *const usize).read_volatile() } == address)
    }
}

fn addresses(frames: &[Frame]) -> impl Iterator<Item = u64> {
    frames.iter().map(|frame| frame.address as u64)
}

/// The number that stands for a path.
fn site_of(addresses: impl Iterator<Item = u64>) -> u64 {
    let mut hasher = DefaultHasher::new();
    addresses.for_each(|address| hasher.write_u64(address));
    path_site(hasher.finish())
}

/// Return addresses from that of the call on, the innermost first, at most so many. Empty if the stack does not have it.
fn frames_from(call_site: usize, most: usize) -> Vec<Frame> {
    let mut frames = Vec::new();
    for_each_frame(|frame| {
        // The unwinder ends with a frame that nothing returns to.
        if frame.address == 0 {
            return ControlFlow::Break(());
        }
        if !frames.is_empty() || frame.address == call_site {
            frames.push(frame);
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
        assert_ne!(site_of([1, 2].into_iter()), site_of([2, 1].into_iter()));
        assert!(site_of([1].into_iter()) & PATH_SITE != 0);
        assert!(frames_from(1, 8).is_empty());
    }

    #[test]
    fn a_path_is_recognised_while_its_addresses_lie_on_the_stack() {
        let words = [7_usize, 8];
        let path = |last| Path {
            site: 1,
            slots: [(&raw const words[0] as usize, 7), (&raw const words[1] as usize, last)].into(),
        };
        assert!(path(8).is_walked() && !path(9).is_walked());
        let elsewhere = Box::new(7_usize);
        assert!(!Path { site: 1, slots: [(&raw const *elsewhere as usize, 7)].into() }.is_walked());
    }
}
