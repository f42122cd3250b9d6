//! What calls cost at their beginning, before they take effect.
//!
//! In some models a send occupies its rank before the message leaves, and a receive or a wait before it looks for one.
//! What follows the beginning is as in all others.

use mpirage_call::wire::decode_call;
use mpirage_call::{Call, Completing, ContextId, RequestId};
use mpirage_collectives::Step;
use mpirage_units::Duration;

use crate::engine::Engine;
use crate::matching::ANY_SOURCE;
use crate::memory::Memory;
use crate::protocol::{ReceiveStartup, Startup};
use crate::rank::Then;
use crate::request::Operation;

impl<M: Memory> Engine<M> {
    /// The next call of a rank begins. True if that takes a while; it is carried out then.
    pub(crate) fn pay_startup(&mut self, rank: u32) -> bool {
        let state = &self.ranks[rank as usize];
        let Some(startup) = &self.protocol.startup else { return false };
        let cost = match decode_call(&state.inbox[state.cursor..]) {
            Ok((_, call, _)) => self.startup_of(startup, rank, &call),
            Err(_) => Duration::ZERO,
        };
        if !cost.is_zero() {
            self.pay(rank, cost, Then::Perform);
        }
        !cost.is_zero()
    }

    /// What a receive costs while it waits for its message.
    pub(crate) fn receive_startup(&self, rank: u32, context: ContextId, from: Option<u32>) -> Duration {
        match &self.protocol.startup {
            Some(startup) if startup.receives == ReceiveStartup::Meanwhile => {
                self.startup_of_receive(startup, rank, context, from)
            }
            _ => Duration::ZERO,
        }
    }

    /// What a step of a schedule costs before it takes effect.
    pub(crate) fn startup_of_step(&self, rank: u32, instance: u32, step: Step) -> Duration {
        let Some(startup) = &self.protocol.startup else { return Duration::ZERO };
        let host = |seat: u32| self.hosts[self.instances[instance as usize].world_of(seat) as usize];
        let me = self.hosts[rank as usize];
        match step {
            Step::Send { to, bytes, .. } | Step::Isend { to, bytes, .. } => {
                startup.of_send(me, host(to), self.protocol.way(mpirage_call::SendMode::Standard, bytes))
            }
            Step::Recv { from, .. } if startup.receives == ReceiveStartup::First => {
                startup.of(me, Some(host(from)))
            }
            _ => Duration::ZERO,
        }
    }

    /// What a receive of a schedule costs while it waits for its message.
    pub(crate) fn startup_of_receive_step(&self, rank: u32, instance: u32, from: u32) -> Duration {
        match &self.protocol.startup {
            Some(startup) if startup.receives == ReceiveStartup::Meanwhile => {
                let from = self.instances[instance as usize].world_of(from);
                startup.of(self.hosts[rank as usize], Some(self.hosts[from as usize]))
            }
            _ => Duration::ZERO,
        }
    }

    fn startup_of(&self, startup: &Startup, rank: u32, call: &Call<'_>) -> Duration {
        let first = startup.receives == ReceiveStartup::First;
        match *call {
            Call::Send { mode, context, to, bytes, .. } => match self.comms.world_of(context, rank, to) {
                Some(to) => {
                    let (me, other) = (self.hosts[rank as usize], self.hosts[to as usize]);
                    startup.of_send(me, other, self.protocol.way(mode, bytes))
                }
                None => Duration::ZERO,
            },
            Call::Recv { context, from, request: None, .. } if first => {
                self.startup_of_receive(startup, rank, context, from)
            }
            Call::Wait { how, poll: false, requests } if first => {
                self.startup_of_wait(startup, rank, how, requests)
            }
            _ => Duration::ZERO,
        }
    }

    fn startup_of_receive(
        &self,
        startup: &Startup,
        rank: u32,
        context: ContextId,
        from: Option<u32>,
    ) -> Duration {
        let other = from.and_then(|from| self.comms.world_of(context, rank, from));
        startup.of(self.hosts[rank as usize], other.map(|other| self.hosts[other as usize]))
    }

    /// A wait for all pays for each receive, a wait for any for the dearest.
    fn startup_of_wait(
        &self,
        startup: &Startup,
        rank: u32,
        how: Completing,
        requests: &[RequestId],
    ) -> Duration {
        let slots = &self.ranks[rank as usize].requests;
        let costs = requests.iter().map(|&id| match slots.get(id.index()).map(|slot| slot.operation) {
            Some(Operation::Recv { context, from, .. }) => {
                let from = (from != ANY_SOURCE).then_some(from);
                self.startup_of_receive(startup, rank, context, from)
            }
            _ => Duration::ZERO,
        });
        match how {
            Completing::All => costs.fold(Duration::ZERO, |sum, cost| sum + cost),
            Completing::Any | Completing::Some => costs.max().unwrap_or_default(),
        }
    }
}
