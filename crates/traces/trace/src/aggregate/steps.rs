//! The step of each event: iterations end at migration points, and inside an iteration Lamport clocks count.
//!
//! Ranks are walked through without a clock, each up to a message that has not been sent yet. A receive is on a higher level than its
//! send. A collective is on a higher level than everything before it, on all ranks.

use std::collections::HashMap;

use mpirage_call::RequestId;
use mpirage_units::Duration;

use super::collect::{Channel, Event, Load, WholeCollective};
use crate::TraceError;

/// A place in the order of all events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Step {
    pub iteration: u32,
    pub level: u32,
}

/// A message between fine ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FineMessage {
    pub from: u32,
    pub to: u32,
    pub bytes: u64,
    pub sent: Step,
    /// The step in which the sender waits until it is complete.
    pub awaited: Step,
    /// The step in which the receive is posted.
    pub posted: Step,
    /// The step in which the receiver has it.
    pub received: Step,
}

/// Computation of a fine rank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Computed {
    pub rank: u32,
    pub step: Step,
    /// Does the rank send in this step before it computes?
    pub after_send: bool,
    pub load: Load,
}

/// A pause of a fine rank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Paused {
    pub rank: u32,
    pub step: Step,
    /// Does the rank send in this step before it pauses?
    pub after_send: bool,
    pub span: Duration,
}

/// A collective: what each rank calls.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Joined {
    pub step: Step,
    pub calls: Vec<WholeCollective>,
}

/// All events, with their steps.
#[derive(Debug, Default)]
pub(super) struct Steps {
    pub messages: Vec<FineMessage>,
    pub computed: Vec<Computed>,
    pub paused: Vec<Paused>,
    pub collectives: Vec<Joined>,
    /// For each rank the size of its state at each migration point.
    pub states: Vec<Vec<u64>>,
}

impl Steps {
    /// Walks through the events of all ranks.
    pub fn of(events: &[Vec<Event>]) -> Result<Steps, TraceError> {
        let mut walk = Walk {
            events,
            ranks: events.iter().map(|_| Position::default()).collect(),
            channels: HashMap::new(),
            arrived: Vec::new(),
            steps: Steps { states: vec![Vec::new(); events.len()], ..Steps::default() },
        };
        walk.finish()?;
        let states = &walk.steps.states;
        if states.iter().any(|of_rank| of_rank.len() != states[0].len()) {
            return Err(refused("its ranks do not call AMPI_Migrate equally often"));
        }
        Ok(walk.steps)
    }
}

/// Where a rank is.
#[derive(Default)]
struct Position {
    next: usize,
    step: Step,
    /// It has sent in this step.
    has_sent: bool,
    open: HashMap<RequestId, Open>,
    in_collective: bool,
}

/// The operation of an open request.
#[derive(Clone, Copy)]
enum Open {
    Send(usize),
    Receive { channel: Channel, number: usize, posted: Step },
}

/// The messages of a channel, in order, and how many receives have been posted.
#[derive(Default)]
struct Queue {
    sent: Vec<usize>,
    receives: usize,
}

struct Walk<'a> {
    events: &'a [Vec<Event>],
    ranks: Vec<Position>,
    channels: HashMap<Channel, Queue>,
    /// Ranks that have reached the next collective.
    arrived: Vec<u32>,
    steps: Steps,
}

