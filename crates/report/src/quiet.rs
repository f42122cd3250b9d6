//! A network without other traffic: how long a message takes if it is alone.

use mpirage_kernel::{Milestone, NetworkModel, Token, Transfer};
use mpirage_platform::HostId;
use mpirage_units::Time;
use rustc_hash::FxHashMap;

/// Times that are remembered, at most.
const REMEMBERED: usize = 1 << 16;

/// A network that carries one message at a time.
pub(crate) struct QuietNetwork {
    model: Box<dyn NetworkModel>,
    now: Time,
    /// Picoseconds of messages, by route and bytes.
    known: FxHashMap<(HostId, HostId, u64), u64>,
}

impl QuietNetwork {
    pub fn new(model: Box<dyn NetworkModel>) -> QuietNetwork {
        QuietNetwork { model, now: Time::ZERO, known: FxHashMap::default() }
    }

    /// Picoseconds from the departure to the arrival of a message; none if the network does not say.
    pub fn picos(&mut self, from: HostId, to: HostId, bytes: u64) -> Option<u64> {
        if let Some(&known) = self.known.get(&(from, to, bytes)) {
            return Some(known);
        }
        let picos = self.carry(Transfer::data(from, to, bytes))?;
        if self.known.len() == REMEMBERED {
            self.known.clear();
        }
        self.known.insert((from, to, bytes), picos);
        Some(picos)
    }

    fn carry(&mut self, transfer: Transfer) -> Option<u64> {
        let (mut departed, mut events) = (self.now, Vec::new());
        self.model.start(self.now, transfer, Token(0));
        loop {
            self.now = self.model.next(self.now).filter(|next| *next < Time::MAX)?;
            self.model.collect(self.now, &mut events);
            for event in events.drain(..) {
                match event.milestone {
                    Milestone::Departed => departed = self.now,
                    Milestone::Ended => return Some(self.now.since(departed).as_picos()),
                    Milestone::BufferFree | Milestone::Failed => {}
                }
            }
        }
    }
}
