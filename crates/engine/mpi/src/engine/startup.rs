//! The cost of calls at their beginning, before they take effect.
//!
//! In some models a send occupies its rank before the message leaves, and a receive or a wait before it looks for one.
//! After their beginning, calls proceed as in all other models.

use mpirage_call::{Call, Completing, ContextId, LineId, RankId, RequestId, SendMode};
use mpirage_collectives::Step;
use mpirage_units::Duration;

use super::core::Core;
use crate::ids::RunId;
use crate::memory::Memory;
use crate::protocol::{ReceiveStartup, Startup};
use crate::ranks::line::Then;
use crate::ranks::request::Operation;
use crate::transport::matching::ANY_SOURCE;

impl<M: Memory> Core<M> {
    /// The next call of a line begins. True if that takes a while; it is carried out then.
    pub(crate) fn pay_startup(&mut self, line: LineId) -> bool {
        let cost = match &self.ranks.line(line).inbox.decode_next() {
            Ok((_, call, _)) => self.startup_of(line, call) + self.protocol().overhead_of_call(call),
            Err(_) => Duration::ZERO,
        };
        if !cost.is_zero() {
            self.pay(line, cost, Then::Perform);
        }
        !cost.is_zero()
    }

    /// The cost of a receive while it waits for its message.
    pub(crate) fn receive_startup(&self, rank: RankId, context: ContextId, from: Option<u32>) -> Duration {
        match &self.protocol().startup {
            Some(startup) if startup.receives == ReceiveStartup::Meanwhile => {
                self.startup_of_receive(startup, rank, context, from)
            }
            _ => Duration::ZERO,
        }
    }

    /// The cost of a step of a schedule before it takes effect.
    pub(crate) fn startup_of_step(&self, run: RunId, step: Step) -> Duration {
        let Some(startup) = &self.protocol().startup else { return Duration::ZERO };
        let host = |member: u32| self.host(self.collectives.peer(run, member));
        let me = self.host(self.collectives.run(run).rank);
        match step {
            Step::Send { to, bytes, .. } | Step::Isend { to, bytes, .. } => {
                startup.of_send(me, host(to), self.protocol().transfer_mode(SendMode::Standard, bytes))
            }
            Step::Ssend { to, bytes, .. } | Step::Issend { to, bytes, .. } => {
                startup.of_send(me, host(to), self.protocol().transfer_mode(SendMode::Synchronous, bytes))
            }
            Step::Recv { from, .. } if startup.receives == ReceiveStartup::First => {
                startup.of(me, Some(host(from)))
            }
            _ => Duration::ZERO,
        }
    }

    /// The cost of a receive of a schedule while it waits for its message.
    pub(crate) fn startup_of_receive_step(&self, run: RunId, from: u32) -> Duration {
        match &self.protocol().startup {
            Some(startup) if startup.receives == ReceiveStartup::Meanwhile => {
                let me = self.host(self.collectives.run(run).rank);
                startup.of(me, Some(self.host(self.collectives.peer(run, from))))
            }
            _ => Duration::ZERO,
        }
    }

    fn startup_of(&self, line: LineId, call: &Call<'_>) -> Duration {
        let Some(startup) = &self.protocol().startup else { return Duration::ZERO };
        let rank = self.ranks.rank_of(line);
        let first = startup.receives == ReceiveStartup::First;
        match *call {
            Call::Send { mode, context, to, bytes, .. } => {
                match self.collectives.comms().resolve(context, rank, to) {
                    Some(to) => {
                        let mode = self.protocol().transfer_mode(mode, bytes);
                        startup.of_send(self.host(rank), self.host(to), mode)
                    }
                    None => Duration::ZERO,
                }
            }
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
        rank: RankId,
        context: ContextId,
        from: Option<u32>,
    ) -> Duration {
        let other = from.and_then(|from| self.collectives.comms().resolve(context, rank, from));
        startup.of(self.host(rank), other.map(|other| self.host(other)))
    }

    /// A wait for all pays for each receive, a wait for any for the dearest.
    fn startup_of_wait(
        &self,
        startup: &Startup,
        rank: RankId,
        how: Completing,
        requests: &[RequestId],
    ) -> Duration {
        let slots = self.ranks.requests(rank);
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