impl Walk<'_> {
    fn finish(&mut self) -> Result<(), TraceError> {
        loop {
            let mut moved = false;
            for rank in 0..self.ranks.len() as u32 {
                while self.advance(rank)? {
                    moved = true;
                }
            }
            let ended = (0..self.ranks.len()).all(|rank| self.ranks[rank].next == self.events[rank].len());
            match (ended, moved) {
                (true, _) => return Ok(()),
                (false, false) => {
                    return Err(refused("it does not finish: a receive or a collective has no partner"));
                }
                (false, true) => {}
            }
        }
    }

    /// The next event of a rank; false if it waits or has ended.
    fn advance(&mut self, rank: u32) -> Result<bool, TraceError> {
        let events: &[Vec<Event>] = self.events;
        let position = &self.ranks[rank as usize];
        let Some(event) = events[rank as usize].get(position.next) else { return Ok(false) };
        if let Event::Collective(_) = event {
            return self.join(rank);
        }
        let step = position.step;
        match event {
            Event::Compute(load) => {
                let after_send = position.has_sent;
                self.steps.computed.push(Computed { rank, step, after_send, load: *load });
            }
            Event::Pause(span) => {
                let after_send = position.has_sent;
                self.steps.paused.push(Paused { rank, step, after_send, span: *span });
            }
            Event::Send { channel, bytes, request } => self.send(*channel, *bytes, *request),
            Event::Receive { channel, request: Some(request) } => {
                let queue = self.channels.entry(*channel).or_default();
                let open = Open::Receive { channel: *channel, number: queue.receives, posted: step };
                queue.receives += 1;
                self.ranks[rank as usize].open.insert(*request, open);
            }
            Event::Receive { channel, request: None } => {
                let number = self.channels.entry(*channel).or_default().receives;
                let open = Open::Receive { channel: *channel, number, posted: step };
                if !self.complete(rank, &[open])? {
                    return Ok(false);
                }
                self.channels.entry(*channel).or_default().receives += 1;
            }
            Event::Wait(requests) => {
                let open = &self.ranks[rank as usize].open;
                let awaited: Vec<Open> =
                    requests.iter().filter_map(|request| open.get(request).copied()).collect();
                if !self.complete(rank, &awaited)? {
                    return Ok(false);
                }
                let open = &mut self.ranks[rank as usize].open;
                for request in requests {
                    open.remove(request);
                }
            }
            Event::Migrate { state_bytes } => {
                self.steps.states[rank as usize].push(*state_bytes);
                self.go_to(rank, Step { iteration: step.iteration + 1, level: 0 });
            }
            Event::Collective(_) => {}
        }
        self.ranks[rank as usize].next += 1;
        Ok(true)
    }

    fn go_to(&mut self, rank: u32, step: Step) {
        let position = &mut self.ranks[rank as usize];
        position.has_sent &= position.step == step;
        position.step = step;
    }

    fn send(&mut self, channel: Channel, bytes: u64, request: Option<RequestId>) {
        let sender = &mut self.ranks[channel.from as usize];
        let (id, sent) = (self.steps.messages.len(), sender.step);
        sender.has_sent = true;
        if let Some(request) = request {
            sender.open.insert(request, Open::Send(id));
        }
        self.channels.entry(channel).or_default().sent.push(id);
        let Channel { from, to, .. } = channel;
        self.steps.messages.push(FineMessage {
            from,
            to,
            bytes,
            sent,
            awaited: sent,
            posted: sent,
            received: sent,
        });
    }

    /// A rank waits for these; false if a message has not been sent yet.
    fn complete(&mut self, rank: u32, awaited: &[Open]) -> Result<bool, TraceError> {
        let mut step = self.ranks[rank as usize].step;
        let mut received = Vec::new();
        for open in awaited {
            let &Open::Receive { channel, number, posted } = open else { continue };
            let sent = self.channels.get(&channel).and_then(|queue| queue.sent.get(number));
            let Some(&id) = sent else { return Ok(false) };
            received.push((id, posted));
            step = self.after(id, step)?;
        }
        self.go_to(rank, step);
        for (id, posted) in received {
            let message = &mut self.steps.messages[id];
            (message.posted, message.received) = (posted, step);
        }
        for open in awaited {
            if let Open::Send(id) = *open {
                self.steps.messages[id].awaited = step;
            }
        }
        Ok(true)
    }

    /// The step of a rank that was at `step` when it has received a message.
    fn after(&self, message: usize, step: Step) -> Result<Step, TraceError> {
        let FineMessage { sent, from, to, .. } = self.steps.messages[message];
        match sent.iteration.cmp(&step.iteration) {
            std::cmp::Ordering::Less => Ok(step),
            std::cmp::Ordering::Equal => Ok(Step { level: step.level.max(sent.level + 1), ..step }),
            std::cmp::Ordering::Greater => Err(refused(&format!(
                "rank {to} receives from rank {from} in iteration {} what is sent in iteration {}",
                step.iteration, sent.iteration
            ))),
        }
    }

    /// A rank reaches a collective; the last one lets all go on.
    fn join(&mut self, rank: u32) -> Result<bool, TraceError> {
        if !std::mem::replace(&mut self.ranks[rank as usize].in_collective, true) {
            self.arrived.push(rank);
        }
        if self.arrived.len() < self.ranks.len() {
            return Ok(false);
        }
        self.arrived.clear();
        let at = self.ranks.iter().map(|position| position.step);
        let (Some(first), Some(last)) = (at.clone().min(), at.max()) else { return Ok(false) };
        let step = Step { level: last.level + 1, ..last };
        let calls: Vec<WholeCollective> =
            (0..self.ranks.len()).filter_map(|rank| self.collective_of(rank)).collect();
        if first.iteration != last.iteration || calls.iter().any(|call| call.kind != calls[0].kind) {
            return Err(refused("ranks call different collectives, or the same one in different iterations"));
        }
        self.steps.collectives.push(Joined { step, calls });
        for rank in 0..self.ranks.len() as u32 {
            self.go_to(rank, step);
            self.ranks[rank as usize].in_collective = false;
            self.ranks[rank as usize].next += 1;
        }
        Ok(true)
    }

    fn collective_of(&self, rank: usize) -> Option<WholeCollective> {
        match self.events[rank].get(self.ranks[rank].next) {
            Some(Event::Collective(call)) => Some(*call),
            _ => None,
        }
    }
}

