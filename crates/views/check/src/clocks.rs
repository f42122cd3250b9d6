//! Vector clocks of the events of a run (Mattern, *Virtual Time and Global States of Distributed Systems*, 1989).
//!
//! A message orders its send before the end of its receive, and before the end of a probe that saw it; a synchronous one orders the
//! receive before the end of the send, too; a collective orders all entries before all exits, which is more than the standard
//! promises.

use rustc_hash::FxHashMap;

use crate::causality::{At, Causality, Event};
use crate::messages::Channel;

/// Components of clocks that are kept.
const MOST_COMPONENTS: usize = 64_000_000;

/// Vector clocks: for each rank, how many of its events happened before.
pub(crate) struct Clocks {
    /// At sends, posts and polls.
    kept: FxHashMap<At, Box<[u32]>>,
}

impl Clocks {
    /// The clocks of all events; none if they take too much memory, or if the order of events cannot be found.
    pub(crate) fn of(causality: &Causality) -> Option<Clocks> {
        let logs = causality.logs();
        let number = logs.iter().flatten().filter(|event| is_kept(event)).count();
        if number.checked_mul(logs.len()).is_none_or(|components| components > MOST_COMPONENTS) {
            return None;
        }
        let mut walk = Walk::new(causality);
        while walk.round() {}
        walk.is_over().then_some(Clocks { kept: walk.kept })
    }

    /// True if the send of a message does not depend on an event of a rank: it could have been sent before.
    pub(crate) fn is_independent(&self, send: At, (rank, event): At) -> bool {
        self.kept.get(&send).is_some_and(|clock| clock[rank as usize] as usize <= event)
    }
}

/// The sends of messages that probes saw. The next receive of that sender and tag, posted after the probe, gets the same message.
fn probed_sends(causality: &Causality) -> FxHashMap<At, At> {
    let mut received: FxHashMap<Channel, Vec<(usize, At)>> = FxHashMap::default();
    if causality.probes().is_empty() {
        return FxHashMap::default();
    }
    for (&(_, receive), &send) in causality.sends() {
        if let Some(Event::Send(channel)) = causality.event(send) {
            received.entry(*channel).or_default().push((receive, send));
        }
    }
    received.values_mut().for_each(|receives| receives.sort_unstable());
    let send_of = |(&probe, channel): (&At, &Channel)| {
        let receives = received.get(channel)?;
        let next = receives.partition_point(|&(receive, _)| receive <= probe.1);
        Some((probe, receives.get(next)?.1))
    };
    causality.probes().iter().filter_map(send_of).collect()
}

/// A walk through all logs, in an order that respects what happens before what.
struct Walk<'a> {
    causality: &'a Causality,
    next: Vec<usize>,
    clocks: Vec<Box<[u32]>>,
    kept: FxHashMap<At, Box<[u32]>>,
    /// The clocks of the entries into each collective, joined; how many are expected and how many have come.
    collectives: FxHashMap<u64, (usize, usize, Box<[u32]>)>,
    /// The sends of messages that probes saw.
    probed: FxHashMap<At, At>,
}

impl<'a> Walk<'a> {
    fn new(causality: &'a Causality) -> Walk<'a> {
        let ranks = causality.logs().len();
        let none = || vec![0; ranks].into_boxed_slice();
        let mut collectives: FxHashMap<u64, (usize, usize, Box<[u32]>)> = FxHashMap::default();
        for event in causality.logs().iter().flatten() {
            if let Event::Enter(number) = event {
                collectives.entry(*number).or_insert_with(|| (0, 0, none())).0 += 1;
            }
        }
        let clocks = (0..ranks).map(|_| none()).collect();
        let (next, kept, probed) = (vec![0; ranks], FxHashMap::default(), probed_sends(causality));
        Walk { causality, next, clocks, kept, collectives, probed }
    }

    fn is_over(&self) -> bool {
        self.next.iter().zip(self.causality.logs()).all(|(&next, log)| next == log.len())
    }

    /// Lets each rank go on as far as it can. False if none could.
    fn round(&mut self) -> bool {
        let mut moved = false;
        for rank in 0..self.next.len() {
            while self.step(rank as u32) {
                moved = true;
            }
        }
        moved
    }

    /// The next event of a rank, if everything that happens before it is known.
    fn step(&mut self, rank: u32) -> bool {
        let (me, at) = (rank as usize, self.next[rank as usize]);
        let Some(&event) = self.causality.event((rank, at)) else { return false };
        let before = match event {
            Event::Received(post) => {
                self.causality.send_of((rank, post)).or_else(|| self.probed.get(&(rank, post)).copied())
            }
            Event::Delivered(send) => self.causality.receive_of((rank, send)),
            _ => None,
        };
        if let Some(before) = before {
            let Some(clock) = self.kept.get(&before) else { return false };
            join(&mut self.clocks[me], clock);
            // A send that waits depends on what its receive got, which shows at the end of the receive.
            if let (Event::Delivered(_), Some(ended)) = (event, self.causality.end_of(before)) {
                let theirs = &mut self.clocks[me][before.0 as usize];
                *theirs = (*theirs).max(ended as u32 + 1);
            }
        }
        if let Event::Leave(number) = event
            && let Some((expected, come, clock)) = self.collectives.get(&number)
        {
            if come < expected {
                return false;
            }
            join(&mut self.clocks[me], clock);
        }
        self.clocks[me][me] = at as u32 + 1;
        if let Event::Enter(number) = event
            && let Some((_, come, clock)) = self.collectives.get_mut(&number)
        {
            *come += 1;
            join(clock, &self.clocks[me]);
        }
        if is_kept(&event) {
            self.kept.insert((rank, at), self.clocks[me].clone());
        }
        self.next[me] = at + 1;
        true
    }
}

fn is_kept(event: &Event) -> bool {
    matches!(event, Event::Send(_) | Event::Post(..) | Event::Poll)
}

fn join(clock: &mut [u32], other: &[u32]) {
    for (mine, theirs) in clock.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}
