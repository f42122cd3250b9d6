//! Routes between hosts of one switch: computing them for each message costs less than remembering them.
//!
//! From host a to host b the route is a's link up and b's link down; acknowledgements take b's up and a's down; all cables
//! of a switch are alike. The paths of one switch differ only in their resources: one path per switch is kept and pointed at the links
//! of each message.

use mpirage_kernel::Transfer;
use mpirage_platform::{Interface, Platform, SwitchPort};

use crate::route_cache::Path;

/// The switch ports of interfaces, and one path per switch.
pub(crate) struct StarRoutes {
    ports: Vec<KnownPort>,
    paths: Vec<Option<Path>>,
}

/// The port of an interface, if the platform was asked for it.
#[derive(Clone, Copy)]
enum KnownPort {
    Unasked,
    /// The interface is not connected to a switch directly.
    None,
    Some(SwitchPort),
}

impl StarRoutes {
    pub(crate) fn new(platform: &Platform) -> StarRoutes {
        StarRoutes {
            ports: vec![KnownPort::Unasked; platform.interfaces().count(platform.host_count()) as usize],
            paths: Vec::new(),
        }
    }

    /// The ports of both ends of a transfer, if the ends are two hosts of one switch.
    #[inline]
    pub(crate) fn of(
        &mut self,
        transfer: &Transfer,
        platform: &Platform,
    ) -> Option<(SwitchPort, SwitchPort)> {
        let from = self.port(transfer.sends(), platform)?;
        let to = self.port(transfer.receives(), platform)?;
        (from.switch == to.switch && transfer.from != transfer.to).then_some((from, to))
    }

    /// The path that is kept for a switch.
    #[inline]
    pub(crate) fn path(&mut self, switch: u32) -> &mut Option<Path> {
        if self.paths.len() <= switch as usize {
            self.paths.resize(switch as usize + 1, None);
        }
        &mut self.paths[switch as usize]
    }

    #[inline]
    fn port(&mut self, interface: Interface, platform: &Platform) -> Option<SwitchPort> {
        let number = platform.interfaces().number(interface) as usize;
        if matches!(self.ports[number], KnownPort::Unasked) {
            self.ask(interface, platform);
        }
        match self.ports[number] {
            KnownPort::Some(port) => Some(port),
            KnownPort::None | KnownPort::Unasked => None,
        }
    }

    /// Not inlined, so that the common case keeps everything in registers.
    #[cold]
    #[inline(never)]
    fn ask(&mut self, interface: Interface, platform: &Platform) {
        let port = platform.switch_port(interface).map_or(KnownPort::None, KnownPort::Some);
        self.ports[platform.interfaces().number(interface) as usize] = port;
    }
}
