//! All flows, by their numbers.
//!
//! In chunks: room for a million more messages is made without moving those that exist.

use std::ops::{Index, IndexMut};

use crate::flow::{Flow, FlowId, Footprint, NEVER, Solver};
use crate::list::NONE;
use mpirage_prefetch::fetch;

const BITS: usize = 9;
const CHUNK: usize = 1 << BITS;
/// How many flows ahead the memory of a new one is fetched.
const AHEAD: usize = 3;

/// Flows in use, and those whose number may be used again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flows {
    chunks: Vec<Box<[Flow; CHUNK]>>,
    length: usize,
    vacant: Vec<u32>,
    /// Apart, because few need them.
    penalties: Vec<f64>,
}

impl Flows {
    /// Makes a flow that has not started.
    #[inline(always)]
    pub fn prepare(&mut self, footprint: &Footprint, work: f64, token: u64) -> FlowId {
        let index = self.vacancy();
        let flow = &mut self[index as usize];
        (flow.token, flow.ceiling) = (token, footprint.ceiling);
        (flow.work, flow.left) = (work * footprint.penalty, work * footprint.penalty);
        flow.set_uses(&footprint.uses);
        let generation = flow.generation;
        self.penalties[index as usize] = footprint.penalty;
        FlowId { index, generation }
    }

    #[inline]
    fn vacancy(&mut self) -> u32 {
        // Its last use is long ago, as a rule.
        if let Some(&later) = self.vacant.len().checked_sub(1 + AHEAD).and_then(|at| self.vacant.get(at)) {
            fetch(&self[later as usize]);
        }
        self.vacant.pop().unwrap_or_else(|| self.add())
    }

    #[inline(never)]
    fn add(&mut self) -> u32 {
        if self.length == self.chunks.len() * CHUNK {
            let flows: Box<[Flow]> = (0..CHUNK).map(|_| Flow::vacant()).collect();
            self.chunks.extend(flows.try_into());
        }
        self.length += 1;
        self.penalties.push(1.0);
        self.length as u32 - 1
    }

    /// Makes the number of a flow free for another. Gives the class of its messages.
    #[inline]
    pub fn vacate(&mut self, index: u32) -> u32 {
        let flow = &mut self[index as usize];
        flow.generation = flow.generation.wrapping_add(1);
        (flow.sequence, flow.solver) = (NEVER, Solver::Undecided);
        let class = std::mem::replace(&mut flow.class, NONE);
        self.vacant.push(index);
        class
    }

    pub fn are_none(&self) -> bool {
        self.vacant.len() == self.length
    }

    /// Is the flow under way, with its own message or others?
    pub fn exists(&self, id: FlowId) -> bool {
        self[id.index as usize].generation == id.generation
    }

    pub fn id(&self, index: u32) -> FlowId {
        FlowId { index, generation: self[index as usize].generation }
    }

    #[inline]
    pub fn penalty(&self, index: u32) -> f64 {
        self.penalties[index as usize]
    }

    /// The flow that a message belongs to: its own, as a rule.
    pub fn carrier(&self, message: u32) -> u32 {
        match self[message as usize].solver {
            Solver::MessageOf(flow) => flow,
            _ => message,
        }
    }
}

impl Index<usize> for Flows {
    type Output = Flow;

    #[inline]
    fn index(&self, index: usize) -> &Flow {
        &self.chunks[index >> BITS][index & (CHUNK - 1)]
    }
}

impl IndexMut<usize> for Flows {
    #[inline]
    fn index_mut(&mut self, index: usize) -> &mut Flow {
        &mut self.chunks[index >> BITS][index & (CHUNK - 1)]
    }
}
