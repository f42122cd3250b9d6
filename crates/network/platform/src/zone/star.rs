//! Zones where every vertex has its links to the centre and back (`routing="Cluster"`).

use super::Members;
use crate::link::LinkId;

/// A star of explicitly given arms.
#[derive(Debug, Default)]
pub(crate) struct StarZone {
    pub members: Members,
    arms: Vec<Arm>,
    /// Of the hosts in order, in zones with Vivaldi routing.
    pub coordinates: Vec<[f64; 3]>,
}

/// The links of one vertex; none at all for a vertex that sits in the centre, such as a router.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Arm {
    pub up: Vec<LinkId>,
    pub down: Vec<LinkId>,
    pub loopback: Vec<LinkId>,
}

static IN_THE_CENTRE: Arm = Arm { up: Vec::new(), down: Vec::new(), loopback: Vec::new() };

impl StarZone {
    pub fn arm_mut(&mut self, vertex: u32) -> &mut Arm {
        let vertex = vertex as usize;
        if self.arms.len() <= vertex {
            self.arms.resize_with(vertex + 1, Arm::default);
        }
        &mut self.arms[vertex]
    }

    fn arm(&self, vertex: u32) -> &Arm {
        self.arms.get(vertex as usize).unwrap_or(&IN_THE_CENTRE)
    }

    /// Pushes the links from one vertex to another, a link that both ends share only once.
    pub(crate) fn route(&self, src: u32, dst: u32, links: &mut Vec<LinkId>) {
        let (from, to) = (self.arm(src), self.arm(dst));
        if src == dst && !from.loopback.is_empty() {
            links.extend(&from.loopback);
            return;
        }
        let start = links.len();
        for link in from.up.iter().chain(&to.down) {
            if !links[start..].contains(link) {
                links.push(*link);
            }
        }
    }

    /// Two hosts, by position, without any link between them.
    pub fn unconnected(&self) -> Option<(u32, u32)> {
        let mut loose = (0u32..).zip(&self.members.hosts).filter(|(_, host)| {
            let arm = self.arm(host.vertex);
            arm.up.is_empty() || arm.down.is_empty()
        });
        Some((loose.next()?.0, loose.next()?.0))
    }
}
