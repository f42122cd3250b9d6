//! Routes between hosts of one switch: computing them for each message costs less than remembering them.
//!
//! From host a to host b the route is a's link up and b's link down; acknowledgements take b's up and a's down; all cables
//! of a switch are alike. The paths of one switch differ only in their resources: one path per switch is kept and pointed at the links
//! of each message.

use mpirage_kernel::Transfer;
use mpirage_platform::{Interface, LinkId, Platform, SwitchPort};

use crate::route_cache::Path;

/// The switch ports of interfaces, and one path per switch.
pub(crate) struct StarRoutes {
    /// By the number of an interface. Zeros, so that interfaces that no message uses cost nothing.
    ports: Vec<KnownPort>,
    /// By the number of a switch.
    paths: Vec<Option<Path>>,
}

/// The port of an interface: its switch plus [`FIRST_SWITCH`], the link up and the link down.
type KnownPort = [u32; 3];
/// The platform was not asked for it.
const UNASKED: u32 = 0;
/// The interface is not connected to a switch directly.
const NO_SWITCH: u32 = 1;
const FIRST_SWITCH: u32 = 2;

impl StarRoutes {
    pub(crate) fn new(platform: &Platform) -> StarRoutes {
        StarRoutes {
            ports: vec![[0; 3]; platform.interfaces().count(platform.host_count()) as usize],
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

    /// Is a path kept for a switch?
    #[inline]
    pub(crate) fn has_path(&self, switch: u32) -> bool {
        matches!(self.paths.get(switch as usize), Some(Some(_)))
    }

    /// Keeps a path for a switch.
    #[cold]
    pub(crate) fn enter(&mut self, switch: u32, path: Path) {
        if self.paths.len() <= switch as usize {
            self.paths.resize(switch as usize + 1, None);
        }
        self.paths[switch as usize] = Some(path);
    }

    /// The path that is kept for a switch.
    #[inline]
    pub(crate) fn path(&mut self, switch: u32) -> &mut Path {
        self.paths[switch as usize].as_mut().expect("it was entered")
    }

    #[inline]
    fn port(&mut self, interface: Interface, platform: &Platform) -> Option<SwitchPort> {
        let number = platform.interfaces().number(interface) as usize;
        if self.ports[number][0] == UNASKED {
            self.ask(interface, platform);
        }
        let [switch, up, down] = self.ports[number];
        let port = || SwitchPort { switch: switch - FIRST_SWITCH, up: LinkId(up), down: LinkId(down) };
        (switch >= FIRST_SWITCH).then(port)
    }

    /// Not inlined, so that the common case keeps everything in registers.
    #[cold]
    #[inline(never)]
    fn ask(&mut self, interface: Interface, platform: &Platform) {
        let known = |port: SwitchPort| [port.switch + FIRST_SWITCH, port.up.0, port.down.0];
        let port = platform.switch_port(interface).map_or([NO_SWITCH, 0, 0], known);
        self.ports[platform.interfaces().number(interface) as usize] = port;
    }
}
