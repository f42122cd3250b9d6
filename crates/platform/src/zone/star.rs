//! Zones where every vertex has its links to the centre and back (`routing="Cluster"`).

use super::Members;
use crate::link::LinkId;

/// A star of explicitly given arms.
#[derive(Debug, Default)]
pub(crate) struct StarZone {
    pub members: Members,
    arms: Vec<Arm>,
}

/// The links of one vertex; none at all for a vertex that sits in the centre, such as a router.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Arm {
    pub up: Vec<LinkId>,
    pub down: Vec<LinkId>,
    pub loopback: Vec<LinkId>,
}

impl StarZone {
    pub fn arm_mut(&mut self, vertex: u32) -> &mut Arm {
        let vertex = vertex as usize;
        if self.arms.len() <= vertex {
            self.arms.resize_with(vertex + 1, Arm::default);
        }
        &mut self.arms[vertex]
    }

    /// Pushes the links from one vertex to another, a link that both ends share only once.
    pub fn route(&self, src: u32, dst: u32, links: &mut Vec<LinkId>) {
        let start = links.len();
        let (Some(from), Some(to)) = (self.arms.get(src as usize), self.arms.get(dst as usize)) else {
            links.extend(self.arms.get(src as usize).iter().flat_map(|arm| &arm.up));
            links.extend(self.arms.get(dst as usize).iter().flat_map(|arm| &arm.down));
            return;
        };
        if src == dst && !from.loopback.is_empty() {
            links.extend(&from.loopback);
            return;
        }
        for link in from.up.iter().chain(&to.down) {
            if !links[start..].contains(link) {
                links.push(*link);
            }
        }
    }
}
