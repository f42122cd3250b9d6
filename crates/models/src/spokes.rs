//! Ways between hosts of one switch: made anew for each message, which costs less than to remember them.
//!
//! From host a to host b the way is a's link up and b's link down, acknowledgements take b's up and a's down, and all cables
//! of a switch are alike. So the paths of one switch differ in their resources only: one is kept, and pointed at others.

use mpirage_kernel::Transfer;
use mpirage_platform::{HostId, Platform, Spoke};

use crate::route_cache::Path;

/// What is known of hosts, and a path of each switch.
pub(crate) struct Spokes {
    hosts: Vec<Known>,
    paths: Vec<Option<Path>>,
}

/// Does a host hang on a switch, with nothing between?
#[derive(Clone, Copy)]
enum Known {
    Unasked,
    No,
    Yes(Spoke),
}

impl Spokes {
    pub(crate) fn new(platform: &Platform) -> Spokes {
        Spokes { hosts: vec![Known::Unasked; platform.host_count() as usize], paths: Vec::new() }
    }

    /// The links of both ends of a transfer, if they hang on one switch and are not the same host.
    #[inline]
    pub(crate) fn of(&mut self, transfer: &Transfer, platform: &Platform) -> Option<(Spoke, Spoke)> {
        let from = self.spoke(transfer.from, platform)?;
        let to = self.spoke(transfer.to, platform)?;
        (from.switch == to.switch && transfer.from != transfer.to).then_some((from, to))
    }

    /// The place of the path of a switch.
    #[inline]
    pub(crate) fn path(&mut self, switch: u32) -> &mut Option<Path> {
        if self.paths.len() <= switch as usize {
            self.paths.resize(switch as usize + 1, None);
        }
        &mut self.paths[switch as usize]
    }

    #[inline]
    fn spoke(&mut self, host: HostId, platform: &Platform) -> Option<Spoke> {
        if matches!(self.hosts[host.0 as usize], Known::Unasked) {
            self.ask(host, platform);
        }
        match self.hosts[host.0 as usize] {
            Known::Yes(spoke) => Some(spoke),
            Known::No | Known::Unasked => None,
        }
    }

    /// Apart, so that what is known already goes through registers only.
    #[cold]
    #[inline(never)]
    fn ask(&mut self, host: HostId, platform: &Platform) {
        self.hosts[host.0 as usize] = platform.spoke(host).map_or(Known::No, Known::Yes);
    }
}