fn refused(why: &str) -> TraceError {
    TraceError::Spec(format!("cannot be aggregated: {why}"))
}

#[cfg(test)]
mod tests {
    use mpirage_call::WORLD;

    use super::*;

    fn channel(from: u32, to: u32) -> Channel {
        Channel { from, to, context: WORLD, tag: 0 }
    }

    fn send(from: u32, to: u32) -> Event {
        Event::Send { channel: channel(from, to), bytes: 8, request: None }
    }

    fn receive(from: u32, to: u32) -> Event {
        Event::Receive { channel: channel(from, to), request: None }
    }

    #[test]
    fn a_message_is_received_on_a_higher_level() {
        let relay = [vec![send(0, 1)], vec![receive(0, 1), send(1, 2)], vec![receive(1, 2)]];
        let steps = Steps::of(&relay).unwrap();
        let levels: Vec<(u32, u32)> =
            steps.messages.iter().map(|message| (message.sent.level, message.received.level)).collect();
        assert_eq!(levels, [(0, 1), (1, 2)]);
    }

    #[test]
    fn levels_begin_anew_in_each_iteration() {
        let migrate = || Event::Migrate { state_bytes: 1 };
        let both = [
            vec![send(0, 1), migrate(), send(0, 1), migrate()],
            vec![receive(0, 1), migrate(), receive(0, 1), migrate()],
        ];
        let steps = Steps::of(&both).unwrap();
        let received: Vec<Step> = steps.messages.iter().map(|message| message.received).collect();
        assert_eq!(received, [Step { iteration: 0, level: 1 }, Step { iteration: 1, level: 1 }]);
        assert_eq!(steps.states, [[1, 1], [1, 1]]);
    }

    #[test]
    fn what_cannot_finish_is_refused() {
        let crossed = [vec![receive(1, 0), send(0, 1)], vec![receive(0, 1), send(1, 0)]];
        assert!(Steps::of(&crossed).is_err());
        let early = [vec![Event::Migrate { state_bytes: 0 }, send(0, 1)], vec![receive(0, 1)]];
        assert!(Steps::of(&early).is_err());
    }
}
