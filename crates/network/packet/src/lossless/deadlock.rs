//! Frames that wait for each other in a circle.
//!
//! A lane of a link that has no room waits for a frame in the buffer at its other end to leave. It gets on if a frame is on
//! the link, if room is on its way back, or if one of the outputs that frames of the buffer wait for gets on. What
//! remains when nothing more can be found to get on never will.

use std::fmt;

use mpirage_platform::LinkId;

use super::parameters::LosslessParameters;
use super::port::Port;
use super::queues::{QueueId, Queues, Way};
use crate::ids::{FrameId, PortId};

/// Links whose frames wait for each other in a circle: each waits for room in the buffer of the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreditDeadlock {
    /// The links of the circle, in order.
    pub links: Vec<LinkId>,
}

impl fmt::Display for CreditDeadlock {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let links: Vec<String> = self.links.iter().map(|link| link.0.to_string()).collect();
        write!(
            out,
            "frames wait in a circle for room at the other end of the links {}: the routes need more virtual lanes",
            links.join(", ")
        )
    }
}

/// Finds a circle.
pub(super) fn find(
    ports: &[Port],
    ways: &[Way],
    queues: &Queues,
    parameters: &LosslessParameters,
) -> Option<CreditDeadlock> {
    let graph = Waits::new(ports, ways, queues, parameters);
    let stuck = graph.stuck(ports);
    let start = stuck.iter().position(|stuck| *stuck)?;
    let circle = graph.circle(start, &stuck);
    Some(CreditDeadlock { links: circle.into_iter().map(|node| ports[node / graph.lanes].link).collect() })
}

/// A frame that never gets on.
pub(super) fn stuck_frame(
    ports: &[Port],
    ways: &[Way],
    queues: &Queues,
    parameters: &LosslessParameters,
) -> Option<FrameId> {
    let graph = Waits::new(ports, ways, queues, parameters);
    let node = graph.stuck(ports).iter().position(|stuck| *stuck)?;
    queues.first(&ports[node / graph.lanes].lanes[node % graph.lanes].ring)
}

/// The graph of output lanes that wait for each other. A node is a port and a lane.
struct Waits {
    lanes: usize,
    /// For each node, the nodes that frames in its buffer wait for.
    after: Vec<Vec<usize>>,
}

impl Waits {
    fn new(ports: &[Port], ways: &[Way], queues: &Queues, parameters: &LosslessParameters) -> Waits {
        let lanes = parameters.all_lanes();
        let mut after = vec![Vec::new(); ports.len() * lanes];
        for (number, way) in ways.iter().enumerate() {
            let Some(PortId(from)) = way.from else { continue };
            for lane in 0..lanes {
                let next = next_lane(lane, parameters);
                if !queues.is_empty(QueueId((number * lanes + next) as u32)) {
                    after[from as usize * lanes + lane].push(way.to.index() * lanes + next);
                }
            }
        }
        Waits { lanes, after }
    }

    /// The nodes with frames that never get on.
    fn stuck(&self, ports: &[Port]) -> Vec<bool> {
        let mut stuck: Vec<bool> = (0..self.after.len())
            .map(|node| {
                let port = &ports[node / self.lanes];
                let lane = &port.lanes[node % self.lanes];
                let waits = !lane.ring.is_empty() && port.blocked_since.is_some();
                waits && port.flying == 0 && lane.gate.opens().is_none()
            })
            .collect();
        let mut before = vec![Vec::new(); self.after.len()];
        for (node, after) in self.after.iter().enumerate() {
            after.iter().for_each(|next| before[*next].push(node));
        }
        let mut moving: Vec<usize> = (0..stuck.len()).filter(|node| !stuck[*node]).collect();
        while let Some(node) = moving.pop() {
            for &earlier in &before[node] {
                if std::mem::replace(&mut stuck[earlier], false) {
                    moving.push(earlier);
                }
            }
        }
        stuck
    }

    /// Follows stuck nodes until one comes again.
    fn circle(&self, start: usize, stuck: &[bool]) -> Vec<usize> {
        let mut walk = vec![start];
        loop {
            let last = walk[walk.len() - 1];
            let Some(&next) = self.after[last].iter().find(|next| stuck[**next]) else { return walk };
            if let Some(first) = walk.iter().position(|node| *node == next) {
                return walk.split_off(first);
            }
            walk.push(next);
        }
    }
}

/// The lane by which a frame leaves a switch that it came to by a lane.
fn next_lane(lane: usize, parameters: &LosslessParameters) -> usize {
    let data = usize::from(parameters.lanes.max(1));
    if parameters.lane_per_hop && lane < data { (lane + 1).min(data - 1) } else { lane }
}
